// Starts the laboratory and the browser, gives every test a fresh page, and watches over all that the page does:
// no test passes if the console complains, a request fails, or anything but the laboratory is asked.

import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { after, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { chromium } from "playwright-core";
import { begin } from "./oracle.mjs";
import { Lab, PATIENCE_MS } from "./lab.mjs";

const ARGS = [
  "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync",
];

// --- The laboratory ----------------------------------------------------------------------------------------------

const servers = new Set();
// Whatever happens to a test, it leaves no server behind.
process.on("exit", () => servers.forEach(({ child }) => child.kill("SIGKILL")));

export class Server {
  constructor(child, address) {
    this.child = child;
    this.address = address;
    servers.add(this);
  }

  get port() {
    return Number(new URL(this.address).port);
  }

  async stop() {
    servers.delete(this);
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const gone = once(this.child, "exit");
    this.child.kill("SIGKILL");
    await gone;
  }
}

/**
 * Starts `ringleader view` and waits for its address. A steady one can be stopped and started again at the same port: it is below those
 * that the system hands out, so nobody else gets it meanwhile.
 */
export async function startServer({ steady = false, port = 0, args = [] } = {}) {
  for (let tries = steady ? 20 : 1; tries > 0; tries--) {
    const server = await tryToStart(steady ? randomInt(16_384, 32_768) : port, args);
    if (server) return server;
  }
  throw new Error("ringleader view ended before it told its address");
}

/** Null if it ends instead, since the port is taken. */
async function tryToStart(port, args) {
  const child = begin(["view", "--port", String(port), "--no-open", ...args]);
  child.stdout.setEncoding("utf8");
  let told = "";
  for await (const text of child.stdout.iterator({ destroyOnReturn: false })) {
    told += text;
    const address = /http:\/\/\S+\//.exec(told)?.[0];
    if (address) {
      // What else it says must not fill the pipe.
      child.stdout.resume();
      return new Server(child, address);
    }
  }
  return null;
}

// --- What all tests of a file share ------------------------------------------------------------------------------

const lazily = (make) => {
  let made = null;
  return { get: () => (made ??= make()), made: () => made };
};
const sharedServer = lazily(() => startServer());
const browser = lazily(() => {
  const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
  return chromium.launch({ executablePath, args: ARGS, timeout: PATIENCE_MS });
});

/** The one browser of this process. */
export const launched = () => browser.get();

/** A process does not end while a server of its own runs, so those that a test left go too. */
export async function closeAll() {
  await (await browser.made())?.close();
  await Promise.all([...servers].map((server) => server.stop()));
}

// Said with the first test, since the pictures of the README use the harness too and are no tests.
const closing = lazily(() => after(closeAll) ?? true);

// --- The watch ---------------------------------------------------------------------------------------------------

/** Collects what no page should do. */
export class Watch {
  problems = [];
  #expected = [];

  constructor(context, address) {
    const note = (text) => this.problems.push(text);
    context.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) note(`console: ${message.text()}`);
    });
    context.on("weberror", (error) => note(`error: ${error.error().stack}`));
    context.on("request", (request) => {
      if (!isOwn(request.url(), address)) note(`foreign: ${request.url()}`);
    });
    context.on("requestfailed", (request) => {
      const why = request.failure()?.errorText;
      // The page never breaks off a request; leaving or reloading it does, and downloads leave it too.
      if (why !== "net::ERR_ABORTED") note(`failed: ${request.url()} ${why}`);
    });
    context.on("response", (response) => {
      if (response.status() >= 400) note(`refused: ${response.status()} ${response.url()}`);
    });
  }

  /** Problems that a test provokes; they must come, and they alone may. */
  expect(...patterns) {
    this.#expected.push(...patterns);
  }

  /** The browser may tell of a problem later than the page does, so those that must come are waited for. */
  async check() {
    const missing = () => this.#expected.filter((pattern) => !this.problems.some((problem) => pattern.test(problem)));
    for (const end = Date.now() + PATIENCE_MS; missing().length > 0 && Date.now() < end; ) await setTimeout(10);
    assert.deepEqual(missing(), [], "expected problems that did not come");
    const surprises = this.problems.filter((problem) => !this.#expected.some((pattern) => pattern.test(problem)));
    assert.deepEqual(surprises, []);
  }
}

/** A refused description: the answer, and what browsers write to the console about it. */
export const REFUSED = [/^refused: 400 /, /^console: .*status of 400/];
/** A run that the server has forgotten. */
export const FORGOTTEN = [/^refused: 404 .*\/api\/runs\//, /^console: .*status of 404/];
/** A server that is gone. */
export const LOST = [/^failed: .*ERR_(CONNECTION_REFUSED|CONNECTION_RESET|EMPTY_RESPONSE)/, /^console: .*net::ERR_/];

function isOwn(url, address) {
  const { protocol, origin } = new URL(url);
  return protocol === "data:" || origin === new URL(address).origin;
}

// --- Tests -------------------------------------------------------------------------------------------------------

/** A page of its own in a context of its own. */
export async function openLab(server, options = {}) {
  const context = await (await launched()).newContext({ viewport: { width: 1400, height: 900 }, ...options });
  await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: new URL(server.address).origin });
  const watch = new Watch(context, server.address);
  const lab = new Lab(await context.newPage(), server.address);
  return { context, watch, lab, page: lab.page, server };
}

/**
 * A test with a page. `at` is the fragment to open (null: the test opens by itself), `browser` are options of the
 * context, `server` starts a laboratory for this test alone, and `provokes` are the problems that it causes on purpose.
 */
export function law(name, { at = "", browser: options = {}, server: own = null, provokes = [] }, body) {
  closing.get();
  test(name, async (t) => {
    const server = own ? await startServer(own) : await sharedServer.get();
    const opened = await openLab(server, options);
    opened.watch.expect(...provokes);
    try {
      if (at !== null) await opened.lab.open(at);
      await body({ ...opened, t });
      await opened.watch.check();
    } catch (error) {
      // Whoever waited in vain wants to know what the browser complained about meanwhile.
      opened.watch.problems.forEach((problem) => t.diagnostic(problem));
      throw error;
    } finally {
      await opened.context.close();
      if (own) await server.stop();
    }
  });
}
