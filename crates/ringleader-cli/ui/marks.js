// The marks, in the order in which they are drawn: each belongs to variables with the paper's names, and a protocol
// gets the marks of the variables that it has. A mark draws itself on any geometry, in as much detail as the space
// allows, and says what the legend tells of it.

import { count, many, rounded } from "./dom.js";
import { show } from "./domain.js";
import { arrowhead, body, bullet, chevron, crown, shield, tag } from "./glyphs.js";
import { wrap } from "./geometry.js";
import { colourOf, colourOfIndex, mix, onTop } from "./palette.js";

/** @typedef {import("./types").Scene} Scene */
/** @typedef {import("./types").Run} Run */
/** @typedef {import("./types").Mark} Mark */
/** @typedef {import("./types").Geometry} Geometry */
/** @typedef {import("./types").Palette} Palette */
/** @typedef {import("./types").Variable} Variable */
/** @typedef {import("./types").Value} Value */

// --- What is where -----------------------------------------------------------------------------------------------

/** Distances outwards of everything around an agent. Small rings are not crowded: what lies inside has its least size. @param {Geometry} geometry */
function tracks({ disc, unit, inner }) {
  const band = Math.min(Math.max(0.2 * unit, 4), 10);
  const segment = disc + 0.82 * unit + 5;
  const war = -(disc + inner + Math.max(0.32 * unit, 4));
  const row = Math.max(0.58 * unit, 7);
  return {
    crown: disc + Math.max(0.36 * unit, 5),
    signal: disc + 0.12 * unit,
    segment,
    band,
    last: segment - band / 2 - 3,
    id: segment + band / 2 + 8,
    index: segment + band / 2 + 22,
    color: -(disc + 0.34 * unit),
    war,
    black: war - row,
    white: war - 2 * row,
    end: war - 2.6 * row - 4,
  };
}

/** Where a text lies whose inner side is to be `d` away from the agents: on the sides of a ring it needs its width. @param {import("./types").Pen} pen @param {Geometry} geometry @param {number} u @param {number} d @param {string} text @param {number} size */
function aside(pen, geometry, u, d, text, size) {
  const { x, y } = geometry.at(u, d);
  const width = pen.measure(text, size);
  const side = Math.cos(geometry.heading(u) - Math.PI / 2);
  return { x: x + side * Math.max(0, width / 2 - 4), y, width };
}

/** @param {Run} run @param {string} name */
export const variableOf = (run, name) => run.variables.find((variable) => variable.name === name);

/** @param {...string} names */
const having = (...names) => (/** @type {Run} */ run) => names.every((name) => variableOf(run, name));

/**
 * Calls `draw` for every agent that is seen with its number, position and value.
 * @param {Scene} scene
 * @param {string} name
 * @param {(value: Value, u: number, agent: number) => void} draw
 */
function each({ geometry, frame }, name, draw) {
  const values = frame.columns[name];
  if (!values) return;
  for (const u of geometry.positions) {
    const agent = wrap(u, geometry.n);
    draw(values[agent], u, agent);
  }
}

/** The variable that fills the agents. @param {Run} run @param {string} wish */
export function fillVariable(run, wish) {
  const plain = run.variables.find(({ name }) => !["leader", "bullet", "shield", "signalB"].includes(name));
  const wanted = [wish, "clock", "color", "dist", "b", "x", "label"].map((name) => variableOf(run, name));
  return wanted.find((variable) => variable) ?? plain ?? run.variables[0];
}

/** The variable whose value is written into the agents. @param {Run} run @param {string} wish */
const writtenVariable = (run, wish) => (wish === "auto" && variableOf(run, "b")) || fillVariable(run, wish);

/** @param {Scene} scene @param {number} agent */
const detects = ({ layers, frame }, agent) => layers.has("mode") && frame.columns.mode?.[agent] === "Detect";

// --- The ring itself -----------------------------------------------------------------------------------------------

/** @param {Scene} scene */
function drawEdges({ pen, geometry, palette }) {
  geometry.span(pen, geometry.positions[0] - 0.5, geometry.positions[0] - 0.5 + geometry.n, 0, { stroke: palette.line, width: 1.2 });
}

/** @param {Scene} scene */
function drawInteraction({ pen, geometry, palette, frame, edge }) {
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
 * @param {import("./types").Pen} pen
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
function drawAgents(scene) {
  const { pen, geometry, palette, run, colour } = scene;
  const variable = fillVariable(run, colour);
  const width = geometry.disc < 4 ? 0.6 : 1.2;
  each(scene, variable.name, (value, u, agent) => {
    const style = { fill: colourOf(palette, variable, value), stroke: palette.ink, width };
    body(pen, geometry.at(u, 0), geometry.disc, detects(scene, agent), style);
  });
}

/** @param {Scene} scene */
function drawWritten(scene) {
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
function agentsLegend({ run, colour, palette }) {
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
  const { size, kind, low = 0, names = [] } = variable;
  if (kind === "names") return names.map((text, index) => ({ index, text }));
  if (kind === "token") return [{ index: 0, text: "⊥" }, { index: 1, text: "moves left" }, { index: size - 1, text: "moves right" }];
  if (kind !== "range") return [{ index: 0, text: "⊥" }, { index: size - 1, text: "others, by number" }];
  const some = size <= 4 ? [...Array(size).keys()] : [0, Math.floor(size / 2), size - 1];
  return some.map((index) => ({ index, text: `= ${count(index + low)}${variable.name === "clock" && index === size - 1 ? ", detects" : ""}` }));
}

// --- Segments ----------------------------------------------------------------------------------------------------

/** @param {Scene} scene */
function drawSegments({ pen, geometry, palette, frame }) {
  const { segment, band } = tracks(geometry);
  for (const part of frame.segments) {
    for (const shift of geometry.shifts) {
      const from = part.start + shift - 0.5;
      const to = from + part.length;
      if (!geometry.sees(from, to)) continue;
      const gap = Math.min(1.2 / geometry.space, 0.2);
      geometry.span(pen, from + gap, to - gap, segment, { stroke: palette.dark ? palette.line : palette.ink, width: band });
      const inner = part.dark ? palette.black : palette.white;
      geometry.span(pen, from + 1.6 * gap, to - 1.6 * gap, segment, { stroke: inner, width: band - 2 });
      drawBorder(pen, geometry, palette, from, segment - band / 2);
      drawId(pen, geometry, palette, part, shift);
    }
  }
}

/** @param {import("./types").Pen} pen @param {Geometry} geometry @param {Palette} palette @param {number} u @param {number} to */
function drawBorder(pen, geometry, palette, u, to) {
  if (u < geometry.positions[0] - 1 || u > geometry.positions[geometry.positions.length - 1] + 1) return;
  const from = Math.min(geometry.disc * 0.8, 8);
  pen.polygon([geometry.at(u, -from), geometry.at(u, to)], { stroke: palette.line, width: 1, dash: [2, 2] }, true);
}

/**
 * @param {import("./types").Pen} pen
 * @param {Geometry} geometry
 * @param {Palette} palette
 * @param {import("./types").Segment} part
 * @param {number} shift
 */
function drawId(pen, geometry, palette, part, shift) {
  const size = idSize(geometry);
  if (pen.measure(part.label, size) + 4 > part.length * geometry.space) return;
  const { x, y } = idPlace(pen, geometry, part, shift);
  pen.text(x, y, part.label, { size, fill: palette.ink, weight: 600 });
}

/** @param {Geometry} geometry */
const idSize = (geometry) => Math.min(Math.max(0.36 * geometry.unit, 10), 14);

/** @param {import("./types").Pen} pen @param {Geometry} geometry @param {import("./types").Segment} segment @param {number} shift */
const idPlace = (pen, geometry, { start, length, label }, shift) =>
  aside(pen, geometry, start + shift + (length - 1) / 2, tracks(geometry).id, label, idSize(geometry));

/** @param {Scene} scene */
function drawLast(scene) {
  const { pen, geometry, palette } = scene;
  const { last } = tracks(geometry);
  each(scene, "last", (value, u) => {
    if (value === 1) geometry.span(pen, u - 0.5, u + 0.5, last, { stroke: palette.live, width: 1.6, dash: [2, 1.5] });
  });
}

/** @param {Scene} scene */
function drawDist(scene) {
  const { pen, geometry, palette, run } = scene;
  if (geometry.space < 34) return;
  const size = Math.min(0.24 * geometry.unit, 12);
  const shoulder = (0.36 * geometry.unit) / geometry.space;
  each(scene, variableOf(run, "dist")?.name ?? "", (value, u) => {
    const { x, y } = geometry.at(u + shoulder, geometry.disc + 0.22 * geometry.unit);
    pen.text(x, y, show(value), { size, fill: palette.muted });
  });
}

// --- Leaders, bullets, shields, signals -------------------------------------------------------------------------

/** @param {Scene} scene */
function drawLeaders({ pen, geometry, palette, frame }) {
  const size = Math.min(Math.max(0.3 * geometry.unit, 4.5), 15);
  const { crown: d } = tracks(geometry);
  const leaders = new Set(frame.leaders);
  for (const u of geometry.positions) {
    if (!leaders.has(wrap(u, geometry.n))) continue;
    const { x, y } = geometry.at(u, 0);
    // A rim in the colour of leaders would read as a colour of the two-hop colouring.
    if (!frame.columns.color) pen.circle(x, y, geometry.disc + 1, { stroke: palette.leader, width: Math.max(1.5, 0.07 * geometry.unit) });
    const at = geometry.at(u, d);
    crown(pen, at.x, at.y, size, palette);
  }
}

/** @param {Scene} scene */
function drawShields(scene) {
  const { pen, geometry, palette, frame } = scene;
  const radius = geometry.disc + Math.max(2, 0.09 * geometry.unit);
  each(scene, "shield", (value, u, agent) => {
    if (value !== 1) return;
    const idle = "leader" in frame.columns && frame.columns.leader[agent] !== 1;
    const stroke = idle ? mix(palette.shield, palette.paper, 0.6) : palette.shield;
    shield(pen, geometry.at(u, 0), geometry.heading(u), radius, stroke, Math.max(1, (idle ? 0.03 : 0.08) * geometry.unit));
  });
}

/** @param {Scene} scene */
function drawBullets(scene) {
  const { pen, geometry, palette, run } = scene;
  const most = variableOf(run, "bullet")?.high ?? 2;
  const size = Math.max(2, 0.13 * geometry.unit);
  const ahead = (0.16 * geometry.unit) / geometry.space;
  each(scene, "bullet", (value, u) => {
    if (Number(value) > 0) bullet(pen, geometry.at(u + ahead, tracks(geometry).war), size, value === most, palette);
  });
}

/** @param {Scene} scene */
function drawSignalB(scene) {
  const { pen, geometry, palette } = scene;
  const behind = (0.2 * geometry.unit) / geometry.space;
  const size = Math.max(2, 0.16 * geometry.unit);
  each(scene, "signalB", (value, u) => {
    if (value !== 1) return;
    const at = geometry.at(u - behind, tracks(geometry).war);
    chevron(pen, at, geometry.heading(u) + Math.PI, size, palette.muted, Math.max(1, 0.045 * geometry.unit));
  });
}

/** The longer the bar, the more TTL is left. @param {Scene} scene */
function drawSignalR(scene) {
  const { pen, geometry, palette, run } = scene;
  const most = variableOf(run, "signalR")?.high ?? 1;
  const { signal } = tracks(geometry);
  each(scene, "signalR", (value, u, agent) => {
    if (Number(value) === 0) return;
    const length = Math.max(2, geometry.unit * (0.12 + (0.4 * Number(value)) / most));
    const side = scene.frame.columns.leader?.[agent] === 1 ? (-0.4 * geometry.unit) / geometry.space : 0;
    drawRays(pen, geometry, u + side, signal, length, palette.signal);
  });
}

/** @param {import("./types").Pen} pen @param {Geometry} geometry @param {number} u @param {number} d @param {number} length @param {string} stroke */
function drawRays(pen, geometry, u, d, length, stroke) {
  const width = Math.max(1.2, 0.06 * geometry.unit);
  const spread = geometry.space < 14 ? [0] : [-0.13, 0, 0.13].map((part) => (part * geometry.unit) / geometry.space);
  for (const part of spread) {
    const reach = part === 0 ? length : 0.65 * length;
    pen.polygon([geometry.at(u + 0.8 * part, d), geometry.at(u + 1.6 * part, d + reach)], { stroke, width, round: true }, true);
  }
}

// --- Tokens ------------------------------------------------------------------------------------------------------

/** @param {"tokenB" | "tokenW"} name @returns {Mark["draw"]} */
const drawTokens = (name) => (scene) => {
  const { pen, geometry, palette } = scene;
  const black = name === "tokenB";
  const d = black ? tracks(geometry).black : tracks(geometry).white;
  const size = Math.min(Math.max(0.29 * geometry.unit, 2.8), 13);
  each(scene, name, (value, u, agent) => {
    if (!Array.isArray(value)) return;
    const [position, bit, carry] = value.map(Number);
    const angle = geometry.heading(u) + (position > 0 ? 0 : Math.PI);
    if (agent === scene.selected || agent === scene.hovered) drawWay(scene, u, position, d);
    tag(pen, geometry.at(u, d), angle, size, { black, bit, carry }, palette);
  });
};

/** The way of a token to its target. @param {Scene} scene @param {number} u @param {number} position @param {number} d */
function drawWay({ pen, geometry, palette }, u, position, d) {
  const [from, to] = position > 0 ? [u, u + position] : [u + position, u];
  geometry.span(pen, from, to, d, { stroke: palette.select, width: 1.5, dash: [3, 3] });
  pen.polygon([geometry.at(u + position, d), geometry.at(u + position, -geometry.disc)], { stroke: palette.select, width: 1.5, dash: [3, 3] }, true);
  const { x, y } = geometry.at(u + position, d);
  pen.circle(x, y, 2.5, { fill: palette.select });
}

// --- Undirected rings --------------------------------------------------------------------------------------------

/** @param {Scene} scene */
function drawColours(scene) {
  const { pen, geometry, palette, run, colour } = scene;
  const variable = variableOf(run, "color");
  if (!variable || fillVariable(run, colour) === variable) return;
  const width = Math.max(1.5, 0.075 * geometry.unit);
  each(scene, "color", (value, u) => {
    const { x, y } = geometry.at(u, 0);
    pen.circle(x, y, geometry.disc + width / 2 + 0.5, { stroke: colourOf(palette, variable, value), width });
    if (geometry.space < 30) return;
    const at = geometry.at(u, tracks(geometry).color);
    pen.text(at.x, at.y, show(value), { size: Math.min(0.24 * geometry.unit, 12), fill: palette.muted });
  });
}

/**
 * Which neighbours an agent points at, as +1 and -1: those whose colour `name` holds.
 * @param {Scene["frame"]} frame
 * @param {string} name
 * @param {number} n
 * @param {number} agent
 */
function pointsAt({ columns }, name, n, agent) {
  return [1, -1].filter((side) => columns.color[wrap(agent + side, n)] === columns[name][agent]);
}

/** @param {string} name @returns {Mark["draw"]} */
const drawDirections = (name) => (scene) => {
  const { pen, geometry, palette, frame } = scene;
  const reach = (0.415 * geometry.unit) / geometry.space;
  const size = Math.max(2, 0.11 * geometry.unit);
  each(scene, name, (_, u, agent) => {
    const strong = frame.columns.strong?.[agent] === 1;
    for (const side of pointsAt(frame, name, geometry.n, agent)) {
      const angle = geometry.heading(u) + (side > 0 ? 0 : Math.PI);
      const at = geometry.at(u + side * reach, 0);
      if (strong) arrowhead(pen, at, angle, 1.35 * size, palette.strong);
      else chevron(pen, at, angle, size, palette.ink, Math.max(1, 0.04 * geometry.unit));
    }
  });
};

/** Where two agents point at each other, two heads meet. @param {Scene} scene */
function drawHeads({ pen, geometry, palette, frame }) {
  const { n, unit } = geometry;
  for (const u of geometry.positions) {
    const [left, right] = [wrap(u, n), wrap(u + 1, n)];
    const meet = pointsAt(frame, "dir", n, left).includes(1) && pointsAt(frame, "dir", n, right).includes(-1);
    if (!meet) continue;
    const half = Math.max(4, 0.34 * unit);
    pen.polygon([geometry.at(u + 0.5, -half), geometry.at(u + 0.5, half)], { stroke: palette.live, width: Math.max(1.5, 0.05 * unit), round: true }, true);
  }
}

// --- Text around the ring ----------------------------------------------------------------------------------------

/** The numbers of the agents, as many as there is room for; IDs of segments go first. @param {Scene} scene */
function drawIndices(scene) {
  const { pen, geometry, palette, run, frame, layers } = scene;
  if (layers.has("values") && hasRoomForValues(geometry)) return;
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

/** @param {Geometry} geometry */
const hasRoomForValues = (geometry) => geometry.space >= 84;

/** Numbers that no other mark writes, where there is room. @param {Scene} scene */
function drawValues(scene) {
  const { pen, geometry, palette, run, frame } = scene;
  if (!hasRoomForValues(geometry)) return;
  const written = run.variables.filter(({ size, kind, name }) => size > 2 && kind !== "token" && kind !== "parts" && name !== "bullet");
  for (const u of geometry.positions) {
    const agent = wrap(u, geometry.n);
    const lines = [`agent ${agent}`, ...written.map(({ name }) => `${name} ${show(frame.columns[name][agent])}`)];
    writeBlock(pen, geometry, u, lines, palette);
  }
}

const LINE = 12.5;

/** @param {import("./types").Pen} pen @param {Geometry} geometry @param {number} u @param {string[]} lines @param {Palette} palette */
function writeBlock(pen, geometry, u, lines, palette) {
  const outward = geometry.heading(u) - Math.PI / 2;
  const { x, y } = geometry.at(u, tracks(geometry).index);
  const side = Math.cos(outward);
  const align = side > 0.3 ? "start" : side < -0.3 ? "end" : "middle";
  const top = y + Math.sin(outward) * ((lines.length - 1) / 2) * LINE - ((lines.length - 1) / 2) * LINE;
  lines.forEach((line, k) => pen.text(x, top + k * LINE, line, { size: 10.5, fill: k === 0 ? palette.ink : palette.muted, weight: k === 0 ? 600 : 400, align }));
}

/** @param {Scene} scene */
function drawCentre({ pen, geometry, palette, run, frame }) {
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
function drawSelection({ pen, geometry, palette, selected, hovered }) {
  for (const u of geometry.positions) {
    const agent = wrap(u, geometry.n);
    if (agent !== selected && agent !== hovered) continue;
    const { x, y } = geometry.at(u, 0);
    const radius = geometry.disc + Math.max(4, 0.16 * geometry.unit);
    const dash = agent === selected ? undefined : [3, 2];
    pen.circle(x, y, radius, { stroke: palette.select, width: 2.2, dash });
  }
}

// --- The table ---------------------------------------------------------------------------------------------------

/** @param {string} text @param {import("./types").LegendItem["draw"]} draw @returns {NonNullable<Mark["legend"]>} */
const entry = (text, draw) => () => [{ text, draw }];

/** @param {boolean} black @returns {NonNullable<Mark["legend"]>} */
const tokenEntry = (black) => entry(
  `${black ? "black" : "white"} token, moving right, with its bit; a dot behind it: carry 1`,
  (pen, x, y, palette) => tag(pen, { x: x + 2, y }, 0, 8, { black, bit: 1, carry: 1 }, palette),
);

/** @type {NonNullable<Mark["legend"]>} */
const segmentsLegend = ({ run }) => {
  const oriented = !variableOf(run, "b");
  const texts = oriented ? ["agents that point right", "agents that point left"] : ["black segment, with its ID", "white segment, with its ID"];
  return texts.map((text, k) => ({
    text,
    draw: (pen, x, y, palette) => {
      const rim = palette.dark ? palette.line : palette.ink;
      pen.rect(x - 10, y - 3.5, 20, 7, { fill: k === 0 ? palette.black : palette.white, stroke: rim });
    },
  }));
};

/** @type {Mark[]} */
export const MARKS = [
  { name: "edges", label: "ring", applies: () => true, draw: drawEdges },
  {
    name: "interaction", label: "last interaction", applies: () => true, draw: drawInteraction,
    legend: entry("last interaction, initiator to responder", (pen, x, y, palette) => {
      pen.polygon([{ x: x - 7, y }, { x: x + 7, y }], { stroke: palette.highlight, width: 10, round: true }, true);
      arrowhead(pen, { x, y }, 0, 5, palette.ink);
    }),
  },
  {
    name: "segments", label: "segments and IDs", draw: drawSegments, legend: segmentsLegend,
    applies: (run) => having("b", "dist")(run) || having("dir")(run),
  },
  {
    name: "last", label: "last segment", applies: having("last"), draw: drawLast,
    legend: entry("last = 1: believes to be in the last segment", (pen, x, y, palette) =>
      pen.polygon([{ x: x - 10, y }, { x: x + 10, y }], { stroke: palette.live, width: 1.6, dash: [2, 1.5] }, true)),
  },
  { name: "agents", label: "agents", applies: () => true, draw: drawAgents, legend: agentsLegend },
  {
    name: "mode", label: "detection mode", applies: having("mode"), draw: () => {},
    legend: entry("square: mode Detect; disc: Construct", (pen, x, y, palette) =>
      body(pen, { x, y }, 7, true, { fill: palette.detect, stroke: palette.ink })),
  },
  {
    name: "written", label: "bit or value", applies: () => true, draw: drawWritten,
    legend: ({ run, colour }) => [{
      text: `written inside: ${writtenVariable(run, colour).name}`,
      draw: (pen, x, y, palette) => {
        pen.circle(x, y, 7, { fill: palette.low, stroke: palette.ink });
        pen.text(x, y + 0.5, "1", { size: 9, fill: palette.ink, weight: 600 });
      },
    }],
  },
  {
    name: "color", label: "colours", applies: having("color"), draw: drawColours,
    legend: ({ run, colour }) => fillVariable(run, colour).name === "color" ? [] : [{
      text: "rim: color, with its number inside the ring",
      draw: (pen, x, y, palette) => pen.circle(x, y, 6, { stroke: palette.categories[3], width: 3 }),
    }],
  },
  {
    name: "dir", label: "directions", applies: having("color", "dir"), draw: drawDirections("dir"),
    legend: () => [
      { text: "points at this neighbour", draw: (pen, x, y, palette) => chevron(pen, { x, y }, 0, 6, palette.ink, 1.6) },
      { text: "the same, strong", draw: (pen, x, y, palette) => arrowhead(pen, { x, y }, 0, 7, palette.strong) },
    ],
  },
  {
    name: "suc", label: "successors", applies: having("color", "suc"), draw: drawDirections("suc"),
    legend: entry("suc: the successor is this neighbour", (pen, x, y, palette) => chevron(pen, { x, y }, 0, 6, palette.ink, 1.6)),
  },
  {
    name: "heads", label: "heads that meet", applies: having("color", "dir"), draw: drawHeads,
    legend: entry("two heads meet: the segments point at each other", (pen, x, y, palette) =>
      pen.polygon([{ x, y: y - 8 }, { x, y: y + 8 }], { stroke: palette.live, width: 2, round: true }, true)),
  },
  {
    name: "shield", label: "shields", applies: having("shield"), draw: drawShields,
    legend: entry("shield (pale: at a follower, without effect)", (pen, x, y, palette) => shield(pen, { x: x + 3, y }, 0, 8, palette.shield, 2.5)),
  },
  {
    name: "signalR", label: "resetting signals", applies: having("signalR"), draw: drawSignalR,
    legend: entry("resetting signal; longer with more TTL", (pen, x, y, palette) => {
      for (const part of [-4, 0, 4]) pen.polygon([{ x: x + 0.6 * part, y: y + 6 }, { x: x + 1.3 * part, y: part === 0 ? y - 7 : y - 3 }], { stroke: palette.signal, width: 2, round: true }, true);
    }),
  },
  {
    name: "leader", label: "leaders", applies: having("leader"), draw: drawLeaders,
    legend: entry("leader", (pen, x, y, palette) => crown(pen, x, y, 9, palette)),
  },
  {
    name: "bullet", label: "bullets", applies: having("bullet"), draw: drawBullets,
    legend: ({ run }) => [
      { text: "live bullet", draw: (pen, x, y, palette) => bullet(pen, { x, y }, 5, true, palette) },
      ...(variableOf(run, "bullet")?.high === 1 ? [] : [
        { text: "dummy bullet", draw: /** @type {import("./types").LegendItem["draw"]} */ ((pen, x, y, palette) => bullet(pen, { x, y }, 5, false, palette)) },
      ]),
    ],
  },
  {
    name: "signalB", label: "bullet-absence signals", applies: having("signalB"), draw: drawSignalB,
    legend: entry("bullet-absence signal, moving left", (pen, x, y, palette) => chevron(pen, { x, y }, Math.PI, 6, palette.muted, 1.8)),
  },
  { name: "tokenB", label: "black tokens", applies: having("tokenB"), draw: drawTokens("tokenB"), legend: tokenEntry(true) },
  { name: "tokenW", label: "white tokens", applies: having("tokenW"), draw: drawTokens("tokenW"), legend: tokenEntry(false) },
  { name: "dist", label: "dist, where there is room", applies: having("dist"), draw: drawDist },
  { name: "indices", label: "numbers of the agents", applies: () => true, draw: drawIndices },
  { name: "values", label: "all values, where there is room", applies: () => true, draw: drawValues },
  { name: "centre", label: "step in the middle", applies: () => true, draw: drawCentre },
  { name: "selection", label: "selected agent", applies: () => true, draw: drawSelection },
];

/** The marks that a protocol has. @param {Run} run */
export const marksOf = (run) => MARKS.filter((mark) => mark.applies(run));

/** @param {Run} run @param {Record<string, boolean>} wishes */
export const activeLayers = (run, wishes) => new Set(marksOf(run).map(({ name }) => name).filter((name) => wishes[name] ?? true));

/** @param {Scene} scene */
export function drawMarks(scene) {
  for (const mark of marksOf(scene.run)) if (scene.layers.has(mark.name)) mark.draw(scene);
}

/** @param {Pick<Scene, "run" | "colour" | "palette" | "layers">} scene */
export function legendOf(scene) {
  const shown = marksOf(scene.run).filter((mark) => scene.layers.has(mark.name));
  return shown.flatMap((mark) => mark.legend?.(scene) ?? []);
}
