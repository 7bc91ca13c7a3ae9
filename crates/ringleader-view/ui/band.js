// The band: a strip with all agents of a large ring, in which leaders and tokens are never lost, and below it a row of
// some of them with all their marks.

import { count } from "./dom.js";
import { arrowhead, crown } from "./glyphs.js";
import { drawMarks } from "./marks.js";
import { colourOf } from "./palette.js";
import { fillVariable } from "./tracks.js";

/** @typedef {import("./types").Scene} Scene */
/** @typedef {import("./types").Box} Box */
/** @typedef {import("./geometry.js").BandGeometry} BandGeometry */

/** The strip of a band: crowns, agents, black tokens, white tokens. */
const STRIP = { top: 14, height: 22, row: 6, gap: 2 };
export const STRIP_HEIGHT = STRIP.top + STRIP.height + 2 * (STRIP.row + STRIP.gap) + 16;

/** @param {Box} box */
export const stripBox = ({ x, y, width }) => ({ x: x + 10, y, width: width - 20, height: STRIP_HEIGHT });

/** @param {Box} box */
export function rowBox({ x, y, width, height }) {
  return { x: x + 10, y: y + STRIP_HEIGHT + 8, width: width - 20, height: height - STRIP_HEIGHT - 8 };
}

/** @param {Scene} scene @param {BandGeometry} geometry @param {Box} box */
export function drawBand(scene, geometry, box) {
  drawStrip(scene, stripBox(box));
  drawSeen(scene, geometry, stripBox(box));
  scene.pen.within({ ...rowBox(box), x: box.x, width: box.width }, () => drawMarks(scene));
}

/** One column of the strip stands for `size` agents from `first` on. @param {number} n @param {number} width */
function columnsOf(n, width) {
  const columns = Math.min(n, Math.floor(width));
  const bounds = Array.from({ length: columns + 1 }, (_, k) => Math.floor((k * n) / columns));
  return bounds.slice(0, -1).map((first, k) => ({ first, past: bounds[k + 1] }));
}

/** @param {Scene} scene @param {Box} box */
function drawStrip(scene, box) {
  const { pen, run, frame, palette: colours } = scene;
  const columns = columnsOf(run.n, box.width);
  const width = box.width / columns.length;
  const variable = fillVariable(run, scene.colour);
  const values = frame.columns[variable.name];
  columns.forEach(({ first }, k) => {
    const fill = colourOf(colours, variable, values[first]);
    pen.rect(box.x + k * width, box.y + STRIP.top, width + 0.4, STRIP.height, { fill });
  });
  pen.rect(box.x, box.y + STRIP.top, box.width, STRIP.height, { stroke: colours.line });
  drawStripTokens(scene, box, columns, width);
  drawStripLeaders(scene, box);
  drawStripLast(scene, box);
  pen.text(box.x, box.y + STRIP_HEIGHT - 6, "0", { size: 10, fill: colours.muted, align: "start" });
  pen.text(box.x + box.width, box.y + STRIP_HEIGHT - 6, count(run.n - 1), { size: 10, fill: colours.muted, align: "end" });
}

/** @param {Scene} scene @param {Box} box @param {{ first: number, past: number }[]} columns @param {number} width */
function drawStripTokens({ pen, frame, palette: colours, layers }, box, columns, width) {
  ["tokenB", "tokenW"].forEach((name, row) => {
    const values = frame.columns[name];
    if (!values || !layers.has(name)) return;
    const y = box.y + STRIP.top + STRIP.height + STRIP.gap + row * (STRIP.row + STRIP.gap);
    const style = row === 0 ? { fill: colours.ink } : { stroke: colours.muted, width: 1 };
    columns.forEach(({ first, past }, k) => {
      if (someToken(values, first, past)) pen.rect(box.x + k * width, y, Math.max(1, width - 0.3), STRIP.row, style);
    });
  });
}

/** @param {import("./types").Value[]} values @param {number} first @param {number} past */
function someToken(values, first, past) {
  for (let agent = first; agent < past; agent++) if (values[agent] !== null) return true;
  return false;
}

/** Crowns as long as they can be told apart, else ticks: no leader is lost. @param {Scene} scene @param {Box} box */
function drawStripLeaders({ pen, run, frame, palette: colours, layers }, box) {
  if (!layers.has("leader")) return;
  for (const leader of frame.leaders) {
    const x = box.x + ((leader + 0.5) * box.width) / run.n;
    pen.rect(x - 1, box.y + STRIP.top - 2, 2, STRIP.height + 4, { fill: colours.leader });
    if (frame.leaders.length <= 60) crown(pen, x, box.y + 7, 5.5, colours);
  }
}

/** Where the last interaction was. @param {Scene} scene @param {Box} box */
function drawStripLast({ pen, run, frame, palette: colours, layers }, box) {
  if (!frame.last || !layers.has("interaction")) return;
  const x = box.x + ((frame.last.initiator + 1) * box.width) / run.n;
  arrowhead(pen, { x, y: box.y + STRIP_HEIGHT - 7 }, -Math.PI / 2, 6, colours.ink);
}

/** Frames what the row shows; it may reach over the end of the strip. @param {Scene} scene @param {BandGeometry} geometry @param {Box} box */
function drawSeen({ pen, palette: colours }, { left, seen, n, whole }, box) {
  if (whole) return;
  const scale = box.width / n;
  const style = { stroke: colours.select, width: 2 };
  const y = box.y + STRIP.top - 4;
  const height = STRIP_HEIGHT - STRIP.top - 8;
  pen.within({ ...box, x: box.x - 2, width: box.width + 4 }, () => {
    for (const shift of [-n, 0, n]) pen.rect(box.x + (left + 0.5 + shift) * scale, y, seen * scale, height, style, 3);
  });
}
