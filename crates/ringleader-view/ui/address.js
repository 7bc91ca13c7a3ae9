// The address bar follows what is shown, and what is shown follows the address bar.

import { LINK_LIMIT, decode, encode } from "./link.js";
import { button, throttled } from "./dom.js";
import { attempt, complain, say, textOf } from "./messages.js";
import { step } from "./player.js";
import { emit, on, state } from "./store.js";

/** @type {(link: import("./types").Link) => Promise<void>} */
let follow = async () => {};
/** The fragment that the page has written or begun to follow. */
let written = "";
let tooLarge = false;
const TOO_LARGE = "too large for a link; share the case file";

/** The fragment for what is shown, or about to be. */
function fragment() {
  const { description, intent, view } = state;
  return description ? encode(description, intent.kind === "seek" ? intent.step : step(), view) : "";
}

/** @param {"pushState" | "replaceState"} way */
function write(way) {
  const link = fragment();
  const before = tooLarge;
  tooLarge = link.length > LINK_LIMIT;
  if (tooLarge && !before) say(TOO_LARGE);
  if (tooLarge || link === written || link === "" || !isFollowed()) return;
  history[way](null, "", link);
  written = location.hash;
}

/** Whether the page knows of the address; a link that was opened just now is told to it a little later, and must not be overwritten. */
export const isFollowed = () => location.hash === written;

/** A deliberate change: Back comes back to before it. */
export const remember = () => write("pushState");

/** Just before such a change: Back comes back to exactly this. */
export const catchUp = () => write("replaceState");

/** Something that merely goes on. */
const keepUp = throttled(500, () => {
  if (following === 0 && state.frame) write("replaceState");
});

/** While a link is being followed the address must not tell of what is half there. */
let following = 0;

/** Reads a link; what is wrong with it is told, the rest is followed. @param {string} text */
export async function read(text) {
  const protocols = state.catalogue?.protocols ?? [];
  following += 1;
  try {
    const link = await decode(text, protocols);
    const told = (/** @type {string[]} */ ...more) => [...link.problems, ...more].join(". ");
    await follow(link).catch((error) => Promise.reject(new Error(told(textOf(error)))));
    if (link.problems.length > 0) complain(told());
  } finally {
    following -= 1;
  }
}

/** Follows the address, unless it asks for nothing. */
export async function followAddress() {
  written = location.hash;
  if (written !== "") await read(written);
}

/** What the page has written itself needs no following. */
const changed = () => (isFollowed() ? undefined : attempt(followAddress));

async function copy() {
  write("replaceState");
  if (tooLarge) throw new Error(TOO_LARGE);
  await navigator.clipboard.writeText(location.href);
  say("Link copied.");
}

export const copyLink = () => attempt(copy);

/** @param {(link: import("./types").Link) => Promise<void>} follower */
export function startAddress(follower) {
  follow = follower;
  addEventListener("popstate", changed);
  addEventListener("hashchange", changed);
  button("copy-link").addEventListener("click", copyLink);
  on("frame view", keepUp);
}

/** Sets the view that a link asks for. @param {import("./types").View} view */
export function restoreView(view) {
  state.view = { ...view };
  emit("view");
}
