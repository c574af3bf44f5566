// @ts-check
/** One message and its results: the steps on the way, the texts, their findings, the proposals, and the choice to make. */
import { html, useMemo, useState } from "../../../vendor/preact.js";
import { blocks, read } from "../../../canvas/prose.js";
import { get } from "../../../lib/api.js";
import { kept, put, useDraft } from "../../../lib/drafts.js";
import { duration, number } from "../../../lib/format.js";
import { named, t } from "../../../lib/i18n.js";
import { go } from "../../../lib/router.js";
import { ofChapter, pageOf, severities, textPlace } from "../resources.js";
import { waits } from "../chat.js";
import { Icon } from "../../../parts/icons.js";
import { complain } from "../../../parts/toasts.js";
import { FindingWords, Severity } from "./finding.js";

/** @typedef {import("../chat.js").Turn} TurnOf */

/** @param {{story: string, chat: import("../chat.js").StoryChat, turn: TurnOf, chapters: any[]}} props */
export function Turn({ story, chat, turn, chapters }) {
  const { run } = turn;
  const ended = run.done?.status === "completed" || run.done?.status === "cancelled" || run.done?.status === "failed";
  return html`<article class="chat-turn" aria-label=${turn.said.slice(0, 80) || t("chat.resumed")}>
    ${turn.said ? html`<div class="chat-said"><h2 class="sr-only">${t("chat.you")}</h2><p>${turn.said}</p></div>` : html`<h2 class="sr-only">${t("chat.resumed")}</h2>`}
    <${Way} turn=${turn} />
    ${run.preflight && !run.preflight.passed ? html`<section class="chat-check"><h3>${t("chat.before")}</h3><${Issues} story=${story} issues=${run.preflight.issues} /></section>` : null}
    ${run.texts.map((it) => html`<${StepText} key=${it.step} it=${it} isWorking=${turn.state === "working" && it === run.texts.at(-1)} />`)}
    ${ended && run.texts.length ? html`<${Take} story=${story} text=${run.texts.at(-1)?.text ?? ""} chapters=${chapters} />` : null}
    ${run.checking ? html`<p class="row muted" role="status"><span class="spinner" aria-hidden="true"></span>${run.checking.message || t("chat.checking")}</p>` : null}
    ${run.check ? html`<${Check} story=${story} check=${run.check} />` : null}
    ${run.updates.map((it, n) => html`<section key=${n} class="chat-update"><p class="row wrap"><span class="badge info"><${Icon} name="spark" />${t("standing.proposed")}</span><span class="grow">${it.message}</span><a class="button small" href=${pageOf(story, ["facts"])}>${t("chat.proposed")}</a></p>
      <ul class="chat-entries">${(it.entries ?? []).map((/** @type {any} */ entry) => html`<li key=${entry.id}><span class="quiet-text">${named("kind", entry.kind)}</span> ${entry.name ?? entry.title ?? entry.id}</li>`)}</ul></section>`)}
    ${run.warnings.map((it, n) => html`<p key=${n} class="notice warn"><${Icon} name="alert" /><span>${it.message}</span></p>`)}
    ${run.asked ? html`<${Choice} story=${story} chat=${chat} turn=${turn} />` : null}
    ${run.error ? html`<p class="problem" role="alert"><${Icon} name="alert" /><span>${run.error.message}</span></p>` : null}
    <${End} chat=${chat} turn=${turn} /></article>`;
}

/** The steps on the way; the latest one is shown while the run works. @param {{turn: TurnOf}} props */
function Way({ turn }) {
  const { run, state } = turn;
  const last = run.thoughts.at(-1);
  const isWorking = state === "working";
  return html`<div class="chat-way">
    ${isWorking ? html`<p class="row" role="status"><span class="spinner" aria-hidden="true"></span><span class="muted">${last?.message ?? t("chat.working")}</span></p>` : null}
    ${run.thoughts.length ? html`<details><summary>${t("chat.thoughts", { n: run.thoughts.length })}</summary><ol role="list" class="chat-thoughts">${run.thoughts.map((it, n) => html`<li key=${n}><span class="quiet-text">${it.agent ? named("agent", it.agent) : ""}</span> ${it.message}${it.stage === "routing" ? html` <span class="quiet-text mono">${[it.intent, it.source, it.workflow].filter(Boolean).join(" · ")}</span>` : null}</li>`)}
      ${run.tools.map((it) => html`<li key=${it.toolCallId}><span class="quiet-text">${t("chat.tool", { tool: it.tool })}</span> ${it.message ?? ""} ${it.durationMs === undefined ? "" : duration(it.durationMs)}</li>`)}</ol></details>` : null}</div>`;
}

/** @param {{it: import("../run.js").StepText, isWorking: boolean}} props */
function StepText({ it, isWorking }) {
  // Plans are Markdown, and prose looks the same when it is read as Markdown.
  const body = useMemo(() => blocks(read(it.text).tokens), [it.text]);
  return html`<section class="chat-text" aria-label=${named("agent", it.agent)} aria-busy=${isWorking ? "true" : undefined}><header class="row quiet-text"><${Icon} name="pencil" />${named("agent", it.agent)}${it.attempt > 1 ? html`<span>${t("chat.attempt", { n: it.attempt })}</span>` : null}<span class="number">${t("canvas.characters", { n: number(it.chars) })}</span></header>
    <div class="prose story-prose">${body}</div></section>`;
}

/** @param {{story: string, issues: any[]}} props */
function Issues({ story, issues }) {
  return html`<ul class="chat-issues" role="list">${(issues ?? []).map((it, n) => html`<li key=${n} class="card finding-card"><p class="row wrap"><${Severity} severity=${severities[it.severity] ? it.severity : "INFO"} />${it.entityName ? html`<span class="quiet-text">${it.entityName}</span>` : null}</p>
    <${FindingWords} story=${story} finding=${{ ...it, said: it.said?.passage ?? it.said }} /></li>`)}</ul>`;
}

/** @param {{story: string, check: any}} props */
function Check({ story, check }) {
  const tone = check.status === "passed" ? "good" : check.status === "issues" ? "warn" : "idle";
  return html`<section class="chat-check"><h3 class="row wrap">${t("chat.checked")}<span class=${`badge ${tone}`}><${Icon} name=${check.status === "passed" ? "check" : "alert"} />${named("chat.check", check.status)}</span></h3>
    ${check.message ? html`<p>${check.message}</p>` : null}<${Issues} story=${story} issues=${check.issues} />
    ${check.notChecked?.length ? html`<p class="quiet-text">${t("finding.not_checked")}: ${check.notChecked.map((/** @type {any} */ it) => (typeof it === "string" ? it : [it.what, it.why].filter(Boolean).join(": "))).join("; ")}</p>` : null}</section>`;
}

/** @param {{story: string, chat: import("../chat.js").StoryChat, turn: TurnOf}} props */
function Choice({ story, chat, turn }) {
  const { asked, chosen, done } = turn.run;
  const [own, setOwn, clearOwn] = useDraft(`story.${story}.choice.${asked.pause}`, "");
  const option = asked.options.find((/** @type {any} */ it) => String(it.id) === String(chosen));
  if (chosen !== null) return html`<p class="chat-chosen"><${Icon} name="check" />${t("chat.chosen", { selection: option?.title ?? chosen })}</p>`;
  // In a cancelled chain nothing can be chosen any longer.
  if (done && done.status !== "paused") return null;
  const isOpen = waits(turn);
  const isLast = chat.turns.value.findLast(waits)?.id === turn.id;
  const choose = (/** @type {string} */ selection) => { clearOwn(); void chat.choose(turn.id, selection); };
  return html`<section class="card chat-choice" aria-label=${t("chat.done.paused")}><p><strong>${asked.message}</strong></p>
    <ul class="options" role="list">${asked.options.map((/** @type {any} */ it) => html`<li key=${it.id} class="chat-option"><button type="button" class="button" disabled=${!isOpen} aria-label=${t("chat.option", { title: it.title || it.id })} onClick=${() => choose(String(it.id))}>${it.title || it.id}</button>${it.summary ? html`<span class="muted">${it.summary}</span>` : null}</li>`)}</ul>
    ${asked.allowCustomInput ? html`<form class="row wrap" onSubmit=${(/** @type {Event} */ event) => { event.preventDefault(); if (own.trim()) choose(own.trim()); }}><label class="grow field"><span class="label">${t("chat.own")}</span><input class="input" value=${own} placeholder=${asked.customInputPlaceholder ?? ""} onInput=${(/** @type {any} */ event) => setOwn(event.target.value)} /></label>
      <button class="button" disabled=${!isOpen || !own.trim()}>${t("chat.own_do")}</button></form>` : null}
    ${isLast && !chat.working ? html`<div class="row end"><button type="button" class="button small quiet" onClick=${() => chat.cancel().catch(complain)}><${Icon} name="stop" />${t("chat.stop")}</button></div>` : null}</section>`;
}

/** Appends a text to the draft of a chapter, where it can be checked and saved. @param {{story: string, text: string, chapters: any[]}} props */
function Take({ story, text, chapters }) {
  const open = chapters.filter((it) => !it.locked);
  const [where, setWhere] = useState("");
  const [isBusy, setBusy] = useState(false);
  if (!open.length || !text.trim()) return null;
  const chapter = where || open.at(-1).id;
  const take = async (/** @type {Event} */ event) => {
    event.preventDefault();
    setBusy(true);
    try {
      // An unsaved draft of the chapter is not overwritten.
      const now = kept(textPlace(story, chapter)) ?? await get(`${ofChapter(story, chapter)}/content`);
      const content = now.content.trim() ? `${now.content.trimEnd()}\n\n${text.trim()}\n` : `${text.trim()}\n`;
      put(textPlace(story, chapter), { content, version: now.version, trigger: "AI_EDIT" });
      go(["stories", story, "chapters", chapter], { edit: 1, at: now.content.length });
    } catch (failure) {
      complain(failure);
    } finally {
      setBusy(false);
    }
  };
  return html`<details class="chat-take"><summary>${t("chat.take")}</summary><form class="row wrap" onSubmit=${take}><label class="row"><span class="label">${t("chat.take_where")}</span><select class="select small" value=${chapter} onChange=${(/** @type {any} */ event) => setWhere(event.target.value)}>
      ${open.map((it) => html`<option key=${it.id} value=${it.id}>${t("finding.where", { n: it.chapterOrder, title: it.title })}</option>`)}</select></label><button class="button small" disabled=${isBusy}>${t("chat.take_do")}</button></form><p class="quiet-text">${t("chat.take_why")}</p></details>`;
}

/** How the turn ended, or why it failed. @param {{chat: import("../chat.js").StoryChat, turn: TurnOf}} props */
function End({ chat, turn }) {
  const { run, state, problem } = turn;
  const { done, chain } = run;
  if (state === "refused" || state === "broken") {
    const words = problem ? problem.message : t(state === "refused" ? "chat.offline" : "chat.broken");
    return html`<div class="problem" role="alert"><${Icon} name="alert" /><span class="grow">${state === "refused" && problem ? `${t("chat.refused")} ` : ""}${words}${problem?.hint ? html`<br /><span class="quiet-text">${problem.hint}</span>` : null}</span>
      ${state === "broken" || turn.request ? html`<button type="button" class="button small" onClick=${() => chat.again(turn.id)}>${t(state === "broken" ? "chat.follow" : "chat.resend")}</button>` : null}</div>`;
  }
  if (!done) return null;
  return html`<p class="quiet-text row wrap chat-end"><span class=${`badge ${/** @type {any} */ ({ completed: "good", paused: "warn", failed: "bad", cancelled: "idle" })[done.status] ?? ""}`}>${named("chat.done", done.status)}</span>
    ${chain ? html`<span>${t("chat.steps_done", { done: chain.successCount, all: chain.agentCount })}</span>` : null}${done.partial ? html`<span>${t("chat.partial")}</span>` : null}
    ${done.tokens ? html`<span class="number">${t("chat.tokens", { n: number(done.tokens) })}</span>` : null}${done.latencyMs === undefined ? null : html`<span class="number">${duration(done.latencyMs)}</span>`}
    ${done.reason && done.status !== "completed" ? html`<span>${done.reason}</span>` : null}</p>`;
}
