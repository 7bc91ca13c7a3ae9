// What the marks share: where things lie around an agent, which variable fills the agents, and which way is right.

import { wrap } from "./geometry.js";

/** @typedef {import("./types").Scene} Scene */
/** @typedef {import("./types").Run} Run */
/** @typedef {import("./types").Geometry} Geometry */
/** @typedef {import("./types").Value} Value */
/** @typedef {import("./types").Pen} Pen */

/** Distances outwards of everything around an agent. Small rings are not crowded: what lies inside has its least size. @param {Geometry} geometry */
export function tracks({ disc, unit, inner }) {
  const band = Math.min(Math.max(0.2 * unit, 4), 10);
  const segment = disc + 0.82 * unit + 5;
  const war = -(disc + inner + Math.max(0.32 * unit, 4));
  const row = Math.max(0.58 * unit, 7);
  return {
    crown: disc + Math.max(0.36 * unit, 5),
    signal: disc + 0.12 * unit,
    segment,
    band,
    last: segment - band / 2 - 3,
    id: segment + band / 2 + 8,
    index: segment + band / 2 + 22,
    color: -(disc + 0.34 * unit),
    war,
    black: war - row,
    white: war - 2 * row,
    end: war - 2.6 * row - 4,
  };
}

/** Where a text lies whose inner side is to be `d` away from the agents: on the sides of a ring it needs its width. @param {Pen} pen @param {Geometry} geometry @param {number} u @param {number} d @param {string} text @param {number} size */
export function aside(pen, geometry, u, d, text, size) {
  const { x, y } = geometry.at(u, d);
  const width = pen.measure(text, size);
  const side = Math.cos(geometry.heading(u) - Math.PI / 2);
  return { x: x + side * Math.max(0, width / 2 - 4), y, width };
}

/** @param {Run} run @param {string} name */
export const variableOf = (run, name) => run.variables.find((variable) => variable.name === name);

/**
 * Calls `draw` for every agent that is seen with its number, position and value.
 * @param {Scene} scene
 * @param {string} name
 * @param {(value: Value, u: number, agent: number) => void} draw
 */
export function each({ geometry, frame }, name, draw) {
  const values = frame.columns[name];
  if (!values) return;
  for (const u of geometry.positions) {
    const agent = wrap(u, geometry.n);
    draw(values[agent], u, agent);
  }
}

/** The variable that fills the agents. @param {Run} run @param {string} wish */
export function fillVariable(run, wish) {
  const plain = run.variables.find(({ name }) => !["leader", "bullet", "shield", "signalB"].includes(name));
  const wanted = [wish, "clock", "color", "dist", "b", "x", "label"].map((name) => variableOf(run, name));
  return wanted.find((variable) => variable) ?? plain ?? run.variables[0];
}

/** The variable whose value is written into the agents. @param {Run} run @param {string} wish */
export const writtenVariable = (run, wish) => (wish === "auto" && variableOf(run, "b")) || fillVariable(run, wish);

/**
 * Which neighbours an agent points at, as +1 and -1: those whose colour `name` holds.
 * @param {Scene["frame"]} frame
 * @param {string} name
 * @param {number} n
 * @param {number} agent
 */
export function pointsAt({ columns }, name, n, agent) {
  return [1, -1].filter((side) => columns.color[wrap(agent + side, n)] === columns[name][agent]);
}

/** Which way is right for an agent: clockwise on a directed ring, else where it points. @param {Scene["frame"]} frame @param {number} n @param {number} agent */
export function rightOf(frame, n, agent) {
  if (!frame.columns.dir || !frame.columns.color) return 1;
  return pointsAt(frame, "dir", n, agent)[0] ?? 1;
}

/** The direction of travel to the right or, if `side` is -1, to the left of an agent. @param {Scene} scene @param {number} u @param {number} side */
export function course({ geometry, frame }, u, side) {
  const clockwise = rightOf(frame, geometry.n, wrap(u, geometry.n)) * side > 0;
  return geometry.heading(u) + (clockwise ? 0 : Math.PI);
}
