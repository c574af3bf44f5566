// @ts-check
// Shows any JSON in a readable form: names and values, lists, tables, scores. It is used for contents that have no view of their own.

import { html, useMemo, useState } from "../vendor/preact.js";
import { t } from "../lib/i18n.js";
import { isScores, Scores } from "./figures.js";
import { label, namesOf } from "../lib/labels.js";
import { described } from "../lib/reading.js";
import { safeAddress } from "./prose.js";
import { Json } from "./json.js";

/** Items of a list that are shown at once, and levels of nesting. For more, the tree is the better view. */
const AT_ONCE = 60;
const DEEPEST = 6;

/** The most characters of a text that may share a line with others. */
const SHORT = 28;

/** @param {{model?: any, artifact?: any, value: any, onFocus?: (id: string) => void, bare?: boolean}} props */
export function Data({ model, artifact, value, onFocus, bare }) {
  const isName = useMemo(() => namesOf(model?.runs.get(artifact?.run)?.pipeline, artifact?.kind), [model, artifact, described.value]);
  const context = { model, onFocus, isName };
  const inside = html`<${Value} value=${value} context=${context} depth=${0} />`;
  return bare ? inside : html`<div class="data-scroll" tabIndex="0" role="region" aria-label=${artifact?.title || artifact?.kind}><div class="data">
    ${artifact?.title && html`<h2 class="data-title">${artifact.title}</h2>`}${inside}</div></div>`;
}

/** @param {any} value */
const isPlain = (value) => value === null || typeof value !== "object";

/** @param {{value: any, context: any, depth: number, field?: string}} props */
function Value({ value, context, depth, field }) {
  if (isPlain(value)) return html`<${Plain} value=${value} context=${context} field=${field} />`;
  if (depth > DEEPEST) return html`<${Json} value=${value} bare />`;
  if (Array.isArray(value)) return html`<${List} list=${value} context=${context} depth=${depth} field=${field} />`;
  if (isScores(value)) return html`<${Scores} scores=${value} />`;
  return html`<${Fields} fields=${value} context=${context} depth=${depth} />`;
}

/** Scores have up to sixteen digits: a few are shown, and all of them are in the title. @param {number} value */
const shortened = (value) => (Number.isInteger(value) || Math.abs(value) >= 1000 ? value : Number(value.toPrecision(4)));

/** @param {{value: any, context: any, field?: string}} props */
function Plain({ value, context, field = "" }) {
  if (value === null || value === "") return html`<span class="data-none" title=${t("canvas.empty")}>–</span>`;
  if (typeof value === "boolean") return html`<span class=${`badge ${value ? "good" : ""}`}>${t(value ? "canvas.yes" : "canvas.no")}</span>`;
  if (typeof value === "number") return html`<span class="number" title=${String(value)}>${shortened(value)}</span>`;
  const known = context.model?.artifacts?.get(value);
  if (known && context.onFocus) return html`<button type="button" class="data-link" onClick=${() => context.onFocus(value)}>${known.title || value}</button>`;
  if (/^#[0-9a-f]{6}([0-9a-f]{2})?$/i.test(value)) return html`<span class="data-colour"><span class="data-swatch" style=${{ background: value }} aria-hidden="true"></span><code>${value}</code></span>`;
  const href = /^https?:\/\/\S+$/.test(value) ? safeAddress(value) : null;
  if (href) return html`<a href=${href} target="_blank" rel="noopener noreferrer nofollow">${value}</a>`;
  return context.isName(field, value) ? html`<span title=${value}>${label(value)}</span>` : html`<span class="data-text">${value}</span>`;
}

/** @param {{fields: Record<string, any>, context: any, depth: number}} props */
function Fields({ fields, context, depth }) {
  const names = Object.keys(fields);
  if (!names.length) return html`<${Plain} value=${null} context=${context} />`;
  return html`<dl class="data-fields" data-depth=${depth}>${names.map((name) => html`<div key=${name} class=${`data-field ${widthOf(fields[name])}`}>
    <dt title=${name}>${label(name)}</dt><dd><${Value} value=${fields[name]} context=${context} depth=${depth + 1} field=${name} /></dd></div>`)}</dl>`;
}

/** How much room a value needs: a part of a line, a line of its own, or the whole width below its name. @param {any} value */
function widthOf(value) {
  if (isPlain(value)) return "";
  return Array.isArray(value) && !value.every(isPlain) && !columnsOf(value) ? "data-wide data-below" : "data-wide";
}

/** @param {{list: any[], context: any, depth: number, field?: string}} props */
function List({ list, context, depth, field }) {
  const [shown, setShown] = useState(AT_ONCE);
  if (!list.length) return html`<${Plain} value=${null} context=${context} />`;
  const some = list.slice(0, shown);
  const more = list.length > shown && html`<button type="button" class="button small" onClick=${() => setShown(shown + 10 * AT_ONCE)}>${t("canvas.more", { n: list.length - shown })}</button>`;
  if (list.every(isPlain)) {
    const isShort = list.every((it) => String(it).length <= SHORT);
    return html`<ul class=${isShort ? "data-chips" : "data-list"} role="list">${some.map((it, n) => html`<li key=${n}><${Plain} value=${it} context=${context} field=${field} /></li>`)}</ul>${more}`;
  }
  const columns = columnsOf(list);
  if (columns) return html`<${Table} rows=${some} columns=${columns} context=${context} />${more}`;
  return html`<ol class="data-cards" role="list">${some.map((it, n) => html`<li key=${n} class="data-card"><${Card} value=${it} n=${n} context=${context} depth=${depth} /></li>`)}</ol>${more}`;
}

/** One item of a list, with its own name as its title if it has one. @param {{value: any, n: number, context: any, depth: number}} props */
function Card({ value, n, context, depth }) {
  const key = !isPlain(value) && !Array.isArray(value) ? ["title", "name", "heading", "fact", "label"].find((it) => typeof value[it] === "string" && value[it]) : undefined;
  const rest = key ? Object.fromEntries(Object.entries(value).filter(([name]) => name !== key)) : value;
  const isDone = key !== undefined && Object.keys(rest).length === 0;
  return html`<p class="data-card-title"><span class="data-n number">${n + 1}</span>${key ? value[key] : ""}</p>${!isDone && html`<${Value} value=${rest} context=${context} depth=${depth + 1} />`}`;
}

/** The columns of a list whose items are alike and small; else null. @param {any[]} list @returns {string[] | null} */
function columnsOf(list) {
  if (list.length < 2 || !list.every((it) => !isPlain(it) && !Array.isArray(it))) return null;
  const columns = [...new Set(list.flatMap((it) => Object.keys(it)))];
  const isSmall = columns.length <= 6 && list.every((it) => Object.values(it).every((cell) => isPlain(cell) && String(cell).length <= 60));
  return isSmall ? columns : null;
}

/** @param {{rows: any[], columns: string[], context: any}} props */
function Table({ rows, columns, context }) {
  return html`<div class="md-table" tabIndex="0" role="group" aria-label=${t("canvas.table")}><table>
    <thead><tr>${columns.map((it) => html`<th key=${it} scope="col" title=${it}>${label(it)}</th>`)}</tr></thead>
    <tbody>${rows.map((row, n) => html`<tr key=${n}>${columns.map((it) => html`<td key=${it}><${Plain} value=${row[it] ?? null} context=${context} field=${it} /></td>`)}</tr>`)}</tbody></table></div>`;
}
