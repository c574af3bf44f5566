// @ts-check
// A table in the form of text (CSV).

import { html, useMemo, useState } from "../vendor/preact.js";
import { t } from "../lib/i18n.js";
import { mediaType } from "./content.js";

const AT_ONCE = 200;

/**
 * Rows of comma or tab separated values; quoted cells may hold the separator, line ends, and doubled quotes.
 * @param {string} text @param {string} separator @returns {string[][]}
 */
export function rowsOf(text, separator) {
  /** @type {string[][]} */
  const rows = [];
  /** @type {string[]} */
  let row = [];
  let cell = "";
  let isQuoted = false;
  const source = text.replace(/^\ufeff/, "");
  for (let n = 0; n < source.length; n += 1) {
    const c = source[n];
    if (isQuoted) {
      if (c !== "\"") cell += c;
      else if (source[n + 1] === "\"") { cell += "\""; n += 1; } else isQuoted = false;
    } else if (c === "\"" && cell === "") isQuoted = true;
    else if (c === separator) { row.push(cell); cell = ""; }
    else if (c === "\n" || c === "\r") {
      if (c === "\r" && source[n + 1] === "\n") n += 1;
      row.push(cell); rows.push(row);
      row = []; cell = "";
    } else cell += c;
  }
  if (cell !== "" || row.length) { row.push(cell); rows.push(row); }
  return rows.filter((it) => it.length > 1 || it[0] !== "");
}

/** @param {any} props */
export function Csv({ artifact, text }) {
  const [shown, setShown] = useState(AT_ONCE);
  const [head, ...rows] = useMemo(() => rowsOf(text ?? "", mediaType(artifact) === "text/csv" ? "," : "\t"), [text]);
  if (!head) return html`<div class="canvas-state"><p>${t("canvas.empty")}</p></div>`;
  return html`<div class="data-scroll" tabIndex="0" role="region" aria-label=${artifact.title || t("canvas.table")}><div class="data md-table"><table>
    <thead><tr>${head.map((/** @type {string} */ cell, /** @type {number} */ n) => html`<th key=${n} scope="col">${cell}</th>`)}</tr></thead>
    <tbody>${rows.slice(0, shown).map((/** @type {string[]} */ row, /** @type {number} */ r) => html`<tr key=${r}>${row.map((cell, n) => html`<td key=${n}>${cell}</td>`)}</tr>`)}</tbody></table>
    ${rows.length > shown && html`<button type="button" class="button" onClick=${() => setShown(shown + 10 * AT_ONCE)}>${t("canvas.more", { n: rows.length - shown })}</button>`}</div></div>`;
}
