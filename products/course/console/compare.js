// @ts-check
// Two sets of slides page by page: the pages as they look, and below them the words that differ on them and in their notes.

import { html, useMemo, useState } from "../../vendor/preact.js";
import { t } from "../../lib/i18n.js";
import { pagesOf } from "./slides.js";
import { pairsOf } from "../../canvas/diff.js";
import { Differences } from "../../canvas/differences.js";
import { plain } from "../../canvas/prose.js";
import { Thumbnail } from "./slide.js";
import { isSlides } from "./index.js";

/**
 * @typedef {import("./slides.js").PageRef & {html: string, n: number}} ComparedPage
 */

/** @param {any} model @param {any} artifact @param {any} value @returns {ComparedPage[]} */
function pages(model, artifact, value) {
  if (!isSlides(value)) return [{ key: "0", n: 1, title: artifact.title, artifact: artifact.artifact, notes: value.speakNotes ?? "", html: value.html }];
  // The pictures of an export are too small to compare by; the pages themselves are shown.
  return pagesOf(model, artifact, value).map((it, n) => ({ ...it, picture: undefined, n: n + 1, html: value.pages[n].html }));
}

/** Tags within a line of text; every other tag ends the line. */
const INLINE = /<\/?(?:strong|em|b|i|u|a|code|sub|sup|small|mark)\b[^>]*>/gi;

/** The words on a page, line by line. Only read as text: the page's markup is never given to a parser of the browser. @param {string} source */
export function wordsOn(source) {
  const marked = source.replace(/<!--[\s\S]*?-->/g, "").replace(/<(style|script)\b[\s\S]*?<\/\1\s*>/gi, "");
  const lines = marked.replace(INLINE, "").replace(/<[^>]*>/g, "\n").split("\n");
  return lines.map((line) => plain(line).trim()).filter(Boolean).join("\n");
}

/** @param {{model: any, left: any, right: any, one: any, other: any}} props */
export function ComparePages({ model, left, right, one, other }) {
  const pairs = useMemo(() => pairsOf(pages(model, left, one), pages(model, right, other), (page) => page.html + page.notes), [left.artifact, right.artifact]);
  const changed = pairs.filter(isChanged);
  const [onlyChanged, setOnlyChanged] = useState(changed.length > 0 && changed.length < pairs.length);
  const shown = onlyChanged ? changed : pairs;
  return html`<div class="compare-bar"><span class="number" role="status">${changed.length ? t("canvas.compare.changed", { n: changed.length }) : t("canvas.compare.equal")}</span>
      <label class="compare-check"><input type="checkbox" checked=${onlyChanged} onChange=${(/** @type {any} */ event) => setOnlyChanged(event.currentTarget.checked)} />${t("course.only_changed")}</label></div>
    <ol class="compare-scroll compare-pages" role="list">${shown.map((/** @type {{left?: ComparedPage, right?: ComparedPage}} */ pair) => html`<li key=${`${pair.left?.n}-${pair.right?.n}`}><${Pair} pair=${pair} /></li>`)}</ol>`;
}

/** @param {{left?: ComparedPage, right?: ComparedPage}} pair */
function isChanged({ left, right }) {
  return !left || !right || left.html !== right.html || left.notes !== right.notes;
}

/** @param {{left?: ComparedPage, right?: ComparedPage}} pair */
function wordFor(pair) {
  if (!pair.left) return { key: "course.page_added", look: "good" };
  if (!pair.right) return { key: "course.page_removed", look: "bad" };
  return isChanged(pair) ? { key: "canvas.compare.page_changed", look: "info" } : { key: "canvas.compare.page_equal", look: "" };
}

/** @param {{pair: {left?: ComparedPage, right?: ComparedPage}}} props */
function Pair({ pair }) {
  const word = wordFor(pair);
  const { left, right } = pair;
  const title = right?.title || left?.title || "";
  const place = left && right && left.n !== right.n ? `${left.n} → ${right.n}` : String((right ?? left)?.n);
  return html`<article class="compare-page" aria-label=${`${place} ${title}`}>
    <h2 class="row"><span class="number">${place}</span><span class=${`badge ${word.look}`}>${t(word.key)}</span><span class="ellipsis">${title}</span></h2>
    <div class="compare-two"><${Half} page=${left} /><${Half} page=${right} /></div>
    ${left && right && isChanged(pair) && html`<${Words} left=${left} right=${right} />`}
  </article>`;
}

/** @param {{page?: ComparedPage}} props */
function Half({ page }) {
  return page ? html`<${Thumbnail} page=${page} />` : html`<span class="compare-none" aria-hidden="true"></span>`;
}

/** @param {{left: ComparedPage, right: ComparedPage}} props */
function Words({ left, right }) {
  const [a, b] = useMemo(() => [left, right].map((it) => wordsOn(it.html)), [left.html, right.html]);
  return html`${a !== b && html`<div class="compare-inset"><${Differences} left=${a} right=${b} bare /></div>`}
    ${left.notes !== right.notes && html`<div class="compare-inset"><p class="quiet-text">${t("course.notes")}</p><${Differences} left=${left.notes ?? ""} right=${right.notes ?? ""} bare /></div>`}`;
}
