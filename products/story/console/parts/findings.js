// @ts-check
/** All contradictions that were found in a story. */
import { html } from "../../../vendor/preact.js";
import { useFetched } from "../../../lib/fetched.js";
import { t } from "../../../lib/i18n.js";
import { route, turn } from "../../../lib/router.js";
import { ALL, pageOf } from "../resources.js";
import { Icon } from "../../../parts/icons.js";
import { Broken, Loading } from "../../../parts/lazy.js";
import { FindingCard } from "./finding.js";

/** @param {{story: string}} props */
export function Findings({ story }) {
  const { severity = "", settled = "", text = "drafts" } = route.value.query;
  const id = encodeURIComponent(story);
  const drafts = text === "accepted" ? "" : "drafts=true&";
  const found = useFetched(`/api/consistency/projects/${id}/warnings?${drafts}${ALL}${settled ? "&settled=true" : ""}${severity ? `&severity=${encodeURIComponent(severity)}` : ""}`);
  const counts = useFetched(`/api/consistency/projects/${id}/warnings/count?${drafts}`);
  const not = counts.value?.notChecked ?? [];
  if (found.failure && !found.value) return html`<${Broken} error=${found.failure} retry=${found.again} />`;
  const rows = found.value?.content ?? [];
  return html`<div class="story-page">
    <div class="filters" role="search">
      <label><span class="sr-only">${t("finding.edition")}</span><select class="select" value=${text} onChange=${(/** @type {any} */ event) => turn({ text: event.target.value })}><option value="drafts">${t("finding.drafts")}</option><option value="accepted">${t("finding.accepted")}</option></select></label>
      <label><span class="sr-only">${t("finding.severity")}</span><select class="select" value=${severity} onChange=${(/** @type {any} */ event) => turn({ severity: event.target.value })}><option value="">${t("finding.any")}</option>
        ${["ERROR", "WARNING", "INFO"].map((it) => html`<option key=${it} value=${it}>${t(`finding.${it}`)}${counts.value ? ` (${counts.value[it.toLowerCase()]})` : ""}</option>`)}</select></label>
      <label class="check story-check"><input type="checkbox" checked=${Boolean(settled)} onChange=${(/** @type {any} */ event) => turn({ settled: event.target.checked ? 1 : "" })} /> <span>${t("finding.settled")}</span></label></div>
    ${!found.value ? html`<${Loading} />`
      : rows.length ? html`<ul class="finding-list" role="list" aria-label=${t("finding.list")}>${rows.map((/** @type {any} */ it) => html`<li key=${it.id}><${FindingCard} story=${story} finding=${it} /></li>`)}</ul>`
      : html`<div class="empty"><${Icon} name="check" /><p>${t(severity ? "finding.none_like" : "finding.none")}</p><p class="quiet-text">${t("finding.none_hint")}</p><a class="button" href=${pageOf(story, ["chat"])}>${t("story.part.chat")}</a></div>`}
    ${not.length ? html`<details class="not-checked"><summary>${t("finding.not_checked")} <span class="number">${not.length}</span></summary><ul>${not.map((/** @type {any} */ it, /** @type {number} */ n) => html`<li key=${n}>${typeof it === "string" ? it : [it.what, it.why].filter(Boolean).join(": ")}</li>`)}</ul></details>` : null}
  </div>`;
}
