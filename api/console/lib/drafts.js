// @ts-check
/** Keeps what was typed until it is sent, also if the page is left or loaded again. */
import { useCallback, useEffect, useRef, useState } from "../vendor/preact.js";
import { inTab } from "./kept.js";

const PREFIX = "palimpsest.draft.";

/** @param {string} place @param {any} otherwise */
function read(place, otherwise) {
  const kept = inTab.get(PREFIX + place);
  if (kept === null) return otherwise;
  try {
    return JSON.parse(kept);
  } catch {
    return otherwise;
  }
}

/** Callbacks for the parts of the page that show a draft, called when another part changes it. @type {Map<string, Set<() => void>>} */
const shown = new Map();

/** The draft of a place, if there is one. @param {string} place @returns {any} */
export const kept = (place) => read(place, null);

/** Adds words to a text that is being written. @param {string} place @param {string} words */
export function append(place, words) {
  const before = String(read(place, "") ?? "").trimEnd();
  put(place, before ? `${before}\n\n${words}` : words);
}

/** Makes something the draft of a place. @param {string} place @param {any} value */
export function put(place, value) {
  inTab.set(PREFIX + place, JSON.stringify(value));
  for (const again of shown.get(place) ?? []) again();
}

/** Deletes every draft whose place begins with this. @param {string} place */
export function forget(place) {
  for (const name of inTab.names()) if (name.startsWith(PREFIX + place)) inTab.forget(name);
}

/**
 * A value that is kept by its place until it is cleared.
 * @template T @param {string} place @param {T} initial
 * @returns {[T, (value: T | ((before: T) => T)) => void, () => void]} the value, how it is set, how it is cleared
 */
export function useDraft(place, initial) {
  const first = useRef(initial);
  const [value, setValue] = useState(() => read(place, initial));
  const at = useRef(place);
  useEffect(() => {
    if (at.current === place) return;
    at.current = place;
    setValue(read(place, first.current));
  }, [place]);
  useEffect(() => {
    const again = () => setValue(read(place, first.current));
    const all = shown.get(place) ?? new Set();
    shown.set(place, all.add(again));
    return () => { all.delete(again); if (!all.size) shown.delete(place); };
  }, [place]);
  const set = useCallback((/** @type {any} */ next) => {
    setValue((/** @type {any} */ before) => {
      const now = typeof next === "function" ? next(before) : next;
      inTab.set(PREFIX + place, JSON.stringify(now));
      return now;
    });
  }, [place]);
  const clear = useCallback(() => {
    inTab.forget(PREFIX + place);
    setValue(first.current);
  }, [place]);
  return [value, set, clear];
}
