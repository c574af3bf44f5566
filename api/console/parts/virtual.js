// @ts-check
/** A list of any length of which only the visible rows are in the page. Rows may differ in height: they are measured when drawn. */
import { html, useCallback, useEffect, useLayoutEffect, useRef, useState } from "../vendor/preact.js";

/** Pixels that are drawn above and below the visible part. */
const MARGIN = 400;

/**
 * @param {{items: any[], keyOf: (item: any, index: number) => string|number, draw: (item: any, index: number) => any, estimate?: number,
 *   label: string, className?: string, follow?: boolean, role?: string, onEnd?: () => void}} props `follow`: stays at the end as long as the person is at the end;
 *   `role`: as `rowgroup`, it is a part of a table, and what is drawn for an item is its row
 */
export function Virtual({ items, keyOf, draw, estimate = 60, label, className = "", follow = false, role = "list", onEnd }) {
  const scroller = useRef(/** @type {HTMLElement|null} */ (null));
  const heights = useRef(/** @type {Map<string|number, number>} */ (new Map()));
  const atEnd = useRef(follow);
  const [, redraw] = useState(0);
  const [view, setView] = useState({ top: 0, height: 800 });
  const latest = useRef({ items, keyOf, onEnd });
  latest.current = { items, keyOf, onEnd };
  const look = useCallback(() => {
    const it = scroller.current;
    if (!it) return;
    const left = it.scrollHeight - it.scrollTop - it.clientHeight;
    atEnd.current = left < 60;
    if (left < MARGIN) latest.current.onEnd?.();
    setView((/** @type {any} */ before) => (before.top === it.scrollTop && before.height === it.clientHeight ? before : { top: it.scrollTop, height: it.clientHeight }));
  }, []);
  // Observers report heights after the page was laid out anyway; measuring while drawing would lay out everything twice.
  const rows = useRef(/** @type {ResizeObserver|null} */ (null));
  rows.current ??= new ResizeObserver((entries) => {
    let changed = false;
    for (const { target, borderBoxSize } of entries) changed = take(/** @type {HTMLElement} */ (target), borderBoxSize[0].blockSize) || changed;
    if (changed) redraw((/** @type {number} */ n) => n + 1);
  });
  useEffect(() => {
    const seen = new ResizeObserver(() => {
      if (follow && atEnd.current && scroller.current) scroller.current.scrollTop = scroller.current.scrollHeight;
      look();
    });
    if (scroller.current) seen.observe(scroller.current);
    if (scroller.current?.firstElementChild) seen.observe(scroller.current.firstElementChild);
    return () => seen.disconnect();
  }, [follow]);
  useEffect(() => () => rows.current?.disconnect(), []);

  let top = 0;
  let first = -1;
  let before = 0;
  let last = items.length;
  for (let at = 0; at < items.length; at += 1) {
    const height = heights.current.get(keyOf(items[at], at)) ?? estimate;
    if (first < 0 && top + height >= view.top - MARGIN) { first = at; before = top; }
    if (last === items.length && top > view.top + view.height + MARGIN) last = at;
    top += height;
  }
  if (first < 0) first = items.length;
  const shown = items.slice(first, last);

  useLayoutEffect(() => {
    for (const row of /** @type {any[]} */ ([...(scroller.current?.firstElementChild?.children ?? [])])) {
      if (row.isWatched) continue;
      row.isWatched = true;
      rows.current?.observe(row);
    }
  });

  /** Notes the height of a row, and returns whether it has changed. @param {HTMLElement} row @param {number} height */
  function take(row, height) {
    const { items: all, keyOf: name } = latest.current;
    const at = Number(row.dataset.row);
    if (!height || !row.isConnected || at >= all.length) return false;
    const key = name(all[at], at);
    if (heights.current.get(key) === height) return false;
    heights.current.set(key, height);
    return true;
  }

  const isTable = role === "rowgroup";
  return html`<div class=${`virtual ${className}`} ref=${scroller} onScroll=${look} tabIndex=${0} aria-label=${label} role=${isTable ? role : "group"}>
    <div style=${{ height: `${top}px`, position: "relative" }} role=${isTable ? "presentation" : role} aria-label=${isTable ? undefined : label}>
      ${shown.map((/** @type {any} */ item, /** @type {number} */ offset) => html`
        <div key=${keyOf(item, first + offset)} data-row=${first + offset} role=${role === "list" ? "listitem" : isTable ? "presentation" : undefined}
          class="virtual-row" style=${{ position: "absolute", left: 0, right: 0, transform: `translateY(${before + sum(offset)}px)` }}>${draw(item, first + offset)}</div>`)}
    </div>
  </div>`;

  /** @param {number} count of the rows drawn before this one */
  function sum(count) {
    let height = 0;
    for (let at = first; at < first + count; at += 1) height += heights.current.get(keyOf(items[at], at)) ?? estimate;
    return height;
  }
}
