// A guided tour through the mechanisms of the paper: scenes, each a link and a few sentences that are true of it.

import { read, remember } from "./address.js";
import { button, element } from "./dom.js";
import { attempt } from "./messages.js";
import { SCENES } from "./scenes.js";
import { look, on, state } from "./store.js";

/** @param {number} number */
function open(number) {
  if (number < 0 || number >= SCENES.length) return;
  void attempt(async () => {
    await read(`${SCENES[number].link}&lesson=${number + 1}`);
    remember();
  });
}

/** The scene that is shown, from 0. */
const current = () => (state.view.lesson ?? 0) - 1;

export const nextScene = () => open(Math.max(current(), -1) + 1);
export const previousScene = () => open(current() - 1);

export function toggleLessons() {
  if (state.view.lesson === null) open(0);
  else look({ lesson: null });
}

function show() {
  const number = current();
  const scene = SCENES[number];
  element("lesson").hidden = !scene;
  button("lessons").setAttribute("aria-expanded", String(Boolean(scene)));
  if (!scene) return;
  element("lesson-title").textContent = `${number + 1} / ${SCENES.length}  ${scene.title}`;
  element("lesson-text").textContent = scene.text;
  button("lesson-previous").disabled = number === 0;
  button("lesson-next").disabled = number === SCENES.length - 1;
}

export function startLessons() {
  button("lessons").addEventListener("click", toggleLessons);
  button("lesson-next").addEventListener("click", nextScene);
  button("lesson-previous").addEventListener("click", previousScene);
  button("lesson-again").addEventListener("click", () => open(current()));
  button("lesson-close").addEventListener("click", () => look({ lesson: null }));
  on("view", show);
}
