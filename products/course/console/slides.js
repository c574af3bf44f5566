// @ts-check
// Slides: one page large, all pages as a filmstrip, the speaker notes. Pages are drawn in frames without scripts that the server gives
// a policy of their own; the pictures of the export serve as thumbnails where there are any.

import { html, useCallback, useEffect, useMemo, useRef, useState } from "../../vendor/preact.js";
import { t } from "../../lib/i18n.js";
import { useAddress, withQuery } from "../../canvas/content.js";
import { Icon } from "../../canvas/icons.js";
import { Slide, Thumbnail } from "./slide.js";

/**
 * @typedef {{key: string, title: string, artifact: string, page?: number, notes?: string, picture?: string}} PageRef
 */

/** The number of an item; items that are no numbers come last. @param {any} artifact */
const place = (artifact) => (/^\d+$/.test(artifact.item) ? Number(artifact.item) : Number.MAX_SAFE_INTEGER);

/** @param {any} model @param {string[]} ids */
const known = (model, ids) => ids.map((id) => model.artifacts.get(id)).filter(Boolean);

/**
 * The pages of all slides, each with its title and its picture, which are in other artifacts.
 * @param {any} model @param {any} artifact @param {any} value
 * @returns {PageRef[]}
 */
export function pagesOf(model, artifact, value) {
  const sources = known(model, artifact.from).filter((it) => it.item !== "" && it.kind !== artifact.kind);
  const pieces = sources.filter((it) => place(it) <= value.pages.length);
  const pictures = picturesOf(model, pieces);
  return value.pages.map((/** @type {any} */ page, /** @type {number} */ n) => {
    const piece = pieces.find((it) => place(it) === n + 1);
    const title = page.title ?? piece?.title ?? "";
    return { key: String(n), title, artifact: artifact.artifact, page: n + 1, notes: notesOf(page), picture: pictures.get(n + 1) };
  });
}

/** Pictures by the number of their page, if they were made from exactly these pages. @param {any} model @param {any[]} pieces @returns {Map<number, string>} */
function picturesOf(model, pieces) {
  const pictures = new Map();
  if (!pieces.length) return pictures;
  for (const other of model.artifacts.values()) {
    if (!other.part || !other.blob?.media_type.startsWith("image/")) continue;
    if (pieces.every((it) => other.from.includes(it.artifact))) pictures.set(place({ item: other.part }), other.artifact);
  }
  return pictures;
}

/** @param {any} page */
const notesOf = (page) => [page?.speakNotes, page?.notes].find((it) => typeof it === "string") ?? "";

/** Slides as one document. @param {any} props */
export function Slides({ model, artifact, value }) {
  const [n, setN] = useState(0);
  const pages = useMemo(() => pagesOf(model, artifact, value), [artifact.artifact, model.artifacts]);
  const at = Math.min(n, pages.length - 1);
  return html`<${Pages} pages=${pages} at=${at} onAt=${setN} notes=${pages[at].notes} whole=${artifact.artifact} />`;
}

/** One page with its siblings, which may still be in the making. @param {any} props */
export function Page({ model, artifact, value, onFocus }) {
  const pages = useMemo(() => siblings(model, artifact), [artifact, model]);
  const at = Math.max(0, pages.findIndex((/** @type {PageRef} */ it) => it.artifact === artifact.artifact));
  return html`<${Pages} pages=${pages} at=${at} onAt=${(/** @type {number} */ n) => onFocus?.(pages[n].artifact)} notes=${notesOf(value)} />`;
}

/**
 * The current pages beside this one; only this one if it is no longer current.
 * @param {any} model @param {any} artifact
 * @returns {PageRef[]}
 */
export function siblings(model, artifact) {
  const counting = known(model, model.runs.get(artifact.run)?.artifacts ?? []).filter((it) => it.kind === artifact.kind && it.stage === artifact.stage);
  const all = counting.some((it) => it.artifact === artifact.artifact) ? counting : [artifact];
  return all.sort((a, b) => place(a) - place(b)).map((it) => ({ key: it.artifact, title: it.title, artifact: it.artifact }));
}

/** @param {{pages: PageRef[], at: number, onAt: (n: number) => void, notes: string, whole?: string}} props */
function Pages({ pages, at, onAt, notes, whole }) {
  const [isOpen, setOpen] = useState(true);
  const stage = useRef(/** @type {HTMLElement | null} */ (null));
  const go = useCallback((/** @type {number} */ n) => { if (n >= 0 && n < pages.length && n !== at) onAt(n); }, [pages, at, onAt]);
  const fill = () => (document.fullscreenElement ? document.exitFullscreen() : stage.current?.requestFullscreen?.());
  /** @param {KeyboardEvent} event */
  const press = (event) => {
    // Notes scroll with these keys, and form fields use them.
    if (event.ctrlKey || event.metaKey || event.altKey || /** @type {HTMLElement} */ (event.target).closest(".slides-notes, select")) return;
    const act = { ArrowRight: () => go(at + 1), ArrowDown: () => go(at + 1), PageDown: () => go(at + 1), ArrowLeft: () => go(at - 1), ArrowUp: () => go(at - 1),
      PageUp: () => go(at - 1), Home: () => go(0), End: () => go(pages.length - 1), n: () => setOpen(!isOpen), f: () => void fill() }[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  };
  const label = (/** @type {number} */ n) => `${n + 1} / ${pages.length}${pages[n].title ? `: ${pages[n].title}` : ""}`;
  return html`<div class="slides" onKeyDown=${press}>
    <div class="slides-main">
      <figure class="slides-stage" ref=${stage} tabIndex="0" aria-roledescription=${t("course.slide")} aria-label=${label(at)}>
        <${Slide} page=${pages[at]} before=${pages[at - 1]} after=${pages[at + 1]} label=${label(at)} />
      </figure>
      <div class="slides-bar">
        <button type="button" class="button small icon quiet" disabled=${at === 0} onClick=${() => go(at - 1)} aria-label=${t("course.previous_page")}><${Icon} name="left" /></button>
        <span class="number slides-count" aria-live="polite"><span class="sr-only">${t("course.page_of", { n: at + 1, of: pages.length })}</span><span aria-hidden="true">${at + 1} / ${pages.length}</span></span>
        <button type="button" class="button small icon quiet" disabled=${at === pages.length - 1} onClick=${() => go(at + 1)} aria-label=${t("course.next_page")}><${Icon} name="right" /></button>
        <span class="ellipsis grow slides-title" title=${pages[at].title}>${pages[at].title}</span>
        <button type="button" class="button small quiet" aria-pressed=${isOpen ? "true" : "false"} onClick=${() => setOpen(!isOpen)}><${Icon} name="notes" />${t("course.notes")}</button>
        ${whole && html`<${Present} artifact=${whole} page=${at + 1} />`}
        <button type="button" class="button small icon quiet" onClick=${fill} aria-label=${t("course.fullscreen")} title=${t("course.fullscreen")}><${Icon} name="expand" /></button>
      </div>
      ${isOpen && html`<section class="slides-notes" aria-label=${t("course.notes")} tabIndex="0">
        ${notes ? notes.split(/\n+/).map((line) => html`<p>${line}</p>`) : html`<p class="quiet-text">${t("course.no_notes")}</p>`}</section>`}
    </div>
    ${pages.length > 1 && html`<${Strip} pages=${pages} at=${at} label=${label} onAt=${go} />`}
  </div>`;
}

/** Whether the person's system asks for reduced motion. */
const isCalm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** The slides as their audience sees them, in a window of its own. @param {{artifact: string, page: number}} props */
function Present({ artifact, page }) {
  const address = useAddress(artifact);
  return address && html`<a class="button small quiet" href=${`${withQuery(address, { as: "html" })}#${page}`} target="_blank" rel="noopener noreferrer">
    <${Icon} name="open" />${t("course.present")}</a>`;
}

/** @param {{pages: PageRef[], at: number, label: (n: number) => string, onAt: (n: number) => void}} props */
function Strip({ pages, at, label, onAt }) {
  const list = useRef(/** @type {HTMLOListElement | null} */ (null));
  useEffect(() => {
    const box = list.current;
    const one = /** @type {HTMLElement | undefined} */ (box?.children[at]);
    if (!box || !one) return;
    if (box.contains(document.activeElement)) one.querySelector("button")?.focus({ preventScroll: true });
    // Only the strip is moved: scrollIntoView would move the window on narrow screens.
    box.scrollTo({ left: one.offsetLeft - (box.clientWidth - one.clientWidth) / 2, top: one.offsetTop - (box.clientHeight - one.clientHeight) / 2, behavior: isCalm() ? "auto" : "smooth" });
  }, [at]);
  return html`<ol class="slides-strip" role="list" ref=${list} aria-label=${t("course.pages")}>
    ${pages.map((page, n) => html`<li key=${page.key}><button type="button" class="slides-thumb" aria-current=${n === at ? "true" : undefined} tabIndex=${n === at ? 0 : -1}
      aria-label=${label(n)} title=${label(n)} onClick=${() => onAt(n)}><${Thumbnail} page=${page} /><span class="slides-number number" aria-hidden="true">${n + 1}</span></button></li>`)}
  </ol>`;
}
