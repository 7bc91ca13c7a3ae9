// Writing a protocol in the page: a text field over the lines, its keys, and running what it says. Where something is wrong, room is made
// under the line, and the field is moved so that the line with the caret lies on its own words.

import { lineHeight } from "./board.js";
import { button, element, input, write } from "./dom.js";
import * as drafts from "./draft.js";
import { draft, isChanged } from "./draft.js";
import { save } from "./files.js";
import { bringIntoSight, isWrong, lineAt, rowOf } from "./listing.js";
import { attempt } from "./messages.js";
import { Refused } from "./requests.js";
import { on, state } from "./store.js";
import { TEMPLATE } from "./template.js";
import { openText } from "./texts.js";

const INDENT = "    ";
const NEW_NAME = "new.py";

const field = () => /** @type {HTMLTextAreaElement} */ (element("text-draft"));

// --- Changing the field so that the browser can undo it ----------------------------------------------------------

/** @param {number} from @param {number} to @param {string} text */
function replace(from, to, text) {
  const area = field();
  area.focus({ preventScroll: true });
  area.setSelectionRange(from, to);
  if (!document.execCommand("insertText", false, text)) area.setRangeText(text, from, to, "end");
}

/** Browsers take seconds to insert a long text so that it can be undone. */
const UNDOABLE = 4000;

/** Half of a character is no place to cut. @param {string} text @param {number} at */
const isWithin = (text, at) => /[\udc00-\udfff]/.test(text[at] ?? "");

/** Another text: only the stretch that differs is replaced. @param {string} text */
function replaceAll(text) {
  const { value } = field();
  const most = Math.min(value.length, text.length);
  let [head, tail] = [0, 0];
  while (head < most && value[head] === text[head]) head += 1;
  while (head > 0 && (isWithin(value, head) || isWithin(text, head))) head -= 1;
  while (tail < most - head && value[value.length - 1 - tail] === text[text.length - 1 - tail]) tail += 1;
  while (tail > 0 && isWithin(text, text.length - tail)) tail -= 1;
  const part = text.slice(head, text.length - tail);
  if (part.length > UNDOABLE) drafts.write(text);
  else if (value !== text) replace(head, value.length - tail, part);
  field().setSelectionRange(0, 0);
}

// --- Keys --------------------------------------------------------------------------------------------------------

/** Where the selected lines begin and end. */
function selectedLines() {
  const { value, selectionStart, selectionEnd } = field();
  const from = value.lastIndexOf("\n", selectionStart - 1) + 1;
  const end = value.indexOf("\n", Math.max(selectionStart, selectionEnd - 1));
  return { from, to: end < 0 ? value.length : end };
}

/** Moves the selected lines in or out. @param {(line: string) => string} move */
function shift(move) {
  const { from, to } = selectedLines();
  const { value, selectionStart, selectionEnd } = field();
  const text = value.slice(from, to).split("\n").map(move).join("\n");
  replace(from, to, text);
  const caret = Math.max(from, selectionEnd + text.length - (to - from));
  field().setSelectionRange(selectionStart === selectionEnd ? caret : from, selectionStart === selectionEnd ? caret : from + text.length);
}

/** @param {KeyboardEvent} event */
function tab(event) {
  const { value, selectionStart: from, selectionEnd: to } = field();
  if (event.shiftKey) shift((line) => line.replace(/^ {1,4}/, ""));
  else if (value.slice(from, to).includes("\n")) shift((line) => (line === "" ? line : INDENT + line));
  else replace(from, to, INDENT);
}

/** The next line begins where this one does, or farther in after a colon. */
function newLine() {
  const { value, selectionStart: from, selectionEnd: to } = field();
  const line = value.slice(value.lastIndexOf("\n", from - 1) + 1, from);
  const indent = /^ */.exec(line)?.[0] ?? "";
  const opens = /:\s*(#.*)?$/.test(line) && !line.trimStart().startsWith("#");
  replace(from, to, `\n${indent}${opens ? INDENT : ""}`);
}

/** @param {KeyboardEvent} event */
function onKey(event) {
  if (event.isComposing || event.altKey) return;
  const command = event.ctrlKey || event.metaKey;
  if (event.key === "Enter" && command) void runDraft();
  else if (event.key === "Enter" && !command && !event.shiftKey) newLine();
  else if (event.key === "Tab" && !command) tab(event);
  else if (event.key === "Escape") button("text-edit").focus();
  else return;
  event.preventDefault();
}

// --- The field lies on its lines ---------------------------------------------------------------------------------

/** The line of the caret, from 1. */
function caretLine() {
  const { value, selectionStart, selectionEnd, selectionDirection } = field();
  const at = selectionDirection === "backward" ? selectionStart : selectionEnd;
  return value.slice(0, at).split("\n").length;
}

/** Sets a style if it is another one: a long text takes time to be laid out. @param {"height" | "transform"} name @param {string} value */
function style(name, value) {
  if (field().style[name] !== value) field().style[name] = value;
}

/** Room was made above the line of the caret for what is wrong there. */
function align() {
  if (!draft.editing) return;
  const wrong = isWrong();
  field().classList.toggle("moved", wrong);
  style("height", `${drafts.linesOfDraft().length * lineHeight()}px`);
  const line = wrong ? caretLine() : 0;
  const gap = wrong ? (rowOf(line)?.place.offsetTop ?? 0) - (line - 1) * lineHeight() : 0;
  style("transform", gap > 0 ? `translateY(${gap}px)` : "");
}

/** Where in the text a place on the page is. @param {PointerEvent} event */
function offsetAt(event) {
  const target = event.target instanceof Element ? event.target : null;
  const row = target?.closest(".row") ?? target?.closest(".problem")?.previousElementSibling;
  const line = row ? lineAt(row) : 0;
  if (!row || line === 0) return draft.text.length;
  const before = draft.text.split("\n").slice(0, line - 1).reduce((sum, text) => sum + text.length + 1, 0);
  return before + columnAt(row, event);
}

/** @param {Element} row @param {PointerEvent} event */
function columnAt(row, event) {
  const code = row.querySelector(".code");
  const range = document.caretRangeFromPoint?.(event.clientX, event.clientY);
  const length = code?.textContent?.length ?? 0;
  if (!code || !range || !code.contains(range.startContainer)) return length;
  const upTo = document.createRange();
  upTo.setStart(code, 0);
  upTo.setEnd(range.startContainer, range.startOffset);
  return Math.min(upTo.toString().length, length);
}

let anchor = 0;

/** @param {PointerEvent} event */
function point(event) {
  if (!draft.editing || (event.type === "pointermove" && event.buttons !== 1)) return;
  const at = offsetAt(event);
  if (event.type === "pointerdown") anchor = at;
  event.preventDefault();
  field().focus({ preventScroll: true });
  field().setSelectionRange(Math.min(anchor, at), Math.max(anchor, at), at < anchor ? "backward" : "forward");
  align();
}

/** Puts the caret at a problem. @param {import("./types").Problem} problem */
function goTo({ line, column }) {
  const lines = draft.text.split("\n");
  const before = lines.slice(0, line - 1).reduce((sum, text) => sum + text.length + 1, 0);
  const within = [...(lines[line - 1] ?? "")].slice(0, column - 1).join("").length;
  field().focus({ preventScroll: true });
  field().setSelectionRange(before + within, before + within);
  align();
  const row = rowOf(line);
  if (row) bringIntoSight([row]);
}

// --- Running -----------------------------------------------------------------------------------------------------

/** A name of a file, which ends in .py. @param {string} name */
const named = (name) => (name.trim() === "" ? NEW_NAME : name.trim().endsWith(".py") ? name.trim() : `${name.trim()}.py`);

/** Runs the draft; what is wrong with it is shown under its lines. */
async function tryDraft() {
  drafts.rename(named(draft.name));
  try {
    await openText(draft.name, draft.text);
  } catch (error) {
    if (!(error instanceof Refused) || error.problems.length === 0) throw error;
    goTo(error.problems[0]);
  }
}

const runDraft = () => attempt(tryDraft, "text-error");

/** Back to the text as it was: of the catalogue, or when this page first saw it. */
function restore() {
  const { name } = draft;
  const first = drafts.firstOf(name);
  void attempt(async () => {
    await openText(drafts.cataloguedAs(name) ?? name, first);
    const text = state.run?.listing?.text;
    if (draft.editing && text !== undefined) replaceAll(text);
  }, "text-error");
}

function begin() {
  drafts.edit(true);
  drafts.rename(NEW_NAME);
  replaceAll(TEMPLATE);
  void runDraft();
}

export function toggleEditor() {
  drafts.edit(!draft.editing);
  if (!draft.editing) return button("text-edit").focus();
  element("text-panel").setAttribute("open", "");
  field().focus({ preventScroll: true });
}

function download() {
  const name = named(draft.editing ? draft.name : (state.run?.protocol ?? ""));
  const text = draft.editing ? draft.text : (state.run?.listing?.text ?? "");
  save(new Blob([text], { type: "text/x-python" }), name.split("/").pop() ?? name);
}

// --- What is to be seen ------------------------------------------------------------------------------------------

function told() {
  if (draft.problems.length > 0) {
    const errors = draft.problems.length === 1 ? "one error" : `${draft.problems.length} errors`;
    return `${errors}; the ring shows the last text that ran`;
  }
  if (isChanged()) return draft.editing ? "changed and not run yet: Ctrl+Enter runs it" : "your changes wait in the editor";
  if (!state.run?.listing) return "";
  return state.run.listing.runs ? "this text runs" : "the built-in form runs; this text says the same";
}

function show() {
  const { editing } = draft;
  const listed = Boolean(state.run?.listing);
  const area = field();
  area.hidden = !editing;
  if (area.value !== draft.text) {
    area.value = draft.text;
    area.setSelectionRange(0, 0);
  }
  button("text-edit").textContent = editing ? "Read" : "Edit";
  button("text-edit").setAttribute("aria-pressed", String(editing));
  button("text-edit").disabled = !listed && !editing;
  button("text-download").disabled = !listed && !editing;
  button("text-restore").disabled = !isRestorable();
  button("text-run").hidden = !editing;
  element("text-naming").hidden = !editing;
  if (document.activeElement !== input("text-name")) input("text-name").value = draft.name;
  write("text-state", told());
  align();
}

/** Whether there is another text to go back to. */
function isRestorable() {
  if (isChanged()) return true;
  const { run } = state;
  if (!run?.listing?.runs) return false;
  return drafts.cataloguedAs(run.protocol) !== null || drafts.firstOf(run.protocol) !== draft.text;
}

export function startEditor() {
  const area = field();
  area.addEventListener("input", () => drafts.write(area.value));
  area.addEventListener("keydown", onKey);
  area.addEventListener("scroll", () => area.scrollTo(0, 0));
  document.addEventListener("selectionchange", align);
  for (const kind of /** @type {const} */ (["pointerdown", "pointermove"])) element("text-rows").addEventListener(kind, point);
  input("text-name").addEventListener("change", () => {
    drafts.rename(named(input("text-name").value));
    input("text-name").value = draft.name;
  });
  button("text-edit").addEventListener("click", toggleEditor);
  button("text-run").addEventListener("click", () => void runDraft());
  button("text-restore").addEventListener("click", restore);
  button("text-new").addEventListener("click", begin);
  button("text-download").addEventListener("click", download);
  new ResizeObserver(align).observe(element("text-rows"));
  on("draft run frame", show);
}

