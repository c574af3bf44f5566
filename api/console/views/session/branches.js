// @ts-check
/** The runs of a session as the tree they are, and the sessions that were forked from it. */
import { html, useEffect, useMemo, useState } from "../../vendor/preact.js";
import { get } from "../../lib/api.js";
import { ago, between, cost } from "../../lib/format.js";
import { t } from "../../lib/i18n.js";
import { toldApart } from "../../lib/labels.js";
import { isVisible, runPurpose, stageTitle } from "../../lib/reading.js";
import { turn } from "../../lib/router.js";
import { StatusBadge } from "../../parts/badge.js";
import { Icon } from "../../parts/icons.js";
import { complain, tell } from "../../parts/toasts.js";
import { Virtual } from "../../parts/virtual.js";
import { resume } from "./head.js";

/** Changed artifacts that a run offers to compare; those that are meant to be seen come first. */
const PAIRS = 12;

/** Runs in the order of a tree, each with its depth. The indentation is limited, so that long chains of refinements stay readable. @param {any} model */
export function treeOf(model) {
  /** @type {Array<{run: any, depth: number, last: boolean}>} */
  const rows = [];
  const roots = [...model.runs.values()].filter((run) => !run.baseRun || !model.runs.has(run.baseRun));
  /** @type {Array<{run: any, depth: number}>} */
  const stack = roots.reverse().map((run) => ({ run, depth: 0 }));
  while (stack.length) {
    const { run, depth } = /** @type {any} */ (stack.pop());
    rows.push({ run, depth: Math.min(depth, 6), last: !run.children.length });
    for (const child of run.children.slice().reverse()) if (model.runs.has(child)) stack.push({ run: model.runs.get(child), depth: depth + 1 });
  }
  return rows;
}

/** @param {any} props */
export function Branches({ model, latest, session, watched, at, onCompare, look }) {
  const rows = useMemo(() => treeOf(model), [model]);
  const [opened, setOpened] = useState("");
  const [forks, setForks] = useState(/** @type {string[]} */ ([]));
  useEffect(() => {
    const stop = new AbortController();
    get(`/v1/sessions/${encodeURIComponent(session)}/branches`, stop.signal).then((answer) => setForks(answer.forks ?? []), complain);
    return () => stop.abort();
  }, [session, latest.runs.size]);
  const items = [
    ...(model.forkedFrom ? [{ is: "origin", key: "origin" }] : []),
    ...rows.map((row) => ({ is: "run", key: row.run.run, ...row })),
    ...forks.map((fork, at) => ({ is: "fork", key: `fork ${fork}`, fork, first: at === 0 })),
  ];
  return html`<${Virtual} className="branches" items=${items} keyOf=${(/** @type {any} */ it) => it.key} estimate=${92} label=${t("tab.runs")} draw=${(/** @type {any} */ it) => {
    if (it.is === "origin") {
      return html`<a class="fork-link" href=${`#/s/${encodeURIComponent(model.forkedFrom.session)}?at=${model.forkedFrom.at}`}><${Icon} name="fork" />
        <span class="grow">${t("runs.forked_from")}<span class="quiet-text block mono ellipsis">${model.forkedFrom.session}</span></span><span class="badge">${t("version_short", { version: model.forkedFrom.at })}</span></a>`;
    }
    if (it.is === "fork") {
      return html`${it.first ? html`<h2 class="small-title">${t("runs.forks")}</h2>` : null}<a class="fork-link" href=${`#/s/${encodeURIComponent(it.fork)}`}><${Icon} name="fork" /><span class="grow ellipsis mono">${it.fork}</span></a>`;
    }
    return html`<div style=${{ marginInlineStart: `${it.depth * 16}px` }}><${RunCard} run=${it.run} model=${model} latest=${latest} watched=${watched} now=${at === null} isOpened=${opened === it.run.run}
      onOpen=${() => setOpened(opened === it.run.run ? "" : it.run.run)} onCompare=${onCompare} look=${look} /></div>`;
  }} />`;
}

/** @param {any} props */
function RunCard({ run, model, latest, watched, now, isOpened, onOpen, onCompare, look }) {
  const isHead = model.head === run.run;
  const stopped = run.status === "failed" || run.status === "cancelled" || run.outcome?.partial;
  const moveHead = () => watched.ask("move_head", { run: run.run }).then(() => tell({ tone: "good", text: t("runs.moved", { run: run.run }) }), complain);
  const pairs = isOpened ? pairsOf(model, run) : [];
  return html`<section class=${`run-card ${isHead ? "head" : ""}`}>
    <button class="run-card-name" aria-expanded=${isOpened} onClick=${onOpen}>
      <span class="row"><b class="mono">${run.run}</b>${isHead ? html`<span class="badge accent"><${Icon} name="flag" />${t("runs.head")}</span>` : null}<${StatusBadge} status=${run.status} /><span class="grow"></span>
        <span class="quiet-text number">${between(run.startedAt, run.endedAt ?? (now ? Date.now() : model.at))}${run.spent.costMicros ? ` · ${cost(run.spent.costMicros)}` : ""}</span></span>
      <span class="clamp">${run.refined ? html`<span class="quiet-text">${t("run.refines", { stage: stageTitle(run.pipeline, run.refined) })}: </span>` : null}${runPurpose(run)}</span>
      <span class="quiet-text">${ago(run.startedAt)}${run.kept ? ` · ${t("runs.kept", { n: run.kept })}` : ""}</span>
    </button>
    ${isOpened ? html`<div class="run-card-ways">
      <button class="button small" onClick=${() => turn({ left: "steps", run: run.run, pane: "left" })}><${Icon} name="steps" />${t("tab.steps")}</button>
      <button class="button small" onClick=${() => look(run.version)}><${Icon} name="clock" />${t("runs.start")}</button>
      ${now && run.outcome && run.artifacts.length > 0 && !isHead && !latest.active ? html`<button class="button small primary" onClick=${moveHead}><${Icon} name="flag" />${t("runs.make_head")}</button>` : null}
      ${now && stopped && !latest.active ? html`<button class="button small" onClick=${() => resume(watched, run)}><${Icon} name="play" />${t("resume.do")}</button>` : null}
      ${now && run.outcome ? html`<label class="row"><span class="sr-only">${t("refine.title")}</span><select class="select small" value="" onChange=${(/** @type {any} */ event) => turn({ refine: event.target.value, item: "", base: run.run, pane: "left" })}>
        <option value="">${t("refine.title")}</option>${run.stages.map((/** @type {any} */ it) => html`<option value=${it.stage}>${stageTitle(run.pipeline, it.stage)}</option>`)}</select></label>` : null}
      ${pairs.length ? html`<div class="stack compare-list"><span class="quiet-text">${t("runs.compare", { run: run.baseRun })}</span>${toldApart(pairs.slice(0, PAIRS).map((/** @type {any[]} */ [, b]) => b)).map(({ it, name, title }, at) => html`<button class="chip" title=${`${name}: ${it.title}`} onClick=${() => onCompare(pairs[at][0].artifact, it.artifact)}>
        <${Icon} name="columns" /><span class="nowrap">${name}</span>${title ? html`<span class="ellipsis quiet-text">${title}</span>` : null}<span class="quiet-text number">${pairs[at][0].number}→${it.number}</span></button>`)}
        ${pairs.length > PAIRS ? html`<span class="quiet-text">${t("and_more", { n: pairs.length - PAIRS })}</span>` : null}</div>` : null}
    </div>` : null}
  </section>`;
}

/** The artifacts that a run made again, each with its version before. @param {any} model @param {any} run */
function pairsOf(model, run) {
  const base = model.runs.get(run.baseRun);
  if (!base) return [];
  const before = new Map(base.artifacts.map((/** @type {string} */ id) => model.artifacts.get(id)).filter(Boolean).map((/** @type {any} */ it) => [`${it.kind}/${it.item}`, it]));
  return run.artifacts.map((/** @type {string} */ id) => model.artifacts.get(id))
    .filter((/** @type {any} */ it) => it && isVisible(it) && before.has(`${it.kind}/${it.item}`) && before.get(`${it.kind}/${it.item}`) !== it)
    .sort((/** @type {any} */ a, /** @type {any} */ b) => Number(b.shown) - Number(a.shown) || b.version - a.version)
    .map((/** @type {any} */ it) => [before.get(`${it.kind}/${it.item}`), it]);
}
