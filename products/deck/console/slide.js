// @ts-check
// A slide of a deck as text, and what a person can do with it: keep it, change it by hand, or have it made again. What is kept or
// changed is reported to the design index; a changed text becomes the deck of a new run, word for word.

import { html, useEffect, useState } from "../../vendor/preact.js";
import { freshId, get, post } from "../../lib/api.js";
import { command } from "../../lib/connection.js";
import { useDraft } from "../../lib/drafts.js";
import { t } from "../../lib/i18n.js";
import { route, turn } from "../../lib/router.js";
import { Icon } from "../../parts/icons.js";
import { complain, tell } from "../../parts/toasts.js";

/** Milliseconds after the last key before the text is checked. */
const PAUSE_MS = 400;

/** The kinds of lines of a slide, each with the part of the line that shows its kind. @type {[RegExp, string][]} */
const SIGNS = [[/^# .*/, "name"], [/^\s*#{2,3} .*/, "heading"], [/^@[A-Za-z_]+[:：]/, "key"], [/^\s*(?:header|row)[:：]/, "key"], [/^\s*[-*+•] (?:@icon:[^|]*\|)?/, "mark"], [/^<!--.*/, "comment"], [/^\s*[A-Za-z_]+:(?= |$)/, "front"]];

/** @param {{text: string, front?: boolean}} props */
export function Source({ text, front = false }) {
  return html`<pre class="deck-source"><code>${text.split("\n").map((line, n) => {
    const sign = SIGNS.find(([pattern, name]) => (name === "front") === front && pattern.test(line));
    const marked = sign ? (sign[0].exec(line)?.[0] ?? "") : "";
    return html`<span key=${n} class="deck-line">${marked && html`<span class=${`deck-${sign?.[1]}`}>${marked}</span>`}${line.slice(marked.length)}${"\n"}</span>`;
  })}</code></pre>`;
}

/**
 * The ids that the slides of a deck have in the design index, in their order. The list is empty until they are known, and without
 * a deck id.
 * @param {string | undefined} deck
 * @returns {string[]}
 */
export function useChunks(deck) {
  const [known, setKnown] = useState(/** @type {{deck: string, chunks: string[]}} */ ({ deck: "", chunks: [] }));
  useEffect(() => {
    if (!deck) return;
    const ended = new AbortController();
    get(`/api/index/decks/${encodeURIComponent(deck)}`, ended.signal).then(
      ({ slides }) => setKnown({ deck, chunks: slides.map((/** @type {any} */ it) => it.id) }),
      // If the deck was removed from the index, there is nothing to vote on; other failures are shown.
      (failure) => { if (failure.status !== 404) complain(failure); },
    );
    return () => ended.abort();
  }, [deck]);
  return known.deck === deck ? known.chunks : [];
}

/** The name of the open session. */
const session = () => route.value.path[1];

/** @param {Record<string, any>} said */
const feedback = (said) => post("/api/index/feedback", { session: session(), ...said }, { "idempotency-key": freshId("said") });

/** The text of a slide with its type; a slide without one gets the type `freeform`. @param {string} text */
function typed(text) {
  const trimmed = text.trim();
  return /^@type:/m.test(trimmed) ? trimmed : trimmed.replace(/\n|$/, "\n@type: freeform\n");
}

/**
 * A slide with its actions. There are none while a run is at work, or while an earlier state is shown.
 * @param {{text: string, number: number, stage: string, artifact: any, model: any, chunk?: string}} props `stage`: where it was written first
 */
export function SlideText({ text, number, stage, artifact, model, chunk }) {
  const [editing, setEditing] = useState(false);
  const [kept, setKept] = useState("");
  const run = model.runs.get(artifact.run);
  const canChange = Boolean(run?.outcome) && !model.active && !route.value.query.at;
  const keep = () => feedback({ chunk_id: chunk, signal: "keep" }).then(() => { setKept(chunk ?? ""); tell({ tone: "good", text: t("deck.kept_slide") }); }, complain);
  /** @param {string} written */
  const take = async (written) => {
    const settings = { attended: run.settings?.attended ?? true };
    await command(session(), "refine", { stage, items: [String(number)], feedback: written, base_run: artifact.run, settings });
    setEditing(false);
    // The index learns from the change. If that fails, the deck is changed nevertheless.
    if (chunk) await feedback({ chunk_id: chunk, signal: "edit", dsl: written }).catch(complain);
  };
  const redo = () => turn({ refine: stage, item: String(number), base: artifact.run, pane: "left" });
  return html`<div class="deck-text"><div class="row deck-slide-bar"><span class="badge number">${number}</span>
      ${canChange && !editing && html`
        ${chunk && html`<button type="button" class="button small quiet" aria-pressed=${kept === chunk ? "true" : "false"} aria-label=${t("deck.keep_slide_n", { n: number })} title=${t("deck.keep_slide_why")} onClick=${keep}><${Icon} name="check" />${t("deck.keep_slide")}</button>`}
        <button type="button" class="button small quiet" aria-label=${t("deck.edit_slide_n", { n: number })} onClick=${() => setEditing(true)}><${Icon} name="pencil" />${t("deck.edit_slide")}</button>
        <button type="button" class="button small quiet" onClick=${redo}><${Icon} name="again" />${t("deck.redo_slide")}</button>`}</div>
    ${editing && canChange ? html`<${SlideEditor} text=${text} number=${number} place=${`deck.${artifact.artifact}.${number}`} onTake=${take} onCancel=${() => setEditing(false)} />`
      : html`<${Source} text=${text} />`}</div>`;
}

/** @typedef {{passed: boolean, diagnostics: {code: string, severity: string, message: string, line: number}[], presentation: {slides: any[]}}} Checked */

/**
 * The server's diagnostics of the text; nothing until it has checked exactly this text.
 * @param {string} text
 * @returns {Checked | null}
 */
function useCheck(text) {
  const [got, setGot] = useState(/** @type {{text: string, said: Checked} | null} */ (null));
  useEffect(() => {
    let current = true;
    const timer = setTimeout(() => {
      post("/api/decks:check", { dsl: text }).then((said) => current && setGot({ text, said }), (failure) => current && complain(failure));
    }, PAUSE_MS);
    return () => { current = false; clearTimeout(timer); };
  }, [text]);
  return got?.text === text ? got.said : null;
}

/** @param {{text: string, number: number, place: string, onTake: (text: string) => Promise<void>, onCancel: () => void}} props */
function SlideEditor({ text, number, place, onTake, onCancel }) {
  const [written, setWritten, clear] = useDraft(place, text);
  const [busy, setBusy] = useState(false);
  const checked = useCheck(typed(written));
  const isOne = checked?.presentation.slides.length === 1 && written.trimStart().startsWith("# ");
  const isSame = written.trim() === text.trim();
  const save = async (/** @type {Event} */ event) => {
    event.preventDefault();
    setBusy(true);
    try {
      await onTake(typed(written));
      clear();
    } catch (failure) {
      complain(failure);
      setBusy(false);
    }
  };
  /** @param {KeyboardEvent} event */
  const press = (event) => { if (event.key === "Escape") onCancel(); };
  return html`<form class="deck-editor" onSubmit=${save} onKeyDown=${press}>
    <textarea class="textarea mono" spellcheck=${false} autofocus rows=${Math.max(6, written.split("\n").length + 1)} aria-label=${t("deck.edit_slide_n", { n: number })}
      ref=${(/** @type {HTMLTextAreaElement | null} */ it) => { if (it && !it.dataset.seen) { it.dataset.seen = "yes"; it.focus(); } }}
      value=${written} onInput=${(/** @type {any} */ event) => setWritten(event.target.value)}></textarea>
    <div aria-live="polite">${checked && html`<${Diagnostics} checked=${checked} isOne=${isOne} />`}</div>
    <div class="row"><span class="quiet-text grow">${t("deck.edit_slide_why")}</span>
      ${!isSame && html`<button type="button" class="button small quiet" onClick=${() => { clear(); setWritten(text); }}>${t("editor.undo")}</button>`}
      <button type="button" class="button small" onClick=${onCancel}>${t("back")}</button>
      <button class="button small primary" disabled=${busy || isSame || !isOne || !checked?.passed}><${Icon} name="check" />${t("deck.take_slide")}</button></div>
  </form>`;
}

/** @param {{checked: Checked, isOne: boolean}} props */
function Diagnostics({ checked, isOne }) {
  if (!isOne) return html`<p class="problem"><${Icon} name="alert" />${t("deck.one_slide")}</p>`;
  if (!checked.diagnostics.length) return html`<p class="quiet-text">${t("deck.nothing_wrong")}</p>`;
  return html`<ul class="deck-findings" aria-label=${t("deck.checks")}>${checked.diagnostics.map((it, n) => html`<li key=${n}>
    <span class=${`badge ${it.severity === "error" ? "bad" : "warn"}`}>${t("deck.line_n", { n: it.line })}</span> ${it.message}</li>`)}</ul>`;
}
