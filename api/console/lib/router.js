// @ts-check
/** The part of the console that is shown, kept in the address: `#/s/<session>?at=12&artifact=…`. */
import { signal } from "../vendor/preact.js";

/** @typedef {{path: string[], query: Record<string, string>}} Route */

/** @param {string} hash @returns {Route} */
export function parse(hash) {
  const [path, query] = hash.replace(/^#\/?/, "").split("?");
  return {
    path: path.split("/").filter(Boolean).map((part) => { try { return decodeURIComponent(part); } catch { return part; } }),
    query: Object.fromEntries(new URLSearchParams(query ?? "")),
  };
}

export const route = signal(parse(location.hash));

/** The address as it was last read or written. */
let known = location.hash;
/** The next address, until it is written. @type {string|null} */
let unwritten = null;
/** @type {ReturnType<typeof setTimeout>|undefined} */
let timer;

/** Browsers allow only some hundred changes of an address a minute; a slider would cause more. */
const WRITE_MS = 250;

function write() {
  clearTimeout(timer);
  // The person may have opened another address, whose event has not come yet.
  if (unwritten !== null && location.hash === known) history.replaceState(null, "", unwritten);
  unwritten = null;
  known = location.hash;
}

addEventListener("hashchange", () => {
  clearTimeout(timer);
  unwritten = null;
  known = location.hash;
  route.value = parse(location.hash);
});
addEventListener("pagehide", write);

/** @param {string[]} path @param {Record<string, any>} [query] */
export function address(path, query = {}) {
  const told = Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== "");
  const search = new URLSearchParams(told.map(([name, value]) => [name, String(value)])).toString();
  return `#/${path.map(encodeURIComponent).join("/")}${search ? `?${search}` : ""}`;
}

/** @param {string[]} path @param {Record<string, any>} [query] */
export function go(path, query) {
  write();
  location.hash = address(path, query);
}

/** Changes parameters after the `?`, without another entry in the browser's history. @param {Record<string, any>} changes */
export function turn(changes) {
  const next = address(route.value.path, { ...route.value.query, ...changes });
  if (next === (unwritten ?? location.hash)) return;
  unwritten = next;
  route.value = parse(next);
  clearTimeout(timer);
  timer = setTimeout(write, WRITE_MS);
}
