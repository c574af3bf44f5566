// @ts-check
/** A story: its head, and the part of it that is shown. */
import { html, useEffect, useRef } from "../../vendor/preact.js";
import { useFetched } from "../../lib/fetched.js";
import { number } from "../../lib/format.js";
import { language, named, t } from "../../lib/i18n.js";
import { request } from "../../lib/api.js";
import { of, pageOf } from "./resources.js";
import { chatOf } from "./chat.js";
import { Icon } from "../../parts/icons.js";
import { Broken, Loading, Lazy } from "../../parts/lazy.js";
import { Menu } from "../../parts/menu.js";
import { complain } from "../../parts/toasts.js";

/** The parts in the order of their work: each with its sign and how it is loaded. @type {Record<string, [string, () => Promise<any>]>} */
const parts = {
  chapters: ["file", () => import("./parts/chapters.js").then((it) => it.Chapters)],
  characters: ["people", () => import("./parts/characters.js").then((it) => it.Characters)],
  loops: ["loop", () => import("./parts/loops.js").then((it) => it.Loops)],
  findings: ["alert", () => import("./parts/findings.js").then((it) => it.Findings)],
  facts: ["spark", () => import("./parts/facts.js").then((it) => it.Facts)],
  chat: ["chat", () => import("./parts/chat.js").then((it) => it.Chat)],
};

/** How often the counts beside the parts are read again, in milliseconds: agents and other people change a story too. */
const AGAIN_MS = 15_000;

/** @param {{path: string[]}} props `path`: the story, its part, an item of the part */
export function Story({ path: [story, part = "chapters", item] }) {
  const shown = Object.hasOwn(parts, part) ? part : "chapters";
  const project = useFetched(of(story), AGAIN_MS);
  const counts = useFetched(`/api/consistency/projects/${encodeURIComponent(story)}/warnings/count?drafts=true`);
  const facts = useFetched(`${of(story)}/facts?state=new&size=1`, AGAIN_MS);
  const loops = useFetched(`/api/plotloops/project/${encodeURIComponent(story)}?pressing=true&size=1`);
  const it = project.value;
  const ways = useRef(/** @type {HTMLElement|null} */ (null));
  const isKnown = Boolean(it);
  // Narrow screens have no room for the names of all parts: the one of the shown part is scrolled into view.
  useEffect(() => { ways.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" }); }, [shown, isKnown]);
  useEffect(() => { document.title = `${it?.title || t("story.one")} · ${t(`story.part.${shown}`)} · Palimpsest`; }, [it?.title, shown, language.value]);
  if (project.failure && !it) {
    return project.failure.status === 404 || project.failure.status === 410
      ? html`<div class="empty" role="alert"><h1>${t("story.missing")}</h1><p class="quiet-text">${t("story.missing_hint")}</p><a class="button" href="#/stories">${t("story.back")}</a></div>`
      : html`<${Broken} error=${project.failure} heading=${t("story.one")} retry=${project.again} />`;
  }
  if (!it) return html`<${Loading} heading=${t("story.one")} />`;
  const chat = chatOf(story);
  /** @type {Record<string, [number|undefined, string]>} */
  const told = { findings: [counts.value?.total, "story.open_findings"], facts: [facts.value?.totalElements, "story.new_facts"], loops: [loops.value?.totalElements, "story.open_loops"] };
  return html`<div class="story">
    <header class="story-head">
      <a class="button quiet icon small" href="#/stories" aria-label=${t("story.back")} title=${t("story.back")}><${Icon} name="back" /></a>
      <h1 class="ellipsis" title=${it.title}>${it.title || t("story.untitled")}</h1>
      <span class="badge">${named("phase", it.creationPhase)}</span><span class="quiet-text number story-count">${t("story.list.words", { n: number(it.wordCount) })}</span><span class="grow"></span>
      <${Menu} label=${t("story.export")} icon="download" small=${true} items=${["json", "md", "docx", "epub"].map((format) => ({ label: t(`story.export_${format}`), icon: "download", run: () => void save(story, it.title, format) }))} />
    </header>
    <nav class="story-parts" ref=${ways} aria-label=${t("story.parts")}>${Object.entries(parts).map(([name, [icon]]) => {
      const [count, words] = told[name] ?? [];
      return html`<a key=${name} class="story-part" href=${pageOf(story, [name])} aria-current=${name === shown ? "page" : undefined}><${Icon} name=${icon} /><span>${t(`story.part.${name}`)}</span>
        ${count ? html`<span class="count" aria-hidden="true">${count > 99 ? "99+" : count}</span><span class="sr-only">${t(words, { n: count })}</span>` : null}
        ${name === "chat" && chat.working ? html`<span class="spinner" role="img" aria-label=${t("chat.working")}></span>` : null}</a>`;
    })}</nav>
    <${Lazy} key=${shown} load=${parts[shown][1]} story=${story} project=${it} item=${item} />
  </div>`;
}

/** Saves a story as a file. @param {string} story @param {string} title @param {string} format */
async function save(story, title, format) {
  try {
    const response = await request(`${of(story)}/export?format=${format}`);
    const url = URL.createObjectURL(await response.blob());
    const link = Object.assign(document.createElement("a"), { href: url, download: `${title || story}.${format}` });
    link.click();
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
  } catch (failure) {
    complain(failure);
  }
}
