// Where the agents are: on a circle, clockwise from the top, or in a row that is cut out of the ring. Both speak in
// `u` (agents along the ring) and `d` (pixels outwards), so every mark is drawn by the same code on both.

/** @typedef {import("./types").Geometry} Geometry */
/** @typedef {import("./types").Box} Box */
/** @typedef {import("./types").Point} Point */
/** @typedef {import("./types").View} View */
/** @typedef {import("./types").Pen} Pen */
/** @typedef {import("./types").Style} Style */

/** Agents further apart than this are not drawn larger. */
const LARGEST = 58;
const SMALLEST = 6;

/** @param {number} space */
const unitOf = (space) => Math.min(Math.max(space, SMALLEST), LARGEST);

/** @param {number} space @param {number} unit @param {boolean} directed */
const discOf = (space, unit, directed) => Math.max(1.2, Math.min(unit * (directed ? 0.36 : 0.27), space * 0.46));

/** Undirected rings write colours on the inner side, before all else. @param {number} unit @param {boolean} directed */
const innerOf = (unit, directed) => (directed ? 0 : 0.36 * unit);

/** What lies outside the circle of the agents, in pixels: marks, segments, labels. @param {number} unit */
export const outside = (unit) => 1.25 * unit + 38;

/** On rings this small the values of the agents are written around it. */
const FEW = 12;
const ROOM_FOR_VALUES = 62;

/** @param {Box} box @param {number} n @param {boolean} roomy */
function fitRadius({ width, height }, n, roomy) {
  const half = Math.min(width, height) / 2 - (roomy ? ROOM_FOR_VALUES : 0);
  let radius = 0.7 * half;
  for (let round = 0; round < 6; round++) radius = Math.max(20, half - outside(unitOf((2 * Math.PI * radius) / n)));
  return radius;
}

/** @param {number} value @param {number} n */
export const wrap = (value, n) => ((value % n) + n) % n;

/** @implements {Geometry} */
export class RingGeometry {
  shifts = [0];

  /**
   * @param {Box} box
   * @param {number} n
   * @param {boolean} directed
   * @param {Pick<View, "zoom" | "x" | "y">} view `x` and `y` are what is in the middle, in radii
   * @param {boolean} values whether values are written around the ring
   */
  constructor(box, n, directed, { zoom, x, y }, values) {
    this.n = n;
    this.roomy = values && n <= FEW && box.width > 500;
    this.fit = fitRadius(box, n, this.roomy);
    this.radius = this.fit * zoom;
    this.centre = { x: box.x + box.width / 2 - x * this.radius, y: box.y + box.height / 2 - y * this.radius };
    this.space = (2 * Math.PI * this.radius) / n;
    this.unit = unitOf(this.space);
    this.disc = discOf(this.space, this.unit, directed);
    this.inner = innerOf(this.unit, directed);
    this.positions = this.#seen(box);
  }

  /** Only agents near the box need drawing. @param {Box} box */
  #seen(box) {
    const all = Array.from({ length: this.n }, (_, u) => u);
    const margin = outside(this.unit);
    const near = (/** @type {Point} */ { x, y }) =>
      x > box.x - margin && x < box.x + box.width + margin && y > box.y - margin && y < box.y + box.height + margin;
    return all.filter((u) => near(this.at(u, 0)));
  }

  /** @param {number} u */
  #angle(u) {
    return (2 * Math.PI * u) / this.n - Math.PI / 2;
  }

  /** @param {number} u @param {number} d @returns {Point} */
  at(u, d) {
    const angle = this.#angle(u);
    return { x: this.centre.x + (this.radius + d) * Math.cos(angle), y: this.centre.y + (this.radius + d) * Math.sin(angle) };
  }

  /** The direction of travel to larger indices. @param {number} u */
  heading(u) {
    return this.#angle(u) + Math.PI / 2;
  }

  sees() {
    return true;
  }

  /** @param {Pen} pen @param {number} from @param {number} to @param {number} d @param {Style} style */
  span(pen, from, to, d, style) {
    const radius = this.radius + d;
    if (radius <= 0) return;
    if (to - from >= this.n) pen.circle(this.centre.x, this.centre.y, radius, style);
    else pen.arc(this.centre.x, this.centre.y, radius, this.#angle(from), this.#angle(to), style);
  }

  /** @param {Point} point */
  locate({ x, y }) {
    const [dx, dy] = [x - this.centre.x, y - this.centre.y];
    const u = ((Math.atan2(dy, dx) + Math.PI / 2) / (2 * Math.PI)) * this.n;
    return { u: wrap(u, this.n), d: Math.hypot(dx, dy) - this.radius };
  }
}

/** How far apart agents of a band are at zoom 1. */
export const BAND_SPACE = 30;

/** How far apart they are, but never so near that room is left. @param {number} width @param {number} n @param {number} zoom */
export const bandSpace = (width, n, zoom) => Math.min(Math.max(BAND_SPACE * zoom, width / n), 90);

/** How high a row of agents with all its marks is. @param {number} space @param {boolean} directed */
export function bandHeight(space, directed) {
  const unit = unitOf(space);
  return outside(unit) + (directed ? 2.3 : 2.7) * unit + 30;
}

/** @implements {Geometry} */
export class BandGeometry {
  roomy = false;

  /**
   * @param {Box} box
   * @param {number} n
   * @param {boolean} directed
   * @param {Pick<View, "zoom" | "x">} view `x` is the middle of what is seen, as a part of the ring
   */
  constructor(box, n, directed, { zoom, x }) {
    this.n = n;
    this.box = box;
    this.space = bandSpace(box.width, n, zoom);
    this.unit = unitOf(this.space);
    this.disc = discOf(this.space, this.unit, directed);
    this.inner = innerOf(this.unit, directed);
    this.seen = Math.min(n, box.width / this.space);
    this.whole = this.seen >= n;
    this.left = this.whole ? -0.5 - (box.width / this.space - n) / 2 : wrap(x, 1) * n - this.seen / 2;
    this.base = box.y + outside(this.unit) + 4;
    this.shifts = this.whole ? [0] : [-n, 0, n];
    this.positions = this.#seen();
  }

  #seen() {
    const first = this.whole ? 0 : Math.ceil(this.left - 0.5);
    const last = this.whole ? this.n - 1 : Math.floor(this.left + this.seen + 0.5);
    return Array.from({ length: last - first + 1 }, (_, k) => first + k);
  }

  /** @param {number} u @param {number} d @returns {Point} */
  at(u, d) {
    return { x: this.box.x + (u - this.left) * this.space, y: this.base - d };
  }

  heading() {
    return 0;
  }

  /** Whether some of a stretch is in the box. @param {number} from @param {number} to */
  sees(from, to) {
    return this.whole || (to > this.left - 1 && from < this.left + this.seen + 1);
  }

  /** @param {Pen} pen @param {number} from @param {number} to @param {number} d @param {Style} style */
  span(pen, from, to, d, style) {
    const [a, b] = this.whole ? [from, to] : [Math.max(from, this.left - 1), Math.min(to, this.left + this.seen + 1)];
    if (a < b) pen.polygon([this.at(a, d), this.at(b, d)], style, true);
  }

  /** @param {Point} point */
  locate({ x, y }) {
    return { u: wrap((x - this.box.x) / this.space + this.left, this.n), d: this.base - y };
  }
}

/**
 * What lies at a point: an agent, an edge to its right neighbour, or nothing.
 * @param {Geometry} geometry
 * @param {Point} point
 * @returns {{ agent: number | null, edge: number | null }}
 */
export function hit(geometry, point) {
  const { u, d } = geometry.locate(point);
  const agent = wrap(Math.round(u), geometry.n);
  const along = Math.abs(u - Math.round(u)) * geometry.space;
  const reach = 1.6 * geometry.unit + 6;
  if (Math.abs(d) > reach) return { agent: null, edge: null };
  const edges = geometry.space >= 16;
  if (!edges || along <= geometry.disc + 1) return { agent, edge: null };
  return Math.abs(d) < geometry.disc + 4 ? { agent: null, edge: Math.floor(u) } : { agent: null, edge: null };
}
