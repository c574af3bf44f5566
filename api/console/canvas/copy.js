// @ts-check
// A button that copies, and says that it did.

import { html, useEffect, useState } from "../vendor/preact.js";
import { t } from "../lib/i18n.js";
import { Icon } from "./icons.js";

/** @param {{text: string | (() => string), label?: string, compact?: boolean}} props `label`: what is copied. `compact`: the sign alone. */
export function Copy({ text, label, compact }) {
  const [state, setState] = useState("");
  useEffect(() => {
    if (!state) return;
    const timer = setTimeout(() => setState(""), 1600);
    return () => clearTimeout(timer);
  }, [state]);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(typeof text === "function" ? text() : text);
      setState("copied");
    } catch {
      setState("not_copied"); // Browsers forbid it where the page is not served securely.
    }
  };
  return html`<button type="button" class=${compact ? "button small quiet icon" : "button small quiet"} title=${t("canvas.copy")} onClick=${copy}><${Icon} name=${state === "copied" ? "check" : "copy"} /><span class=${compact ? "sr-only" : ""} aria-live="polite">${t(`canvas.${state || "copy"}`, {})}</span>${label && html`<span class="sr-only">${label}</span>`}</button>`;
}
