// Running a text, wherever it comes from: with the ring, the start and the seed that the form says.

import { startRun } from "./actions.js";
import { pack } from "./link.js";
import { say } from "./messages.js";
import { Refused } from "./requests.js";
import { described, isOfShown } from "./setup.js";
import { state } from "./store.js";

/** @typedef {import("./types").Description} Description */

/** What the next run takes over; another text has another default start. @returns {Description} */
function now() {
  const wish = isOfShown() ? described() : state.description;
  if (!wish) throw new Error("there is no run yet");
  return { ...wish, start: wish.start === state.run?.starts[0]?.name ? null : wish.start };
}

/** Runs a text; without one, what the catalogue has under the name. @param {string} name @param {string | null} text */
export async function openText(name, text) {
  const packed = text === null ? null : { text, packed: await pack(text) };
  const wish = { ...now(), protocol: name, text: packed, case: null, edits: [] };
  try {
    await startRun(wish);
  } catch (error) {
    if (!(error instanceof Refused) || error.problems.length > 0) throw error;
    await startPlain(wish, error);
  }
}

/** A text may have other starts and parameters than the one before. @param {Description} wish @param {Refused} refused */
async function startPlain(wish, refused) {
  if (wish.start === null && Object.keys(wish.params).length === 0) throw refused;
  await startRun({ ...wish, start: null, params: {} }).catch((error) => Promise.reject(error.problems?.length > 0 ? error : refused));
  say(`${refused.message}; so this run has the default start and parameters.`);
}
