// The shapes that the server speaks and the page keeps. Type checkers read this file; browsers never do.

export type Value = number | string | null | Value[] | { [part: string]: Value };
export type Agent = Record<string, Value>;

export interface Domain {
  kind: "range" | "ranges" | "names" | "token" | "maybe" | "bits" | "parts";
  size: number;
  low?: number;
  high?: number;
  names?: string[];
  psi?: number;
  most?: number;
  ranges?: [number, number][];
  /** Those of "parts" have names. */
  parts?: (Domain & { name?: string })[];
}

export interface Variable extends Domain {
  name: string;
  domain: string;
  input: boolean;
}

export interface Protocol {
  name: string;
  case: string;
  summary: string;
  ring: "directed" | "undirected";
  assumption: string;
  bound: string;
  origin: string;
  elects: boolean;
  safe: string;
  parameters: { name: string; help: string; flag: boolean }[];
  starts: { name: string; about: string }[];
  /** Whether it is a text; its name ends in .py then. */
  file: boolean;
}

export interface Catalogue {
  version: string;
  limits: { n: number; text: number };
  protocols: Protocol[];
}

export type Edit =
  | { step: number; agent: number; state: Agent }
  | { step: number; corrupt: number; place: string; variable: string | null; seed: string }
  | { step: number; interact: [number, number]; coin: number };

/** A text to the letter (seeds in a case may exceed doubles), and packed for a link. */
export interface Packed {
  text: string;
  packed: string;
}

export interface Description {
  protocol: string;
  n: number;
  params: Record<string, number | boolean | string>;
  start: string | null;
  scheduler: string;
  seed: string;
  /** The text of the protocol, if it is one. */
  text: Packed | null;
  /** A case or configuration file. */
  case: Packed | null;
  edits: Edit[];
}

/** The text of a run: that of its protocol, or one that says what a protocol in Rust does. */
export interface Listing {
  text: string;
  /** Whether it is the text that runs. */
  runs: boolean;
  /** Whether it tells the lines of an interaction. */
  tells: boolean;
  /** For each of its variables those of the run: a pair has two. */
  fields: Record<string, string[]>;
}

/** Something that is wrong with a text; lines and columns count from 1, and an end is past it. */
export interface Problem {
  line: number;
  column: number;
  end_line: number;
  end_column: number;
  what: string;
  help: string;
}

export interface Run extends Protocol {
  id: string;
  protocol: string;
  n: number;
  listing: Listing | null;
  settings: Record<string, Value>;
  scheduler: string;
  seed: string;
  start: string | null;
  states: string;
  variables: Variable[];
  phases: { name: string; about: string }[];
  gauges: string[];
  events: { name: string; about: string }[];
  recorded: number | null;
}

export interface Interaction {
  initiator: number;
  responder: number;
  by: string;
  draw: Value[] | null;
  before: [Agent, Agent];
  events: string[];
}

export interface Segment {
  start: number;
  length: number;
  label: string;
  dark: boolean;
}

export interface Frame {
  step: number;
  behind: boolean;
  /** Whether nothing that was wanted can happen any more. */
  never: boolean;
  event: null | { name: string; kind: "event" | "phase" | "safe" };
  end: number | null;
  last: Interaction | null;
  /** The lines of the text that the last interaction executed. */
  lines: number[] | null;
  /** Why the text cannot go on from here. */
  broken: Problem | null;
  /** Why the text cannot tell the sets of this configuration. */
  blind: Problem | null;
  columns: Record<string, Value[]>;
  leaders: number[];
  gauges: Record<string, number>;
  phases: Record<string, boolean>;
  safe: boolean;
  segments: Segment[];
  furthest: number;
  hash?: string;
}

/** How often lines were executed up to a step: pairs of a line and a number. */
export interface Counts {
  step: number;
  counts: [number, number][];
}

export interface History {
  stride: number;
  steps: number[];
  gauges: Record<string, number[]>;
  phases: Record<string, number[]>;
  safe: number[];
}

export interface SpaceTime {
  variable: string;
  size: number;
  steps: number[];
  n: number;
  values: string;
}

/** What a link holds besides the run: how it is looked at. */
export interface View {
  layout: "auto" | "ring" | "band";
  colour: string;
  layers: Record<string, boolean>;
  agent: number | null;
  zoom: number;
  x: number;
  y: number;
  variable: string;
  window: string;
  events: string[] | null;
  speed: number;
  lesson: number | null;
}

export interface Link {
  description: Description;
  step: number | null;
  view: View;
  problems: string[];
}

export interface Point {
  x: number;
  y: number;
}

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface Style {
  fill?: string;
  stroke?: string;
  width?: number;
  dash?: number[];
  alpha?: number;
  round?: boolean;
}

export interface TextStyle {
  size: number;
  fill: string;
  weight?: number;
  align?: "start" | "middle" | "end";
  halo?: string;
}

/** Whatever can draw: a canvas or SVG text. Angles are radians, clockwise from the right. */
export interface Pen {
  circle(x: number, y: number, radius: number, style: Style): void;
  arc(x: number, y: number, radius: number, from: number, to: number, style: Style): void;
  polygon(points: Point[], style: Style, open?: boolean): void;
  rect(x: number, y: number, width: number, height: number, style: Style, radius?: number): void;
  text(x: number, y: number, text: string, style: TextStyle): void;
  measure(text: string, size: number): number;
  within(box: Box, draw: () => void): void;
}

/** Where things are: `u` counts agents along the ring (fractions lie between two), `d` is the distance outwards in pixels. */
export interface Geometry {
  n: number;
  space: number;
  unit: number;
  disc: number;
  inner: number;
  roomy: boolean;
  positions: number[];
  shifts: number[];
  at(u: number, d: number): Point;
  heading(u: number): number;
  sees(from: number, to: number): boolean;
  span(pen: Pen, from: number, to: number, d: number, style: Style): void;
  locate(point: Point): { u: number; d: number };
}

export interface Palette {
  dark: boolean;
  paper: string;
  ink: string;
  muted: string;
  faint: string;
  line: string;
  highlight: string;
  select: string;
  leader: string;
  detect: string;
  signal: string;
  live: string;
  shield: string;
  strong: string;
  black: string;
  white: string;
  low: string;
  high: string;
  good: string;
  categories: string[];
}

/** Everything that a mark needs to draw itself. */
export interface Scene {
  pen: Pen;
  geometry: Geometry;
  palette: Palette;
  run: Run;
  frame: Frame;
  colour: string;
  layers: Set<string>;
  selected: number | null;
  hovered: number | null;
  edge: [number, number] | null;
}

export interface LegendItem {
  text: string;
  draw(pen: Pen, x: number, y: number, palette: Palette): void;
}

export interface Mark {
  name: string;
  label: string;
  applies(run: Run): boolean;
  draw(scene: Scene): void;
  legend?(scene: Pick<Scene, "run" | "colour" | "palette" | "layers">): LegendItem[];
}

export type Intent = { kind: "rest" } | { kind: "seek"; step: number } | { kind: "play" } | { kind: "event"; until: string[] };

export interface State {
  catalogue: Catalogue | null;
  description: Description | null;
  run: Run | null;
  frame: Frame | null;
  view: View;
  hovered: number | null;
  edge: [number, number] | null;
  intent: Intent;
  stopped: string;
}
