// @ts-check
// The call of a model or a tool, with its request and its answer.

import { html } from "../vendor/preact.js";
import { cost, duration, number, time } from "../lib/format.js";
import { t } from "../lib/i18n.js";
import { Json } from "../canvas/json.js";
import { Exchange } from "./exchange.js";

/** @param {{name: string, children?: any}} props */
export function Fact({ name, children }) {
  return html`<div><dt>${t(name)}</dt><dd>${children}</dd></div>`;
}

/** @param {any} usage */
function tokens(usage) {
  const cached = usage.cached ? ` (${t("time.call.cached", { n: number(usage.cached) })})` : "";
  return `${number(usage.input ?? 0)} → ${number(usage.output ?? 0)}${cached}`;
}

/** @param {{session: string, call: any, title: any}} props */
export function Call({ session, call, title }) {
  const facts = [
    ["time.call.role", call.role], ["time.call.model", call.model], ["time.call.tool", call.tool], ["time.call.prompt", call.prompt?.id],
    ["time.call.tokens", call.usage && tokens(call.usage)], ["time.call.cost", call.cost_micros !== undefined && cost(call.cost_micros)],
    ["time.call.latency", call.latency_ms !== undefined && duration(call.latency_ms)], ["time.call.finish", call.finish_reason],
    ["time.call.try", call.try > 1 && String(call.try)], ["time.call.error", call.error && (call.error.message ?? JSON.stringify(call.error))],
    ["time.call.again", call.error?.again_at && time(call.error.again_at)], ["time.call.closed", call.error?.closed_until && time(call.error.closed_until)],
    ["time.call.learned", call.learned?.length && call.learned.join("; ")],
  ].filter(([, value]) => value);
  return html`<section class="event-call"><h3>${title}</h3>
    <dl class="event-facts">${facts.map(([name, value]) => html`<${Fact} key=${name} name=${name}>${value}</${Fact}>`)}</dl>
    ${typeof call.thought === "string" && call.thought && html`<blockquote class="event-thought">${call.thought}</blockquote>`}
    ${call.input !== undefined && html`<div class="event-input"><h4>${t("time.call.input")}</h4><${Json} value=${call.input} bare open=${2} /></div>`}
    ${call.request && html`<${Exchange} session=${session} blob=${call.request} title="time.call.request" />`}
    ${call.response && html`<${Exchange} session=${session} blob=${call.response} title="time.call.response" />`}
    ${call.output?.sha256 && html`<${Exchange} session=${session} blob=${call.output} title="time.call.output" />`}
  </section>`;
}
