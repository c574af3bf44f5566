// @ts-check
// What the canvas shows while there is no content: that it waits, text in the making, or a failure.

import { html, useEffect, useRef } from "../vendor/preact.js";
import { t } from "../lib/i18n.js";
import { number } from "../lib/format.js";
import { stageTitle } from "../lib/reading.js";

/** Characters of live text that stay in the page. */
const LIVE_CHARS = 20_000;

export function Loading() {
  return html`<div class="canvas-state" aria-busy="true"><span class="canvas-spinner" aria-hidden="true"></span><p class="quiet-text">${t("canvas.loading")}</p></div>`;
}

/** @param {{model: any}} props */
export function Nothing({ model }) {
  return html`<div class="canvas-state"><div class="canvas-ghost" aria-hidden="true"><i></i><i></i><i></i></div>
    <p>${t(model?.active ? "canvas.nothing_yet" : "canvas.nothing")}</p></div>`;
}

/** @param {{error: any, onRetry: () => void}} props */
export function Failed({ error, onRetry }) {
  return html`<div class="canvas-state" role="alert"><p>${t("canvas.failed")}</p>
    <p class="quiet-text">${String(error?.message ?? error)}</p>${error?.hint && html`<p class="quiet-text">${error.hint}</p>`}
    <button type="button" class="button" onClick=${onRetry}>${t("canvas.retry")}</button></div>`;
}

/** Text as a model writes it. @param {{live: {step: string, attempt: number, text: string, chars?: number}, pipeline?: string}} props */
export function Live({ live, pipeline }) {
  const box = useRef(/** @type {HTMLPreElement | null} */ (null));
  useEffect(() => { if (box.current) box.current.scrollTop = box.current.scrollHeight; }, [live.text]);
  const [, stage = "", item = ""] = live.step.split("/");
  const label = [stageTitle(pipeline ?? "", stage), item].filter(Boolean).join(" · ");
  return html`<div class="canvas-live"><figure class="canvas-writing"><figcaption><span class="canvas-pulse" aria-hidden="true"></span>${t("canvas.writing", { what: label })}
    <span class="quiet-text number">${t("canvas.characters", { n: number(live.chars ?? live.text.length) })}</span></figcaption>
    <pre ref=${box} tabIndex="0" aria-label=${label}>${live.text.slice(-LIVE_CHARS)}</pre></figure></div>`;
}
