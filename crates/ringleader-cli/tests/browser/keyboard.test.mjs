// The keyboard alone: every control can be reached and seen, and every shortcut does what the help says.

import assert from "node:assert/strict";
import { law } from "./harness.mjs";
import { LONG, SAMPLE, record } from "./oracle.mjs";

const { hashAt } = SAMPLE;
const AT = `${SAMPLE.link}&step=500&agent=3`;

/** The ids of all controls that can be used now. */
const usable = (page) => page.evaluate(() =>
  [...document.querySelectorAll("button, input, select, canvas[tabindex]")]
    .filter((control) => !control.disabled && control.checkVisibility({ visibilityProperty: true }))
    .map(({ id }) => id)
    .filter((id) => id !== ""));

/** Where Tab leads to next, and whether it can be seen there. */
async function tab(page) {
  await page.keyboard.press("Tab");
  return page.evaluate(() => {
    const { activeElement: focused } = document;
    const { outlineStyle, outlineWidth } = getComputedStyle(focused);
    return { id: focused.id, seen: outlineStyle !== "none" && parseFloat(outlineWidth) > 0, end: focused === document.body };
  });
}

law("Tab reaches every control, and shows where it is", { at: AT }, async ({ lab, page }) => {
  await lab.unfoldAll();
  const wanted = await usable(page);
  const reached = new Map();
  for (let presses = 0; presses < 3 * wanted.length; presses++) {
    const { id, seen, end } = await tab(page);
    if (end) break;
    if (id !== "") reached.set(id, seen);
  }
  assert.deepEqual(wanted.filter((id) => !reached.has(id)), [], "not reached");
  assert.deepEqual([...reached].filter(([, seen]) => !seen).map(([id]) => id), [], "focus not seen");
});

law("every control has a name for those who hear the page", { at: AT }, async ({ lab, page }) => {
  await lab.unfoldAll();
  const nameless = await page.evaluate(() =>
    [...document.querySelectorAll("button, input, select, canvas")]
      .filter((control) => !control.labels?.length && !control.ariaLabel && !control.textContent.trim())
      .map(({ id, outerHTML }) => id || outerHTML));
  assert.deepEqual(nameless, []);
});

law("the first Tab offers to skip to the ring", { at: AT }, async ({ page }) => {
  assert.equal((await tab(page)).id, "skip");
  assert.ok(await page.locator("#skip").isVisible());
  await page.keyboard.press("Enter");
  assert.equal(await page.evaluate(() => document.activeElement.id), "ring");
});

law("a run can be played, stepped, sought, edited and undone by keys alone", { at: `${LONG.link}&step=500&agent=3` }, async ({ lab, page }) => {
  const press = (...keys) => keys.reduce((before, key) => before.then(() => page.keyboard.press(key)), Promise.resolve());
  await press(".");
  await lab.arrives(501);
  await press(",");
  await lab.arrives(500);
  await press("Home");
  await lab.arrives(0);
  await press("End");
  await lab.arrives(501);
  assert.equal(await lab.hash(), LONG.hashAt(501));
  await press("g", "7", "0", "0", "Enter");
  await lab.arrives(700);
  assert.equal(await lab.hash(), LONG.hashAt(700));
  await press("Tab", "r", "Space");
  await lab.until(() => window.ringleader.state().intent === "play");
  await press("Space");
  const { step, hash } = await lab.shown();
  assert.equal(hash, LONG.hashAt(step));
  await lab.changes(() => press("i"));
  assert.equal((await lab.state()).frame.last.initiator, 3);
  await lab.changes(() => press("k"));
  await lab.changes(() => page.goBack());
  await lab.changes(() => page.goBack());
  assert.deepEqual((await lab.state()).description.edits, []);
});

law("E runs to the next event", { at: `${AT}&events=safe` }, async ({ lab, page }) => {
  await page.keyboard.press("e");
  await lab.arrives(record(...SAMPLE.options).safe);
});

law("brackets change the speed and F takes the greatest", { at: AT }, async ({ lab, page }) => {
  const speeds = [];
  for (const key of ["]", "[", "[", "f"]) {
    await page.keyboard.press(key);
    speeds.push(Number(await lab.value("speed")));
  }
  assert.deepEqual(speeds, [5, 4, 3, 19]);
});

law("on the ring the arrow keys walk from agent to agent, around the end, and say where they are", { at: AT }, async ({ lab, page }) => {
  const agents = [];
  await page.keyboard.press("r");
  for (const key of ["ArrowRight", "ArrowLeft", "ArrowLeft", "PageDown", "PageUp", "PageUp", "ArrowDown", "ArrowUp"]) {
    await page.keyboard.press(key);
    agents.push(Number(await lab.value("agent")));
  }
  assert.deepEqual(agents, [4, 3, 2, 12, 2, 8, 9, 8]);
  assert.match(await lab.text("ring-spoken"), /^agent 8: /);
  await lab.changes(() => page.keyboard.press("Enter"));
  assert.equal((await lab.state()).frame.last.initiator, 8);
  await page.keyboard.press("Escape");
  assert.equal(await lab.value("agent"), "");
});

law("on an undirected ring Shift lets the neighbour initiate", { at: "#protocol=undirected&n=9&seed=3&step=100&agent=3" }, async ({ lab, page }) => {
  await page.keyboard.press("r");
  await lab.changes(() => page.keyboard.press("Shift+Enter"));
  assert.equal((await lab.state()).frame.last.initiator, 4);
  await lab.changes(() => page.keyboard.press("Shift+I"));
  assert.equal((await lab.state()).frame.last.initiator, 4);
});

law("zoom, theme, link, lessons and help have keys", { at: "#protocol=ppl&n=64&seed=5&step=500" }, async ({ lab, page }) => {
  const before = await lab.picture();
  await page.keyboard.press("+");
  const zoomed = await lab.anotherPicture(before);
  await page.keyboard.press("-");
  await lab.anotherPicture(zoomed);
  await page.keyboard.press("+");
  await page.keyboard.press("0");
  await lab.until((wanted) => document.getElementById("ring").toDataURL() === wanted, before);
  await page.keyboard.press("t");
  assert.match(await lab.text("theme"), /light/);
  await page.keyboard.press("c");
  assert.match(await lab.told("message-news"), /copied/);
  await page.keyboard.press("?");
  assert.ok(await page.locator("#help-dialog").isVisible());
  await page.keyboard.press("Escape");
  assert.ok(!(await page.locator("#help-dialog").isVisible()));
  await page.keyboard.press("l");
  await page.locator("#lesson").waitFor();
  await page.keyboard.press("l");
  await page.locator("#lesson").waitFor({ state: "hidden" });
});

law("letters typed into a field are no shortcuts", { at: AT }, async ({ lab, page }) => {
  await page.keyboard.press("g");
  for (const key of ["k", "i", "e", ".", "t"]) await page.keyboard.press(key);
  assert.equal(await lab.value("goto"), "kie.t");
  assert.deepEqual(await lab.shown(), { step: 500, hash: hashAt(500) });
  assert.deepEqual((await lab.state()).description.edits, []);
});

law("single-key shortcuts can be switched off for good", { at: AT }, async ({ lab, page }) => {
  await lab.click("help");
  await lab.check("keys-on", false);
  await lab.click("help-close");
  await page.reload();
  await lab.rest();
  await page.keyboard.press("t");
  assert.match(await lab.text("theme"), /auto/);
  assert.equal(await lab.step(), 500);
  await lab.click("help");
  await lab.check("keys-on", true);
  await lab.click("help-close");
  await page.keyboard.press("t");
  assert.match(await lab.text("theme"), /light/);
});

for (const [id, key] of [["spacetime", "ArrowUp"], ["charts", "ArrowLeft"]]) {
  law(`the arrow keys walk through time on the ${id}`, { at: `${SAMPLE.link}&step=500` }, async ({ lab, page }) => {
    await lab.drawn(id);
    await page.locator(`#${id}`).focus();
    await page.keyboard.press(key);
    await lab.until(() => window.atRest() && window.ringleader.state().step < 500);
    const { step, hash } = await lab.shown();
    assert.equal(hash, hashAt(step));
  });
}
