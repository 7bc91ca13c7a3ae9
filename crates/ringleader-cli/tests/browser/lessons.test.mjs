// The lessons: every scene opens without a complaint, shows the same after a reload, and can be walked through.

import assert from "node:assert/strict";
import { law } from "./harness.mjs";
import { SAMPLE, record } from "./oracle.mjs";

const scenesOf = (page) => page.evaluate(async () => (await import("/scenes.js")).SCENES);

/** Waits until a scene is shown, counted from 1. */
async function sceneShown(lab, number) {
  await lab.until((wanted) => window.atRest() && document.getElementById("lesson-title").textContent.startsWith(`${wanted} / `), number);
}

law("every scene opens without a complaint and shows the same after a reload", { at: "" }, async ({ lab, page }) => {
  const scenes = await scenesOf(page);
  assert.ok(scenes.length > 0);
  await lab.click("lessons");
  for (const [k, { title, text, link }] of scenes.entries()) {
    await sceneShown(lab, k + 1);
    assert.ok((await lab.text("lesson-title")).endsWith(title), title);
    assert.equal(await lab.text("lesson-text"), text);
    assert.equal(await lab.text("message-alert"), "", title);
    const step = /[#&]step=(\d+)/.exec(link)?.[1];
    const shown = await lab.shown();
    if (step !== undefined) assert.equal(shown.step, Number(step), title);
    // The address follows a little later.
    await page.waitForURL(new RegExp(`step=${shown.step}&.*lesson=${k + 1}\\b`));
    await page.reload();
    await sceneShown(lab, k + 1);
    assert.deepEqual(await lab.shown(), shown, title);
    if (k + 1 < scenes.length) await lab.click("lesson-next");
  }
  assert.ok(await page.locator("#lesson-next").isDisabled());
});

/**
 * What the sentences of each scene say of its picture, in their order: the texts name agents and steps, so a change of a start or of a
 * scheduler could make them untrue.
 */
const SENTENCES = [
  ({ leaders, segments }) => leaders.join() === "0" && segments.slice(0, 3).every(({ label }, k) => label === String(27 + k)),
  ({ leaders, segments, columns }) =>
    leaders.length === 0 && columns.mode.every((mode) => mode === "Detect") && segments.map(({ label }) => label).join() === "0,1,2,3,4,5,6,7",
  ({ columns }) => columns.tokenW[47].join() === "4,1,0",
  ({ leaders, last, columns }) => leaders.join() === "3" && last.events.includes("leader created") && last.responder === 3 && columns.b[3] === 0,
  ({ leaders, columns }) =>
    leaders.join() === "3" && columns.signalR[25] > 0 && columns.clock.slice(3, 26).every((clock) => clock === 0) && columns.mode[26] === "Detect",
  ({ columns, last }) => columns.mode.filter((mode) => mode === "Detect").length === 1 && columns.mode[22] === "Detect" && last.responder === 22,
  ({ leaders, last }) => leaders.length === 8 && last.events.includes("leader killed") && last.initiator === 21 && last.responder === 22,
  ({ leaders, last, columns }) => leaders.join() === "0" && last.events.includes("leader killed") && last.responder === 14 && columns.shield[0] === 1,
  ({ leaders, safe, step }) => leaders.join() === "0" && safe && step === record("--n", 24, "--start", "all-leaders", "--seed", 1).safe,
  ({ leaders, safe }) => leaders.filter((agent) => agent >= 9 && agent <= 14).length === 4 && !safe,
  ({ columns: { dir, color, strong } }) => {
    const meet = (left, right) => dir[left] === color[right] && dir[right] === color[left];
    return meet(22, 23) && meet(29, 30) && strong[23] === 1 && strong[29] === 1;
  },
];

law("the sentences of every scene are true of its picture", { at: "" }, async ({ lab, page }) => {
  const scenes = await scenesOf(page);
  assert.equal(SENTENCES.length, scenes.length);
  for (const [k, { title, link }] of scenes.entries()) {
    await lab.follow(link);
    const { frame } = await lab.state();
    assert.equal(frame.step, Number(/[#&]step=(\d+)/.exec(link)[1]), title);
    assert.ok(SENTENCES[k](frame), title);
  }
});

law("Again shows a scene as it was", { at: "" }, async ({ lab }) => {
  await lab.click("lessons");
  await sceneShown(lab, 1);
  const shown = await lab.shown();
  await lab.changes(() => lab.click("corrupt"));
  await lab.changes(() => lab.click("lesson-again"));
  assert.deepEqual(await lab.shown(), shown);
});

law("there is no scene before the first, and Previous comes back from the second", { at: "" }, async ({ lab, page }) => {
  await lab.click("lessons");
  await sceneShown(lab, 1);
  assert.ok(await page.locator("#lesson-previous").isDisabled());
  if ((await scenesOf(page)).length === 1) return;
  const shown = await lab.shown();
  await lab.click("lesson-next");
  await sceneShown(lab, 2);
  await lab.click("lesson-previous");
  await sceneShown(lab, 1);
  assert.deepEqual(await lab.shown(), shown);
});

law("N and P walk through the scenes, and stop at both ends", { at: "" }, async ({ lab, page }) => {
  const { length } = await scenesOf(page);
  await page.keyboard.press("l");
  await sceneShown(lab, 1);
  for (let scene = 2; scene <= length; scene++) {
    await page.keyboard.press("n");
    await sceneShown(lab, scene);
  }
  await page.keyboard.press("n");
  for (let scene = length - 1; scene >= 1; scene--) {
    await page.keyboard.press("p");
    await sceneShown(lab, scene);
  }
  await page.keyboard.press("p");
  await sceneShown(lab, 1);
});

law("Back comes back from the lessons to the run that was shown", { at: `${SAMPLE.link}&step=500` }, async ({ lab, page }) => {
  const shown = await lab.shown();
  await lab.changes(() => lab.click("lessons"));
  await lab.changes(() => page.goBack());
  assert.deepEqual(await lab.shown(), shown);
});

law("closing the lessons leaves the run as it is", { at: "" }, async ({ lab, page }) => {
  await lab.click("lessons");
  await sceneShown(lab, 1);
  assert.equal(await page.getAttribute("#lessons", "aria-expanded"), "true");
  const shown = await lab.shown();
  await lab.click("lesson-close");
  await lab.until(() => document.getElementById("lesson").hidden);
  assert.deepEqual(await lab.shown(), shown);
  assert.equal(await page.getAttribute("#lessons", "aria-expanded"), "false");
});
