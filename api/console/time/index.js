// @ts-check
// The time bar: the whole log as a slider. The present is its right end; anywhere else the session is shown as it was.

import { html, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "../vendor/preact.js";
import { t } from "../lib/i18n.js";
import { Icon } from "../canvas/icons.js";
import { clockOf, describe, typeName } from "./describe.js";
import { marksOf, nextMark, shareOf, thinned } from "./marks.js";
import { usePlay } from "./play.js";

/** The width of a sign, in pixels. */
const SIGN_PX = 7;

/** Events by which the keys PageUp and PageDown move. */
const PAGE = 20;

const SPEEDS = [1, 4, 16];

/** Milliseconds between two versions that are drawn while the slider is dragged. */
const REST_MS = 50;

/** @param {{timeline: any, head: number, at: number | null, onAt: (at: number | null) => void}} props */
export function TimeBar({ timeline, head, at, onAt }) {
  const version = Math.min(at ?? head, head);
  const known = marksOf(timeline);
  const go = useCallback((/** @type {number} */ to) => onAt(to >= head ? null : Math.max(1, Math.round(to))), [head, onAt]);
  const { isPlaying, play, stop, speed, setSpeed } = usePlay(timeline, at, onAt);
  const move = (/** @type {number} */ to) => { stop(); go(to); };
  const jump = (/** @type {number} */ by) => move(nextMark(known.marks, version, by) ?? (by > 0 ? head : 1));
  const event = timeline.event(version);
  if (!head) return null;
  return html`<section class="time-bar" aria-label=${t("time.bar")} data-past=${at === null ? undefined : ""}>
    <div class="time-buttons">
      <${Button} icon="first" label=${t("time.previous_mark")} disabled=${version <= 1} onClick=${() => jump(-1)} />
      <${Button} icon="left" label=${t("time.previous")} disabled=${version <= 1} onClick=${() => move(version - 1)} />
      <${Button} icon=${isPlaying ? "pause" : "play"} label=${t(isPlaying ? "time.pause" : "time.play")} onClick=${play} />
      <${Button} icon="right" label=${t("time.next")} disabled=${at === null} onClick=${() => move(version + 1)} />
      <${Button} icon="last" label=${t("time.next_mark")} disabled=${at === null} onClick=${() => jump(1)} />
      <label class="time-speed"><span class="sr-only">${t("time.speed")}</span>
        <select value=${String(speed)} onChange=${(/** @type {any} */ it) => setSpeed(Number(it.currentTarget.value))}>${SPEEDS.map((it) => html`<option key=${it} value=${String(it)}>${it}×</option>`)}</select></label>
    </div>
    <${Track} timeline=${timeline} head=${head} version=${version} known=${known} onTo=${move} onJump=${jump} />
    <div class="time-now">
      <span class="time-version number" style=${{ minWidth: `${2 * String(head).length + 2}ch` }}>${version} <span class="quiet-text">/ ${head}</span></span>
      <span class="time-event ellipsis" title=${event ? describe(event, timeline) : ""}>${event ? `${clockOf(event.ts)} · ${typeName(event.type)}` : ""}</span>
      <button type="button" class=${at === null ? "button small time-live is-live" : "button small primary time-live"} aria-pressed=${at === null ? "true" : "false"} onClick=${() => { stop(); onAt(null); }}>
        ${["time.live", "time.to_live"].map((it) => html`<span key=${it} aria-hidden=${it === (at === null ? "time.live" : "time.to_live") ? undefined : "true"}><${Icon} name="live" size=${14} />${t(it)}</span>`)}</button>
    </div>
  </section>`;
}

/** @param {{icon: string, label: string, disabled?: boolean, onClick: () => void}} props */
function Button({ icon, label, disabled, onClick }) {
  return html`<button type="button" class="button small icon quiet" disabled=${disabled} aria-label=${label} title=${label} onClick=${onClick}><${Icon} name=${icon} /></button>`;
}

/** @param {{timeline: any, head: number, version: number, known: any, onTo: (to: number) => void, onJump: (by: number) => void}} props */
function Track({ timeline, head, version: seen, known, onTo, onJump }) {
  const track = useRef(/** @type {HTMLDivElement | null} */ (null));
  const [width, setWidth] = useState(600);
  const [pointed, setPointed] = useState(/** @type {number | null} */ (null));
  const [held, setHeld] = useState(/** @type {number | null} */ (null));
  // The thumb follows the pointer at once; the session at that version is drawn later.
  const version = held ?? seen;
  useLayoutEffect(() => {
    const element = track.current;
    if (!element) return;
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  // Moving through time only moves the thumb; the signs on the bar are drawn again only when the log grows.
  const signs = useMemo(() => html`<div class="time-signs" aria-hidden="true">${thinned(known.marks, head, Math.max(20, Math.floor(width / SIGN_PX)))
    .map((it) => html`<i key=${it.version} data-sign=${it.sign} style=${{ left: `${it.at * 100}%` }}></i>`)}</div>`, [known, known.count, head, width]);
  const runs = useMemo(() => html`<div class="time-runs" aria-hidden="true">${known.runs.map((/** @type {any} */ it) => html`<${Run} key=${it.run} stretch=${it} head=${head} width=${width} />`)}</div>`, [known, known.count, head, width]);
  const drag = useDrag(track, head, onTo, setHeld, setPointed);
  /** @param {KeyboardEvent} event */
  const press = (event) => {
    const act = { ArrowRight: () => (event.shiftKey ? onJump(1) : onTo(version + 1)), ArrowLeft: () => (event.shiftKey ? onJump(-1) : onTo(version - 1)),
      ArrowUp: () => onTo(version + 1), ArrowDown: () => onTo(version - 1), PageUp: () => onTo(version + PAGE), PageDown: () => onTo(version - PAGE),
      Home: () => onTo(1), End: () => onTo(head) }[event.key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act();
  };
  const share = shareOf(version, head);
  const event = timeline.event(version);
  const told = pointed === null ? null : timeline.event(pointed);
  return html`<div class="time-track" ref=${track} role="slider" tabIndex="0" aria-label=${t("time.slider")} aria-valuemin="1" aria-valuemax=${head} aria-valuenow=${version}
      aria-valuetext=${event ? t("time.at_event", { n: version, of: head, what: typeName(event.type) }) : String(version)} aria-orientation="horizontal" onKeyDown=${press} ...${drag}>
    ${runs}
    <div class="time-line" aria-hidden="true"><div class="time-done" style=${{ transform: `scaleX(${share})` }}></div></div>
    ${signs}
    <div class="time-after" aria-hidden="true" style=${{ left: `${share * 100}%` }}></div>
    <div class="time-thumb" aria-hidden="true" style=${{ left: `${share * 100}%` }}></div>
    ${told && html`<div class="time-tip" aria-hidden="true" style=${{ left: `${Math.min(0.98, Math.max(0.02, shareOf(told.version, head))) * 100}%` }} data-side=${shareOf(told.version, head) > 0.5 ? "left" : "right"}>
      <strong class="number">${told.version}</strong> <span class="number quiet-text">${clockOf(told.ts)}</span> ${typeName(told.type)}<br /><span class="time-tip-line">${describe(told, timeline)}</span></div>`}
  </div>`;
}

/** @param {{stretch: import("./marks.js").Stretch, head: number, width: number}} props */
function Run({ stretch, head, width }) {
  const [from, to] = [shareOf(stretch.from, head), shareOf(stretch.to ?? head, head)];
  return html`<span class="time-run" data-outcome=${stretch.outcome} style=${{ left: `${from * 100}%`, width: `${Math.max(0.004, to - from) * 100}%` }}>${(to - from) * width > 26 ? stretch.run : ""}</span>`;
}

/**
 * Dragging and pointing. The thumb follows at once. A version is requested when the one before was drawn and a moment has passed, so
 * that a long log does not slow down the thumb.
 * @param {{current: HTMLElement | null}} track @param {number} head @param {(to: number) => void} onTo
 * @param {(version: number | null) => void} onHold @param {(version: number | null) => void} onPoint
 */
function useDrag(track, head, onTo, onHold, onPoint) {
  const state = useRef({ isDown: false, frame: 0, timer: 0, wanted: 0, given: 0 });
  const asked = useRef(onTo);
  asked.current = onTo;
  const stop = () => { cancelAnimationFrame(state.current.frame); clearTimeout(state.current.timer); Object.assign(state.current, { frame: 0, timer: 0 }); };
  useEffect(() => stop, []);
  /** @param {PointerEvent} event */
  const versionAt = (event) => {
    const box = /** @type {HTMLElement} */ (track.current).getBoundingClientRect();
    return 1 + Math.round(Math.min(1, Math.max(0, (event.clientX - box.left) / box.width)) * (head - 1));
  };
  const give = () => {
    const it = state.current;
    Object.assign(it, { timer: 0, given: it.wanted });
    asked.current(it.wanted);
    // The frame after the next one begins when this version is in the page.
    it.frame = requestAnimationFrame(() => { it.frame = requestAnimationFrame(() => { it.frame = 0; if (it.wanted !== it.given) soon(); }); });
  };
  const soon = () => { if (!state.current.timer && !state.current.frame) state.current.timer = setTimeout(give, REST_MS); };
  /** @param {PointerEvent} event */
  const hold = (event) => {
    state.current.wanted = versionAt(event);
    onHold(state.current.wanted);
  };
  const end = () => {
    if (!state.current.isDown) return;
    stop();
    state.current.isDown = false;
    if (state.current.wanted !== state.current.given) asked.current(state.current.wanted);
    onHold(null);
  };
  return {
    /** @param {PointerEvent} event */
    onPointerDown: (event) => {
      if (event.button !== 0) return;
      stop();
      state.current.isDown = true;
      track.current?.setPointerCapture(event.pointerId);
      hold(event);
      give();
    },
    /** @param {PointerEvent} event */
    onPointerMove: (event) => {
      onPoint(versionAt(event));
      if (!state.current.isDown) return;
      hold(event);
      soon();
    },
    onPointerUp: end,
    onPointerCancel: () => { end(); onPoint(null); },
    onPointerLeave: () => { onPoint(null); },
  };
}
