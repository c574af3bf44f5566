// @ts-check
/** The time, for what counts while somebody looks. */
import { useEffect, useState } from "../vendor/preact.js";

const SECOND_MS = 1000;

/**
 * The time in milliseconds since 1970, told again and again while something counts.
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
