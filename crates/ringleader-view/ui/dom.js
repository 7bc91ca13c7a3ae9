// Small helpers around the document: typed access by id, building elements, writing numbers.

/**
 * @template {HTMLElement} T
 * @param {string} id
 * @param {new () => T} kind
 * @returns {T}
 */
function typed(id, kind) {
  const element = document.getElementById(id);
  if (element instanceof kind) return element;
  throw new Error(`the page has no ${kind.name} with id ${id}`);
}

/** @param {string} id */
export const element = (id) => typed(id, HTMLElement);
/** @param {string} id */
export const input = (id) => typed(id, HTMLInputElement);
/** @param {string} id */
export const button = (id) => typed(id, HTMLButtonElement);
/** @param {string} id */
export const select = (id) => typed(id, HTMLSelectElement);
/** @param {string} id */
export const canvas = (id) => typed(id, HTMLCanvasElement);
/** @param {string} id */
export const dialog = (id) => typed(id, HTMLDialogElement);

/**
 * An element with attributes and children; `id` is also its `data-testid`.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, string | number | boolean>} [attributes]
 * @param {(Node | string)[]} [children]
 * @returns {HTMLElementTagNameMap[K]}
 */
export function make(tag, attributes = {}, children = []) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) setAttribute(made, name, value);
  made.append(...children);
  return made;
}

/**
 * @param {HTMLElement} made
 * @param {string} name
 * @param {string | number | boolean} value
 */
function setAttribute(made, name, value) {
  if (value === false) return;
  made.setAttribute(name, value === true ? "" : String(value));
  if (name === "id") made.dataset.testid = String(value);
}

/** Writes a text where it has changed: readers of the screen need not hear the same twice. @param {string} id @param {string} text */
export function write(id, text) {
  const place = element(id);
  if (place.textContent !== text) place.textContent = text;
}

/**
 * Fills a list of choices; keeps the chosen one where it is still there.
 * @param {HTMLSelectElement} list
 * @param {{ value: string, text: string, title?: string }[]} choices
 * @param {string} chosen
 */
export function fillSelect(list, choices, chosen) {
  list.replaceChildren(...choices.map(({ value, text, title = "" }) => make("option", { value, title }, [text])));
  if (choices.some(({ value }) => value === chosen)) list.value = chosen;
}

const grouped = new Intl.NumberFormat("en");
const short = new Intl.NumberFormat("en", { maximumSignificantDigits: 4 });

/** A whole number with its digits in groups. @param {number} number */
export const count = (number) => grouped.format(number);
/** A number with four digits. @param {number} number */
export const rounded = (number) => short.format(number);
/** Groups the digits of a number too large for a double. @param {string} digits */
export const groupDigits = (digits) => digits.replace(/\B(?=(\d{3})+$)/g, ",");

/** `n` and a noun. @param {number} n @param {string} noun */
export const many = (n, noun) => `${count(n)} ${noun}${n === 1 ? "" : "s"}`;

/** The part of an id that a name gives: letters, digits and dashes. @param {string} name */
export const slug = (name) => name.replace(/[^A-Za-z0-9_]+/g, "-");

/**
 * Calls `work` at most once in `wait` milliseconds, and once more after the last call.
 * @param {number} wait
 * @param {() => void} work
 */
export function throttled(wait, work) {
  let last = -Infinity;
  let timer = 0;
  const run = () => {
    timer = 0;
    last = performance.now();
    work();
  };
  return () => {
    if (!timer) timer = window.setTimeout(run, Math.max(0, last + wait - performance.now()));
  };
}

/** @param {number} milliseconds */
export const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));
