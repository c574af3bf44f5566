// @ts-check
/** Short messages at the edge of the window. Failures stay until they are read. */
import { html, signal } from "../vendor/preact.js";
import { t } from "../lib/i18n.js";
import { Icon } from "./icons.js";

/** @type {{value: Array<{id: number, tone: string, text: string, hint?: string, action?: {label: string, run: () => void}}>}} */
const toasts = signal(/** @type {any} */ ([]));
let count = 0;

/** @param {{tone?: "good"|"bad"|"info", text: string, hint?: string, action?: {label: string, run: () => void}}} toast */
export function tell(toast) {
  const id = (count += 1);
  toasts.value = [...toasts.value.filter((it) => it.text !== toast.text), { tone: "info", ...toast, id }].slice(-4);
  if (toast.tone !== "bad") setTimeout(() => dismiss(id), 6000);
}

/** What went wrong, in the server's words. @param {any} failure */
export function complain(failure) {
  if (failure?.name === "AbortError") return;
  const text = failure?.code === "offline" ? t("offline") : failure?.message ?? String(failure);
  tell({ tone: "bad", text, hint: failure?.hint });
}

/** @param {number} id */
function dismiss(id) {
  toasts.value = toasts.value.filter((toast) => toast.id !== id);
}

export function Toasts() {
  return html`<div class="toasts" role="status" aria-live="polite">${toasts.value.map((toast) => html`
    <div key=${toast.id} class=${`toast ${toast.tone}`}>
      <${Icon} name=${toast.tone === "bad" ? "alert" : toast.tone === "good" ? "check" : "info"} />
      <div class="grow"><div>${toast.text}</div>${toast.hint ? html`<div class="quiet-text">${toast.hint}</div>` : null}</div>
      ${toast.action ? html`<button class="button small" onClick=${() => { toast.action?.run(); dismiss(toast.id); }}>${toast.action.label}</button>` : null}
      <button class="button quiet icon small" aria-label=${t("close")} onClick=${() => dismiss(toast.id)}><${Icon} name="cross" /></button>
    </div>`)}</div>`;
}
