// The controls of time under the ring: play, step, speed, the slider over the whole run, the events to stop at, and
// what is known of the step that is shown.

import { button, count, element, input, make, rounded, slug, write } from "./dom.js";
import { SPEEDS } from "./link.js";
import { complain, say } from "./messages.js";
import * as player from "./player.js";
import { look, on, state } from "./store.js";

/** Besides the events of the protocol one can always stop at these. */
const ALWAYS = [
  { name: "phase", about: "a phase is reached" },
  { name: "safe", about: "the safe set is entered" },
];

/** The kinds of events of the run. */
const kinds = () => [...(state.run?.events ?? []), ...ALWAYS];

/** The kinds to stop at; all of them until the reader chooses. */
const wanted = () => state.view.events ?? kinds().map(({ name }) => name);

function buildEvents() {
  element("events").replaceChildren(...kinds().map(({ name, about }) => eventBox(name, about)));
  showEvents();
}

/** @param {string} name @param {string} about */
function eventBox(name, about) {
  const box = make("input", { type: "checkbox", id: `events-${slug(name)}` });
  box.addEventListener("change", () => choose(name, box.checked));
  return make("label", { title: about }, [box, ` ${name}`]);
}

/** @param {string} name @param {boolean} checked */
function choose(name, checked) {
  const names = kinds().map((kind) => kind.name);
  look({ events: names.filter((kind) => (kind === name ? checked : wanted().includes(kind))) });
}

function showEvents() {
  for (const { name } of kinds()) input(`events-${slug(name)}`).checked = wanted().includes(name);
}

export function nextEvent() {
  const known = new Set(kinds().map(({ name }) => name));
  const until = wanted().filter((name) => known.has(name));
  if (until.length === 0) return complain("choose at least one kind of event to stop at");
  player.runTo(until);
}

/** @param {number} by */
export function changeSpeed(by) {
  const speed = Math.min(Math.max(state.view.speed + by, 0), SPEEDS.length - 1);
  look({ speed });
}

export const fullSpeed = () => look({ speed: SPEEDS.length - 1 });

function showSpeed() {
  const speed = SPEEDS[state.view.speed];
  const text = speed === Infinity ? "as fast as it goes" : `${count(speed)} / s`;
  write("speed-shown", text);
  input("speed").value = String(state.view.speed);
  input("speed").setAttribute("aria-valuetext", speed === Infinity ? text : `${count(speed)} interactions per second`);
}

function showIntent() {
  const playing = player.isPlaying();
  const play = button("play");
  play.textContent = playing ? "❚❚ Pause" : "▶ Play";
  play.setAttribute("aria-pressed", String(playing));
  write("status", status());
  document.body.classList.toggle("playing", playing);
}

function status() {
  const { intent, frame, stopped } = state;
  if (intent.kind === "event") return `running to the next event … step ${count(frame?.step ?? 0)}`;
  if (intent.kind === "seek" && frame?.behind) return `going to step ${count(intent.step)} … at ${count(frame.step)}`;
  return stopped;
}

let scrubbing = false;

function showFrame() {
  const { frame, run } = state;
  if (!frame || !run) return;
  write("step-shown", count(frame.step));
  write("time-shown", rounded(frame.step / run.n));
  write("furthest-shown", count(frame.furthest));
  showHash(frame.hash);
  write("status", status());
  const scrub = input("scrub");
  scrub.max = String(Math.max(frame.furthest, 1));
  if (!scrubbing) scrub.value = String(frame.step);
  scrub.setAttribute("aria-valuetext", `step ${count(frame.step)} of ${count(frame.furthest)}`);
}

/** @param {string | undefined} hash */
function showHash(hash) {
  const shown = button("hash-shown");
  shown.textContent = hash ? `${hash.slice(0, 12)}…` : "when paused";
  shown.disabled = !hash;
  shown.title = hash ? `SHA-256 of the configuration: ${hash} (click to copy)` : "the hash is computed when paused";
  shown.dataset.hash = hash ?? "";
}

async function copyHash() {
  await navigator.clipboard.writeText(button("hash-shown").dataset.hash ?? "");
  say("Hash copied.");
}

function goTo() {
  const text = input("goto").value.replaceAll(/[ ,_]/g, "");
  if (/^\d{1,15}$/.test(text)) player.seek(Number(text));
  else complain(`step: ${text || "nothing"}; allowed is a whole number, 0 or more`);
}

export const toEnd = () => player.seek(state.frame?.furthest ?? 0);

export function startTransport() {
  button("play").addEventListener("click", player.toggle);
  button("step").addEventListener("click", player.forward);
  button("back").addEventListener("click", player.back);
  button("next-event").addEventListener("click", nextEvent);
  button("hash-shown").addEventListener("click", () => void copyHash());
  input("speed").max = String(SPEEDS.length - 1);
  input("speed").addEventListener("input", () => look({ speed: Number(input("speed").value) }));
  connectScrub(input("scrub"));
  element("goto-form").addEventListener("submit", (event) => {
    event.preventDefault();
    // The keys are shortcuts again.
    input("goto").blur();
    goTo();
  });
  on("run", buildEvents);
  on("view", () => {
    showSpeed();
    if (state.run) showEvents();
  });
  on("intent", showIntent);
  on("frame", showFrame);
  showSpeed();
}

/** @param {HTMLInputElement} scrub */
function connectScrub(scrub) {
  scrub.addEventListener("input", () => {
    scrubbing = true;
    player.seek(Number(scrub.value));
  });
  scrub.addEventListener("change", () => (scrubbing = false));
}
