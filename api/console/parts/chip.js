// @ts-check
/** An artifact as a button: its kind and its number, its own title where it is one of several, its version where there were others before. */
import { html } from "../vendor/preact.js";
import { t } from "../lib/i18n.js";
import { toldApart } from "../lib/labels.js";
import { Icon } from "./icons.js";

/** @param {{list: any[], small?: boolean, onFocus: (id: string) => void}} props `list`: artifacts that stand beside each other */
export function Chips({ list, small = false, onFocus }) {
  return toldApart(list).map(({ it, name, title }) => html`<button class=${small ? "chip small" : "chip"} title=${[name, it.title].filter(Boolean).join(": ")} onClick=${() => onFocus(it.artifact)}>
    <${Icon} name=${it.blob ? "file" : "layers"} /><span class="nowrap">${name}</span>${title ? html`<span class="ellipsis quiet-text">${title}</span>` : null}
    ${it.number > 1 ? html`<span class="quiet-text">${t("version.n", { n: it.number })}</span>` : null}</button>`);
}
