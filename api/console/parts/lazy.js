// @ts-check
/** Parts that are loaded when they are first shown. If one of them fails, the rest of the page stays. */
import { html, useEffect, useErrorBoundary, useState } from "../vendor/preact.js";
import { number } from "../lib/format.js";
import { t } from "../lib/i18n.js";
import { Icon } from "./icons.js";

/** @type {Map<() => Promise<any>, any>} */
const loaded = new Map();

/** The component that a function loads, once it is there. @param {() => Promise<any>} load @returns {{part?: any, failure: any}} */
export function useLoaded(load) {
  const [, redraw] = useState(0);
  const [failure, setFailure] = useState(/** @type {any} */ (null));
  useEffect(() => {
    if (loaded.has(load)) return;
    load().then((part) => { loaded.set(load, part); redraw((/** @type {number} */ n) => n + 1); }, setFailure);
  }, [load]);
  return { part: loaded.get(load), failure };
}

/** @param {{load: () => Promise<any>, heading?: string, [prop: string]: any}} props `heading`: of a whole page, until it has its own */
export function Lazy({ load, heading, ...props }) {
  const { part, failure } = useLoaded(load);
  if (failure) return html`<${Broken} error=${failure} heading=${heading} />`;
  return part ? html`<${Guarded} part=${part} heading=${heading} props=${props} />` : html`<${Loading} heading=${heading} />`;
}

function Guarded(/** @type {any} */ { part, heading, props }) {
  const [error, reset] = useErrorBoundary((/** @type {any} */ failure) => console.error(failure));
  return error ? html`<${Broken} error=${error} heading=${heading} retry=${reset} />` : html`<${part} ...${props} />`;
}

/** @param {{error: any, heading?: string, retry?: () => void}} props */
export function Broken({ error, heading, retry }) {
  return html`<div class="empty" role="alert">${heading ? html`<h1 class="sr-only">${heading}</h1>` : null}<${Icon} name="alert" /><p>${t("broken")}</p><p class="quiet-text mono">${String(error?.message ?? error)}</p>
    ${retry ? html`<button class="button" onClick=${retry}>${t("retry")}</button>` : html`<button class="button" onClick=${() => location.reload()}>${t("reload")}</button>`}</div>`;
}

/** @param {{heading?: string, count?: number}} props `heading`: of a whole page; `count`: events that are loaded already */
export function Loading({ heading, count }) {
  return html`<div class="empty" role="status" aria-busy="true">${heading ? html`<h1 class="sr-only">${heading}</h1>` : null}<span class="spinner large" aria-hidden="true"></span><span class="sr-only">${t("loading")}</span>
    ${count ? html`<span class="quiet-text number" aria-hidden="true">${t("loading.events", { n: number(count) })}</span>` : null}</div>`;
}
