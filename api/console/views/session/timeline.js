// @ts-check
/** A run as its stages, steps and attempts, with durations, errors, and the text that is being written. */
import { html, useMemo, useState } from "../../vendor/preact.js";
import { between, cost, duration } from "../../lib/format.js";
import { named, t } from "../../lib/i18n.js";
import { byItem, described, mainRun, skippable, stageTitle, stagesNotBegun } from "../../lib/reading.js";
import { route, turn } from "../../lib/router.js";
import { Sign } from "../../parts/badge.js";
import { Chips } from "../../parts/chip.js";
import { ask } from "../../parts/dialog.js";
import { Icon } from "../../parts/icons.js";
import { Menu } from "../../parts/menu.js";
import { useNow } from "../../parts/now.js";
import { complain, tell } from "../../parts/toasts.js";
import { Virtual } from "../../parts/virtual.js";
import { Attempts } from "./attempts.js";
import { Gantt } from "./gantt.js";

/** The rows of a run: its stages, and the steps of stages that are unfolded. @param {any} run @param {Set<string>} folded @param {Map<string, any>} live */
export function rowsOf(run, folded, live) {
  /** @type {any[]} */
  const rows = [];
  const { kept, ahead } = stagesNotBegun(run);
  for (const name of kept) rows.push({ is: "ahead", key: `k ${name}`, name, status: "kept" });
  for (const stage of run.stages) {
    const only = stage.steps.size === 1 && stage.items <= 1 ? stage.steps.get("") : undefined;
    if (only) {
      // A stage with a single step is one row.
      rows.push({ is: "step", key: `t ${only.step}`, stage, step: only, live: live.get(only.step), alone: true });
      continue;
    }
    const isFolded = folded.has(stage.stage);
    rows.push({ is: "stage", key: `s ${stage.stage}`, stage, isFolded });
    if (isFolded) continue;
    for (const step of [...stage.steps.values()].sort((a, b) => byItem(a.item, b.item))) rows.push({ is: "step", key: `t ${step.step}`, stage, step, live: live.get(step.step) });
  }
  for (const name of ahead) rows.push({ is: "ahead", key: `p ${name}`, name, status: "pending" });
  for (const decision of run.decisions) rows.push({ is: "decision", key: `d ${decision.version}`, decision });
  return rows;
}

/** @param {any} props */
export function Steps({ model, watched, at, look, onFocus }) {
  const run = model.runs.get(route.value.query.run) ?? mainRun(model);
  const [folded, setFolded] = useState(/** @type {Set<string>} */ (new Set()));
  const [opened, setOpened] = useState(/** @type {Set<string>} */ (new Set()));
  const now = useNow(run && !run.outcome && at === null);
  const live = at === null ? watched.live.texts : new Map();
  const rows = useMemo(() => (run ? rowsOf(run, folded, live) : []), [run, folded, watched.pulse.value, at, described.value]);
  if (!run) return html`<p class="empty quiet-text">${t("steps.none")}</p>`;
  const swap = (/** @type {Set<string>} */ set, /** @type {string} */ key) => { const next = new Set(set); if (!next.delete(key)) next.add(key); return next; };
  const shared = { run, model, watched, at, look, onFocus, now: at === null ? now : +new Date(model.at) };
  const inTime = route.value.query.steps === "time";
  const way = (/** @type {string} */ name, /** @type {boolean} */ here) => html`<button class="button quiet small" aria-pressed=${here} onClick=${() => turn({ steps: name === "time" ? name : "" })}>${t(`steps.${name}`)}</button>`;
  return html`<div class="steps">
    <header class="steps-head">
      <label class="row grow"><span class="sr-only">${t("run")}</span><select class="select small" value=${run.run} onChange=${(/** @type {any} */ event) => turn({ run: event.target.value })}>
        ${[...model.runs.values()].map((it) => html`<option value=${it.run}>${it.run}${it.run === model.head ? ` · ${t("runs.head")}` : ""} · ${named("status", it.status)}</option>`)}</select></label>
      <span class="quiet-text number">${between(run.startedAt, run.endedAt ?? shared.now)} · ${t("spent.n_calls", { n: run.spent.calls })}${run.spent.costMicros ? ` · ${cost(run.spent.costMicros)}` : ""}</span>
      <span class="button-group" role="group" aria-label=${t("steps.as")}>${way("list", !inTime)}${way("time", inTime)}</span>
    </header>
    <${Budget} run=${run} />
    ${inTime ? html`<${Gantt} key=${run.run} run=${run} now=${shared.now} look=${look} />` : html`<${Virtual} items=${rows} keyOf=${(/** @type {any} */ row) => row.key} estimate=${38} label=${t("tab.steps")} draw=${(/** @type {any} */ row) => {
      if (row.is === "stage") return html`<${Stage} ...${shared} ...${row} onFold=${() => setFolded(swap(folded, row.stage.stage))} />`;
      if (row.is === "step") return html`<${Step} ...${shared} ...${row} isOpened=${opened.has(row.key)} onOpen=${() => setOpened(swap(opened, row.key))} />`;
      if (row.is === "ahead") return html`<div class="stage-row ahead"><${Sign} status=${row.status} label=${false} /><span class="grow ellipsis">${stageTitle(run.pipeline, row.name)}</span>
        <span class="quiet-text">${row.status === "kept" ? t("steps.kept", { run: run.baseRun }) : t("steps.ahead")}</span></div>`;
      return html`<button class="decision-row" onClick=${() => look(row.decision.version)} title=${t("look_at", { version: row.decision.version })}><${Icon} name="branch" /><span class="grow"><strong>${row.decision.choice}</strong>
        <span class="quiet-text"> ${row.decision.what} · ${row.decision.by}</span><span class="quiet-text block">${row.decision.reason}</span></span></button>`;
    }} />`}
  </div>`;
}

/** How much of the budget is used, if it is enough to be shown. @param {{run: any}} props */
function Budget({ run }) {
  if (!run.budget) return null;
  const tokens = run.spent.inputTokens + run.spent.outputTokens;
  const parts = [["calls", run.spent.calls, run.budget.calls], ["tokens", tokens, run.budget.tokens], ["cost", run.spent.costMicros, run.budget.cost_micros], ["time", run.spent.workingMs, run.budget.working_ms]];
  const [name, used, of] = parts.reduce((a, b) => (Number(b[1]) / (Number(b[2]) || 1) > Number(a[1]) / (Number(a[2]) || 1) ? b : a));
  const share = of ? Math.min(1, Number(used) / Number(of)) : 0;
  if (share < 0.05) return null;
  return html`<label class="budget quiet-text"><span>${t(`budget.${name}`)}</span><meter min="0" max="1" high="0.8" value=${share}></meter><span class="number">${Math.round(share * 100)} %</span></label>`;
}

/** Milliseconds without a call or a piece of text after which a step is shown as silent. Thinking models may be silent for long. */
const SILENT_AFTER_MS = 15_000;

/** @param {any} props */
function Stage({ run, stage, isFolded, onFold, now, at, watched }) {
  const steps = [...stage.steps.values()];
  const done = steps.filter((it) => it.status === "succeeded").length;
  const title = stageTitle(run.pipeline, stage.stage);
  return html`<div class="stage-row">
    <button class="stage-name" aria-expanded=${!isFolded} onClick=${onFold}><${Sign} status=${stage.status} /><strong class="ellipsis">${title}</strong>
      ${stage.items > 1 ? html`<span class="quiet-text number">${done}/${Math.max(stage.items, steps.length)}</span>` : null}
      ${stage.reopened ? html`<span class="badge warn" title=${stage.reason}><${Icon} name="again" />${t("steps.reopened", { n: stage.reopened })}</span>` : null}</button>
    <span class="quiet-text number">${between(stage.startedAgainAt ?? stage.startedAt, stage.endedAt ?? now)}</span>
    ${at === null && run.outcome ? html`<button class="button quiet icon small reveal" aria-label=${t("refine.from", { stage: title })} title=${t("refine.from", { stage: title })}
      onClick=${() => turn({ refine: stage.stage, item: "", base: run.run })}><${Icon} name="pencil" /></button>` : null}
  </div>`;
}

/** @param {any} props */
function Step({ run, model, stage, step, live, alone, isOpened, onOpen, now, at, watched, look, onFocus }) {
  const attempt = step.attempts.at(-1);
  const calls = step.attempts.reduce((/** @type {number} */ n, /** @type {any} */ it) => n + it.calls.length, 0);
  const spent = step.attempts.flatMap((/** @type {any} */ it) => it.calls).reduce((/** @type {number} */ n, /** @type {any} */ it) => n + (it.costMicros ?? 0), 0);
  const isOpen = step.status === "open";
  const last = attempt?.calls.at(-1);
  const due = last?.error?.again_at ?? attempt?.due;
  const waits = isOpen && due && +new Date(due) > now + 500;
  const silentMs = isOpen && !waits && !live && at === null ? now - +new Date(last?.at ?? attempt?.startedAt) : 0;
  const title = alone ? stageTitle(run.pipeline, stage.stage) : t("step.item", { item: step.item || t("step.one") });
  const made = step.artifacts.map((/** @type {string} */ id) => model.artifacts.get(id)).filter(Boolean);
  const chips = html`<${Chips} list=${made.slice(0, 8)} small=${true} onFocus=${onFocus} />`;
  // A single artifact fits beside the name of an item; beside the title of a stage there is no room.
  const beside = !alone && made.length === 1;
  const items = at !== null ? [] : [
    run.outcome && alone && { label: t("refine.from", { stage: title }), icon: "pencil", run: () => turn({ refine: stage.stage, item: "", base: run.run, pane: "left" }) },
    { label: t("step.restart"), icon: "again", run: () => restart(watched, run, step) },
    !run.outcome && step.item && step.status !== "succeeded" && skippable(run.pipeline, step.stage) && { label: t("step.skip"), icon: "skip", run: () => skip(watched, run, step) },
    { label: t("look_at", { version: attempt?.version }), icon: "log", run: () => look(attempt?.version) },
  ];
  return html`<div class=${`step-row ${alone ? "alone" : ""} ${step.status}`}>
    <div class="row">
      <button class="step-name" aria-expanded=${isOpened} onClick=${onOpen}><${Sign} status=${alone && step.status === "succeeded" ? stage.status : step.status} />${alone ? html`<strong class="ellipsis">${title}</strong>` : html`<span class=${beside ? "" : "ellipsis"}>${title}</span>`}
        ${alone && stage.reopened ? html`<span class="badge warn" title=${stage.reason}><${Icon} name="again" />${t("steps.reopened", { n: stage.reopened })}</span>` : null}
        ${step.attempt > 1 ? html`<span class="badge warn number" title=${t("step.attempt", { n: step.attempt })}><${Icon} name="again" title=${t("step.attempt", { n: step.attempt })} /><span aria-hidden="true">${step.attempt}</span></span>` : null}
        ${waits ? html`<span class="quiet-text">${t("step.waits", { time: duration(+new Date(due) - now) })}</span>` : null}
        ${silentMs > SILENT_AFTER_MS ? html`<span class="quiet-text">${t("step.silent", { time: duration(silentMs) })}</span>` : null}</button>
      ${beside ? chips : null}
      <span class="quiet-text number nowrap">${calls ? `${t("spent.n_calls", { n: calls })} · ` : ""}${spent ? `${cost(spent)} · ` : ""}${between(attempt?.startedAt, step.endedAt ?? (step.status === "open" ? now : undefined))}</span>
      ${items.length ? html`<${Menu} small=${true} icon="more" label=${t("step.more", { step: step.step })} items=${items} />` : null}
    </div>
    ${step.error ? html`<p class="problem"><${Icon} name="alert" /><span>${step.error.message} <span class="quiet-text mono">${step.error.code}</span></span></p>` : null}
    ${live && step.status === "open" ? html`<pre class="live" aria-hidden="true">${live.text.slice(-1200)}</pre>` : null}
    ${made.length && !beside ? html`<div class="step-made">${chips}${made.length > 8 ? html`<span class="quiet-text">${t("and_more", { n: made.length - 8 })}</span>` : null}</div>` : null}
    ${isOpened ? html`<${Attempts} attempts=${step.attempts} look=${look} now=${now} />` : null}
  </div>`;
}

/** @param {any} watched @param {any} run @param {any} step */
async function restart(watched, run, step) {
  const answer = await ask({ title: t("step.restart_title", { step: step.step }), text: t("step.restart_text"), confirm: t("step.restart"), input: { place: `${watched.session}.restart.${step.step}`, label: t("step.restart_why"), multiline: true } });
  if (!answer) return;
  const feedback = answer.text.trim() || undefined;
  await watched.ask("restart_step", { stage: step.stage, item: step.item, run: run.run, feedback, settings: { attended: Boolean(run.settings?.attended) } }).then(() => tell({ tone: "good", text: t("step.restarted") }), (/** @type {any} */ failure) => { answer.keep(); complain(failure); });
}

/** @param {any} watched @param {any} run @param {any} step */
async function skip(watched, run, step) {
  const answer = await ask({ title: t("step.skip_title", { item: step.item }), text: t("step.skip_text"), confirm: t("step.skip") });
  if (answer) await watched.ask("skip_step", { stage: step.stage, item: step.item, run: run.run }).catch(complain);
}
