// The form that describes a run: protocol, n, parameters, start, scheduler and seed. The server judges what is typed.

import { chance, startRun } from "./actions.js";
import { button, count, element, fillSelect, groupDigits, input, make, many, select } from "./dom.js";
import { parameter } from "./link.js";
import { attempt } from "./messages.js";
import { on, protocols, state } from "./store.js";

/** @typedef {import("./types").Protocol} Protocol */

const chosen = () => protocols().find(({ name }) => name === select("protocol").value) ?? null;

function showCatalogue() {
  const names = protocols().map(({ name, summary }) => ({ value: name, text: name, title: summary }));
  fillSelect(select("protocol"), names, state.run?.protocol ?? "");
  const limit = state.catalogue?.limits.n;
  if (limit) input("n").title = `agents, 3 to ${count(limit)}`;
}

/** Parameters and starts of the protocol that is chosen in the form. */
function showChoices() {
  const about = chosen();
  if (!about) return;
  element("summary").textContent = [about.summary, ...claims(about)].join(". ") + ".";
  element("params").replaceChildren(...about.parameters.map(parameterField));
  fillSelect(
    select("start"),
    about.starts.map(({ name, about: title }) => ({ value: name, text: name, title })),
    "",
  );
  showStart();
}

/** What a text does not say is not repeated. @param {Protocol} about */
function claims({ assumption, bound, file }) {
  const said = [`Assumes: ${assumption}`, `Claims: ${bound} steps`];
  return said.filter((_, k) => !file || ![assumption === "none", bound === "not stated"][k]);
}

/** @param {Protocol["parameters"][number]} parameter */
function parameterField({ name, help, flag }) {
  const field = make("input", {
    id: `param-${name}`,
    type: flag ? "checkbox" : "text",
    inputmode: "numeric",
    title: help,
    autocomplete: "off",
  });
  const rule = /\[default: (.*)\]/.exec(help)?.[1] ?? "";
  if (!flag) field.placeholder = String(state.run?.settings[name] ?? (rule.length < 8 ? rule : "default"));
  return make("label", { class: flag ? "flag" : "", title: help }, flag ? [field, ` ${name}`] : [name, field]);
}

function showStart() {
  const start = chosen()?.starts.find(({ name }) => name === select("start").value);
  element("start-about").textContent = start?.about ?? "";
}

/** The form says what is shown. */
function showRun() {
  const { run, description } = state;
  if (!run || !description) return;
  showCatalogue();
  showChoices();
  input("n").value = String(run.n);
  select("scheduler").value = run.scheduler;
  input("seed").value = run.seed;
  if (run.start) select("start").value = run.start;
  for (const [name, value] of Object.entries(description.params)) showParameter(name, value);
  showStart();
  if (!run.start) element("start-about").textContent = "This run began from a file; another begins from the start chosen here.";
  showFacts();
}

/** @param {string} name @param {number | boolean | string} value */
function showParameter(name, value) {
  const field = document.getElementById(`param-${name}`);
  if (!(field instanceof HTMLInputElement)) return;
  if (field.type === "checkbox") field.checked = value !== false;
  else field.value = String(value);
}

/** What the run is, in a line. */
function showFacts() {
  const { run, description } = state;
  if (!run) return;
  const settings = Object.entries(run.settings).map(([name, value]) => `${name} = ${value}`);
  const parts = [
    `n = ${count(run.n)}`,
    ...settings,
    `${groupDigits(run.states)} states per agent`,
    `${run.ring} ring`,
    `rules: ${run.listing?.runs ? "the text" : run.origin}`,
  ];
  if (description?.case) parts.push(run.recorded === null ? "from a file" : `from a case of ${many(run.recorded, "interaction")}`);
  element("run-facts").textContent = parts.join(", ");
  element("run-name").textContent = run.summary;
}

function given() {
  /** @type {import("./types").Description["params"]} */
  const params = {};
  for (const { name, flag } of chosen()?.parameters ?? []) {
    const field = input(`param-${name}`);
    if (flag ? field.checked : field.value.trim() !== "") params[name] = flag ? true : parameter(field.value.trim(), false);
  }
  return params;
}

/** Whether the form describes the protocol that is shown. */
export const isOfShown = () => select("protocol").value === state.run?.protocol;

/** The description that the form holds. @returns {import("./types").Description} */
export function described() {
  const [n, seed] = [input("n").value.trim(), input("seed").value.trim()];
  if (!/^\d+$/.test(n)) throw new Error(`n: ${n || "nothing"}; a ring has 3 to ${count(state.catalogue?.limits.n ?? 0)} agents`);
  const protocol = select("protocol").value;
  return {
    protocol,
    n: Number(n),
    params: given(),
    start: select("start").value,
    scheduler: select("scheduler").value,
    seed,
    text: isOfShown() ? (state.description?.text ?? null) : null,
    case: null,
    edits: [],
  };
}

const apply = () => attempt(() => startRun(described()), "setup-error");

function randomSeed() {
  input("seed").value = String(chance());
  void apply();
}

export function startSetup() {
  showCatalogue();
  select("protocol").addEventListener("change", showChoices);
  select("start").addEventListener("change", showStart);
  button("random-seed").addEventListener("click", randomSeed);
  element("setup").addEventListener("submit", (event) => {
    event.preventDefault();
    void apply();
  });
  on("run", showRun);
}
