// The space-time diagram: agents across, time down, coloured by a variable. Where several agents share a pixel the
// highest value wins, so that leaders and tokens are never lost.

import { canvas, count, element, fillSelect, select } from "./dom.js";
import { nth, show } from "./domain.js";
import { colourOfIndex, palette } from "./palette.js";
import { connect, fitted, lastUpTo, refresher } from "./plot.js";
import { step } from "./player.js";
import * as session from "./session.js";
import { look, on, state } from "./store.js";
import { fillVariable, variableOf } from "./tracks.js";

/** @typedef {import("./types").SpaceTime} SpaceTime */
/** @typedef {import("./types").Point} Point */

const HEIGHT = 300;
const MARGIN = { left: 64, top: 18, right: 8, bottom: 4 };
const REFRESH_MS = 400;
const CELLS = 400_000;

/** @type {(SpaceTime & { cells: Uint16Array }) | null} */
let data = null;
/** @type {HTMLCanvasElement | null} */
let image = null;

/** The variable that is shown. */
function variable() {
  const { run, view } = state;
  if (!run) return null;
  const auto = variableOf(run, "leader") ? "leader" : "auto";
  return variableOf(run, view.variable) ?? variableOf(run, auto) ?? fillVariable(run, "auto");
}

/** The steps that are shown: the whole run, or so many rounds of n steps up to now. */
function range() {
  const [now, n] = [step(), state.run?.n ?? 1];
  const furthest = state.frame?.furthest ?? 0;
  if (state.view.window === "whole") return { from: 0, to: furthest };
  return { from: Math.max(0, now - Number(state.view.window) * n), to: now };
}

/** @param {string} text */
function cellsOf(text) {
  const letters = atob(text);
  const cells = new Uint16Array(letters.length >> 1);
  for (let k = 0; k < cells.length; k++) cells[k] = letters.charCodeAt(2 * k) | (letters.charCodeAt(2 * k + 1) << 8);
  return cells;
}

/** A row for each pixel, but fewer where rows are long: this is drawn while the run is played. */
function rowsWanted() {
  const pixels = HEIGHT - MARGIN.top - MARGIN.bottom;
  return Math.min(pixels, Math.max(40, Math.floor(CELLS / (state.run?.n ?? 1))));
}

/** What `data` answers. */
let asked = { run: state.run, key: "" };

async function ask() {
  const shown = variable();
  if (!shown || !state.frame || !isOpen()) return;
  const { from, to } = range();
  const { run } = state;
  const key = `${shown.name} ${from} ${to}`;
  if (run !== asked.run || key !== asked.key) {
    const answer = await session.spacetime({ variable: shown.name, from, to, rows: rowsWanted() });
    if (run?.id !== state.run?.id) return;
    data = { ...answer, cells: cellsOf(answer.values) };
    image = null;
    asked = { run, key };
  }
  draw();
}

/** Nothing is asked for while the panel is closed. */
const isOpen = () => element("spacetime-panel").hasAttribute("open");

/** The diagram as an image, a pixel for each row and column. @param {number} width */
function render(width) {
  const shown = variable();
  if (!data || !shown || data.steps.length === 0) return null;
  const columns = Math.min(data.n, Math.max(1, Math.floor(width)));
  const made = document.createElement("canvas");
  Object.assign(made, { width: columns, height: data.steps.length });
  const context = /** @type {CanvasRenderingContext2D} */ (made.getContext("2d"));
  const pixels = context.createImageData(columns, data.steps.length);
  fill(new Uint32Array(pixels.data.buffer), columns, coloursOf(shown));
  context.putImageData(pixels, 0, 0);
  return made;
}

/** @param {Uint32Array} pixels @param {number} columns @param {(index: number) => number} colour */
function fill(pixels, columns, colour) {
  if (!data) return;
  const { n, cells, steps } = data;
  const bounds = Uint32Array.from({ length: columns + 1 }, (_, column) => Math.floor((column * n) / columns));
  for (let row = 0; row < steps.length; row++) {
    for (let column = 0; column < columns; column++) {
      const [first, past] = [bounds[column], bounds[column + 1]];
      let most = 0;
      for (let agent = first; agent < past; agent++) most = Math.max(most, cells[row * n + agent]);
      pixels[row * columns + column] = colour(most);
    }
  }
}

/** The colours of a variable as pixels, each computed once. @param {import("./types").Variable} shown */
function coloursOf(shown) {
  const colours = palette();
  const known = new Uint32Array(Math.min(shown.size, 1 << 16));
  return (/** @type {number} */ index) => (known[index] ||= pixelOf(colourOfIndex(colours, shown, index)));
}

/** @param {string} hex */
function pixelOf(hex) {
  const [red, green, blue] = [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
  return ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
}

/** Where the image lies on the canvas. */
function area() {
  const width = canvas("spacetime").clientWidth - MARGIN.left - MARGIN.right;
  return { x: MARGIN.left, y: MARGIN.top, width, height: HEIGHT - MARGIN.top - MARGIN.bottom };
}

function draw() {
  const { context, pen } = fitted(canvas("spacetime"), HEIGHT);
  const box = area();
  const colours = palette();
  image ??= render(box.width);
  if (!image || !data) return;
  context.imageSmoothingEnabled = false;
  context.drawImage(image, box.x, box.y, box.width, box.height);
  pen.rect(box.x, box.y, box.width, box.height, { stroke: colours.line });
  drawAxes(pen, box, data);
  drawNow(pen, box, data);
}

/** @param {import("./types").Pen} pen @param {import("./types").Box} box @param {SpaceTime} shown */
function drawAxes(pen, box, { steps, n }) {
  const style = { size: 10, fill: palette().muted };
  pen.text(box.x, 8, "0", { ...style, align: "start" });
  pen.text(box.x + box.width, 8, count(n - 1), { ...style, align: "end" });
  pen.text(box.x + box.width / 2, 8, "agents", style);
  for (const part of [0, 0.25, 0.5, 0.75, 1]) {
    const row = Math.min(Math.floor(part * steps.length), steps.length - 1);
    const y = Math.min(Math.max(box.y + part * box.height, box.y + 5), box.y + box.height - 5);
    pen.text(box.x - 6, y, compact(steps[row]), { ...style, align: "end" });
  }
}

const compactNumber = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 2 });
/** @param {number} value */
const compact = (value) => (value < 1e6 ? count(value) : compactNumber.format(value));

/** Marks the step that is shown. @param {import("./types").Pen} pen @param {import("./types").Box} box @param {SpaceTime} shown */
function drawNow(pen, box, { steps }) {
  const row = lastUpTo(steps, step());
  const y = box.y + ((Math.max(row, 0) + 0.5) / steps.length) * box.height;
  const { select: stroke, paper } = palette();
  pen.polygon(
    [
      { x: box.x, y },
      { x: box.x + box.width, y },
    ],
    { stroke: paper, width: 3, alpha: 0.6 },
    true,
  );
  pen.polygon(
    [
      { x: box.x - 4, y },
      { x: box.x + box.width + 4, y },
    ],
    { stroke, width: 1.5 },
    true,
  );
}

/** @param {Point} point */
function cellAt({ x, y }) {
  if (!data || data.steps.length === 0) return null;
  const box = area();
  const row = Math.floor(((y - box.y) / box.height) * data.steps.length);
  const agent = Math.floor(((x - box.x) / box.width) * data.n);
  return row >= 0 && row < data.steps.length && agent >= 0 && agent < data.n ? { row, agent } : null;
}

/** @param {Point} point */
function tell(point) {
  const [cell, shown] = [cellAt(point), variable()];
  if (!cell || !data || !shown) return "";
  const value = nth(shown, data.cells[cell.row * data.n + cell.agent]);
  return `step ${count(data.steps[cell.row])}, agent ${cell.agent}: ${shown.name} ${show(value)}`;
}

/** @param {Point} point */
function stepAt(point) {
  const cell = cellAt(point);
  return cell && data ? data.steps[cell.row] : null;
}

/** @param {number} by */
function next(by) {
  return data?.steps[lastUpTo(data.steps, step()) + by] ?? null;
}

function buildVariables() {
  const variables = (state.run?.variables ?? []).map(({ name, domain }) => ({ value: name, text: name, title: domain }));
  fillSelect(select("spacetime-variable"), variables, "");
  showChosen();
}

function showChosen() {
  select("spacetime-variable").value = variable()?.name ?? "";
  select("spacetime-window").value = state.view.window;
}

export function startSpaceTime() {
  const refresh = refresher(REFRESH_MS, ask);
  select("spacetime-variable").addEventListener("change", () => look({ variable: select("spacetime-variable").value }));
  select("spacetime-window").addEventListener("change", () => look({ window: select("spacetime-window").value }));
  element("spacetime-panel").addEventListener("toggle", refresh);
  connect(canvas("spacetime"), { tell, stepAt, next, shown: element("spacetime-shown") });
  on("run", buildVariables);
  on("view", showChosen);
  on("run frame view", refresh);
  const anew = () => {
    image = null;
    if (data && isOpen()) draw();
  };
  on("theme", anew);
  new ResizeObserver(anew).observe(element("spacetime-panel"));
}
