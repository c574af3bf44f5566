// @ts-check
// Two pictures beside each other, or one over the other with a slider between them.

import { html, useState } from "../vendor/preact.js";
import { t } from "../lib/i18n.js";
import { useAddress } from "./content.js";

/** @param {{left: any, right: any, bare?: boolean}} props */
export function ComparePictures({ left, right, bare }) {
  const [isTogether, setTogether] = useState(false);
  const [share, setShare] = useState(50);
  const [a, b] = [useAddress(left?.artifact), useAddress(right?.artifact)];
  const isSame = left && right && left.blob?.sha256 === right.blob?.sha256;
  return html`<div class=${bare ? "compare-pictures" : "compare canvas compare-pictures"}>
    <div class="compare-bar">${isSame && html`<span role="status">${t("canvas.compare.equal")}</span>`}
      <button type="button" class="button small quiet" aria-pressed=${isTogether ? "false" : "true"} onClick=${() => setTogether(false)}>${t("canvas.compare.side")}</button>
      <button type="button" class="button small quiet" disabled=${!left || !right} aria-pressed=${isTogether ? "true" : "false"} onClick=${() => setTogether(true)}>${t("canvas.compare.together")}</button>
      ${isTogether && html`<input type="range" class="grow" min="0" max="100" value=${share} aria-label=${t("canvas.compare.split")} onInput=${(/** @type {any} */ event) => setShare(Number(event.currentTarget.value))} />`}</div>
    ${isTogether ? html`<div class="compare-over">
        ${b && html`<img src=${b} alt=${`${t("canvas.compare.right")}: ${right.title}`} />`}
        ${a && html`<img class="compare-top" src=${a} alt=${`${t("canvas.compare.left")}: ${left.title}`} style=${{ clipPath: `inset(0 ${100 - share}% 0 0)` }} />`}
        <span class="compare-line" style=${{ left: `${share}%` }} aria-hidden="true"></span></div>`
      : html`<div class="compare-two compare-images">${[[left, a, "left"], [right, b, "right"]].map(([it, url, side]) => html`<figure key=${side}>
          ${it && url ? html`<img src=${url} alt=${`${t(`canvas.compare.${side}`)}: ${it.title}`} /><figcaption class="quiet-text">${it.title}</figcaption>` : html`<span class="compare-none"></span>`}</figure>`)}</div>`}
  </div>`;
}
