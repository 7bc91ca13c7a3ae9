// Values and their domains: the number of a value (for colours and the space-time diagram), its text, and back.

/** @typedef {import("./types").Domain} Domain */
/** @typedef {import("./types").Value} Value */

/**
 * The number of a value in the order of its domain: 0 is the lowest, or null.
 * @param {Domain} domain
 * @param {Value} value
 * @returns {number}
 */
export function indexOf(domain, value) {
  switch (domain.kind) {
    case "range":
      return Number(value) - (domain.low ?? 0);
    case "ranges":
      return rangesIndex(domain.ranges ?? [], Number(value));
    case "names":
      return Math.max(0, (domain.names ?? []).indexOf(String(value)));
    case "maybe":
      return maybeIndex(domain, value);
    case "token":
      return tokenIndex(domain.psi ?? 0, value);
    case "bits":
      return bitsIndex(value);
    case "parts":
      return partsIndex(domain, value);
  }
}

/** @param {[number, number][]} ranges @param {number} value */
function rangesIndex(ranges, value) {
  let before = 0;
  for (const [low, high] of ranges) {
    if (value <= high) return before + Math.max(0, value - low);
    before += high - low + 1;
  }
  return Math.max(0, before - 1);
}

/** @param {[number, number][]} ranges @param {number} k */
function nthOfRanges(ranges, k) {
  for (const [low, high] of ranges) {
    if (k <= high - low) return low + k;
    k -= high - low + 1;
  }
  return 0;
}

/** A single part is written without brackets. @param {Domain} domain @param {Value} value */
function maybeIndex({ parts = [] }, value) {
  if (value === null) return 0;
  const values = parts.length === 1 ? [value] : Array.isArray(value) ? value : [];
  return 1 + parts.reduce((sum, part, k) => sum * part.size + indexOf(part, values[k] ?? null), 0);
}

/** @param {Domain} domain @param {number} k @returns {Value} */
function nthMaybe({ parts = [] }, k) {
  /** @type {Value[]} */
  const values = [];
  for (const part of [...parts].reverse()) {
    values.unshift(nth(part, k % part.size));
    k = Math.floor(k / part.size);
  }
  return values.length === 1 ? values[0] : values;
}

/** @param {number} psi @param {Value} value */
function tokenIndex(psi, value) {
  if (!Array.isArray(value)) return 0;
  const [position, bit, carry] = value.map(Number);
  return 1 + 4 * (position + psi - (position > 0 ? 2 : 1)) + 2 * bit + carry;
}

/** Bit strings by length, then by value. @param {Value} value */
function bitsIndex(value) {
  return Array.isArray(value) ? value.reduce((/** @type {number} */ sum, bit) => 2 * sum + Number(bit), 1) - 1 : 0;
}

/** @param {Domain} domain @param {Value} value */
function partsIndex(domain, value) {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return 0;
  return (domain.parts ?? []).reduce((sum, part) => sum * part.size + indexOf(part, value[part.name ?? ""]), 0) + 1;
}

/**
 * Value number `k`: the inverse of `indexOf`.
 * @param {Domain} domain
 * @param {number} k
 * @returns {Value}
 */
export function nth(domain, k) {
  switch (domain.kind) {
    case "range":
      return k + (domain.low ?? 0);
    case "ranges":
      return nthOfRanges(domain.ranges ?? [], k);
    case "names":
      return domain.names?.[k] ?? "";
    case "maybe":
      return k === 0 ? null : nthMaybe(domain, k - 1);
    case "token":
      return k === 0 ? null : nthToken(domain.psi ?? 0, k - 1);
    case "bits":
      return [...(k + 1).toString(2).slice(1)].map(Number);
    case "parts":
      return k === 0 ? null : nthParts(domain, k - 1);
  }
}

/** There is no position 0. @param {number} psi @param {number} k */
function nthToken(psi, k) {
  const position = Math.floor(k / 4) + 1 - psi;
  return [position >= 0 ? position + 1 : position, (k >> 1) & 1, k & 1];
}

/** @param {Domain} domain @param {number} k */
function nthParts(domain, k) {
  /** @type {[string, Value][]} */
  const values = [];
  for (const part of [...(domain.parts ?? [])].reverse()) {
    values.unshift([part.name ?? "", nth(part, k % part.size)]);
    k = Math.floor(k / part.size);
  }
  return Object.fromEntries(values);
}

/** A value as short text. @param {Value | undefined} value @returns {string} */
export function show(value) {
  if (value === null || value === undefined) return "⊥";
  if (Array.isArray(value)) return `(${value.join(", ")})`;
  if (typeof value === "object")
    return Object.entries(value)
      .map(([name, part]) => `${name} ${show(part)}`)
      .join(", ");
  return String(value);
}

/** A value as it is typed into a field. @param {Value | undefined} value */
export const typed = (value) => (typeof value === "string" ? value : JSON.stringify(value ?? null));

/**
 * What a field says; the server judges whether the domain has it.
 * @param {string} text
 * @returns {Value}
 */
export function read(text) {
  const plain = text.trim();
  if (plain === "" || plain === "⊥") return null;
  try {
    return JSON.parse(plain.replace(/^\((.*)\)$/, "[$1]"));
  } catch {
    return plain;
  }
}

/** A domain in the paper's short form. @param {Domain & { domain: string }} variable */
export function domainText({ kind, domain, low, high, ranges = [], names = [], psi = 0 }) {
  if (kind === "range") return `[${low}, ${high}]`;
  if (kind === "ranges") return ranges.map(([from, to]) => `[${from}, ${to}]`).join(" ∪ ");
  if (kind === "names") return `{${names.join(", ")}}`;
  if (kind === "token") return `⊥ or ([${1 - psi}, -1] ∪ [1, ${psi}]) × {0, 1}²`;
  return domain;
}
