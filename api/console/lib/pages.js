// @ts-check
/** The events of a session so far, in pages. A page is parsed at once, which is faster than a message of the socket for each event. */
import { request } from "./api.js";

/** Events of a page: the most that the server gives at once. */
const EVENTS = 1000;

/** @typedef {{events: any[], cursor: string, next: Promise<Page>|null}} Page */
/** @typedef {{session: string, first: Promise<Page>, stop: AbortController}} Pages */

/** The pages that are being read ahead. @type {Pages|null} */
let ahead = null;

/**
 * The page at an address. The next one is requested as soon as this one begins to arrive.
 * @param {string} address @param {AbortSignal} [signal] @returns {Promise<Page>}
 */
async function page(address, signal) {
  const response = await request(address, { signal });
  const link = response.headers.get("link")?.match(/^<([^>]*)>; rel="next"$/)?.[1];
  const next = link ? page(new URL(link, response.url).href, signal) : null;
  next?.catch(() => {}); // Whoever takes the pages comes to it.
  const { events, cursor } = await response.json();
  return { events, cursor, next };
}

/** @param {string} session @param {"lean"|"native"} wire @param {AbortSignal} [signal] */
const firstOf = (session, wire, signal) => page(`/v1/sessions/${encodeURIComponent(session)}/events?wire=${wire}&limit=${EVENTS}`, signal);

/** Starts reading a session. Bodies of artifacts are left out, and fetched when they are shown. @param {string} session @returns {Pages} */
function begun(session) {
  const stop = new AbortController();
  const first = firstOf(session, "lean", stop.signal);
  first.catch(() => {}); // As above.
  return { session, first, stop };
}

/** All events of a session, with the bodies of artifacts. @param {string} session @returns {Promise<Page>} */
export function wholeLog(session) {
  return firstOf(session, "native");
}

/** Begins to read a session that will be opened. @param {string} session */
export function readAhead(session) {
  ahead = begun(session);
}

/** The pages of a session, and a controller that stops reading them. @param {string} session @returns {Pages} */
export function pagesOf(session) {
  const known = ahead;
  ahead = null;
  if (known?.session === session) return known;
  known?.stop.abort();
  return begun(session);
}
