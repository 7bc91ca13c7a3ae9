// The requests that the server answers, one function each. A refusal carries the server's own words; a server that
// does not answer is another matter and is told apart.

/** @typedef {import("./types").Description} Description */

/** The server said no. */
export class Refused extends Error {
  /** @param {number} status @param {string} message */
  constructor(status, message) {
    super(message);
    this.status = status;
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
  throw new Refused(response.status, await reason(response));
}

/** @param {Response} response */
async function reason(response) {
  const text = await response.text();
  try {
    return String(JSON.parse(text).error);
  } catch {
    return text || `the server answered ${response.status}`;
  }
}

/** @param {string} path @param {RequestInit} [options] */
const json = async (path, options) => (await request(path, options)).json();

/** The case is put in to the letter, since parsing would round seeds beyond 2^53. @param {Description} description */
function body(description) {
  const { case: file, ...rest } = description;
  return `${JSON.stringify(rest).slice(0, -1)},"case":${file?.text ?? "null"}}`;
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

/** @param {string} id @param {number} step @returns {Promise<Record<string, any>>} */
export const facts = (id, step) => json(`api/runs/${id}/facts?step=${step}`);

/** @param {string} id @param {"case" | "config"} what @param {number} step */
export const download = async (id, what, step) => (await request(`api/runs/${id}/${what}?step=${step}`)).text();
