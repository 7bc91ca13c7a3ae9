// The text that is being written in the page, what is wrong with it, and whether it is what runs. A run goes on as it is until another
// text runs; what was written and did not run yet is kept meanwhile.

import { emit, on, state } from "./store.js";
import { moved } from "./syntax.js";

/** @typedef {import("./types").Problem} Problem */

export const draft = {
  name: "",
  text: "",
  /** What the server found when the text was to run. @type {Problem[]} */
  problems: [],
  editing: false,
};

/** The text of the run, as a draft would begin with it. */
let base = { name: "", text: "" };

/** Texts that no protocol of the catalogue has, as they were when they were first seen. @type {Map<string, string>} */
const firsts = new Map();

/** Line ends as the page has them. @param {string} text */
const plain = (text) => text.replace(/\r\n?/g, "\n");

/** Whether the draft says something else than the run. */
export const isChanged = () => draft.text !== base.text;

/** The lines of the run's text. */
export const linesOfRun = () => base.text.split("\n");

/** The lines of a text. */
export const linesOfDraft = () => draft.text.split("\n");

/** @param {Partial<typeof draft>} change */
function set(change) {
  Object.assign(draft, change);
  emit("draft");
}

/** @param {boolean} editing */
export const edit = (editing) => set({ editing });

/** What was typed. Problems stay with their lines, unless these have changed. @param {string} text */
export function write(text) {
  const { place } = moved(linesOfDraft(), text.split("\n"));
  const problems = draft.problems.flatMap((problem) => {
    const [line, end] = [place(problem.line), place(problem.end_line)];
    return line === null || end === null ? [] : [{ ...problem, line, end_line: end }];
  });
  set({ text, problems });
}

/** @param {string} name */
export function rename(name) {
  draft.name = name;
}

/** Another text to write on. @param {string} name @param {string} text @param {Problem[]} [problems] */
export const adopt = (name, text, problems = []) => set({ name, text: plain(text), problems, editing: true });

/** The protocol that the catalogue has under the name of a text: a file, or one whose text was changed. @param {string} name */
export function cataloguedAs(name) {
  const known = state.catalogue?.protocols ?? [];
  return known.find((one) => one.name === name || (!one.file && `${one.name}.py` === name))?.name ?? null;
}

/** The text as it was when it was first seen, if the catalogue does not have it. @param {string} name */
export const firstOf = (name) => firsts.get(name) ?? null;

/** A draft that says nothing of its own follows the run. */
function follow() {
  const { run } = state;
  if (!run) return;
  const { listing } = run;
  const kept = isChanged();
  base = { name: listing?.runs ? run.protocol : `${run.protocol}.py`, text: plain(listing?.text ?? "") };
  if (listing?.runs && !cataloguedAs(run.protocol) && !firsts.has(run.protocol)) firsts.set(run.protocol, base.text);
  if (kept && isChanged()) emit("draft");
  else set({ ...base, problems: [] });
}

export function startDraft() {
  on("run", follow);
}
