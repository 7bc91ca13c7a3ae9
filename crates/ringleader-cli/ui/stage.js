// The canvas with the ring or the band: what is drawn on it, and what the pointer finds there.
//
// A ring of more agents than can be told apart is shown as a band: a strip with all agents, in which leaders and
// tokens are never lost, and a row of some of them with all their marks.

import { canvas, count } from "./dom.js";
import { BandGeometry, RingGeometry, hit, outside, wrap } from "./geometry.js";
import { arrowhead, crown } from "./glyphs.js";
import { activeLayers, drawMarks, fillVariable } from "./marks.js";
import { colourOf, palette } from "./palette.js";
import { CanvasPen } from "./pen.js";
import { emit, look, on, state } from "./store.js";

/** @typedef {import("./types").Scene} Scene */
/** @typedef {import("./types").Box} Box */
/** @typedef {import("./types").Point} Point */
/** @typedef {import("./types").Pen} Pen */

/** Larger rings are shown as a band unless the reader wants a ring. */
const RING_LIMIT = 300;
/** The strip of a band: crowns, agents, black tokens, white tokens. */
const STRIP = { top: 14, height: 22, row: 6, gap: 2 };
const STRIP_HEIGHT = STRIP.top + STRIP.height + 2 * (STRIP.row + STRIP.gap) + 16;

const stage = canvas("ring");

/** Whether the run is shown as a band. */
export function isBand() {
  const { layout } = state.view;
  return layout === "auto" ? (state.run?.n ?? 0) > RING_LIMIT : layout === "band";
}

/** @returns {Box} */
export const stageBox = () => ({ x: 0, y: 0, width: stage.clientWidth, height: stage.clientHeight });

/** @param {Box} box */
const stripBox = ({ x, y, width }) => ({ x: x + 10, y, width: width - 20, height: STRIP_HEIGHT });

/** @param {Box} box */
function rowBox({ x, y, width, height }) {
  return { x: x + 10, y: y + STRIP_HEIGHT + 8, width: width - 20, height: height - STRIP_HEIGHT - 8 };
}

/** @param {Box} box */
function geometryIn(box) {
  const { run, view } = state;
  if (!run) return null;
  const directed = run.ring === "directed";
  if (isBand()) return new BandGeometry(rowBox(box), run.n, directed, view);
  return new RingGeometry(box, run.n, directed, view, activeLayers(run, view.layers).has("values"));
}

/** The part of a scene that the legend needs too. */
export function sceneBase() {
  const { run, view } = state;
  if (!run) return null;
  return { run, colour: view.colour, palette: palette(), layers: activeLayers(run, view.layers) };
}

/** @param {Pen} pen @param {Box} box @returns {Scene | null} */
function sceneIn(pen, box) {
  const [base, geometry, frame] = [sceneBase(), geometryIn(box), state.frame];
  if (!base || !geometry || !frame) return null;
  return { ...base, pen, geometry, frame, selected: state.view.agent, hovered: state.hovered, edge: state.edge };
}

/** Draws the picture into a box; the screen and the exports call the same. @param {Pen} pen @param {Box} box */
export function drawStage(pen, box) {
  const scene = sceneIn(pen, box);
  if (!scene) return;
  pen.rect(box.x, box.y, box.width, box.height, { fill: scene.palette.paper });
  if (scene.geometry instanceof BandGeometry) return drawBand(scene, scene.geometry, box);
  pen.within(box, () => drawMarks(scene));
}

// --- The band ----------------------------------------------------------------------------------------------------

/** @param {Scene} scene @param {BandGeometry} geometry @param {Box} box */
function drawBand(scene, geometry, box) {
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
function drawSeen({ pen, palette: colours }, { left, seen, n }, box) {
  const scale = box.width / n;
  const style = { stroke: colours.select, width: 2 };
  const y = box.y + STRIP.top - 4;
  const height = STRIP_HEIGHT - STRIP.top - 8;
  pen.within({ ...box, x: box.x - 2, width: box.width + 4 }, () => {
    for (const shift of [-n, 0, n]) pen.rect(box.x + (left + 0.5 + shift) * scale, y, seen * scale, height, style, 3);
  });
}

// --- The screen --------------------------------------------------------------------------------------------------

export const stats = { frames: 0, lastFrameMs: 0, fps: 0 };
/** @type {number[]} */
let recent = [];

/** @param {number} started */
function measure(started) {
  const now = performance.now();
  recent = [...recent.filter((time) => now - time < 1000), now];
  Object.assign(stats, { frames: stats.frames + 1, lastFrameMs: now - started, fps: recent.length });
}

/** Fits the canvas to its place; heights follow from what is shown. */
function fit() {
  const width = stage.parentElement?.clientWidth ?? 600;
  const height = isBand() ? STRIP_HEIGHT + bandRowHeight() : Math.max(280, Math.min(width, 0.78 * window.innerHeight));
  const scale = window.devicePixelRatio || 1;
  stage.style.height = `${height}px`;
  const [w, h] = [Math.round(width * scale), Math.round(height * scale)];
  if (stage.width !== w || stage.height !== h) Object.assign(stage, { width: w, height: h });
  return scale;
}

/** The row needs its outside, its tracks and, zoomed in, nothing more. */
function bandRowHeight() {
  const unit = Math.min(Math.max(30 * state.view.zoom, 6), 58);
  return outside(unit) + (state.run?.ring === "directed" ? 2.3 : 2.7) * unit + 30;
}

function draw() {
  const started = performance.now();
  const scale = fit();
  const context = stage.getContext("2d");
  if (!context) return;
  context.setTransform(scale, 0, 0, scale, 0, 0);
  drawStage(new CanvasPen(context), stageBox());
  measure(started);
}

let asked = 0;
/** @type {(() => void)[]} */
let waiting = [];

function paint() {
  asked = 0;
  draw();
  const done = waiting;
  waiting = [];
  done.forEach((tell) => tell());
}

/** Draws before the next frame of the screen, however often it is asked. */
export function redraw() {
  if (asked === 0) asked = requestAnimationFrame(paint);
}

/** Resolves when all that was asked has been drawn; hidden pages draw nothing, so it does not wait for long. */
export function painted() {
  if (document.hidden) return new Promise((done) => setTimeout(done, 50));
  redraw();
  return new Promise((done) => waiting.push(() => done(undefined)));
}

// --- The pointer -------------------------------------------------------------------------------------------------

/** @param {PointerEvent | MouseEvent} event @returns {Point} */
const pointOf = (event) => ({ x: event.offsetX, y: event.offsetY });

/** What lies under the pointer. @param {Point} point */
export function find(point) {
  const geometry = geometryIn(stageBox());
  if (!geometry || (geometry instanceof BandGeometry && point.y < STRIP_HEIGHT)) return { agent: null, edge: null };
  return hit(geometry, point);
}

/** @param {Point} point */
function inStrip(point) {
  return isBand() && point.y < STRIP_HEIGHT;
}

/** Moves what the row shows to a point of the strip. @param {Point} point */
function moveTo({ x }) {
  const box = stripBox(stageBox());
  look({ x: Math.min(Math.max((x - box.x) / box.width, 0), 0.999999) });
}

/** @param {number | null} hovered @param {[number, number] | null} edge */
function hover(hovered, edge) {
  if (hovered === state.hovered && String(edge) === String(state.edge)) return;
  Object.assign(state, { hovered, edge });
  emit("hover");
}

/** The pair that an edge means; the other way round where the ring has no direction and Shift is held. @param {number} edge @param {boolean} reversed */
function pairOf(edge, reversed) {
  const n = state.run?.n ?? 1;
  const next = wrap(edge + 1, n);
  return /** @type {[number, number]} */ (reversed && state.run?.ring === "undirected" ? [next, edge] : [edge, next]);
}

/** @type {Map<number, Point>} */
const pointers = new Map();
let travelled = 0;

/** @param {PointerEvent} event */
function down(event) {
  pointers.set(event.pointerId, pointOf(event));
  travelled = 0;
  if (pointers.size === 1 && inStrip(pointOf(event))) moveTo(pointOf(event));
}

/** @param {PointerEvent} event */
function move(event) {
  const point = pointOf(event);
  const before = pointers.get(event.pointerId);
  if (!before) return point0(event, point);
  travelled += Math.hypot(point.x - before.x, point.y - before.y);
  pointers.set(event.pointerId, point);
  if (pointers.size === 2) pinch(event.pointerId, before, point);
  else if (inStrip(point)) moveTo(point);
  else if (travelled > 4) pan(point.x - before.x, point.y - before.y);
}

/** @param {PointerEvent} event @param {Point} point */
function point0(event, point) {
  const { agent, edge } = find(point);
  hover(agent, edge === null ? null : pairOf(edge, event.shiftKey));
  stage.style.cursor = agent !== null || edge !== null ? "pointer" : "default";
}

/** @param {number} id @param {Point} before @param {Point} after */
function pinch(id, before, after) {
  const other = [...pointers.entries()].find(([key]) => key !== id)?.[1];
  if (!other) return;
  const apart = (/** @type {Point} */ p) => Math.max(1, Math.hypot(p.x - other.x, p.y - other.y));
  zoomAt(apart(after) / apart(before), other);
}

/** @param {number} dx @param {number} dy */
function pan(dx, dy) {
  const geometry = geometryIn(stageBox());
  if (geometry instanceof BandGeometry) return look({ x: wrap(state.view.x - dx / geometry.space / geometry.n, 1) });
  if (!geometry || state.view.zoom <= 1) return;
  look({ x: bound(state.view.x - dx / geometry.radius), y: bound(state.view.y - dy / geometry.radius) });
}

/** @param {number} value */
const bound = (value) => Math.min(Math.max(value, -1.3), 1.3);

/**
 * Zooms so that what is at the point stays there.
 * @param {number} factor
 * @param {Point} [point]
 */
export function zoomAt(factor, point = focus()) {
  const geometry = geometryIn(stageBox());
  if (!geometry) return;
  if (geometry instanceof BandGeometry) return zoomBand(geometry, factor, point);
  const zoom = Math.min(Math.max(state.view.zoom * factor, 1), Math.max(1, 90 / (geometry.space / state.view.zoom)));
  if (zoom === 1) return look({ zoom, x: 0, y: 0 });
  const [dx, dy] = [point.x - stage.clientWidth / 2, point.y - stage.clientHeight / 2];
  const shift = 1 / geometry.radius - 1 / (geometry.fit * zoom);
  look({ zoom, x: bound(state.view.x + dx * shift), y: bound(state.view.y + dy * shift) });
}

/** @param {BandGeometry} geometry @param {number} factor @param {Point} point */
function zoomBand(geometry, factor, point) {
  const { u } = geometry.locate(point);
  const before = geometry.space;
  const least = geometry.box.width / geometry.n / 30;
  const zoom = Math.min(Math.max(state.view.zoom * factor, least), 3);
  const after = Math.min(Math.max(30 * zoom, geometry.box.width / geometry.n), 90);
  const middle = state.view.x * geometry.n;
  const away = wrap(u - middle + geometry.n / 2, geometry.n) - geometry.n / 2;
  look({ zoom, x: wrap((u - (away * before) / after) / geometry.n, 1) });
}

/** What zooming by keys and buttons keeps in place: the selected agent, or the middle. @returns {Point} */
function focus() {
  const geometry = geometryIn(stageBox());
  const { agent } = state.view;
  const seen = geometry?.positions.find((u) => wrap(u, geometry.n) === agent);
  if (geometry && seen !== undefined) return geometry.at(seen, 0);
  return { x: stage.clientWidth / 2, y: stage.clientHeight / 2 };
}

export const zoomReset = () => look({ zoom: 1, x: isBand() ? state.view.x : 0, y: 0 });

/** Brings an agent of a band into sight. @param {number} agent */
export function reveal(agent) {
  const geometry = geometryIn(stageBox());
  if (!(geometry instanceof BandGeometry)) return;
  const seen = geometry.positions.slice(1, -1).some((u) => wrap(u, geometry.n) === agent);
  if (!seen) look({ x: agent / geometry.n });
}

/** Where an agent is on the page, for the tip beside it. @param {number} agent */
export function placeOf(agent) {
  const geometry = geometryIn(stageBox());
  const seen = geometry?.positions.find((u) => wrap(u, geometry.n) === agent);
  return geometry && seen !== undefined ? geometry.at(seen, 0) : null;
}

/**
 * Connects the canvas.
 * @param {{ pick: (agent: number | null) => void, interact: (pair: [number, number]) => void }} actions
 */
export function startStage({ pick, interact }) {
  stage.addEventListener("pointerdown", down);
  stage.addEventListener("pointermove", move);
  for (const end of /** @type {const} */ (["pointerup", "pointercancel", "pointerleave"])) {
    stage.addEventListener(end, (event) => pointers.delete(event.pointerId));
  }
  stage.addEventListener("pointerleave", () => hover(null, null));
  stage.addEventListener("click", (event) => {
    if (travelled > 4 || inStrip(pointOf(event))) return;
    const { agent, edge } = find(pointOf(event));
    if (edge !== null) interact(pairOf(edge, event.shiftKey));
    else pick(agent);
  });
  stage.addEventListener("wheel", wheel, { passive: false });
  new ResizeObserver(redraw).observe(stage.parentElement ?? stage);
  on("run frame view hover theme", redraw);
}

/** The wheel zooms a band, and a ring with Ctrl or when it is zoomed already: else the page must scroll. @param {WheelEvent} event */
function wheel(event) {
  if (!isBand() && !event.ctrlKey && state.view.zoom === 1) return;
  event.preventDefault();
  zoomAt(Math.exp(-event.deltaY / 400), pointOf(event));
}
