// @ts-check
// A post as its readers will see it, beside the results of the review and of the platform's rules.

import { html, useState } from "../../vendor/preact.js";
import { t } from "../../lib/i18n.js";
import { useAddress } from "../../canvas/content.js";
import { Data } from "../../canvas/data.js";
import { isScores, Scores } from "../../canvas/figures.js";
import { Icon } from "../../canvas/icons.js";
import { label } from "../../lib/labels.js";

/** Fields that the card itself shows. */
const ON_CARD = new Set(["title", "body", "tags", "images", "missing", "review", "platform", "bodyBlocks", "offline"]);

/** @param {any} props */
export function Post({ model, artifact, value, onFocus }) {
  const images = (Array.isArray(value.images) ? value.images : []).filter((/** @type {any} */ it) => it?.artifact).map((/** @type {any} */ it) => ({ ...it, known: model?.artifacts?.get(it.artifact) }));
  const rest = Object.fromEntries(Object.entries(value).filter(([name]) => !ON_CARD.has(name)));
  return html`<div class="post-layout" tabIndex="0" role="region" aria-label=${value.title}>
    <article class="post card">
      ${images.length > 0 && html`<${Pictures} images=${images} onFocus=${onFocus} />`}
      <div class="post-text">
        <h2>${value.title}</h2>
        ${value.body.split(/\n{2,}/).map((/** @type {string} */ part, /** @type {number} */ n) => html`<p key=${n}>${part}</p>`)}
        <ul class="post-tags" role="list" aria-label=${t("post.tags")}>${value.tags.map((/** @type {any} */ tag) => html`<li key=${tag}>#${String(tag).replace(/^#/, "")}</li>`)}</ul>
        ${value.offline === true && html`<p class="quiet-text">${t("post.offline")}</p>`}
      </div>
    </article>
    <aside class="post-side" aria-label=${t("post.checks")}>
      <${Review} review=${value.review} />
      <${Platform} platform=${value.platform} />
      <${Missing} missing=${value.missing} />
      ${Array.isArray(value.bodyBlocks) && html`<${Blocks} blocks=${value.bodyBlocks} />`}
      ${Object.keys(rest).length > 0 && html`<section class="post-box"><${Data} model=${model} artifact=${artifact} value=${rest} onFocus=${onFocus} bare /></section>`}
    </aside>
  </div>`;
}

/** @param {{images: any[], onFocus?: (id: string) => void}} props */
function Pictures({ images, onFocus }) {
  const [n, setN] = useState(0);
  const at = Math.min(n, images.length - 1);
  const image = images[at];
  const name = (/** @type {any} */ it, /** @type {number} */ place) => it.known?.title || t("post.picture_n", { n: place + 1 });
  const ratio = image.width && image.height ? `${image.width} / ${image.height}` : "3 / 4";
  return html`<div class="post-pictures">
    <div class="post-picture" style=${{ aspectRatio: ratio }}>
      <${Shown} key=${image.artifact} id=${image.artifact} alt=${name(image, at)} />
      ${images.length > 1 && html`<button type="button" class="post-turn left" disabled=${at === 0} onClick=${() => setN(at - 1)} aria-label=${t("post.previous_picture")}><${Icon} name="left" /></button>
        <button type="button" class="post-turn right" disabled=${at === images.length - 1} onClick=${() => setN(at + 1)} aria-label=${t("post.next_picture")}><${Icon} name="right" /></button>
        <span class="post-count number" aria-live="polite">${at + 1} / ${images.length}</span>`}
    </div>
    <ul class="post-strip" role="list">${images.map((it, place) => html`<li key=${it.artifact}><button type="button" class="post-thumb" aria-current=${place === at ? "true" : undefined}
      aria-label=${name(it, place)} onClick=${() => setN(place)}><${Shown} id=${it.artifact} alt="" small /></button></li>`)}
      ${onFocus && image.known && html`<li class="post-strip-end"><button type="button" class="button small quiet" onClick=${() => onFocus(image.artifact)}>${t("post.this_picture")}</button></li>`}</ul>
    ${image.drawn === "local" && html`<p class="quiet-text post-drawn">${t("post.drawn_here")}</p>`}
  </div>`;
}

/** @param {{id: string, alt: string, small?: boolean}} props */
function Shown({ id, alt, small }) {
  const address = useAddress(id);
  const [isThere, setThere] = useState(false);
  const there = () => setThere(true);
  return html`<span class="post-shown" aria-busy=${isThere ? undefined : "true"}>${!isThere && !small && html`<span class="canvas-spinner" aria-hidden="true"></span>`}
    ${address && html`<img src=${address} alt=${alt} decoding="async" fetchpriority=${small ? "low" : "high"} onLoad=${there} onError=${there} />`}</span>`;
}

/** @param {{review: any}} props */
function Review({ review }) {
  if (!review || typeof review !== "object") return null;
  const word = review.approved === true || review.status === "approved" || review.status === "passed" ? "good" : review.status === "not_checked" ? "warn" : "info";
  return html`<section class="post-box"><h3>${t("post.review")} <span class=${`badge ${word}`}>${label(String(review.status ?? ""))}</span></h3>
    ${typeof review.overall === "number" && html`<p class="post-overall"><span class="number">${review.overall.toFixed(2)}</span> <span class="quiet-text">${t("post.overall")}</span></p>`}
    ${isScores(review.scores) && html`<${Scores} scores=${review.scores} />`}
    ${Number(review.round) > 1 && html`<p class="quiet-text">${t("post.round", { n: review.round })}</p>`}</section>`;
}

/** @param {{platform: any}} props */
function Platform({ platform }) {
  if (!platform || typeof platform !== "object") return null;
  const findings = Array.isArray(platform.findings) ? platform.findings : [];
  return html`<section class="post-box"><h3>${platform.name ? label(String(platform.name)) : t("post.platform")}
    <span class=${`badge ${platform.ok ? "good" : "bad"}`}><${Icon} name=${platform.ok ? "check" : "cross"} size=${12} />${t(platform.ok ? "post.within_limits" : "post.beyond_limits")}</span></h3>
    ${findings.length > 0 && html`<ul class="post-findings">${findings.map((/** @type {any} */ it, /** @type {number} */ n) => html`<li key=${n}>${typeof it === "string" ? it : String(it?.message ?? JSON.stringify(it))}</li>`)}</ul>`}</section>`;
}

/** @param {{missing: any}} props */
function Missing({ missing }) {
  if (!Array.isArray(missing) || !missing.length) return null;
  return html`<p class="notice warn"><${Icon} name="warn" /><span>${t("post.missing", { what: missing.map((it) => (typeof it === "object" ? it?.title ?? it?.sequence ?? JSON.stringify(it) : String(it))).join(", ") })}</span></p>`;
}

/** The paragraphs, each with its purpose. @param {{blocks: any[]}} props */
function Blocks({ blocks }) {
  return html`<section class="post-box"><h3>${t("post.paragraphs")}</h3><ol class="post-blocks">${blocks.map((it, n) => html`<li key=${it?.id ?? n}>
    <span class="badge">${String(it?.intent ?? it?.id ?? "")}</span> <span class="post-block-text">${String(it?.text ?? "")}</span></li>`)}</ol></section>`;
}
