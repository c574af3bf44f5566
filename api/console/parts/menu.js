// @ts-check
/** A button with a menu behind it: arrow keys go through it, Escape closes it. */
import { html, useEffect, useRef, useState } from "../vendor/preact.js";
import { Icon } from "./icons.js";

/**
 * @param {{label: string, icon?: string, text?: any, small?: boolean, align?: "left"|"right", items: Array<null|false|{label: any, icon?: string, hint?: any, danger?: boolean, disabled?: boolean, checked?: boolean, href?: string, run?: () => void}>}} props
 */
export function Menu({ label, icon, text, small, align = "right", items }) {
  const [open, setOpen] = useState(false);
  const root = useRef(/** @type {HTMLElement|null} */ (null));
  const shown = items.filter(Boolean);
  useEffect(() => {
    if (!open) return undefined;
    const away = (/** @type {Event} */ event) => { if (!root.current?.contains(/** @type {Node} */ (event.target))) setOpen(false); };
    addEventListener("pointerdown", away);
    const chosen = root.current?.querySelector('[aria-checked="true"]') ?? root.current?.querySelector('[role^="menuitem"]');
    /** @type {HTMLElement} */ (chosen)?.focus();
    return () => removeEventListener("pointerdown", away);
  }, [open]);
  const close = () => { setOpen(false); root.current?.querySelector("button")?.focus(); };
  const keys = (/** @type {KeyboardEvent} */ event) => {
    if (event.key === "Escape" && open) { event.stopPropagation(); close(); }
    if (!open || !["ArrowDown", "ArrowUp", "Home", "End"].includes(event.key)) return;
    event.preventDefault();
    const all = /** @type {HTMLElement[]} */ ([...(root.current?.querySelectorAll('[role^="menuitem"]:not([aria-disabled="true"])') ?? [])]);
    const at = all.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    const to = event.key === "Home" ? 0 : event.key === "End" ? all.length - 1 : at + (event.key === "ArrowDown" ? 1 : -1);
    all[(to + all.length) % all.length]?.focus();
  };
  return html`<span class="menu" ref=${root} onKeyDown=${keys}>
    <button type="button" class=${`button ${text ? "" : "icon"} ${small ? "small" : ""} quiet`} aria-haspopup="menu" aria-expanded=${open} aria-label=${text ? undefined : label}
      title=${label} onClick=${() => setOpen(!open)}>${icon ? html`<${Icon} name=${icon} />` : null}${text}${text ? html`<${Icon} name="down" />` : null}</button>
    ${open ? html`<div class=${`menu-list ${align}`} role="menu" aria-label=${label}>${shown.map((/** @type {any} */ item) => {
      const role = item.checked === undefined ? "menuitem" : "menuitemradio";
      const inner = html`${item.checked !== undefined ? html`<span class="menu-check">${item.checked ? html`<${Icon} name="check" />` : null}</span>` : item.icon ? html`<${Icon} name=${item.icon} />` : null}
        <span class="grow">${item.label}</span>${item.hint ? html`<span class="quiet-text number">${item.hint}</span>` : null}`;
      const common = { class: `menu-item ${item.danger ? "danger" : ""}`, role, tabIndex: -1, "aria-checked": item.checked, "aria-disabled": item.disabled ? "true" : undefined };
      return item.href
        ? html`<a ...${common} href=${item.href} onClick=${() => setOpen(false)}>${inner}</a>`
        : html`<button type="button" ...${common} onClick=${() => { if (item.disabled) return; close(); item.run?.(); }}>${inner}</button>`;
    })}</div>` : null}
  </span>`;
}
