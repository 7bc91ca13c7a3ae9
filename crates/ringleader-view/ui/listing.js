// The text beside the ring: its lines with their colours, those that the last interaction executed, how often each was executed up to the
// step that is shown, and what is wrong with them. While it is written, the same lines show the draft; a text field lies over them.

import { count, element, input, make, write } from "./dom.js";
import { draft, isChanged, linesOfDraft, linesOfRun } from "./draft.js";
import { SPEEDS } from "./link.js";
import { isPlaying } from "./player.js";
import { refresher } from "./plot.js";
import * as session from "./session.js";
import { look, on, state } from "./store.js";
import { moved, paperLine, wordsOf } from "./syntax.js";
import { variableOf } from "./tracks.js";

/** @typedef {import("./types").Problem} Problem */
/** @typedef {import("./types").Counts} Counts */
/**
 * A line as it is shown; `open` are the quotes that are open at its beginning and at its end.
 * @typedef {{ line: string, open: [string, string], key: string, place: HTMLElement, tally: HTMLElement, told: string }} Row
 */

const REFRESH_MS = 400;
/** How long one request may count. */
const COUNT_MS = 100;
/** What is farther away is not counted unasked: it would take minutes. */
const FAR = 20_000_000;
/** Up to this speed the text follows a run that is played. */
const SLOW = 5;

/** @type {Row[]} */
let rows = [];

// --- Lines -------------------------------------------------------------------------------------------------------

/** The lines that are shown. A text ends with a line end, which is no line to read. */
function linesShown() {
  if (draft.editing) return linesOfDraft();
  const lines = linesOfRun();
  return lines.length > 1 && lines[lines.length - 1] === "" ? lines.slice(0, -1) : lines;
}

/** @returns {Row} */
function newRow() {
  const tally = make("span", { class: "tally" });
  const gutter = make("span", { class: "gutter", "aria-hidden": "true" }, [tally, make("span", { class: "at" })]);
  return { line: "", open: ["", ""], key: "", told: "", tally, place: make("div", { class: "row" }, [gutter, make("span", { class: "code" })]) };
}

/** Makes as many rows as there are lines, where they were added or taken away; what it returns puts them into the page. @param {string[]} lines */
function fitRows(lines) {
  const { head, tail } = moved(
    rows.map(({ line }) => line),
    lines,
  );
  const added = lines.slice(head, lines.length - tail).map(newRow);
  const removed = rows.splice(head, rows.length - tail - head, ...added);
  removed.forEach(({ place }) => place.remove());
  const next = rows[head + added.length]?.place ?? null;
  // All at once: the page looks at every change of itself.
  const together = document.createDocumentFragment();
  return () => {
    together.append(...added.map(({ place }) => place));
    element("text-rows").insertBefore(together, next);
  };
}

/** @param {string[]} lines @param {Problem[]} problems */
function showLines(lines, problems) {
  const put = fitRows(lines);
  const wrong = new Map(problems.map((problem) => [problem.line, problem]));
  let open = "";
  rows.forEach((row, k) => {
    const line = lines[k];
    const known = row.key !== "" && row.line === line && row.open[0] === open;
    const words = known ? null : wordsOf(line, open);
    if (words) Object.assign(row, { line, open: [open, words.open] });
    const problem = wrong.get(k + 1);
    const key = `${draft.editing} ${state.run?.id} ${problem ? `${problem.column} ${endColumn(problem, line)}` : ""}`;
    if (words || row.key !== key) showRow(row, (words ?? wordsOf(line, open)).words, problem);
    row.key = key;
    open = row.open[1];
  });
  put();
}

/** Columns count characters, not units of UTF-16. @param {string} line @param {number} column */
const unitOf = (line, column) => [...line].slice(0, column - 1).join("").length;

/** @param {Problem} problem @param {string} line */
const endColumn = (problem, line) => (problem.end_line > problem.line ? [...line].length + 1 : problem.end_column);

/** @param {Row} row @param {import("./syntax.js").Word[]} words @param {Problem} [problem] */
function showRow({ line, place }, words, problem) {
  const paper = draft.editing ? null : paperLine(line);
  const end = paper ? paper.index : line.length;
  const mark = problem ? [unitOf(line, problem.column), Math.max(unitOf(line, endColumn(problem, line)), unitOf(line, problem.column) + 1)] : [0, 0];
  let at = 0;
  const parts = words.flatMap((word, k) => {
    const from = at;
    at += word.text.length;
    const field = fieldOf(words, k);
    return pieces(from, Math.min(at, end), mark).map(([a, b]) => part(line.slice(a, b), word.kind, field, a >= mark[0] && b <= mark[1] && mark[1] > 0));
  });
  // A mark past the end of a line has something to stand under.
  if (mark[1] > line.length) parts.push(make("span", { class: "wrong" }, [" "]));
  const number = make("span", { class: "paper", title: "the line of the paper" }, [paper?.[1] ?? ""]);
  place.replaceChildren(place.children[0], make("span", { class: "code" }, parts), ...(paper ? [number] : []));
}

/** A stretch of a line, cut where a mark begins and ends. @param {number} from @param {number} to @param {number[]} mark @returns {[number, number][]} */
function pieces(from, to, mark) {
  const cuts = [from, ...mark.filter((cut) => cut > from && cut < to), to];
  return cuts.slice(1).map((cut, k) => /** @type {[number, number]} */ ([cuts[k], cut])).filter(([a, b]) => a < b);
}

/** @param {string} text @param {string} kind @param {string} field @param {boolean} wrong */
function part(text, kind, field, wrong) {
  const classes = [kind, ...(field ? ["variable"] : []), ...(wrong ? ["wrong"] : [])].filter((name) => name !== "");
  if (classes.length === 0) return text;
  const made = make("span", { class: classes.join(" ") }, [text]);
  if (!field) return made;
  made.dataset.field = field;
  made.title = `colour the ring by ${cellsOf(field).join(", ")}`;
  return made;
}

// --- Variables ---------------------------------------------------------------------------------------------------

/** The variables of the run that a variable of the text stands for. @param {string} field */
function cellsOf(field) {
  const { run } = state;
  const fields = run?.listing?.fields ?? {};
  return Object.hasOwn(fields, field) && run ? fields[field].filter((name) => variableOf(run, name)) : [];
}

/** The variable that a word is the name of: behind a dot, or where it is declared. @param {import("./syntax.js").Word[]} words @param {number} k */
function fieldOf(words, k) {
  const { kind, text } = words[k];
  const declared = words[k + 1]?.text === ":" && words.slice(0, k).every((word) => word.text.trim() === "");
  const used = words[k - 1]?.text === ".";
  return !draft.editing && kind === "name" && (declared || used) && cellsOf(text).length > 0 ? text : "";
}

/** Colours the ring by a variable, by the next of a pair, or as before. @param {string} field */
function colourBy(field) {
  const cells = cellsOf(field);
  const next = cells.indexOf(state.view.colour) + 1;
  look({ colour: cells[next] ?? "auto" });
}

function showColoured() {
  for (const place of element("text-rows").querySelectorAll(".variable")) {
    const field = /** @type {HTMLElement} */ (place).dataset.field ?? "";
    place.classList.toggle("coloured", cellsOf(field).includes(state.view.colour));
  }
}

// --- What is wrong -----------------------------------------------------------------------------------------------

/** What went wrong while the text ran. */
function faults() {
  const { frame } = state;
  const at = `at step ${count(frame?.step ?? 0)}`;
  const broken = frame?.broken ? [{ ...frame.broken, what: `${at} the next interaction goes wrong: ${frame.broken.what}` }] : [];
  const blind = frame?.blind ? [{ ...frame.blind, what: `${at} the sets cannot be told: ${frame.blind.what}` }] : [];
  return [...broken, ...blind];
}

/** All problems of the lines that are shown. @returns {Problem[]} */
function problemsShown() {
  const place = placeOfRun();
  const ran = faults().flatMap((fault) => {
    const line = place(fault.line);
    return line === null ? [] : [{ ...fault, line, end_line: line + fault.end_line - fault.line }];
  });
  return [...(draft.editing ? draft.problems : []), ...ran];
}

/** @param {Problem} problem */
function problemBox({ line, column, what, help }) {
  const words = [make("strong", {}, [`${line}:${column} `]), what, ...(help ? [make("span", { class: "help" }, [help])] : [])];
  const box = make("div", { class: "problem", role: "note" }, words);
  box.style.setProperty("--column", String(Math.min(column - 1, 16)));
  return box;
}

/** Whether anything is wrong with the lines that are shown. */
export const isWrong = () => problemsShown().length > 0;

/** @param {Problem[]} problems */
function showProblems(problems) {
  element("text-rows").querySelectorAll(".problem").forEach((box) => box.remove());
  // The last first, so that those of one line come in their order.
  for (const problem of [...problems].reverse()) {
    const row = rows[Math.min(problem.line, rows.length) - 1];
    row?.place.after(problemBox(problem));
  }
}

// --- What runs ---------------------------------------------------------------------------------------------------

/** Where the lines of the run are among those that are shown. */
const placeOfRun = () => (draft.editing && isChanged() ? moved(linesOfRun(), linesOfDraft()).place : (/** @type {number} */ line) => line);

/** The lines of the last interaction. */
let marked = /** @type {Row[]} */ ([]);

function showRan() {
  const place = placeOfRun();
  const now = (state.frame?.lines ?? []).flatMap((line) => rows[(place(line) ?? 0) - 1] ?? []);
  marked.filter((row) => !now.includes(row)).forEach(({ place: at }) => at.classList.remove("ran"));
  now.forEach(({ place: at }) => at.classList.add("ran"));
  marked = now;
  if (input("text-follow").checked && !draft.editing && isCalm()) bringIntoSight(now);
}

/** Whether there is time to look at a step. */
const isCalm = () => !isPlaying() || SPEEDS[state.view.speed] <= SLOW;

/** Scrolls as little as shows these rows, or the first of them if there is no room for all. @param {Row[]} seen */
export function bringIntoSight(seen) {
  const box = element("text-scroll");
  if (seen.length === 0 || box.clientHeight === 0) return;
  const room = box.clientHeight;
  const top = Math.min(...seen.map(({ place }) => place.offsetTop));
  const bottom = Math.max(...seen.map(({ place }) => place.offsetTop + place.offsetHeight));
  const low = bottom - room + 8;
  const high = top - 8;
  if (box.scrollTop > high || low > high) box.scrollTop = high;
  else if (box.scrollTop < low) box.scrollTop = low;
}

/** The row of a line. @param {number} line */
export const rowOf = (line) => rows[line - 1] ?? null;

/** Which line a place on the page is of. @param {Element} place */
export const lineAt = (place) => rows.findIndex((row) => row.place === place) + 1;

// --- How often ---------------------------------------------------------------------------------------------------

const compact = new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 3 });

/** What is known, and of which run and step it was asked. @type {Counts & { run: import("./types").Run | null, asked: number }} */
let known = { run: null, asked: -1, step: -1, counts: [] };

const isOpen = () => element("text-panel").hasAttribute("open");

async function ask() {
  const { run, frame } = state;
  if (!run?.listing?.tells || !frame || !isOpen() || document.hidden) return;
  const again = known.run === run && known.asked === frame.step;
  if (again && known.step === frame.step) return;
  const from = known.run === run ? known.step : 0;
  if (frame.step - from > FAR) return showCounts();
  const answer = await session.lines({ step: frame.step, ms: COUNT_MS });
  if (run.id !== state.run?.id) return;
  const goesOn = answer.step < frame.step && !(again && answer.step === known.step);
  known = { ...answer, run, asked: frame.step };
  showCounts();
  if (goesOn) setTimeout(refresh, REFRESH_MS);
}

const refresh = refresher(REFRESH_MS, ask);

/** For tests: the step up to which lines are counted. */
export const countedUpTo = () => (known.run === state.run ? known.step : -1);

function showCounts() {
  const place = placeOfRun();
  const counts = known.run?.id === state.run?.id ? known.counts : [];
  const most = counts.reduce((greatest, [, times]) => Math.max(greatest, times), 1);
  const shown = new Map(counts.map(([line, times]) => [place(line), times]));
  rows.forEach((row, k) => showTally(row, shown.get(k + 1) ?? 0, most));
  write("text-counted", countedText());
}

/** @param {Row} row @param {number} times @param {number} most */
function showTally(row, times, most) {
  const told = `${times} of ${most}`;
  if (row.told === told || (times === 0 && row.told === "")) return;
  row.told = times === 0 ? "" : told;
  row.tally.textContent = times > 0 ? compact.format(times) : "";
  row.tally.title = times > 0 ? `executed ${count(times)} times` : "";
  row.tally.style.setProperty("--part", String(Math.sqrt(times / most)));
}

function countedText() {
  const { run, frame } = state;
  if (!run?.listing || !frame) return "";
  if (!run.listing.tells) return "On this ring the text tells no lines.";
  if (known.run?.id !== run.id || known.step === frame.step) return "";
  if (frame.step - known.step > FAR) return `Lines are counted up to step ${count(known.step)}; this one is too far away.`;
  return `Lines counted up to step ${count(known.step)}.`;
}

// --- All of it ---------------------------------------------------------------------------------------------------

function showTitle() {
  const { run } = state;
  const listing = run?.listing;
  const name = draft.editing ? draft.name : run?.protocol;
  write("text-title", !listing && !draft.editing ? "this protocol has none" : listing?.runs || draft.editing ? `${name}` : `${name}, as a text`);
  element("text-body").classList.toggle("editing", draft.editing);
}

function showAll() {
  const problems = problemsShown();
  showTitle();
  showLines(linesShown(), problems);
  showProblems(problems);
  showRan();
  showCounts();
  showColoured();
}

/** What the last frame was wrong about: only then the lines need be made again. */
let faulty = false;

function showFrame() {
  const now = faults().length > 0;
  if (now || faulty) showAll();
  else showRan();
  faulty = now;
  if (!isPlaying()) write("text-counted", countedText());
  refresh();
}

/** What is wrong is told within the width that is seen. */
function fitProblems() {
  const box = element("text-scroll");
  box.style.setProperty("--room", `${box.clientWidth}px`);
}

export function startListing() {
  new ResizeObserver(fitProblems).observe(element("text-scroll"));
  element("text-rows").addEventListener("click", (event) => {
    const field = event.target instanceof HTMLElement ? event.target.closest(".variable") : null;
    if (field instanceof HTMLElement) colourBy(field.dataset.field ?? "");
  });
  element("text-panel").addEventListener("toggle", refresh);
  document.addEventListener("visibilitychange", refresh);
  on("draft", showAll);
  on("frame", showFrame);
  on("run", refresh);
  on("view", showColoured);
}
