// @ts-check
// Two texts in rows beside each other. Long stretches that are the same are folded; the buttons go from change to change.

import { html, useMemo, useRef, useState } from "../vendor/preact.js";
import { t } from "../lib/i18n.js";
import { ComparePictures } from "./compare-pictures.js";
import { countOf, rowsOf, stretchesOf } from "./diff.js";
import { Icon } from "./icons.js";

/** Rows of a stretch that are drawn at once; the others are drawn on request. */
const AT_ONCE = 400;

/** @param {{left: string, right: string, isCode?: boolean, pictures?: any[] | null, bare?: boolean}} props */
export function Differences({ left, right, isCode, pictures, bare }) {
  const rows = useMemo(() => rowsOf(left, right), [left, right]);
  const stretches = useMemo(() => stretchesOf(rows ?? []), [rows]);
  const box = useRef(/** @type {HTMLDivElement | null} */ (null));
  const at = useRef(-1);
  if (!rows) return html`<div class="canvas-state"><p>${t("canvas.compare.too_large")}</p></div>`;
  const count = countOf(rows);
  /** @param {number} by */
  const go = (by) => {
    const changes = box.current?.querySelectorAll("[data-change]") ?? [];
    if (!changes.length) return;
    at.current = (at.current + by + changes.length) % changes.length;
    changes[at.current].scrollIntoView({ block: "center" });
    /** @type {HTMLElement} */ (changes[at.current]).focus({ preventScroll: true });
  };
  const table = count === 0 && !pictures?.length ? html`<p class="compare-say">${t("canvas.compare.equal")}</p>`
    : html`<div class=${isCode ? "diff diff-code" : "diff"}>${stretches.map((/** @type {import("./diff.js").Stretch} */ it, /** @type {number} */ n) => html`<${Stretch} key=${n} stretch=${it} isCode=${isCode} />`)}</div>`;
  if (bare) return table;
  return html`<div class="compare-bar"><span class="number" role="status">${count ? t("canvas.compare.changed", { n: count }) : ""}</span>
      <button type="button" class="button small quiet" disabled=${!count} onClick=${() => go(at.current < 0 ? 0 : -1)}><${Icon} name="up" /><span class="compare-word">${t("canvas.compare.previous")}</span></button>
      <button type="button" class="button small quiet" disabled=${!count} onClick=${() => go(1)}><${Icon} name="down" /><span class="compare-word">${t("canvas.compare.next")}</span></button></div>
    <div class="compare-scroll" ref=${box} tabIndex="0" role="region" aria-label=${t("canvas.compare.side")}>
      ${table}${pictures?.map((it, n) => html`<div key=${n} class="compare-inset"><${ComparePictures} left=${it.left} right=${it.right} bare /></div>`)}</div>`;
}

/** @param {{stretch: import("./diff.js").Stretch, isCode?: boolean}} props */
function Stretch({ stretch, isCode }) {
  const [isOpen, setOpen] = useState(!stretch.folded);
  const [shown, setShown] = useState(AT_ONCE);
  if (!isOpen) return html`<button type="button" class="diff-fold" onClick=${() => setOpen(true)}><${Icon} name="more" size=${14} />${t("canvas.compare.folded", { n: stretch.rows.length })}</button>`;
  const isChange = stretch.rows[0]?.is !== "equal";
  return html`<div class="diff-stretch" data-change=${isChange ? "" : undefined} tabIndex=${isChange ? -1 : undefined}>
    ${stretch.rows.slice(0, shown).map((row, n) => html`<${RowView} key=${n} row=${row} isCode=${isCode} />`)}
    ${stretch.rows.length > shown && html`<button type="button" class="diff-fold" onClick=${() => setShown(shown + 5 * AT_ONCE)}>${t("canvas.more", { n: stretch.rows.length - shown })}</button>`}</div>`;
}

/** @param {{row: import("./diff.js").Row, isCode?: boolean}} props */
function RowView({ row, isCode }) {
  return html`<div class="diff-row" data-is=${row.is}><${Side} parts=${row.left} number=${isCode ? row.leftNumber : undefined} side="left" />
    <${Side} parts=${row.right} number=${isCode ? row.rightNumber : undefined} side="right" /></div>`;
}

/** @param {{parts?: import("./diff.js").Part[], number?: number, side: "left" | "right"}} props */
function Side({ parts, number, side }) {
  const Mark = side === "left" ? "del" : "ins";
  return html`<div class=${`diff-side diff-${side}`}>${number !== undefined && html`<span class="diff-number number" aria-hidden="true">${number}</span>`}
    <span class="diff-text">${parts?.map((it) => (it.changed ? html`<${Mark}>${it.value}</${Mark}>` : it.value))}</span></div>`;
}
