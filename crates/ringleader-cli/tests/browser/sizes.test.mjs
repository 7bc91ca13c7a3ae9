// Large rings, small rings and small windows: nothing freezes, nothing is cut off.

import assert from "node:assert/strict";
import { law } from "./harness.mjs";
import { record } from "./oracle.mjs";

const FULL_SPEED = "&speed=full";

/** Counts the frames of the screen, and the longest time without one. */
function watchFrames() {
  window.gaps = { frames: 0, longest: 0, last: performance.now() };
  const look = (now) => {
    window.gaps.longest = Math.max(window.gaps.longest, now - window.gaps.last);
    Object.assign(window.gaps, { frames: window.gaps.frames + 1, last: now });
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}

/** Pictures drawn, steps done and time, now. */
const meter = (page) => page.evaluate(() => ({
  drawn: window.ringleader.stats.frames,
  step: window.ringleader.state().step,
  ms: performance.now(),
  longest: window.gaps?.longest ?? 0,
}));

/** Plays at full speed for many pictures and tells how fast it went. */
async function playFast({ lab, page, t }, name, pictures) {
  await lab.click("play");
  await lab.until(() => window.ringleader.state().intent === "play");
  await page.evaluate(watchFrames);
  const from = await meter(page);
  await lab.until((wanted) => window.ringleader.stats.frames >= wanted, from.drawn + pictures);
  const to = await meter(page);
  const seconds = (to.ms - from.ms) / 1000;
  const rate = (what) => Math.round((to[what] - from[what]) / seconds).toLocaleString("en");
  t.diagnostic(`${name}: ${rate("drawn")} pictures a second, ${rate("step")} interactions a second, longest gap ${Math.round(to.longest)} ms`);
  return { from, to };
}

law("1,000 agents at full speed do not freeze the page", { at: `#protocol=ppl&n=1000&seed=1&start=uniform${FULL_SPEED}` }, async (opened) => {
  const { lab } = opened;
  const { from, to } = await playFast(opened, "n = 1000", 60);
  assert.ok(to.step > from.step);
  assert.ok(to.longest < 1000, `no frame for ${to.longest} ms`);
  // It still listens while it plays.
  await lab.choose("colour-by", "dist");
  await lab.click("play");
  const shown = await lab.shown();
  await lab.goTo(0);
  await lab.goTo(shown.step);
  assert.deepEqual(await lab.shown(), shown);
});

law("1,000 agents drawn as a ring do not freeze the page", { at: `#protocol=undirected&n=1000&seed=1&start=uniform&layout=ring${FULL_SPEED}` }, async (opened) => {
  const { to } = await playFast(opened, "n = 1000 as a ring, undirected", 20);
  assert.ok(to.longest < 1000, `no frame for ${to.longest} ms`);
});

law("the greatest ring opens, plays and agrees with run", { at: `#protocol=ppl&n=16384&seed=1&step=1000${FULL_SPEED}` }, async (opened) => {
  const { lab } = opened;
  assert.equal(await lab.hash(), record("--n", 16384, "--seed", 1, "--limit", 1000).final_hash);
  await playFast(opened, "n = 16384", 10);
});

law("the smallest ring opens and agrees with run", { at: "#protocol=ppl&n=3&seed=1&step=100" }, async ({ lab }) => {
  assert.equal(await lab.hash(), record("--n", 3, "--seed", 1, "--limit", 100).final_hash);
  await lab.clickRing(2);
  await lab.until(() => document.getElementById("agent").value === "2");
});

law("a far step shows how far it is, and can be left at once", { at: "#protocol=ppl&n=1000&seed=1" }, async ({ lab }) => {
  await lab.fill("goto", "500000000");
  await lab.page.keyboard.press("Enter");
  assert.match(await lab.told("status"), /going to step 500,000,000/);
  await lab.goTo(5);
  assert.equal(await lab.hash(), record("--n", 1000, "--seed", 1, "--limit", 5).final_hash);
});

// --- Small windows -----------------------------------------------------------------------------------------------

const NARROW = { viewport: { width: 360, height: 640 } };

/** All that a pointer may want to use; the way past the header shows only to the keyboard. */
const CONTROLS = "button:visible:enabled:not(#skip), input:visible:enabled, select:visible:enabled, canvas:visible";

/** Controls that a pointer cannot use: covered, cut off, or outside. */
async function unusable(page) {
  const found = [];
  for (const control of await page.locator(CONTROLS).all()) {
    const id = await control.getAttribute("id");
    await control.click({ trial: true, timeout: 5000 }).catch((error) => found.push(`${id}: ${error.message.split("\n")[0]}`));
  }
  return found;
}

for (const at of ["#protocol=ppl&n=64&seed=1&step=1000&agent=3", "#protocol=undirected&n=400&seed=1&step=1000&agent=3&lesson=1"]) {
  law(`360 pixels are enough for ${at}`, { at, browser: NARROW }, async ({ lab, page }) => {
    await lab.unfoldAll();
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(width <= 360, `the page is ${width} pixels wide`);
    assert.deepEqual(await unusable(page), []);
  });
}

law("the help fits into 360 pixels", { at: "", browser: NARROW }, async ({ lab, page }) => {
  await lab.click("help");
  const { x, width } = await page.locator("#help-dialog").boundingBox();
  assert.ok(x >= 0 && x + width <= 360, `${x} to ${x + width}`);
  await lab.click("help-close");
});

law("a window that is made smaller keeps the whole ring", { at: "#protocol=ppl&n=64&seed=1&step=1000" }, async ({ lab, page }) => {
  const before = await lab.picture();
  await page.setViewportSize(NARROW.viewport);
  await lab.anotherPicture(before);
  const { width } = await page.locator("#ring").boundingBox();
  assert.ok(width <= 360);
  for (const agent of [0, 16, 32, 48]) {
    const { x } = await lab.place(agent);
    assert.ok(x >= 0 && x <= width, `agent ${agent} at ${x}`);
  }
});
