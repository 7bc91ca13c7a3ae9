// Marks of undirected rings: colours, directions, and heads that meet.

import { show } from "./domain.js";
import { wrap } from "./geometry.js";
import { arrowhead, chevron } from "./glyphs.js";
import { colourOf } from "./palette.js";
import { each, fillVariable, pointsAt, tracks, variableOf } from "./tracks.js";

/** @typedef {import("./types").Scene} Scene */
/** @typedef {import("./types").Mark} Mark */

/** @param {Scene} scene */
export function drawColours(scene) {
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

/** @param {string} name @returns {Mark["draw"]} */
export const drawDirections = (name) => (scene) => {
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
export function drawHeads({ pen, geometry, palette, frame }) {
  const { n, unit } = geometry;
  for (const u of geometry.positions) {
    const [left, right] = [wrap(u, n), wrap(u + 1, n)];
    const meet = pointsAt(frame, "dir", n, left).includes(1) && pointsAt(frame, "dir", n, right).includes(-1);
    if (!meet) continue;
    const half = Math.max(4, 0.34 * unit);
    pen.polygon(
      [geometry.at(u + 0.5, -half), geometry.at(u + 0.5, half)],
      { stroke: palette.live, width: Math.max(1.5, 0.05 * unit), round: true },
      true,
    );
  }
}
