// Colours: the Okabe-Ito set, which colour-blind people can tell apart, on light and on dark paper, and the
// colour of any value of any variable. No colour carries a meaning alone: shapes and texts say the same.

import { indexOf } from "./domain.js";

/** @typedef {import("./types").Palette} Palette */
/** @typedef {import("./types").Variable} Variable */

/** @type {Palette} */
const LIGHT = {
  dark: false,
  paper: "#ffffff",
  ink: "#1b1f24",
  muted: "#667080",
  faint: "#e4e8ee",
  line: "#b4bcc8",
  highlight: "#f7dd72",
  select: "#0072b2",
  leader: "#e69f00",
  detect: "#cc79a7",
  signal: "#0072b2",
  live: "#d55e00",
  shield: "#009e73",
  strong: "#d55e00",
  black: "#22262c",
  white: "#ffffff",
  low: "#f3f7fb",
  high: "#4f7fae",
  good: "#00734f",
  categories: ["#f3f7fb", "#e69f00", "#56b4e9", "#009e73", "#f0e442", "#0072b2", "#d55e00", "#cc79a7"],
};

/** @type {Palette} */
const DARK = {
  dark: true,
  paper: "#15181d",
  ink: "#e8ebf0",
  muted: "#9aa4b2",
  faint: "#2a3038",
  line: "#566070",
  highlight: "#7a6413",
  select: "#56b4e9",
  leader: "#f2b632",
  detect: "#d98ab6",
  signal: "#56b4e9",
  live: "#ff7f32",
  shield: "#1fc395",
  strong: "#ff7f32",
  black: "#05070a",
  white: "#f2f4f8",
  low: "#232a33",
  high: "#7fb0de",
  good: "#3fd0a0",
  categories: ["#232a33", "#e69f00", "#56b4e9", "#009e73", "#f0e442", "#3d8fd0", "#e8702a", "#cc79a7"],
};

const wish = window.matchMedia("(prefers-color-scheme: dark)");

/** What the reader chose: "auto", "light" or "dark". */
export const themeChoice = () => document.documentElement.dataset.theme ?? "auto";

/** The colours of the theme in force. */
export function palette() {
  const choice = themeChoice();
  return choice === "dark" || (choice === "auto" && wish.matches) ? DARK : LIGHT;
}

/** @param {() => void} listener */
export const onThemeWish = (listener) => wish.addEventListener("change", listener);

/** @param {string} hex */
const channels = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));

/**
 * A colour between two others.
 * @param {string} from
 * @param {string} to
 * @param {number} part
 */
export function mix(from, to, part) {
  const [a, b] = [channels(from), channels(to)];
  return `#${a
    .map((v, k) =>
      Math.round(v + (b[k] - v) * part)
        .toString(16)
        .padStart(2, "0"),
    )
    .join("")}`;
}

/** Black or white, whichever can be read on this colour. @param {string} hex */
export function onTop(hex) {
  const [red, green, blue] = channels(hex);
  return 0.299 * red + 0.587 * green + 0.114 * blue > 140 ? "#15181d" : "#ffffff";
}

/** The lower half of the steps reads as light, the upper as dark; a scale of one hue needs no legend to be ordered. */
const SCALE_LIGHT = ["#f3f7fb", "#c9dcec", "#8fb8d8", "#4f8fc0", "#1f6399", "#08335c"];
const SCALE_DARK = ["#232a33", "#27496b", "#2f70a3", "#4f9bd0", "#8fc6ea", "#e0f1fb"];

/** @param {Palette} palette @param {number} part */
function scale(palette, part) {
  const steps = palette.dark ? SCALE_DARK : SCALE_LIGHT;
  const at = Math.min(Math.max(part, 0), 1) * (steps.length - 1);
  const below = Math.min(Math.floor(at), steps.length - 2);
  return mix(steps[below], steps[below + 1], at - below);
}

/** Colours of a two-hop colouring and the like: eight hues, then the same lighter or darker. @param {Palette} palette @param {number} index */
function category(palette, index) {
  const hues = palette.categories.slice(1);
  const round = Math.floor(index / hues.length);
  return round === 0 ? hues[index] : mix(hues[index % hues.length], palette.ink, Math.min(0.2 * round, 0.8));
}

const COLOURINGS = new Set(["color", "c1", "c2", "dir", "stampC", "pre", "suc", "label", "role"]);

/** @type {Record<string, (palette: Palette, index: number) => string>} */
const OWN = {
  leader: (p, k) => (k === 0 ? p.low : p.leader),
  mode: (p, k) => (k === 0 ? p.detect : p.low),
  bullet: (p, k) => (k === 0 ? p.low : k === 1 ? mix(p.live, p.paper, 0.55) : p.live),
  shield: (p, k) => (k === 0 ? p.low : p.shield),
  strong: (p, k) => (k === 0 ? p.low : p.strong),
};

/**
 * The colour of value number `index` of a variable.
 * @param {Palette} palette
 * @param {Variable} variable
 * @param {number} index
 */
export function colourOfIndex(palette, variable, index) {
  const own = OWN[variable.name];
  if (own) return own(palette, index);
  if (variable.name === "clock" && index === variable.size - 1) return palette.detect;
  if (COLOURINGS.has(variable.name)) return category(palette, index);
  if (variable.kind === "token") return tokenColour(palette, variable.psi ?? 1, index);
  return scale(palette, variable.size < 2 ? 0 : index / (variable.size - 1));
}

/** Tokens that move right are blue, those that move left orange, darker with the way ahead. @param {Palette} palette @param {number} psi @param {number} index */
function tokenColour(palette, psi, index) {
  if (index === 0) return palette.low;
  const step = Math.floor((index - 1) / 4) - (psi - 1);
  const way = step < 0 ? -step / psi : (step + 1) / psi;
  return mix(palette.low, step < 0 ? palette.live : palette.signal, 0.45 + 0.55 * way);
}

/**
 * The colour of an agent's value.
 * @param {Palette} palette
 * @param {Variable} variable
 * @param {import("./types").Value} value
 */
export const colourOf = (palette, variable, value) => colourOfIndex(palette, variable, indexOf(variable, value));
