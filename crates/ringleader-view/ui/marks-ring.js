// Marks that every protocol has: the ring, its agents, the last interaction, and the texts around and inside.

import { count, many, rounded } from "./dom.js";
import { nth, show } from "./domain.js";
import { wrap } from "./geometry.js";
import { arrowhead, body } from "./glyphs.js";
import { colourOf, colourOfIndex, onTop } from "./palette.js";
import { aside, each, fillVariable, tracks, writtenVariable } from "./tracks.js";
import { idPlace } from "./marks-ppl.js";

/** @typedef {import("./types").Scene} Scene */
/** @typedef {import("./types").Run} Run */
/** @typedef {import("./types").Mark} Mark */
/** @typedef {import("./types").Geometry} Geometry */
/** @typedef {import("./types").Palette} Palette */
/** @typedef {import("./types").Variable} Variable */
/** @typedef {import("./types").Pen} Pen */

/** @param {Scene} scene @param {number} agent */
const detects = ({ layers, frame }, agent) => layers.has("mode") && frame.columns.mode?.[agent] === "Detect";

/** @param {Scene} scene */
export function drawEdges({ pen, geometry, palette }) {
  geometry.span(pen, geometry.positions[0] - 0.5, geometry.positions[0] - 0.5 + geometry.n, 0, { stroke: palette.line, width: 1.2 });
}

/** @param {Scene} scene */
export function drawInteraction({ pen, geometry, palette, frame, edge }) {
  if (edge) drawLink(pen, geometry, edge, { stroke: palette.select, width: 3, dash: [4, 3] }, palette.select);
  if (!frame.last) return;
  const { initiator, responder } = frame.last;
  for (const u of geometry.positions) {
    const agent = wrap(u, geometry.n);
    if (agent !== initiator && agent !== responder) continue;
    const { x, y } = geometry.at(u, 0);
    pen.circle(x, y, geometry.disc + Math.max(3, 0.14 * geometry.unit), { fill: palette.highlight });
  }
  const width = Math.max(4, geometry.disc);
  drawLink(pen, geometry, [initiator, responder], { stroke: palette.highlight, width }, palette.ink);
}

/**
 * A stroke between two neighbours, with an arrowhead towards the second.
 * @param {Pen} pen
 * @param {Geometry} geometry
 * @param {[number, number]} pair
 * @param {import("./types").Style} style
 * @param {string} ink
 */
function drawLink(pen, geometry, [from, to], style, ink) {
  const forward = wrap(to - from, geometry.n) === 1;
  const left = forward ? from : to;
  for (const shift of geometry.shifts) {
    const u = left + shift;
    geometry.span(pen, u, u + 1, 0, style);
    if (geometry.space < 9) continue;
    const gap = geometry.space / 2 - geometry.disc;
    arrowhead(pen, geometry.at(u + 0.5, 0), geometry.heading(u + 0.5) + (forward ? 0 : Math.PI), Math.min(0.8 * gap, 11), ink);
  }
}

/** @param {Scene} scene */
export function drawAgents(scene) {
  const { pen, geometry, palette, run, colour } = scene;
  const variable = fillVariable(run, colour);
  const width = geometry.disc < 4 ? 0.6 : 1.2;
  each(scene, variable.name, (value, u, agent) => {
    const style = { fill: colourOf(palette, variable, value), stroke: palette.ink, width };
    body(pen, geometry.at(u, 0), geometry.disc, detects(scene, agent), style);
  });
}

/** @param {Scene} scene */
export function drawWritten(scene) {
  const { pen, geometry, palette, run, colour } = scene;
  const size = Math.min(geometry.disc * 1.15, 20);
  if (size < 7.5) return;
  const [fill, variable] = [fillVariable(run, colour), writtenVariable(run, colour)];
  each(scene, variable.name, (value, u, agent) => {
    const text = show(value);
    const { x, y } = geometry.at(u, 0);
    const under = colourOf(palette, fill, scene.frame.columns[fill.name][agent]);
    const fits = Math.min(size, (1.75 * geometry.disc) / (0.58 * text.length));
    if (fits >= 6) pen.text(x, y + 0.5, text, { size: fits, fill: onTop(under), weight: 600 });
  });
}

/** @type {NonNullable<Mark["legend"]>} */
export function agentsLegend({ run, colour, palette }) {
  const variable = fillVariable(run, colour);
  const samples = sampleIndices(variable);
  return samples.map(({ index, text }) => ({
    text: `${variable.name} ${text}`,
    draw: (pen, x, y) => {
      const square = variable.name === "clock" && index === variable.size - 1;
      body(pen, { x, y }, 7, square, { fill: colourOfIndex(palette, variable, index), stroke: palette.ink });
    },
  }));
}

/** A few values that show the scale of a variable. @param {Variable} variable @returns {{ index: number, text: string }[]} */
function sampleIndices(variable) {
  const { size, kind, names = [] } = variable;
  if (kind === "names") return names.map((text, index) => ({ index, text }));
  if (kind === "token")
    return [
      { index: 0, text: "⊥" },
      { index: 1, text: "moves left" },
      { index: size - 1, text: "moves right" },
    ];
  if (kind !== "range" && kind !== "ranges")
    return [
      { index: 0, text: "⊥" },
      { index: size - 1, text: "others, by number" },
    ];
  const some = size <= 4 ? [...Array(size).keys()] : [0, Math.floor(size / 2), size - 1];
  return some.map((index) => ({
    index,
    text: `= ${count(Number(nth(variable, index)))}${variable.name === "clock" && index === size - 1 ? ", detects" : ""}`,
  }));
}

// --- Text around the ring ----------------------------------------------------------------------------------------

/** The numbers of the agents, as many as there is room for; IDs of segments go first. @param {Scene} scene */
export function drawIndices(scene) {
  const { pen, geometry, palette, run, frame, layers } = scene;
  if (geometry.roomy) return;
  const apart = [1, 2, 4, 8, 10, 16, 20, 50, 100, 200, 500, 1000].find((k) => k * geometry.space >= 40) ?? 2000;
  const { index, id } = tracks(geometry);
  const segmented = run.variables.some(({ name }) => name === "b" || name === "dir");
  const seen = frame.segments.filter(({ start, length }) => geometry.sees(start, start + length));
  const ids = layers.has("segments") ? seen.map((part) => idPlace(pen, geometry, part, 0)) : [];
  for (const u of geometry.positions) {
    const agent = wrap(u, geometry.n);
    if (agent % apart !== 0) continue;
    const at = aside(pen, geometry, u, segmented ? index : id, String(agent), 9.5);
    const hidden = ids.some(({ x, y, width }) => Math.abs(x - at.x) < (width + at.width) / 2 + 3 && Math.abs(y - at.y) < 12);
    if (!hidden) pen.text(at.x, at.y, String(agent), { size: 9.5, fill: palette.muted });
  }
}

/** Numbers that no other mark writes, where there is room. @param {Scene} scene */
export function drawValues(scene) {
  const { pen, geometry, palette, run, frame } = scene;
  if (!geometry.roomy) return;
  const written = run.variables.filter(({ size, kind, name }) => size > 2 && kind !== "token" && kind !== "parts" && name !== "bullet");
  for (const u of geometry.positions) {
    const agent = wrap(u, geometry.n);
    const values = written.map(({ name }) => `${name} ${show(frame.columns[name][agent])}`);
    const lines = [`agent ${agent}`, ...(values.length > 5 ? inPairs(values) : values)];
    writeBlock(pen, geometry, u, lines, palette);
  }
}

/** @param {string[]} values */
const inPairs = (values) => values.flatMap((_, k) => (k % 2 === 0 ? [values.slice(k, k + 2).join(", ")] : []));

const LINE = 12.5;

/** @param {Pen} pen @param {Geometry} geometry @param {number} u @param {string[]} lines @param {Palette} palette */
function writeBlock(pen, geometry, u, lines, palette) {
  const outward = geometry.heading(u) - Math.PI / 2;
  const { x, y } = geometry.at(u, tracks(geometry).index + 3);
  const side = Math.cos(outward);
  const align = side > 0.3 ? "start" : side < -0.3 ? "end" : "middle";
  const top = y + Math.sin(outward) * ((lines.length - 1) / 2) * LINE - ((lines.length - 1) / 2) * LINE;
  lines.forEach((line, k) =>
    pen.text(x, top + k * LINE, line, { size: 10.5, fill: k === 0 ? palette.ink : palette.muted, weight: k === 0 ? 600 : 400, align }),
  );
}

/** @param {Scene} scene */
export function drawCentre({ pen, geometry, palette, run, frame }) {
  if (!("centre" in geometry) || !("radius" in geometry)) return;
  const { x, y } = /** @type {import("./types").Point} */ (geometry.centre);
  const hole = /** @type {number} */ (geometry.radius) + tracks(geometry).end;
  if (hole < 62) return;
  const size = Math.min(hole / 5, 30);
  pen.text(x, y - size * 0.9, `step ${count(frame.step)}`, { size, fill: palette.ink, weight: 600 });
  const small = Math.max(10.5, size * 0.52);
  pen.text(x, y + size * 0.05, `parallel time ${rounded(frame.step / run.n)}`, { size: small, fill: palette.muted });
  const [text, fill] = verdict(run, frame, palette);
  pen.text(x, y + size * 0.05 + small * 1.7, text, { size: small * 1.1, fill, weight: 600 });
}

/** @param {Run} run @param {Scene["frame"]} frame @param {Palette} palette */
function verdict(run, frame, palette) {
  const leaders = run.elects ? many(frame.leaders.length, "leader") : "";
  if (!frame.safe) return [leaders.replace(/^0/, "no"), palette.ink];
  return [`✓ ${leaders ? `${leaders}, ` : ""}safe for ever`, palette.good];
}

/** @param {Scene} scene */
export function drawSelection({ pen, geometry, palette, selected, hovered }) {
  for (const u of geometry.positions) {
    const agent = wrap(u, geometry.n);
    if (agent !== selected && agent !== hovered) continue;
    const { x, y } = geometry.at(u, 0);
    const radius = geometry.disc + Math.max(4, 0.16 * geometry.unit);
    const dash = agent === selected ? undefined : [3, 2];
    pen.circle(x, y, radius, { stroke: palette.select, width: 2.2, dash });
  }
}
