// Light, dark, or as the system wishes; the choice is kept in this browser.

import { button } from "./dom.js";
import { onThemeWish, themeChoice } from "./palette.js";
import { emit } from "./store.js";

const NEXT = { auto: "light", light: "dark", dark: "auto" };
const KEPT = "ringleader-theme";

/** @param {string} choice */
function choose(choice) {
  if (choice === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = choice;
  localStorage.setItem(KEPT, choice);
  button("theme").textContent = `Theme: ${choice}`;
  emit("theme");
}

export const nextTheme = () => choose(NEXT[/** @type {keyof typeof NEXT} */ (themeChoice())] ?? "auto");

export function startTheme() {
  const kept = localStorage.getItem(KEPT);
  choose(kept !== null && kept in NEXT ? kept : "auto");
  button("theme").addEventListener("click", nextTheme);
  onThemeWish(() => emit("theme"));
}
