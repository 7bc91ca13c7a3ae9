// The fragment of the address: a run, a step and a view as text, and back. Whoever opens it sees the same picture.
//
// Parameters of a built-in protocol stand under their own names (`psi=6`), those of a text as `param-psi=6`, since it may call them
// anything. A text and a case file are packed (deflated, base64url).

/** @typedef {import("./types").Description} Description */
/** @typedef {import("./types").View} View */
/** @typedef {import("./types").Protocol} Protocol */
/** @typedef {import("./types").Link} Link */

/** @type {View} */
export const DEFAULT_VIEW = {
  layout: "auto",
  colour: "auto",
  layers: {},
  agent: null,
  zoom: 1,
  x: 0,
  y: 0,
  variable: "auto",
  window: "whole",
  events: null,
  speed: 4,
  lesson: null,
};

/** Interactions a second; the last is as fast as the engine goes. */
export const SPEEDS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 2e5, 5e5, 1e6, Infinity];

/** Beyond this many characters browsers and messengers cut links. */
export const LINK_LIMIT = 1e6;

const DESCRIPTION_KEYS = ["protocol", "n", "start", "scheduler", "seed", "edits", "text", "case", "step"];
const VIEW_KEYS = ["layout", "colour", "show", "hide", "agent", "zoom", "x", "y", "variable", "window", "events", "speed", "lesson"];

// --- Writing -----------------------------------------------------------------------------------------------------

/** Percent-encodes only what a fragment cannot hold, so that links stay readable. @param {string} text */
const plain = (text) => encodeURIComponent(text).replace(/%(3A|2C|5B|5D|7B|7D|40|2F)/g, (code) => decodeURIComponent(code));

/**
 * @param {Description} description
 * @param {number} step
 * @param {View} view
 */
export function encode(description, step, view) {
  const parts = [...describe(description), ["step", String(step)], ...describeView(view)];
  return `#${parts.map(([key, value]) => `${key}=${plain(value)}`).join("&")}`;
}

/** How the parameters of a text begin in a link. */
const OF_TEXT = "param-";

/** @param {Description} description @returns {[string, string][]} */
function describe({ protocol, n, params, start, scheduler, seed, edits, text, case: file }) {
  /** @type {[string, string | null][]} */
  const parts = [
    ["protocol", protocol],
    ["n", String(n)],
  ];
  for (const [name, value] of Object.entries(params)) parts.push([text ? OF_TEXT + name : name, String(value)]);
  parts.push(["start", start], ["scheduler", scheduler], ["seed", seed]);
  parts.push(["edits", edits.length > 0 ? JSON.stringify(edits) : null], ["text", text?.packed ?? null], ["case", file?.packed ?? null]);
  return /** @type {[string, string][]} */ (parts.filter(([, value]) => value !== null));
}

/** Only what differs from the default. @param {View} view @returns {[string, string][]} */
function describeView(view) {
  /** @type {[string, string][]} */
  const parts = [];
  for (const key of /** @type {const} */ (["layout", "colour", "agent", "variable", "window", "lesson"])) {
    if (view[key] !== DEFAULT_VIEW[key]) parts.push([key, String(view[key])]);
  }
  if (view.zoom !== 1) parts.push(["zoom", view.zoom.toPrecision(4)]);
  for (const key of /** @type {const} */ (["x", "y"])) if (Number(view[key].toFixed(4)) !== 0) parts.push([key, view[key].toFixed(4)]);
  if (view.speed !== DEFAULT_VIEW.speed) parts.push(["speed", speedText(view.speed)]);
  if (view.events) parts.push(["events", view.events.join(",")]);
  return [...parts, ...layerLists(view.layers)];
}

/** @param {number} index */
const speedText = (index) => (SPEEDS[index] === Infinity ? "full" : String(SPEEDS[index]));

/** @param {Record<string, boolean>} layers @returns {[string, string][]} */
function layerLists(layers) {
  const names = (/** @type {boolean} */ wanted) =>
    Object.keys(layers)
      .filter((name) => layers[name] === wanted)
      .join(",");
  /** @type {[string, string][]} */
  const lists = [
    ["show", names(true)],
    ["hide", names(false)],
  ];
  return lists.filter(([, list]) => list !== "");
}

// --- Reading -----------------------------------------------------------------------------------------------------

/**
 * Reads a fragment. What cannot be read is named in `problems` and left at its default.
 * @param {string} fragment
 * @param {Protocol[]} protocols
 * @returns {Promise<Link>}
 */
export async function decode(fragment, protocols) {
  const fields = new URLSearchParams(fragment.replace(/^#/, "").replaceAll("+", "%2B"));
  const reader = new Reader(fields);
  const description = await readDescription(reader, protocols);
  const step = reader.whole("step", null);
  const view = readView(reader);
  const prefix = description.text ? OF_TEXT : "";
  reader.unknown([...DESCRIPTION_KEYS, ...VIEW_KEYS, ...Object.keys(description.params).map((name) => prefix + name)]);
  return { description, step, view, problems: reader.problems };
}

/** Reads fields one by one and collects what is wrong with them. */
class Reader {
  /** @type {string[]} */
  problems = [];

  /** @param {URLSearchParams} fields */
  constructor(fields) {
    this.fields = fields;
  }

  /** @param {string} key */
  text(key) {
    return this.fields.get(key);
  }

  /** @param {string} key @param {string} allowed */
  refuse(key, allowed) {
    const value = this.fields.get(key) ?? "";
    const shown = value.length > 60 ? `${value.slice(0, 60)}…` : value;
    this.problems.push(`link: ${key} = ${shown}; allowed is ${allowed}`);
  }

  /**
   * @template T
   * @param {string} key
   * @param {T} otherwise
   * @param {string[]} choices
   */
  choice(key, otherwise, choices) {
    const value = this.fields.get(key);
    if (value === null || choices.includes(value)) return value ?? otherwise;
    this.refuse(key, choices.join(", "));
    return otherwise;
  }

  /** @template T @param {string} key @param {T} otherwise */
  whole(key, otherwise) {
    const value = this.fields.get(key);
    if (value === null) return otherwise;
    if (/^\d{1,15}$/.test(value)) return Number(value);
    this.refuse(key, "a whole number");
    return otherwise;
  }

  /** @param {string} key @param {number} otherwise @param {number} low @param {number} high */
  number(key, otherwise, low, high) {
    const value = Number(this.fields.get(key) ?? otherwise);
    if (value >= low && value <= high) return value;
    this.refuse(key, `a number in [${low}, ${high}]`);
    return otherwise;
  }

  /** @param {string} key */
  list(key) {
    return (this.fields.get(key) ?? "").split(",").filter((name) => name !== "");
  }

  /** @param {string[]} known */
  unknown(known) {
    const strange = [...this.fields.keys()].filter((key) => !known.includes(key));
    if (strange.length > 0) this.problems.push(`link: ${strange.join(", ")} unknown; ignored`);
  }
}

/** @param {Reader} reader @param {Protocol[]} protocols @returns {Promise<Description>} */
async function readDescription(reader, protocols) {
  const text = await readPacked(reader, "text", "a text that this page has packed");
  const name = readName(reader, protocols, text !== null);
  const protocol = protocols.find((known) => known.name === name);
  return {
    protocol: name,
    n: reader.whole("n", 64),
    params: text ? readOwnParameters(reader) : readParameters(reader, protocol ?? protocols[0]),
    start: reader.text("start"),
    scheduler: reader.text("scheduler") ?? "clocks",
    seed: readSeed(reader),
    edits: readEdits(reader),
    text,
    case: await readPacked(reader, "case", "a case that this page has packed", JSON.parse),
  };
}

/** A text may have any name of a file. @param {Reader} reader @param {Protocol[]} protocols @param {boolean} isText */
function readName(reader, protocols, isText) {
  const name = reader.text("protocol");
  if (isText && name?.endsWith(".py")) return name;
  return reader.choice(
    "protocol",
    protocols[0].name,
    protocols.map((known) => known.name),
  );
}

/** @param {Reader} reader @param {Protocol} protocol */
function readParameters(reader, protocol) {
  /** @type {Description["params"]} */
  const params = {};
  for (const { name, flag } of protocol.parameters) {
    const value = reader.text(name);
    if (value !== null) params[name] = parameter(value, flag);
  }
  return params;
}

/** Those of a text, which the server knows. @param {Reader} reader */
function readOwnParameters(reader) {
  const given = [...reader.fields].filter(([key]) => key.startsWith(OF_TEXT));
  return Object.fromEntries(given.map(([key, value]) => [key.slice(OF_TEXT.length), parameter(value, false)]));
}

/**
 * A parameter as the server wants it; what is no number stays text, for the server to refuse in its own words.
 * @param {string} text
 * @param {boolean} flag
 */
export function parameter(text, flag) {
  if (flag) return text !== "false" && text !== "0";
  return /^\d{1,15}$/.test(text) ? Number(text) : text;
}

/** @param {Reader} reader */
function readSeed(reader) {
  const seed = reader.text("seed") ?? "1";
  if (/^\d{1,20}$/.test(seed)) return seed;
  reader.refuse("seed", "a whole number below 2^64");
  return "1";
}

/** @param {Reader} reader @returns {Description["edits"]} */
function readEdits(reader) {
  const text = reader.text("edits");
  if (text === null) return [];
  try {
    const edits = JSON.parse(text);
    if (Array.isArray(edits)) return edits;
  } catch {
    /* told below */
  }
  reader.refuse("edits", "a JSON list of edits");
  return [];
}

/**
 * @param {Reader} reader
 * @param {string} key
 * @param {string} allowed
 * @param {(text: string) => unknown} [check] throws if the text is none
 * @returns {Promise<import("./types").Packed | null>}
 */
async function readPacked(reader, key, allowed, check = () => {}) {
  const packed = reader.text(key);
  if (packed === null) return null;
  try {
    const text = await unpack(packed);
    check(text);
    return { text, packed };
  } catch {
    reader.refuse(key, allowed);
    return null;
  }
}

/** @param {Reader} reader @returns {View} */
function readView(reader) {
  const speeds = SPEEDS.map((_, index) => speedText(index));
  const speed = reader.choice("speed", speedText(DEFAULT_VIEW.speed), speeds);
  const shown = [...reader.list("show").map((name) => [name, true]), ...reader.list("hide").map((name) => [name, false])];
  return {
    layout: /** @type {View["layout"]} */ (reader.choice("layout", "auto", ["auto", "ring", "band"])),
    colour: reader.text("colour") ?? "auto",
    layers: Object.fromEntries(shown),
    agent: reader.whole("agent", null),
    zoom: reader.number("zoom", 1, 0.01, 1000),
    x: reader.number("x", 0, -2, 2),
    y: reader.number("y", 0, -2, 2),
    variable: reader.text("variable") ?? "auto",
    window: reader.choice("window", "whole", ["whole", "1", "10", "100", "1000"]),
    events: reader.text("events") === null ? null : reader.list("events"),
    speed: speeds.indexOf(speed),
    lesson: reader.whole("lesson", null),
  };
}

// --- Packing -----------------------------------------------------------------------------------------------------

/** @param {BlobPart} data @param {GenericTransformStream} transform */
async function through(data, transform) {
  const stream = new Blob([data]).stream().pipeThrough(/** @type {ReadableWritablePair} */ (transform));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Deflated, in base64url. @param {string} text */
export async function pack(text) {
  const bytes = await through(text, new CompressionStream("deflate-raw"));
  const letters = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** @param {string} packed */
async function unpack(packed) {
  const letters = atob(packed.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
  return new TextDecoder().decode(await through(bytes, new DecompressionStream("deflate-raw")));
}
