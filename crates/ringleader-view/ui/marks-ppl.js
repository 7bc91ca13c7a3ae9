// Marks of the variables of P_PL, which other protocols borrow: segments, leaders and their war, signals, tokens.

import { show } from "./domain.js";
import { wrap } from "./geometry.js";
import { bullet, chevron, crown, shield, tag } from "./glyphs.js";
import { mix } from "./palette.js";
import { aside, course, each, rightOf, tracks, variableOf } from "./tracks.js";

/** @typedef {import("./types").Scene} Scene */
/** @typedef {import("./types").Mark} Mark */
/** @typedef {import("./types").Geometry} Geometry */
/** @typedef {import("./types").Palette} Palette */
/** @typedef {import("./types").Pen} Pen */

// --- Segments ----------------------------------------------------------------------------------------------------

/** @param {Scene} scene */
export function drawSegments({ pen, geometry, palette, frame }) {
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

/** @param {Pen} pen @param {Geometry} geometry @param {Palette} palette @param {number} u @param {number} to */
function drawBorder(pen, geometry, palette, u, to) {
  if (u < geometry.positions[0] - 1 || u > geometry.positions[geometry.positions.length - 1] + 1) return;
  const from = Math.min(geometry.disc * 0.8, 8);
  pen.polygon([geometry.at(u, -from), geometry.at(u, to)], { stroke: palette.line, width: 1, dash: [2, 2] }, true);
}

/**
 * @param {Pen} pen
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

/** @param {Pen} pen @param {Geometry} geometry @param {import("./types").Segment} segment @param {number} shift */
export const idPlace = (pen, geometry, { start, length, label }, shift) =>
  aside(pen, geometry, start + shift + (length - 1) / 2, tracks(geometry).id, label, idSize(geometry));

/** @param {Scene} scene */
export function drawLast(scene) {
  const { pen, geometry, palette } = scene;
  const { last } = tracks(geometry);
  each(scene, "last", (value, u) => {
    if (value === 1) geometry.span(pen, u - 0.5, u + 0.5, last, { stroke: palette.live, width: 1.6, dash: [2, 1.5] });
  });
}

/** @param {Scene} scene */
export function drawDist(scene) {
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
export function drawLeaders({ pen, geometry, palette, frame }) {
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
export function drawShields(scene) {
  const { pen, geometry, palette, frame } = scene;
  const radius = geometry.disc + Math.max(2, 0.09 * geometry.unit);
  each(scene, "shield", (value, u, agent) => {
    if (value !== 1) return;
    const idle = "leader" in frame.columns && frame.columns.leader[agent] !== 1;
    const stroke = idle ? mix(palette.shield, palette.paper, 0.6) : palette.shield;
    shield(pen, geometry.at(u, 0), course(scene, u, 1), radius, stroke, Math.max(1, (idle ? 0.03 : 0.08) * geometry.unit));
  });
}

/** @param {Scene} scene */
export function drawBullets(scene) {
  const { pen, geometry, palette, run } = scene;
  const most = variableOf(run, "bullet")?.high ?? 2;
  const size = Math.max(2, 0.13 * geometry.unit);
  const ahead = (0.16 * geometry.unit) / geometry.space;
  each(scene, "bullet", (value, u, agent) => {
    if (Number(value) === 0) return;
    const at = geometry.at(u + ahead * rightOf(scene.frame, geometry.n, agent), tracks(geometry).war);
    bullet(pen, at, size, value === most, palette);
  });
}

/** @param {Scene} scene */
export function drawSignalB(scene) {
  const { pen, geometry, palette } = scene;
  const behind = (0.2 * geometry.unit) / geometry.space;
  const size = Math.max(2, 0.16 * geometry.unit);
  each(scene, "signalB", (value, u, agent) => {
    if (value !== 1) return;
    const at = geometry.at(u - behind * rightOf(scene.frame, geometry.n, agent), tracks(geometry).war);
    chevron(pen, at, course(scene, u, -1), size, palette.muted, Math.max(1, 0.045 * geometry.unit));
  });
}

/** The longer the bar, the more TTL is left. @param {Scene} scene */
export function drawSignalR(scene) {
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

/** @param {Pen} pen @param {Geometry} geometry @param {number} u @param {number} d @param {number} length @param {string} stroke */
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
export const drawTokens = (name) => (scene) => {
  const { pen, geometry, palette } = scene;
  const black = name === "tokenB";
  const d = black ? tracks(geometry).black : tracks(geometry).white;
  const size = Math.min(Math.max(0.29 * geometry.unit, 2.8), 13);
  each(scene, name, (value, u, agent) => {
    if (!Array.isArray(value)) return;
    const [position, bit, carry] = value.map(Number);
    if (agent === scene.selected || agent === scene.hovered) drawWay(scene, u, position * rightOf(scene.frame, geometry.n, agent), d);
    tag(pen, geometry.at(u, d), course(scene, u, position), size, { black, bit, carry }, palette);
  });
};

/** The way of a token to its target, so many agents clockwise. @param {Scene} scene @param {number} u @param {number} position @param {number} d */
function drawWay({ pen, geometry, palette }, u, position, d) {
  const [from, to] = position > 0 ? [u, u + position] : [u + position, u];
  geometry.span(pen, from, to, d, { stroke: palette.select, width: 1.5, dash: [3, 3] });
  pen.polygon(
    [geometry.at(u + position, d), geometry.at(u + position, -geometry.disc)],
    { stroke: palette.select, width: 1.5, dash: [3, 3] },
    true,
  );
  const { x, y } = geometry.at(u + position, d);
  pen.circle(x, y, 2.5, { fill: palette.select });
}
