// @ts-check
/** One chapter: its text with the findings, its versions, and its plan; it can be accepted and locked. */
import { html, useState } from "../../../vendor/preact.js";
import { useFetched } from "../../../lib/fetched.js";
import { kept } from "../../../lib/drafts.js";
import { number } from "../../../lib/format.js";
import { t } from "../../../lib/i18n.js";
import { route, turn } from "../../../lib/router.js";
import { ALL, change, ofChapter, pageOf, textPlace } from "../resources.js";
import { Icon } from "../../../parts/icons.js";
import { Broken, Loading } from "../../../parts/lazy.js";
import { complain, tell } from "../../../parts/toasts.js";
import { Standings } from "./chapters.js";
import { ChapterText } from "./text.js";
import { Versions } from "./versions.js";
import { Writing } from "./writing.js";

const VIEWS = ["text", "versions", "plan"];

/** @param {{story: string, chapter: any}} props */
export function Chapter({ story, chapter }) {
  const { view: wanted = "text", edit, finding } = route.value.query;
  const view = VIEWS.includes(wanted) ? wanted : "text";
  const path = ofChapter(story, chapter.id);
  // Read again whenever the chapter has another draft, whoever wrote it.
  const text = useFetched(`${path}/content?draft=${chapter.draftVersion}`);
  const found = useFetched(`/api/consistency/projects/${encodeURIComponent(story)}/warnings?drafts=true&chapterId=${encodeURIComponent(chapter.id)}&${ALL}`);
  const [isBusy, setBusy] = useState(false);
  const [, redraw] = useState(0);
  const act = async (/** @type {() => Promise<string>} */ work) => {
    if (isBusy) return;
    setBusy(true);
    try {
      tell({ tone: "good", text: await work() });
    } catch (failure) {
      complain(failure);
    } finally {
      setBusy(false);
    }
  };
  const accept = (/** @type {number} */ version) => act(async () => {
    await change("POST", `${path}/accept`, { version });
    return t("chapter.accepted", { n: version });
  });
  const lock = () => act(async () => {
    await change("POST", `${path}/lock`, { locked: !chapter.locked });
    return t(chapter.locked ? "chapter.unlocked" : "chapter.locked");
  });
  const isWriting = Boolean(edit) || (kept(textPlace(story, chapter.id)) && view === "text" && !chapter.locked);
  const isNew = chapter.draftVersion > 0 && chapter.acceptedVersion !== chapter.draftVersion;
  const title = chapter.title || t("chapter.number", { n: chapter.chapterOrder });
  return html`<section class="story-main chapter" aria-label=${title}>
    <header class="chapter-head"><a class="button quiet icon small chapter-back" href=${pageOf(story, ["chapters"])} aria-label=${t("chapter.back")} title=${t("chapter.back")}><${Icon} name="back" /></a>
      <div class="grow"><h2>${title}</h2>
        <p class="row wrap"><span class="quiet-text">${t("chapter.number", { n: chapter.chapterOrder })}</span><${Standings} chapter=${chapter} /><span class="quiet-text number">${t("story.list.words", { n: number(chapter.wordCount) })}</span></p></div>
      <div class="row wrap chapter-acts">
        <button class="button small" disabled=${chapter.locked || isWriting} title=${chapter.locked ? t("chapter.locked_why") : undefined} onClick=${() => turn({ view: "", edit: 1, at: "", finding: "" })}><${Icon} name="pencil" />${t(chapter.draftVersion ? "chapter.edit" : "chapter.write")}</button>
        <button class="button small" disabled=${isBusy || !isNew} onClick=${() => accept(chapter.draftVersion)}><${Icon} name="check" />${t("chapter.accept")}</button>
        <button class="button small" disabled=${isBusy} aria-pressed=${chapter.locked ? "true" : "false"} onClick=${lock}><${Icon} name="lock" />${t(chapter.locked ? "chapter.unlock" : "chapter.lock")}</button></div>
    </header>
    <div class="canvas-views" role="group" aria-label=${t("chapter.views")}>${VIEWS.map((it) => html`<button key=${it} type="button" class="button small quiet" aria-pressed=${it === view ? "true" : "false"} onClick=${() => turn({ view: it === "text" ? "" : it, edit: "", finding: "" })}>${t(`chapter.${it}`)}</button>`)}</div>
    ${view === "versions" ? html`<${Versions} story=${story} chapter=${chapter} onAccept=${accept} />`
      : view === "plan" ? html`<${Plan} chapter=${chapter} />`
      : text.failure && !text.value ? html`<${Broken} error=${text.failure} retry=${text.again} />`
      : !text.value ? html`<${Loading} />`
      : isWriting && !chapter.locked ? html`<${Writing} story=${story} chapter=${chapter} text=${text.value} onLeave=${() => redraw((/** @type {number} */ n) => n + 1)} />`
      : html`<${ChapterText} story=${story} chapter=${chapter} text=${text.value} findings=${found.value?.content} opened=${finding} />`}
  </section>`;
}

/** @param {{chapter: any}} props */
function Plan({ chapter }) {
  const rows = [[t("chapter.summary"), chapter.summary], [t("chapter.date"), chapter.date], [t("chapter.events"), chapter.keyEvents?.length ? html`<ul>${chapter.keyEvents.map((/** @type {string} */ it) => html`<li>${it}</li>`)}</ul>` : ""]];
  const told = rows.filter(([, value]) => value);
  return html`<div class="chapter-scroll" tabIndex=${0} role="region" aria-label=${t("chapter.plan")}>${told.length ? html`<dl class="facts">${told.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>` : html`<p class="quiet-text">–</p>`}</div>`;
}
