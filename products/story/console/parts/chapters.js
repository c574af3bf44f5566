// @ts-check
/** The chapters by volumes, and the one that is open. */
import { html, useState } from "../../../vendor/preact.js";
import { freshId } from "../../../lib/api.js";
import { useFetched } from "../../../lib/fetched.js";
import { number } from "../../../lib/format.js";
import { t } from "../../../lib/i18n.js";
import { go } from "../../../lib/router.js";
import { ALL, change, of, pageOf, standings } from "../resources.js";
import { Icon } from "../../../parts/icons.js";
import { Broken, Loading } from "../../../parts/lazy.js";
import { complain } from "../../../parts/toasts.js";
import { Chapter } from "./chapter.js";

/** While a chapter is being read for facts, the list is read again this often, in milliseconds. */
const READING_MS = 2000;

/** @param {{story: string, item?: string}} props */
export function Chapters({ story, item }) {
  const [isReading, setReading] = useState(false);
  const chapters = useFetched(`${of(story)}/chapters?${ALL}`, isReading ? READING_MS : 0);
  const volumes = useFetched(`${of(story)}/volumes?${ALL}`);
  const all = chapters.value?.content;
  const reads = Boolean(all?.some((/** @type {any} */ it) => it.isRead === false));
  if (reads !== isReading && all) setReading(reads);
  if (chapters.failure && !all) return html`<${Broken} error=${chapters.failure} retry=${chapters.again} />`;
  if (!all || !volumes.value) return html`<${Loading} />`;
  const known = new Set(volumes.value.content.map((/** @type {any} */ it) => it.id));
  const groups = [
    ...volumes.value.content.map((/** @type {any} */ it) => ({ id: it.id, title: it.title, rows: all.filter((/** @type {any} */ row) => row.volumeId === it.id) })),
    { id: "", title: known.size ? t("chapter.loose") : "", rows: all.filter((/** @type {any} */ row) => !known.has(row.volumeId)) },
  ].filter((it) => it.rows.length || it.id);
  const open = all.find((/** @type {any} */ it) => it.id === item);
  return html`<div class=${`story-two ${item ? "has-item" : ""}`}>
    <aside class="story-side" aria-label=${t("story.part.chapters")}>
      ${all.length ? null : html`<div class="empty"><${Icon} name="file" /><p>${t("chapter.none")}</p><p class="quiet-text">${t("chapter.none_hint")}</p></div>`}
      ${groups.map((it) => html`<section key=${it.id} class="story-volume">${it.title ? html`<h2>${it.title}</h2>` : null}
        <ol class="chapter-list" role="list">${it.rows.map((/** @type {any} */ row) => html`<${Row} key=${row.id} story=${story} row=${row} isOpen=${row.id === item} />`)}</ol></section>`)}
      <${NewChapter} story=${story} />
    </aside>
    ${open ? html`<${Chapter} key=${open.id} story=${story} chapter=${open} />`
      : html`<section class="story-main"><div class="empty"><p class="quiet-text">${t(item ? "story.missing" : all.length ? "chapter.choose" : "chapter.none")}</p></div></section>`}
  </div>`;
}

/** @param {{story: string, row: any, isOpen: boolean}} props */
function Row({ story, row, isOpen }) {
  return html`<li><a class="chapter-row" href=${pageOf(story, ["chapters", row.id])} aria-current=${isOpen ? "true" : undefined}>
    <span class="chapter-number number" aria-hidden="true">${row.chapterOrder ?? "–"}</span>
    <span class="grow"><span class="chapter-title">${row.title || t("chapter.number", { n: row.chapterOrder })}</span>
      <span class="row wrap chapter-facts"><${Standings} chapter=${row} /><span class="quiet-text number">${t("story.list.words", { n: number(row.wordCount) })}</span></span></span></a></li>`;
}

/** @param {{chapter: any}} props */
export function Standings({ chapter }) {
  return html`${standings(chapter).map((it) => html`<span key=${it.name} class=${`badge ${it.tone}`}><${Icon} name=${it.icon} />${t(`chapter.is.${it.name}`)}</span>`)}`;
}

/** @param {{story: string}} props */
function NewChapter({ story }) {
  const [title, setTitle] = useState("");
  const send = async (/** @type {Event} */ event) => {
    event.preventDefault();
    if (!title.trim()) return;
    try {
      const made = await change("POST", `${of(story)}/chapters`, { title: title.trim() }, { "idempotency-key": freshId("chapter") });
      setTitle("");
      go(["stories", story, "chapters", made.id]);
    } catch (failure) {
      complain(failure);
    }
  };
  return html`<form class="row chapter-new" aria-label=${t("chapter.new")} onSubmit=${send}><label class="grow"><span class="sr-only">${t("chapter.new_title")}</span>
    <input class="input" placeholder=${t("chapter.new_title")} value=${title} onInput=${(/** @type {any} */ event) => setTitle(event.target.value)} /></label>
    <button class="button" disabled=${!title.trim()}><${Icon} name="plus" />${t("chapter.new_do")}</button></form>`;
}
