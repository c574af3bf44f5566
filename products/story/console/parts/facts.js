// @ts-check
/** Facts from accepted chapters, and proposals of agents: each can be accepted or refused. */
import { html, useState } from "../../../vendor/preact.js";
import { remove } from "../../../lib/api.js";
import { touched, useFetched } from "../../../lib/fetched.js";
import { humane } from "../../../lib/format.js";
import { named, t } from "../../../lib/i18n.js";
import { route, turn } from "../../../lib/router.js";
import { ALL, change, of, pageOf } from "../resources.js";
import { ask } from "../../../parts/dialog.js";
import { Icon } from "../../../parts/icons.js";
import { Broken, Loading } from "../../../parts/lazy.js";
import { complain, tell } from "../../../parts/toasts.js";

/** How often facts are read again while chapters are being read, in milliseconds. */
const READING_MS = 2000;

const STATES = ["new", "taken", "refused"];

/** @param {{story: string}} props */
export function Facts({ story }) {
  const asked = route.value.query.state ?? "new";
  const state = STATES.includes(asked) ? asked : "new";
  const [isReading, setReading] = useState(false);
  const every = isReading ? READING_MS : 0;
  const facts = useFetched(`${of(story)}/facts?state=${state}&${ALL}`, every);
  const chapters = useFetched(`${of(story)}/chapters?${ALL}`, every);
  const proposals = useFetched(`${of(story)}/entries?standing=proposed&${ALL}`);
  const unread = (chapters.value?.content ?? []).filter((/** @type {any} */ it) => it.isRead === false);
  if (chapters.value && unread.length > 0 !== isReading) setReading(unread.length > 0);
  if (facts.failure && !facts.value) return html`<${Broken} error=${facts.failure} retry=${facts.again} />`;
  if (!facts.value) return html`<${Loading} />`;
  const judge = async (/** @type {"taken"|"refused"} */ how, /** @type {any[]} */ rows) => {
    try {
      await change("POST", `${of(story)}/facts`, { [how]: rows.map((it) => it.id) });
      tell({ tone: "good", text: t(how === "taken" ? "fact.took" : "fact.declined", { n: rows.length }) });
    } catch (failure) {
      complain(failure);
    }
  };
  /** @type {Map<string, any[]>} */
  const groups = new Map();
  for (const it of facts.value.content) groups.set(it.chapterId, [...(groups.get(it.chapterId) ?? []), it]);
  return html`<div class="story-page">
    ${unread.length ? html`<div class="notice" role="status"><span class="spinner" aria-hidden="true"></span><div><strong>${t("fact.unread")}</strong>: ${unread.map((/** @type {any} */ it) => t("finding.where", { n: it.chapterOrder, title: it.title })).join("; ")}<p class="quiet-text">${t("fact.unread_why")}</p></div></div>` : null}
    <${Proposals} story=${story} rows=${proposals.value?.content ?? []} />
    <div class="canvas-views story-states" role="group" aria-label=${t("fact.state")}>${STATES.map((it) => html`<button key=${it} type="button" class="button small quiet" aria-pressed=${it === state ? "true" : "false"} onClick=${() => turn({ state: it === "new" ? "" : it })}>${t(`fact.${it}`)}</button>`)}</div>
    ${groups.size ? [...groups].map(([chapter, rows]) => html`<section key=${chapter} class="card fact-group" aria-label=${rows[0].chapterTitle}>
        <header class="row wrap"><h2 class="grow">${t("finding.where", { n: rows[0].chapterOrder ?? "–", title: rows[0].chapterTitle })}</h2>
          ${state === "taken" ? null : html`<button type="button" class="button small" onClick=${() => judge("taken", rows)}><${Icon} name="check" />${t("fact.take_all")}</button>`}
          ${state === "refused" ? null : html`<button type="button" class="button small" onClick=${() => judge("refused", rows)}><${Icon} name="cross" />${t("fact.refuse_all")}</button>`}</header>
        <ul class="fact-list" role="list">${rows.map((it) => html`<${Fact} key=${it.id} story=${story} it=${it} state=${state} judge=${judge} />`)}</ul></section>`)
      : html`<div class="empty"><${Icon} name="spark" /><p>${t(`fact.none.${state}`)}</p>${state === "new" ? html`<p class="quiet-text">${t("fact.none.new_hint")}</p>` : null}</div>`}
  </div>`;
}

/** The text of a fact. @param {any} it */
export function wordsOf(it) {
  const { type, ...fields } = it.says;
  const names = new Map(it.concerns.map((/** @type {any} */ one) => [one.id, one.name || one.id]));
  const told = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, names.get(value) ?? value]));
  const words = t(`fact.says.${type}`, told);
  // A kind of fact from a newer server is shown by its fields.
  return words.startsWith("fact.says.") ? `${humane(type)}: ${Object.values(told).join(", ")}` : words;
}

/** @param {any} props */
function Fact({ story, it, state, judge }) {
  const words = wordsOf(it);
  return html`<li class="fact"><div class="grow"><p>${words}</p><blockquote class="passage"><p>${it.quote.text}</p></blockquote>
      <p class="quiet-text row wrap"><span>${it.by === "rules" ? t("fact.by_rules") : t("fact.by", { by: it.by })}</span><a href=${pageOf(story, ["chapters", it.chapterId], { quote: it.quote.text, start: it.quote.start })}>${t("fact.look")}</a></p></div>
    <div class="row">${state === "taken" ? null : html`<button type="button" class="button small primary" aria-label=${`${t("fact.take")}: ${words}`} onClick=${() => judge("taken", [it])}><${Icon} name="check" />${t("fact.take")}</button>`}
      ${state === "refused" ? null : html`<button type="button" class="button small" aria-label=${`${t("fact.refuse")}: ${words}`} onClick=${() => judge("refused", [it])}><${Icon} name="cross" />${t("fact.refuse")}</button>`}</div></li>`;
}

/** @param {{story: string, rows: any[]}} props */
function Proposals({ story, rows }) {
  if (!rows.length) return null;
  const nameOf = (/** @type {any} */ it) => it.name || it.title || it.type || it.id;
  const path = (/** @type {any} */ it) => `${of(story)}/entries/${encodeURIComponent(it.id)}`;
  const take = async (/** @type {any} */ it) => {
    try {
      await change("PUT", path(it), { standing: "fact" }, { "if-match": `"${it.version}"` });
      tell({ tone: "good", text: t("fact.proposal_took", { name: nameOf(it) }) });
    } catch (failure) {
      complain(failure);
      touched();
    }
  };
  const refuse = async (/** @type {any} */ it) => {
    if (!await ask({ title: t("fact.proposal_refuse_title", { name: nameOf(it) }), text: t("fact.proposal_refuse_text"), confirm: t("fact.proposal_refuse"), danger: true })) return;
    await remove(path(it)).catch(complain);
    touched();
  };
  return html`<section class="card fact-group" aria-label=${t("fact.proposals")}><h2>${t("fact.proposals")}</h2><p class="quiet-text">${t("fact.proposals_why")}</p>
    <ul class="fact-list" role="list">${rows.map((it) => html`<li key=${it.id} class="fact"><div class="grow"><p><span class="badge">${named("kind", it.kind)}</span> <strong>${nameOf(it)}</strong></p>
        ${it.description || it.summary || it.content ? html`<p class="muted story-clamp">${it.description || it.summary || it.content}</p>` : null}</div>
      <div class="row wrap"><button type="button" class="button small primary" aria-label=${`${t("fact.proposal_take")}: ${nameOf(it)}`} onClick=${() => take(it)}><${Icon} name="check" />${t("fact.proposal_take")}</button>
        <button type="button" class="button small" aria-label=${`${t("fact.proposal_refuse")}: ${nameOf(it)}`} onClick=${() => refuse(it)}><${Icon} name="cross" />${t("fact.proposal_refuse")}</button></div></li>`)}</ul></section>`;
}
