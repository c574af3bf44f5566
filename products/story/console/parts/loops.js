// @ts-check
/** Plot loops on a line of chapters: where each is opened, touched, due and closed. */
import { html, useState } from "../../../vendor/preact.js";
import { useFetched } from "../../../lib/fetched.js";
import { t } from "../../../lib/i18n.js";
import { ALL, change, of, pageOf } from "../resources.js";
import { ask } from "../../../parts/dialog.js";
import { Icon } from "../../../parts/icons.js";
import { Broken, Loading } from "../../../parts/lazy.js";
import { complain } from "../../../parts/toasts.js";

/** Pixels of a chapter on the line. */
const CHAPTER_PX = 34;

/** The state of a loop: its name, its colour, its sign. @param {any} it @returns {[string, string, string]} */
export function standingOf(it) {
  if (it.isProposed) return ["proposed", "info", "spark"];
  if (it.status === "RESOLVED") return ["resolved", "good", "check"];
  if (it.status === "ABANDONED") return ["abandoned", "idle", "stop"];
  if (it.overdue) return ["overdue", "bad", "alert"];
  return it.urgent ? ["urgent", "warn", "clock"] : ["open", "accent", "loop"];
}

/** @param {{story: string}} props */
export function Loops({ story }) {
  const loops = useFetched(`/api/plotloops/project/${encodeURIComponent(story)}?${ALL}`);
  const chapters = useFetched(`${of(story)}/chapters?${ALL}`);
  const failed = [loops, chapters].find((it) => it.failure && !it.value);
  if (failed) return html`<${Broken} error=${failed.failure} retry=${failed.again} />`;
  if (!loops.value || !chapters.value) return html`<${Loading} />`;
  const all = loops.value.content;
  const line = chapters.value.content;
  if (!all.length) return html`<div class="empty"><${Icon} name="loop" /><p>${t("loop.none")}</p><p class="quiet-text">${t("loop.none_hint")}</p><a class="button" href=${pageOf(story, ["chat"])}>${t("story.part.chat")}</a></div>`;
  const told = line.findLastIndex((/** @type {any} */ it) => it.acceptedVersion) + 1;
  const open = all.filter((/** @type {any} */ it) => it.status === "OPEN" && !it.isProposed).length;
  return html`<div class="story-page">
    <p class="row wrap"><span>${t("loop.told", { n: open })}</span><span class="grow"></span><span class="quiet-text" aria-hidden="true">${t("loop.legend")}</span></p>
    <div class="loops" role="region" tabIndex=${0} aria-label=${t("loop.line")}><div class="loops-inner" style=${{ minWidth: `${240 + line.length * CHAPTER_PX}px` }}>
      <div class="loop-row loop-axis"><span></span><ol class="loop-track" role="list" aria-label=${t("loop.scroll")}>${line.map((/** @type {any} */ it, /** @type {number} */ n) => html`<li key=${it.id} class=${`loop-chapter ${n + 1 > told ? "ahead" : ""}`} style=${place(n + 1, line.length)}>
        <a href=${pageOf(story, ["chapters", it.id])} title=${it.title} aria-label=${t("finding.where", { n: n + 1, title: it.title })}>${n + 1}</a></li>`)}</ol></div>
      <ul role="list" class="loop-rows">${all.map((/** @type {any} */ it) => html`<${LoopRow} key=${it.id} story=${story} it=${it} chapters=${line} told=${told} />`)}</ul></div></div>
  </div>`;
}

/** Where the middle of a chapter is on the line. @param {number} n @param {number} of */
const place = (n, of) => ({ left: `${((n - 0.5) / Math.max(1, of)) * 100}%` });

/** @param {{story: string, it: any, chapters: any[], told: number}} props */
function LoopRow({ story, it, chapters, told }) {
  const [name, tone, icon] = standingOf(it);
  const count = chapters.length;
  const from = it.introChapterOrder;
  const isClosed = it.status === "RESOLVED";
  const to = isClosed ? it.resolutionChapterOrder ?? from : it.status === "OPEN" ? Math.max(told, from ?? 1) : from;
  const ahead = isClosed ? null : it.resolutionChapterOrder;
  const words = [
    from ? t("loop.from", { n: from }) : t("loop.from_nowhere"), ...it.touched.map((/** @type {number} */ n) => t("loop.touched", { n })),
    it.dueChapterOrder && t("loop.due", { n: it.dueChapterOrder }), ahead && t("loop.planned", { n: ahead }), isClosed && (it.resolutionChapterOrder ? t("loop.closed", { n: it.resolutionChapterOrder }) : t("loop.closed_nowhere")),
    it.abandonReason && t("loop.abandoned", { reason: it.abandonReason }), it.openFor ? t("loop.open_for", { n: it.openFor }) : null,
  ].filter(Boolean);
  const mark = (/** @type {number} */ n, /** @type {string} */ kind, /** @type {string} */ sign) => html`<i key=${kind + n} class=${`loop-mark ${kind}`} style=${place(n, count)}>${sign}</i>`;
  return html`<li class=${`loop-row ${tone}`}><div class="loop-name"><strong>${it.title}</strong><span class=${`badge ${tone}`} title=${name === "urgent" || name === "overdue" ? t(`loop.${name}_why`) : undefined}><${Icon} name=${icon} />${t(`loop.is.${name}`)}</span></div>
    <div class="loop-track ticks" role="img" aria-label=${words.join("; ")} style=${{ backgroundSize: `${100 / Math.max(1, count)}% 100%` }}>
      ${from && to ? html`<i class=${`loop-bar ${name}`} style=${{ left: `${((from - 0.5) / count) * 100}%`, width: `${(Math.max(0, to - from) / count) * 100}%` }}></i>` : null}
      ${from ? mark(from, "opened", "●") : null}${it.touched.filter((/** @type {number} */ n) => n !== from && n !== it.resolutionChapterOrder).map((/** @type {number} */ n) => mark(n, "touched", "○"))}
      ${it.dueChapterOrder && it.dueChapterOrder !== it.resolutionChapterOrder ? mark(it.dueChapterOrder, "due", "⚑") : null}${it.resolutionChapterOrder ? mark(it.resolutionChapterOrder, isClosed ? "closed" : "planned", "✓") : null}</div>
    <div class="loop-more"><p class="quiet-text">${it.description ? html`<span class="muted">${it.description}</span> ` : null}${words.join(" · ")}</p><${Acts} story=${story} it=${it} chapters=${chapters} /></div></li>`;
}

/** @param {{story: string, it: any, chapters: any[]}} props */
function Acts({ story, it, chapters }) {
  const [isClosing, setClosing] = useState(false);
  if (it.isProposed) return html`<a class="button small" href=${pageOf(story, ["facts"])}>${t("chat.proposed")}</a>`;
  const put = async (/** @type {any} */ body) => {
    try {
      await change("PATCH", `/api/plotloops/${encodeURIComponent(it.id)}/status?projectId=${encodeURIComponent(story)}`, body);
      setClosing(false);
      return true;
    } catch (failure) {
      complain(failure);
      return false;
    }
  };
  const abandon = async () => {
    const answer = await ask({ title: t("loop.abandon_title", { title: it.title }), confirm: t("loop.abandon"), input: { label: t("loop.abandon_why"), place: `loop.${it.id}`, required: true, multiline: true } });
    if (answer && !await put({ status: "ABANDONED", abandonReason: answer.text.trim() })) answer.keep();
  };
  const named = (/** @type {string} */ words) => `${words}: ${it.title}`;
  if (it.status !== "OPEN") return html`<button type="button" class="button small" aria-label=${named(t("loop.reopen"))} onClick=${() => put({ status: "OPEN" })}><${Icon} name="again" />${t("loop.reopen")}</button>`;
  if (isClosing) {
    return html`<span class="row wrap"><label class="row"><span class="label">${t("loop.resolve_where")}</span><select class="select small" autofocus onChange=${(/** @type {any} */ event) => event.target.value && put({ status: "RESOLVED", resolutionChapterId: event.target.value })}>
      <option value="">${t("loop.choose")}</option>${chapters.map((row) => html`<option key=${row.id} value=${row.id}>${t("finding.where", { n: row.chapterOrder, title: row.title })}</option>`)}</select></label>
      <button type="button" class="button small quiet" onClick=${() => setClosing(false)}>${t("back")}</button></span>`;
  }
  return html`<span class="row"><button type="button" class="button small" aria-label=${named(t("loop.resolve"))} onClick=${() => setClosing(true)}><${Icon} name="check" />${t("loop.resolve")}</button>
    <button type="button" class="button small" aria-label=${named(t("loop.abandon"))} onClick=${abandon}><${Icon} name="stop" />${t("loop.abandon")}</button></span>`;
}
