// A server that goes away and comes back, more pages than it remembers, and answers that are broken.

import assert from "node:assert/strict";
import { FORGOTTEN, LOST, law, startServer } from "./harness.mjs";
import { Lab } from "./lab.mjs";
import { SAMPLE, replay } from "./oracle.mjs";

const { hashAt } = SAMPLE;
const LINK = `${SAMPLE.link}&step=500`;
/** These tests have a server of their own, to kill or to crowd. */
const OWN = { at: LINK, server: { steady: true } };

law("a lost server is told, and everything goes on when it is back", { ...OWN, provokes: [...LOST, ...FORGOTTEN] }, async ({ lab, page, server }) => {
  await server.stop();
  await lab.click("step");
  await page.locator("#lost").waitFor();
  const again = await startServer({ port: server.port });
  try {
    await page.locator("#lost").waitFor({ state: "hidden" });
    await lab.arrives(501);
    assert.equal(await lab.hash(), hashAt(501));
    assert.equal(await lab.text("message-alert"), "");
  } finally {
    await again.stop();
  }
});

law("what is asked while the server is away happens when it is back", { ...OWN, provokes: [...LOST, ...FORGOTTEN] }, async ({ lab, page, server }) => {
  await server.stop();
  await lab.click("corrupt");
  await page.locator("#lost").waitFor();
  const again = await startServer({ port: server.port });
  try {
    await lab.until(() => window.atRest() && window.ringleader.state().description.edits.length === 1);
    const shown = await lab.shown();
    await page.reload();
    assert.deepEqual(await lab.shown(), shown);
  } finally {
    await again.stop();
  }
});

law("a page that opens while the server is away opens when it is back", { ...OWN, at: null, provokes: LOST }, async ({ lab, page }) => {
  await page.route("**/api/protocols", (route) => route.abort("connectionrefused"));
  const opened = lab.open(LINK);
  await page.locator("#lost").waitFor();
  await page.unroute("**/api/protocols");
  await opened;
  assert.equal(await lab.hash(), hashAt(500));
  assert.ok(await page.locator("#lost").isHidden(), "the banner stays");
});

law("twenty pages share a server", OWN, async ({ lab, context }) => {
  for (let seed = 1; seed < 20; seed++) {
    const other = new Lab(await context.newPage(), lab.address);
    await other.open(`#protocol=ppl&n=16&c1=2&seed=${seed}&step=10`);
  }
  await lab.page.bringToFront();
  await lab.click("step");
  await lab.arrives(501);
  assert.equal(await lab.hash(), hashAt(501));
  assert.equal(await lab.text("message-alert"), "");
  assert.ok(await lab.page.locator("#lost").isHidden());
});

/** Opens so many large runs that the server forgets all that were there; twice, since a diagram that asks meanwhile reminds it. */
async function crowdOut(lab) {
  for (let k = 0; k < 2; k++) {
    await lab.still();
    await lab.page.evaluate(() => Promise.all(Array.from({ length: 20 }, (_, seed) => fetch("api/runs", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ protocol: "fj", n: 16384, seed: String(seed) }),
    }))));
  }
}

law("an edit of a run that the server has forgotten is made all the same", { ...OWN, provokes: FORGOTTEN }, async ({ lab }) => {
  await crowdOut(lab);
  await lab.changes(() => lab.click("corrupt"));
  assert.equal(await lab.step(), 500);
  assert.equal((await lab.state()).description.edits.length, 1);
});

law("a run that the server has forgotten can be exported all the same", { ...OWN, provokes: FORGOTTEN }, async ({ lab }) => {
  await crowdOut(lab);
  const { code, hash } = replay((await lab.saved("export-case")).bytes);
  assert.deepEqual([code, hash], [0, hashAt(500)]);
});

law("an answer that is no JSON is told and not swallowed", { at: LINK }, async ({ lab, page, watch }) => {
  await page.route("**/frame?*", (route) => route.fulfill({ status: 200, contentType: "application/json", body: "{" }), { times: 1 });
  await lab.click("step");
  assert.match(await lab.told("message-alert"), /JSON/);
  await lab.click("step");
  await lab.arrives(501);
  assert.equal(await lab.hash(), hashAt(501));
  assert.deepEqual(watch.problems, []);
});

law("a flaw of the server is told in its own words", { at: LINK, provokes: [/^refused: 500 /, /^console: .*status of 500/] }, async ({ lab, page }) => {
  const flaw = { status: 500, contentType: "application/json", body: JSON.stringify({ error: "the server has a flaw" }) };
  await page.route("**/frame?*", (route) => route.fulfill(flaw), { times: 1 });
  await lab.click("step");
  assert.match(await lab.told("message-alert"), /the server has a flaw/);
  assert.equal((await lab.state()).intent, "rest");
});

/** What asks for a run: nothing but descriptions goes to these addresses. */
const DESCRIPTIONS = /\/api\/runs(\/[0-9a-f]+)?$/;

law("a diagram that is asked for while a run of another protocol opens is no error", { at: LINK }, async ({ lab, page }) => {
  await lab.drawn("spacetime");
  // The server has the next run before the page knows; a page that then asks for a variable of the old run must get it.
  let tellChosen = () => {};
  const chosen = new Promise((done) => (tellChosen = done));
  await page.route(DESCRIPTIONS, async (route) => {
    const response = await route.fetch();
    await chosen;
    await lab.untilResolved(async () => (await import("/plot.js")).areDrawn());
    await route.fulfill({ response });
  }, { times: 1 });
  const drawn = page.waitForResponse(/spacetime\?variable=color/);
  await lab.choose("protocol", "pcl");
  await lab.changes(async () => {
    await Promise.all([page.waitForRequest(DESCRIPTIONS), lab.click("apply")]);
    await lab.choose("spacetime-variable", "dist");
    tellChosen();
  });
  await drawn;
  assert.equal(await lab.text("message-alert"), "");
});

law("a storm of clicks ends in one place", { at: LINK }, async ({ lab, page }) => {
  await page.evaluate(() => {
    const press = (id) => document.getElementById(id).click();
    for (let round = 0; round < 50; round++) ["play", "step", "back", "next-event", "play", "zoom-in", "zoom-out"].forEach(press);
  });
  await lab.goTo(700);
  assert.equal(await lab.hash(), hashAt(700));
});
