// @ts-check
/** What was typed stays until it is sent, whatever happens to the page. */
import { useCallback, useEffect, useRef, useState } from "../vendor/preact.js";

const PREFIX = "palimpsest.draft.";

/** @param {string} place @param {any} otherwise */
function read(place, otherwise) {
  try {
    const kept = sessionStorage.getItem(PREFIX + place);
    return kept === null ? otherwise : JSON.parse(kept);
  } catch {
    return otherwise;
  }
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
  const set = useCallback((/** @type {any} */ next) => {
    setValue((/** @type {any} */ before) => {
      const now = typeof next === "function" ? next(before) : next;
      try { sessionStorage.setItem(PREFIX + place, JSON.stringify(now)); } catch { /* Full or forbidden: the page still has it. */ }
      return now;
    });
  }, [place]);
  const clear = useCallback(() => {
    try { sessionStorage.removeItem(PREFIX + place); } catch { /* Nothing was kept. */ }
    setValue(first.current);
  }, [place]);
  return [value, set, clear];
}
