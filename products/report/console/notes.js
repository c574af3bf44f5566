// @ts-check
// Notes that a report or a section has about itself: a missing part, how it was made, what it cites.

import { html } from "../../vendor/preact.js";
import { t } from "../../lib/i18n.js";
import { Icon } from "../../canvas/icons.js";

/** @param {any} value @returns {any[]} */
const listOf = (value) => (Array.isArray(value) ? value : []);

/** @param {any} it */
const nameOf = (it) => (typeof it === "string" ? it : it?.title ?? it?.name ?? JSON.stringify(it));

/** @param {{value: any, part: "before" | "after"}} props */
export function Notes({ value, part }) {
  return part === "before" ? before(value) : after(value);
}

/** What a reader must know first. @param {any} value */
function before(value) {
  const missing = listOf(value.missing);
  const unsupported = listOf(value.unsupported);
  return html`
    ${typeof value.note === "string" && value.note && html`<p class="notice info"><${Icon} name="notes" /><span>${value.note}</span></p>`}
    ${missing.length > 0 && html`<p class="notice warn"><${Icon} name="warn" /><span>${t("report.missing", { what: missing.map(nameOf).join(", ") })}</span></p>`}
    ${unsupported.length > 0 && html`<p class="notice warn"><${Icon} name="warn" /><span>${t("report.unsupported", { what: unsupported.map(nameOf).join(", ") })}</span></p>`}`;
}

/** Where it comes from. @param {any} value */
function after(value) {
  const citations = listOf(value.citations).filter((it) => typeof it === "string");
  const author = [value.written_by, value.author].find((it) => typeof it === "string");
  if (!citations.length && !author && !value.summary) return null;
  return html`<footer class="prose-foot"><dl>
    ${typeof value.summary === "string" && value.summary && html`<div><dt>${t("report.summary")}</dt><dd>${value.summary}</dd></div>`}
    ${citations.length > 0 && html`<div><dt>${t("report.sources")}</dt><dd class="row wrap">${citations.map((it) => html`<cite key=${it} class="md-cite" title=${it}>${it}</cite>`)}</dd></div>`}
    ${author && html`<div><dt>${t("report.author")}</dt><dd>${author === "offline" ? t("report.offline") : author}</dd></div>`}</dl></footer>`;
}
