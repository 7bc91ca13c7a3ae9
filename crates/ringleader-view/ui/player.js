// Time: one intent at a time (rest, seek a step, play, run to an event), carried out request by request. The next
// request goes out only after the last answer was drawn, so a slow machine plays slower but never freezes.

import { SPEEDS } from "./link.js";
import { count, pause } from "./dom.js";
import * as session from "./session.js";
import { painted } from "./stage.js";
import { emit, state } from "./store.js";

/** @typedef {import("./types").Frame} Frame */
/** @typedef {import("./types").Intent} Intent */

/** More steps than any request can run. */
const MANY = 1e12;
/** How long one request may compute: short while playing, to draw often. */
const PLAY_MS = 20;
const SEEK_MS = 200;

/** @type {(error: unknown) => void} */
let report = () => {};
let running = false;

/** @param {(error: unknown) => void} onError */
export function startPlayer(onError) {
  report = onError;
}

/** @param {Intent} intent */
function want(intent) {
  state.intent = intent;
  state.stopped = "";
  emit("intent");
  if (!running) void pump();
}

async function pump() {
  running = true;
  try {
    while (state.intent.kind !== "rest") {
      await turn(state.intent);
      await painted();
    }
  } catch (error) {
    rest("");
    report(error);
  } finally {
    running = false;
  }
}

/** @param {Intent} intent */
async function turn(intent) {
  if (intent.kind === "seek") await seekTurn(intent);
  if (intent.kind === "play") await playTurn(intent);
  if (intent.kind === "event") await eventTurn(intent);
}

/** Shows a frame, unless another run was opened meanwhile. @param {Frame} frame @param {import("./types").Description | null} description */
function show(frame, description) {
  if (description !== state.description) return;
  state.frame = frame;
  emit("frame");
}

/** Ends the intent; the hash is asked for by looking at the same step once more. @param {string} why */
function rest(why) {
  state.intent = { kind: "rest" };
  state.stopped = why;
  emit("intent");
}

/** @param {string} why */
function restAndHash(why) {
  state.intent = { kind: "seek", step: step() };
  state.stopped = why;
  emit("intent");
}

/** @param {Intent & { kind: "seek" }} intent */
async function seekTurn(intent) {
  const { description, stopped } = state;
  const frame = await session.frame({ from: intent.step, ms: SEEK_MS, hash: 1 });
  show(frame, description);
  if (state.intent !== intent) return;
  if (!frame.behind) rest(stopped);
  else if (frame.broken) rest(brokenAt(frame));
}

/** A text may go wrong while it runs; there the run ends. @param {Frame} frame */
const brokenAt = ({ step: at, broken }) => `the run ends at step ${count(at)}, line ${broken?.line} of the text: ${broken?.what}`;

let due = { since: 0, done: 0, speed: 0 };

/** How many steps the clock asks for now. A page that was asleep does not catch up. @param {number} speed */
function stepsDue(speed) {
  const now = performance.now();
  if (due.speed !== speed || now - due.since > 2000) due = { since: now, done: 0, speed };
  const wanted = Math.floor(((now - due.since) / 1000) * speed) - due.done;
  const most = Math.max(1, Math.ceil(speed / 4));
  if (wanted > most) due = { since: now, done: 0, speed };
  else due.done += wanted;
  return Math.min(wanted, most);
}

/** @param {Intent & { kind: "play" }} intent */
async function playTurn(intent) {
  const speed = SPEEDS[state.view.speed];
  const asked = speed === Infinity ? MANY : stepsDue(speed);
  if (asked === 0) return pause(Math.min(1000 / speed, 40));
  const { description } = state;
  const end = state.frame?.end ?? null;
  // A recording is played to its end and no further at once.
  const steps = end === null ? asked : Math.min(asked, end - step());
  const frame = await session.frame({ from: step(), steps, ms: PLAY_MS });
  show(frame, description);
  if (state.intent === intent && frame.broken) restAndHash(brokenAt(frame));
  if (state.intent === intent && step() === end) restAndHash(`end of the recording at step ${count(end)}; the scheduler continues from here`);
}

/** @param {Intent & { kind: "event" }} intent */
async function eventTurn(intent) {
  const { description } = state;
  const frame = await session.frame({ from: step(), steps: MANY, ms: SEEK_MS, until: intent.until.join(",") });
  show(frame, description);
  if (state.intent !== intent) return;
  if (frame.event) restAndHash(`${frame.event.name} at step ${count(frame.step)}`);
  if (frame.broken) restAndHash(brokenAt(frame));
  if (frame.never) restAndHash("nothing more to wait for: the ring is safe and stays in the phases that it has reached");
}

/** The step that is shown. */
export const step = () => state.frame?.step ?? 0;

export const isPlaying = () => state.intent.kind === "play" || state.intent.kind === "event";

export function play() {
  due.speed = 0;
  want({ kind: "play" });
}

export const stop = () => (isPlaying() ? restAndHash("") : undefined);
export const toggle = () => (isPlaying() ? stop() : play());

/** @param {number} to */
export const seek = (to) => want({ kind: "seek", step: Math.max(0, Math.floor(to)) });
export const forward = () => seek(step() + 1);
export const back = () => seek(step() - 1);

/** @param {string[]} until */
export const runTo = (until) => want({ kind: "event", until });

/** After the run was changed: shows a step of it, unless it is playing and will be seen anyway. @param {number} to */
export const resume = (to) => (isPlaying() ? undefined : seek(to));
