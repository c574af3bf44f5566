// @ts-check
/** A new session: the pipeline, the message, and the pipeline's input. */
import { html, useEffect, useRef, useState } from "../vendor/preact.js";
import { freshId, pipelines, post } from "../lib/api.js";
import { useDraft } from "../lib/drafts.js";
import { language, t } from "../lib/i18n.js";
import { go } from "../lib/router.js";
import { Icon } from "../parts/icons.js";
import { Broken, Loading } from "../parts/lazy.js";
import { FileButton, FileList, attachments, dropping, useUploads } from "../parts/files.js";
import { SchemaForm, lean, problemsOf, unreadable } from "../parts/schema-form.js";
import { optionText } from "./session/answers.js";

/** The settings of a run as a schema, so that they have a form like everything else. */
function settingsSchema() {
  const said = (/** @type {string} */ name) => ({ "x-label": t(`new.${name}`), description: t(`new.${name}_why`) });
  const limit = (/** @type {string} */ name) => ({ type: "integer", minimum: 0, "x-label": t(`budget.${name}`) });
  return {
    type: "object",
    properties: {
      language: { enum: ["zh", "en"], ...said("language") },
      attempts: { type: "integer", minimum: 1, maximum: 10, ...said("attempts") },
      width: { type: "integer", minimum: 1, maximum: 32, ...said("width") },
      on_busy: { enum: ["enqueue", "refuse", "interrupt"], ...said("on_busy") },
      budget: { type: "object", ...said("budget"), properties: { calls: limit("calls"), tokens: limit("tokens"), cost_micros: limit("cost_micros"), working_ms: limit("working_ms") } },
      options: said("options"),
    },
  };
}

/** Whether people begin it: an internal pipeline is begun by the server. @param {any} pipeline */
const isOffered = (pipeline) => !pipeline.internal;

/** @param {{path: string[]}} props */
export function New({ path: [pipeline] }) {
  const [list, setList] = useState(/** @type {any[]|null} */ (null));
  const [failure, setFailure] = useState(/** @type {any} */ (null));
  useEffect(() => { pipelines(language.value).then((all) => setList(all.filter(isOffered)), setFailure); }, [language.value]);
  if (failure) return html`<${Broken} error=${failure} heading=${t("new.title")} />`;
  if (!list) return html`<${Loading} heading=${t("new.title")} />`;
  const chosen = list.find((it) => it.name === pipeline);
  return html`<div class="new-page">
    <header class="page-head"><h1>${t("new.title")}</h1></header>
    <nav class="pipeline-cards" aria-label=${t("new.pipeline")}>${list.map((it) => html`<div class=${`card pipeline-card ${it === chosen ? "chosen" : ""}`}>
      <strong><a aria-current=${it === chosen ? "true" : undefined} aria-describedby=${`pipeline-${it.name}`} href=${`#/new/${encodeURIComponent(it.name)}`}>${it.title}</a></strong>
      <span class="muted" id=${`pipeline-${it.name}`}>${it.description}</span><span class="quiet-text">${t("new.stages", { n: it.stages.length })}</span></div>`)}</nav>
    ${chosen ? html`<${Form} key=${chosen.name} pipeline=${chosen} />` : html`<p class="quiet-text">${t("new.choose")}</p>`}
  </div>`;
}

/** @param {{pipeline: any}} props */
function Form({ pipeline }) {
  const place = `new.${pipeline.name}`;
  const [message, setMessage, clearMessage] = useDraft(`${place}.message`, "");
  const [input, setInput, clearInput] = useDraft(`${place}.input`, /** @type {any} */ ({}));
  const [settings, setSettings, clearSettings] = useDraft(`${place}.settings`, /** @type {any} */ ({}));
  const [attended, setAttended, clearAttended] = useDraft(`${place}.attended`, true);
  const [files, setFiles, clearFiles] = useDraft(`${place}.files`, /** @type {any[]} */ ([]));
  // Every attempt with the same content has the same name, so that a repetition after a broken connection starts nothing twice.
  const [sent, setSent, clearSent] = useDraft(`${place}.sent`, { name: "", body: "" });
  const [busy, setBusy] = useState(false);
  const [wrong, setWrong] = useState(/** @type {any} */ (null));
  const { add, waiting } = useUploads(setFiles);
  const form = useRef(/** @type {HTMLFormElement|null} */ (null));
  useEffect(() => {
    form.current?.scrollIntoView();
    form.current?.querySelector("textarea")?.focus({ preventScroll: true });
  }, []);
  const send = async (/** @type {Event} */ event) => {
    event.preventDefault();
    if (busy || waiting) return;
    const given = lean(input);
    const found = [...(pipeline.input_schema ? problemsOf(pipeline.input_schema, given) : []), ...problemsOf(settingsSchema(), lean(settings))];
    if (unreadable(event.currentTarget)) return;
    if (found.length) { setWrong({ message: found.join("\n") }); return; }
    const body = {
      pipeline: pipeline.name, message: message.trim(), ...(Object.keys(given).length ? { input: given } : {}), settings: { ...lean(settings), attended }, attachments: attachments(files),
    };
    const same = sent.body === JSON.stringify(body);
    const name = same ? sent.name : freshId("console");
    if (!same) setSent({ name, body: JSON.stringify(body) });
    setBusy(true);
    setWrong(null);
    try {
      const answer = await post("/v1/sessions", body, { "idempotency-key": name });
      clear();
      go(["s", answer.session]);
    } catch (failure) {
      setWrong(failure);
      setBusy(false);
    }
  };
  const clear = () => { for (const part of [clearMessage, clearInput, clearSettings, clearAttended, clearFiles, clearSent]) part(); };
  const paths = files.map((/** @type {any} */ it) => it.path);
  const takesFiles = pipeline.takes_files ?? t("new.files_why");
  return html`<form class="card new-form" ref=${form} noValidate onSubmit=${send} aria-label=${pipeline.title} ...${dropping(add)}>
    <h2>${pipeline.title}</h2>
    <label class="field"><span class="label">${t("new.message")} <span class="required" aria-hidden="true">*</span></span>
      <textarea class="textarea" rows="3" required value=${message} placeholder=${t("new.message_hint")} onInput=${(/** @type {any} */ event) => setMessage(event.target.value)}></textarea></label>
    ${takesFiles ? html`<section class="field"><span class="label">${t("files.title")}</span>
      <div class="drop-place">${files.length || waiting ? html`<${FileList} files=${files} setFiles=${setFiles} waiting=${waiting} editable=${true} />` : null}
        <div class="row"><${FileButton} label=${t("files.choose")} add=${add} /><span class="quiet-text">${t("files.drop")}</span></div></div>
      <span class="help">${takesFiles}</span></section>` : null}
    <label class="option ${attended ? "chosen" : ""}"><input type="checkbox" aria-labelledby="attended" aria-describedby="attended-why" checked=${attended} onChange=${(/** @type {any} */ event) => setAttended(event.target.checked)} />
      <span class="grow"><span id="attended">${t("new.attended")}</span><span id="attended-why" class="quiet-text block">${t("new.attended_why")}</span></span></label>
    ${pipeline.input_schema ? html`<details class="more" open=${Object.keys(lean(input)).length > 0}><summary><h2>${t("new.input")}</h2><span class="quiet-text" aria-hidden="true">${pipeline.input_schema.description ?? ""}</span></summary>
      <${SchemaForm} schema=${pipeline.input_schema} value=${input} onChange=${setInput} suggestions=${paths} optionText=${(/** @type {string} */ id) => optionText(pipeline.name, id)} /></details>` : null}
    <details class="more" open=${Object.keys(lean(settings)).length > 0}><summary><h2>${t("new.settings")}</h2><span class="quiet-text" aria-hidden="true">${t("new.settings_why")}</span></summary>
      <${SchemaForm} schema=${settingsSchema()} value=${settings} onChange=${setSettings} /></details>
    ${wrong ? html`<p class="problem" role="alert"><${Icon} name="alert" /><span class="pre">${wrong.message}${wrong.hint ? html`<br /><span class="quiet-text">${wrong.hint}</span>` : null}</span></p>` : null}
    <div class="row end"><button type="button" class="button quiet" onClick=${clear}>${t("new.clear")}</button>
      <button class="button primary" disabled=${busy || waiting > 0 || !message.trim()}>${busy ? html`<span class="spinner" aria-hidden="true"></span>` : html`<${Icon} name="play" />`}${t("new.start")}</button></div>
  </form>`;
}
