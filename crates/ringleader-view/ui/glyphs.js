// The shapes of the marks, each drawn at a point in a size. The ring and the legend use the same ones.

/** @typedef {import("./types").Pen} Pen */
/** @typedef {import("./types").Palette} Palette */
/** @typedef {import("./types").Point} Point */

/**
 * Points given along and across a direction.
 * @param {number} x
 * @param {number} y
 * @param {number} angle
 * @param {number} size
 * @param {[number, number][]} shape
 * @returns {Point[]}
 */
export function turned(x, y, angle, size, shape) {
  const [c, s] = [Math.cos(angle) * size, Math.sin(angle) * size];
  return shape.map(([along, across]) => ({ x: x + along * c - across * s, y: y + along * s + across * c }));
}

/** @type {[number, number][]} */
const CROWN = [
  [-1, 0.75],
  [-1, -0.55],
  [-0.45, 0.05],
  [0, -0.85],
  [0.45, 0.05],
  [1, -0.55],
  [1, 0.75],
];

/** @param {Pen} pen @param {number} x @param {number} y @param {number} size @param {Palette} palette */
export function crown(pen, x, y, size, palette) {
  const rim = palette.dark ? "#5d4300" : "#6b4a00";
  pen.polygon(turned(x, y, 0, size, CROWN), { fill: palette.leader, stroke: rim, width: Math.max(0.6, size / 9) });
}

/** @type {[number, number][]} */
const TAG = [
  [-0.95, -0.7],
  [0.25, -0.7],
  [1, 0],
  [0.25, 0.7],
  [-0.95, 0.7],
];

/**
 * A token: a tag that points where it moves, with its bit, and a dot for the carry.
 * @param {Pen} pen
 * @param {Point} at
 * @param {number} angle
 * @param {number} size
 * @param {{ black: boolean, bit: number, carry: number }} token
 * @param {Palette} palette
 */
export function tag(pen, { x, y }, angle, size, { black, bit, carry }, palette) {
  const [fill, ink] = black ? [palette.black, palette.white] : [palette.white, palette.black];
  const rim = palette.dark ? (black ? "#aab4c2" : "#8d97a5") : "#22262c";
  pen.polygon(turned(x, y, angle, size, TAG), { fill, stroke: rim, width: size < 5 ? 0.6 : 1 });
  if (size < 6) return;
  pen.text(x, y + size * 0.04, String(bit), { size: size * 1.25, fill: ink, weight: 600 });
  if (carry === 1) {
    const [dot] = turned(x, y, angle, size, [[-1.35, 0]]);
    pen.circle(dot.x, dot.y, size * 0.22, { fill: palette.ink });
  }
}

/** A bullet: live ones are full. @param {Pen} pen @param {Point} at @param {number} size @param {boolean} live @param {Palette} palette */
export function bullet(pen, { x, y }, size, live, palette) {
  pen.circle(x, y, size, { fill: live ? palette.live : palette.paper, stroke: palette.live, width: Math.max(0.9, size * 0.36) });
}

/** @type {[number, number][]} */
const CHEVRON = [
  [-0.5, -0.8],
  [0.5, 0],
  [-0.5, 0.8],
];

/** An open arrowhead. @param {Pen} pen @param {Point} at @param {number} angle @param {number} size @param {string} stroke @param {number} width */
export function chevron(pen, { x, y }, angle, size, stroke, width) {
  pen.polygon(turned(x, y, angle, size, CHEVRON), { stroke, width, round: true }, true);
}

/** @type {[number, number][]} */
const HEAD = [
  [-0.6, -0.8],
  [0.75, 0],
  [-0.6, 0.8],
];

/** A full arrowhead. @param {Pen} pen @param {Point} at @param {number} angle @param {number} size @param {string} fill */
export function arrowhead(pen, { x, y }, angle, size, fill) {
  pen.polygon(turned(x, y, angle, size, HEAD), { fill });
}

/** @param {Pen} pen @param {Point} at @param {number} size @param {string} fill */
export function diamond(pen, { x, y }, size, fill) {
  pen.polygon(
    turned(x, y, 0, size, [
      [1, 0],
      [0, 1],
      [-1, 0],
      [0, -1],
    ]),
    { fill },
  );
}

/** A shield: an arc around the side from which bullets come. @param {Pen} pen @param {Point} at @param {number} heading @param {number} radius @param {string} stroke @param {number} width */
export function shield(pen, { x, y }, heading, radius, stroke, width) {
  const back = heading + Math.PI;
  pen.arc(x, y, radius, back - 1.15, back + 1.15, { stroke, width, round: true });
}

/**
 * An agent: a disc, or a square where it detects.
 * @param {Pen} pen
 * @param {Point} at
 * @param {number} radius
 * @param {boolean} square
 * @param {import("./types").Style} style
 */
export function body(pen, { x, y }, radius, square, style) {
  if (!square) return pen.circle(x, y, radius, style);
  const half = radius * 0.92;
  pen.rect(x - half, y - half, 2 * half, 2 * half, style, radius * 0.22);
}
