// @ts-check
// Designs of earlier decks that were found for a deck, the best of each kind first, each with the parts of its score. The content
// is either a list of all of them or a single one.

import { html, useEffect, useState } from "../../vendor/preact.js";
import { t } from "../../lib/i18n.js";
import { load } from "../../canvas/content.js";
import { Data } from "../../canvas/data.js";
import { label } from "../../lib/labels.js";
import { Source } from "./slide.js";

/** The weight of each part of a score; votes are added without a weight. */
const PARTS = /** @type {const} */ ([["semantic_score", 0.5], ["structural_score", 0.3], ["keyword_score", 0.2]]);

/**
 * The designs of a list, which only has their ids: their contents are other artifacts of the same step.
 * @param {any} model @param {any} artifact @param {string[]} ids
 */
function useHits(model, artifact, ids) {
  const key = `${artifact.artifact} ${ids.length}`;
  const [got, setGot] = useState(/** @type {{key: string, hits: any[]}} */ ({ key: "", hits: [] }));
  useEffect(() => {
    let current = true;
    const beside = [...model.artifacts.values()].filter((it) => it.step === artifact.step && it.part);
    const all = ids.map((id) => beside.find((it) => it.part === id)).filter(Boolean);
    // A content that cannot be read is reported where it is opened itself.
    void Promise.all(all.map((it) => load(it).then(({ value }) => ({ artifact: it.artifact, value }), () => null)))
      .then((hits) => current && setGot({ key, hits: hits.filter((it) => it?.value) }));
    return () => { current = false; };
  }, [key]);
  return got.key === key ? got.hits : null;
}

/** @param {any} props */
export function References({ model, artifact, value, onFocus }) {
  if (typeof value.chunk_id === "string") return html`<div class="deck-layout" tabIndex="0" role="region" aria-label=${artifact.title}><${Hit} hit=${value} whole=${true} /></div>`;
  return html`<${All} model=${model} artifact=${artifact} value=${value} onFocus=${onFocus} />`;
}

/** @param {any} props */
function All({ model, artifact, value, onFocus }) {
  const hits = useHits(model, artifact, value.chunk_ids);
  return html`<div class="deck-layout" tabIndex="0" role="region" aria-label=${artifact.title}>
    <div class="refs-asked"><p class="pre">${value.query}${value.query_cut ? "…" : ""}</p>
      <p class="quiet-text">${t("deck.refs.of", { n: value.chunk_ids.length, decks: value.index?.decks ?? 0, slides: value.index?.slides ?? 0, elements: value.index?.elements ?? 0 })}</p>
      ${value.remark && html`<p class="problem">${value.remark}</p>`}</div>
    ${hits && ["deck", "slide", "element"].map((sort) => {
      const some = hits.filter((it) => it.value.chunk_type === sort);
      return some.length > 0 && html`<section key=${sort} class="refs"><h2 class="small-title">${t(`deck.refs.${sort}`)} <span class="quiet-text number">${some.length}</span></h2>
        <ol role="list">${some.map((it) => html`<li key=${it.artifact}><${Hit} hit=${it.value} onOpen=${() => onFocus?.(it.artifact)} /></li>`)}</ol></section>`;
    })}
  </div>`;
}

/** The name of a design: the heading of a slide, the summary of an element. @param {any} hit */
function nameOf(hit) {
  const text = hit.dsl_text ?? "";
  const heading = /^\s*## (.+)$/m.exec(text)?.[1] ?? /^# (.+)$/m.exec(text)?.[1];
  return hit.chunk_type === "deck" ? hit.deck_title : heading ?? hit.semantic_summary;
}

/** @param {{hit: any, whole?: boolean, onOpen?: () => void}} props */
function Hit({ hit, whole = false, onOpen }) {
  const name = nameOf(hit);
  const sort = hit.element_type ?? hit.slide_type;
  return html`<article class="refs-hit">
    <header class="row"><strong class="grow">${onOpen ? html`<button type="button" class="data-link" onClick=${onOpen}>${name}</button>` : name}</strong>
      ${sort && html`<span class="badge">${label(sort)}</span>`}${hit.flagged && html`<span class="badge warn">${t("deck.refs.flagged")}</span>`}</header>
    <p class="quiet-text">${hit.chunk_type !== "deck" && html`${t("deck.refs.from", { deck: hit.deck_title })} · `}${t("deck.refs.counted", { used: hit.use_count, kept: hit.keep_count })}${hit.edit_count > 0 ? ` · ${t("deck.refs.adapted")}` : ""}</p>
    ${hit.slide_type_sequence?.length > 0 && html`<p class="refs-sequence">${hit.slide_type_sequence.map(label).join(" → ")}</p>`}
    ${(hit.chunk_type !== "slide" || whole) && hit.semantic_summary !== name && html`<p>${hit.semantic_summary}</p>`}
    <${Score} hit=${hit} />
    ${whole && hit.topic_tags?.length > 0 && html`<ul class="data-chips" role="list">${hit.topic_tags.map((/** @type {string} */ it) => html`<li key=${it}>${it}</li>`)}</ul>`}
    ${whole && hit.dsl_text && html`<${Source} text=${hit.dsl_text.trim()} />`}
    ${whole && hit.raw_content && html`<${Data} value=${hit.raw_content} bare=${true} />`}
  </article>`;
}

/** A bar of the weighted parts, and their numbers after it. @param {{hit: any}} props */
function Score({ hit }) {
  const bonus = hit.quality_bonus ?? 0;
  return html`<div class="refs-score"><span class="refs-total number">${hit.score.toFixed(2)}</span>
    <span class="score-track refs-track" aria-hidden="true">${PARTS.map(([name, weight]) => html`<span key=${name} class=${`refs-part refs-${name}`} style=${{ width: `${hit[name] * weight * 100}%` }}></span>`)}</span>
    <ul class="refs-parts" role="list">${PARTS.map(([name, weight]) => html`<li key=${name}><span class=${`refs-dot refs-${name}`} aria-hidden="true"></span>${t(`deck.refs.${name}`)} <span class="number">${hit[name].toFixed(2)} × ${weight}</span></li>`)}
      ${bonus !== 0 && html`<li>${t("deck.refs.votes")} <span class="number">${bonus > 0 ? "+" : "−"}${Math.abs(bonus).toFixed(2)}</span></li>`}</ul></div>`;
}
