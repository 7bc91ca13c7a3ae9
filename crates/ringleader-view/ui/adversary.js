// What the adversary does with a click: corrupt some agents, or choose who interacts next.

import { corrupt, interact } from "./actions.js";
import { button, element, fillSelect, input, select } from "./dom.js";
import { wrap } from "./geometry.js";
import { attempt } from "./messages.js";
import { on, state } from "./store.js";

function showVariables() {
  const free = (state.run?.variables ?? []).filter((variable) => !variable.input);
  const choices = free.map(({ name, domain }) => ({ value: name, text: name, title: domain }));
  fillSelect(select("corrupt-variable"), [{ value: "", text: "all variables" }, ...choices], select("corrupt-variable").value);
  element("interact-reverse-label").hidden = state.run?.ring !== "undirected";
  input("interact-from").max = String((state.run?.n ?? 1) - 1);
}

function showSelected() {
  if (state.view.agent !== null) input("interact-from").value = String(state.view.agent);
}

/** A number as it was typed; the server judges it. @param {string} id @param {string} name */
function typedNumber(id, name) {
  const text = input(id).value.trim();
  if (!/^\d+$/.test(text)) throw new Error(`${name}: ${text || "nothing"}; allowed is a whole number`);
  return Number(text);
}

export const corruptNow = () =>
  attempt(
    () => corrupt(typedNumber("corrupt-k", "agents to corrupt"), select("corrupt-place").value, select("corrupt-variable").value || null),
    "adversary-error",
  );

/** Lets an agent interact with its right neighbour, or the neighbour with it. @param {boolean} reversed */
export const interactNow = (reversed = input("interact-reverse").checked) =>
  attempt(() => {
    const from = typedNumber("interact-from", "agent");
    const next = wrap(from + 1, state.run?.n ?? 1);
    return interact(reversed && state.run?.ring === "undirected" ? [next, from] : [from, next]);
  }, "adversary-error");

export function startAdversary() {
  button("corrupt").addEventListener("click", corruptNow);
  button("interact").addEventListener("click", () => interactNow());
  on("run", showVariables);
  on("view", showSelected);
}
