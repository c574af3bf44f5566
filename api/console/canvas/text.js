// @ts-check
// Text with numbered lines. The lines are grouped into pieces, which the browser lays out only when they come into view.

import { html, useMemo, useState } from "../vendor/preact.js";
import { t } from "../lib/i18n.js";
import { Copy } from "./copy.js";

/** Lines of a piece, and pieces that are shown at once. */
const PIECE = 200;
const AT_ONCE = 25;

/** @param {any} props */
export function Text({ artifact, text, value }) {
  const source = text ?? (typeof value === "string" ? value : JSON.stringify(value, null, 2) ?? "");
  const [wraps, setWraps] = useState(true);
  const [shown, setShown] = useState(AT_ONCE);
  const pieces = useMemo(() => cut(source), [source]);
  return html`<div class="json-layout"><div class="json-bar">
      <button type="button" class="button small quiet" aria-pressed=${wraps ? "true" : "false"} onClick=${() => setWraps(!wraps)}>${t("canvas.wrap")}</button><${Copy} text=${source} /></div>
    <div class=${wraps ? "text-scroll" : "text-scroll text-long"} tabIndex="0" role="region" aria-label=${artifact?.title || t("canvas.text")}>
      ${pieces.slice(0, shown).map((/** @type {any} */ piece, /** @type {number} */ n) => html`<pre key=${n} class="text-piece" style=${{ containIntrinsicSize: `auto ${piece.count * 20}px` }}><span class="text-numbers number" aria-hidden="true">${piece.numbers}</span><code>${piece.text}</code></pre>`)}
      ${pieces.length > shown && html`<button type="button" class="button" onClick=${() => setShown(shown + AT_ONCE)}>${t("canvas.more_lines", { n: (pieces.length - shown) * PIECE })}</button>`}
    </div></div>`;
}

/** @param {string} source */
function cut(source) {
  const lines = source.split("\n");
  const pieces = [];
  for (let from = 0; from < lines.length; from += PIECE) {
    const some = lines.slice(from, from + PIECE);
    pieces.push({ text: some.join("\n"), count: some.length, numbers: some.map((_, n) => from + n + 1).join("\n") });
  }
  return pieces;
}
