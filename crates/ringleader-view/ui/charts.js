// Charts over the whole run, against steps: a line for each gauge, and a bar for each phase while it holds.

import { canvas, count, element } from "./dom.js";
import { palette } from "./palette.js";
import { connect, fitted, lastUpTo, refresher } from "./plot.js";
import { step } from "./player.js";
import * as session from "./session.js";
import { on, state } from "./store.js";

/** @typedef {import("./types").History} History */
/** @typedef {import("./types").Pen} Pen */
/** @typedef {import("./types").Box} Box */
/** @typedef {import("./types").Point} Point */

const MARGIN = { left: 92, right: 12, top: 8, bottom: 20 };
const GAUGE = { height: 62, gap: 12 };
const BAR = { height: 12, gap: 5 };
const REFRESH_MS = 400;

/** @type {History | null} */
let data = null;
/** What `data` answers. */
let asked = { run: state.run, furthest: -1 };

async function ask() {
  const { run, frame } = state;
  if (!frame || !isOpen()) return;
  if (run !== asked.run || frame.furthest !== asked.furthest) {
    const answer = await session.history();
    if (run?.id !== state.run?.id) return;
    data = answer;
  }
  asked = { run, furthest: frame.furthest };
  draw();
}

const isOpen = () => element("charts-panel").hasAttribute("open");

/** Gauges and phases in the order in which the protocol names them. @param {History} history @returns {[string, number[]][]} */
const gaugesOf = (history) => (state.run?.gauges ?? []).map((name) => [name, history.gauges[name] ?? []]);

/** @param {History} history @returns {[string, number[]][]} */
const barsOf = (history) => [
  ...(state.run?.phases ?? []).map(({ name }) => /** @type {[string, number[]]} */ ([name, history.phases[name] ?? []])),
  ["safe", history.safe],
];

/** @param {History} history */
function heightOf(history) {
  const gauges = gaugesOf(history).length * (GAUGE.height + GAUGE.gap);
  return MARGIN.top + gauges + barsOf(history).length * (BAR.height + BAR.gap) + MARGIN.bottom;
}

/** The last step of the charts. */
const furthest = () => Math.max(state.frame?.furthest ?? 0, data?.steps.at(-1) ?? 0, 1);

/** @param {number} width */
const scaleOf = (width) => (/** @type {number} */ at) => MARGIN.left + (at / furthest()) * (width - MARGIN.left - MARGIN.right);

function draw() {
  if (!data) return;
  const height = heightOf(data);
  const { pen, width } = fitted(canvas("charts"), height);
  const x = scaleOf(width);
  let y = MARGIN.top;
  for (const [name, values] of gaugesOf(data)) {
    drawGauge(pen, { x: MARGIN.left, y, width: width - MARGIN.left - MARGIN.right, height: GAUGE.height }, name, data.steps, values, x);
    y += GAUGE.height + GAUGE.gap;
  }
  for (const [name, values] of barsOf(data)) {
    drawBar(pen, y, name, data.steps, values, x);
    y += BAR.height + BAR.gap;
  }
  drawAxis(pen, height, x);
}

/** @param {Pen} pen @param {Box} box @param {string} name @param {number[]} steps @param {number[]} values @param {(at: number) => number} x */
function drawGauge(pen, box, name, steps, values, x) {
  const colours = palette();
  const most = values.reduce((a, b) => Math.max(a, b), 1);
  const y = (/** @type {number} */ value) => box.y + box.height - (value / most) * (box.height - 4);
  pen.rect(box.x, box.y, box.width, box.height, { fill: colours.faint, alpha: 0.45 });
  pen.text(box.x - 8, box.y + box.height / 2, name, { size: 11.5, fill: colours.ink, align: "end", weight: 600 });
  pen.text(box.x - 8, box.y + 7, count(most), { size: 10, fill: colours.muted, align: "end" });
  pen.text(box.x - 8, box.y + box.height - 5, "0", { size: 10, fill: colours.muted, align: "end" });
  const points = steps.flatMap((at, k) => [
    { x: x(at), y: y(values[Math.max(k - 1, 0)]) },
    { x: x(at), y: y(values[k]) },
  ]);
  if (points.length > 0) pen.polygon(points, { stroke: colours.select, width: 1.6 }, true);
}

/** @param {Pen} pen @param {number} y @param {string} name @param {number[]} steps @param {number[]} values @param {(at: number) => number} x */
function drawBar(pen, y, name, steps, values, x) {
  const colours = palette();
  pen.text(MARGIN.left - 8, y + BAR.height / 2, name, { size: 11, fill: colours.ink, align: "end" });
  pen.rect(MARGIN.left, y, x(furthest()) - MARGIN.left, BAR.height, { fill: colours.faint, alpha: 0.45 });
  const fill = name === "safe" ? colours.good : colours.high;
  for (const [from, to] of stretches(steps, values)) pen.rect(x(from), y, Math.max(1.5, x(to) - x(from)), BAR.height, { fill });
}

/** From where to where a phase holds. @param {number[]} steps @param {number[]} values @returns {[number, number][]} */
function stretches(steps, values) {
  /** @type {[number, number][]} */
  const found = [];
  values.forEach((holds, k) => {
    if (!holds) return;
    const past = steps[k + 1] ?? furthest();
    if (k > 0 && values[k - 1]) found[found.length - 1][1] = past;
    else found.push([steps[k], past]);
  });
  return found;
}

/** @param {Pen} pen @param {number} height @param {(at: number) => number} x */
function drawAxis(pen, height, x) {
  const { muted, select: stroke } = palette();
  const y = height - 9;
  pen.text(x(0), y, "0", { size: 10, fill: muted, align: "start" });
  const stride = data && data.stride > 1 ? `, one sample in ${count(data.stride)}` : "";
  pen.text(x(furthest() / 2), y, `steps${stride}`, { size: 10, fill: muted });
  pen.text(x(furthest()), y, count(furthest()), { size: 10, fill: muted, align: "end" });
  const now = x(Math.min(step(), furthest()));
  pen.polygon(
    [
      { x: now, y: 2 },
      { x: now, y: height - MARGIN.bottom + 2 },
    ],
    { stroke, width: 1.2, dash: [4, 3] },
    true,
  );
}

/** @param {Point} point */
function stepAt({ x }) {
  const width = canvas("charts").clientWidth - MARGIN.left - MARGIN.right;
  const part = (x - MARGIN.left) / width;
  return part < 0 || part > 1 ? null : Math.round(part * furthest());
}

/** @param {Point} point */
function tell(point) {
  const at = stepAt(point);
  if (at === null || !data) return "";
  const k = Math.max(0, lastUpTo(data.steps, at));
  const gauges = gaugesOf(data).map(([name, values]) => `${name} ${count(values[k] ?? 0)}`);
  const bars = barsOf(data)
    .filter(([, values]) => values[k])
    .map(([name]) => name);
  return [`step ${count(data.steps[k] ?? 0)}`, ...gauges, ...bars].join(", ");
}

/** @param {number} by */
function next(by) {
  return data?.steps[lastUpTo(data.steps, step()) + by] ?? null;
}

export function startCharts() {
  const refresh = refresher(REFRESH_MS, ask);
  connect(canvas("charts"), { tell, stepAt, next, shown: element("charts-shown") });
  element("charts-panel").addEventListener("toggle", refresh);
  on("run frame", refresh);
  on("theme", draw);
  new ResizeObserver(draw).observe(element("charts-panel"));
}
