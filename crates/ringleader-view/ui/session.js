// The run that the page shows, kept alive: one request at a time, a forgotten run is described again, and a lost
// server is asked again and again, with longer and longer pauses, until it is back.

import * as api from "./requests.js";
import { pause } from "./dom.js";
import { pack } from "./link.js";
import { emit, state } from "./store.js";

/** @typedef {import("./types").Description} Description */

/** @type {Promise<unknown>} */
let busy = Promise.resolve();

/**
 * Does the work after all that was asked before.
 * @template T
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
function inTurn(work) {
  const result = busy.then(() => untilAnswered(work));
  busy = result.catch(() => undefined);
  return result;
}

/** @template T @param {() => Promise<T>} work @returns {Promise<T>} */
async function untilAnswered(work) {
  for (let wait = 500; ; wait = Math.min(2 * wait, 8000)) {
    try {
      const answer = await work();
      showLost(false);
      return answer;
    } catch (error) {
      if (!(error instanceof api.Lost)) throw error;
      showLost(true);
      await pause(wait);
    }
  }
}

let lost = false;

/** @param {boolean} now */
function showLost(now) {
  if (lost === now) return;
  lost = now;
  emit(now ? "lost" : "found");
}

/** The id of the run. */
function id() {
  if (!state.run) throw new Error("there is no run yet");
  return state.run.id;
}

/**
 * Asks about the run; if the server has forgotten it, describes it again first.
 * @template T
 * @param {(id: string) => Promise<T>} ask
 * @returns {Promise<T>}
 */
async function ofRun(ask) {
  try {
    return await ask(id());
  } catch (error) {
    if (!(error instanceof api.Refused) || error.status !== 404 || !state.description) throw error;
    state.run = await api.post(state.description);
    return ask(id());
  }
}

/** Whether only the edits differ. @param {Description} a @param {Description} b */
const alike = (a, b) => JSON.stringify({ ...a, edits: [] }) === JSON.stringify({ ...b, edits: [] });

/**
 * Describes a run. If only the edits are new the server keeps what is known of it; another run gets another name, so that
 * what is still asked about the one before is answered about that one.
 * @param {Description} description
 */
async function describe(description) {
  if (!state.run || !state.description || !alike(state.description, description)) return api.post(description);
  try {
    return await api.put(state.run.id, description);
  } catch (error) {
    if (error instanceof api.Refused && error.status === 404) return api.post(description);
    throw error;
  }
}

/**
 * Makes this the run that is shown. Refused descriptions leave everything as it is. `build` is called when its turn
 * has come, so that it knows the step that is shown then.
 * @param {() => Description} build
 */
export function open(build) {
  return inTurn(async () => {
    const description = build();
    const run = await describe(description);
    const told = description.case ? toldByCase(description, run) : description;
    state.description = { ...told, text: await textOf(run, description.text) };
    state.run = run;
  });
}

/** A case knows its protocol, size, scheduler and seed; the link should not say otherwise. @param {Description} description @param {import("./types").Run} run @returns {Description} */
const toldByCase = (description, { protocol, n, scheduler, seed }) => ({ ...description, protocol, n, scheduler, seed });

/** A link holds the text that runs, wherever it came from. @param {import("./types").Run} run @param {Description["text"]} given */
async function textOf({ listing }, given) {
  if (!listing?.runs) return null;
  return given?.text === listing.text ? given : { text: listing.text, packed: await pack(listing.text) };
}

/** @param {Parameters<typeof api.frame>[1]} wish */
export const frame = (wish) => inTurn(() => ofRun((run) => api.frame(run, wish)));

// Diagrams do not wait for their turn, nor do frames wait for them.

export const history = () => untilAnswered(() => ofRun(api.history));

/** @param {Parameters<typeof api.spacetime>[1]} wish */
export const spacetime = (wish) => untilAnswered(() => ofRun((run) => api.spacetime(run, wish)));

/** @param {Parameters<typeof api.lines>[1]} wish */
export const lines = (wish) => untilAnswered(() => ofRun((run) => api.lines(run, wish)));

/** @param {number} step */
export const facts = (step) => inTurn(() => ofRun((run) => api.facts(run, step)));

/** @param {"case" | "config"} what @param {number} step */
export const download = (what, step) => inTurn(() => ofRun((run) => api.download(run, what, step)));

export const protocols = () => inTurn(api.protocols);
export const opening = () => inTurn(api.opening);
