// The page as a reader uses it: controls by their ids, and what is shown. Nothing here waits for time to pass; all
// waiting is for something that the page itself says to be so.

/** Only what would never come ends here, however slow the machine is. */
export const PATIENCE_MS = 180_000;

/** Runs in every page, and holds from its beginning: all that was asked is done, and what is shown has its hash. */
function defineAtRest() {
  window.atRest = () => window.ringleader?.atRest() ?? false;
}

export class Lab {
  constructor(page, address) {
    this.page = page;
    this.address = address;
    page.setDefaultTimeout(PATIENCE_MS);
  }

  /** Opens a link in a page that shows nothing yet. */
  async open(fragment = "") {
    await this.page.addInitScript(defineAtRest);
    await this.page.goto(this.address + fragment);
    await this.rest();
  }

  /** Follows a link in a page that shows something already. */
  async follow(fragment) {
    await this.page.goto(this.address + fragment);
    await this.rest();
  }

  until(condition, argument) {
    return this.page.waitForFunction(condition, argument);
  }

  /** The same for a condition that is a promise: any promise would count as true there. */
  async untilResolved(condition, argument) {
    for (const end = Date.now() + PATIENCE_MS; !(await this.page.evaluate(condition, argument)); ) {
      if (Date.now() > end) throw new Error(`waited in vain for ${condition}`);
      await this.page.evaluate(() => new Promise(requestAnimationFrame));
    }
  }

  /** Waits until nothing is under way. */
  rest() {
    return this.until(() => window.atRest());
  }

  /** Waits until nothing is under way and everything is drawn. That something has another size is noticed with a frame of the screen. */
  still() {
    return this.untilResolved(async () => {
      if (!window.ringleader?.isStill()) return false;
      const { frames } = window.ringleader.stats;
      for (let k = 0; k < 2; k++) await new Promise(requestAnimationFrame);
      return window.ringleader.isStill() && window.ringleader.stats.frames === frames;
    });
  }

  /** A control, visible: the panels around it are unfolded first, as a reader would. */
  async control(id) {
    const control = this.page.locator(`#${id}`);
    await control.waitFor({ state: "attached" });
    for (const folded of await this.page.locator(`details:not([open]):has(#${id}) > summary`).all()) await folded.click();
    return control;
  }

  /** Opens every folded panel without a pointer. */
  unfoldAll() {
    return this.page.evaluate(() => document.querySelectorAll("details").forEach((panel) => (panel.open = true)));
  }

  async click(id, options) {
    await (await this.control(id)).click(options);
  }

  async fill(id, text) {
    await (await this.control(id)).fill(String(text));
  }

  async choose(id, value) {
    await (await this.control(id)).selectOption(value);
  }

  async check(id, checked) {
    await (await this.control(id)).setChecked(checked);
  }

  text(id) {
    return this.page.locator(`#${id}`).textContent();
  }

  value(id) {
    return this.page.locator(`#${id}`).inputValue();
  }

  state() {
    return this.page.evaluate(() => window.ringleader.state());
  }

  /** The hash as the reader sees it. */
  async hash() {
    await this.rest();
    return this.page.locator("#hash-shown").getAttribute("data-hash");
  }

  async step() {
    await this.rest();
    return Number((await this.text("step-shown")).replaceAll(",", ""));
  }

  /** Step and hash, to compare what two pages show. */
  async shown() {
    return { step: await this.step(), hash: await this.hash() };
  }

  async goTo(step) {
    await this.fill("goto", step);
    await this.page.locator("#goto-form button").click();
    await this.arrives(step);
  }

  arrives(step) {
    return this.until((wanted) => window.atRest() && window.ringleader.state().step === wanted, step);
  }

  /** Does something that changes the description of the run, and waits until the result is shown. */
  async changes(action) {
    const before = await this.page.evaluate(() => JSON.stringify(window.ringleader.state().description));
    await action();
    await this.until((old) => window.atRest() && JSON.stringify(window.ringleader.state().description) !== old, before);
  }

  /** Starts the run that the form describes. */
  startRun() {
    return this.changes(() => this.click("apply"));
  }

  /** What an output says, as soon as it says anything. */
  async told(id) {
    await this.until((name) => document.getElementById(name).textContent !== "", id);
    return this.text(id);
  }

  /** The link, as the button copies it. */
  async link() {
    await this.page.evaluate(() => (document.getElementById("message-news").textContent = ""));
    await this.click("copy-link");
    await this.until(() => document.getElementById("message-news").textContent === "Link copied.");
    return this.page.evaluate(() => navigator.clipboard.readText());
  }

  /** The file that a button saves. */
  async saved(id) {
    const [download] = await Promise.all([this.page.waitForEvent("download"), this.click(id)]);
    const parts = [];
    for await (const part of await download.createReadStream()) parts.push(part);
    return { name: download.suggestedFilename(), bytes: Buffer.concat(parts) };
  }

  /** The pixels of a canvas. */
  async picture(id = "ring") {
    await this.still();
    return this.page.evaluate((name) => document.getElementById(name).toDataURL(), id);
  }

  /** Waits until a canvas shows what is known, and anything at all. */
  async drawn(id) {
    await this.still();
    return this.until((name) => {
      const canvas = document.getElementById(name);
      const { width, height } = canvas;
      return canvas.toDataURL() !== Object.assign(document.createElement("canvas"), { width, height }).toDataURL();
    }, id);
  }

  /** Waits until a canvas shows something else, and returns it. */
  async anotherPicture(before, id = "ring") {
    await this.until(([name, old]) => document.getElementById(name).toDataURL() !== old, [id, before]);
    return this.picture(id);
  }

  /** Where an agent is on the canvas, or, for a half, the middle between two. */
  async place(agent) {
    await this.still();
    const [a, b] = await this.page.evaluate(async (both) => {
      const { placeOf } = await import("/stage.js");
      return both.map(placeOf);
    }, [Math.floor(agent), Math.ceil(agent)]);
    return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
  }

  async clickRing(agent, options = {}) {
    await this.click("ring", { position: await this.place(agent), ...options });
  }
}
