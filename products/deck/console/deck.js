// @ts-check
// A deck as text beside its pages, slide by slide, with the findings on each. Pages and findings are
// recognised by the artifact that they were made from.

import { html, useEffect, useMemo, useState } from "../../vendor/preact.js";
import { t } from "../../lib/i18n.js";
import { load, mediaType, useAddress } from "../../canvas/content.js";
import { Copy } from "../../canvas/copy.js";
import { label } from "../../lib/labels.js";
import { SlideText, Source, useChunks } from "./slide.js";

/** @typedef {{slide: number, element: string, severity: string, evidence: string, suggested_fix?: string}} Finding */

const FENCE = /^(`{3,}|~{3,})/;

/**
 * The blocks of a deck: the text before the slides, and the text of each slide.
 * @param {string} source
 * @returns {{front: string, slides: string[]}}
 */
export function blocksOf(source) {
  /** @type {string[][]} */
  const blocks = [[]];
  let fence = "";
  for (const line of source.split("\n")) {
    const mark = FENCE.exec(line)?.[1] ?? "";
    if (!fence) fence = mark;
    else if (mark.startsWith(fence) && line.trim() === mark) fence = "";
    if (!fence && /^---[ \t]*$/.test(line)) blocks.push([]);
    else blocks[blocks.length - 1].push(line);
  }
  const texts = blocks.map((lines) => lines.join("\n").trim());
  const isFront = texts[0] === "" && texts.length > 1 && !/^#+ /m.test(texts[1]) && !/^@/m.test(texts[1]);
  return { front: isFront ? texts[1] : "", slides: texts.slice(isFront ? 2 : 0).filter(Boolean) };
}

/** What was made of the deck. @param {any} model @param {any} artifact @returns {any[]} */
const madeFrom = (model, artifact) => [...model.artifacts.values()].filter((it) => it.from.includes(artifact.artifact));

/**
 * The contents that say which slide a page shows, and what was found.
 * @param {any[]} related
 */
function useSaid(related) {
  const wanted = related.filter((it) => mediaType(it) === "application/json");
  const key = wanted.map((it) => it.artifact).join(" ");
  const [said, setSaid] = useState(/** @type {{key: string, of: {artifact: any, value: any}[]}} */ ({ key: "", of: [] }));
  useEffect(() => {
    let current = true;
    // A content that cannot be read is reported where it is opened itself.
    const all = wanted.map((artifact) => load(artifact).then(({ value }) => ({ artifact, value }), () => ({ artifact, value: null })));
    void Promise.all(all).then((of) => current && setSaid({ key, of }));
    return () => { current = false; };
  }, [key]);
  return said.of;
}

/** @param {any} props `text`: that of the file of a deck, which was made from the deck */
export function Deck({ model, artifact: shown, value, text }) {
  const source = value?.dsl_text ?? text ?? "";
  const artifact = value ? shown : shown.from.map((/** @type {string} */ id) => model.artifacts.get(id)).find((/** @type {any} */ it) => it?.kind === "deck") ?? shown;
  const { front, slides } = useMemo(() => blocksOf(source), [source]);
  const related = madeFrom(model, artifact);
  const said = useSaid(related);
  const layout = said.filter((it) => Array.isArray(it.value?.slide_of)).at(-1);
  /** @type {Finding[]} */
  const findings = said.filter((it) => Array.isArray(it.value?.issues)).at(-1)?.value.issues ?? [];
  const pages = related.filter((it) => it.stage === layout?.artifact.stage && it.run === layout?.artifact.run && it.blob?.media_type.startsWith("image/"));
  /** @param {number} slide */
  const pagesOf = (slide) => pages.filter((it) => layout?.value.slide_of[Number(it.part) - 1] === slide).sort((a, b) => Number(a.part) - Number(b.part));
  // A later stage may have corrected the deck; it is redone in the stage that wrote it first.
  const first = [...model.artifacts.values()].find((it) => it.kind === artifact.kind);
  const indexed = said.find((it) => typeof it.value?.deck_chunk_id === "string");
  // If there is a later deck, that one is in the index instead.
  const isInIndex = indexed && ![...model.artifacts.values()].some((it) => it.kind === indexed.artifact.kind && it.version > indexed.artifact.version);
  const chunks = useChunks(isInIndex ? indexed.value.deck_chunk_id : undefined);
  return html`<div class="deck-layout" tabIndex="0" role="region" aria-label=${artifact.title}>
    <div class="json-bar"><${Copy} text=${source} /></div>
    ${front && html`<${Source} text=${front} front=${true} />`}
    ${slides.map((text, n) => html`<section key=${n} class="deck-slide" aria-label=${`${t("deck.slide")} ${n + 1}`}>
      <${SlideText} text=${text} number=${n + 1} stage=${first?.stage ?? artifact.stage} artifact=${artifact} model=${model} chunk=${chunks.length === slides.length ? chunks[n] : undefined} />
      <div class="deck-pages">${pagesOf(n).map((page) => html`<${Picture} key=${page.artifact} id=${page.artifact} alt=${t("deck.page_of", { n: Number(page.part), of: pages.length })} />`)}
        <${Findings} findings=${findings.filter((it) => it.slide === n + 1)} /></div>
    </section>`)}
  </div>`;
}

/** @param {{id: string, alt: string}} props */
function Picture({ id, alt }) {
  const address = useAddress(id);
  return html`<span class="deck-page">${address && html`<img src=${address} alt=${alt} loading="lazy" decoding="async" />`}</span>`;
}

/** @param {string} severity */
const level = (severity) => (severity === "critical" ? "bad" : severity === "warning" ? "warn" : "info");

/** @param {{findings: Finding[]}} props */
function Findings({ findings }) {
  if (!findings.length) return null;
  return html`<ul class="deck-findings" aria-label=${t("deck.checks")}>${findings.map((it, n) => html`<li key=${n}><span class=${`badge ${level(it.severity)}`} title=${it.element}>${label(it.element)}</span> ${it.evidence}
    ${it.suggested_fix && html`<span class="quiet-text">${it.suggested_fix}</span>`}</li>`)}</ul>`;
}
