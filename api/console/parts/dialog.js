// @ts-check
/** Dialogs: the browser's own, which keeps the focus inside and closes with Escape. */
import { html, useEffect, useId, useRef, useState, signal } from "../vendor/preact.js";
import { append, useDraft } from "../lib/drafts.js";
import { t } from "../lib/i18n.js";
import { Icon } from "./icons.js";

/** @param {{title: string, onClose: () => void, children?: any, wide?: boolean, keep?: boolean}} props `keep`: it cannot be closed */
export function Dialog({ title, onClose, children, wide, keep }) {
  const element = useRef(/** @type {HTMLDialogElement|null} */ (null));
  const id = useId();
  useEffect(() => {
    const before = /** @type {HTMLElement|null} */ (document.activeElement);
    element.current?.showModal();
    // The focus goes to a field, else to the title, and not to the button that closes the dialog.
    const first = element.current?.querySelector("[autofocus]") ?? element.current?.querySelector("h2");
    /** @type {HTMLElement|undefined} */ (first ?? undefined)?.focus();
    return () => before?.focus?.();
  }, []);
  return html`<dialog ref=${element} class=${wide ? "dialog wide" : "dialog"} aria-labelledby=${id}
    onCancel=${(/** @type {Event} */ event) => { event.preventDefault(); if (!keep) onClose(); }}
    onClose=${() => { if (keep) element.current?.showModal(); else onClose(); }}
    onMouseDown=${(/** @type {MouseEvent} */ event) => { if (event.target === element.current && !keep) onClose(); }}>
    <div class="dialog-body">
      <header class="dialog-head"><h2 id=${id} tabIndex=${-1}>${title}</h2>
        ${keep ? null : html`<button type="button" class="button quiet icon small" aria-label=${t("close")} onClick=${onClose}><${Icon} name="cross" /></button>`}
      </header>
      ${children}
    </div>
  </dialog>`;
}

/** @type {{value: any}} */
const asked = signal(null);

/** The place of the draft that is written in a question. @param {any} question */
const draftOf = (question) => `ask.${question.input?.place ?? ""}`;

/**
 * Asks before something that cannot be undone, or for a few words.
 * @param {{title: string, text?: any, confirm: string, danger?: boolean, input?: {label: string, place: string, required?: boolean, value?: string, multiline?: boolean}, check?: string, alone?: boolean}} question `alone`: it only informs
 * @returns {Promise<null|{text: string, checked: boolean, keep: () => void}>} `keep` puts back what was written, where it could not be sent
 */
export function ask(question) {
  return new Promise((resolve) => { asked.value = { ...question, resolve }; });
}

function Asked(/** @type {any} */ { question }) {
  // The text is kept in case the dialog is closed before it is sent.
  const [text, setText, clear] = useDraft(draftOf(question), question.input?.value ?? "");
  const [checked, setChecked] = useState(false);
  const end = (/** @type {any} */ answer) => { asked.value = null; question.resolve(answer); };
  const typed = (/** @type {any} */ event) => setText(event.target.value);
  return html`<${Dialog} title=${question.title} onClose=${() => end(null)}>
    <form class="stack" onSubmit=${(/** @type {Event} */ event) => { event.preventDefault(); clear(); end({ text, checked, keep: () => append(draftOf(question), text) }); }}>
      ${question.text ? html`<div class="muted">${question.text}</div>` : null}
      ${question.input ? html`<label class="field"><span class="label">${question.input.label}</span>
        ${question.input.multiline
          ? html`<textarea class="textarea" value=${text} onInput=${typed} autofocus></textarea>`
          : html`<input class="input" value=${text} onInput=${typed} autofocus />`}</label>` : null}
      ${question.check ? html`<label class="check"><input type="checkbox" checked=${checked} onChange=${(/** @type {any} */ event) => setChecked(event.target.checked)} /> ${question.check}</label>` : null}
      <div class="dialog-foot">
        ${question.alone ? null : html`<button type="button" class="button" onClick=${() => end(null)}>${t("back")}</button>`}
        <button class=${question.danger ? "button solid-danger" : "button primary"} disabled=${question.input?.required && !text.trim()}>${question.confirm}</button>
      </div>
    </form>
  </${Dialog}>`;
}

/** Shows the questions. It is once in the page. */
export function Questions() {
  return asked.value ? html`<${Asked} key=${asked.value.title} question=${asked.value} />` : null;
}
