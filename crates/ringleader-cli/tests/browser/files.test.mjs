// Files: pictures out, cases and configurations out and in, by button, file picker and drop.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { REFUSED, law } from "./harness.mjs";
import { SAMPLE, conformance, conformancePath, hashOf, inspect, replay } from "./oracle.mjs";

const AT = `${SAMPLE.link}&step=500`;
const CASE = "ppl_13_n8_psi4_k5.json";

const importFile = async (lab, file) => (await lab.control("import")).setInputFiles(file);
const named = (text, name = "file.json") => ({ name, mimeType: "application/json", buffer: Buffer.from(text) });

/** Drops a file onto the page, as the browser reports it. */
async function drop(lab, text) {
  const files = await lab.page.evaluateHandle((content) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([content], "case.json", { type: "application/json" }));
    return transfer;
  }, text);
  await lab.page.dispatchEvent("body", "dragover", { dataTransfer: files });
  assert.ok(await lab.page.locator("#drop").isVisible());
  await lab.page.dispatchEvent("body", "drop", { dataTransfer: files });
  assert.ok(!(await lab.page.locator("#drop").isVisible()));
}

// --- Out ---------------------------------------------------------------------------------------------------------

/** How many shapes the drawing itself has, besides its legend; parsed as strictly as XML is. */
const shapesIn = (page, svg) => page.evaluate((text) => {
  const parsed = new DOMParser().parseFromString(text, "image/svg+xml");
  const broken = parsed.querySelector("parsererror")?.textContent ?? null;
  const words = [...parsed.querySelectorAll("text")].map((word) => word.textContent);
  return { broken, root: parsed.documentElement.localName, words, shapes: parsed.querySelectorAll("g > circle, g > rect").length };
}, svg);

/** Hides everything but the agents themselves, so that shapes can be counted. */
async function showOnlyAgents(lab) {
  await lab.control("layer-agents");
  const ids = await lab.page.locator("#layers input").evaluateAll((boxes) => boxes.map(({ id }) => id));
  for (const id of ids.filter((name) => name !== "layer-agents")) await lab.check(id, false);
}

law("an exported SVG is well-formed and has all agents, once each", { at: AT }, async ({ lab, page }) => {
  const full = await shapesIn(page, (await lab.saved("export-svg")).bytes.toString());
  assert.equal(full.broken, null);
  assert.equal(full.root, "svg");
  assert.ok(full.words.some((word) => word.includes("step 500") && word.includes("seed 5")), "the caption");
  await showOnlyAgents(lab);
  const { name, bytes } = await lab.saved("export-svg");
  assert.match(name, /\.svg$/);
  assert.equal((await shapesIn(page, bytes.toString())).shapes, 16);
});

law("an exported PNG is as large as the picture at double scale, and not blank", { at: AT }, async ({ lab, page }) => {
  const { name, bytes } = await lab.saved("export-png");
  assert.match(name, /\.png$/);
  const found = await page.evaluate(async (data) => {
    const image = new Image();
    image.src = `data:image/png;base64,${data}`;
    await image.decode();
    const canvas = Object.assign(document.createElement("canvas"), { width: image.width, height: image.height });
    const context = canvas.getContext("2d");
    context.drawImage(image, 0, 0);
    const pixels = new Uint32Array(context.getImageData(0, 0, image.width, image.height).data.buffer);
    return { width: image.width, colours: new Set(pixels).size, shown: document.getElementById("ring").clientWidth };
  }, bytes.toString("base64"));
  assert.equal(found.width, 2 * found.shown);
  assert.ok(found.colours > 20, `${found.colours} colours`);
});

law("an exported case replays to the hash that is shown", { at: AT }, async ({ lab }) => {
  const { bytes } = await lab.saved("export-case");
  const { code, hash, stderr } = replay(bytes);
  assert.equal(code, 0, stderr);
  assert.equal(hash, await lab.hash());
  assert.equal(hash, SAMPLE.hashAt(500));
});

law("an exported case with all that the adversary did replays to the hash that is shown", { at: `${AT}&agent=3` }, async ({ lab }) => {
  await lab.fill("edit-leader", 1);
  await lab.changes(() => lab.click("edit-apply"));
  await lab.changes(() => lab.click("interact"));
  await lab.goTo(900);
  await lab.changes(() => lab.click("corrupt"));
  await lab.goTo(1234);
  const { code, hash, stderr } = replay((await lab.saved("export-case")).bytes);
  assert.equal(code, 0, stderr);
  assert.equal(hash, await lab.hash());
});

law("an exported case comes back as the same run", { at: AT }, async ({ lab }) => {
  const before = await lab.hash();
  const { bytes } = await lab.saved("export-case");
  await lab.changes(() => importFile(lab, named(bytes)));
  await lab.goTo(500);
  assert.equal(await lab.hash(), before);
});

law("an exported configuration is what is shown, and comes back", { at: AT }, async ({ lab }) => {
  const { name, bytes } = await lab.saved("export-config");
  assert.match(name, /\.config\.json$/);
  const before = await lab.hash();
  assert.equal(hashOf(JSON.parse(bytes).config), before);
  assert.equal(typeof inspect(bytes).S_PL, "boolean");
  await lab.changes(() => importFile(lab, named(bytes)));
  assert.deepEqual(await lab.shown(), { step: 0, hash: before });
});

// --- In ----------------------------------------------------------------------------------------------------------

for (const name of [CASE, "pcl_1_n4.json", "pclderand_0_n3.json", "por_3_n9.json", "undirected_3_n7.json", "ppl_36_n33_psi6_k1.json"]) {
  law(`the recorded execution ${name} has its own hashes at every recorded time`, { at: "" }, async ({ lab }) => {
    await lab.changes(() => importFile(lab, conformancePath(name)));
    const { hashes, n } = conformance(name);
    assert.equal((await lab.state()).frame.columns[Object.keys((await lab.state()).frame.columns)[0]].length, n);
    for (const [step, hash] of [hashes[0], hashes[Math.floor(hashes.length / 2)], hashes.at(-1)]) {
      await lab.goTo(step);
      assert.equal(await lab.hash(), hash, `step ${step}`);
    }
  });
}

law("a case can be dropped anywhere", { at: "" }, async ({ lab }) => {
  await lab.changes(async () => drop(lab, readFileSync(conformancePath(CASE), "utf8")));
  const [step, hash] = conformance(CASE).hashes.at(-1);
  await lab.goTo(step);
  assert.equal(await lab.hash(), hash);
  assert.match(await lab.text("run-facts"), /from a case of 1,000 interactions/);
});

law("dropping text or nothing changes nothing", { at: AT }, async ({ lab, page }) => {
  const before = await lab.shown();
  for (const type of ["dragover", "drop"]) {
    const nothing = await page.evaluateHandle(() => new DataTransfer());
    await page.dispatchEvent("body", type, { dataTransfer: nothing });
  }
  await lab.still();
  assert.deepEqual(await lab.shown(), before);
});

law("a bare list of agents opens with the protocol and the parameters that are shown", { at: AT }, async ({ lab }) => {
  const { config } = JSON.parse((await lab.saved("export-config")).bytes);
  await lab.changes(() => importFile(lab, named(JSON.stringify(config))));
  assert.equal(await lab.hash(), hashOf(config));
});

law("Back undoes an import", { at: AT }, async ({ lab, page }) => {
  const before = await lab.shown();
  await lab.changes(() => importFile(lab, conformancePath(CASE)));
  await lab.changes(() => page.goBack());
  assert.deepEqual(await lab.shown(), before);
});

/** A broken file is told and changes nothing. */
async function refusesFile(lab, text, words) {
  const before = await lab.shown();
  await importFile(lab, named(text));
  assert.match(await lab.told("message-alert"), words);
  assert.deepEqual(await lab.shown(), before);
}

for (const [what, text] of [["is empty", ""], ["breaks off", '{"protocol": "P_PL", "n": 8'], ["is a picture", "\u0089PNG\r\n"]]) {
  law(`a file that ${what} is told to be no JSON`, { at: AT }, ({ lab }) => refusesFile(lab, text, /no JSON/));
}

for (const [what, text, words] of [
  ["a number", "7", /case/],
  ["a case without agents", '{"protocol": "P_PL", "psi": 4}', /config/],
  ["a case of an unknown protocol", '{"protocol": "P_XX", "config": []}', /P_XX/],
  ["a list of agents without variables", "[{}, {}, {}]", /agent 0/],
  ["a case with an impossible schedule", JSON.stringify({ ...conformance(CASE), schedule: [99] }), /99/],
]) {
  law(`${what} is refused in the words of the program`, { at: AT, provokes: REFUSED }, ({ lab }) => refusesFile(lab, text, words));
}
