// @ts-check
/** Where the next message is written: a free message, or feedback for redoing a stage. */
import { html, useEffect, useRef, useState } from "../../vendor/preact.js";
import { useDraft } from "../../lib/drafts.js";
import { t } from "../../lib/i18n.js";
import { described, lastRun, openGates, stageTitle } from "../../lib/reading.js";
import { route, turn } from "../../lib/router.js";
import { FileButton, FileList, attachments, dropping, useUploads } from "../../parts/files.js";
import { Icon } from "../../parts/icons.js";
import { complain } from "../../parts/toasts.js";
import { Plan, planOf } from "./plan.js";

/** @param {any} props */
export function Composer({ session, watched, latest, at, onFork }) {
  const [text, setText] = useDraft(`composer.${session}`, "");
  const [files, setFiles, clearFiles] = useDraft(`composer.files.${session}`, /** @type {any[]} */ ([]));
  const [busy, setBusy] = useState(false);
  const [planned, setPlanned] = useState(/** @type {any} */ (null));
  const { add, waiting } = useUploads(setFiles);
  const head = latest.runs.get(route.value.query.base) ?? latest.runs.get(latest.head) ?? [...latest.runs.values()].filter((it) => it.outcome && it.artifacts?.length).at(-1);
  const last = lastRun(latest);
  const stage = head && route.value.query.refine && stagesOf(head).includes(route.value.query.refine) ? route.value.query.refine : "";
  // A part of the stage, such as a page, if one was chosen.
  const item = stage ? (route.value.query.item ?? "") : "";
  const box = useRef(/** @type {HTMLTextAreaElement|null} */ (null));
  useEffect(() => { if (stage) box.current?.focus(); }, [stage, item]);
  if (at !== null) {
    return html`<div class="composer past"><p class="grow">${t("past.text", { version: at, head: latest.version })}</p>
      <button class="button small" onClick=${() => onFork(at)}><${Icon} name="fork" />${t("fork.do")}</button>
      <button class="button small primary" onClick=${() => turn({ at: null })}>${t("past.back")}</button></div>`;
  }
  if (latest.erased) return null;
  const settings = { attended: last?.settings?.attended ?? true };
  const send = async () => {
    const said = text.trim();
    if (!said || busy || waiting) return;
    setBusy(true);
    const [type, payload] = stage ? ["refine", { stage, items: item ? [item] : [], feedback: said, base_run: head?.run, settings }] : ["send_message", { message: said, settings }];
    try {
      // The costs of a change are shown before it is made. For something new this is not necessary.
      if (head && !latest.active && planned?.said !== said) {
        const plan = await planOf(session, type, payload);
        // The offline author costs nothing.
        if (plan?.calls && plan.intent !== "initial" && head.settings?.ports?.model !== "offline") { setPlanned({ said, plan }); return; }
      }
      setPlanned(null);
      await watched.ask(type, stage ? payload : { ...payload, attachments: attachments(files) });
      if (!stage) clearFiles();
      // Text that was typed in the meantime belongs to the next message.
      setText((/** @type {string} */ now) => (now.trim() === said ? "" : now));
      turn({ refine: "", item: "", base: "", run: "" });
    } catch (failure) {
      complain(failure);
    } finally {
      setBusy(false);
    }
  };
  const keys = (/** @type {KeyboardEvent} */ event) => {
    // An Enter that confirms a word of an input method (for Chinese) does not send the message.
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing && event.keyCode !== 229) { event.preventDefault(); void send(); }
  };
  const hint = latest.active ? t(openGates(latest).length ? "composer.gate" : "composer.busy") : item ? t("composer.refines_item", { item }) : stage ? t("composer.refines") : "";
  return html`<form class="composer" aria-label=${t("composer.title")} onSubmit=${(/** @type {Event} */ event) => { event.preventDefault(); void send(); }} ...${stage ? {} : dropping(add)}>
    ${planned?.said === text.trim() && !latest.active ? html`<section class="planned" aria-live="polite" aria-label=${t("plan.title")}><h3>${t("plan.title")}</h3>
      <${Plan} plan=${planned.plan} pipeline=${head.pipeline} />${planned.plan.by === "rules" ? html`<p class="quiet-text">${t("plan.by_rules")}</p>` : null}
      <div class="row end"><button type="button" class="button small" onClick=${() => setPlanned(null)}>${t("back")}</button><button class="button small primary" disabled=${busy}>${t("plan.do")}</button></div></section>` : null}
    ${stage ? null : html`<${FileList} files=${files} setFiles=${setFiles} waiting=${waiting} />`}
    <textarea class="composer-text" ref=${box} rows=${Math.min(8, Math.max(2, text.split("\n").length))} aria-label=${t("composer.title")} placeholder=${t(stage ? "composer.refine_hint" : "composer.hint")}
      value=${text} onInput=${(/** @type {any} */ event) => setText(event.target.value)} onKeyDown=${keys}></textarea>
    <div class="row">
      ${stage ? null : html`<${FileButton} small=${true} label=${t("files.attach")} add=${add} />`}
      ${head ? html`<label class="composer-way"><span class="sr-only">${t("composer.way")}</span><select class="select small" value=${stage} onChange=${(/** @type {any} */ event) => turn({ refine: event.target.value, item: "", base: "" })}>
        <option value="">${t("composer.free")}</option>${stagesOf(head).map((/** @type {string} */ it) => html`<option value=${it}>${t("composer.refine", { stage: stageTitle(head.pipeline, it) })}</option>`)}</select></label>` : null}
      <span class="quiet-text grow ellipsis" aria-live="polite" title=${hint}>${hint}</span>
      <button class="button primary icon" disabled=${!text.trim() || busy || waiting > 0} aria-label=${t("send")} title=${t("send")}>${busy ? html`<span class="spinner" aria-hidden="true"></span>` : html`<${Icon} name="send" />`}</button>
    </div></form>`;
}

/** The stages of a pipeline, else those the run had. @param {any} run @returns {string[]} */
export function stagesOf(run) {
  return described.value.get(run.pipeline)?.stages.map((/** @type {any} */ it) => it.name) ?? run.stages.map((/** @type {any} */ it) => it.stage);
}
