// @ts-check
/** The status as a word with a sign before it. */
import { html } from "../vendor/preact.js";
import { named } from "../lib/i18n.js";
import { Icon } from "./icons.js";

/** @type {Record<string, [string, string]>} The tone and the sign of each state. */
const looks = {
  running: ["info", "spin"], open: ["info", "spin"], waiting: ["warn", "hand"], completed: ["good", "check"], succeeded: ["good", "check"],
  failed: ["bad", "cross"], cancelled: ["idle", "stop"], reopened: ["warn", "again"], queued: ["idle", "clock"], pending: ["idle", "dot"], kept: ["idle", "check"],
};

/** The sign alone. @param {{status: string, label?: boolean}} props */
export function Sign({ status, label }) {
  const [tone, sign] = looks[status] ?? ["idle", "dot"];
  const words = named("status", status);
  return html`<span class=${`sign ${tone}`} title=${words}>
    ${sign === "spin" ? html`<span class="spinner" aria-hidden="true"></span>` : html`<${Icon} name=${sign} />`}
    ${label === false ? null : html`<span class="sr-only">${words}</span>`}
  </span>`;
}

/** @param {{status: string}} props */
export function StatusBadge({ status }) {
  const [tone, sign] = looks[status] ?? ["idle", "dot"];
  return html`<span class=${`badge ${tone}`} title=${named("status", status)}>
    ${sign === "spin" ? html`<span class="spinner" aria-hidden="true"></span>` : html`<${Icon} name=${sign} />`}<span class="badge-words">${named("status", status)}</span>
  </span>`;
}
