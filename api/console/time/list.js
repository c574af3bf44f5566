// @ts-check
// A list of rows of the same height. Only the visible ones are in the page, so that ten thousand rows are as fast as ten.

import { html, useCallback, useEffect, useLayoutEffect, useRef, useState } from "../vendor/preact.js";

/** Elements that rows share in turn, so that scrolling far only rewrites existing elements. More than the tallest screen shows. */
const SLOTS = 256;

/** Rows that are drawn above and below the ones in sight. */
const BEYOND = 12;

/**
 * @param {{count: number, height: number, at: number, label: string, idOf: (n: number) => string, draw: (n: number) => any, onAt: (n: number) => void, follow?: boolean}} props
 *   `at`: the row that is chosen, or -1. `follow`: the end stays in sight while it is.
 */
export function RowList({ count, height, at, label, idOf, draw, onAt, follow }) {
  const box = useRef(/** @type {HTMLDivElement | null} */ (null));
  const [seen, setSeen] = useState({ from: 0, to: 40 });
  // Position and height of the box are kept, since reading them would make the browser lay out the page at every step.
  const known = useRef({ top: 0, height: 300 });
  const look = useCallback(() => {
    const from = Math.max(0, Math.floor(known.current.top / height) - BEYOND);
    const to = Math.ceil((known.current.top + known.current.height) / height) + BEYOND;
    setSeen((/** @type {any} */ before) => (before.from === from && before.to === to ? before : { from, to }));
  }, [height]);
  const scrolled = useCallback(() => {
    known.current.top = box.current?.scrollTop ?? 0;
    look();
  }, [look]);
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const observer = new ResizeObserver(([entry]) => { known.current.height = entry.contentRect.height; look(); });
    observer.observe(element);
    return () => observer.disconnect();
  }, [look]);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element || at < 0) return;
    const { top, height: room } = known.current;
    const [first, last] = [at * height, (at + 1) * height];
    let wanted = top;
    if (follow && at === count - 1) wanted = last - room;
    else if (first < top || last > top + room) wanted = first - room / 2;
    wanted = Math.max(0, Math.min(wanted, count * height - room));
    if (wanted !== top) {
      known.current.top = wanted;
      element.scrollTop = wanted;
    }
    look();
  }, [at, count, follow, look]);
  /** @param {KeyboardEvent} event */
  const press = (event) => {
    const page = Math.max(1, Math.floor(known.current.height / height) - 1);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + page, PageUp: at - page, Home: 0, End: count - 1 }[event.key];
    if (to === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    onAt(Math.min(count - 1, Math.max(0, to)));
  };
  const rows = [];
  for (let n = seen.from; n < Math.min(count, seen.to); n += 1) {
    rows.push(html`<div key=${n % SLOTS} id=${idOf(n)} class="rows-row" role="option" aria-selected=${n === at ? "true" : "false"} aria-setsize=${count} aria-posinset=${n + 1}
      style=${{ height: `${height}px`, transform: `translateY(${n * height}px)` }} onClick=${() => onAt(n)}>${draw(n)}</div>`);
  }
  const isDrawn = at >= seen.from && at < Math.min(count, seen.to);
  return html`<div class="rows" ref=${box} role="listbox" tabIndex="0" aria-label=${label} aria-activedescendant=${isDrawn ? idOf(at) : undefined} onScroll=${scrolled} onKeyDown=${press}>
    <div class="rows-all" role="presentation" style=${{ height: `${count * height}px` }}>${rows}</div></div>`;
}
