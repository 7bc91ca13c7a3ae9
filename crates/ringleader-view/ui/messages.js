// What the page tells: a toast for news and errors, a banner while the server is lost, and errors beside a control.

import { element } from "./dom.js";
import { counted, on } from "./store.js";

const NEWS_MS = 6000;
let timer = 0;

/** @param {string} text @param {boolean} urgent */
function toast(text, urgent) {
  const box = element("message");
  const target = element(urgent ? "message-alert" : "message-news");
  element(urgent ? "message-news" : "message-alert").textContent = "";
  target.textContent = text;
  box.hidden = text === "";
  box.classList.toggle("urgent", urgent);
  window.clearTimeout(timer);
  if (!urgent) timer = window.setTimeout(hide, NEWS_MS);
}

export function hide() {
  element("message").hidden = true;
}

/** @param {string} text */
export const say = (text) => toast(text, false);

/** @param {unknown} error */
export const textOf = (error) => (error instanceof Error ? error.message : String(error));

/** @param {unknown} error */
export const complain = (error) => toast(textOf(error), true);

/**
 * Does something that may be refused; a refusal is shown in the output beside the control, or as a toast.
 * @param {() => Promise<unknown> | unknown} work
 * @param {string} [beside] the id of that output
 */
export const attempt = (work, beside) => counted(tried(work, beside));

/** @param {() => Promise<unknown> | unknown} work @param {string} [beside] */
async function tried(work, beside) {
  if (beside) element(beside).textContent = "";
  try {
    await work();
  } catch (error) {
    if (beside) element(beside).textContent = textOf(error);
    else complain(error);
  }
}

export function startMessages() {
  element("message-close").addEventListener("click", hide);
  on("lost", () => (element("lost").hidden = false));
  on("found", () => (element("lost").hidden = true));
}
