// What is true without the page: the program itself, asked on its command line, and the hash of a configuration,
// computed anew from its definition.

import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";

// All paths that lead out of this folder.
const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const ROOT = here("../../../../");
/** The files of the page. */
export const PAGE = here("../../../ringleader-view/ui/");
/** The path of a recorded execution with hashes that do not come from this program. */
export const conformancePath = (name) => here(`../conformance/${name}`);

/** RINGLEADER names a binary that is there already. */
const PROGRAM = process.env.RINGLEADER ?? resolve(ROOT, process.env.CARGO_TARGET_DIR ?? "target", "debug/ringleader");

/** Exit code and output of the program. */
export function ringleader(args, input = "") {
  const { status, stdout, stderr, error } = spawnSync(PROGRAM, args, { input, encoding: "utf8", maxBuffer: 2 ** 28 });
  if (error) throw error;
  return { code: status, stdout, stderr };
}

/** Starts the program and leaves it running. */
export const begin = (args) => spawn(PROGRAM, args, { stdio: ["ignore", "pipe", "inherit"] });

/** The record of a run; it ends when it is safe or, with exit code 3, at its limit. */
export function record(...args) {
  const { code, stdout, stderr } = ringleader(["run", "--json", "--quiet", ...args.map(String)]);
  if (code !== 0 && code !== 3) throw new Error(`ringleader run ${args.join(" ")}: ${stderr}`);
  return JSON.parse(stdout);
}

/** A run as a link and as `run` knows it, with its hash at a step before it is safe. */
const sample = (link, ...options) => ({ link, options, hashAt: (step) => record(...options, "--limit", step).final_hash });

/** A run that most tests look at; it is safe at step 1781. */
export const SAMPLE = sample("#protocol=ppl&n=16&c1=2&seed=5", "--n", 16, "--c1", 2, "--seed", 5);

/** A run that is played at 20 steps a second, for some time: it is not safe for days. */
export const LONG = sample("#protocol=ppl&n=64&seed=5", "--n", 64, "--seed", 5);

/** What `replay` makes of a case: its exit code, and the hash of the last configuration. */
export function replay(text) {
  const { code, stdout, stderr } = ringleader(["replay", "-", "--quiet"], text);
  const hash = code === 2 ? null : hashOf(JSON.parse(stdout).final);
  return { code, hash, stderr };
}

/** The facts that `inspect` tells of a configuration. */
export const inspect = (text) => JSON.parse(ringleader(["inspect", "-"], text).stdout);

const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);

/** Keys sorted, all the way down. */
function sorted(value) {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.keys(value).sort().map((key) => [key, sorted(value[key])]));
}

/** SHA-256 of the configuration as JSON with sorted keys and no white space. */
export const hashOf = (agents) => createHash("sha256").update(JSON.stringify(sorted(agents))).digest("hex");

/** The agents of a frame, which holds one column for each variable. */
export function agentsOf({ columns }) {
  const names = Object.keys(columns);
  return columns[names[0]].map((_, agent) => Object.fromEntries(names.map((name) => [name, columns[name][agent]])));
}

/** The file of a built-in protocol. */
export const text = (name) => readFileSync(resolve(ROOT, `protocols/${name}.py`), "utf8");

export const conformance = (name) => JSON.parse(readFileSync(conformancePath(name), "utf8"));
