// @ts-check
/** An artifact that a person edits: as a form, and then the plan of what follows, before anything is done. */
import { html, useState } from "../../vendor/preact.js";
import { t } from "../../lib/i18n.js";
import { kindInfo } from "../../lib/reading.js";
import { turn } from "../../lib/router.js";
import { Dialog } from "../../parts/dialog.js";
import { Icon } from "../../parts/icons.js";
import { tell } from "../../parts/toasts.js";
import { forget } from "../../lib/drafts.js";
import { Editor } from "./editor.js";
import { Plan, planOf } from "./plan.js";

/** Whether an artifact can be edited now: it is current, and no run is at work. @param {any} model @param {any} artifact */
function canEdit(model, artifact) {
  const head = model.runs.get(model.head);
  return Boolean(!model.active && head?.artifacts.includes(artifact.artifact) && kindInfo(head.pipeline, artifact.kind)?.editable);
}

/** @param {any} props */
export function EditByHand({ session, watched, model, artifact, at }) {
  const [open, setOpen] = useState("");
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState(/** @type {any} */ (null));
  const [asked, setAsked] = useState(/** @type {any} */ (null));
  if (at !== null || !canEdit(model, artifact)) return null;
  const { pipeline } = model.runs.get(model.head);
  const place = `hand.${session}`;
  const close = () => { setOpen(""); setAsked(null); setProblem(null); };
  const send = async (/** @type {any} */ content, /** @type {string} */ following) => {
    await watched.ask("edit_artifact", { artifact: artifact.artifact, content, following });
    forget(place);
    close();
    tell({ tone: "good", text: t("hand.done", { title: artifact.title }) });
    // Show the new version and not the one before.
    turn({ artifact: "" });
  };
  const carefully = async (/** @type {() => Promise<void>} */ work) => {
    setBusy(true);
    setProblem(null);
    try { await work(); } catch (failure) { setAsked(null); setProblem(failure); } finally { setBusy(false); }
  };
  const done = (/** @type {any} */ _before, /** @type {any} */ content) => carefully(async () => {
    const plan = await planOf(session, "edit_artifact", { artifact: artifact.artifact, content, following: "redone" });
    if (plan?.calls) setAsked({ content, plan });
    else await send(content, "stays");
  });
  return html`<button class="button quiet small" aria-label=${t("hand.edit", { title: artifact.title })} title=${t("hand.why")} onClick=${() => setOpen(artifact.artifact)}>
      <${Icon} name="pencil" /><span class="wide-only">${t("hand.do")}</span></button>
    ${open === artifact.artifact && !asked ? html`<${Editor} artifact=${artifact} schema=${kindInfo(pipeline, artifact.kind)?.schema} place=${place} busy=${busy} problem=${problem}
      why=${t("hand.why")} confirm=${t("hand.take")} onCancel=${close} onDone=${done} />` : null}
    ${asked ? html`<${Dialog} title=${t("hand.follows")} onClose=${() => setAsked(null)}>
      <p class="muted">${t("hand.follows_why")}</p><${Plan} plan=${asked.plan} pipeline=${pipeline} />
      <div class="dialog-foot"><button type="button" class="button" disabled=${busy} onClick=${() => setAsked(null)}>${t("back")}</button>
        <button type="button" class="button" disabled=${busy} onClick=${() => carefully(() => send(asked.content, "redone"))}>${t("hand.redone")}</button>
        <button type="button" class="button primary" disabled=${busy} onClick=${() => carefully(() => send(asked.content, "stays"))}><${Icon} name="check" />${t("hand.stays")}</button></div></${Dialog}>` : null}`;
}
