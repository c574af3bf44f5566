// @ts-check
// A picture, fitted or in its own size. An SVG drawing is shown as an image, too, because scripts in an image do not run.

import { html, useEffect, useState } from "../vendor/preact.js";
import { bytes } from "../lib/format.js";
import { t } from "../lib/i18n.js";
import { useAddress } from "./content.js";

/** @param {any} props */
export function Picture({ artifact }) {
  const address = useAddress(artifact.artifact);
  const [isWhole, setWhole] = useState(true);
  const [size, setSize] = useState(/** @type {{w: number, h: number} | null} */ (null));
  const [isBroken, setBroken] = useState(false);
  useEffect(() => { setSize(null); setBroken(false); }, [artifact.artifact]);
  /** @param {any} event */
  const loaded = (event) => setSize({ w: event.currentTarget.naturalWidth, h: event.currentTarget.naturalHeight });
  return html`<figure class="picture">
    <div class=${isWhole ? "picture-scroll" : "picture-scroll picture-large"} tabIndex="0" role="region" aria-label=${artifact.title}>
      ${isBroken ? html`<p class="canvas-state">${t("canvas.broken_picture")}</p>`
        : address && html`<img src=${address} alt=${artifact.title} onLoad=${loaded} onError=${() => setBroken(true)} decoding="async" />`}</div>
    <figcaption class="picture-bar"><span class="ellipsis">${artifact.title}</span>
      <span class="quiet-text number">${[size && `${size.w} × ${size.h}`, artifact.blob && bytes(artifact.blob.size), artifact.blob?.media_type].filter(Boolean).join(" · ")}</span>
      <button type="button" class="button small" aria-pressed=${isWhole ? "false" : "true"} onClick=${() => setWhole(!isWhole)}>${t("canvas.actual_size")}</button></figcaption>
  </figure>`;
}
