// Which phases and sets hold at the step that is shown, and, on demand, every fact that the protocol can tell.

import { button, count, element, make, write } from "./dom.js";
import { attempt } from "./messages.js";
import { isPlaying, step } from "./player.js";
import * as session from "./session.js";
import { on, state } from "./store.js";

/** @param {boolean} holds @param {string} name @param {string} about */
function line(holds, name, about) {
  const sign = make("span", { class: holds ? "yes" : "no" }, [holds ? "✓" : "✗"]);
  const spoken = make("span", { class: "spoken" }, [holds ? "holds: " : "does not hold: "]);
  return make("li", { title: about }, [sign, " ", spoken, make("strong", {}, [name]), make("span", { class: "muted" }, [` ${about}`])]);
}

/** Sets that the text cannot tell. @param {import("./types").Problem} problem */
const blind = ({ line: at, what }) => make("li", {}, [`not known; line ${at} of the text: ${what}`]);

function showSets() {
  const { frame, run } = state;
  if (!frame || !run) return;
  const phases = run.phases.map(({ name, about }) => line(frame.phases[name] ?? false, name, about));
  const lines = [...phases, line(frame.safe, run.safe, "the safe set, which is never left")];
  element("sets").replaceChildren(...(frame.blind ? [blind(frame.blind)] : lines));
  write("verdict", frame.blind ? "not known whether safe" : frame.safe ? "✓ safe for ever" : "not yet safe");
  element("verdict").classList.toggle("safe", frame.safe);
  const gauges = run.gauges.map((name) => `${name} ${count(frame.gauges[name])}`);
  write("gauges", gauges.join(" · "));
}

/** @param {unknown} fact */
const text = (fact) => (typeof fact === "boolean" ? (fact ? "✓ yes" : "✗ no") : typeof fact === "string" ? fact : JSON.stringify(fact));

async function showFacts() {
  const at = step();
  const facts = await session.facts(at);
  const rows = Object.entries(facts).map(([name, fact]) =>
    make("tr", {}, [make("th", { scope: "row" }, [name]), make("td", {}, [text(fact)])]),
  );
  element("facts").replaceChildren(make("table", {}, [make("caption", {}, [`facts at step ${count(at)}`]), ...rows]));
}

/** Facts of another step would mislead. */
function clearFacts() {
  element("facts").replaceChildren();
  button("facts-show").disabled = isPlaying();
}

export function startSets() {
  button("facts-show").addEventListener("click", () => attempt(showFacts));
  on("frame", showSets);
  on("frame intent", clearFacts);
}
