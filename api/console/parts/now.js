// @ts-check
/** The current time, for views that count. */
import { useEffect, useState } from "../vendor/preact.js";

const SECOND_MS = 1000;

/**
 * The time in milliseconds since 1970, updated regularly while `counts` is set.
 * @param {unknown} counts
 * @param {number} [everyMs]
 */
export function useNow(counts, everyMs = SECOND_MS) {
  const [now, setNow] = useState(Date.now());
  const on = Boolean(counts);
  useEffect(() => {
    if (!on) return undefined;
    setNow(Date.now());
    const tick = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(tick);
  }, [on, everyMs]);
  return now;
}
