// @ts-check
/** The head line of a session: its title, its status, its costs, and its actions. */
import { html } from "../../vendor/preact.js";
import { between, compact, cost } from "../../lib/format.js";
import { t, named } from "../../lib/i18n.js";
import { lastRun, mainRun, pipelineTitle, sessionStatus, spentTotal, stageTitle, stagesNotBegun } from "../../lib/reading.js";
import { wholeLog } from "../../lib/pages.js";
import { go, turn } from "../../lib/router.js";
import { StatusBadge } from "../../parts/badge.js";
import { ask } from "../../parts/dialog.js";
import { Icon } from "../../parts/icons.js";
import { Menu } from "../../parts/menu.js";
import { useNow } from "../../parts/now.js";
import { complain, tell } from "../../parts/toasts.js";

/** @param {any} props */
export function Head({ session, watched, model, latest, timeline, at, drawer, onFork, onKeys }) {
  const run = mainRun(model);
  const active = latest.runs.get(latest.active);
  const last = lastRun(latest);
  const stopped = !active && last && (last.status === "failed" || last.status === "cancelled" || last.outcome?.partial) ? last : null;
  const spent = spentTotal(model);
  const status = sessionStatus(model);
  const toggle = (/** @type {string} */ name) => turn({ drawer: drawer === name ? "" : name, pane: drawer === name ? "canvas" : "drawer" });
  return html`<header class="session-head">
    <a class="button quiet icon small" href="#/" aria-label=${t("sessions.title")} title=${t("sessions.title")}><${Icon} name="back" /></a>
    <h1 class="ellipsis" title=${model.title}>${model.title || session}</h1>
    ${status ? html`<${StatusBadge} status=${status} />` : null}
    <span class="badge wide-only">${pipelineTitle(run?.pipeline ?? model.pipeline)}</span>
    ${run?.settings?.ports?.model === "offline" ? html`<span class="badge warn" title=${t("offline_author.why")}><${Icon} name="pencil" /><span class="badge-words">${t("offline_author")}</span></span>` : null}
    ${model.forkedFrom ? html`<a class="badge accent wide-only" href=${`#/s/${encodeURIComponent(model.forkedFrom.session)}?at=${model.forkedFrom.at}`}
      title=${t("sessions.fork_of", { session: model.forkedFrom.session, at: model.forkedFrom.at })}><${Icon} name="fork" />${t("fork.of", { at: model.forkedFrom.at })}</a>` : null}
    ${at !== null ? html`<span class="badge accent"><${Icon} name="clock" />${t("past", { version: at })}</span>` : null}
    <span class="grow"></span>
    <${Spent} spent=${spent} run=${run} until=${at === null ? undefined : model.at} />
    ${active && at === null ? html`<button class="button small" onClick=${() => cancel(watched, active)}><${Icon} name="stop" />${t("cancel.do")}</button>` : null}
    ${stopped && at === null ? html`<button class="button small primary" onClick=${() => resume(watched, stopped)}><${Icon} name="play" />${t("resume.do")}</button>` : null}
    <span class="button-group wide-only">
      <button class="button quiet small" aria-pressed=${drawer === "log"} onClick=${() => toggle("log")} title=${`${t("tab.log")} (i)`}><${Icon} name="log" />${t("tab.log")}</button>
      <button class="button quiet small" aria-pressed=${drawer === "runs"} onClick=${() => toggle("runs")}><${Icon} name="branch" />${t("tab.runs")} <span class="number">${model.runs.size}</span></button>
      <button class="button quiet small" aria-pressed=${drawer === "made"} onClick=${() => toggle("made")}><${Icon} name="layers" />${t("tab.made")}</button>
    </span>
    <${Menu} small=${true} label=${t("more")} icon="more" items=${[
      { label: t("tab.made"), icon: "layers", run: () => turn({ drawer: "made", pane: "drawer" }) },
      { label: t("fork.here", { version: at ?? timeline.head }), icon: "fork", run: () => onFork(at ?? timeline.head) },
      stopped && { label: t("resume.long", { run: stopped.run }), icon: "play", run: () => resume(watched, stopped) },
      { label: t("copy_id"), icon: "clip", run: () => void navigator.clipboard?.writeText(session).then(() => tell({ tone: "good", text: t("copied") }), complain) },
      { label: t("export"), icon: "download", run: () => void exportLog(session) },
      { label: t("keys.title"), icon: "key", hint: "?", run: onKeys },
      { label: t("delete.do"), icon: "trash", danger: true, run: () => erase(watched, session) },
    ]} />
  </header>`;
}

/** @param {{spent: any, run: any, until?: string}} props `until`: the time that is shown, if it is not now */
function Spent({ spent, run, until }) {
  const now = useNow(run && !run.outcome && !until);
  const tokens = spent.inputTokens + spent.outputTokens;
  return html`<dl class="spent number wide-only">
    ${run ? html`<div title=${t("spent.time")}><dt><span class="sr-only">${t("spent.time")}</span><${Icon} name="clock" /></dt><dd>${between(run.startedAt, run.endedAt ?? until ?? now)}</dd></div>` : null}
    <div title=${t("spent.calls")}><dt><span class="sr-only">${t("spent.calls")}</span><${Icon} name="spark" /></dt><dd>${spent.calls}${tokens ? html` <span class="muted">· ${compact(tokens)} ${t("tokens")}</span>` : null}</dd></div>
    <div title=${t("cost")}><dt class="muted">${t("cost")}</dt><dd>${cost(spent.costMicros)}</dd></div></dl>`;
}

/** The stages of a run as a line, including those that the run has not reached yet. @param {{model: any}} props */
export function Progress({ model }) {
  const run = mainRun(model);
  if (!run) return html`<div class="progress"></div>`;
  const { all, kept } = stagesNotBegun(run);
  const began = new Map(run.stages.map((/** @type {any} */ stage) => [stage.stage, stage]));
  const names = all.length ? all : [...began.keys()];
  const done = names.filter((/** @type {string} */ name) => kept.includes(name) || began.get(name)?.status === "completed").length;
  const open = run.stages.findLast((/** @type {any} */ stage) => stage.status === "open");
  const says = open ? t("progress.at", { stage: stageTitle(run.pipeline, open.stage), done, of: names.length }) : t("progress.done", { done, of: names.length });
  return html`<div class="progress" role="progressbar" aria-label=${t("progress")} aria-valuemin="0" aria-valuemax=${names.length} aria-valuenow=${done} aria-valuetext=${says}>
    ${names.map((/** @type {string} */ name) => {
      const stage = began.get(name);
      const status = stage?.status ?? (kept.includes(name) ? "kept" : "pending");
      return html`<span class=${`segment ${status}`} title=${`${stageTitle(run.pipeline, name)}: ${named("status", status)}`}></span>`;
    })}
    <span class="sr-only" aria-live="polite">${says}</span></div>`;
}

/** @param {any} watched @param {any} run */
export async function cancel(watched, run) {
  const answer = await ask({ title: t("cancel.title", { run: run.run }), text: t("cancel.text"), confirm: t("cancel.confirm"), danger: true, input: { place: `${watched.session}.cancel.${run.run}`, label: t("cancel.reason") } });
  if (!answer) return;
  await watched.ask("cancel", { run: run.run, ...(answer.text.trim() ? { reason: answer.text.trim() } : {}) })
    .catch((/** @type {any} */ failure) => { answer.keep(); complain(failure); });
}

/** @param {any} watched @param {any} run */
export async function resume(watched, run) {
  await watched.ask("resume", { run: run.run, settings: { attended: Boolean(run.settings?.attended) } }).then(() => tell({ tone: "good", text: t("resume.done", { run: run.run }) }), complain);
}

/** @param {any} watched @param {string} session */
async function erase(watched, session) {
  const answer = await ask({ title: t("delete.title"), text: t("delete.text"), confirm: t("delete.do"), danger: true, check: t("delete.forks") });
  if (!answer) return;
  try {
    await watched.ask("delete_session", { forks: answer.checked });
    tell({ tone: "good", text: t("delete.done") });
    go([]);
  } catch (failure) {
    complain(failure);
  }
}

/** Saves every event. They are read again, because the bodies of artifacts are not in the timeline. @param {string} session */
async function exportLog(session) {
  const lines = [];
  try {
    /** @type {import("../../lib/pages.js").Page|null} */
    let page;
    for (page = await wholeLog(session); page; page = await page.next) {
      lines.push(...page.events.map((event) => `${JSON.stringify(event)}\n`));
    }
  } catch (failure) {
    return complain(failure);
  }
  const address = URL.createObjectURL(new Blob(lines, { type: "application/x-ndjson" }));
  const link = Object.assign(document.createElement("a"), { href: address, download: `${session}.jsonl` });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
