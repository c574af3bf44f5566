// @ts-check
// Plays the log: event after event, with the original pauses between them, but never longer than a limit.

import { useEffect, useRef, useState } from "../vendor/preact.js";

/** The longest and the shortest pause between events, in milliseconds: no night is waited for, and each event is seen. */
const LONGEST = 700;
const SHORTEST = 40;

/**
 * @param {{events: any[], count: (version: number) => number}} timeline @param {number | null} at @param {(at: number | null) => void} onAt
 */
export function usePlay(timeline, at, onAt) {
  const [isPlaying, setPlaying] = useState(false);
  const [speed, setSpeed] = useState(1);
  const ask = useRef(onAt);
  ask.current = onAt;
  useEffect(() => {
    if (!isPlaying) return;
    if (at === null) {
      setPlaying(false); // The present is reached, or was asked for.
      return;
    }
    const place = timeline.count(at);
    const [now, next] = [timeline.events[place - 1], timeline.events[place]];
    if (!next) {
      ask.current(null);
      return;
    }
    const apart = now ? +new Date(next.ts) - +new Date(now.ts) : 0;
    const timer = setTimeout(() => ask.current(place + 1 >= timeline.events.length ? null : next.version), Math.min(LONGEST, Math.max(SHORTEST, apart)) / speed);
    return () => clearTimeout(timer);
  }, [isPlaying, at, speed, timeline]);
  const play = () => {
    if (!isPlaying && (at === null || at >= (timeline.events.at(-1)?.version ?? 0))) onAt(timeline.events[0]?.version ?? null);
    setPlaying(!isPlaying);
  };
  return { isPlaying, play, stop: () => setPlaying(false), speed, setSpeed };
}
