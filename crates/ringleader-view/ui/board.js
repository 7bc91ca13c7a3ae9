// For a lecture: the ring and its text alone, and larger letters for the text. The size is kept in this browser.

import { button } from "./dom.js";
import { redraw } from "./stage.js";

const SIZES = [11, 12.5, 14, 16, 19, 23, 28, 34];
const USUAL = 1;
const KEPT = "ringleader-letters";

let size = USUAL;

/** How high a line of the text is, in pixels. */
export const lineHeight = () => Math.round(1.5 * SIZES[size]);

/** @param {number} wish */
function letters(wish) {
  size = Math.min(Math.max(wish, 0), SIZES.length - 1);
  localStorage.setItem(KEPT, String(size));
  const style = document.documentElement.style;
  style.setProperty("--letters", `${SIZES[size]}px`);
  style.setProperty("--line-height", `${lineHeight()}px`);
  button("text-smaller").disabled = size === 0;
  button("text-larger").disabled = size === SIZES.length - 1;
}

export function toggleBoard() {
  const shown = document.body.classList.toggle("board");
  button("board").setAttribute("aria-pressed", String(shown));
  redraw();
}

export function startBoard() {
  const kept = Number(localStorage.getItem(KEPT) ?? USUAL);
  letters(Number.isInteger(kept) ? kept : USUAL);
  button("text-smaller").addEventListener("click", () => letters(size - 1));
  button("text-larger").addEventListener("click", () => letters(size + 1));
  button("board").addEventListener("click", toggleBoard);
}
