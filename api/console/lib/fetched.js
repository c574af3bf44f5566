// @ts-check
/** Reads addresses of the server for parts of a page, and reads them again when something is changed here. */
import { signal, useCallback, useEffect, useState } from "../vendor/preact.js";
import { get } from "./api.js";

/** Counts the changes made on this page: everything that is shown is read again after each. */
const changes = signal(0);

/** Notes a change, so that all parts of the page read their data again. */
export function touched() {
  changes.value += 1;
}

/**
 * The answer of an address; what was read before stays until the next answer is there.
 * @param {string|null} path nothing is read while there is none
 * @param {number} [everyMs] how often it is read again while the page is visible; 0 for never
 * @returns {{value: any, failure: any, again: () => void}}
 */
export function useFetched(path, everyMs = 0) {
  const [state, setState] = useState({ path: /** @type {string|null} */ (null), value: /** @type {any} */ (undefined), failure: /** @type {any} */ (null) });
  const [times, setTimes] = useState(0);
  const again = useCallback(() => setTimes((/** @type {number} */ n) => n + 1), []);
  useEffect(() => {
    if (!path) return undefined;
    const stop = new AbortController();
    get(path, stop.signal).then(
      (value) => { if (!stop.signal.aborted) setState({ path, value, failure: null }); },
      (failure) => { if (!stop.signal.aborted) setState((/** @type {any} */ before) => ({ path, value: before.path === path ? before.value : undefined, failure })); },
    );
    return () => stop.abort();
  }, [path, times, changes.value]);
  useEffect(() => {
    if (!everyMs || !path) return undefined;
    const tick = setInterval(() => { if (!document.hidden) again(); }, everyMs);
    return () => clearInterval(tick);
  }, [everyMs, path]);
  const isThis = state.path === path;
  return { value: isThis ? state.value : undefined, failure: isThis ? state.failure : null, again };
}
