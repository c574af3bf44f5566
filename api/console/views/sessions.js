// @ts-check
/** Every session: searched, filtered, sorted, kept up to date. */
import { html, useCallback, useEffect, useMemo, useRef, useState } from "../vendor/preact.js";
import { get, pipelines } from "../lib/api.js";
import { ago, cost, moment, number } from "../lib/format.js";
import { language, named, t } from "../lib/i18n.js";
import { route, turn } from "../lib/router.js";
import { StatusBadge } from "../parts/badge.js";
import { Icon } from "../parts/icons.js";
import { complain } from "../parts/toasts.js";
import { Virtual } from "../parts/virtual.js";

const PAGE = 50;
/** Sessions of a page where all of them are wanted: the most that the server gives. */
const LARGE_PAGE = 200;
/** Milliseconds between two reads of a visible list, because sessions at work change. */
const AGAIN_MS = 4000;
/** Milliseconds without typing after which the search starts. */
const PAUSE_MS = 250;
const STATES = ["running", "waiting", "completed", "failed", "cancelled"];

/** The columns by which the list is sorted, each with the direction that is first, and whether a narrow screen has it. @type {{name: string, title: string, first: ""|"-", narrow: boolean, right?: boolean, of: (row: any, titles: Map<string, string>) => string|number|undefined}[]} */
const COLUMNS = [
  { name: "title", title: "sessions.what", first: "", narrow: true, of: (row) => row.title || row.session },
  { name: "pipeline", title: "sessions.pipeline", first: "", narrow: true, of: (row, titles) => titles.get(row.pipeline) ?? row.pipeline },
  { name: "status", title: "sessions.status", first: "", narrow: true, of: (row) => row.status && named("status", row.status) },
  { name: "cost", title: "cost", first: "-", narrow: false, right: true, of: (row) => row.cost_micros },
  { name: "events", title: "sessions.events", first: "-", narrow: false, right: true, of: (row) => row.version },
  { name: "activity", title: "sessions.activity", first: "-", narrow: true, right: true, of: (row) => +new Date(row.updated_at) },
];

/** The rows whose last activity is on one of these days, in this order; as the server gives them, the newest first, without one. @param {any[]} rows @param {{sort: string, from: string, to: string}} wanted @param {Map<string, string>} titles */
function arranged(rows, { sort, from, to }, titles) {
  const [first, last] = [from && +new Date(`${from}T00:00`), to && +new Date(`${to}T24:00`)];
  const some = rows.filter((row) => (!first || +new Date(row.updated_at) >= first) && (!last || +new Date(row.updated_at) < last));
  const column = COLUMNS.find((it) => it.name === sort.replace("-", ""));
  if (!column) return some;
  const { compare } = new Intl.Collator(language.value === "zh" ? "zh-CN" : "en", { numeric: true });
  const way = sort.startsWith("-") ? -1 : 1;
  return some.sort((one, other) => {
    const [a, b] = [column.of(one, titles), column.of(other, titles)];
    if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
    return way * (typeof a === "number" ? a - Number(b) : compare(a, String(b)));
  });
}

/** @param {{query: string, status: string, pipeline: string}} wanted @param {number|undefined} before @param {number} limit */
function listPath({ query, status, pipeline }, before, limit) {
  const search = new URLSearchParams({ limit: String(limit) });
  for (const [name, value] of Object.entries({ query, status, pipeline, before })) if (value) search.set(name, String(value));
  return `/v1/sessions?${search}`;
}

/** @param {{query: string, status: string, pipeline: string}} wanted @param {boolean} whole whether all of them are read, as sorting needs it */
function useList(wanted, whole) {
  const [list, setList] = useState(/** @type {{rows: any[], next?: number, loading: boolean, stalled?: boolean, failure?: any}} */ ({ rows: [], loading: true }));
  const busy = useRef(false);
  const current = useRef(/** @type {AbortSignal|undefined} */ (undefined));
  const read = useCallback(async (/** @type {"first"|"again"|"more"} */ how, /** @type {AbortSignal|undefined} */ signal, /** @type {any} */ now) => {
    if (busy.current && how !== "first") return;
    busy.current = true;
    try {
      const page = await get(listPath(wanted, how === "more" ? now?.next : undefined, now?.whole ? LARGE_PAGE : PAGE), signal);
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
      setList((/** @type {any} */ before) => ({ ...before, loading: false, stalled: true, failure: before.rows.length ? undefined : failure }));
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
  const more = () => void read("more", current.current, { next: list.next, whole });
  // The server searches a limited number of sessions at a time, and may find none among them. After a failure, the next read goes on.
  useEffect(() => { if (!list.loading && !list.stalled && list.next && (whole || !list.rows.length)) more(); }, [list, whole]);
  return { ...list, more };
}

export function Sessions() {
  const { query = "", status = "", pipeline = "", sort = "", from = "", to = "" } = route.value.query;
  const list = useList({ query, status, pipeline }, Boolean(sort || from || to));
  const [known, setKnown] = useState(/** @type {any[]} */ ([]));
  useEffect(() => { pipelines(language.value).then(setKnown, complain); }, [language.value]);
  const titles = useMemo(() => new Map(known.map((it) => [it.name, it.title])), [known]);
  const rows = useMemo(() => arranged(list.rows, { sort, from, to }, titles), [list.rows, sort, from, to, titles]);
  const filtered = Boolean(query || status || pipeline || from || to);
  const day = (/** @type {"from"|"to"} */ name, /** @type {string} */ value) => html`<label class="day"><span class="quiet-text">${t(`sessions.${name}`)}</span>
    <input type="date" class="input" value=${value} onInput=${(/** @type {any} */ event) => turn({ [name]: event.target.value })} /></label>`;
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
      ${day("from", from)}${day("to", to)}
    </div>
    ${list.failure ? html`<div class="empty" role="alert"><${Icon} name="alert" /><p>${list.failure.message}</p><p class="quiet-text">${list.failure.hint}</p></div>`
      : rows.length ? html`<div class="table-all" role="table" aria-label=${t("sessions.title")} aria-rowcount=${list.next ? -1 : rows.length + 1}>
        <div class="table-head" role="row">${COLUMNS.map((it) => html`<${Head} column=${it} sort=${sort} />`)}</div>
        <${Virtual} className="table" role="rowgroup" items=${rows} keyOf=${(/** @type {any} */ row) => row.session} estimate=${45} label=${t("sessions.title")}
          onEnd=${list.next ? list.more : undefined} draw=${(/** @type {any} */ row) => html`<${Row} row=${row} title=${titles.get(row.pipeline) ?? row.pipeline} />`} /></div>`
      : list.loading || (list.next && filtered) ? html`<div class="skeletons" aria-busy="true">${[...Array(8)].map(() => html`<div class="skeleton"></div>`)}</div>`
      : html`<div class="empty"><${Icon} name=${filtered ? "search" : "layers"} /><p>${t(filtered ? "sessions.none_found" : "sessions.none")}</p>
          ${filtered ? html`<button class="button" onClick=${() => turn({ query: "", status: "", pipeline: "", from: "", to: "" })}>${t("sessions.clear")}</button>`
            : html`<p class="quiet-text">${t("sessions.none_hint")}</p><a class="button primary" href="#/new">${t("new.title")}</a>`}</div>`}
  </div>`;
}

/** The head of a column, by which the list is sorted in the one direction, in the other, and not any longer. @param {{column: typeof COLUMNS[0], sort: string}} props */
function Head({ column: { name, title, first, narrow, right }, sort }) {
  const ways = [`${first}${name}`, `${first ? "" : "-"}${name}`, ""];
  const is = sort === name ? "ascending" : sort === `-${name}` ? "descending" : undefined;
  return html`<span role="columnheader" class=${`${narrow ? "" : "cell-wide"} ${right ? "right" : ""}`} aria-sort=${is ?? "none"}>
    <button class="table-sort" onClick=${() => turn({ sort: ways[(ways.indexOf(sort) + 1) % ways.length] })}>${t(title)}${is ? html`<${Icon} name=${is === "ascending" ? "up" : "down"} />` : null}</button></span>`;
}

/** @param {{row: any, title: string}} props */
function Row({ row, title }) {
  return html`<div class="table-row" role="row">
    <span class="cell-title" role="cell"><a class="ellipsis" href=${`#/s/${encodeURIComponent(row.session)}`} title=${row.title}>${row.title || row.session}</a>
      ${row.forked_from ? html`<span class="badge" title=${t("sessions.fork_of", { session: row.forked_from.session, at: row.forked_from.at })}><${Icon} name="fork" />${t("fork")}</span>` : null}</span>
    <span class="cell-pipeline muted ellipsis" role="cell">${title}</span>
    <span class="cell-status" role="cell">${row.status ? html`<${StatusBadge} status=${row.status} />` : null}</span>
    <span class="cell-wide right number muted" role="cell">${row.cost_micros === undefined ? "–" : cost(row.cost_micros)}</span>
    <span class="cell-wide right number muted" role="cell">${number(row.version)}</span>
    <span class="cell-time right muted" role="cell" title=${moment(row.updated_at)}>${ago(row.updated_at)}</span>
  </div>`;
}
