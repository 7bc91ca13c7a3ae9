// The keyboard. Every shortcut is in one table, from which the help is made.

import { corruptNow, interactNow } from "./adversary.js";
import { copyLink } from "./address.js";
import { toggleBoard } from "./board.js";
import { button, canvas, dialog, element, input, make } from "./dom.js";
import { toggleEditor } from "./editor.js";
import { pick, pickNext } from "./inspector.js";
import { nextScene, previousScene, toggleLessons } from "./lessons.js";
import { hide } from "./messages.js";
import * as player from "./player.js";
import { zoom, zoomReset } from "./pointer.js";
import { nextTheme } from "./theme.js";
import { changeSpeed, fullSpeed, nextEvent, toEnd } from "./transport.js";

/** @typedef {{ keys: string[], shown: string, about: string, act: (event: KeyboardEvent) => unknown }} Shortcut */

/** @type {Shortcut[]} */
const SHORTCUTS = [
  { keys: [" "], shown: "Space", about: "play or pause", act: player.toggle },
  { keys: ["."], shown: ".", about: "one interaction forward", act: player.forward },
  { keys: [","], shown: ",", about: "one interaction back", act: player.back },
  { keys: ["e"], shown: "E", about: "run to the next event", act: nextEvent },
  { keys: ["["], shown: "[", about: "slower", act: () => changeSpeed(-1) },
  { keys: ["]"], shown: "]", about: "faster", act: () => changeSpeed(1) },
  { keys: ["f"], shown: "F", about: "as fast as it goes", act: fullSpeed },
  { keys: ["Home"], shown: "Home", about: "go to step 0", act: () => player.seek(0) },
  { keys: ["End"], shown: "End", about: "go to the furthest step computed", act: toEnd },
  { keys: ["g"], shown: "G", about: "type a step to go to", act: () => input("goto").select() },
  { keys: ["r"], shown: "R", about: "focus the ring (then the arrow keys select agents)", act: () => canvas("ring").focus() },
  { keys: ["a"], shown: "A", about: "type an agent to select", act: () => input("agent").select() },
  { keys: ["i"], shown: "I", about: "the selected agent interacts with its right neighbour", act: () => interactNow(false) },
  { keys: ["I"], shown: "Shift+I", about: "undirected rings: the right neighbour initiates", act: () => interactNow(true) },
  { keys: ["k"], shown: "K", about: "corrupt as many agents as the field says", act: corruptNow },
  { keys: ["+", "="], shown: "+", about: "zoom in", act: () => zoom(1.5) },
  { keys: ["-"], shown: "−", about: "zoom out", act: () => zoom(1 / 1.5) },
  { keys: ["0"], shown: "0", about: "no zoom", act: zoomReset },
  { keys: ["c"], shown: "C", about: "copy a link to what is shown", act: copyLink },
  { keys: ["w"], shown: "W", about: "write: edit the text, or read it again", act: toggleEditor },
  { keys: ["b"], shown: "B", about: "board: the ring and its text alone", act: toggleBoard },
  { keys: ["l"], shown: "L", about: "lessons", act: toggleLessons },
  { keys: ["n"], shown: "N", about: "next scene of the lessons", act: nextScene },
  { keys: ["p"], shown: "P", about: "previous scene", act: previousScene },
  { keys: ["t"], shown: "T", about: "theme: system, light, dark", act: nextTheme },
  { keys: ["?"], shown: "?", about: "this help", act: showHelp },
];

/** In the editor. @type {Pick<Shortcut, "shown" | "about">[]} */
const EDITOR_KEYS = [
  { shown: "Ctrl+Enter", about: "run the text" },
  { shown: "Tab", about: "four blanks; Shift+Tab takes them away" },
  { shown: "Esc", about: "leave the editor; Tab goes on from there" },
];

/** On the ring the arrow keys walk from agent to agent. @type {Shortcut[]} */
const RING_SHORTCUTS = [
  { keys: ["ArrowRight", "ArrowDown"], shown: "→ ↓", about: "select the next agent, clockwise", act: () => pickNext(1) },
  { keys: ["ArrowLeft", "ArrowUp"], shown: "← ↑", about: "select the previous agent", act: () => pickNext(-1) },
  { keys: ["PageDown"], shown: "Page Down", about: "ten agents forward", act: () => pickNext(10) },
  { keys: ["PageUp"], shown: "Page Up", about: "ten agents back", act: () => pickNext(-10) },
  {
    keys: ["Enter"],
    shown: "Enter",
    about: "the selected agent interacts with its right neighbour; hold Shift to reverse",
    act: (event) => interactNow(event.shiftKey),
  },
  { keys: ["Escape"], shown: "Esc", about: "select nothing", act: () => pick(null) },
];

const KEPT = "ringleader-keys";
const enabled = () => localStorage.getItem(KEPT) !== "off";

/** Fields and open lists keep their keys, buttons keep Space and Enter. @param {KeyboardEvent} event */
function isTaken(event) {
  const { target } = event;
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement && ["checkbox", "file"].includes(target.type)) return event.key === " ";
  if (target instanceof HTMLInputElement && target.type === "range") return event.key.length > 1;
  if (target.matches("button, summary, a")) return event.key === " " || event.key === "Enter";
  return target.matches("input, select, textarea");
}

/** @param {Shortcut[]} table @param {KeyboardEvent} event */
function run(table, event) {
  const found = table.find(({ keys }) => keys.includes(event.key));
  if (!found) return;
  event.preventDefault();
  event.stopPropagation();
  found.act(event);
}

/** @param {KeyboardEvent} event */
function onKey(event) {
  if (event.key === "Escape") hide();
  if (event.ctrlKey || event.altKey || event.metaKey || isTaken(event) || dialog("help-dialog").open || !enabled()) return;
  run(SHORTCUTS, event);
}

/** @param {Pick<Shortcut, "shown" | "about">[]} table */
const rows = (table) =>
  table.map(({ shown, about }) => make("tr", {}, [make("td", {}, [make("kbd", {}, [shown])]), make("td", {}, [about])]));

function showHelp() {
  dialog("help-dialog").showModal();
}

export function startKeys() {
  element("help-keys").replaceChildren(...rows(SHORTCUTS));
  element("help-ring-keys").replaceChildren(...rows(RING_SHORTCUTS));
  element("help-editor-keys").replaceChildren(...rows(EDITOR_KEYS));
  input("keys-on").checked = enabled();
  input("keys-on").addEventListener("change", () => localStorage.setItem(KEPT, input("keys-on").checked ? "on" : "off"));
  button("skip").addEventListener("click", () => canvas("ring").focus());
  button("help").addEventListener("click", showHelp);
  button("help-close").addEventListener("click", () => dialog("help-dialog").close());
  canvas("ring").addEventListener("keydown", (event) => {
    if (!event.ctrlKey && !event.altKey && !event.metaKey) run(RING_SHORTCUTS, event);
  });
  document.addEventListener("keydown", onKey);
}
