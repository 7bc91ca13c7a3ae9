// Pointing at the ring: what lies under the pointer, selecting, letting two agents interact, zooming and panning.

import { STRIP_HEIGHT, stripBox } from "./band.js";
import { BAND_SPACE, BandGeometry, bandSpace, hit, wrap } from "./geometry.js";
import { geometryIn, isBand, stage, stageBox } from "./stage.js";
import { emit, look, state } from "./store.js";

/** @typedef {import("./geometry.js").RingGeometry} RingGeometry */
/** @typedef {import("./types").Point} Point */

/** @param {PointerEvent | MouseEvent} event @returns {Point} */
const pointOf = (event) => ({ x: event.offsetX, y: event.offsetY });

/** What lies under the pointer. @param {Point} point */
function find(point) {
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
  if (!before) return hoverAt(event, point);
  travelled += Math.hypot(point.x - before.x, point.y - before.y);
  pointers.set(event.pointerId, point);
  if (pointers.size === 2) pinch(event.pointerId, before, point);
  else if (inStrip(point)) moveTo(point);
  else if (travelled > 4) pan(point.x - before.x, point.y - before.y);
}

/** @param {PointerEvent} event @param {Point} point */
function hoverAt(event, point) {
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

/** Rings are zoomed until agents are this far apart. */
const WIDEST = 90;

/** @param {RingGeometry} geometry @param {number} factor */
function ringZoom(geometry, factor) {
  const most = Math.max(1, (WIDEST * state.view.zoom) / geometry.space);
  return Math.min(Math.max(state.view.zoom * factor, 1), most);
}

/**
 * Zooms so that what is at the point stays there.
 * @param {number} factor
 * @param {Point} point
 */
function zoomAt(factor, point) {
  const geometry = geometryIn(stageBox());
  if (!geometry) return;
  if (geometry instanceof BandGeometry) return zoomBand(geometry, factor, point);
  const zoom = ringZoom(geometry, factor);
  if (zoom === 1) return look({ zoom, x: 0, y: 0 });
  const [dx, dy] = [point.x - stage.clientWidth / 2, point.y - stage.clientHeight / 2];
  const shift = 1 / geometry.radius - 1 / (geometry.fit * zoom);
  look({ zoom, x: bound(state.view.x + dx * shift), y: bound(state.view.y + dy * shift) });
}

/** @param {BandGeometry} geometry @param {number} factor @param {Point} point */
function zoomBand(geometry, factor, point) {
  const { u } = geometry.locate(point);
  const before = geometry.space;
  const least = geometry.box.width / geometry.n / BAND_SPACE;
  const zoom = Math.min(Math.max(state.view.zoom * factor, least), 3);
  const after = bandSpace(geometry.box.width, geometry.n, zoom);
  const middle = state.view.x * geometry.n;
  const away = wrap(u - middle + geometry.n / 2, geometry.n) - geometry.n / 2;
  look({ zoom, x: wrap((u - (away * before) / after) / geometry.n, 1) });
}

/** Zooming by keys and buttons brings the selected agent into the middle, or else a leader. @param {number} factor */
export function zoom(factor) {
  const geometry = geometryIn(stageBox());
  const agent = state.view.agent ?? state.frame?.leaders[0] ?? 0;
  if (!geometry) return;
  if (geometry instanceof BandGeometry) return zoomBand(geometry, factor, geometry.at(geometry.left + geometry.seen / 2, 0));
  const nearer = ringZoom(geometry, factor);
  look(nearer === 1 ? { zoom: 1, x: 0, y: 0 } : { zoom: nearer, ...onCircle(agent, geometry.n) });
}

export const zoomReset = () => look({ zoom: 1, x: isBand() ? state.view.x : 0, y: 0 });

/** Where an agent lies on the unit circle. @param {number} agent @param {number} n */
function onCircle(agent, n) {
  const angle = (2 * Math.PI * agent) / n - Math.PI / 2;
  return { x: Math.cos(angle), y: Math.sin(angle) };
}

/** Brings an agent into sight. @param {number} agent */
export function reveal(agent) {
  const geometry = geometryIn(stageBox());
  if (!geometry || isInSight(geometry, agent)) return;
  look(geometry instanceof BandGeometry ? { x: agent / geometry.n } : onCircle(agent, geometry.n));
}

/** @param {BandGeometry | RingGeometry} geometry @param {number} agent */
function isInSight(geometry, agent) {
  const { width, height } = stageBox();
  return geometry.positions
    .filter((u) => wrap(u, geometry.n) === agent)
    .some((u) => {
      const { x, y } = geometry.at(u, 0);
      return x > geometry.unit && x < width - geometry.unit && y > 0 && y < height;
    });
}

/**
 * Connects the canvas.
 * @param {{ pick: (agent: number | null) => void, interact: (pair: [number, number]) => void }} actions
 */
export function startPointer({ pick, interact }) {
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
}

/** The wheel zooms a band, and a ring with Ctrl or when it is zoomed already: else the page must scroll. @param {WheelEvent} event */
function wheel(event) {
  if (!isBand() && !event.ctrlKey && state.view.zoom === 1) return;
  event.preventDefault();
  zoomAt(Math.exp(-event.deltaY / 400), pointOf(event));
}
