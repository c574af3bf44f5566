// @ts-check
/** Every session: searched, filtered, newest first, kept up to date. */
import { html, useCallback, useEffect, useRef, useState } from "../vendor/preact.js";
import { get, pipelines } from "../lib/api.js";
import { ago, cost, moment, number } from "../lib/format.js";
import { language, named, t } from "../lib/i18n.js";
import { route, turn } from "../lib/router.js";
import { StatusBadge } from "../parts/badge.js";
import { Icon } from "../parts/icons.js";
import { complain } from "../parts/toasts.js";
import { Virtual } from "../parts/virtual.js";

const PAGE = 50;
/** Milliseconds between two reads of a visible list, because sessions at work change. */
const AGAIN_MS = 4000;
/** Milliseconds without typing after which the search starts. */
const PAUSE_MS = 250;
const STATES = ["running", "waiting", "completed", "failed", "cancelled"];

/** @param {{query: string, status: string, pipeline: string}} wanted @param {number|undefined} before */
function listPath({ query, status, pipeline }, before) {
  const search = new URLSearchParams({ limit: String(PAGE) });
  for (const [name, value] of Object.entries({ query, status, pipeline, before })) if (value) search.set(name, String(value));
  return `/v1/sessions?${search}`;
}

/** @param {{query: string, status: string, pipeline: string}} wanted */
function useList(wanted) {
  const [list, setList] = useState(/** @type {{rows: any[], next?: number, loading: boolean, failure?: any}} */ ({ rows: [], loading: true }));
  const busy = useRef(false);
  const current = useRef(/** @type {AbortSignal|undefined} */ (undefined));
  const read = useCallback(async (/** @type {"first"|"again"|"more"} */ how, /** @type {AbortSignal|undefined} */ signal, /** @type {any} */ now) => {
    if (busy.current && how !== "first") return;
    busy.current = true;
    try {
      const page = await get(listPath(wanted, how === "more" ? now?.next : undefined), signal);
      setList((/** @type {any} */ before) => {
        if (how === "first") return { rows: page.sessions, next: page.next, loading: false };
        const fresh = new Set(page.sessions.map((/** @type {any} */ row) => row.session));
        const rest = before.rows.filter((/** @type {any} */ row) => !fresh.has(row.session));
        if (how === "more") return { rows: [...rest, ...page.sessions], next: page.next, loading: false };
        // Rows beyond the first page stay. Rows that would be on the first page and are missing there are dropped.
        const older = before.rows.length > PAGE ? rest.slice(Math.max(0, PAGE - page.sessions.length)) : [];
        return { rows: [...page.sessions, ...older], next: older.length ? before.next : page.next, loading: false };
      });
    } catch (failure) {
      if (/** @type {any} */ (failure).name === "AbortError") return;
      setList((/** @type {any} */ before) => ({ ...before, loading: false, failure: before.rows.length ? undefined : failure }));
    } finally {
      busy.current = false;
    }
  }, [wanted.query, wanted.status, wanted.pipeline]);
  useEffect(() => {
    const stop = new AbortController();
    current.current = stop.signal;
    const pause = setTimeout(() => void read("first", stop.signal, null), wanted.query ? PAUSE_MS : 0);
    const again = setInterval(() => { if (!document.hidden) void read("again", stop.signal, null); }, AGAIN_MS);
    return () => { clearTimeout(pause); clearInterval(again); stop.abort(); };
  }, [read]);
  const more = () => void read("more", current.current, list);
  // The server searches a limited number of sessions at a time, and may find none among them.
  useEffect(() => { if (!list.loading && !list.rows.length && list.next) more(); }, [list]);
  return { ...list, more };
}

export function Sessions() {
  const { query = "", status = "", pipeline = "" } = route.value.query;
  const list = useList({ query, status, pipeline });
  const [known, setKnown] = useState(/** @type {any[]} */ ([]));
  useEffect(() => { pipelines(language.value).then(setKnown, complain); }, [language.value]);
  const titles = new Map(known.map((it) => [it.name, it.title]));
  const filtered = Boolean(query || status || pipeline);
  return html`<div class="list-page">
    <header class="page-head">
      <h1>${t("sessions.title")}</h1>
      <span class="grow"></span>
      <a class="button primary" href="#/new"><${Icon} name="plus" />${t("new.title")}</a>
    </header>
    <div class="filters" role="search">
      <label class="search"><span class="sr-only">${t("sessions.search")}</span><${Icon} name="search" />
        <input type="search" class="input" placeholder=${t("sessions.search")} value=${query} onInput=${(/** @type {any} */ event) => turn({ query: event.target.value })} /></label>
      <label><span class="sr-only">${t("sessions.status")}</span>
        <select class="select" value=${status} onChange=${(/** @type {any} */ event) => turn({ status: event.target.value })}>
          <option value="">${t("sessions.any_status")}</option>${STATES.map((it) => html`<option value=${it}>${named("status", it)}</option>`)}</select></label>
      <label><span class="sr-only">${t("sessions.pipeline")}</span>
        <select class="select" value=${pipeline} onChange=${(/** @type {any} */ event) => turn({ pipeline: event.target.value })}>
          <option value="">${t("sessions.any_pipeline")}</option>${known.map((it) => html`<option value=${it.name}>${it.title}</option>`)}</select></label>
    </div>
    ${list.failure ? html`<div class="empty" role="alert"><${Icon} name="alert" /><p>${list.failure.message}</p><p class="quiet-text">${list.failure.hint}</p></div>`
      : list.rows.length ? html`
        <div class="table-head" aria-hidden="true"><span>${t("sessions.what")}</span><span>${t("sessions.pipeline")}</span><span>${t("sessions.status")}</span>
          <span class="right">${t("cost")}</span><span class="right">${t("sessions.events")}</span><span class="right">${t("sessions.activity")}</span></div>
        <${Virtual} className="table" items=${list.rows} keyOf=${(/** @type {any} */ row) => row.session} estimate=${45} label=${t("sessions.title")}
          onEnd=${list.next ? list.more : undefined} draw=${(/** @type {any} */ row) => html`<${Row} row=${row} title=${titles.get(row.pipeline) ?? row.pipeline} />`} />`
      : list.loading ? html`<div class="skeletons" aria-busy="true">${[...Array(8)].map(() => html`<div class="skeleton"></div>`)}</div>`
      : html`<div class="empty"><${Icon} name=${filtered ? "search" : "layers"} /><p>${t(filtered ? "sessions.none_found" : "sessions.none")}</p>
          ${filtered ? html`<button class="button" onClick=${() => turn({ query: "", status: "", pipeline: "" })}>${t("sessions.clear")}</button>`
            : html`<p class="quiet-text">${t("sessions.none_hint")}</p><a class="button primary" href="#/new">${t("new.title")}</a>`}</div>`}
  </div>`;
}

/** @param {{row: any, title: string}} props */
function Row({ row, title }) {
  return html`<a class="table-row" href=${`#/s/${encodeURIComponent(row.session)}`}>
    <span class="cell-title"><span class="ellipsis">${row.title || row.session}</span>
      ${row.forked_from ? html`<span class="badge" title=${t("sessions.fork_of", { session: row.forked_from.session, at: row.forked_from.at })}><${Icon} name="fork" />${t("fork")}</span>` : null}</span>
    <span class="cell-pipeline muted ellipsis">${title}</span>
    <span class="cell-status">${row.status ? html`<${StatusBadge} status=${row.status} />` : null}</span>
    <span class="cell-cost right number muted"><span class="sr-only">${t("cost")} </span>${row.cost_micros === undefined ? "–" : cost(row.cost_micros)}</span>
    <span class="cell-events right number muted"><span class="sr-only">${t("sessions.events")} </span>${number(row.version)}</span>
    <span class="cell-time right muted" title=${moment(row.updated_at)}>${ago(row.updated_at)}</span>
  </a>`;
}
