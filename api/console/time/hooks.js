// @ts-check
// The hooks that the inspector needs, and one of its own.

import { useEffect, useState } from "../vendor/preact.js";

export { html, useEffect, useMemo, useRef, useState } from "../vendor/preact.js";

/** Dragging through the log passes many events a second; slow views wait until an event stays for this time, in milliseconds. */
const STAY_MS = 80;

/** The value, delayed until it has not changed for a moment; the first value comes at once. @template T @param {T} value @returns {T} */
export function useSettled(value) {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    if (value === settled) return;
    const timer = setTimeout(() => setSettled(() => value), STAY_MS);
    return () => clearTimeout(timer);
  }, [value, settled]);
  return settled;
}

/** Milliseconds after typing before slow work starts, so that typing is not slowed down. */
const PAUSE_MS = 120;

/** The text, delayed until a moment after it stopped changing. @param {string} text */
export function useDeferred(text) {
  const [late, setLate] = useState(text);
  useEffect(() => {
    if (text === late) return;
    const timer = setTimeout(() => setLate(text), text ? PAUSE_MS : 0);
    return () => clearTimeout(timer);
  }, [text, late]);
  return late;
}
