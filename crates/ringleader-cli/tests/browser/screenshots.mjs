// Takes the pictures of the README and of docs/view.md: node screenshots.mjs FOLDER

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { closeAll, openLab, startServer } from "./harness.mjs";

const PICTURES = {
  "ring.png": { at: "#protocol=ppl&n=64&start=uniform&seed=7&step=20000", colorScheme: "light" },
  "undirected.png": { at: "#protocol=undirected&n=24&start=uniform&seed=7&step=2000", colorScheme: "light" },
  "band.png": { at: "#protocol=ppl&n=1000&start=uniform&seed=7&step=2000000&x=0.373", colorScheme: "light" },
  "text.png": { at: "#protocol=ppl&n=24&start=uniform&seed=7&step=2000", colorScheme: "light", then: spoil },
  "dark.png": { at: "#protocol=ppl&n=64&start=uniform&seed=7&step=20000&agent=12", colorScheme: "dark" },
};

/** Writes two errors into the text, and tries to run it. */
async function spoil(lab, page) {
  await lab.click("text-edit");
  const text = (await lab.value("text-draft")).replace("determine_mode(l, r)  ", "determine_mod(l, r)   ").replace("r.dist = tmp", "r.dits = tmp");
  await page.locator("#text-draft").fill(text);
  await page.locator("#text-draft").press("Control+Enter");
  await page.locator(".problem").first().waitFor();
  // The whole page is in the picture, not what the editor scrolled to.
  await page.evaluate(() => window.scrollTo(0, 0));
}

async function take(server, path, { at, colorScheme, then = async () => {} }) {
  const { lab, page, context } = await openLab(server, { viewport: { width: 1400, height: 900 }, deviceScaleFactor: 1, colorScheme });
  await lab.open(at);
  for (const id of ["ring", "spacetime", "charts"]) await lab.drawn(id);
  // The diagrams are drawn anew when they have heard of the last step.
  await page.waitForLoadState("networkidle");
  await then(lab, page);
  await page.screenshot({ path });
  await context.close();
}

const [folder] = process.argv.slice(2);
if (!folder) {
  console.error("usage: node screenshots.mjs FOLDER");
  process.exit(2);
}
mkdirSync(folder, { recursive: true });
const server = await startServer();
for (const [name, wish] of Object.entries(PICTURES)) await take(server, join(folder, name), wish);
await server.stop();
await closeAll();
