// Starts the page: loads the catalogue, connects the parts, and opens what the address or the command line asks for.

import { interact, openRun } from "./actions.js";
import { followAddress, isFollowed, restoreView, startAddress } from "./address.js";
import { startAdversary } from "./adversary.js";
import { startBoard } from "./board.js";
import { startCharts } from "./charts.js";
import { canvas, count, element, many } from "./dom.js";
import { startDraft } from "./draft.js";
import { startEditor } from "./editor.js";
import { startFiles } from "./files.js";
import { pick, startInspector } from "./inspector.js";
import { startKeys } from "./keys.js";
import { startLayers } from "./layers.js";
import { startLessons } from "./lessons.js";
import { DEFAULT_VIEW, pack } from "./link.js";
import { startListing } from "./listing.js";
import { attempt, complain, startMessages, textOf } from "./messages.js";
import { startPlayer, step } from "./player.js";
import { areDrawn } from "./plot.js";
import * as session from "./session.js";
import { startSets } from "./sets.js";
import { startSetup } from "./setup.js";
import { startSpaceTime } from "./spacetime.js";
import { isPainted, startStage, stats } from "./stage.js";
import { startPointer } from "./pointer.js";
import { isBusy, on, state } from "./store.js";
import { startTheme } from "./theme.js";
import { startTransport } from "./transport.js";

/** @typedef {import("./types").Description} Description */

/** Follows a link: the run, the step and the view. @param {import("./types").Link} link */
async function follow({ description, step: at, view }) {
  const same = JSON.stringify(description) === JSON.stringify(state.description);
  await openRun(same && state.description ? state.description : description, at);
  restoreView(view);
}

/** What is shown if the address asks for nothing: what the command line asks for. */
async function openFirst() {
  const description = await described(await session.opening());
  await follow({ description, step: null, view: { ...DEFAULT_VIEW }, problems: [] });
}

/** A case comes as text, so that no number in it is rounded. @param {Record<string, any>} wish @returns {Promise<Description>} */
async function described({ protocol, n, params, start, scheduler, seed, text, case: file }) {
  return {
    protocol: protocol ?? state.catalogue?.protocols[0].name,
    n: n ?? 64,
    params,
    start,
    scheduler: scheduler ?? "clocks",
    seed: seed ?? "1",
    edits: [],
    text: text ? { text, packed: await pack(text) } : null,
    case: file ? { text: file, packed: await pack(file) } : null,
  };
}

/** A bad link is told, and the page opens as if there were none. */
async function openAddress() {
  try {
    await followAddress();
  } catch (error) {
    await openFirst();
    complain(`link: ${textOf(error)}`);
  }
}

/** Screen readers and the title of the tab tell what the canvas shows. */
function describeRing() {
  const { run, frame } = state;
  if (!run || !frame) return;
  const leaders = run.elects ? `, ${many(frame.leaders.length, "leader")}` : "";
  const label = `${run.protocol}, ${count(run.n)} agents, step ${count(frame.step)}${leaders}${frame.safe ? ", safe for ever" : ""}`;
  canvas("ring").setAttribute("aria-label", `Ring: ${label}. Arrow keys select agents.`);
  document.title = `${run.protocol} n = ${run.n}: Ringleader`;
}

// --- For tests and the curious -----------------------------------------------------------------------------------

function expose() {
  const { description, frame } = state;
  return { description, step: step(), hash: frame?.hash ?? null, intent: state.intent.kind, frame };
}

/** Whether all that was asked of the page is done: what is shown is what was wanted, and has its hash. */
const atRest = () => state.intent.kind === "rest" && Boolean(state.frame?.hash) && !isBusy() && isFollowed();

/** Whether it is at rest, and drawn. */
const isStill = () => atRest() && isPainted() && areDrawn();

// --- Parts -------------------------------------------------------------------------------------------------------

function connectParts() {
  startTheme();
  startBoard();
  startPlayer(complain);
  startStage();
  startPointer({ pick, interact: (pair) => void attempt(() => interact(pair)) });
  for (const start of [startTransport, startSetup, startInspector, startAdversary, startLayers, startSets]) start();
  for (const start of [startSpaceTime, startCharts, startDraft, startListing, startEditor]) start();
  for (const start of [startFiles, startLessons, startKeys]) start();
  startAddress(follow);
  on("frame", describeRing);
}

async function main() {
  for (const named of document.querySelectorAll("[id]")) named.setAttribute("data-testid", named.id);
  Object.assign(window, { ringleader: { stats, state: expose, atRest, isStill } });
  startMessages();
  state.catalogue = await session.protocols();
  element("version").textContent = state.catalogue.version;
  connectParts();
  await (location.hash.length > 1 ? openAddress() : openFirst());
}

void attempt(main);
