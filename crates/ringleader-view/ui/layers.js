// The controls of the picture: layers, the variable that colours the agents, ring or band, zoom, and the legend,
// which is made from the layers that are shown.

import { button, element, fillSelect, make, select } from "./dom.js";
import { activeLayers, legendOf, marksOf } from "./marks.js";
import { SvgPen } from "./pen.js";
import { zoom, zoomReset } from "./pointer.js";
import { sceneBase } from "./stage.js";
import { look, on, state } from "./store.js";
import { fillVariable } from "./tracks.js";

const [WIDTH, HEIGHT] = [30, 22];

function showLayers() {
  const { run, view } = state;
  if (!run) return;
  const active = activeLayers(run, view.layers);
  element("layers").replaceChildren(...marksOf(run).map(({ name, label }) => layerBox(name, label, active.has(name))));
}

/** @param {string} name @param {string} label @param {boolean} checked */
function layerBox(name, label, checked) {
  const box = make("input", { type: "checkbox", id: `layer-${name}`, checked });
  box.addEventListener("change", () => {
    const { [name]: _, ...others } = state.view.layers;
    look({ layers: box.checked ? others : { ...others, [name]: false } });
    element(`layer-${name}`).focus();
  });
  return make("label", {}, [box, ` ${label}`]);
}

function showLegend() {
  const base = sceneBase();
  if (!base) return;
  const items = legendOf(base).map(({ text, draw }) => {
    const pen = new SvgPen();
    draw(pen, WIDTH / 2, HEIGHT / 2, base.palette);
    const sign = make("span", { class: "sign", "aria-hidden": "true" });
    sign.innerHTML = pen.document(WIDTH, HEIGHT);
    return make("li", {}, [sign, text]);
  });
  element("legend").replaceChildren(...items);
}

function showChoices() {
  const { run, view } = state;
  if (!run) return;
  const own = fillVariable(run, "auto").name;
  const variables = run.variables.map(({ name, domain }) => ({ value: name, text: name, title: domain }));
  fillSelect(select("colour-by"), [{ value: "auto", text: `automatic (${own})` }, ...variables], view.colour);
  select("layout").value = view.layout;
}

/** Whether the legend and the layers must be made again: only if what they depend on has changed. */
let shown = "";

function showAll() {
  const { run, view } = state;
  const key = JSON.stringify([run?.protocol, run?.variables, view.colour, view.layout, view.layers, sceneBase()?.palette.dark]);
  if (key === shown) return;
  shown = key;
  showLayers();
  showLegend();
  showChoices();
}

export function startLayers() {
  select("colour-by").addEventListener("change", () => look({ colour: select("colour-by").value }));
  select("layout").addEventListener("change", () => {
    look({ layout: /** @type {import("./types").View["layout"]} */ (select("layout").value), zoom: 1, x: 0, y: 0 });
  });
  button("zoom-in").addEventListener("click", () => zoom(1.5));
  button("zoom-out").addEventListener("click", () => zoom(1 / 1.5));
  button("zoom-reset").addEventListener("click", zoomReset);
  on("run view theme", showAll);
}
