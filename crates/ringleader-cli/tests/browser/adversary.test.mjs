// The adversary: overwriting, corrupting, choosing who interacts, and undoing all of it with the browser's Back.

import assert from "node:assert/strict";
import { REFUSED, law } from "./harness.mjs";
import { SAMPLE, agentsOf, hashOf } from "./oracle.mjs";

const AT = `${SAMPLE.link}&step=500`;
const UNDIRECTED = "#protocol=undirected&n=9&seed=3&start=uniform&step=100";

const agentsIn = async (lab) => agentsOf((await lab.state()).frame);
const differing = (before, now) => before.flatMap((agent, k) => (hashOf(agent) === hashOf(now[k]) ? [] : [k]));
const lastInteraction = async (lab) => {
  const { initiator, responder, by } = (await lab.state()).frame.last;
  return { initiator, responder, by };
};

async function corrupt(lab, agents, place, variable) {
  await lab.fill("corrupt-k", agents);
  await lab.choose("corrupt-place", place);
  await lab.choose("corrupt-variable", variable);
  await lab.changes(() => lab.click("corrupt"));
}

async function selectAgent(lab, agent) {
  await lab.fill("agent", agent);
  await lab.page.keyboard.press("Tab");
}

/** Does an edit, undoes it with Back and does it again with Forward. */
async function undoesAndRedoes(lab, edit) {
  const before = await lab.shown();
  await lab.changes(edit);
  const after = await lab.shown();
  assert.notEqual(after.hash, before.hash);
  await lab.changes(() => lab.page.goBack());
  assert.deepEqual(await lab.shown(), before);
  await lab.changes(() => lab.page.goForward());
  assert.deepEqual(await lab.shown(), after);
}

law("an overwritten value is the only thing that changes", { at: AT }, async ({ lab }) => {
  const before = await agentsIn(lab);
  await selectAgent(lab, 3);
  assert.equal(await lab.text("value-dist"), String(before[3].dist));
  await lab.fill("edit-dist", (before[3].dist + 1) % 8);
  await lab.fill("edit-tokenB", "(-1, 1, 0)");
  await lab.choose("edit-mode", "Detect");
  await lab.changes(() => lab.click("edit-apply"));
  const expected = before.with(3, { ...before[3], dist: (before[3].dist + 1) % 8, tokenB: [-1, 1, 0], mode: "Detect" });
  assert.deepEqual(await agentsIn(lab), expected);
  assert.equal(await lab.hash(), hashOf(expected));
  assert.match(await lab.text("message-news"), /agent 3 overwritten/);
});

law("every variable of an agent is shown with its value and its domain", { at: `${AT}&agent=8` }, async ({ lab, page }) => {
  const agent = (await agentsIn(lab))[8];
  const rows = await page.locator("#inspector-rows tr").allTextContents();
  assert.equal(rows.length, Object.keys(agent).length);
  for (const name of Object.keys(agent)) assert.ok(rows.some((row) => row.startsWith(name)), name);
  assert.equal(await lab.text("value-tokenB"), agent.tokenB === null ? "⊥" : `(${agent.tokenB.join(", ")})`);
});

law("Back undoes an overwritten value and Forward redoes it", { at: `${AT}&agent=3` }, ({ lab }) =>
  undoesAndRedoes(lab, async () => {
    await lab.fill("edit-leader", 1);
    await lab.click("edit-apply");
  }));

law("Back undoes a corruption and Forward redoes it", { at: AT }, ({ lab }) => undoesAndRedoes(lab, () => lab.click("corrupt")));

law("Back undoes an interaction and Forward redoes it", { at: AT }, ({ lab }) => undoesAndRedoes(lab, () => lab.click("interact")));

law("a corruption touches as many agents as asked, and only the variable asked", { at: AT }, async ({ lab }) => {
  const before = await agentsIn(lab);
  await corrupt(lab, 5, "contiguous", "clock");
  const now = await agentsIn(lab);
  const touched = differing(before, now);
  assert.ok(touched.length >= 1 && touched.length <= 5, String(touched));
  const { edits } = (await lab.state()).description;
  assert.deepEqual(edits.map(({ seed, ...rest }) => rest), [{ step: 500, corrupt: 5, place: "contiguous", variable: "clock" }]);
  assert.deepEqual(now.map(({ clock, ...rest }) => rest), before.map(({ clock, ...rest }) => rest));
});

law("all agents can be corrupted in all variables", { at: AT }, async ({ lab }) => {
  const before = await agentsIn(lab);
  await corrupt(lab, 16, "random", "");
  assert.equal(differing(before, await agentsIn(lab)).length, 16);
  assert.equal(await lab.step(), 500);
});

law("the adversary's interaction happens next and changes at most its two agents", { at: AT }, async ({ lab }) => {
  const before = await agentsIn(lab);
  await lab.fill("interact-from", 15);
  await lab.changes(() => lab.click("interact"));
  assert.equal(await lab.step(), 501);
  assert.deepEqual(await lastInteraction(lab), { initiator: 15, responder: 0, by: "hand" });
  assert.ok(differing(before, await agentsIn(lab)).every((agent) => [0, 15].includes(agent)));
});

law("a click on an agent selects it, and beside the ring nothing", { at: AT }, async ({ lab }) => {
  await lab.clickRing(6);
  await lab.until(() => document.getElementById("agent").value === "6");
  assert.equal(await lab.value("interact-from"), "6");
  await lab.click("ring", { position: { x: 5, y: 5 } });
  await lab.until(() => document.getElementById("agent").value === "");
});

law("the pointer is told all variables of the agent under it", { at: AT }, async ({ lab, page }) => {
  await page.locator("#ring").hover({ position: await lab.place(6) });
  const told = await lab.told("tip");
  assert.match(told, /^agent 6/);
  for (const name of Object.keys((await agentsIn(lab))[6])) assert.ok(told.includes(name), name);
  await page.mouse.move(0, 0);
  await lab.until(() => document.getElementById("tip").hidden);
});

law("a click between two agents lets them interact", { at: AT }, async ({ lab }) => {
  await lab.changes(() => lab.clickRing(4.5));
  assert.deepEqual(await lastInteraction(lab), { initiator: 4, responder: 5, by: "hand" });
});

law("on an undirected ring either of two neighbours may initiate", { at: UNDIRECTED }, async ({ lab }) => {
  await lab.changes(() => lab.clickRing(4.5, { modifiers: ["Shift"] }));
  assert.deepEqual(await lastInteraction(lab), { initiator: 5, responder: 4, by: "hand" });
  await lab.fill("interact-from", 2);
  await lab.check("interact-reverse", true);
  await lab.changes(() => lab.click("interact"));
  assert.deepEqual(await lastInteraction(lab), { initiator: 3, responder: 2, by: "hand" });
  assert.equal(await lab.step(), 102);
});

law("on a directed ring nobody can initiate backwards", { at: AT }, async ({ lab, page }) => {
  assert.ok(!(await page.locator("#interact-reverse").isVisible()));
  await lab.changes(() => lab.clickRing(4.5, { modifiers: ["Shift"] }));
  assert.deepEqual(await lastInteraction(lab), { initiator: 4, responder: 5, by: "hand" });
});

law("an edit replaces the edits of later steps and keeps the earlier ones", { at: AT }, async ({ lab }) => {
  const stepsOfEdits = async () => (await lab.state()).description.edits.map(({ step }) => step);
  for (const step of [500, 700, 900]) {
    await lab.goTo(step);
    await lab.changes(() => lab.click("corrupt"));
  }
  assert.deepEqual(await stepsOfEdits(), [500, 700, 900]);
  await lab.goTo(600);
  await lab.changes(() => lab.click("corrupt"));
  assert.deepEqual(await stepsOfEdits(), [500, 600]);
});

law("edits can be made while it plays", { at: AT }, async ({ lab }) => {
  await lab.click("play");
  await lab.click("corrupt");
  await lab.until(() => window.ringleader.state().description.edits.length === 1);
  const [{ step }] = (await lab.state()).description.edits;
  await lab.until((edited) => window.ringleader.state().step > edited && window.ringleader.state().intent === "play", step);
  await lab.click("play");
  const shown = await lab.shown();
  await lab.goTo(0);
  await lab.goTo(shown.step);
  assert.deepEqual(await lab.shown(), shown);
});

// --- Bad input ---------------------------------------------------------------------------------------------------

/** Every wrong text is refused beside the control, in words that match, and changes nothing. */
async function refuses(lab, { field, act, output, wrong }) {
  const before = await lab.shown();
  for (const [text, words] of wrong) {
    await lab.fill(field, text);
    await lab.page.evaluate((id) => (document.getElementById(id).textContent = ""), output);
    await lab.click(act);
    assert.match(await lab.told(output), words, `${field}: ${text}`);
  }
  assert.deepEqual(await lab.shown(), before);
  assert.deepEqual((await lab.state()).description.edits, []);
}

law("impossible numbers of agents to corrupt are refused with what is allowed", { at: AT, provokes: REFUSED }, ({ lab }) =>
  refuses(lab, {
    field: "corrupt-k", act: "corrupt", output: "adversary-error",
    wrong: [["0", /1 to n = 16/], ["17", /1 to n = 16/], ["-1", /whole number/], ["some", /whole number/], ["", /whole number/]],
  }));

law("agents that are not there cannot interact", { at: AT, provokes: REFUSED }, ({ lab }) =>
  refuses(lab, { field: "interact-from", act: "interact", output: "adversary-error", wrong: [["16", /0 to 15/], ["", /whole number/]] }));

law("values outside their domain are refused with the domain", { at: `${AT}&agent=3`, provokes: REFUSED }, ({ lab }) =>
  refuses(lab, { field: "edit-dist", act: "edit-apply", output: "edit-error", wrong: [["99", /\[0, 7\]/], ["near", /\[0, 7\]/], ["", /\[0, 7\]/]] }));

law("overwriting without a change is told", { at: `${AT}&agent=3` }, async ({ lab }) => {
  await lab.click("edit-apply");
  assert.match(await lab.told("edit-error"), /change a value first/);
});

law("an agent that is not there is not selected, and nothing can be overwritten", { at: AT }, async ({ lab, page }) => {
  await selectAgent(lab, 99);
  assert.ok(await page.locator("#edit-apply").isDisabled());
});
