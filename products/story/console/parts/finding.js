// @ts-check
/** One finding: both sentences, what is wrong, and the possible actions. */
import { html } from "../../../vendor/preact.js";
import { t } from "../../../lib/i18n.js";
import { append } from "../../../lib/drafts.js";
import { go, turn } from "../../../lib/router.js";
import { change, pageOf, severities } from "../resources.js";
import { ask } from "../../../parts/dialog.js";
import { Icon } from "../../../parts/icons.js";
import { complain, tell } from "../../../parts/toasts.js";

/** The place of the draft of the next message about a story. @param {string} story */
export const messagePlace = (story) => `story.${story}.chat.message`;

/** The place of the settings of that message. @param {string} story */
export const settingsPlace = (story) => `story.${story}.chat.settings`;

/** @param {{severity: string}} props */
export function Severity({ severity }) {
  const [tone, icon] = severities[severity] ?? severities.INFO;
  return html`<span class=${`badge ${tone}`}><${Icon} name=${icon} />${t(`finding.${severity}`)}</span>`;
}

/** A sentence with its chapter. @param {{story: string, passage: any, id?: string, isHere?: boolean}} props */
export function Passage({ story, passage, id, isHere }) {
  const where = t("finding.where", { n: passage.number, title: passage.title });
  return html`<blockquote class="passage"><p>${passage.sentence}</p><footer class="quiet-text">${isHere || !passage.chapter ? where : html`<a href=${pageOf(story, ["chapters", passage.chapter], id ? { finding: id } : { quote: passage.sentence, start: passage.start })}>${where}</a>`}</footer></blockquote>`;
}

/** The text of a finding, without the actions. @param {{story: string, finding: any, isHere?: boolean}} props */
export function FindingWords({ story, finding, isHere }) {
  const { said, contradicts } = finding;
  return html`<p class="finding-says">${finding.description}</p>
    ${said ? html`<div><span class="label">${t("finding.said")}</span><${Passage} story=${story} passage=${said} id=${finding.id} isHere=${isHere} /></div>` : null}
    ${contradicts?.passage ? html`<div><span class="label">${t("finding.against")}</span><${Passage} story=${story} passage=${contradicts.passage} /></div>`
      : contradicts?.value ? html`<div><span class="label">${t("finding.bible")}</span><blockquote class="passage"><p>${contradicts.value}</p><footer class="quiet-text">${[contradicts.entry, contradicts.fieldPath].filter(Boolean).join(" · ")}</footer></blockquote></div>` : null}
    ${finding.suggestion ? html`<p class="quiet-text"><span class="label">${t("finding.suggestion")}</span> ${finding.suggestion}</p>` : null}`;
}

/**
 * @param {{story: string, finding: any, isHere?: boolean, at?: number, onClose?: () => void}} props
 *   `isHere`: it is shown in its chapter; `at`: the position of its sentence there
 */
export function FindingCard({ story, finding, isHere, at, onClose }) {
  const { said } = finding;
  const isSettled = finding.dismissed || finding.resolved;
  const waive = async () => {
    const answer = await ask({ title: t("finding.waive_title"), text: html`<p>${finding.description}</p><p class="quiet-text">${t("finding.waive_text")}</p>`, confirm: t("finding.waive"), input: { label: t("finding.waive_reason"), place: `waive.${finding.id}`, required: true, multiline: true } });
    if (!answer) return;
    try {
      await change("POST", `/api/consistency/warnings/${encodeURIComponent(finding.id)}/dismiss?projectId=${encodeURIComponent(story)}`, { reason: answer.text.trim() });
      tell({ tone: "good", text: t("finding.done") });
    } catch (failure) {
      answer.keep();
      complain(failure);
    }
  };
  const fix = () => {
    append(messagePlace(story), messageOf(finding));
    go(["stories", story, "chat"], said?.chapter ? { scene: said.chapter } : {});
  };
  const edit = () => (isHere ? turn({ view: "", edit: 1, at }) : go(["stories", story, "chapters", said.chapter], { edit: 1, find: said.sentence }));
  return html`<article class="card finding-card" aria-label=${finding.description}>
    <header class="row wrap"><${Severity} severity=${finding.severity} />${finding.dismissed ? html`<span class="badge">${t("finding.waived")}</span>` : finding.resolved ? html`<span class="badge good">${t("finding.mended")}</span>` : null}
      ${finding.entityName ? html`<span class="quiet-text">${finding.entityName}</span>` : null}<span class="grow"></span>
      ${onClose ? html`<button type="button" class="button quiet icon small" aria-label=${t("close")} onClick=${onClose}><${Icon} name="cross" /></button>` : null}</header>
    <${FindingWords} story=${story} finding=${finding} isHere=${isHere} />
    ${isSettled && finding.resolutionMethod ? html`<p class="quiet-text">${t("finding.reason", { reason: finding.resolutionMethod })}</p>` : null}
    ${isSettled ? null : html`<div class="row wrap"><button type="button" class="button small" onClick=${waive}><${Icon} name="skip" />${t("finding.waive")}</button>
      <button type="button" class="button small" onClick=${fix}><${Icon} name="chat" />${t("finding.fix")}</button>
      ${said ? html`${isHere ? null : html`<a class="button small" href=${pageOf(story, ["chapters", said.chapter], { finding: finding.id })}><${Icon} name="eye" />${t("finding.look")}</a>`}
        <button type="button" class="button small" onClick=${edit}><${Icon} name="pencil" />${t("finding.edit")}</button>` : null}</div>`}
  </article>`;
}

/** A message that names a finding. @param {any} finding */
function messageOf({ said, contradicts, description }) {
  if (!said) return t("finding.message_bible", { description });
  const sentence = contradicts?.passage?.sentence ?? contradicts?.value;
  return t("finding.message", { n: said.number, title: said.title, description, said: said.sentence, against: sentence ? t("finding.message_against", { sentence }) : "" });
}
