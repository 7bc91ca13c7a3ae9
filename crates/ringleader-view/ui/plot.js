// What the diagrams under the ring share: a canvas that fits its place, a line of text about what is under the
// pointer, refreshing that never floods the server, and going to a step by click or key.

import { CanvasPen } from "./pen.js";
import { complain } from "./messages.js";
import { seek } from "./player.js";

/** @typedef {import("./types").Point} Point */

/**
 * Fits a canvas to its width and the given height and hands out a pen.
 * @param {HTMLCanvasElement} canvas
 * @param {number} height
 */
export function fitted(canvas, height) {
  const scale = window.devicePixelRatio || 1;
  const width = canvas.parentElement?.clientWidth ?? 300;
  canvas.style.height = `${height}px`;
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  context.setTransform(scale, 0, 0, scale, 0, 0);
  return { context, pen: new CanvasPen(context), width };
}

/** For each diagram: whether it waits for an answer, and whether it will have to ask again. @type {{ asking: boolean, again: boolean }[]} */
const diagrams = [];

/** Whether all diagrams show what is known of the run. */
export const areDrawn = () => diagrams.every(({ asking, again }) => !asking && !again);

/**
 * Asks again when something has changed, one request at a time and not more often than every `wait` milliseconds.
 * @param {number} wait
 * @param {() => Promise<void>} ask
 */
export function refresher(wait, ask) {
  const diagram = { asking: false, again: false };
  diagrams.push(diagram);
  let resting = false;
  const run = async () => {
    diagram.again = diagram.asking || resting;
    if (diagram.again) return;
    diagram.asking = true;
    await ask().catch(complain);
    diagram.asking = false;
    resting = true;
    setTimeout(() => {
      resting = false;
      if (diagram.again) void run();
    }, wait);
  };
  return () => void run();
}

/**
 * Lets a diagram be clicked, hovered and walked through with the arrow keys.
 * @param {HTMLCanvasElement} canvas
 * @param {{ tell: (point: Point) => string, stepAt: (point: Point) => number | null, next: (by: number) => number | null, shown: HTMLElement }} diagram
 */
export function connect(canvas, { tell, stepAt, next, shown }) {
  canvas.addEventListener("pointermove", (event) => (shown.textContent = tell({ x: event.offsetX, y: event.offsetY })));
  canvas.addEventListener("pointerleave", () => (shown.textContent = ""));
  canvas.addEventListener("click", (event) => goTo(stepAt({ x: event.offsetX, y: event.offsetY })));
  canvas.addEventListener("keydown", (event) => {
    const by = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    goTo(next(by));
  });
}

/** @param {number | null} step */
function goTo(step) {
  if (step !== null) seek(step);
}

/** The number of the last entry of a rising list that is not above `value`. @param {number[]} list @param {number} value */
export function lastUpTo(list, value) {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle] <= value) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
