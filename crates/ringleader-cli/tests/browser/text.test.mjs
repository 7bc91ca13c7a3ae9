// The text beside the ring, and the editor: what is marked and counted is what an interaction executes, what is written runs as on the
// command line, what is wrong is told under its line, and whatever is written, nothing else breaks.

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { REFUSED, law, openLab, startServer } from "./harness.mjs";
import { record, ringleader, text as protocolText } from "./oracle.mjs";

const RUMOUR = `"""A rumour that spreads clockwise"""
from ringleader.notation import *

class Agent:
    heard: bit
    steps: span(0, 5)

def interact(l, r):
    if l.heard == 1:                # 1
        r.heard = 1                 # 2
        r.steps = min(l.steps + 1, 5)
    else:
        l.steps = 0

def output(v):
    return v.heard

@start
def one(u):
    "agent 0 has heard it"
    u[0].heard = 1
`;

const folder = mkdtempSync(join(tmpdir(), "ringleader-text-"));

/** A file with a text, for the command line. */
function file(text, name = "mine.py") {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

/** What the command line says of a text. */
const recordOf = (text, ...args) => record(file(text), ...args);

/** The lines as they are shown, the paper's numbers where they stand in the text. */
const linesShown = (page) => page.locator("#text-rows .row").evaluateAll((rows) => rows.map((row) => ({
  code: row.querySelector(".code").textContent,
  paper: row.querySelector(".paper")?.textContent ?? "",
  times: row.querySelector(".tally").title,
  ran: row.classList.contains("ran"),
})));

const numbersOf = (lines, holds) => lines.flatMap((line, k) => (holds(line) ? [k + 1] : []));
const ranNow = async (page) => numbersOf(await linesShown(page), ({ ran }) => ran);

/** Writes a text into the editor, and runs it. */
async function write(lab, text) {
  if (await lab.page.locator("#text-draft").isHidden()) await lab.click("text-edit");
  // As if it were pasted: to fill in a long text takes browsers minutes.
  await lab.page.evaluate((pasted) => {
    const area = document.getElementById("text-draft");
    area.focus();
    area.value = pasted;
    area.dispatchEvent(new Event("input"));
  }, text);
  await lab.page.locator("#text-draft").press("Control+Enter");
}

/** The same, of a text that is right. */
async function runs(lab, text) {
  const drawn = await lab.page.evaluate(() => window.ringleader.state().description.text?.text);
  await write(lab, text);
  if (drawn === text) return lab.rest();
  await lab.until((wanted) => window.atRest() && window.ringleader.state().description.text?.text === wanted, text);
}

/** Waits until lines are counted up to the step that is shown. */
const counted = (lab) => lab.untilResolved(async () => {
  const state = window.ringleader.state();
  return window.atRest() && (await import("/listing.js")).countedUpTo() === state.step;
});

const timesOf = async (page) => Object.fromEntries(
  (await linesShown(page)).flatMap(({ times }, k) => (times === "" ? [] : [[k + 1, Number(times.replace(/\D/g, ""))]])));

/** The lines of RUMOUR that an interaction executes, from the state before. */
const rumourLines = ([initiator]) => (initiator.heard === 1 ? [9, 10, 11] : [9, 13]);

/** How often each line of RUMOUR is executed up to a step, from what each of the frames says of the states before. */
async function rumourCounts(page, to) {
  const befores = await page.evaluate(async (last) => {
    const { state } = await import("/store.js");
    const all = [];
    for (let step = 1; step <= last; step++) {
      const frame = await (await fetch(`api/runs/${state.run.id}/frame?from=${step}&ms=250`)).json();
      all.push(frame.last.before);
    }
    return all;
  }, to);
  const counts = {};
  for (const line of befores.flatMap(rumourLines)) counts[line] = (counts[line] ?? 0) + 1;
  return counts;
}

const problems = (page) => page.locator("#text-rows .problem").evaluateAll((boxes) => boxes.map((box) => {
  let row = box.previousElementSibling;
  while (!row.classList.contains("row")) row = row.previousElementSibling;
  return {
    under: [...document.querySelectorAll("#text-rows .row")].indexOf(row) + 1,
    marked: [...row.querySelectorAll(".wrong")].map((mark) => mark.textContent).join(""),
    text: box.textContent,
  };
}));

const FJ = "#protocol=fj&n=9&seed=3&step=40";

// --- The text beside the ring ------------------------------------------------------------------------------------

law("the text of a built-in protocol is its file, with the numbers of the paper", { at: "#protocol=ppl&n=16&seed=5&step=20" }, async ({ page }) => {
  const expected = protocolText("ppl").trimEnd().split("\n");
  const shown = await linesShown(page);
  assert.equal(shown.length, expected.length);
  let numbers = 0;
  expected.forEach((line, k) => {
    const [, code, paper = ""] = /^(.*?)(?:\s*# (\d+))?$/.exec(line);
    assert.equal(shown[k].code.trimEnd(), code.trimEnd(), `line ${k + 1}`);
    assert.equal(shown[k].paper, paper, `line ${k + 1}`);
    numbers += paper === "" ? 0 : 1;
  });
  assert.equal(numbers, 62);
});

law("words have their colours", { at: FJ }, async ({ page }) => {
  const words = (kind) => page.locator(`#text-rows .${kind}`).allTextContents();
  for (const word of ["def", "class", "elif", "@start", "bit"]) assert.ok((await words("keyword")).includes(word), word);
  assert.ok((await words("comment")).some((comment) => comment.includes("the oracle says")));
  const strings = await words("string");
  assert.ok(strings.includes('"Theta(n^3)"') && strings.some((line) => line.startsWith("A leader sends its shield")), "a string over several lines");
  assert.ok(!(await words("keyword")).includes("interact"));
});

law("a protocol without a text says so", { at: "#protocol=thue-morse&n=9&seed=3" }, async ({ lab, page }) => {
  assert.match(await lab.text("text-title"), /none/);
  assert.ok(await page.locator("#text-edit").isDisabled());
  assert.ok(await page.locator("#text-download").isDisabled());
});

law("the lines of the last interaction are marked and all are counted, whichever way one comes to a step", { at: FJ }, async ({ lab, page }) => {
  await runs(lab, RUMOUR);
  await lab.click("text-edit");
  assert.deepEqual(await ranNow(page), []);
  await lab.goTo(60);
  const expected = await rumourCounts(page, 60);
  assert.deepEqual([9, 10, 13].map((line) => expected[line] > 0), [true, true, true], "every branch");
  for (const step of [60, 7, 0, 31, 32]) {
    await lab.goTo(step);
    await counted(lab);
    const { frame } = await lab.state();
    assert.deepEqual(await ranNow(page), step === 0 ? [] : rumourLines(frame.last.before), `step ${step}`);
    assert.deepEqual(await timesOf(page), await rumourCounts(page, step), `step ${step}`);
  }
  await lab.click("step");
  await lab.arrives(33);
  assert.deepEqual(await ranNow(page), rumourLines((await lab.state()).frame.last.before));
  await (await lab.control("scrub")).fill("12");
  await lab.arrives(12);
  await counted(lab);
  assert.deepEqual(await timesOf(page), await rumourCounts(page, 12));
});

law("a built-in protocol executes the lines of its text", { at: FJ }, async ({ lab, page }) => {
  // A file with the same text runs the text itself.
  for (const step of [40, 41, 90]) {
    await lab.goTo(step);
    await counted(lab);
    const [ran, times] = [await ranNow(page), await timesOf(page)];
    assert.ok(ran.length > 0);
    const { lab: other, context } = await openLab(await startServer({ args: [file(protocolText("fj"), "fj.py"), "--n", "9", "--seed", "3"] }));
    await other.open("");
    await other.goTo(step);
    await counted(other);
    assert.deepEqual([await ranNow(other.page), await timesOf(other.page)], [ran, times]);
    await context.close();
  }
});

law("counts follow an edit of the adversary", { at: FJ }, async ({ lab, page }) => {
  await runs(lab, RUMOUR);
  await lab.click("text-edit");
  await lab.goTo(30);
  await lab.changes(() => lab.click("interact"));
  await counted(lab);
  assert.deepEqual(await timesOf(page), await rumourCounts(page, 31));
});

law("the marked lines are brought into sight, unless they are not to be followed", { at: "#protocol=ppl&n=16&seed=5" }, async ({ lab, page }) => {
  const isSeen = () => page.evaluate(() => {
    const box = document.getElementById("text-scroll").getBoundingClientRect();
    const row = document.querySelector("#text-rows .row.ran").getBoundingClientRect();
    return row.top >= box.top && row.bottom <= box.bottom;
  });
  const toEnd = () => page.evaluate(() => document.getElementById("text-scroll").scrollTo(0, 1e6));
  await toEnd();
  await lab.click("step");
  await lab.arrives(1);
  assert.ok(await isSeen());
  await lab.check("text-follow", false);
  await toEnd();
  await lab.click("step");
  await lab.arrives(2);
  assert.ok(!(await isSeen()));
});

law("a click on a variable colours the ring by it, by the next of a pair, and as before", { at: "#protocol=ppl&n=16&seed=5&step=200" }, async ({ lab, page }) => {
  const before = await lab.picture();
  const click = async (name) => {
    await page.locator(`#text-rows .variable[data-field="${name}"]`).first().click();
    return lab.value("colour-by");
  };
  assert.equal(await click("dist"), "dist");
  const clicked = await lab.anotherPicture(before);
  assert.ok((await page.locator("#text-rows .coloured").allTextContents()).every((name) => name === "dist"));
  assert.equal(await click("dist"), "auto");
  await lab.until((wanted) => document.getElementById("ring").toDataURL() === wanted, before);
  await lab.choose("colour-by", "dist");
  assert.equal(await lab.anotherPicture(before), clicked);
  assert.deepEqual([await click("token"), await click("token"), await click("token")], ["tokenB", "tokenW", "auto"]);
});

law("a closed text asks for nothing", { at: FJ }, async ({ lab, page }) => {
  await counted(lab);
  await lab.click("text-panel", { position: { x: 20, y: 15 } });
  await lab.until(() => !document.getElementById("text-panel").open);
  const asked = [];
  page.on("request", (request) => asked.push(request.url()));
  await lab.click("step");
  await lab.arrives(41);
  await lab.still();
  assert.deepEqual(asked.filter((url) => url.includes("/lines")), []);
  await Promise.all([page.waitForResponse(/\/lines\?/), lab.control("text-scroll")]);
});

law("letters can be larger, and stay so", { at: FJ }, async ({ lab, page }) => {
  const size = () => page.evaluate(() => parseFloat(getComputedStyle(document.getElementById("text-scroll")).fontSize));
  const first = await size();
  await lab.click("text-larger");
  await lab.click("text-larger");
  const larger = await size();
  assert.ok(larger > first);
  await page.reload();
  await lab.rest();
  assert.equal(await size(), larger);
  for (let presses = 0; presses < 20 && (await page.locator("#text-smaller").isEnabled()); presses++) await lab.click("text-smaller");
  assert.ok((await size()) < first);
});

law("the board shows the ring and its text alone", { at: FJ }, async ({ lab, page }) => {
  const seen = (ids) => Promise.all(ids.map((id) => page.locator(`#${id}`).isVisible()));
  await lab.click("board");
  assert.deepEqual(await seen(["ring", "play", "text-scroll", "setup", "spacetime"]), [true, true, true, false, false]);
  await page.keyboard.press("b");
  assert.deepEqual(await seen(["setup", "spacetime"]), [true, true]);
});

// --- A text of one's own -----------------------------------------------------------------------------------------

law("a changed text runs as on the command line", { at: FJ }, async ({ lab, page }) => {
  const text = protocolText("fj").replace("        x.bullet = 1\n", "        x.bullet = 0\n").replace("y.bullet, y.shield) = (0, 0, 1)", "y.bullet, y.shield) = (0, 1, 1)");
  await runs(lab, text);
  assert.equal(await lab.value("protocol"), "fj.py");
  const args = ["--n", 9, "--seed", 3, "--limit", 30];
  const { steps, final_hash: hash } = recordOf(text, ...args);
  await lab.goTo(steps);
  assert.equal(await lab.hash(), hash);
  assert.notEqual(await lab.hash(), record("fj", ...args).final_hash);
  assert.match(await lab.text("run-facts"), /rules: the text/);
  assert.match(await lab.text("text-state"), /this text runs/);
  assert.ok((await page.locator("#legend li").count()) > 0);
});

law("what the form says of ring, seed, start and parameters counts for the text, too", { at: "#protocol=fj&n=9&seed=3" }, async ({ lab }) => {
  await lab.fill("n", 12);
  await lab.fill("seed", 8);
  await lab.fill("param-delay", 4);
  await lab.choose("start", "all-leaders");
  const text = protocolText("fj");
  await runs(lab, text);
  await lab.goTo(20);
  assert.equal(await lab.hash(), recordOf(text, "--n", 12, "--seed", 8, "--delay", 4, "--start", "all-leaders", "--limit", 20).final_hash);
  // And the form starts the text again with what it says.
  await lab.fill("seed", 9);
  await lab.startRun();
  await lab.goTo(20);
  assert.equal(await lab.hash(), recordOf(text, "--n", 12, "--seed", 9, "--delay", 4, "--start", "all-leaders", "--limit", 20).final_hash);
});

law("a start that a text does not have is told, and its default is taken", { at: "#protocol=fj&n=9&seed=3&start=all-leaders", provokes: REFUSED }, async ({ lab }) => {
  await runs(lab, RUMOUR);
  assert.match(await lab.text("message-news"), /all-leaders/);
  assert.equal(await lab.value("start"), "one");
});

law("a new protocol begins with a template that runs", { at: FJ }, async ({ lab, page }) => {
  await lab.changes(() => lab.click("text-new"));
  const text = await lab.value("text-draft");
  assert.deepEqual(await problems(page), []);
  await lab.goTo(30);
  assert.equal(await lab.hash(), recordOf(text, "--n", 9, "--seed", 3, "--limit", 30).final_hash);
});

law("Restore brings back the text as it was", { at: FJ }, async ({ lab, page }) => {
  const { hash } = await lab.shown();
  await runs(lab, protocolText("fj").replaceAll("x.bullet = 1", "x.bullet = 0"));
  await lab.changes(() => lab.click("text-restore"));
  assert.equal(await lab.value("text-draft"), protocolText("fj"));
  assert.equal(await lab.value("protocol"), "fj");
  await lab.goTo(40);
  assert.equal(await lab.hash(), hash);
  assert.ok(await page.locator("#text-restore").isDisabled());
});

law("a text has the name that it is given, and is saved under it", { at: FJ }, async ({ lab }) => {
  await lab.click("text-edit");
  await lab.fill("text-name", "Rumour 2");
  await runs(lab, RUMOUR);
  assert.equal((await lab.state()).description.protocol, "Rumour 2.py");
  const { name, bytes } = await lab.saved("text-download");
  assert.deepEqual([name, bytes.toString()], ["Rumour 2.py", RUMOUR]);
});

law("a built-in text is saved as its file", { at: FJ }, async ({ lab }) => {
  const { name, bytes } = await lab.saved("text-download");
  assert.deepEqual([name, bytes.toString()], ["fj.py", protocolText("fj")]);
});

law("a file of the command line is shown and runs", { at: null, server: { args: [file(RUMOUR, "rumour.py"), "--n", "9", "--seed", "4"] } }, async ({ lab, page }) => {
  await lab.open("");
  assert.match(await lab.text("text-title"), /rumour\.py/);
  assert.equal((await linesShown(page)).length, RUMOUR.trimEnd().split("\n").length);
  await lab.goTo(25);
  assert.equal(await lab.hash(), recordOf(RUMOUR, "--n", 9, "--seed", 4, "--limit", 25).final_hash);
});

law("a protocol can be opened and dropped as a file", { at: FJ }, async ({ lab }) => {
  const opened = { name: "rumour.py", mimeType: "text/x-python", buffer: Buffer.from(RUMOUR) };
  await lab.changes(async () => (await lab.control("import")).setInputFiles(opened));
  await lab.goTo(25);
  assert.equal(await lab.hash(), recordOf(RUMOUR, "--n", 9, "--seed", 3, "--limit", 25).final_hash);
});

law("an exported case of a text comes back as the same run", { at: FJ }, async ({ lab }) => {
  await runs(lab, RUMOUR);
  await lab.goTo(20);
  await lab.changes(() => lab.click("corrupt"));
  await lab.goTo(50);
  const { hash } = await lab.shown();
  const { name, bytes } = await lab.saved("export-case");
  assert.equal(name, "fj.py-n9-seed3-step50.case.json");
  await lab.changes(async () => (await lab.control("import")).setInputFiles({ name, mimeType: "application/json", buffer: bytes }));
  await lab.goTo(50);
  assert.equal(await lab.hash(), hash);
});

/** Names of the paper with domains that are not those of the paper. */
const STRANGE = `from ringleader.notation import *
ring = undirected
class Agent:
    bullet: {"in", "out"}
    shield: maybe(bit)
    signalR: maybe(span(1, 3), bit)
    signalB: {2, 5}
    token: pair(bit, "tokenB", "tokenW")
    last: span(-3, -1) | span(1, 3)
    color: {"red", "green"}
    dir: maybe(span(0, 2))
    suc: span(0, 2 ** 30)
    mode: bit
    b: maybe(bit, bit)
    dist: {"near", "far"}
    leader: {"yes", "no"}
def interact(l, r):
    l.shield = None if l.shield is not None else 1
    r.last = -r.last
    r.b = None if r.b is not None else (1, 0)
`;

law("names of the paper may mean anything in a text", { at: FJ, provokes: [] }, async ({ lab, page }) => {
  await runs(lab, STRANGE);
  await lab.goTo(30);
  const { frame } = await lab.state();
  for (const name of Object.keys(frame.columns)) {
    await lab.choose("colour-by", name);
    await lab.choose("spacetime-variable", name);
    await lab.fill("agent", 3);
    await lab.still();
    assert.ok((await page.locator("#legend li").count()) > 2, name);
  }
  await lab.saved("export-svg");
});

// --- What is wrong -----------------------------------------------------------------------------------------------

const WRONG = RUMOUR.replace("heard: bit", "heard: bitt").replace("l.steps = 0", "l.stpes = 0").replace("return v.heard", "return v.herd");

law("every error stands under its line with its place marked, and the last good text goes on", { at: FJ, provokes: REFUSED }, async ({ lab, page }) => {
  await runs(lab, RUMOUR);
  await lab.goTo(20);
  const before = await lab.shown();
  await write(lab, WRONG);
  await page.locator("#text-rows .problem").first().waitFor();
  // The command line says the same.
  const said = ringleader(["run", file(WRONG), "--n", "9"]).stderr;
  const places = [...said.matchAll(/mine\.py:(\d+):(\d+): (.*)/g)].map(([, line, column, what]) => ({ under: Number(line), column, what }));
  const shown = await problems(page);
  assert.ok(places.length >= 2, said);
  assert.deepEqual(shown.map(({ under }) => under), places.map(({ under }) => under));
  places.forEach(({ what, column }, k) => assert.ok(shown[k].text.startsWith(`${places[k].under}:${column} ${what}`), shown[k].text));
  assert.deepEqual(shown.map(({ marked }) => marked).filter((mark) => !["bitt", "stpes", "herd"].some((word) => mark.includes(word))), []);
  assert.match(await lab.text("text-state"), /errors; the ring shows the last text that ran/);
  assert.deepEqual(await lab.shown(), before);
  await lab.click("step");
  await lab.arrives(21);
  // Corrected, it runs.
  await runs(lab, RUMOUR.replace("min(l.steps + 1, 5)", "min(l.steps + 1, 4)"));
  assert.deepEqual(await problems(page), []);
});

law("errors stay with their lines while others are written, and go when theirs change", { at: FJ, provokes: REFUSED }, async ({ lab, page }) => {
  await write(lab, WRONG);
  await page.locator("#text-rows .problem").first().waitFor();
  const lines = async () => (await problems(page)).map(({ under }) => under);
  const first = await lines();
  await page.locator("#text-draft").press("Control+Home");
  await page.keyboard.type("# new\n");
  assert.deepEqual(await lines(), first.map((line) => line + 1));
  const row = WRONG.split("\n").findIndex((line) => line.includes("bitt")) + 2;
  await page.evaluate((line) => {
    const area = document.getElementById("text-draft");
    const at = area.value.split("\n").slice(0, line).join("\n").length;
    area.setSelectionRange(at, at);
  }, row);
  await page.keyboard.press("Backspace");
  assert.deepEqual(await lines(), first.slice(1).map((line) => line + 1));
});

/** Whether the line of the caret, as the field has it, lies on the row with its words. */
const isAligned = (page) => page.evaluate(() => {
  const area = document.getElementById("text-draft");
  const line = area.value.slice(0, area.selectionEnd).split("\n").length;
  const top = area.getBoundingClientRect().top + (line - 1) * parseFloat(getComputedStyle(area).lineHeight);
  const row = [...document.querySelectorAll("#text-rows .row")][line - 1].getBoundingClientRect();
  return Math.abs(top - row.top) < 0.6 && Math.abs(area.getBoundingClientRect().left - document.querySelector("#text-rows .code").getBoundingClientRect().left) < 0.6;
});

law("the caret is on its own line, whatever stands between the lines and however large they are", { at: FJ, provokes: REFUSED }, async ({ lab, page }) => {
  await write(lab, WRONG);
  await page.locator("#text-rows .problem").first().waitFor();
  for (const larger of [false, true]) {
    if (larger) await lab.click("text-larger");
    for (const keys of ["Control+Home", "Control+End", "PageUp", "ArrowDown", "ArrowDown"]) {
      await page.locator("#text-draft").press(keys);
      await lab.still();
      assert.ok(await isAligned(page), `${keys}, larger: ${larger}`);
    }
  }
  // A click goes to the words under it.
  const line = WRONG.split("\n").findIndex((text) => text.includes("l.stpes"));
  await page.locator("#text-rows .row").nth(line).locator(".code").click({ position: { x: 2, y: 8 } });
  const caret = await page.evaluate(() => document.getElementById("text-draft").selectionStart);
  assert.equal(caret, WRONG.split("\n").slice(0, line).join("\n").length + 1);
  assert.ok(await isAligned(page));
});

law("a text that leaves a domain ends the run there, under its line", { at: FJ }, async ({ lab, page }) => {
  // With a safe set the sets of a step tell nothing of the next interaction.
  const counting = RUMOUR.replace("min(l.steps + 1, 5)", "l.steps + 1").replace("l.steps = 0", "l.steps = l.steps");
  await runs(lab, `${counting}\ndef safe(u):\n    return False\n`);
  await lab.click("text-edit");
  await lab.fill("goto", 5000);
  await page.locator("#goto-form button").click();
  await lab.until(() => /the run ends at step/.test(document.getElementById("status").textContent));
  await lab.rest();
  const [{ under, text, marked }] = await problems(page);
  assert.equal(under, 11);
  assert.match(text, /steps` = 6: allowed is 0 to 5/);
  assert.match(marked, /steps/);
  const { step } = await lab.shown();
  assert.match(await lab.text("status"), new RegExp(`step ${step}, line 11`));
  // It can be looked at again, and what is played comes to its end, too.
  await lab.click("back");
  await lab.arrives(step - 1);
  assert.deepEqual(await problems(page), []);
  await (await lab.control("speed")).fill("19");
  await lab.click("play");
  await lab.arrives(step);
  assert.equal((await problems(page)).length, 1);
  await lab.click("next-event");
  await lab.arrives(step);
});

const SLOW = {
  interaction: RUMOUR.replace("    if l.heard == 1:   ", "    for i in range(10 ** 9):\n        l.steps = 0\n    if l.heard == 1:   "),
  constant: RUMOUR.replace("class Agent:", "K = sum(i for i in range(10 ** 9))\nclass Agent:"),
  sets: `${RUMOUR}\ndef safe(u):\n    return all(a.heard == 1 for a in u for b in u for c in u for d in u for e in u for f in u for g in u for h in u)\n`,
};

law("an interaction that does not end is told under its line, and the page lives on", { at: FJ }, async ({ lab, page }) => {
  await runs(lab, SLOW.interaction);
  const asked = [];
  page.on("request", (request) => asked.push(request.url()));
  await lab.click("step");
  await lab.until(() => /too long/.test(document.getElementById("status").textContent));
  await lab.rest();
  const [problem] = await problems(page);
  assert.match(problem.text, /at step 0 the next interaction goes wrong: this takes too long/);
  assert.equal(await lab.step(), 0);
  assert.ok(asked.filter((url) => url.includes("/frame")).length < 10, "asks again and again");
  await runs(lab, RUMOUR);
  await lab.goTo(9);
  assert.deepEqual(await problems(page), []);
});

law("a text that takes too long before it runs is refused under its line", { at: FJ, provokes: REFUSED }, async ({ lab, page }) => {
  const before = await lab.shown();
  await write(lab, SLOW.constant);
  await page.locator("#text-rows .problem").waitFor();
  const [{ under, text }] = await problems(page);
  assert.equal(SLOW.constant.split("\n")[under - 1].slice(0, 5), "K = s");
  assert.match(text, /too long/);
  assert.deepEqual(await lab.shown(), before);
});

law("sets that cannot be told in time are said to be unknown", { at: "#protocol=fj&n=64&seed=3" }, async ({ lab, page }) => {
  await runs(lab, SLOW.sets.replace("u[0].heard = 1", "for v in u:\n        v.heard = 1"));
  await lab.until(() => document.getElementById("verdict").textContent === "not known whether safe");
  const [{ text }] = await problems(page);
  assert.match(text, /the sets cannot be told: this takes too long/);
  assert.match(await lab.text("sets"), /not known/);
  await lab.click("step");
  await lab.arrives(1);
});

/** A text of so many bytes. */
function long(bytes) {
  let text = RUMOUR;
  for (let k = 0; text.length < bytes - 200; k++) text += `\ndef unused_${k}(v):\n    return v.heard + ${k}  # a line of no use\n`;
  return `${text}#${"x".repeat(bytes - text.length - 2)}\n`;
}

law("a text of 64 KB runs and can be written on, and a longer one is told", { at: FJ, provokes: REFUSED }, async ({ lab, page }) => {
  const text = long(1 << 16);
  assert.equal(text.length, 65_536);
  await runs(lab, text);
  await lab.goTo(40);
  assert.equal(await lab.hash(), recordOf(text, "--n", 9, "--seed", 3, "--limit", 40).final_hash);
  assert.equal(await page.locator("#text-rows .row").count(), text.split("\n").length);
  await page.locator("#text-draft").press("Control+Home");
  await page.keyboard.type("# one more line");
  await page.keyboard.press("Control+Enter");
  assert.match(await lab.told("text-error"), /65551 bytes: a text that is shown has 65536 bytes at most/);
  assert.equal(await page.locator("#text-rows .row .code").first().textContent(), `# one more line${text.split("\n")[0]}`);
  assert.equal(await lab.step(), 40);
});

// --- Undo, Back and links ----------------------------------------------------------------------------------------

law("what was typed is undone by the keys for it, and what ran by Back", { at: FJ }, async ({ lab, page }) => {
  const original = protocolText("fj");
  const { hash } = await lab.shown();
  await runs(lab, RUMOUR);
  await lab.goTo(10);
  const rumour = await lab.shown();
  await page.locator("#text-draft").press("Control+Home");
  await page.keyboard.type("#!");
  assert.equal(await lab.value("text-draft"), `#!${RUMOUR}`);
  for (let presses = 0; presses < 2 && (await lab.value("text-draft")) !== RUMOUR; presses++) await page.keyboard.press("Control+z");
  assert.equal(await lab.value("text-draft"), RUMOUR);
  await page.waitForURL(/step=10/);
  await lab.changes(() => page.goBack());
  assert.equal(await lab.value("text-draft"), original);
  assert.deepEqual(await lab.shown(), { step: 40, hash });
  await lab.changes(() => page.goForward());
  assert.equal(await lab.value("text-draft"), RUMOUR);
  assert.deepEqual(await lab.shown(), rumour);
});

law("what has not run yet is kept whatever is done with the run", { at: FJ }, async ({ lab, page }) => {
  await lab.click("text-edit");
  await lab.fill("text-draft", RUMOUR);
  await lab.changes(() => lab.click("corrupt"));
  await lab.changes(() => page.goBack());
  await lab.click("text-edit");
  assert.match(await lab.text("text-state"), /your changes wait/);
  assert.match((await linesShown(page))[0].code, /FJ06/);
  await lab.click("text-edit");
  assert.equal(await lab.value("text-draft"), RUMOUR);
  // Restore throws it away, which the keys of the editor undo.
  await lab.click("text-restore");
  await lab.until((wanted) => document.getElementById("text-draft").value === wanted, protocolText("fj"));
  await page.locator("#text-draft").press("Control+z");
  assert.equal(await lab.value("text-draft"), RUMOUR);
});

law("a link holds the text: another laboratory runs the same", { at: FJ }, async ({ lab, page }) => {
  // Its parameters may have the names of anything that stands in a link.
  const text = RUMOUR.replace("class Agent:", "step: Param = 3\nspeed: Param = 2\nclass Agent:").replace("min(l.steps + 1, 5)", "min(l.steps + step - speed, 5)");
  await runs(lab, text);
  await lab.fill("param-step", 5);
  await lab.fill("n", 11);
  await lab.startRun();
  await lab.choose("colour-by", "steps");
  await lab.goTo(77);
  await lab.changes(() => lab.click("corrupt"));
  const [shown, link] = [await lab.shown(), await lab.link()];
  const server = await startServer();
  const { lab: other, context, watch } = await openLab(server);
  await other.open(new URL(link).hash);
  assert.deepEqual(await other.shown(), shown);
  assert.equal(new URL(await other.link()).hash, new URL(link).hash);
  assert.deepEqual(await linesShown(other.page).then((lines) => lines.map(({ code }) => code)), (await page.evaluate(async () => (await import("/store.js")).state.run.listing.text)).trimEnd().split("\n").map((line) => line.replace(/\s*# \d+$/, "")));
  assert.equal(await other.value("param-step"), "5");
  await watch.check();
  await context.close();
  await server.stop();
});

law("a link to the file of another laboratory holds its text", { at: null, server: { args: [file(RUMOUR, "rumour.py"), "--n", "9"] } }, async ({ lab }) => {
  await lab.open("");
  await lab.goTo(12);
  const [shown, link] = [await lab.shown(), await lab.link()];
  const { lab: other, context } = await openLab(await startServer());
  await other.open(new URL(link).hash);
  assert.deepEqual(await other.shown(), shown);
  await context.close();
});

law("a link with a wrong text opens the editor at the error", { at: FJ, provokes: REFUSED }, async ({ lab, page }) => {
  await runs(lab, RUMOUR);
  const link = new URL(await lab.link()).hash;
  const packed = await page.evaluate(async (text) => (await import("/link.js")).pack(text), WRONG);
  await page.goto("about:blank");
  await lab.open(link.replace(/text=[^&]*/, `text=${packed}`));
  assert.match(await lab.told("message-alert"), /bitt/);
  assert.equal((await lab.state()).description.protocol, "ppl");
  assert.equal(await lab.value("text-draft"), WRONG);
  assert.ok((await problems(page)).length >= 2);
});

law("a link whose text is broken is told", { at: "#protocol=fj&n=9&text=nonsense" }, async ({ lab }) => {
  assert.match(await lab.told("message-alert"), /text = nonsense; allowed is a text that this page has packed/);
});

// --- Keys --------------------------------------------------------------------------------------------------------

law("a protocol is written and run by keys alone", { at: FJ }, async ({ lab, page }) => {
  await page.keyboard.press("w");
  assert.equal(await page.evaluate(() => document.activeElement.id), "text-draft");
  await page.keyboard.press("Control+a");
  await page.keyboard.type("class Agent:\nx: bit\n");
  await page.keyboard.press("Backspace");
  await page.keyboard.press("Backspace");
  await page.keyboard.press("Backspace");
  await page.keyboard.press("Backspace");
  await page.keyboard.type("def interact(l, r):  # a comment\nif l.x == 0:\nl.x = 1\n");
  await page.keyboard.press("Shift+Tab");
  await page.keyboard.type("r.x = 0");
  await page.keyboard.press("Home");
  await page.keyboard.press("Tab");
  const written = "class Agent:\n    x: bit\ndef interact(l, r):  # a comment\n    if l.x == 0:\n        l.x = 1\n        r.x = 0";
  assert.equal(await lab.value("text-draft"), written);
  await page.keyboard.press("Control+Enter");
  await lab.until((text) => window.atRest() && window.ringleader.state().description.text?.text === text, written);
  // Letters were letters, no shortcuts.
  assert.deepEqual((await lab.state()).description.edits, []);
  await page.keyboard.press("Escape");
  assert.equal(await page.evaluate(() => document.activeElement.id), "text-edit");
  await page.keyboard.press("w");
  assert.ok(await page.locator("#text-draft").isHidden());
  await lab.click("text-edit");
  await lab.click("text-run");
  await lab.rest();
  assert.match(await lab.text("text-state"), /this text runs/);
});

law("several lines go in and out together", { at: FJ }, async ({ lab, page }) => {
  await lab.click("text-edit");
  await lab.fill("text-draft", "a\nb\nc\n");
  await page.evaluate(() => document.getElementById("text-draft").setSelectionRange(0, 3));
  await page.keyboard.press("Tab");
  assert.equal(await lab.value("text-draft"), "    a\n    b\nc\n");
  await page.keyboard.press("Shift+Tab");
  assert.equal(await lab.value("text-draft"), "a\nb\nc\n");
});

// --- Canaries: these tests can fail ------------------------------------------------------------------------------

law("a line that was changed on its way is not what the interaction executes", { at: FJ }, async ({ lab, page }) => {
  await runs(lab, RUMOUR);
  await lab.click("text-edit");
  await page.route("**/frame?*", async (route) => {
    const response = await route.fetch();
    const frame = await response.json();
    await route.fulfill({ response, json: { ...frame, lines: (frame.lines ?? []).map((line) => line + 1) } });
  });
  await lab.goTo(20);
  assert.notDeepEqual(await ranNow(page), rumourLines((await lab.state()).frame.last.before));
});

law("another text has another hash", { at: FJ }, async ({ lab }) => {
  await runs(lab, RUMOUR.replace("r.heard = 1  ", "r.heard = 0  "));
  await lab.goTo(30);
  assert.notEqual(await lab.hash(), recordOf(RUMOUR, "--n", 9, "--seed", 3, "--limit", 30).final_hash);
});
