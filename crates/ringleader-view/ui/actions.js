// What changes the run: opening another one, and the edits of the adversary. Every change is deliberate, so each
// makes an entry in the browser's history, and Back undoes it.

import { catchUp, remember } from "./address.js";
import { count, many } from "./dom.js";
import { adopt } from "./draft.js";
import { pack } from "./link.js";
import { say } from "./messages.js";
import { resume, seek, step } from "./player.js";
import { Refused } from "./requests.js";
import * as session from "./session.js";
import { emit, state } from "./store.js";

/** @typedef {import("./types").Description} Description */
/** @typedef {import("./types").Edit} Edit */

/** A random 32-bit number: a coin or a seed that is short enough to be read. */
export const chance = () => crypto.getRandomValues(new Uint32Array(1))[0];

/**
 * Shows another run, from its beginning or the step given. A text that is wrong comes into the editor.
 * @param {Description} description
 * @param {number | null} [at]
 */
export async function openRun(description, at = null) {
  await session.open(() => description).catch((error) => {
    if (description.text && error instanceof Refused && error.problems.length > 0) adopt(description.protocol, description.text.text, error.problems);
    throw error;
  });
  // The picture of another run would be misread with the variables of this one.
  state.frame = null;
  emit("run");
  seek(at ?? 0);
}

/** @param {Description} description */
export async function startRun(description) {
  await openRun(description);
  remember();
}

/** Edits that have happened when a step is shown: an interaction chosen for that step is still to come. @param {number} at @returns {Edit[]} */
const editsUntil = (at) => (state.description?.edits ?? []).filter((edit) => edit.step < at || (edit.step === at && !("interact" in edit)));

/**
 * Adds an edit at the step that is shown; later edits belong to another future and go.
 * @param {(at: number) => Edit} make
 * @returns {Promise<number>} the step
 */
async function edit(make) {
  let at = 0;
  await session.open(() => {
    at = step();
    if (!state.description) throw new Error("there is no run yet");
    catchUp();
    return { ...state.description, edits: [...editsUntil(at), make(at)] };
  });
  emit("run");
  return at;
}

/** @param {number} at @param {string} told */
function edited(at, told) {
  resume(at);
  remember();
  say(`${told}. Back undoes it.`);
}

/** @param {number} agent @param {import("./types").Agent} values */
export async function overwrite(agent, values) {
  const at = await edit((now) => ({ step: now, agent, state: values }));
  edited(at, `Step ${count(at)}: ${Object.keys(values).join(", ")} of agent ${agent} overwritten`);
}

/** @param {number} agents @param {string} place @param {string | null} variable */
export async function corrupt(agents, place, variable) {
  const at = await edit((now) => ({ step: now, corrupt: agents, place, variable, seed: String(chance()) }));
  edited(at, `Step ${count(at)}: ${many(agents, "agent")} corrupted`);
}

/** @param {[number, number]} pair */
export async function interact(pair) {
  const at = await edit((now) => ({ step: now, interact: pair, coin: chance() }));
  edited(at + 1, `Agents ${pair[0]} → ${pair[1]} interact at step ${count(at)}`);
}

/**
 * Opens a case or configuration file. What it does not say is taken from the run that is shown.
 * @param {string} text
 */
export async function importCase(text) {
  const content = readJson(text);
  const now = state.description;
  if (!now) return;
  const own = !Array.isArray(content) && content !== null && typeof content === "object" && "protocol" in content;
  const file = { text, packed: await pack(text) };
  await startRun({ ...now, params: own ? {} : now.params, start: null, edits: [], case: file });
  say("Imported.");
}

/** @param {string} text */
function readJson(text) {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`the file is no JSON: ${error instanceof Error ? error.message : error}`);
  }
}
