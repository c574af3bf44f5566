// @ts-check
/** The state of the server: work under way, timers, lag, the verification of the log, and costs. */
import { html, useCallback, useEffect, useState } from "../vendor/preact.js";
import { get, post } from "../lib/api.js";
import { ago, compact, cost, distant, duration, moment, number, share } from "../lib/format.js";
import { language, t } from "../lib/i18n.js";
import { loadPipelines, pipelineTitle } from "../lib/reading.js";
import { Icon } from "../parts/icons.js";
import { Broken, Loading } from "../parts/lazy.js";
import { complain, tell } from "../parts/toasts.js";

const AGAIN_MS = 3000;

export function Operations() {
  const [state, setState] = useState(/** @type {any} */ (null));
  const [failure, setFailure] = useState(/** @type {any} */ (null));
  const read = useCallback(() => get("/v1/operations").then((it) => { setState(it); setFailure(null); }, setFailure), []);
  useEffect(() => { loadPipelines().catch(() => {}); }, [language.value]);
  useEffect(() => {
    void read();
    const again = setInterval(() => { if (!document.hidden) void read(); }, AGAIN_MS);
    return () => clearInterval(again);
  }, [read]);
  if (failure && !state) return html`<${Broken} error=${failure.status === 404 ? { message: t("operations.missing") } : failure} heading=${t("operations.title")} retry=${read} />`;
  if (!state) return html`<${Loading} heading=${t("operations.title")} />`;
  const behind = Math.max(0, ...(state.projections ?? []).map((/** @type {any} */ it) => it.behind));
  // Data about the whole server is only sent to the operator.
  const isOperator = state.head !== undefined;
  return html`<div class="operations">
    <header class="page-head"><h1>${t("operations.title")}</h1><span class="grow"></span><span class="quiet-text">${t("operations.program", { version: state.program })} · ${t("operations.since", { when: state.started_at ? ago(state.started_at) : "" })}</span></header>
    ${failure ? html`<p class="problem" role="alert">${failure.status ? failure.message : t("offline")}</p>` : null}
    <div class="tiles">
      <${Tile} label=${t("operations.open_steps")} value=${number(state.open_steps?.length ?? 0)} />
      <${Tile} label=${t("operations.timers")} value=${number(state.timers?.length ?? 0)} />
      ${isOperator ? html`<${Tile} label=${t("operations.behind")} value=${number(behind)} tone=${behind > 1000 ? "warn" : ""} />
      <${Tile} label=${t("operations.head")} value=${number(state.head)} />
      <${Tile} label=${t("operations.nodes")} value=${number(state.nodes?.length || 1)} />` : null}
      <${Tile} label=${t("cost")} value=${cost((state.costs ?? []).reduce((/** @type {number} */ sum, /** @type {any} */ it) => sum + it.cost_micros, 0))} />
    </div>
    ${isOperator ? html`<${Verified} state=${state} again=${read} />` : null}
    <${Table} title=${t("operations.costs")} rows=${state.costs} none=${t("operations.no_costs")} columns=${[
      [t("sessions.pipeline"), (/** @type {any} */ it) => pipelineTitle(it.pipeline)], [t("operations.model"), (/** @type {any} */ it) => html`<code>${it.model}</code>`], [t("operations.calls"), (/** @type {any} */ it) => number(it.calls), "right"],
      [t("status.failed"), (/** @type {any} */ it) => number(it.failed), "right"], [t("operations.tokens"), (/** @type {any} */ it) => `${compact(it.input_tokens)} → ${compact(it.output_tokens)}`, "right"],
      [t("operations.cached"), (/** @type {any} */ it) => (it.input_tokens ? `${compact(it.cached_tokens)} (${share(it.cached_tokens, it.input_tokens)})` : "–"), "right"], [t("cost"), (/** @type {any} */ it) => cost(it.cost_micros), "right"], [t("operations.latency"), (/** @type {any} */ it) => duration(it.latency_ms / Math.max(1, it.calls)), "right"]]} />
    <${Table} title=${t("operations.open_steps")} rows=${state.open_steps} none=${t("operations.no_steps")} columns=${[
      ...(state.open_steps?.some((/** @type {any} */ it) => it.owner) ? [[t("operations.owner"), (/** @type {any} */ it) => it.owner ?? "–"]] : []),
      [t("session"), (/** @type {any} */ it) => html`<a class="mono" href=${`#/s/${encodeURIComponent(it.session)}?left=steps`}>${it.session}</a>`], [t("step"), (/** @type {any} */ it) => html`<code>${it.step}</code>`],
      [t("operations.attempt"), (/** @type {any} */ it) => it.attempt, "right"], [t("operations.due"), (/** @type {any} */ it) => html`<span title=${moment(it.due)}>${distant(it.due)}</span>`, "right"], [t("operations.node"), (/** @type {any} */ it) => it.node ?? "–"],
      [t("operations.waits"), (/** @type {any} */ it) => (it.waiting_for ? html`<span title=${moment(it.since)}>${t("operations.waits_since", { what: t(`waits.${it.waiting_for}`), when: distant(it.since) })}</span>` : "–")]]} />
    <${Table} title=${t("operations.timers")} rows=${state.timers} none=${t("operations.no_timers")} columns=${[
      [t("session"), (/** @type {any} */ it) => html`<a class="mono" href=${`#/s/${encodeURIComponent(it.session)}`}>${it.session}</a>`], [t("run"), (/** @type {any} */ it) => it.run], [t("operations.gate"), (/** @type {any} */ it) => html`<code>${it.gate}</code>`],
      [t("operations.due"), (/** @type {any} */ it) => html`<span title=${moment(it.due)}>${distant(it.due)}</span>`, "right"]]} />
    ${isOperator ? html`<div class="two">
      <${Table} title=${t("operations.projections")} rows=${state.projections} none="–" columns=${[[t("operations.name"), (/** @type {any} */ it) => it.name], [t("operations.behind"), (/** @type {any} */ it) => number(it.behind), "right"]]} />
      <${Table} title=${t("operations.nodes")} rows=${state.nodes} none=${t("operations.one_node")} columns=${[[t("operations.node"), (/** @type {any} */ it) => html`<code>${it.node}</code>${it.own ? html` <span class="badge accent">${t("operations.this")}</span>` : null}`],
        // Processes only have leases if several of them share a log.
        ...(state.nodes?.some((/** @type {any} */ it) => it.lease_until) ? [[t("operations.lease"), (/** @type {any} */ it) => (it.lease_until ? html`<span title=${moment(it.lease_until)}>${distant(it.lease_until)}</span>` : "–"), "right"]] : [])]} />
    </div>` : null}
  </div>`;
}

/** @param {{label: string, value: any, tone?: string}} props */
function Tile({ label, value, tone = "" }) {
  return html`<div class=${`card tile ${tone}`}><span class="quiet-text">${label}</span><strong class="number">${value}</strong></div>`;
}

/** @param {any} props */
function Verified({ state, again }) {
  const it = state.verified;
  const verify = () => post("/v1/operations/verify").then(() => { tell({ text: t("verify.began") }); void again(); }, complain);
  const differences = it?.differences ?? [];
  const sound = it && it.sound && !differences.length && !it.error;
  return html`<section class=${`card verified ${it ? (sound ? "good" : "bad") : ""}`}>
    <span class=${`sign ${it ? (sound ? "good" : "bad") : "idle"}`}><${Icon} name=${it ? (sound ? "check" : "alert") : "clock"} /></span>
    <div class="grow" aria-live="polite"><strong>${it ? t(sound ? "verify.sound" : "verify.broken", { to: number(it.to) }) : t("verify.never")}</strong>
      <p class="quiet-text">${it ? html`<span title=${moment(it.at)}>${ago(it.at)}</span>` : t("verify.why")}</p>
      ${it?.error ? html`<p class="problem">${it.error}</p>` : null}
      ${it?.broken ? html`<p class="problem">${it.broken.position}: ${it.broken.what}</p>` : null}
      ${differences.length ? html`<ul class="problem">${differences.slice(0, 10).map((/** @type {any} */ text) => html`<li>${typeof text === "string" ? text : JSON.stringify(text)}</li>`)}</ul>` : null}
      ${it?.unseen?.length ? html`<ul>${it.unseen.slice(0, 10).map((/** @type {string} */ text) => html`<li>${text}</li>`)}</ul>` : null}</div>
    <button class="button" disabled=${state.verifying} onClick=${verify}>${state.verifying ? html`<span class="spinner" aria-hidden="true"></span>` : null}${t(state.verifying ? "verify.running" : "verify.do")}</button></section>`;
}

/** @param {{title: string, rows: any[]|undefined, none: string, columns: any[]}} props */
function Table({ title, rows, none, columns }) {
  return html`<section class="card ops-table"><h2>${title}${rows?.length ? html` <span class="quiet-text number">${rows.length}</span>` : null}</h2>
    ${rows?.length ? html`<div class="table-scroll" tabIndex=${0} role="region" aria-label=${title}><table><thead><tr>${columns.map(([name, , side]) => html`<th scope="col" class=${side}>${name}</th>`)}</tr></thead>
      <tbody>${rows.slice(0, 200).map((row) => html`<tr>${columns.map(([, draw, side]) => html`<td class=${side ? `${side} number` : ""}>${draw(row)}</td>`)}</tr>`)}</tbody></table></div>` : html`<p class="quiet-text">${none}</p>`}</section>`;
}
