// @ts-check
/** An artifact as a form by the schema of its kind, or as the JSON it is; checked before it is sent. */
import { html, useEffect, useState } from "../../vendor/preact.js";
import { get } from "../../lib/api.js";
import { useDraft } from "../../lib/drafts.js";
import { t } from "../../lib/i18n.js";
import { Icon } from "../../parts/icons.js";
import { Loading } from "../../parts/lazy.js";
import { SchemaForm, problemsOf, unreadable } from "../../parts/schema-form.js";
import { complain } from "../../parts/toasts.js";
import { Dialog } from "../../parts/dialog.js";

/** @param {any} props */
export function Editor({ artifact, schema, place, busy, confirm, problem, why, onDone, onCancel }) {
  const [before, setBefore] = useState(/** @type {any} */ (artifact.body));
  const [after, setAfter, clear] = useDraft(`${place}.edit.${artifact.artifact}`, /** @type {any} */ (null));
  const [raw, setRaw] = useDraft(`${place}.raw.${artifact.artifact}`, !schema);
  const [text, setText] = useDraft(`${place}.json.${artifact.artifact}`, /** @type {string|null} */ (null));
  const [wrong, setWrong] = useState(/** @type {string[]} */ ([]));
  useEffect(() => { if (before === undefined) get(artifact.content).then(setBefore, (failure) => { complain(failure); onCancel(); }); }, [artifact.artifact]);
  if (before === undefined) return html`<${Loading} />`;
  const value = after ?? before;
  const done = (/** @type {Event} */ event) => {
    event.preventDefault();
    let edited = value;
    if (raw && text !== null) {
      try { edited = JSON.parse(text); } catch (error) { setWrong([String(/** @type {Error} */ (error).message)]); return; }
    }
    const found = schema ? problemsOf(schema, edited) : [];
    setWrong(found);
    if (!found.length && (raw || !unreadable(event.currentTarget))) void onDone(before, edited);
  };
  const swap = () => {
    if (!raw) { setText(JSON.stringify(value, null, 2)); setRaw(true); return; }
    try { if (text !== null) setAfter(JSON.parse(text)); setRaw(false); setWrong([]); } catch (error) { setWrong([String(/** @type {Error} */ (error).message)]); }
  };
  return html`<${Dialog} title=${t("editor.title", { title: artifact.title })} wide=${true} onClose=${onCancel}>
    <form class="editor" onSubmit=${done}>
      ${schema ? html`<div class="row"><span class="quiet-text grow">${why ?? t("editor.why")}</span><button type="button" class="button small" onClick=${swap}>${t(raw ? "editor.form" : "editor.raw")}</button></div>` : null}
      <div class="editor-body">${raw
        ? html`<textarea class="textarea mono tall" spellcheck=${false} aria-label="JSON" value=${text ?? JSON.stringify(value, null, 2)} onInput=${(/** @type {any} */ event) => setText(event.target.value)}></textarea>`
        : html`<${SchemaForm} schema=${schema} value=${value} onChange=${setAfter} full=${true} />`}</div>
      ${problem && !wrong.length ? html`<p class="problem" role="alert"><${Icon} name="alert" /><span class="pre">${problem.message}${problem.hint ? html`<br /><span class="quiet-text">${problem.hint}</span>` : null}</span></p>` : null}
      ${wrong.length ? html`<ul class="problem" role="alert">${wrong.slice(0, 8).map((it) => html`<li>${it}</li>`)}</ul>` : null}
      <div class="dialog-foot">${after || text !== null ? html`<button type="button" class="button quiet" onClick=${() => { clear(); setText(null); }}>${t("editor.undo")}</button>` : null}<span class="grow"></span>
        <button type="button" class="button" onClick=${onCancel}>${t("back")}</button>
        <button class="button primary" disabled=${busy}><${Icon} name="check" />${confirm}</button></div>
    </form></${Dialog}>`;
}
