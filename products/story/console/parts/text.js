// @ts-check
/** The text of a chapter. Findings are marked at their sentences; a mark opens its finding. */
import { html, useEffect, useMemo, useRef, useState } from "../../../vendor/preact.js";
import { paragraphsOf, placed } from "../passages.js";
import { t } from "../../../lib/i18n.js";
import { route, turn } from "../../../lib/router.js";
import { severities } from "../resources.js";
import { Icon } from "../../../parts/icons.js";
import { FindingCard } from "./finding.js";

/** @type {any[]} */
const NONE = [];

/** The key of the sentence that a link leads to. */
const QUOTE = "quote";

/** @param {{story: string, chapter: any, text: any, findings: any[]|undefined, opened?: string}} props `findings`: until they are known, none is marked */
export function ChapterText({ story, chapter, text, findings: known, opened }) {
  const { quote = "", start = "0" } = route.value.query;
  const box = useRef(/** @type {HTMLElement|null} */ (null));
  const [open, setOpen] = useState(/** @type {Set<string>} */ (new Set(opened ? [opened] : [])));
  const content = text.content;
  const findings = known ?? NONE;
  const byKey = new Map(findings.map((it) => [it.id, it]));
  const places = useMemo(() => placed(content, findings.map((it) => ({ key: it.id, sentence: it.said?.sentence ?? "", start: it.said?.start ?? 0 })).concat({ key: QUOTE, sentence: quote, start: Number(start) || 0 })), [content, findings, quote, start]);
  const paragraphs = useMemo(() => paragraphsOf(content, places), [content, places]);
  const isThere = Boolean(opened && places.has(opened));
  const isQuoted = places.has(QUOTE);
  useEffect(() => { if (isQuoted) box.current?.querySelector(".quoted")?.scrollIntoView({ block: "center" }); }, [quote, isQuoted]);
  useEffect(() => {
    if (!opened || !isThere) return;
    setOpen((/** @type {Set<string>} */ before) => new Set(before).add(opened));
    const sign = /** @type {HTMLElement|null|undefined} */ (box.current?.querySelector(`[data-finding="${CSS.escape(opened)}"]`));
    sign?.scrollIntoView({ block: "center" });
    sign?.focus({ preventScroll: true });
  }, [opened, isThere]);
  if (!content.trim()) {
    return html`<div class="empty"><${Icon} name="pencil" /><p>${t("chapter.empty")}</p><p class="quiet-text">${t("chapter.empty_hint")}</p>
      <button class="button primary" disabled=${chapter.locked} onClick=${() => turn({ edit: 1 })}>${t("chapter.write")}</button></div>`;
  }
  const toggle = (/** @type {string} */ key) => setOpen((/** @type {Set<string>} */ before) => {
    const after = new Set(before);
    if (!after.delete(key)) after.add(key);
    return after;
  });
  const elsewhere = findings.filter((it) => !places.has(it.id));
  const sign = (/** @type {string} */ key) => {
    const it = byKey.get(key);
    const [tone, icon] = severities[it.severity] ?? severities.INFO;
    return html`<button key=${key} type="button" class=${`finding-sign ${tone}`} data-finding=${key} aria-expanded=${open.has(key) ? "true" : "false"} aria-label=${`${t(`finding.${it.severity}`)}: ${it.description}`} title=${it.description} onClick=${() => toggle(key)}><${Icon} name=${icon} /></button>`;
  };
  const segment = (/** @type {import("../passages.js").Segment} */ it, /** @type {number} */ n) => {
    if (!it.keys.length) return it.text;
    const isQuote = it.keys.includes(QUOTE);
    if (isQuote && it.keys.length === 1) return html`<mark key=${n} class="quoted">${it.text}</mark>`;
    const worst = ["ERROR", "WARNING", "INFO"].find((severity) => it.keys.some((key) => byKey.get(key)?.severity === severity)) ?? "INFO";
    return html`<mark key=${n} class=${`finding-mark ${severities[worst][0]} ${isQuote ? "quoted" : ""}`}>${it.text}</mark>${it.ends.filter((key) => key !== QUOTE).map(sign)}`;
  };
  return html`<div class="chapter-scroll" ref=${box} tabIndex=${0} role="region" aria-label=${t("chapter.text")}>
    ${chapter.acceptedVersion && chapter.acceptedVersion !== chapter.draftVersion ? html`<p class="notice">${t("chapter.shown_draft", { draft: chapter.draftVersion, accepted: chapter.acceptedVersion })}</p>` : null}
    ${known && opened && !byKey.has(opened) ? html`<p class="notice">${t("finding.gone")}</p>` : null}
    ${findings.length ? html`<p class="quiet-text chapter-found">${t("finding.in_chapter", { n: findings.length })}</p>` : null}
    <div class="story-prose" lang=${/[\u4e00-\u9fff]/.test(content) ? "zh" : undefined}>${paragraphs.map((it) => {
      const ends = it.segments.flatMap((one) => one.ends).filter((key) => open.has(key));
      const inner = it.segments.map(segment);
      return html`${it.is === "heading" ? html`<h3 key=${it.start}>${inner}</h3>` : it.is === "break" ? html`<hr key=${it.start} />` : html`<p key=${it.start}>${inner}</p>`}
        ${ends.map((key) => html`<${FindingCard} key=${`card ${key}`} story=${story} finding=${byKey.get(key)} isHere=${true} at=${places.get(key)?.from} onClose=${() => toggle(key)} />`)}`;
    })}</div>
    ${elsewhere.length ? html`<section class="chapter-elsewhere"><h3>${t("finding.elsewhere")}</h3>${elsewhere.map((it) => html`<${FindingCard} key=${it.id} story=${story} finding=${it} isHere=${true} />`)}</section>` : null}
  </div>`;
}
