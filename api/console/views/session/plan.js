// @ts-check
/** What a change would do and the most that it could cost, shown before it is made. */
import { html } from "../../vendor/preact.js";
import { post, freshId } from "../../lib/api.js";
import { compact, cost } from "../../lib/format.js";
import { t } from "../../lib/i18n.js";
import { stageTitle } from "../../lib/reading.js";

/** The most steps of a stage that are named one by one; of more, only the number is shown. */
const NAMED_MAX = 6;

/**
 * Asks the server what it would do, without doing it. Null if there is no plan.
 * @param {string} session @param {string} type @param {any} payload @returns {Promise<import("../../types/protocol.ts").Plan|null>}
 */
export async function planOf(session, type, payload) {
  try {
    const answer = await post(`/v1/sessions/${encodeURIComponent(session)}/commands`, { id: freshId("plan"), type, payload, dry_run: true });
    return answer.plan ?? null;
  } catch (failure) {
    if (/** @type {any} */ (failure).code === "no_plan") return null;
    throw failure;
  }
}

/** @param {{plan: import("../../types/protocol.ts").Plan, pipeline: string}} props */
export function Plan({ plan, pipeline }) {
  return html`<dl class="plan">
    <div><dt>${t("plan.redone")}</dt><dd>${stepsOf(plan.redone, pipeline)}</dd></div>
    <div><dt>${t("plan.kept")}</dt><dd>${stepsOf(plan.kept, pipeline)}</dd></div>
    <div><dt>${t("plan.most")}</dt><dd class="number">${t("spent.n_calls", { n: plan.calls })} · ${compact(plan.tokens)} ${t("tokens")}${plan.cost_micros ? ` · ${cost(plan.cost_micros)}` : ""}</dd></div>
  </dl>`;
}

/** The steps by their stages. Steps whose artifacts have titles are named. @param {any[]} steps @param {string} pipeline */
function stepsOf(steps, pipeline) {
  /** @type {Map<string, any[]>} */
  const stages = new Map();
  for (const step of steps) stages.set(step.stage, [...(stages.get(step.stage) ?? []), step]);
  if (!stages.size) return t("plan.nothing");
  return html`<ul>${[...stages].map(([stage, of]) => {
    const items = [...new Set(of.map((it) => it.item).filter((item) => /^\d+$/.test(item)))].sort((a, b) => Number(a) - Number(b));
    const which = items.length > NAMED_MAX ? t("plan.n_parts", { n: items.length }) : items.join(", ");
    return html`<li>${stageTitle(pipeline, stage)}${which ? html` <span class="quiet-text number">${which}</span>` : null}</li>`;
  })}</ul>`;
}
