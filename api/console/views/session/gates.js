// @ts-check
/** Gates, where the run waits for a person: the question, the possible answers, and the deadline. */
import { html, useEffect, useRef, useState } from "../../vendor/preact.js";
import { duration } from "../../lib/format.js";
import { append, forget, kept, useDraft } from "../../lib/drafts.js";
import { t } from "../../lib/i18n.js";
import { toldApart } from "../../lib/labels.js";
import { kindSchema, optionOf } from "../../lib/reading.js";
import { Icon } from "../../parts/icons.js";
import { useNow } from "../../parts/now.js";
import { SchemaForm, initialOf, lean, problemsOf, unreadable } from "../../parts/schema-form.js";
import { tell } from "../../parts/toasts.js";
import { editsOf, formOf, optionText } from "./answers.js";
import { Editor } from "./editor.js";

/** Milliseconds before a deadline in which it is shown as urgent. */
const SOON_MS = 60_000;

/** @param {any} props */
export function Gates({ gates, ...shared }) {
  return html`<div class="gates">${gates.map((/** @type {any} */ gate) => html`<${Gate} key=${gate.gate} gate=${gate} ...${shared} />`)}</div>`;
}

/** @param {any} props */
function Gate({ gate, model, session, watched, onFocus }) {
  const place = `gate.${session}.${gate.gate}`;
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState(/** @type {any} */ (null));
  const [folded, setFolded] = useState(false);
  const answered = useRef(false);
  // If somebody else answered or the deadline passed, the unsent text is moved to the composer.
  useEffect(() => () => {
    const words = answered.current ? "" : kept(`${place}.feedback`) || kept(`${place}.text`);
    if (!words?.trim()) return;
    append(`composer.${session}`, words.trim());
    forget(place);
    tell({ tone: "bad", text: t("gates.meanwhile") });
  }, [place]);
  const form = formOf(gate);
  const subject = model.artifacts.get(gate.subject);
  const send = async (/** @type {any} */ answer) => {
    setProblem(null);
    const wrong = gate.schema ? problemsOf(gate.schema, answer) : [];
    if (wrong.length) { setProblem({ message: wrong.join("\n") }); return; }
    setBusy(true);
    answered.current = true;
    try {
      await watched.ask("answer_gate", { gate: gate.gate, answer });
      forget(place);
    } catch (failure) {
      answered.current = false;
      setProblem(/** @type {any} */ (failure).status === 0 ? { message: t("offline") } : failure);
    } finally {
      setBusy(false);
    }
  };
  const pipeline = model.runs.get(gate.run)?.pipeline;
  const parts = { gate, form, subject, place, busy, send, pipeline, problem };
  return html`<article class="gate" aria-label=${t("gates.title")}>
    <header class="gate-head"><span class="badge warn"><${Icon} name="hand" />${t("gates.title")}</span>
      ${subject ? html`<button class="link quiet-text" title=${subject.title} onClick=${() => onFocus(subject.artifact)}><${Icon} name="eye" />${toldApart([subject])[0].name}</button>` : null}
      <span class="grow"></span><${Deadline} at=${gate.deadline} ahead=${watched.ahead} />
      <button class="button quiet icon small" aria-expanded=${!folded} aria-label=${t(folded ? "unfold" : "fold")} onClick=${() => setFolded(!folded)}><${Icon} name=${folded ? "up" : "down"} /></button></header>
    ${folded ? null : html`<div class="gate-body">
      <p class="gate-question">${gate.question}</p>
      ${form.is === "confirm" ? html`<${Confirm} ...${parts} />` : form.is === "choice" ? html`<${Choice} ...${parts} />` : html`<${Answer} ...${parts} />`}
      ${problem ? html`<p class="problem" role="alert"><${Icon} name="alert" /><span>${problem.message}${problem.hint ? html`<br /><span class="quiet-text">${problem.hint}</span>` : null}</span></p>` : null}
    </div>`}
  </article>`;
}

/** @param {{at: string|null, ahead: number}} props */
function Deadline({ at, ahead }) {
  const now = useNow(at);
  if (!at) return null;
  const left = Math.max(0, +new Date(at) - now - Math.max(0, ahead));
  return html`<span class=${`quiet-text number row ${left < SOON_MS ? "pressing" : ""}`} role="timer" title=${t("gates.deadline")}><${Icon} name="clock" />${left ? t("gates.left", { time: duration(Math.ceil(left / 1000) * 1000) }) : t("gates.over")}</span>`;
}

/** Moves the focus to an element that has just appeared. @param {HTMLElement|null} element */
const focused = (element) => element?.focus();

/** A form for yes, for no with feedback, or for yes with edits. @param {any} props */
function Confirm({ form, subject, place, busy, send, pipeline, problem }) {
  const [way, setWay] = useDraft(`${place}.way`, "");
  const [feedback, setFeedback] = useDraft(`${place}.feedback`, "");
  if (way === "edit" && subject) {
    return html`<${Editor} artifact=${subject} schema=${kindSchema(pipeline, subject.kind)} place=${place} busy=${busy}
      confirm=${t("gates.confirm_edited")} onCancel=${() => setWay("")} onDone=${(/** @type {any} */ before, /** @type {any} */ after) => send({ confirm: true, [form.edits]: editsOf(before, after) })} problem=${problem} />`;
  }
  if (way === "decline") {
    return html`<form class="stack" onSubmit=${(/** @type {Event} */ event) => { event.preventDefault(); void send(lean({ confirm: false, ...(form.text ? { [form.text]: feedback.trim() || undefined } : {}) })); }}>
      ${form.text ? html`<label class="field"><span class="label">${t("gates.feedback")}</span><textarea class="textarea" ref=${focused} value=${feedback} onInput=${(/** @type {any} */ event) => setFeedback(event.target.value)}></textarea></label>` : null}
      <div class="row end"><button type="button" class="button" onClick=${() => setWay("")}>${t("back")}</button>
        <button class="button solid-danger" disabled=${busy}><${Icon} name="cross" />${t("gates.decline")}</button></div></form>`;
  }
  return html`<div class="row wrap">
    <button class="button primary" disabled=${busy} onClick=${() => send({ confirm: true })}><${Icon} name="check" />${t("gates.confirm")}</button>
    ${form.edits && subject ? html`<button class="button" disabled=${busy} onClick=${() => setWay("edit")}><${Icon} name="pencil" />${t("gates.edit")}</button>` : null}
    ${form.only === null ? html`<button class="button danger" disabled=${busy} onClick=${() => setWay("decline")}><${Icon} name="cross" />${t("gates.decline")}</button>` : html`<span class="quiet-text">${form.only}</span>`}</div>`;
}

/** A form for some of the options, with words beside them. @param {any} props */
function Choice({ gate, form, subject, place, busy, send, pipeline, problem }) {
  const usual = [gate.default?.[form.choice] ?? []].flat();
  const [chosen, setChosen] = useDraft(`${place}.chosen`, /** @type {string[]} */ ([]));
  const [text, setText] = useDraft(`${place}.text`, "");
  const [more, setMore] = useDraft(`${place}.more`, /** @type {any} */ ({}));
  const [editing, setEditing] = useState(false);
  const many = form.max > 1;
  const hint = (/** @type {string} */ id) => optionOf(pipeline, id)?.description;
  const pick = (/** @type {string} */ id) => setChosen(many ? (chosen.includes(id) ? chosen.filter((/** @type {string} */ it) => it !== id) : [...chosen, id].slice(-form.max)) : [id]);
  const value = (/** @type {any} */ edits) => lean({
    ...(chosen.length ? { [form.choice]: form.isList ? chosen : chosen[0] } : {}),
    ...(form.text && text.trim() ? { [form.text]: text.trim() } : {}), ...more, ...edits,
  });
  if (editing && subject) {
    return html`<${Editor} artifact=${subject} schema=${kindSchema(pipeline, subject.kind)} place=${place} busy=${busy} confirm=${t("gates.send_edited")} onCancel=${() => setEditing(false)}
      onDone=${(/** @type {any} */ before, /** @type {any} */ after) => {
        // Edits mean the option for changing; it is recognised by its name.
        const option = gate.options.find((/** @type {string} */ it) => /modif|edit|change/.test(it));
        return send({ ...(option ? { [form.choice]: form.isList ? [option] : option } : {}), [form.edits]: editsOf(before, after) });
      }} problem=${problem} />`;
  }
  const others = form.others ? { ...gate.schema, required: [], properties: Object.fromEntries(form.others) } : null;
  return html`<form class="stack" onSubmit=${(/** @type {Event} */ event) => { event.preventDefault(); if (!unreadable(event.currentTarget)) void send(value({})); }}>
    <fieldset class="options"><legend class="sr-only">${gate.question}</legend>
      ${(form.choice ? gate.options : []).map((/** @type {string} */ id) => html`<label class=${`option ${chosen.includes(id) ? "chosen" : ""}`}>
        <input type=${many ? "checkbox" : "radio"} name=${gate.gate} checked=${chosen.includes(id)} onChange=${() => pick(id)} />
        <span class="grow">${form.titles.get(id) ?? optionText(pipeline, id)}${hint(id) ? html`<span class="quiet-text block">${hint(id)}</span>` : null}</span>
        ${usual.includes(id) ? html`<span class="badge">${t("gates.default")}</span>` : null}</label>`)}
    </fieldset>
    ${form.text ? html`<label class="field"><span class="label">${t(form.choice ? "gates.own_words" : "gates.words")}</span><textarea class="textarea short" value=${text} onInput=${(/** @type {any} */ event) => setText(event.target.value)}></textarea></label>` : null}
    ${others ? html`<${SchemaForm} schema=${others} value=${more} onChange=${setMore} optionText=${(/** @type {string} */ id) => optionText(pipeline, id)} />` : null}
    <div class="row wrap end">${form.edits && subject ? html`<button type="button" class="button" disabled=${busy} onClick=${() => setEditing(true)}><${Icon} name="pencil" />${t("gates.edit")}</button>` : null}
      <button class="button primary" disabled=${busy || (!chosen.length && !text.trim() && !Object.keys(lean(more)).length)}><${Icon} name="check" />${t("gates.answer")}</button></div>
  </form>`;
}

/** A form for any other schema. @param {any} props */
function Answer({ gate, form, place, busy, send, pipeline }) {
  const [value, setValue] = useDraft(`${place}.form`, gate.default ?? initialOf(form.schema));
  return html`<form class="stack" onSubmit=${(/** @type {Event} */ event) => { event.preventDefault(); if (!unreadable(event.currentTarget)) void send(lean(value) ?? {}); }}>
    ${gate.options.length && form.is === "free" ? html`<div class="row wrap">${gate.options.map((/** @type {string} */ id) => html`<button type="button" class="button" disabled=${busy} onClick=${() => send(id)}>${optionText(pipeline, id)}</button>`)}</div>` : null}
    <${SchemaForm} schema=${form.schema ?? { type: "string" }} value=${value} onChange=${setValue} optionText=${(/** @type {string} */ id) => optionText(pipeline, id)} />
    <div class="row end"><button class="button primary" disabled=${busy}><${Icon} name="check" />${t("gates.answer")}</button></div></form>`;
}
