// @ts-check
/** The attempts of a step, the last one first, each with what came of it and its calls. */
import { html } from "../../vendor/preact.js";
import { between, compact, cost, duration, time } from "../../lib/format.js";
import { t } from "../../lib/i18n.js";
import { StatusBadge } from "../../parts/badge.js";
import { Icon } from "../../parts/icons.js";

/** @param {any} props */
export function Attempts({ attempts, look, now }) {
  return html`<ol class="attempts" role="list">${attempts.slice().reverse().map((/** @type {any} */ it) => html`<li class="attempt" key=${it.attempt}>
    <div class="row"><span class="grow">${t("step.attempt", { n: it.attempt })} <span class="quiet-text number">${time(it.startedAt)}</span></span><${StatusBadge} status=${it.outcome ?? "open"} /><span class="quiet-text number">${between(it.startedAt, it.endedAt ?? now)}</span></div>
    ${it.guidance?.feedback ? html`<p class="said">${it.guidance.feedback}</p>` : null}
    ${it.violations.length ? html`<ul class="violations">${it.violations.slice(0, 20).map((/** @type {string} */ text) => html`<li>${text}</li>`)}</ul>` : null}
    ${it.error && !it.violations.length ? html`<p class="problem">${it.error.message}</p>` : null}
    ${it.calls.map((/** @type {any} */ call) => html`<button class="call" onClick=${() => look(call.version)} title=${t("look_at", { version: call.version })}><${Icon} name=${call.is === "tool" ? "tool" : "spark"} />
      <span class="grow ellipsis">${call.is === "tool" ? html`${call.tool} <span class="quiet-text">${call.summary ?? ""}</span>` : html`${call.model} <span class="quiet-text">${call.role}${call.try > 1 ? ` · ${t("step.try", { n: call.try })}` : ""}</span>`}</span>
      ${call.error ? html`<span class="badge bad"><${Icon} name="cross" />${call.error.code ?? t("status.failed")}</span>` : null}
      <span class="quiet-text number">${call.is === "model" && call.inputTokens + call.outputTokens ? `${compact(call.inputTokens)}→${compact(call.outputTokens)} · ` : ""}${call.costMicros ? `${cost(call.costMicros)} · ` : ""}${call.latencyMs === null ? "…" : duration(call.latencyMs)}</span></button>`)}
  </li>`)}</ol>`;
}
