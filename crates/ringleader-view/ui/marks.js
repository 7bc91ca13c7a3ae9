// The marks, in the order in which they are drawn: each belongs to variables with the paper's names, and a protocol
// gets the marks of the variables that it has. A mark draws itself on any geometry, in as much detail as the space
// allows, and says what the legend tells of it.

import { arrowhead, body, bullet, chevron, crown, diamond, shield, tag } from "./glyphs.js";
import { each, fillVariable, tracks, variableOf, writtenVariable } from "./tracks.js";
import {
  drawBullets,
  drawDist,
  drawLast,
  drawLeaders,
  drawSegments,
  drawShields,
  drawSignalB,
  drawSignalR,
  drawTokens,
} from "./marks-ppl.js";
import {
  agentsLegend,
  drawAgents,
  drawCentre,
  drawEdges,
  drawIndices,
  drawInteraction,
  drawSelection,
  drawValues,
  drawWritten,
} from "./marks-ring.js";
import { drawColours, drawDirections, drawHeads } from "./marks-undirected.js";

/** @typedef {import("./types").Scene} Scene */
/** @typedef {import("./types").Run} Run */
/** @typedef {import("./types").Mark} Mark */

/** @param {...string} names */
const having =
  (...names) =>
  (/** @type {Run} */ run) =>
    names.every((name) => variableOf(run, name));

/** A text may give any domain to a name of the paper. @param {string} name @param {import("./types").Domain["kind"]} kind */
const being = (name, kind) => (/** @type {Run} */ run) => variableOf(run, name)?.kind === kind;

/** @param {string} text @param {import("./types").LegendItem["draw"]} draw @returns {NonNullable<Mark["legend"]>} */
const entry = (text, draw) => () => [{ text, draw }];

// --- Marks of other protocols ------------------------------------------------------------------------------------

/** A diamond for a variable of one bit that is 1. @param {string} name @param {string} label @returns {Mark} */
const flag = (name, label) => ({
  name,
  label,
  applies: (run) => variableOf(run, name)?.size === 2,
  draw: (scene) => {
    const { geometry, pen, palette } = scene;
    const size = Math.max(2.5, 0.2 * geometry.unit);
    each(scene, name, (value, u) => {
      if (value === 1) diamond(pen, geometry.at(u, tracks(geometry).black), size, palette.select);
    });
  },
  legend: entry(`${name} = 1`, (pen, x, y, palette) => diamond(pen, { x, y }, 7, palette.select)),
});

// --- The table ---------------------------------------------------------------------------------------------------

/** @param {boolean} black @returns {NonNullable<Mark["legend"]>} */
const tokenEntry = (black) =>
  entry(`${black ? "black" : "white"} token with its bit, pointing where it moves; a dot behind it: carry 1`, (pen, x, y, palette) =>
    tag(pen, { x: x + 2, y }, 0, 8, { black, bit: 1, carry: 1 }, palette),
  );

/** A number as it stands beside an agent. @param {string} text @param {string} number @returns {NonNullable<Mark["legend"]>} */
const numberEntry = (text, number) => entry(text, (pen, x, y, palette) => pen.text(x, y, number, { size: 10, fill: palette.muted }));

/** @type {NonNullable<Mark["legend"]>} */
const selectionLegend = ({ run }) => [
  { text: "selected agent", draw: (pen, x, y, palette) => pen.circle(x, y, 7, { stroke: palette.select, width: 2.2 }) },
  ...(variableOf(run, "tokenB") ? [{ text: "its token's path to the target", draw: drawWay }] : []),
];

/** @type {import("./types").LegendItem["draw"]} */
function drawWay(pen, x, y, palette) {
  const points = [
    { x: x - 9, y },
    { x: x + 9, y },
  ];
  pen.polygon(points, { stroke: palette.select, width: 1.5, dash: [3, 3] }, true);
}

/** @type {NonNullable<Mark["legend"]>} */
const segmentsLegend = ({ run }) => {
  const sides = ["agents that point right", "agents that point left"];
  const ids = ["black segment, with its ID", "white segment, with its ID"];
  const both = ids.map((id, k) => (run.ring === "undirected" ? `${id}; before all agree: ${sides[k]}` : id));
  return (variableOf(run, "b") ? both : sides).map((text, k) => ({
    text,
    draw: (pen, x, y, palette) => {
      const rim = palette.dark ? palette.line : palette.ink;
      pen.rect(x - 10, y - 3.5, 20, 7, { fill: k === 0 ? palette.black : palette.white, stroke: rim });
    },
  }));
};

/** @type {Mark[]} */
export const MARKS = [
  { name: "edges", label: "ring", applies: () => true, draw: drawEdges },
  {
    name: "interaction",
    label: "last interaction",
    applies: () => true,
    draw: drawInteraction,
    legend: entry("last interaction, initiator to responder", (pen, x, y, palette) => {
      pen.polygon(
        [
          { x: x - 7, y },
          { x: x + 7, y },
        ],
        { stroke: palette.highlight, width: 10, round: true },
        true,
      );
      arrowhead(pen, { x, y }, 0, 5, palette.ink);
    }),
  },
  {
    name: "segments",
    label: "segments and IDs",
    draw: drawSegments,
    legend: segmentsLegend,
    applies: (run) => !run.listing?.runs && (having("b", "dist")(run) || having("dir")(run)),
  },
  {
    name: "last",
    label: "last segment",
    applies: having("last"),
    draw: drawLast,
    legend: entry("last = 1: believes that it is in the last segment", (pen, x, y, palette) =>
      pen.polygon(
        [
          { x: x - 10, y },
          { x: x + 10, y },
        ],
        { stroke: palette.live, width: 1.6, dash: [2, 1.5] },
        true,
      ),
    ),
  },
  { name: "agents", label: "agents", applies: () => true, draw: drawAgents, legend: agentsLegend },
  {
    name: "mode",
    label: "detection mode",
    applies: having("mode"),
    draw: () => {},
    legend: entry("square: mode Detect; disc: Construct", (pen, x, y, palette) =>
      body(pen, { x, y }, 7, true, { fill: palette.detect, stroke: palette.ink }),
    ),
  },
  {
    name: "written",
    label: "bit or value",
    applies: () => true,
    draw: drawWritten,
    legend: ({ run, colour }) => [
      {
        text: `written inside: ${writtenVariable(run, colour).name}`,
        draw: (pen, x, y, palette) => {
          pen.circle(x, y, 7, { fill: palette.low, stroke: palette.ink });
          pen.text(x, y + 0.5, "1", { size: 9, fill: palette.ink, weight: 600 });
        },
      },
    ],
  },
  {
    name: "color",
    label: "colours",
    applies: having("color"),
    draw: drawColours,
    legend: ({ run, colour }) =>
      fillVariable(run, colour).name === "color"
        ? []
        : [
            {
              text: "rim: color, with its number inside the ring",
              draw: (pen, x, y, palette) => pen.circle(x, y, 6, { stroke: palette.categories[3], width: 3 }),
            },
          ],
  },
  {
    name: "dir",
    label: "directions",
    applies: having("color", "dir"),
    draw: drawDirections("dir"),
    legend: () => [
      { text: "points at this neighbour", draw: (pen, x, y, palette) => chevron(pen, { x, y }, 0, 6, palette.ink, 1.6) },
      { text: "the same, strong", draw: (pen, x, y, palette) => arrowhead(pen, { x, y }, 0, 7, palette.strong) },
    ],
  },
  {
    name: "suc",
    label: "successors",
    applies: having("color", "suc"),
    draw: drawDirections("suc"),
    legend: entry("suc: the successor is this neighbour", (pen, x, y, palette) => chevron(pen, { x, y }, 0, 6, palette.ink, 1.6)),
  },
  {
    name: "heads",
    label: "heads that meet",
    applies: having("color", "dir"),
    draw: drawHeads,
    legend: entry("two heads meet: the segments point at each other", (pen, x, y, palette) =>
      pen.polygon(
        [
          { x, y: y - 8 },
          { x, y: y + 8 },
        ],
        { stroke: palette.live, width: 2, round: true },
        true,
      ),
    ),
  },
  {
    name: "shield",
    label: "shields",
    applies: having("shield"),
    draw: drawShields,
    legend: entry("shield (pale: at a follower, without effect)", (pen, x, y, palette) =>
      shield(pen, { x: x + 3, y }, 0, 8, palette.shield, 2.5),
    ),
  },
  {
    name: "signalR",
    label: "resetting signals",
    applies: being("signalR", "range"),
    draw: drawSignalR,
    legend: entry("resetting signal; longer with more TTL", (pen, x, y, palette) => {
      for (const part of [-4, 0, 4])
        pen.polygon(
          [
            { x: x + 0.6 * part, y: y + 6 },
            { x: x + 1.3 * part, y: part === 0 ? y - 7 : y - 3 },
          ],
          { stroke: palette.signal, width: 2, round: true },
          true,
        );
    }),
  },
  {
    name: "leader",
    label: "leaders",
    applies: (run) => run.elects || having("leader")(run),
    draw: drawLeaders,
    legend: entry("leader", (pen, x, y, palette) => crown(pen, x, y, 9, palette)),
  },
  {
    name: "bullet",
    label: "bullets",
    applies: being("bullet", "range"),
    draw: drawBullets,
    legend: ({ run }) => [
      { text: "live bullet", draw: (pen, x, y, palette) => bullet(pen, { x, y }, 5, true, palette) },
      ...(variableOf(run, "bullet")?.high === 1
        ? []
        : [
            {
              text: "dummy bullet",
              draw: /** @type {import("./types").LegendItem["draw"]} */ ((pen, x, y, palette) => bullet(pen, { x, y }, 5, false, palette)),
            },
          ]),
    ],
  },
  {
    name: "signalB",
    label: "bullet-absence signals",
    applies: having("signalB"),
    draw: drawSignalB,
    legend: entry("bullet-absence signal, moving left", (pen, x, y, palette) => chevron(pen, { x, y }, Math.PI, 6, palette.muted, 1.8)),
  },
  { name: "tokenB", label: "black tokens", applies: being("tokenB", "token"), draw: drawTokens("tokenB"), legend: tokenEntry(true) },
  { name: "tokenW", label: "white tokens", applies: being("tokenW", "token"), draw: drawTokens("tokenW"), legend: tokenEntry(false) },
  flag("token", "tokens"),
  flag("probe", "probes"),
  {
    name: "dist",
    label: "dist, where there is room",
    applies: having("dist"),
    draw: drawDist,
    legend: numberEntry("beside an agent: dist", "3"),
  },
  {
    name: "indices",
    label: "numbers of the agents",
    applies: () => true,
    draw: drawIndices,
    legend: numberEntry("outermost: the number of an agent", "12"),
  },
  { name: "values", label: "all values, where there is room", applies: () => true, draw: drawValues },
  { name: "centre", label: "step in the middle", applies: () => true, draw: drawCentre },
  { name: "selection", label: "selected agent", applies: () => true, draw: drawSelection, legend: selectionLegend },
];

/** The marks that a protocol has. @param {Run} run */
export const marksOf = (run) => MARKS.filter((mark) => mark.applies(run));

/** @param {Run} run @param {Record<string, boolean>} wishes */
export const activeLayers = (run, wishes) =>
  new Set(
    marksOf(run)
      .map(({ name }) => name)
      .filter((name) => wishes[name] ?? true),
  );

/** @param {Scene} scene */
export function drawMarks(scene) {
  for (const mark of marksOf(scene.run)) if (scene.layers.has(mark.name)) mark.draw(scene);
}

/** @param {Pick<Scene, "run" | "colour" | "palette" | "layers">} scene */
export function legendOf(scene) {
  const shown = marksOf(scene.run).filter((mark) => scene.layers.has(mark.name));
  return shown.flatMap((mark) => mark.legend?.(scene) ?? []);
}
