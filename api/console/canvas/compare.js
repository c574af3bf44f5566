// @ts-check
// Two versions of an artifact side by side, with what is different marked.

import { html, useMemo, useState } from "../vendor/preact.js";
import { view } from "../lib/folders.js";
import { t } from "../lib/i18n.js";
import { Brought } from "./brought.js";
import { artifactOf, mediaType, useContent } from "./content.js";
import { ComparePictures } from "./compare-pictures.js";
import { Differences } from "./differences.js";
import { documentIn } from "./document.js";
import { FileCard } from "./files.js";
import { Failed, Loading } from "./states.js";
import { viewsOf } from "./views.js";

/** Characters above which a comparison would block the page for too long. */
const COMPARED_CHARS = 3_000_000;

/** Views that are compared as text, if no folder brings them. */
const PROSE = new Set(["document", "markdown", "text", "table", "frame"]);

/** @param {{model: any, left: any, right: any}} props */
export function Compare({ model, left, right }) {
  const [a, b] = [artifactOf(model, left), artifactOf(model, right)];
  const [one, other] = [useContent(a), useContent(b)];
  if (!a || !b) return html`<div class="canvas-state"><p>${t("canvas.nothing")}</p></div>`;
  const failed = [one, other].find((it) => it.state === "failed");
  if (failed) return html`<${Failed} error=${failed.error} onRetry=${failed.retry} />`;
  const pictures = [a, b].every((it) => mediaType(it).startsWith("image/"));
  if (pictures) return html`<${ComparePictures} left=${a} right=${b} />`;
  const files = [a, b].some((it) => ["file", "pdf"].includes(viewsOf(it, null)[0]));
  if (files) return html`<${Files} left=${a} right=${b} />`;
  if ([one, other].some((it) => it.state === "large")) return html`<div class="canvas-state"><p>${t("canvas.compare.too_large")}</p></div>`;
  if ([one, other].some((it) => it.state === "loading")) return html`<${Loading} />`;
  return html`<${Both} key=${a.artifact + b.artifact} model=${model} left=${a} right=${b} one=${one} other=${other} />`;
}

/** The comparison, once both contents are loaded. @param {any} props */
function Both({ model, left, right, one, other }) {
  const views = [viewsOf(left, one.value)[0], viewsOf(right, other.value)[0]];
  const [isJson, setJson] = useState(false);
  const both = views[0] === views[1] ? views[0] : "json";
  const own = view(both);
  const compares = own?.compare;
  const isProse = PROSE.has(both) || Boolean(own?.prose);
  const canSwitch = (compares || isProse) && one.value !== undefined && other.value !== undefined;
  const texts = useMemo(() => {
    if (compares && !isJson) return null;
    const read = (/** @type {any} */ it) => (isProse && !isJson ? proseOf(it, own) : (it.value === undefined ? it.text ?? "" : JSON.stringify(it.value, null, 2)));
    return [read(one), read(other)];
  }, [one.value, other.value, one.text, other.text, isJson]);
  return html`<div class="compare canvas">
    ${canSwitch && html`<div class="canvas-views" role="group" aria-label=${t("canvas.views")}>
      <button type="button" class="button small quiet" aria-pressed=${isJson ? "false" : "true"} onClick=${() => setJson(false)}>${t(`canvas.view.${both}`)}</button>
      <button type="button" class="button small quiet" aria-pressed=${isJson ? "true" : "false"} onClick=${() => setJson(true)}>JSON</button></div>`}
    ${views[0] !== views[1] && html`<p class="compare-say">${t("canvas.compare.unlike")}</p>`}
    ${texts === null ? html`<${Brought} load=${compares} model=${model} left=${left} right=${right} one=${one.value} other=${other.value} />`
      : texts[0].length + texts[1].length > COMPARED_CHARS ? html`<div class="canvas-state"><p>${t("canvas.compare.too_large")}</p></div>`
        : html`<${Differences} left=${texts[0]} right=${texts[1]} isCode=${!isProse || isJson} pictures=${isJson ? null : own?.pictures?.(model, one.value, other.value)} />`}
  </div>`;
}

/** What people read of a content. @param {{text?: string, value?: any}} content @param {import("../lib/folders.js").FolderView} [own] the view of a folder @returns {string} */
function proseOf({ text, value }, own) {
  if (value === undefined) return text ?? "";
  if (own?.prose) return own.prose(value);
  return documentIn(value)?.text ?? "";
}

/** @param {{left: any, right: any}} props */
function Files({ left, right }) {
  const isSame = left.blob?.sha256 === right.blob?.sha256;
  return html`<div class="compare canvas"><p class="compare-say"><span class=${`badge ${isSame ? "good" : "info"}`}>${t(isSame ? "canvas.compare.page_equal" : "canvas.compare.page_changed")}</span>
    ${t(isSame ? "canvas.compare.equal" : "canvas.compare.files")}</p>
    <div class="compare-two"><${FileCard} artifact=${left} /><${FileCard} artifact=${right} /></div></div>`;
}
