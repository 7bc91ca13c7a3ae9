// The state of the page in one place, and topics that tell the parts of the page what has changed.
//
// Topics: "run" another run or other edits; "frame" another configuration; "view" how it is looked at; "hover";
// "intent" playing or not; "theme".

import { DEFAULT_VIEW } from "./link.js";

/** @type {import("./types").State} */
export const state = {
  catalogue: null,
  description: null,
  run: null,
  frame: null,
  view: { ...DEFAULT_VIEW },
  hovered: null,
  edge: null,
  intent: { kind: "rest" },
  stopped: "",
};

/** @type {Map<string, (() => void)[]>} */
const listeners = new Map();

/**
 * @param {string} topics separated by blanks
 * @param {() => void} listener
 */
export function on(topics, listener) {
  for (const topic of topics.split(" ")) listeners.set(topic, [...(listeners.get(topic) ?? []), listener]);
}

/** @param {string} topic */
export function emit(topic) {
  for (const listener of listeners.get(topic) ?? []) listener();
}

/**
 * Changes how the run is looked at.
 * @param {Partial<import("./types").View>} change
 */
export function look(change) {
  Object.assign(state.view, change);
  emit("view");
}

let underWay = 0;

/**
 * Counts some work as under way until it is done.
 * @template T
 * @param {Promise<T>} work
 * @returns {Promise<T>}
 */
export function counted(work) {
  underWay += 1;
  return work.finally(() => (underWay -= 1));
}

/** Whether something that was asked of the page is not done yet. */
export const isBusy = () => underWay > 0;

/** The protocols that can be chosen: those of the catalogue, and the text that is shown. */
export function protocols() {
  const known = state.catalogue?.protocols ?? [];
  const { run } = state;
  if (!run?.listing?.runs) return known;
  return [run, ...known.filter(({ name }) => name !== run.name)];
}

/**
 * The state of one agent, in the order of the paper.
 * @param {number} agent
 * @returns {import("./types").Agent}
 */
export function agentState(agent) {
  const { run, frame } = state;
  if (!run || !frame) return {};
  return Object.fromEntries(run.variables.map(({ name }) => [name, frame.columns[name][agent] ?? null]));
}
