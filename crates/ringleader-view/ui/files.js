// Files out and in: the picture as SVG or PNG, with its legend and a caption; the run as a case or the configuration
// that `ringleader` reads; and any such file, or a protocol, dropped onto the page.

import { importCase } from "./actions.js";
import { button, count, element, input, make } from "./dom.js";
import { legendOf } from "./marks.js";
import { attempt, say } from "./messages.js";
import { palette } from "./palette.js";
import { CanvasPen, SvgPen } from "./pen.js";
import { step } from "./player.js";
import * as session from "./session.js";
import { drawStage, sceneBase, stageBox } from "./stage.js";
import { state } from "./store.js";
import { openText } from "./texts.js";

/** @typedef {import("./types").Pen} Pen */

const LEGEND = { row: 24, column: 330, margin: 16, caption: 30 };

/** @param {number} width */
function legendLayout(width) {
  const base = sceneBase();
  const items = base ? legendOf(base) : [];
  const columns = Math.max(1, Math.floor((width - LEGEND.margin) / LEGEND.column));
  return { items, columns, rows: Math.ceil(items.length / columns) };
}

/** The size of the exported picture. */
function pictureSize() {
  const { width, height } = stageBox();
  return { width, height: height + LEGEND.caption + legendLayout(width).rows * LEGEND.row + LEGEND.margin };
}

/** What is shown, in a line. */
function caption() {
  const { run, frame } = state;
  if (!run || !frame) return "";
  const settings = Object.entries(run.settings).map(([name, value]) => `${name} = ${value}`);
  return [run.protocol, `n = ${count(run.n)}`, ...settings, `seed ${run.seed}`, `step ${count(frame.step)}`].join(", ");
}

/** @param {Pen} pen */
function drawPicture(pen) {
  const { width, height } = pictureSize();
  const box = stageBox();
  const colours = palette();
  pen.rect(0, 0, width, height, { fill: colours.paper });
  drawStage(pen, box);
  pen.text(LEGEND.margin, box.height + LEGEND.caption / 2, caption(), { size: 13, fill: colours.ink, weight: 600, align: "start" });
  drawLegend(pen, box.height + LEGEND.caption, width);
}

/** @param {Pen} pen @param {number} top @param {number} width */
function drawLegend(pen, top, width) {
  const { items, rows } = legendLayout(width);
  const colours = palette();
  items.forEach(({ text, draw }, k) => {
    const x = LEGEND.margin + Math.floor(k / rows) * LEGEND.column;
    const y = top + (k % rows) * LEGEND.row + LEGEND.row / 2;
    draw(pen, x + 15, y, colours);
    pen.text(x + 36, y, text, { size: 12, fill: colours.ink, align: "start" });
  });
}

/** @param {Blob} blob @param {string} name */
export function save(blob, name) {
  const address = URL.createObjectURL(blob);
  const link = make("a", { href: address, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
  say(`Saved ${name}.`);
}

/** @param {string} ending */
function fileName(ending) {
  const { run } = state;
  return `${run?.protocol.split("/").pop()}-n${run?.n}-seed${run?.seed}-step${step()}.${ending}`;
}

function exportSvg() {
  const pen = new SvgPen();
  drawPicture(pen);
  const { width, height } = pictureSize();
  save(new Blob([pen.document(width, height)], { type: "image/svg+xml" }), fileName("svg"));
}

async function exportPng() {
  const { width, height } = pictureSize();
  const paper = make("canvas", { width: 2 * Math.ceil(width), height: 2 * Math.ceil(height) });
  const context = paper.getContext("2d");
  if (!context) return;
  context.scale(2, 2);
  drawPicture(new CanvasPen(context));
  const blob = await new Promise((/** @type {(blob: Blob | null) => void} */ done) => paper.toBlob(done));
  if (blob) save(blob, fileName("png"));
}

/** @param {"case" | "config"} what */
async function exportJson(what) {
  const text = await session.download(what, step());
  save(new Blob([text], { type: "application/json" }), fileName(`${what}.json`));
}

/** @param {FileList | null | undefined} list */
function take(list) {
  const file = list?.[0];
  if (!file) return;
  void attempt(async () => (file.name.endsWith(".py") ? openText(file.name, await file.text()) : importCase(await file.text())));
}

function acceptDrops() {
  addEventListener("dragover", (event) => {
    event.preventDefault();
    element("drop").hidden = false;
  });
  addEventListener("dragleave", (event) => {
    if (event.relatedTarget === null) element("drop").hidden = true;
  });
  addEventListener("drop", (event) => {
    event.preventDefault();
    element("drop").hidden = true;
    take(event.dataTransfer?.files);
  });
}

export function startFiles() {
  button("export-svg").addEventListener("click", () => attempt(exportSvg));
  button("export-png").addEventListener("click", () => attempt(exportPng));
  button("export-case").addEventListener("click", () => attempt(() => exportJson("case")));
  button("export-config").addEventListener("click", () => attempt(() => exportJson("config")));
  input("import").addEventListener("change", () => {
    take(input("import").files);
    input("import").value = "";
  });
  acceptDrops();
}
