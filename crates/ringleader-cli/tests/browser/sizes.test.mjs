// Large rings, small rings and small windows: nothing freezes, nothing is cut off.

import assert from "node:assert/strict";
import { law } from "./harness.mjs";
import { record } from "./oracle.mjs";

const FULL_SPEED = "&speed=full";

/** Notes how many pictures were drawn when each frame was asked for and answered, and the longest time without one on the screen. */
function watchFrames() {
  const watched = (window.watched = { asked: [], answered: [], longest: 0, last: performance.now() });
  const drawn = () => window.ringleader.stats.frames;
  const { fetch } = window;
  window.fetch = async (...request) => {
    const isFrame = String(request[0]).includes("/frame?");
    if (isFrame) watched.asked.push(drawn());
    const answer = await fetch(...request);
    if (isFrame) watched.answered.push(drawn());
    return answer;
  };
  const look = (now) => {
    Object.assign(watched, { longest: Math.max(watched.longest, now - watched.last), last: now });
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}

/** Pictures drawn, steps done and time, now. */
const meter = (page) => page.evaluate(() => ({
  drawn: window.ringleader.stats.frames,
  step: window.ringleader.state().step,
  ms: performance.now(),
  watched: window.watched,
}));

/**
 * Plays at full speed for many pictures. Every answer is drawn before the next frame is asked for, so that a slow machine plays slower but
 * does not freeze. How fast it went is told, and decides nothing.
 */
async function playFast({ lab, page, t }, name, pictures) {
  await page.evaluate(watchFrames);
  const from = await meter(page);
  await lab.click("play");
  await lab.until((wanted) => window.watched.answered.length >= wanted, pictures);
  const to = await meter(page);
  assert.ok(to.step > from.step);
  const { asked, answered, longest } = to.watched;
  assert.ok(answered.length >= asked.length - 1, "two frames are asked for at once");
  answered.slice(0, asked.length - 1).forEach((drawn, k) => assert.ok(asked[k + 1] > drawn, `answer ${k} was not drawn`));
  const seconds = (to.ms - from.ms) / 1000;
  const rate = (what) => Math.round((to[what] - from[what]) / seconds).toLocaleString("en");
  t.diagnostic(`${name}: ${rate("drawn")} pictures a second, ${rate("step")} interactions a second, longest gap ${Math.round(longest)} ms`);
}

law("1,000 agents at full speed do not freeze the page", { at: `#protocol=ppl&n=1000&seed=1&start=uniform${FULL_SPEED}` }, async (opened) => {
  const { lab } = opened;
  await playFast(opened, "n = 1000", 60);
  // It still listens while it plays.
  await lab.choose("colour-by", "dist");
  await lab.click("play");
  const shown = await lab.shown();
  await lab.goTo(0);
  await lab.goTo(shown.step);
  assert.deepEqual(await lab.shown(), shown);
});

law("1,000 agents drawn as a ring do not freeze the page", { at: `#protocol=undirected&n=1000&seed=1&start=uniform&layout=ring${FULL_SPEED}` }, async (opened) => {
  await playFast(opened, "n = 1000 as a ring, undirected", 20);
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
const unusable = (page) => page.locator(CONTROLS).evaluateAll((controls) => controls.flatMap((control) => {
  control.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
  const { x, y, width, height } = control.getBoundingClientRect();
  const hit = document.elementFromPoint(x + width / 2, y + height / 2);
  const there = hit !== null && (control.contains(hit) || [...(control.labels ?? [])].some((label) => label.contains(hit)));
  return there ? [] : [`${control.id}: ${hit ? `covered by ${hit.tagName} ${hit.id}` : "outside"}`];
}));

for (const at of ["#protocol=ppl&n=64&seed=1&step=1000&agent=3", "#protocol=undirected&n=400&seed=1&step=1000&agent=3&lesson=1"]) {
  law(`360 pixels are enough for ${at}`, { at, browser: NARROW }, async ({ lab, page }) => {
    await lab.unfoldAll();
    await lab.still();
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
