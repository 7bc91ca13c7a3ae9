// The requests that the server answers, one function each. A refusal carries the server's own words; a server that
// does not answer is another matter and is told apart.

/** @typedef {import("./types").Description} Description */

/** The server said no; of a text it says what is wrong with it and where. */
export class Refused extends Error {
  /** @param {number} status @param {string} message @param {import("./types").Problem[]} [problems] */
  constructor(status, message, problems = []) {
    super(message);
    this.status = status;
    this.problems = problems;
  }
}

/** The server did not answer. */
export class Lost extends Error {}

/** @param {string} path @param {RequestInit} [options] */
async function request(path, options) {
  let response;
  try {
    response = await fetch(path, options);
  } catch {
    throw new Lost("the server is not responding");
  }
  if (response.ok) return response;
  if (response.status >= 502) throw new Lost("a gateway cannot reach the server");
  throw await refusal(response);
}

/** @param {Response} response */
async function refusal(response) {
  const { status } = response;
  const text = await response.text();
  try {
    const { error, problems } = JSON.parse(text);
    return new Refused(status, String(error), problems);
  } catch {
    return new Refused(status, text || `the server answered ${status}`);
  }
}

/** @param {string} path @param {RequestInit} [options] */
const json = async (path, options) => (await request(path, options)).json();

/** The case is put in to the letter, since parsing would round seeds beyond 2^53. @param {Description} description */
function body(description) {
  const { case: file, text, ...rest } = description;
  return `${JSON.stringify({ ...rest, text: text?.text ?? null }).slice(0, -1)},"case":${file?.text ?? "null"}}`;
}

/** @param {string} method @param {Description} description */
const sending = (method, description) => ({ method, headers: { "content-type": "application/json" }, body: body(description) });

/** @param {Record<string, string | number | undefined>} fields */
function query(fields) {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return given.map(([key, value]) => `${key}=${encodeURIComponent(String(value))}`).join("&");
}

/** @returns {Promise<import("./types").Catalogue>} */
export const protocols = () => json("api/protocols");

/** What the command line asked for. @returns {Promise<Record<string, any>>} */
export const opening = () => json("api/opening");

/** @param {Description} description @returns {Promise<import("./types").Run>} */
export const post = (description) => json("api/runs", sending("POST", description));

/** @param {string} id @param {Description} description @returns {Promise<import("./types").Run>} */
export const put = (id, description) => json(`api/runs/${id}`, sending("PUT", description));

/**
 * @param {string} id
 * @param {{ from: number, steps?: number, ms?: number, until?: string, hash?: number }} wish
 * @returns {Promise<import("./types").Frame>}
 */
export const frame = (id, wish) => json(`api/runs/${id}/frame?${query(wish)}`);

/** @param {string} id @returns {Promise<import("./types").History>} */
export const history = (id) => json(`api/runs/${id}/history`);

/**
 * @param {string} id
 * @param {{ variable: string, from: number, to: number, rows: number }} wish
 * @returns {Promise<import("./types").SpaceTime>}
 */
export const spacetime = (id, wish) => json(`api/runs/${id}/spacetime?${query(wish)}`);

/** @param {string} id @param {{ step: number, ms: number }} wish @returns {Promise<import("./types").Counts>} */
export const lines = (id, wish) => json(`api/runs/${id}/lines?${query(wish)}`);

/** @param {string} id @param {number} step @returns {Promise<Record<string, any>>} */
export const facts = (id, step) => json(`api/runs/${id}/facts?step=${step}`);

/** @param {string} id @param {"case" | "config"} what @param {number} step */
export const download = async (id, what, step) => (await request(`api/runs/${id}/${what}?step=${step}`)).text();
