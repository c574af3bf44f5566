// @ts-check
/** The messages, and the work between them, in the order of the log. */
import { html, useMemo } from "../../vendor/preact.js";
import { between, clock, cost, moment } from "../../lib/format.js";
import { has, t } from "../../lib/i18n.js";
import { lastRun, openGates, sameAs, stageTitle } from "../../lib/reading.js";
import { turn } from "../../lib/router.js";
import { Sign, StatusBadge } from "../../parts/badge.js";
import { Chips } from "../../parts/chip.js";
import { Icon } from "../../parts/icons.js";
import { complain } from "../../parts/toasts.js";
import { Virtual } from "../../parts/virtual.js";
import { answerText, optionsText } from "./answers.js";
import { resume } from "./head.js";

/** The conversation as lines, oldest first. @param {any} model */
export function linesOf(model) {
  /** @type {any[]} */
  let lines = model.messages.map((/** @type {any} */ it) => ({ is: "message", key: `m ${it.message} ${it.version}`, version: it.version, it }));
  for (const queued of model.queue) lines.push({ is: "queued", key: `q ${queued.run}`, version: queued.version, it: queued });
  for (const run of model.runs.values()) {
    lines.push({ is: "run", key: `r ${run.run}`, version: run.version + 0.1, it: run });
    for (const gate of run.gates.values()) if (gate.answer) lines.push({ is: "gate", key: `g ${gate.gate}`, version: gate.version, it: gate, run });
    if (run.outcome && run.outcome.is !== "completed") lines.push({ is: "end", key: `e ${run.run}`, version: Infinity, ended: run.endedAt, it: run });
  }
  for (const artifact of model.artifacts.values()) {
    if (artifact.shown) lines.push({ is: "made", key: `a ${artifact.artifact}`, version: artifact.version, run: artifact.run, it: [artifact] });
  }
  for (const line of lines) if (line.is === "end") line.version = endOf(model, line.it);
  const sorted = lines.sort((a, b) => a.version - b.version);
  lines = [];
  for (const line of sorted) {
    // Artifacts without a message between them share one line.
    const before = lines.at(-1);
    if (line.is === "made" && before?.is === "made" && before.run === line.run) before.it.push(...line.it);
    else lines.push(line);
  }
  return lines;
}

/** The version to show the end of a run at: after everything of the run, before the next run. @param {any} model @param {any} run */
function endOf(model, run) {
  const next = [...model.runs.values()].find((it) => it.version > run.version);
  return (next ? next.version : model.version + 1) - 2;
}

/** @param {any} props */
export function Conversation({ model, watched, at, look, onFocus, session }) {
  const lines = useMemo(() => linesOf(model), [model]);
  const live = at === null ? [...watched.live.texts.values()] : [];
  const working = at === null && model.active && !openGates(model).length ? model.runs.get(model.active) : null;
  // Of the present, open questions are shown below, where they can be answered.
  const asked = at === null ? [] : openGates(model).map((/** @type {any} */ it) => ({ is: "asked", key: `o ${it.gate}`, it }));
  const all = working ? [...lines, { is: "working", key: "working", it: working, live: live.at(-1) }] : [...lines, ...asked];
  return html`<${Virtual} className="talk" items=${all} keyOf=${(/** @type {any} */ line) => line.key} estimate=${72} label=${t("tab.talk")} follow=${at === null} role="log"
    draw=${(/** @type {any} */ line) => html`<${Line} line=${line} model=${model} watched=${watched} look=${look} onFocus=${onFocus} session=${session} now=${at === null} />`} />`;
}

/** @param {any} props */
function Line({ line, model, watched, look, onFocus, now }) {
  switch (line.is) {
    case "message": return html`<${Message} it=${line.it} look=${look} />`;
    case "queued": return html`<${Queued} it=${line.it} watched=${watched} now=${now} />`;
    case "run": return html`<${RunLine} run=${line.it} model=${model} look=${look} />`;
    case "made": return html`<div class="talk-made"><${Chips} list=${line.it.slice(0, 12)} onFocus=${onFocus} />
      ${line.it.length > 12 ? html`<span class="quiet-text">${t("and_more", { n: line.it.length - 12 })}</span>` : null}</div>`;
    case "gate": return html`<${Answered} gate=${line.it} pipeline=${model.runs.get(line.it.run)?.pipeline} look=${look} />`;
    case "asked": return html`<${Asked} gate=${line.it} pipeline=${model.runs.get(line.it.run)?.pipeline} />`;
    case "end": return html`<${End} run=${line.it} watched=${watched} canResume=${now && !model.active && lastRun(model) === line.it} />`;
    case "working": return html`<${Working} run=${line.it} live=${line.live} />`;
    default: return null;
  }
}

/** @param {any} props */
function Message({ it, look }) {
  const mine = it.role === "user";
  return html`<article class=${`message ${mine ? "mine" : "theirs"}`} aria-label=${t(mine ? "talk.you" : "talk.it")}>
    <div class="message-text">${it.text}</div>
    ${it.attachments.length ? html`<ul class="message-files" role="list">${it.attachments.map((/** @type {string} */ path) => html`<li class="chip flat"><${Icon} name="clip" /><span class="ellipsis">${path}</span></li>`)}</ul>` : null}
    <button class="stamp number" title=${`${moment(it.at)} · ${t("look_at", { version: it.version })}`} onClick=${() => look(it.version)}>${clock(it.at)}</button>
  </article>`;
}

/** A message that waits for its turn, or that was withdrawn before. @param {any} props */
function Queued({ it, watched, now }) {
  if (it.withdrawn !== undefined) return html`<div class="talk-note"><${Icon} name="stop" />${t("queue.withdrawn", { run: it.run, reason: it.withdrawn })}</div>`;
  return html`<div class="talk-note"><${Icon} name="clock" /><span class="grow">${t("queue.waits", { run: it.run })}</span>
    ${now ? html`<button class="button quiet small" onClick=${() => void watched.ask("cancel", { run: it.run }).catch(complain)}>${t("queue.withdraw")}</button>` : null}</div>`;
}

/** @param {any} props */
function RunLine({ run, model, look }) {
  const intent = run.intent?.intent;
  const said = model.messages.find((/** @type {any} */ it) => it.message === run.message)?.text;
  const same = sameAs(model, run);
  const what = run.refined ? t("run.refines", { stage: stageTitle(run.pipeline, run.refined) }) : intent && has(`intent.${intent}`) ? t(`intent.${intent}`) : t("run.started");
  return html`<article class="run-line" aria-label=${`${t("run")} ${run.run}`}>
    <button class="run-name mono" title=${t("look_at", { version: run.version })} onClick=${() => look(run.version)}>${run.run}</button>
    <span class="grow ellipsis" title=${run.intent?.reason}>${what}${run.baseRun ? html` <span class="muted">${t("run.on", { run: run.baseRun })}</span>` : null}</span>
    ${model.head === run.run ? html`<span class="badge accent" title=${t("runs.head")}><${Icon} name="flag" title=${t("runs.head")} /></span>` : null}
    <${StatusBadge} status=${run.status} />
    <button class="quiet-text number link" onClick=${() => turn({ left: "steps", run: run.run })}>${run.endedAt ? between(run.startedAt, run.endedAt) : t("run.steps")}${run.spent.costMicros ? ` · ${cost(run.spent.costMicros)}` : ""}</button>
    ${run.feedback && run.refined && run.feedback !== said ? html`<p class="run-said">${run.feedback}</p>` : null}
    ${run.intent?.reply ? html`<p class="run-said">${run.intent.reply}</p>` : null}
    ${same ? html`<p class="run-said">${t("run.same", { run: same })}</p>` : null}
  </article>`;
}

/** @param {any} props */
function Answered({ gate, pipeline, look }) {
  const { answer } = gate;
  const sign = answer.is === "declined" ? "cross" : "check";
  return html`<article class="answered" aria-label=${t("gates.answered")}>
    <p class="muted">${gate.question}</p>
    <p class="row wrap"><span class=${`sign ${answer.is === "declined" ? "bad" : "good"}`}><${Icon} name=${sign} /></span><span class="grow">${answerText(gate, pipeline)}</span>
      <span class="quiet-text">${answer.by === "person" ? t("by.person") : answer.by === "deadline" ? t("by.deadline") : t("by.other", { by: answer.by })}</span></p>
    ${answer.edits ? html`<p class="quiet-text">${t("gates.edited")}</p>` : null}
    <button class="stamp number" title=${t("look_at", { version: gate.version })} onClick=${() => look(gate.version)}>${clock(gate.answeredAt ?? gate.openedAt)}</button>
  </article>`;
}

/** A question that was not answered yet at the version that is shown. @param {any} props */
function Asked({ gate, pipeline }) {
  return html`<article class="answered" aria-label=${t("gates.open_then")}>
    <p class="muted">${gate.question}</p>
    ${gate.options.length ? html`<p class="quiet-text">${optionsText(gate, pipeline)}</p>` : null}
    <p class="row wrap"><span class="badge warn"><${Icon} name="hand" />${t("gates.open_then")}</span></p>
  </article>`;
}

/** @param {any} props */
function End({ run, watched, canResume }) {
  const { outcome } = run;
  return html`<section class=${`run-end ${outcome.is}`} role=${outcome.is === "failed" ? "alert" : undefined}>
    <${Sign} status=${outcome.is} label=${false} />
    <div class="grow"><strong>${t(`outcome.${outcome.is}`, { run: run.run })}</strong>
      <p class="muted">${outcome.message ?? outcome.reason}</p>${outcome.code ? html`<p class="quiet-text mono">${outcome.code}</p>` : null}</div>
    ${canResume ? html`<button class="button small" onClick=${() => resume(watched, run)}><${Icon} name="play" />${t("resume.do")}</button>` : null}
  </section>`;
}

/** The work under way, and the end of the text that is being written. @param {any} props */
function Working({ run, live }) {
  const open = run.stages.filter((/** @type {any} */ stage) => stage.status === "open").map((/** @type {any} */ stage) => stageTitle(run.pipeline, stage.stage));
  return html`<section class="working">
    <p class="row"><span class="spinner" aria-hidden="true"></span><span class="muted grow">${open.length ? open.join(" · ") : t("working")}</span></p>
    ${live ? html`<pre class="live" aria-hidden="true">${live.text.slice(-600)}</pre>` : null}</section>`;
}
