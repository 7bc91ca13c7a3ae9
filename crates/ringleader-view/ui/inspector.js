// One agent in full: every variable with its value and domain, fields to overwrite them, and what the last
// interaction changed. A tip beside the pointer shows the same of the agent under it.

import { overwrite } from "./actions.js";
import { button, element, fillSelect, input, make } from "./dom.js";
import { domainText, read, show, typed } from "./domain.js";
import { attempt } from "./messages.js";
import { reveal } from "./pointer.js";
import { placeOf } from "./stage.js";
import { agentState, look, on, state } from "./store.js";

/** @typedef {import("./types").Variable} Variable */
/** @typedef {import("./types").Agent} Agent */

/** Fields that the reader has changed and not applied; frames do not overwrite them. @type {Set<string>} */
const touched = new Set();

/** @param {number | null} agent */
export function pick(agent) {
  touched.clear();
  look({ agent });
  if (agent !== null) reveal(agent);
}

/** @param {number} by */
export function pickNext(by) {
  const n = state.run?.n ?? 1;
  const from = state.view.agent ?? (by > 0 ? -1 : 0);
  pick((((from + by) % n) + n) % n);
}

// --- The table ---------------------------------------------------------------------------------------------------

/** One row for each variable of the protocol. */
function buildTable() {
  touched.clear();
  element("inspector-rows").replaceChildren(...(state.run?.variables ?? []).map(row));
  input("agent").max = String((state.run?.n ?? 1) - 1);
  showAgent();
}

/** @param {Variable} variable */
function row(variable) {
  const field = fieldFor(variable);
  field.addEventListener("input", () => touched.add(variable.name));
  const label = make("label", { for: field.id }, [variable.name]);
  return make("tr", {}, [
    make("th", { scope: "row" }, [label, ...(variable.input ? [make("small", { title: "given, never corrupted" }, [" input"])] : [])]),
    make("td", { class: "value", id: `value-${variable.name}` }),
    make("td", {}, [field]),
    make("td", { class: "domain" }, [domainText(variable)]),
  ]);
}

/** @param {Variable} variable */
function fieldFor({ name, kind, names, domain }) {
  const title = `${name}: ${domain}`;
  if (kind !== "names") return make("input", { id: `edit-${name}`, type: "text", autocomplete: "off", spellcheck: "false", title });
  const list = make("select", { id: `edit-${name}`, title });
  fillSelect(
    list,
    (names ?? []).map((value) => ({ value, text: value })),
    "",
  );
  return list;
}

/** @param {string} name */
function field(name) {
  return /** @type {HTMLInputElement | HTMLSelectElement} */ (element(`edit-${name}`));
}

/** The agent in the table, if it is one of the ring. */
function inspected() {
  const { agent } = state.view;
  return agent !== null && agent < (state.run?.n ?? 0) ? agent : null;
}

function showAgent() {
  const agent = inspected();
  element("inspector").classList.toggle("empty", agent === null);
  if (document.activeElement !== input("agent")) input("agent").value = agent === null ? "" : String(agent);
  const now = agent === null ? {} : agentState(agent);
  for (const { name } of state.run?.variables ?? []) showVariable(name, now);
  button("edit-apply").disabled = agent === null;
  showSpoken(agent, now);
}

/** @param {string} name @param {Agent} now */
function showVariable(name, now) {
  const blank = !(name in now);
  element(`value-${name}`).textContent = blank ? "" : show(now[name]);
  if (!touched.has(name)) field(name).value = blank ? "" : typed(now[name]);
}

/** Readers of the screen hear the selected agent when it is selected, not at every frame. */
let spoken = -1;

/** @param {number | null} agent @param {Agent} now */
function showSpoken(agent, now) {
  if (agent === null || agent === spoken) return;
  spoken = agent;
  const values = Object.entries(now).map(([name, value]) => `${name} ${show(value)}`);
  element("ring-spoken").textContent = `agent ${agent}: ${values.join(", ")}`;
}

async function apply() {
  const agent = inspected();
  if (agent === null || touched.size === 0) throw new Error("change a value first");
  const values = Object.fromEntries([...touched].map((name) => [name, read(field(name).value)]));
  await overwrite(agent, values);
  touched.clear();
}

// --- The last interaction ----------------------------------------------------------------------------------------

/** Whether the adversary changed agents after the last interaction. */
function isEditedHere() {
  return (state.description?.edits ?? []).some((edit) => edit.step === state.frame?.step && !("interact" in edit));
}

function showLast() {
  const { frame } = state;
  const last = frame?.last;
  const place = element("last");
  if (!last) return place.replaceChildren("No interaction yet.");
  const by = last.by === "recorded" ? "as recorded" : `by ${last.by}`;
  const title = `${last.initiator} → ${last.responder}, ${by}${last.draw ? `, draw ${show(last.draw)}` : ""}`;
  const events = last.events.length > 0 ? [make("p", { class: "happened" }, [last.events.join(", ")])] : [];
  const note = isEditedHere() ? [make("p", { class: "muted" }, ["changes include the edits made at this step"])] : [];
  place.replaceChildren(
    make("p", {}, [title]),
    ...events,
    ...note,
    changes(last.initiator, last.before[0], "initiator"),
    changes(last.responder, last.before[1], "responder"),
  );
}

/** What an agent was before and is now. @param {number} agent @param {Agent} before @param {string} role */
function changes(agent, before, role) {
  const now = agentState(agent);
  const changed = Object.keys(now).filter((name) => JSON.stringify(before[name]) !== JSON.stringify(now[name]));
  const items = changed.map((name) => make("li", {}, [`${name}: ${show(before[name])} → ${show(now[name])}`]));
  const list = items.length > 0 ? make("ul", {}, items) : make("p", { class: "muted" }, ["unchanged"]);
  return make("div", { class: "changes" }, [make("h3", {}, [`agent ${agent}, ${role}`]), list]);
}

// --- The tip -----------------------------------------------------------------------------------------------------

function showTip() {
  const tip = element("tip");
  const { hovered, edge, run } = state;
  tip.hidden = hovered === null && edge === null;
  if (tip.hidden || !run) return;
  if (hovered !== null) tip.replaceChildren(make("strong", {}, [`agent ${hovered}`]), tipTable(hovered));
  else if (edge) tip.replaceChildren(edgeText(edge, run.ring === "undirected"));
  placeTip(tip, hovered ?? edge?.[0] ?? 0);
}

/** @param {[number, number]} edge @param {boolean} undirected */
const edgeText = ([from, to], undirected) => `click: ${from} → ${to} interact next${undirected ? " (hold Shift to reverse)" : ""}`;

/** @param {number} agent */
function tipTable(agent) {
  const now = agentState(agent);
  const rows = (state.run?.variables ?? []).map((variable) =>
    make("tr", {}, [
      make("th", {}, [variable.name]),
      make("td", { class: "value" }, [show(now[variable.name])]),
      make("td", { class: "domain" }, [domainText(variable)]),
    ]),
  );
  return make("table", {}, rows);
}

/** Beside the agent, on the side where there is room. @param {HTMLElement} tip @param {number} agent */
function placeTip(tip, agent) {
  const place = placeOf(agent);
  const stage = tip.parentElement;
  if (!place || !stage) return;
  const right = place.x < stage.clientWidth / 2;
  const x = right ? place.x + 34 : place.x - 34 - tip.offsetWidth;
  tip.style.left = `${Math.max(0, Math.min(x, stage.clientWidth - tip.offsetWidth))}px`;
  tip.style.top = `${Math.max(0, Math.min(place.y - tip.offsetHeight / 2, stage.clientHeight - tip.offsetHeight))}px`;
}

export function startInspector() {
  input("agent").addEventListener("change", () => pick(input("agent").value === "" ? null : Number(input("agent").value)));
  element("inspector").addEventListener("submit", (event) => {
    event.preventDefault();
    void attempt(apply, "edit-error");
  });
  on("run", buildTable);
  on("frame view", showAgent);
  on("frame", showLast);
  on("frame hover", showTip);
}
