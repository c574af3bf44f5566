// @ts-check
// The inspector: every event of the session, and the details of the selected one.

import { html, useDeferred, useEffect, useMemo, useRef, useSettled, useState } from "./hooks.js";
import { t } from "../lib/i18n.js";
import { stageTitle } from "../lib/reading.js";
import { Icon } from "../canvas/icons.js";
import { ALL_GROUPS, clockOf, describe, groupOf, typeName } from "./describe.js";
import { EventView } from "./event.js";
import { RowList } from "./list.js";

/** Pixels of a row. */
const ROW = 30;

/**
 * @typedef {{text: string, group: string, run: string, stage: string, step: string}} Filter
 */

/** @type {Filter} */
const EVERYTHING = { text: "", group: "", run: "", stage: "", step: "" };

/** @type {WeakMap<any, string>} What is searched of each event. */
const texts = new WeakMap();

/** @param {any} event */
function textOf(event) {
  let text = texts.get(event);
  if (text === undefined) {
    text = `${event.version} ${event.type} ${typeName(event.type)} ${event.data?.step ?? ""} ${event.data?.artifact ?? ""} ${describe(event)}`.toLowerCase();
    texts.set(event, text);
  }
  return text;
}

/** @param {any[]} events @param {Filter} filter */
export function matching(events, filter) {
  const words = filter.text.toLowerCase().split(/\s+/).filter(Boolean);
  if (!words.length && !filter.group && !filter.run && !filter.stage && !filter.step) return events;
  return events.filter((event) => (!filter.group || groupOf(event) === filter.group)
    && (!filter.run || event.data?.run === filter.run)
    && (!filter.stage || event.data?.stage === filter.stage)
    && (!filter.step || event.data?.step === filter.step)
    && words.every((word) => textOf(event).includes(word)));
}

/**
 * @param {{session: string, timeline: any, head: number, version: number | null, live?: boolean, onVersion: (version: number | null) => void,
 *   onFork: (version: number) => void, onFocus?: (id: string) => void}} props
 */
export function Inspector({ session, timeline, head, version, live, onVersion, onFork, onFocus }) {
  const [filter, setFilter] = useState(EVERYTHING);
  const text = useDeferred(filter.text);
  const shown = useMemo(() => matching(timeline.events, { ...filter, text }), [timeline, timeline.events.length, filter.group, filter.run, filter.stage, filter.step, text]);
  const inView = version ?? head;
  const at = placeIn(shown, inView);
  const event = useSettled(timeline.event(inView));
  const choose = (/** @type {number} */ n) => onVersion(shown[n].version);
  return html`<section class="inspector" aria-label=${t("time.inspector")}>
    <div class="inspector-list">
      <${Filters} timeline=${timeline} filter=${filter} onFilter=${setFilter} count=${shown.length} />
      ${shown.length ? html`<${RowList} count=${shown.length} height=${ROW} at=${at} label=${t("time.events")} idOf=${(/** @type {number} */ n) => `event-${shown[n]?.version}`}
          draw=${(/** @type {number} */ n) => html`<${EventRow} event=${shown[n]} timeline=${timeline} />`} onAt=${choose} follow=${live ?? version === null} />`
        : html`<p class="inspector-none">${t("time.no_match")} <button type="button" class="button small" onClick=${() => setFilter(EVERYTHING)}>${t("time.clear")}</button></p>`}
    </div>
    <div class="inspector-event">${event && html`<${EventView} key=${event.version} session=${session} timeline=${timeline} event=${event} onVersion=${onVersion} onFork=${onFork} onFocus=${onFocus}
      onStep=${(/** @type {string} */ step) => setFilter({ ...EVERYTHING, step })} />`}</div>
  </section>`;
}

/** The index of a version in a list of events; -1 if it is not in the list. @param {any[]} events @param {number} version */
function placeIn(events, version) {
  let [low, high] = [0, events.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    if (events[middle].version === version) return middle;
    if (events[middle].version < version) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}

/** @param {{event: any, timeline: any}} props */
function EventRow({ event, timeline }) {
  const group = groupOf(event);
  return html`<span class="event-version number">${event.version}</span><span class="event-sign" data-group=${group} aria-hidden="true"></span>
    <span class="event-type">${typeName(event.type)}${group === "failure" && html`<span class="sr-only"> (${t("time.group.failure")})</span>`}</span>
    <span class="event-line ellipsis">${describe(event, timeline)}</span><span class="event-clock number">${clockOf(event.ts)}</span>`;
}

/** @param {{timeline: any, filter: Filter, onFilter: (filter: Filter) => void, count: number}} props */
function Filters({ timeline, filter, onFilter, count }) {
  const names = useNames(timeline);
  const set = (/** @type {string} */ name) => (/** @type {any} */ event) => onFilter({ ...filter, [name]: event.currentTarget.value });
  return html`<div class="inspector-filters" role="search">
    <label class="inspector-search"><span class="sr-only">${t("time.search")}</span><${Icon} name="search" />
      <input type="search" class="input" placeholder=${t("time.search")} value=${filter.text} onInput=${set("text")} /></label>
    <span class="quiet-text number inspector-count" role="status">${t("time.n_events", { n: count })}</span>
    <${Choice} label=${t("time.filter.group")} value=${filter.group} onChange=${set("group")} options=${ALL_GROUPS.map((it) => [it, t(`time.group.${it}`)])} />
    <${Choice} label=${t("time.filter.stage")} value=${filter.stage} onChange=${set("stage")} options=${names.stages.map((/** @type {string} */ it) => [it, stageTitle(timeline.latest.pipeline, it)])} />
    ${names.runs.length > 1 && html`<${Choice} label=${t("time.filter.run")} value=${filter.run} onChange=${set("run")} options=${names.runs.map((/** @type {string} */ it) => [it, it])} />`}
    ${filter.step && html`<button type="button" class="button small" aria-pressed="true" onClick=${() => onFilter({ ...filter, step: "" })}>${filter.step}<${Icon} name="cross" size=${12} /><span class="sr-only">${t("time.clear")}</span></button>`}</div>`;
}

/** @param {{label: string, value: string, options: string[][], onChange: (event: any) => void}} props */
function Choice({ label, value, options, onChange }) {
  return html`<label class="inspector-choice"><span class="sr-only">${label}</span><select class="select" value=${value} onChange=${onChange}>
    <option value="">${label}</option>${options.map(([key, name]) => html`<option key=${key} value=${key}>${name}</option>`)}</select></label>`;
}

/** The runs and stages so far, each event read once. @param {any} timeline */
function useNames(timeline) {
  const known = useRef({ timeline: /** @type {any} */ (null), count: 0, runs: new Set(), stages: new Set() });
  const [names, setNames] = useState({ runs: /** @type {string[]} */ ([]), stages: /** @type {string[]} */ ([]) });
  useEffect(() => {
    const it = known.current;
    if (it.timeline !== timeline || it.count > timeline.events.length) known.current = { timeline, count: 0, runs: new Set(), stages: new Set() };
    const now = known.current;
    const before = now.runs.size + now.stages.size;
    for (; now.count < timeline.events.length; now.count += 1) {
      const { data } = timeline.events[now.count];
      if (data?.run) now.runs.add(data.run);
      if (typeof data?.stage === "string") now.stages.add(data.stage);
    }
    if (now.runs.size + now.stages.size !== before || it !== now) setNames({ runs: [...now.runs], stages: [...now.stages] });
  }, [timeline, timeline.events.length]);
  return names;
}
