// @ts-check
/** The season words of the owner, by season. */
import { html } from "../../vendor/preact.js";
import { useFetched } from "../../lib/fetched.js";
import { t } from "../../lib/i18n.js";
import { Broken, Loading } from "../../parts/lazy.js";

/** @typedef {{word: string, season: string}} SeasonWord */

export function SeasonWords() {
  const { value, failure, again } = useFetched("/api/season_words");
  if (failure && !value) return html`<${Broken} error=${failure} heading=${t("renga.words")} retry=${again} />`;
  if (!value) return html`<${Loading} heading=${t("renga.words")} />`;
  const seasons = [...new Set(value.map((/** @type {SeasonWord} */ it) => it.season))];
  const wordsOf = (/** @type {string} */ season) => value.filter((/** @type {SeasonWord} */ it) => it.season === season).map((/** @type {SeasonWord} */ it) => it.word);
  return html`<div class="renga-words">
    <header class="page-head"><h1>${t("renga.words")}</h1></header>
    ${seasons.map((season) => html`<section class="card" key=${season} aria-label=${season}><h2>${season}</h2><p>${wordsOf(season).join(" · ")}</p></section>`)}
    ${value.length ? null : html`<p class="empty">${t("renga.none")}</p>`}
  </div>`;
}
