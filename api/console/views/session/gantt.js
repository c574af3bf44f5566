// @ts-check
/** A run on one scale of time: its steps with their attempts, and the questions that waited for a person. */
import { html, useMemo, useState } from "../../vendor/preact.js";
import { duration } from "../../lib/format.js";
import { named, t } from "../../lib/i18n.js";
import { described, stageTitle } from "../../lib/reading.js";
import { Sign } from "../../parts/badge.js";
import { Virtual } from "../../parts/virtual.js";
import { answerText } from "./answers.js";
import { Attempts } from "./attempts.js";

/** @typedef {{status: string, from: number, to: number}} Bar */
/** @typedef {{key: string, name: string, status: string, from: number, to: number, bars: Bar[], step?: any, gate?: any}} Row */

/** The rows of a run in the order in which they began. `until`: the time that is shown, for what has not ended. @param {any} run @param {number} until @returns {Row[]} */
export function ganttOf(run, until) {
  const end = run.endedAt ? +new Date(run.endedAt) : until;
  /** @param {string} status @param {string} from @param {string|null|undefined} to @returns {Bar} */
  const bar = (status, from, to) => ({ status, from: +new Date(from), to: Math.max(+new Date(from), to ? +new Date(to) : end) });
  /** @param {Bar[]} bars */
  const row = (bars) => ({ bars, from: bars[0].from, to: Math.max(...bars.map((it) => it.to)) });
  const steps = run.stages.flatMap((/** @type {any} */ stage) => [...stage.steps.values()].map((step) => ({
    key: step.step, step, status: step.status, name: [stageTitle(run.pipeline, stage.stage), step.item].filter(Boolean).join(" "),
    ...row(step.attempts.map((/** @type {any} */ it) => bar(it.outcome ?? "open", it.startedAt, it.endedAt))),
  })));
  const gates = [...run.gates.values()].map((gate) => ({
    key: gate.gate, gate, status: gate.answer ? "succeeded" : "waiting", name: gate.question, ...row([bar("waiting", gate.openedAt, gate.answeredAt)]),
  }));
  return [...steps, ...gates].sort((a, b) => a.from - b.from);
}

/** @param {{run: any, now: number, look: (version: number) => void}} props */
export function Gantt({ run, now, look }) {
  const [opened, setOpened] = useState("");
  const rows = useMemo(() => ganttOf(run, now), [run, run.outcome ? 0 : now, described.value]);
  const from = Math.min(+new Date(run.startedAt), ...rows.map((it) => it.from));
  const span = Math.max(1, +new Date(run.endedAt ?? now) - from, ...rows.map((it) => it.to - from));
  return html`<p class="gantt-legend quiet-text">${["succeeded", "failed", "waiting"].map((it) => html`<span><i class=${`gantt-bar ${it}`} aria-hidden="true"></i>${t(`gantt.${it}`)}</span>`)}</p>
    <p class="gantt-axis quiet-text number" aria-hidden="true">${[0, 0.5, 1].map((it) => html`<span>${duration(span * it)}</span>`)}</p>
    <${Virtual} className="gantt" items=${rows} keyOf=${(/** @type {Row} */ row) => row.key} estimate=${44} label=${t("steps.time")} draw=${(/** @type {Row} */ row) => html`
      <${Line} row=${row} from=${from} span=${span} isOpened=${opened === row.key} onOpen=${() => setOpened(opened === row.key ? "" : row.key)} />
      ${opened === row.key ? html`<${Details} row=${row} pipeline=${run.pipeline} look=${look} now=${now} />` : null}`} />`;
}

/** @param {{row: Row, from: number, span: number, isOpened: boolean, onOpen: () => void}} props */
function Line({ row, from, span, isOpened, onOpen }) {
  const says = (/** @type {Bar} */ it) => t("gantt.says", { from: duration(it.from - from), to: duration(it.to - from) });
  const share = (/** @type {number} */ ms) => `${(100 * ms) / span}%`;
  return html`<button class="gantt-row" aria-expanded=${isOpened} title=${row.name} onClick=${onOpen}>
    <${Sign} status=${row.status} /><span class="grow ellipsis">${row.gate ? html`<span class="sr-only">${t("gantt.waiting")}: </span>` : null}${row.name}</span>
    <span class="quiet-text number nowrap">${row.bars.length > 1 ? `${t("gantt.attempts", { n: row.bars.length })} · ` : ""}${duration(row.to - row.from)}</span>
    <span class="sr-only">${row.bars.map((it, n) => (row.bars.length > 1 ? `${t("step.attempt", { n: n + 1 })}, ${named("status", it.status)}, ${says(it)}. ` : says(it)))}</span>
    <span class="gantt-track" aria-hidden="true">${row.bars.map((it) => html`<i class=${`gantt-bar ${it.status}`} style=${{ insetInlineStart: share(it.from - from), width: share(it.to - it.from) }}></i>`)}</span></button>`;
}

/** @param {{row: Row, pipeline: string, look: (version: number) => void, now: number}} props */
function Details({ row: { step, gate }, pipeline, look, now }) {
  if (step) return html`<div class="gantt-details"><${Attempts} attempts=${step.attempts} look=${look} now=${now} /></div>`;
  return html`<div class="gantt-details"><p>${gate.question}</p><p class="muted">${gate.answer ? answerText(gate, pipeline) : t("gates.open_then")}</p>
    <button class="button small" onClick=${() => look(gate.version)}>${t("look_at", { version: gate.version })}</button></div>`;
}
