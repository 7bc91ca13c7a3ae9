// Time: stepping, seeking, playing, scrubbing and running to events, held to what `ringleader run` computes.

import assert from "node:assert/strict";
import { law } from "./harness.mjs";
import { LONG, SAMPLE, agentsOf, conformance, conformancePath, hashOf, record } from "./oracle.mjs";

const { link: LINK, hashAt } = SAMPLE;

/** Stops only at these kinds of events. */
async function stopOnlyAt(lab, ...kinds) {
  await lab.control("events-safe");
  for (const box of await lab.page.locator("#events input").all()) {
    const kind = (await box.getAttribute("id")).replace("events-", "");
    await box.setChecked(kinds.includes(kind));
  }
}

/** Runs to the next event and waits for it. */
async function nextEvent(lab) {
  const before = await lab.step();
  await lab.click("next-event");
  await lab.until((old) => window.atRest() && window.ringleader.state().step > old, before);
}

law("the step that is shown has the hash that run computes", { at: `${LINK}&step=500` }, async ({ lab }) => {
  assert.deepEqual(await lab.shown(), { step: 500, hash: hashAt(500) });
  assert.equal(hashOf(agentsOf((await lab.state()).frame)), await lab.hash());
  assert.equal(await lab.text("time-shown"), "31.25");
  assert.equal(await lab.text("furthest-shown"), "500");
});

law("Step and Back go one interaction, and back is where it was", { at: `${LINK}&step=500` }, async ({ lab }) => {
  await lab.click("step");
  await lab.arrives(501);
  assert.equal(await lab.hash(), hashAt(501));
  for (const step of [500, 499]) {
    await lab.click("back");
    await lab.arrives(step);
    assert.equal(await lab.hash(), hashAt(step));
  }
});

law("the last interaction is told with its agents and what it changed", { at: `${LINK}&step=500` }, async ({ lab }) => {
  const { last, columns } = (await lab.state()).frame;
  const told = await lab.text("last");
  assert.match(told, new RegExp(`${last.initiator} → ${last.responder}, by clocks`));
  const changed = Object.keys(columns).filter((name) => JSON.stringify(last.before[0][name]) !== JSON.stringify(columns[name][last.initiator]));
  for (const name of changed) assert.ok(told.includes(`${name}: `), name);
});

law("Back at step 0 stays at step 0", { at: LINK }, async ({ lab }) => {
  await lab.click("back");
  assert.equal(await lab.step(), 0);
  assert.match(await lab.text("last"), /No interaction yet/);
});

law("any step can be typed, with or without commas", { at: LINK }, async ({ lab }) => {
  await lab.goTo(1200);
  assert.equal(await lab.hash(), hashAt(1200));
  await lab.fill("goto", "1,300");
  await lab.page.keyboard.press("Enter");
  await lab.arrives(1300);
  assert.equal(await lab.hash(), hashAt(1300));
});

law("what is no step is refused with what is allowed", { at: LINK }, async ({ lab }) => {
  for (const text of ["-3", "soon", "", "1e3", "9999999999999999"]) {
    await lab.fill("goto", text);
    await lab.page.locator("#goto-form button").click();
    assert.match(await lab.told("message-alert"), /allowed is a whole number/, text);
    await lab.click("message-close");
    assert.ok(!(await lab.page.locator("#message").isVisible()), text);
  }
  assert.equal(await lab.step(), 0);
});

law("the slider scrubs over the whole run", { at: `${LINK}&step=1700` }, async ({ lab }) => {
  const scrub = await lab.control("scrub");
  assert.equal(await scrub.getAttribute("max"), "1700");
  await scrub.fill("400");
  await lab.arrives(400);
  assert.equal(await lab.hash(), hashAt(400));
  assert.equal(await lab.text("furthest-shown"), "1,700");
});

law("running to safety stops at the exact first safe step", { at: LINK }, async ({ lab }) => {
  const { safe, final_hash: hash, leaders } = record(...SAMPLE.options);
  await stopOnlyAt(lab, "safe");
  await nextEvent(lab);
  assert.deepEqual(await lab.shown(), { step: safe, hash });
  const state = await lab.state();
  assert.deepEqual(state.frame.leaders, leaders);
  assert.match(await lab.text("verdict"), /safe for ever/);
  assert.match(await lab.text("gauges"), /leaders 1/);
  assert.match(await lab.text("status"), /1,781/);
  await lab.click("back");
  await lab.arrives(safe - 1);
  assert.match(await lab.text("verdict"), /not yet safe/);
});

law("phases are found one after the other at the steps that run tells", { at: LINK }, async ({ lab }) => {
  await stopOnlyAt(lab, "phase");
  const named = (await lab.page.locator("#sets li strong").allTextContents()).slice(0, -1);
  const steps = record(...SAMPLE.options).phases.filter(({ name, step }) => named.includes(name) && step !== null).map(({ step }) => step);
  assert.ok(steps.length >= 2, `phases: ${named}`);
  for (const step of [...new Set(steps)].sort((a, b) => a - b)) {
    await nextEvent(lab);
    assert.equal(await lab.step(), step);
  }
});

law("without a kind of event there is nothing to run to", { at: LINK }, async ({ lab }) => {
  await stopOnlyAt(lab);
  await lab.click("next-event");
  assert.match(await lab.told("message-alert"), /at least one kind of event/);
  assert.equal((await lab.state()).intent, "rest");
});

law("playing goes on until it is paused, and the hash is true where it stops", { at: LONG.link }, async ({ lab }) => {
  await lab.click("play");
  assert.equal(await lab.page.getAttribute("#play", "aria-pressed"), "true");
  assert.match(await lab.told("hash-shown"), /when paused|…/);
  await lab.until(() => window.ringleader.state().step >= 20);
  await lab.click("play");
  const { step, hash } = await lab.shown();
  assert.equal(hash, LONG.hashAt(step));
  assert.equal(await lab.page.getAttribute("#play", "aria-pressed"), "false");
});

law("every position of the speed slider says its speed, and faster is faster", { at: LINK }, async ({ lab }) => {
  const speed = await lab.control("speed");
  const last = Number(await speed.getAttribute("max"));
  const told = [];
  for (let position = 0; position <= last; position++) {
    await speed.fill(String(position));
    told.push(await lab.text("speed-shown"));
  }
  assert.equal(told.at(-1), "as fast as it goes");
  const numbers = told.slice(0, -1).map((text) => Number(text.replaceAll(/[^0-9]/g, "")));
  assert.ok(numbers.every((number, k) => k === 0 || number > numbers[k - 1]), told.join(" "));
  await lab.click("play");
  await lab.until(() => window.ringleader.state().step > 100_000);
});

law("a recording plays to its end and no further, and its own hashes hold", { at: null }, async ({ lab }) => {
  const name = "ppl_13_n8_psi4_k5.json";
  const [end, hash] = conformance(name).hashes.at(-1);
  await lab.open();
  await lab.changes(async () => (await lab.control("import")).setInputFiles(conformancePath(name)));
  await lab.goTo(0);
  await (await lab.control("speed")).fill("19");
  await lab.click("play");
  await lab.arrives(end);
  assert.equal(await lab.hash(), hash);
  assert.match(await lab.text("status"), /end of the recording/);
});

law("a click on the hash copies all of it", { at: `${LINK}&step=500` }, async ({ lab, page }) => {
  await lab.click("hash-shown");
  await lab.until(() => document.getElementById("message-news").textContent === "Hash copied.");
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), hashAt(500));
});

/** Clicks a diagram at a part of its width and height. */
async function clickAt(lab, id, across, down) {
  const { width, height } = await (await lab.control(id)).boundingBox();
  await lab.click(id, { position: { x: across * width, y: down * height } });
}

for (const id of ["spacetime", "charts"]) {
  law(`a click into the ${id} goes to that step, and the pointer is told what is there`, { at: `${LINK}&step=1700` }, async ({ lab }) => {
    await lab.drawn(id);
    await clickAt(lab, id, 0.5, 0.5);
    await lab.until(() => window.atRest() && window.ringleader.state().step < 1700);
    const { step, hash } = await lab.shown();
    assert.ok(step > 500 && step < 1300, `step ${step}`);
    assert.equal(hash, hashAt(step));
    assert.match(await lab.told(`${id}-shown`), /step [0-9,]+/);
  });
}
