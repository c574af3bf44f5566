// @ts-check
// Everything about one event: its data, the command that recorded it, the event that caused it, and the call behind it.

import { html, useEffect, useState } from "../vendor/preact.js";
import { ApiFailure, get } from "../lib/api.js";
import { moment } from "../lib/format.js";
import { t } from "../lib/i18n.js";
import { Copy } from "../canvas/copy.js";
import { Icon } from "../canvas/icons.js";
import { Json } from "../canvas/json.js";
import { describe, groupOf, typeName } from "./describe.js";
import { Call, Fact } from "./call.js";

/** Events of one append that are listed. */
const SIBLINGS = 24;

/** Events that are calls themselves. For other events, the call that led to them is shown. */
const CALLS = new Set(["model_called", "tool_called", "tool_returned"]);

/**
 * @param {{session: string, timeline: any, event: any, onVersion: (version: number) => void, onFork: (version: number) => void,
 *   onFocus?: (id: string) => void, onStep: (step: string) => void}} props
 */
export function EventView({ session, timeline, event, onVersion, onFork, onFocus, onStep }) {
  const told = useTold(session, event.version);
  const data = event.data ?? {};
  const group = groupOf(event);
  const linkOf = (/** @type {string} */ text) => (onFocus && text.startsWith("art_") && timeline.latest.artifacts.has(text) ? () => onFocus(text) : null);
  return html`<article class="event" aria-labelledby="event-title">
    <header class="event-head">
      <h2 id="event-title"><span class="event-sign" data-group=${group} aria-hidden="true"></span>${typeName(event.type)} <span class="number quiet-text">#${event.version}</span></h2>
      <p class="event-say">${describe(event, timeline)}</p>
      <div class="row wrap">
        <button type="button" class="button small" onClick=${() => onFork(event.version)}><${Icon} name="fork" />${t("time.fork_here")}</button>
        ${data.step && html`<button type="button" class="button small" onClick=${() => onStep(data.step)}>${t("time.only_step")}</button>`}
        ${data.artifact && onFocus && html`<button type="button" class="button small" onClick=${() => onFocus(data.artifact)}>${t("time.show_artifact")}</button>`}
      </div>
    </header>
    <dl class="event-facts">
      <${Fact} name="time.at"><time datetime=${event.ts} title=${event.ts}>${moment(event.ts)}</time></${Fact}>
      <${Fact} name="time.type"><code>${event.type}</code></${Fact}>
      ${data.step && html`<${Fact} name="time.step"><code>${data.step}</code>${data.attempt ? html` <span class="quiet-text">${t("time.attempt", { n: data.attempt })}</span>` : ""}</${Fact}>`}
      ${told?.actor && html`<${Fact} name="time.actor">${actorName(told.actor)}</${Fact}>`}
      <${Cause} told=${told} timeline=${timeline} onVersion=${onVersion} />
      <${Command} told=${told} timeline=${timeline} event=${event} onVersion=${onVersion} />
      ${told?.event_id && html`<${Fact} name="time.event_id"><span class="event-copied"><code class="event-id ellipsis" title=${told.event_id}>${told.event_id}</code><${Copy} text=${told.event_id} label=${t("time.event_id")} compact /></span></${Fact}>`}
    </dl>
    ${CALLS.has(event.type) && html`<${Call} session=${session} call=${data} title=${t(data.tool ? "time.call.of_tool" : "time.call.of_model")} />`}
    ${told?.call && told.call.version !== event.version && html`<${Call} session=${session} call=${told.call}
      title=${html`${t("time.call.behind")} <${Link} timeline=${timeline} version=${told.call.version} onVersion=${onVersion} />`} />`}
    <section class="event-data"><h3>${t("time.data")}</h3><${Json} value=${told?.data ?? data} bare open=${1} linkOf=${linkOf} /></section>
  </article>`;
}

/** @param {any} actor */
const actorName = (actor) => (typeof actor === "string" ? (actor === "system" ? t("time.actor_system") : actor) : [actor.kind ?? actor.is, actor.id ?? actor.name].filter(Boolean).join(" ") || JSON.stringify(actor));

/** The server's record of an event, beyond its frame; null if there is none. @param {string} session @param {number} version */
function useTold(session, version) {
  const [told, setTold] = useState(/** @type {any} */ (null));
  useEffect(() => {
    const stop = new AbortController();
    // Moving through the log with the keys passes many events; only an event that stays selected is requested.
    const timer = setTimeout(() => {
      get(`/v1/sessions/${encodeURIComponent(session)}/events/${version}`, stop.signal).then(setTold, (error) => {
        if (!(error instanceof ApiFailure) && error?.name !== "AbortError") throw error;
      });
    }, 120);
    return () => { clearTimeout(timer); stop.abort(); };
  }, [session, version]);
  return told;
}

/** @param {{told: any, timeline: any, onVersion: (version: number) => void}} props */
function Cause({ told, timeline, onVersion }) {
  if (!told) return null;
  const cause = typeof told.cause === "object" ? told.cause?.version : told.cause;
  if (!cause) return html`<${Fact} name="time.cause"><span class="quiet-text">${t("time.no_cause")}</span></${Fact}>`;
  return html`<${Fact} name="time.cause"><${Link} timeline=${timeline} version=${cause} onVersion=${onVersion} /></${Fact}>`;
}

/** The append that the event was part of. @param {{told: any, timeline: any, event: any, onVersion: (version: number) => void}} props */
function Command({ told, timeline, event, onVersion }) {
  const command = told?.command;
  if (!command) return null;
  const siblings = [];
  for (let version = command.from; version <= command.to && siblings.length < SIBLINGS; version += 1) if (version !== event.version) siblings.push(version);
  const left = command.to - command.from - siblings.length;
  return html`<${Fact} name="time.command"><span class="event-copied"><code class="event-id ellipsis" title=${command.id}>${command.id}</code><${Copy} text=${command.id} label=${t("time.command")} compact /></span></${Fact}>
    ${siblings.length > 0 && html`<${Fact} name="time.siblings"><ul class="event-links" role="list">${siblings.map((it) => html`<li key=${it}><${Link} timeline=${timeline} version=${it} onVersion=${onVersion} short /></li>`)}</ul>
      ${left > 0 && html`<span class="quiet-text">${t("time.more_events", { n: left })}</span>`}</${Fact}>`}`;
}

/** @param {{timeline: any, version: number, onVersion: (version: number) => void, short?: boolean}} props */
function Link({ timeline, version, onVersion, short }) {
  const event = timeline.event(version);
  const name = event ? typeName(event.type) : "";
  return html`<button type="button" class=${short ? "event-link event-chip" : "event-link"} title=${event ? `${name} · ${describe(event, timeline)}` : ""} onClick=${() => onVersion(version)}>
    ${short && event && html`<span class="event-sign" data-group=${groupOf(event)} aria-hidden="true"></span>`}<span class="number">#${version}</span> <span class=${short ? "sr-only" : ""}>${name}</span></button>`;
}
