// @ts-check
// The hooks that the inspector needs, and one of its own.

import { useEffect, useState } from "../vendor/preact.js";

export { html, useEffect, useMemo, useRef, useState } from "../vendor/preact.js";

/** Somebody who goes through the log by dragging sees many events a second; what takes long to draw waits until one stays. */
const STAY_MS = 80;

/** A value once it stayed for a moment; the first one at once. @template T @param {T} value @returns {T} */
export function useSettled(value) {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    if (value === settled) return;
    const timer = setTimeout(() => setSettled(() => value), STAY_MS);
    return () => clearTimeout(timer);
  }, [value, settled]);
  return settled;
}

/** Typing is not held up by what follows from it. */
const PAUSE_MS = 120;

/** A text a moment after it stopped changing. @param {string} text */
export function useDeferred(text) {
  const [late, setLate] = useState(text);
  useEffect(() => {
    if (text === late) return;
    const timer = setTimeout(() => setLate(text), text ? PAUSE_MS : 0);
    return () => clearTimeout(timer);
  }, [text, late]);
  return late;
}
