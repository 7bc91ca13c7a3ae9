// The canvas with the ring or the band: what is drawn on it, when, and how large.

import { STRIP_HEIGHT, drawBand, rowBox } from "./band.js";
import { canvas, element } from "./dom.js";
import { BandGeometry, RingGeometry, bandHeight, bandSpace, wrap } from "./geometry.js";
import { activeLayers, drawMarks } from "./marks.js";
import { palette } from "./palette.js";
import { CanvasPen } from "./pen.js";
import { on, state } from "./store.js";

/** @typedef {import("./types").Scene} Scene */
/** @typedef {import("./types").Box} Box */
/** @typedef {import("./types").Point} Point */
/** @typedef {import("./types").Pen} Pen */

/** Larger rings, or fewer agents on a narrow window, are shown as a band unless the reader wants a ring. */
const RING_LIMIT = 300;
const AGENTS_A_PIXEL = 0.5;

export const stage = canvas("ring");

/** Whether the run is shown as a band. */
export function isBand() {
  const { layout } = state.view;
  if (layout !== "auto") return layout === "band";
  return (state.run?.n ?? 0) > Math.min(RING_LIMIT, AGENTS_A_PIXEL * stage.clientWidth);
}

/** @returns {Box} */
export const stageBox = () => ({ x: 0, y: 0, width: stage.clientWidth, height: stage.clientHeight });

/** @param {Box} box */
export function geometryIn(box) {
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
  const height = isBand() ? STRIP_HEIGHT + bandRowHeight(width) : Math.max(280, Math.min(width, roomForRing()));
  const scale = window.devicePixelRatio || 1;
  stage.style.height = `${height}px`;
  stage.style.touchAction = !isBand() && state.view.zoom > 1 ? "none" : "pan-y";
  const [w, h] = [Math.round(width * scale), Math.round(height * scale)];
  if (stage.width !== w || stage.height !== h) Object.assign(stage, { width: w, height: h });
  return scale;
}

/** The ring and the buttons of time below it fit into the window together. */
const roomForRing = () => Math.max(window.innerHeight - element("lesson").offsetHeight - 225, 0.5 * window.innerHeight);

/** @param {number} width */
function bandRowHeight(width) {
  const { run, view } = state;
  return bandHeight(bandSpace(width - 20, run?.n ?? 1, view.zoom), run?.ring === "directed");
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

/** Whether all that was asked has been drawn. */
export const isPainted = () => asked === 0;

/** Resolves when all that was asked has been drawn; hidden pages draw nothing, so it does not wait for long. */
export function painted() {
  if (document.hidden) return new Promise((done) => setTimeout(done, 50));
  redraw();
  return new Promise((done) => waiting.push(() => done(undefined)));
}

/** Where an agent is on the page, for the tip beside it. @param {number} agent */
export function placeOf(agent) {
  const geometry = geometryIn(stageBox());
  const seen = geometry?.positions.find((u) => wrap(u, geometry.n) === agent);
  return geometry && seen !== undefined ? geometry.at(seen, 0) : null;
}

export function startStage() {
  new ResizeObserver(redraw).observe(stage.parentElement ?? stage);
  on("run frame view hover theme", redraw);
}
