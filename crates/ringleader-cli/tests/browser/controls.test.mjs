// The form of the run, the picture and its layers, the panels, the theme and the help: every control does what it says.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";
import { REFUSED, law } from "./harness.mjs";
import { PAGE, SAMPLE, inspect, record, ringleader } from "./oracle.mjs";

const AT = `${SAMPLE.link}&step=500`;

/** What `ringleader run` says of the run that the form describes, up to a step. */
const until = (limit, ...args) => record(...args, "--limit", limit);

test("every control of the page is used by a test", () => {
  const page = readFileSync(`${PAGE}index.html`, "utf8");
  const controls = [...page.matchAll(/<(?:button|input|select|canvas|textarea)\b[^>]*\bid="([^"]+)"/g)].map(([, id]) => id);
  const read = (name) => readFileSync(new URL(name, import.meta.url), "utf8");
  const tests = readdirSync(new URL(".", import.meta.url)).filter((name) => name.endsWith(".mjs")).map(read).join("\n");
  assert.ok(controls.length > 30);
  assert.deepEqual(controls.filter((id) => !new RegExp(`["'#\`]${id}["'\` ]`).test(tests)), []);
});

// --- The run -----------------------------------------------------------------------------------------------------

law("the command line says what is shown first", { at: null, server: { args: ["--protocol", "fj", "--n", "9", "--seed", "7"] } }, async ({ lab }) => {
  await lab.open();
  assert.deepEqual([await lab.value("protocol"), await lab.value("n"), await lab.value("seed")], ["fj", "9", "7"]);
  await lab.goTo(20);
  assert.equal(await lab.hash(), until(20, "--protocol", "fj", "--n", 9, "--seed", 7).final_hash);
});

law("the form says what is shown", { at: "#protocol=undirected&n=9&seed=3&start=uniform&scheduler=uniform&c1=3&colors=17" }, async ({ lab }) => {
  const expected = { protocol: "undirected", n: "9", seed: "3", start: "uniform", scheduler: "uniform", "param-c1": "3", "param-colors": "17" };
  for (const [id, value] of Object.entries(expected)) assert.equal(await lab.value(id), value, id);
  assert.match(await lab.text("run-facts"), /undirected ring/);
  assert.match(await lab.page.title(), /undirected n = 9/);
});

law("every field of the form counts", { at: "" }, async ({ lab }) => {
  await lab.choose("protocol", "ppl-prime");
  await lab.choose("start", "two-leaders");
  await lab.choose("scheduler", "uniform");
  for (const [id, text] of [["n", 12], ["seed", "12345678901234567890"], ["param-psi", 5], ["param-c1", 3]]) await lab.fill(id, text);
  await lab.startRun();
  await lab.goTo(60);
  const options = ["--protocol", "ppl-prime", "--start", "two-leaders", "--scheduler", "uniform", "--n", 12, "--seed", "12345678901234567890", "--psi", 5, "--c1", 3];
  assert.equal(await lab.hash(), until(60, ...options).final_hash);
});

law("a flag that allows too small a psi is obeyed", { at: "", provokes: REFUSED }, async ({ lab }) => {
  await lab.fill("n", 16);
  await lab.fill("param-psi", 2);
  await lab.click("apply");
  assert.match(await lab.told("setup-error"), /psi/);
  await lab.check("param-unsound", true);
  await lab.startRun();
  await lab.goTo(300);
  assert.equal(await lab.hash(), until(300, "--n", 16, "--psi", 2, "--unsound", "--seed", 1).final_hash);
  assert.equal(await lab.text("setup-error"), "");
});

law("every protocol runs as on the command line", { at: "" }, async ({ lab, page }) => {
  const protocols = await page.locator("#protocol option").evaluateAll((options) => options.map(({ value }) => value));
  assert.ok(protocols.length >= 10, String(protocols));
  for (const protocol of protocols) {
    await lab.choose("protocol", protocol);
    await lab.fill("n", 11);
    await lab.fill("seed", 4);
    await lab.startRun();
    const { steps, final_hash: hash } = until(40, "--protocol", protocol, "--n", 11, "--seed", 4);
    await lab.goTo(steps);
    assert.equal(await lab.hash(), hash, protocol);
    assert.ok((await lab.text("summary")).length > 10, protocol);
    assert.ok((await page.locator("#legend li").count()) > 0, protocol);
  }
});

law("every start of a protocol can be chosen and is explained", { at: "#protocol=ppl&n=16&seed=1" }, async ({ lab, page }) => {
  const starts = await page.locator("#start option").evaluateAll((options) => options.map(({ value }) => value));
  for (const start of starts.slice(1)) {
    await lab.choose("start", start);
    assert.ok((await lab.text("start-about")).length > 5, start);
    await lab.startRun();
    assert.equal(await lab.value("start"), start);
    const { hash } = await lab.shown();
    assert.match(hash, /^[0-9a-f]{64}$/);
  }
});

law("Random takes another seed at once, and tells it", { at: AT }, async ({ lab }) => {
  const before = await lab.hash();
  await lab.changes(() => lab.click("random-seed"));
  const seed = await lab.value("seed");
  await lab.goTo(500);
  const hash = await lab.hash();
  assert.notEqual(hash, before);
  assert.equal(hash, until(500, "--n", 16, "--c1", 2, "--seed", seed).final_hash);
});

law("impossible runs are refused in the form and leave the page as it is", { at: AT, provokes: REFUSED }, async ({ lab }) => {
  const before = await lab.shown();
  const wrong = [
    ["n", "2", /3 to 16384/], ["n", "16385", /3 to 16384/], ["n", "many", /3 to 16,?384/], ["n", "", /3 to 16,?384/], ["n", "16", null],
    ["seed", "-1", /2\^64/], ["seed", "18446744073709551616", /2\^64/], ["seed", "x", /2\^64/], ["seed", "", /2\^64/], ["seed", "5", null],
    ["param-psi", "1", /psi/], ["param-psi", "x", /psi/], ["param-psi", "", null],
    ["param-c1", "0", /c1/], ["param-c1", "-2", /c1/],
  ];
  for (const [id, text, words] of wrong) {
    await lab.fill(id, text);
    if (!words) continue;
    await lab.click("apply");
    await lab.until((source) => new RegExp(source).test(document.getElementById("setup-error").textContent), words.source);
  }
  assert.deepEqual(await lab.shown(), before);
});

// --- The picture -------------------------------------------------------------------------------------------------

/** Changes the picture, and changes it back to the very pixels that it had. */
async function thereAndBack(lab, there, back) {
  const before = await lab.picture();
  await there();
  await lab.anotherPicture(before);
  await back();
  await lab.until((wanted) => document.getElementById("ring").toDataURL() === wanted, before);
}

law("colouring by another variable changes picture and legend", { at: AT }, async ({ lab }) => {
  const legend = await lab.text("legend");
  await thereAndBack(lab, () => lab.choose("colour-by", "dist"), async () => {
    assert.notEqual(await lab.text("legend"), legend);
    await lab.choose("colour-by", "auto");
  });
});

law("a ring can be shown as a band, and a band as a ring", { at: AT }, async ({ lab }) => {
  await thereAndBack(lab, () => lab.choose("layout", "band"), () => lab.choose("layout", "ring"));
});

law("zooming in and out comes back to the same picture", { at: "#protocol=ppl&n=64&seed=5&step=500" }, async ({ lab }) => {
  await thereAndBack(lab, () => lab.click("zoom-in"), () => lab.click("zoom-out"));
  await thereAndBack(lab, () => lab.click("zoom-in"), () => lab.click("zoom-reset"));
});

law("every layer can be hidden and shown again", { at: "#protocol=ppl&n=32&c1=2&seed=5&start=uniform&step=50&agent=3" }, async ({ lab, page }) => {
  await lab.control("layer-agents");
  const ids = await page.locator("#layers input").evaluateAll((boxes) => boxes.map(({ id }) => id));
  const changing = [];
  for (const id of ids) {
    const before = await lab.picture();
    await lab.check(id, false);
    // A layer may have nothing to draw here, so the next painting is awaited, not a change.
    await page.evaluate(async () => (await import("/stage.js")).painted());
    if ((await lab.picture()) !== before) changing.push(id);
    await lab.check(id, true);
    await lab.until((wanted) => document.getElementById("ring").toDataURL() === wanted, before);
  }
  for (const name of ["agents", "leader", "bullet", "tokenB", "indices", "selection"]) assert.ok(changing.includes(`layer-${name}`), name);
});

law("the wheel zooms a band and dragging moves it", { at: "#protocol=ppl&n=1000&seed=1&step=100" }, async ({ lab, page }) => {
  const before = await lab.picture();
  const { x, y, width, height } = await page.locator("#ring").boundingBox();
  await page.mouse.move(x + width / 2, y + height - 40);
  await page.mouse.wheel(0, -200);
  await page.waitForURL(/&zoom=/);
  const zoomed = await lab.anotherPicture(before);
  await page.mouse.down();
  await page.mouse.move(x + width / 2 - 120, y + height - 40, { steps: 3 });
  await page.mouse.up();
  await lab.anotherPicture(zoomed);
});

law("a click into the strip above a band moves what the band shows", { at: "#protocol=ppl&n=1000&seed=1&step=100" }, async ({ lab, page }) => {
  const before = await lab.picture();
  const { width } = await page.locator("#ring").boundingBox();
  await lab.click("ring", { position: { x: 0.4 * width, y: 25 } });
  await lab.anotherPicture(before);
  assert.match(await lab.link(), /&x=0\.[34]/);
});

// --- Panels ------------------------------------------------------------------------------------------------------

law("the space-time diagram can show every variable and every window", { at: `${SAMPLE.link}&step=20000` }, async ({ lab, page }) => {
  const variables = ["dist", "mode", "tokenB", "leader"].map((name) => ["spacetime-variable", name, `variable=${name}&from=0&to=20000`]);
  const windows = [1, 10, 100, 1000].map((rounds) => ["spacetime-window", String(rounds), `from=${20_000 - 16 * rounds}&to=20000`]);
  for (const [id, value, asked] of [...variables, ...windows, ["spacetime-window", "whole", "from=0&to=20000"]]) {
    const answered = page.waitForResponse((response) => response.url().includes("/spacetime?") && response.url().includes(asked));
    await lab.choose(id, value);
    assert.equal((await answered).status(), 200, `${id} ${value}`);
  }
});

law("a closed panel asks for nothing, and an opened one is drawn", { at: AT }, async ({ lab, page }) => {
  await lab.still();
  await lab.click("spacetime-panel", { position: { x: 20, y: 15 } });
  await lab.until(() => !document.getElementById("spacetime-panel").open);
  const asked = [];
  page.on("request", (request) => asked.push(request.url()));
  const charts = page.waitForResponse((response) => response.url().includes("/history"));
  await lab.click("step");
  await lab.arrives(501);
  await charts;
  assert.deepEqual(asked.filter((url) => url.includes("/spacetime")), []);
  await Promise.all([page.waitForResponse((response) => response.url().includes("/spacetime?")), lab.control("spacetime")]);
});

law("the facts are those that inspect tells", { at: AT }, async ({ lab, page }) => {
  await lab.click("facts-show");
  await page.locator("#facts table").waitFor();
  const rows = await page.locator("#facts tr").evaluateAll((all) => all.map((row) => [row.cells[0].textContent, row.cells[1].textContent]));
  const told = Object.fromEntries(rows);
  const facts = Object.entries(inspect((await lab.saved("export-config")).bytes)).filter(([, fact]) => typeof fact === "boolean");
  assert.ok(facts.length > 3);
  for (const [name, holds] of facts) assert.equal(told[name], holds ? "✓ yes" : "✗ no", name);
  await lab.click("step");
  await lab.arrives(501);
  assert.equal(await page.locator("#facts table").count(), 0, "facts of another step");
});

law("the sets are ticked as run finds them", { at: `${SAMPLE.link}&step=1781` }, async ({ lab, page }) => {
  const ticked = await page.locator("#sets li").allTextContents();
  assert.ok(ticked.length >= 2 && ticked.every((text) => text.startsWith("✓")), ticked.join("; "));
  await lab.goTo(10);
  const before = await page.locator("#sets li").allTextContents();
  assert.ok(before.at(-1).startsWith("✗"), before.at(-1));
});

// --- Theme and help ----------------------------------------------------------------------------------------------

const paperOf = (page) => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
const brightness = (colour) => colour.match(/\d+/g).slice(0, 3).reduce((sum, part) => sum + Number(part), 0);

law("the theme goes from the system's to light to dark, and a reload keeps it", { at: AT, browser: { colorScheme: "dark" } }, async ({ lab, page }) => {
  const system = await paperOf(page);
  const dark = await lab.picture();
  assert.ok(brightness(system) < 200, system);
  await lab.click("theme");
  assert.match(await lab.text("theme"), /light/);
  assert.ok(brightness(await paperOf(page)) > 600);
  await lab.anotherPicture(dark);
  await lab.click("theme");
  assert.match(await lab.text("theme"), /dark/);
  assert.equal(await paperOf(page), system);
  await page.reload();
  await lab.rest();
  assert.match(await lab.text("theme"), /dark/);
  assert.equal(await paperOf(page), system);
});

law("the page follows the system when it turns dark", { at: AT, browser: { colorScheme: "light" } }, async ({ lab, page }) => {
  const light = await lab.picture();
  await page.emulateMedia({ colorScheme: "dark" });
  await lab.anotherPicture(light);
  assert.ok(brightness(await paperOf(page)) < 200);
});

law("the help tells every key and closes again", { at: AT }, async ({ lab, page }) => {
  await lab.click("help");
  assert.ok(await page.locator("#help-dialog").isVisible());
  assert.ok((await page.locator("#help-keys tr").count()) > 15);
  assert.ok((await page.locator("#help-ring-keys tr").count()) > 3);
  await lab.click("help-close");
  assert.ok(!(await page.locator("#help-dialog").isVisible()));
});

law("the version is that of the program", { at: AT }, async ({ lab }) => {
  assert.ok(ringleader(["-V"]).stdout.trim().endsWith(await lab.text("version")));
});
