// Links: whoever opens one sees the same run at the same step in the same view, and a bad one is told.

import assert from "node:assert/strict";
import { REFUSED, law, openLab } from "./harness.mjs";
import { SAMPLE, agentsOf, conformance, conformancePath, hashOf, record } from "./oracle.mjs";

const LINK = `${SAMPLE.link}&step=500`;

/** Opens a link where nobody has been, does something there, and closes it. */
async function elsewhere(server, link, body) {
  const { lab, watch, context } = await openLab(server);
  await lab.open(new URL(link).hash);
  await body(lab);
  await watch.check();
  await context.close();
}

/** The link of what is shown gives back the same hash and the same link. */
async function roundTrip(lab, server) {
  const [shown, link] = [await lab.shown(), await lab.link()];
  await elsewhere(server, link, async (other) => {
    assert.deepEqual(await other.shown(), shown);
    assert.equal(await other.link(), link);
  });
  return link;
}

law("a link gives back the same configuration", { at: LINK }, async ({ lab, server }) => {
  await roundTrip(lab, server);
});

law("a link carries edits of every kind", { at: `${LINK}&agent=3` }, async ({ lab, server }) => {
  await lab.fill("edit-leader", 1);
  await lab.changes(() => lab.click("edit-apply"));
  await lab.changes(() => lab.click("interact"));
  await lab.goTo(900);
  await lab.changes(() => lab.click("corrupt"));
  assert.equal((await lab.state()).description.edits.length, 3);
  await lab.goTo(1234);
  await roundTrip(lab, server);
});

law("a link carries an imported case with its hashes", { at: "" }, async ({ lab, server }) => {
  const name = "undirected_2_n5.json";
  await lab.changes(async () => (await lab.control("import")).setInputFiles(conformancePath(name)));
  const [step, hash] = conformance(name).hashes.at(-1);
  await lab.goTo(step);
  assert.equal(await lab.hash(), hash);
  await roundTrip(lab, server);
});

law("a link carries the view", { at: LINK }, async ({ lab, server }) => {
  await lab.choose("colour-by", "dist");
  await lab.choose("layout", "band");
  await lab.choose("spacetime-variable", "mode");
  await lab.choose("spacetime-window", "10");
  await lab.fill("agent", 7);
  await lab.page.keyboard.press("Tab");
  await lab.check("layer-tokenB", false);
  await lab.check("events-safe", false);
  await (await lab.control("speed")).fill("9");
  const link = await roundTrip(lab, server);
  const picture = await lab.picture();
  await elsewhere(server, link, async (other) => {
    for (const id of ["colour-by", "layout", "spacetime-variable", "spacetime-window", "agent", "speed"]) {
      assert.equal(await other.value(id), await lab.value(id), id);
    }
    for (const id of ["layer-tokenB", "events-safe"]) assert.ok(!(await other.page.isChecked(`#${id}`)), id);
    await other.until((wanted) => document.getElementById("ring").toDataURL() === wanted, picture);
  });
});

law("a link carries the zoom", { at: LINK }, async ({ lab, server }) => {
  await lab.click("zoom-in");
  assert.match(await roundTrip(lab, server), /&zoom=1\./);
});

law("seeds beyond 2^53 keep every digit", { at: "#protocol=ppl&n=16&c1=2&seed=18446744073709551615&scheduler=uniform&step=300" }, async ({ lab, server }) => {
  const expected = record("--n", 16, "--c1", 2, "--seed", "18446744073709551615", "--scheduler", "uniform", "--limit", 300);
  assert.equal(await lab.hash(), expected.final_hash);
  assert.match(await roundTrip(lab, server), /seed=18446744073709551615/);
});

law("the address follows what is shown, and a reload shows it again", { at: LINK }, async ({ lab, page }) => {
  await lab.click("step");
  await lab.arrives(501);
  await page.waitForURL(/step=501/);
  const shown = await lab.shown();
  await page.reload();
  assert.deepEqual(await lab.shown(), shown);
});

law("the page follows an address that is typed over", { at: LINK }, async ({ lab, page }) => {
  await page.evaluate(() => (location.hash = "#protocol=fj&n=9&seed=2&step=40"));
  await lab.arrives(40);
  assert.equal(await lab.hash(), record("--protocol", "fj", "--n", 9, "--seed", 2, "--limit", 40).final_hash);
});

/** So many recorded interactions that no packing makes them fit into a link. */
function hugeCase() {
  const { protocol, n, psi, kappa, initial } = conformance("ppl_36_n33_psi6_k1.json");
  let random = 1;
  const schedule = Array.from({ length: 1_300_000 }, () => (random = (random * 48_271) % 2_147_483_647) % n);
  return JSON.stringify({ protocol, n, psi, kappa, initial, schedule });
}

law("a run too large for a link is told, and shown all the same", { at: LINK }, async ({ lab }) => {
  const file = { name: "huge.json", mimeType: "application/json", buffer: Buffer.from(hugeCase()) };
  await lab.changes(async () => (await lab.control("import")).setInputFiles(file));
  await lab.click("copy-link");
  assert.match(await lab.told("message-alert"), /too large for a link/);
  await lab.click("step");
  await lab.arrives(1);
});

// --- Bad links ---------------------------------------------------------------------------------------------------

for (const [part, words] of [
  ["step=soon", /step = soon/],
  ["seed=-1", /seed = -1; allowed is a whole number below 2\^64/],
  ["zoom=never", /zoom/],
  ["layout=sphere", /layout = sphere; allowed is auto, ring, band/],
  ["colour-of-the-sky=blue", /colour-of-the-sky/],
  ["edits=[", /edits/],
  ["case=nonsense", /case/],
]) {
  law(`a link with ${part} is told, and the rest is shown`, { at: `#protocol=por&n=9&${part}` }, async ({ lab }) => {
    assert.match(await lab.told("message-alert"), words);
    assert.equal((await lab.state()).description.protocol, "por");
  });
}

for (const [link, words] of [
  ["#protocol=ppl&n=2", /3 to 16384/],
  ["#protocol=ppl&n=99999", /3 to 16384/],
  ["#protocol=ppl&n=16&psi=2", /psi/],
  ["#protocol=ppl&n=16&start=nowhere", /leaderless/],
  ["#protocol=ppl&n=16&seed=18446744073709551616", /2\^64/],
  ['#protocol=ppl&n=16&edits=[{"step":1,"agent":16,"state":{"dist":1}}]', /0 to 15/],
]) {
  law(`the impossible link ${link} is told, and the page opens without it`, { at: link, provokes: REFUSED }, async ({ lab }) => {
    assert.match(await lab.told("message-alert"), words);
    const { description } = await lab.state();
    assert.deepEqual([description.protocol, description.n], ["ppl", 64]);
  });
}

law("a link to an unknown protocol is told with the known ones", { at: "#protocol=nonsense&n=9" }, async ({ lab }) => {
  assert.match(await lab.told("message-alert"), /protocol = nonsense; allowed is ppl/);
});

// --- Canaries: these tests can fail ------------------------------------------------------------------------------

law("a frame that was changed on its way does not have the hash that it shows", { at: null }, async ({ lab, page }) => {
  await page.route("**/frame?*", async (route) => {
    const response = await route.fetch();
    const frame = await response.json();
    frame.columns.dist[3] = (frame.columns.dist[3] + 1) % 8;
    await route.fulfill({ response, json: frame });
  });
  await lab.open(LINK);
  assert.notEqual(hashOf(agentsOf((await lab.state()).frame)), await lab.hash());
});

law("a link with another seed shows another hash", { at: LINK.replace("seed=5", "seed=6") }, async ({ lab }) => {
  assert.notEqual(await lab.hash(), SAMPLE.hashAt(500));
});

law("the watch notices a script that the policy forbids and a request that goes elsewhere", { at: LINK }, async ({ watch, page }) => {
  watch.expect(/Content Security Policy.*script-src|script-src.*Content Security Policy/, /127\.0\.0\.1:9\//);
  await page.evaluate(() => {
    const script = document.createElement("script");
    script.textContent = "window.smuggled = true";
    document.head.append(script);
    return fetch("http://127.0.0.1:9/").catch(() => null);
  });
  assert.equal(await page.evaluate(() => window.smuggled), undefined);
});
