// @ts-check
/** A renga on the canvas: its verses below each other, each with its season word. */
import { html } from "../../vendor/preact.js";
import { t } from "../../lib/i18n.js";

/** @param {{value: {title: string, found_by: string, verses: {lines: string[], word: string, season: string}[]}}} props */
export function Sheet({ value }) {
  return html`<article class="renga-sheet"><h2>${value.title}</h2>
    ${value.verses.map(({ lines, word, season }, n) => html`<figure key=${n} aria-label=${t("renga.verse", { n: n + 1, of: value.verses.length })}>
      ${lines.map((line, at) => html`<p key=${at}>${line}</p>`)}<figcaption class="muted">${word} · ${season}</figcaption></figure>`)}
    <p class="quiet-text">${t(`renga.found_by.${value.found_by}`)}</p></article>`;
}
