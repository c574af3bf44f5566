// @ts-check
// The canvas: one artifact, in a view that fits its type.

import { html, useErrorBoundary, useState } from "../vendor/preact.js";
import { view as brought } from "../lib/folders.js";
import { t } from "../lib/i18n.js";
import { Brought } from "./brought.js";
import { artifactOf, isText, mediaType, useContent } from "./content.js";
import { Csv } from "./csv.js";
import { Data } from "./data.js";
import { FileCard } from "./files.js";
import { Frame } from "./frame.js";
import { Json } from "./json.js";
import { Document, Markdown } from "./markdown.js";
import { Pdf } from "./pdf.js";
import { Picture } from "./picture.js";
import { Text } from "./text.js";
import { viewsOf } from "./views.js";
import { Failed, Live, Loading, Nothing } from "./states.js";

/** The views that no folder brings. @type {Record<string, any>} */
const RENDERERS = {
  document: Document, markdown: Markdown, picture: Picture, pdf: Pdf, frame: Frame, data: Data, json: Json, table: Csv, text: Text, file: FileCard,
};

/** Views that show a file by its address, so that its content need not be loaded. */
const BY_ADDRESS = new Set(["picture", "pdf", "frame", "file"]);

/**
 * @param {{model: any, artifact: any,
 *   live?: {run: string, step: string, attempt: number, text: string, chars?: number} | null, onFocus?: (id: string) => void}} props
 */
export function Canvas({ model, artifact, live, onFocus }) {
  const shown = artifactOf(model, artifact);
  if (!shown) return live?.text ? html`<${Live} live=${live} pipeline=${model?.runs.get(live.run)?.pipeline} />` : html`<${Nothing} model=${model} />`;
  return html`<${Shown} key=${shown.kind + shown.stage} model=${model} artifact=${shown} onFocus=${onFocus} />`;
}

/**
 * It is kept when the focus moves to another version or item, so that the chosen view stays.
 * @param {{model: any, artifact: import("./content.js").Artifact, onFocus?: (id: string) => void}} props
 */
function Shown({ model, artifact, onFocus }) {
  const content = useContent(artifact);
  const [chosen, setChosen] = useState(/** @type {string | null} */ (null));
  const settled = content.state === "ready";
  const views = viewsOf(artifact, settled ? content.value : null);
  const view = views.find((it) => it === chosen) ?? views[0];
  const waits = !settled && !BY_ADDRESS.has(view) && isText(mediaType(artifact));
  return html`<div class="canvas">
    ${settled && views.length > 1 && html`<${Views} views=${views} view=${view} onView=${setChosen} />`}
    <div class="canvas-body" key=${view}>
      ${waits ? html`<${Waiting} artifact=${artifact} content=${content} />`
        : html`<${Guarded} key=${artifact.artifact}>
            <${RENDERERS[view] ?? Brought} load=${brought(view)?.load} model=${model} artifact=${artifact} value=${content.value} text=${content.text} onFocus=${onFocus} /></${Guarded}>`}
    </div>
  </div>`;
}

/** @param {{artifact: any, content: import("./content.js").Content}} props */
function Waiting({ artifact, content }) {
  if (content.state === "failed") return html`<${Failed} error=${content.error} onRetry=${content.retry} />`;
  if (content.state === "large") return html`<${FileCard} artifact=${artifact} note=${t("canvas.too_large")} />`;
  return html`<${Loading} />`;
}

/** If a view fails, this says so, and the rest of the page stays. @param {any} props */
function Guarded({ children }) {
  const [error, reset] = useErrorBoundary();
  return error ? html`<div class="canvas-state" role="alert"><p>${t("canvas.not_drawn")}</p><p class="quiet-text">${String(error.message ?? error)}</p>
    <button class="button" onClick=${reset}>${t("canvas.retry")}</button></div>` : children;
}

/** @param {{views: string[], view: string, onView: (view: string) => void}} props */
function Views({ views, view, onView }) {
  return html`<div class="canvas-views" role="group" aria-label=${t("canvas.views")}>
    ${views.map((it) => html`<button key=${it} type="button" class="button small quiet" aria-pressed=${it === view ? "true" : "false"}
      onClick=${() => onView(it)}>${t(`canvas.view.${it}`)}</button>`)}</div>`;
}
