// @ts-check
// JSON as a tree whose branches open on demand: only what is open is in the page.

import { html, useState } from "../vendor/preact.js";
import { t } from "../lib/i18n.js";
import { Copy } from "./copy.js";

/** Children that are shown at once, and characters of a string. */
const AT_ONCE = 100;
const LONG = 400;

/**
 * @param {{value: any, artifact?: any, bare?: boolean, open?: number, linkOf?: (text: string) => (() => void) | null}} props
 *   `open`: levels that are open at first. `linkOf`: where a text leads, such as the id of an artifact.
 */
export function Json({ value, artifact, bare, open = 2, linkOf }) {
  const [round, setRound] = useState(0);
  const [levels, setLevels] = useState(open);
  const unfold = (/** @type {number} */ to) => { setLevels(to); setRound(round + 1); };
  const tree = html`<div class="json mono" key=${round}><${Node} value=${value} level=${0} open=${levels} linkOf=${linkOf} /></div>`;
  if (bare) return tree;
  return html`<div class="json-layout"><div class="json-bar">
      <button type="button" class="button small quiet" onClick=${() => unfold(8)}>${t("canvas.unfold")}</button>
      <button type="button" class="button small quiet" onClick=${() => unfold(1)}>${t("canvas.fold")}</button>
      <${Copy} text=${() => JSON.stringify(value, null, 2)} /></div>
    <div class="json-scroll" tabIndex="0" role="region" aria-label=${artifact?.title || "JSON"}>${tree}</div></div>`;
}

/** @param {{name?: string | number, value: any, level: number, open: number, last?: boolean, linkOf?: any}} props */
function Node({ name, value, level, open, last = true, linkOf }) {
  if (value === null || typeof value !== "object") return html`<div class="json-line"><${Name} name=${name} /><${Leaf} value=${value} linkOf=${linkOf} />${!last && html`<span class="json-mark">,</span>`}</div>`;
  return html`<${Branch} name=${name} value=${value} level=${level} open=${open} last=${last} linkOf=${linkOf} />`;
}

/** @param {{name?: string | number, value: any, level: number, open: number, last: boolean, linkOf?: any}} props */
function Branch({ name, value, level, open, last, linkOf }) {
  const names = Array.isArray(value) ? null : Object.keys(value);
  const count = names ? names.length : value.length;
  // A long list below the first level stays closed, however many levels are open: it would fill most of the page.
  const [isOpen, setOpen] = useState(level < open && (level === 0 || count <= AT_ONCE));
  const [shown, setShown] = useState(AT_ONCE);
  const [from, to] = names ? ["{", "}"] : ["[", "]"];
  const end = html`<span class="json-mark">${to}${last ? "" : ","}</span>`;
  if (!count) return html`<div class="json-line"><${Name} name=${name} /><span class="json-mark">${from}</span>${end}</div>`;
  const keys = names ?? Array.from({ length: Math.min(count, shown) }, (_, n) => n);
  return html`<div class="json-branch">
    <div class="json-line"><button type="button" class="json-toggle" aria-expanded=${isOpen ? "true" : "false"} onClick=${() => setOpen(!isOpen)}>
      <span class="json-arrow" aria-hidden="true">${isOpen ? "▾" : "▸"}</span><${Name} name=${name} /><span class="json-mark">${from}</span>
      ${!isOpen && html`<span class="json-count">${t(names ? "canvas.n_fields" : "canvas.n_items", { n: count })}</span>`}</button>${!isOpen && end}</div>
    ${isOpen && html`<div class="json-children">${keys.slice(0, shown).map((key, n) => html`<${Node} key=${key} name=${names ? key : undefined} value=${value[key]} level=${level + 1} open=${open} last=${n === count - 1} linkOf=${linkOf} />`)}
      ${count > shown && html`<button type="button" class="button small" onClick=${() => setShown(shown + 10 * AT_ONCE)}>${t("canvas.more", { n: count - shown })}</button>`}</div>
      <div class="json-line">${end}</div>`}
  </div>`;
}

/** @param {{name?: string | number}} props */
function Name({ name }) {
  return name === undefined ? null : html`<span class="json-key">${JSON.stringify(String(name))}</span><span class="json-mark">: </span>`;
}

/** @param {{value: any, linkOf?: (text: string) => (() => void) | null}} props */
function Leaf({ value, linkOf }) {
  const [isWhole, setWhole] = useState(false);
  if (typeof value === "number") return html`<span class="json-number">${String(value)}</span>`;
  if (typeof value !== "string") return html`<span class="json-word">${String(value)}</span>`;
  const follow = linkOf?.(value);
  if (follow) return html`<button type="button" class="json-link" onClick=${follow}>${JSON.stringify(value)}</button>`;
  if (isWhole || value.length <= LONG) return html`<span class="json-string">${JSON.stringify(value)}</span>`;
  return html`<span class="json-string">${JSON.stringify(value.slice(0, LONG)).slice(0, -1)}…</span>
    <button type="button" class="button small" onClick=${() => setWhole(true)}>${t("canvas.whole_text", { n: value.length })}</button>`;
}
