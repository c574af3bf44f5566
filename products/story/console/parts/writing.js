// @ts-check
/** The editor of a chapter's text. If somebody else has changed the text in the meantime, both texts are shown and nothing is lost. */
import { html, useEffect, useRef, useState } from "../../../vendor/preact.js";
import { Differences } from "../../../canvas/differences.js";
import { useDraft } from "../../../lib/drafts.js";
import { t } from "../../../lib/i18n.js";
import { route, turn } from "../../../lib/router.js";
import { change, ofChapter, textPlace } from "../resources.js";
import { ask } from "../../../parts/dialog.js";
import { Icon } from "../../../parts/icons.js";
import { tell } from "../../../parts/toasts.js";

/** @typedef {{content: string, version: number, trigger?: string}} Written what is written, and the version that it was changed from */

/** @param {{story: string, chapter: any, text: any, onLeave: () => void}} props */
export function Writing({ story, chapter, text, onLeave }) {
  const [draft, setDraft, clear] = useDraft(textPlace(story, chapter.id), /** @type {Written|null} */ (null));
  const [conflict, setConflict] = useState(/** @type {any} */ (null));
  const [problem, setProblem] = useState(/** @type {any} */ (null));
  const [isBusy, setBusy] = useState(false);
  const box = useRef(/** @type {HTMLTextAreaElement|null} */ (null));
  const { at, find } = route.value.query;
  /** @type {Written} */
  const now = draft ?? { content: text.content, version: text.version };
  useEffect(() => {
    const it = box.current;
    if (!it) return;
    const place = find ? it.value.indexOf(find) : at === undefined ? -1 : Number(at);
    it.focus({ preventScroll: true });
    if (place < 0) return;
    it.setSelectionRange(place, place + (find?.length ?? 0));
    it.scrollTop = it.scrollHeight * (place / Math.max(1, it.value.length)) - it.clientHeight / 3;
  }, [chapter.id]);
  const leave = () => { clear(); setConflict(null); turn({ edit: "", at: "", find: "" }); onLeave(); };
  const save = async (/** @type {string} */ content, /** @type {number} */ version) => {
    if (isBusy) return;
    setBusy(true);
    setProblem(null);
    try {
      const saved = await change("PUT", `${ofChapter(story, chapter.id)}/content`, { content, version, trigger: now.trigger ?? "MANUAL" });
      tell({ tone: "good", text: t("chapter.saved", { n: saved.version }) });
      leave();
    } catch (failure) {
      const { status, body } = /** @type {any} */ (failure);
      if (status === 409 && body?.theirs) {
        setConflict({ ...body, yours: { content } });
        setDraft({ ...now, content });
      } else setProblem(failure);
    } finally {
      setBusy(false);
    }
  };
  const discard = async () => {
    if (!draft || draft.content === text.content || await ask({ title: t("chapter.discard_title"), text: t("chapter.discard_text"), confirm: t("chapter.discard"), danger: true })) leave();
  };
  if (conflict) return html`<${Conflict} conflict=${conflict} isBusy=${isBusy} problem=${problem} save=${save} onOn=${() => setConflict(null)} onTheirs=${discard} />`;
  const keys = (/** @type {KeyboardEvent} */ event) => {
    if ((event.ctrlKey || event.metaKey) && event.key === "s") { event.preventDefault(); void save(now.content, now.version); }
  };
  return html`<form class="chapter-writing" onSubmit=${(/** @type {Event} */ event) => { event.preventDefault(); void save(now.content, now.version); }}>
    <textarea class="textarea story-textarea" ref=${box} aria-label=${t("chapter.editing")} value=${now.content} onKeyDown=${keys} onInput=${(/** @type {any} */ event) => setDraft({ ...now, content: event.target.value })}></textarea>
    ${problem ? html`<p class="problem" role="alert"><${Icon} name="alert" /><span>${problem.status ? problem.message : t("offline")}${problem.hint ? html`<br /><span class="quiet-text">${problem.hint}</span>` : null}</span></p>` : null}
    <div class="row wrap"><span class="quiet-text grow">${draft ? `${t("chapter.unsaved")} ` : ""}${now.version ? t("chapter.from", { n: now.version }) : ""}</span>
      <button type="button" class="button" onClick=${discard}>${t(draft ? "chapter.discard" : "back")}</button>
      <button class="button primary" disabled=${isBusy || !draft}>${isBusy ? html`<span class="spinner" aria-hidden="true"></span>` : html`<${Icon} name="check" />`}${t("chapter.save")}</button></div></form>`;
}

/** A conflict between two texts that were changed from the same version. @param {any} props */
function Conflict({ conflict, isBusy, problem, save, onOn, onTheirs }) {
  const { base, yours, theirs, merged } = conflict;
  const head = useRef(/** @type {HTMLElement|null} */ (null));
  useEffect(() => { head.current?.focus(); }, []);
  return html`<section class="chapter-conflict compare" role="alertdialog" aria-label=${t("chapter.conflict")}>
    <div class="notice warn"><${Icon} name="alert" /><div><strong ref=${head} tabIndex=${-1}>${t("chapter.conflict")}</strong>
      <p>${base ? t("chapter.conflict_text", { base: base.version, theirs: theirs.version }) : t("chapter.conflict_no_base", { theirs: theirs.version })}</p><p>${t(merged == null ? "chapter.conflict_not" : "chapter.conflict_merged_why")}</p></div></div>
    <div class="row wrap conflict-ways">${merged == null ? null : html`<button class="button primary" disabled=${isBusy} onClick=${() => save(merged, theirs.version)}><${Icon} name="branch" />${t("chapter.conflict_merged")}</button>`}
      <button class="button" disabled=${isBusy} onClick=${() => save(yours.content, theirs.version)}>${t("chapter.conflict_mine")}</button>
      <button class="button" disabled=${isBusy} onClick=${onTheirs}>${t("chapter.conflict_theirs")}</button>
      <button class="button" disabled=${isBusy} onClick=${onOn}><${Icon} name="pencil" />${t("chapter.conflict_on")}</button></div>
    ${problem ? html`<p class="problem" role="alert"><${Icon} name="alert" />${problem.status ? problem.message : t("offline")}</p>` : null}
    <div class="compare-names quiet-text"><span>${t("chapter.theirs")}</span><span>${t("chapter.mine")}</span></div>
    <${Differences} left=${theirs.content} right=${yours.content} /></section>`;
}
