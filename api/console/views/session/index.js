// @ts-check
/** One session: the conversation, the progress, the artifacts, and every earlier state. */
import { html, useCallback, useEffect, useMemo, useRef, useState } from "../../vendor/preact.js";
import { language, t } from "../../lib/i18n.js";
import { described, isDone, loadPipelines, openGates, worthSeeing } from "../../lib/reading.js";
import { go, route, turn } from "../../lib/router.js";
import { useSession } from "../../lib/session.js";
import { ask } from "../../parts/dialog.js";
import { Icon } from "../../parts/icons.js";
import { Lazy, Loading } from "../../parts/lazy.js";
import { complain, tell } from "../../parts/toasts.js";
import { Branches } from "./branches.js";
import { Composer } from "./composer.js";
import { Conversation } from "./conversation.js";
import { CanvasHead } from "./focus.js";
import { Gates } from "./gates.js";
import { Head, Progress } from "./head.js";
import { Made } from "./made.js";
import { Steps } from "./timeline.js";

const canvas = () => import("../../canvas/index.js").then((it) => it.Canvas);
const compare = () => import("../../canvas/compare.js").then((it) => it.Compare);
const timeBar = () => import("../../time/index.js").then((it) => it.TimeBar);
const inspector = () => import("../../time/inspector.js").then((it) => it.Inspector);

// Both will be shown in a moment; loading them at the same time is faster than one after the other.
void Promise.all([canvas(), timeBar()]).catch(() => {});

/** @param {{session: string}} props */
export function Session({ session }) {
  const watched = useSession(session);
  useEffect(() => { loadPipelines().catch(complain); }, [language.value]);
  const latest = watched.model.value;
  if (watched.state.value === "loading") return html`<${Loading} heading=${t("session")} count=${watched.count.value} />`;
  const failure = watched.failure.value;
  if (!latest || latest.erased || isGone(failure)) return html`<${Gone} failure=${failure} erased=${latest?.erased} />`;
  return html`${failure ? html`<div class="banner warn" role="alert"><${Icon} name="alert" /><span>${failure.message}${failure.hint ? html` <span class="quiet-text">${failure.hint}</span>` : null}</span>
    <button class="button small" onClick=${() => location.reload()}>${t("reload")}</button></div>` : null}
    <${Open} watched=${watched} latest=${latest} />`;
}

/** Whether the session does not exist any longer. @param {any} failure */
const isGone = (failure) => failure?.code === "erased" || failure?.status === 404 || failure?.status === 410;

/** @param {{failure: any, erased?: boolean}} props */
function Gone({ failure, erased }) {
  const isErased = erased || failure?.code === "erased" || failure?.status === 410;
  const says = isErased ? t("session.erased") : failure?.status === 404 || !failure ? t("session.missing") : failure.message;
  return html`<div class="empty" role="alert"><${Icon} name=${isErased ? "trash" : "search"} /><h1>${says}</h1>
    ${failure?.hint ? html`<p class="quiet-text">${failure.hint}</p>` : null}<a class="button" href="#/">${t("sessions.title")}</a></div>`;
}

/** @param {{watched: any, latest: any}} props */
function Open({ watched, latest }) {
  const { query } = route.value;
  const { timeline, session } = watched;
  const wanted = Number.parseInt(query.at, 10);
  const at = wanted > 0 && wanted < latest.version ? wanted : null;
  const model = at === null ? latest : timeline.at(at);
  const chosen = query.artifact ? model.artifacts.get(query.artifact) : null;
  const artifact = useMemo(() => chosen ?? worthSeeing(model), [model, chosen, described.value]);
  const sides = query.compare?.split(",").map((id) => model.artifacts.get(id)) ?? [];
  const comparing = sides.length === 2 && sides.every(Boolean);
  const left = query.left === "steps" ? "steps" : "talk";
  const drawer = ["log", "runs", "made"].includes(query.drawer) ? query.drawer : "";
  // Decided once, so that the pane does not change under the hand when a run ends.
  const [first] = useState(isDone(latest) ? "canvas" : "left");
  const pane = query.pane ?? (query.left ? "left" : first);
  const gates = at === null ? openGates(model) : [];

  useEffect(() => { document.title = `${latest.title || session} · Palimpsest`; }, [latest.title, language.value]);
  const onAt = useCallback((/** @type {number|null} */ version) => turn({ at: version }), []);
  const onFocus = useCallback((/** @type {string} */ id) => turn({ artifact: id, compare: "", pane: "canvas" }), []);
  const onCompare = useCallback((/** @type {string} */ a, /** @type {string} */ b) => turn({ compare: `${a},${b}`, pane: "canvas" }), []);
  const onFork = useCallback((/** @type {number} */ version) => fork(watched, version), [watched]);
  const look = useCallback((/** @type {number} */ version) => turn({ at: version, drawer: "log", pane: "drawer" }), []);
  useKeys({ at, timeline, drawer });

  const writing = artifact ? null : [...watched.live.texts.values()].at(-1) ?? null;
  void watched.pulse.value;
  const shared = { session, watched, model, timeline, at, onFocus, onCompare, look };
  return html`<div class=${`session ${drawer ? "with-drawer" : ""} pane-${pane}`}>
    <${Head} ...${shared} latest=${latest} drawer=${drawer} onFork=${onFork} onKeys=${showKeys} />
    <${Progress} model=${model} />
    <${PaneTabs} pane=${pane} left=${left} drawer=${drawer} waiting=${gates.length} />
    <section class="column left" aria-label=${t("tab.left")}>
      <div class="tabs" role="tablist" aria-label=${t("tab.left")}>
        ${["talk", "steps"].map((it) => html`<button role="tab" id=${`tab-${it}`} aria-controls="left-panel" aria-selected=${left === it} tabIndex=${left === it ? 0 : -1}
          onKeyDown=${otherTab} onClick=${() => turn({ left: it === "talk" ? "" : it })}><${Icon} name=${it === "talk" ? "chat" : "steps"} />${t(`tab.${it}`)}</button>`)}
      </div>
      <div class="panel" role="tabpanel" id="left-panel" aria-labelledby=${`tab-${left}`}>
        ${left === "steps" ? html`<${Steps} ...${shared} pulse=${watched.pulse.value} />` : html`<${Conversation} ...${shared} pulse=${watched.pulse.value} />`}
      </div>
      ${gates.length ? html`<${Gates} gates=${gates} ...${shared} />` : null}
      <${Composer} ...${shared} latest=${latest} onFork=${onFork} />
    </section>
    <section class="column centre" aria-label=${t("tab.canvas")}>
      <${CanvasHead} ...${shared} artifact=${artifact} following=${!chosen} sides=${comparing ? sides : null} />
      <div class="canvas-place">
        ${comparing ? html`<${Lazy} key="compare" load=${compare} model=${model} left=${sides[0]} right=${sides[1]} />`
          : html`<${Lazy} key="canvas" load=${canvas} model=${model} artifact=${artifact} live=${writing} onFocus=${onFocus} />`}
      </div>
    </section>
    ${drawer ? html`<aside class="column drawer" aria-label=${t(`tab.${drawer}`)}>
      <div class="tabs"><div role="tablist" aria-label=${t("tab.drawer")}>
        ${["log", "runs", "made"].map((it) => html`<button role="tab" id=${`tab-${it}`} aria-controls="drawer-panel" aria-selected=${drawer === it} tabIndex=${drawer === it ? 0 : -1}
          onKeyDown=${otherTab} onClick=${() => turn({ drawer: it })}>${t(`tab.${it}`)}</button>`)}</div>
        <span class="grow"></span>
        <button class="button quiet icon small" aria-label=${t("close")} onClick=${() => turn({ drawer: "", pane: "canvas" })}><${Icon} name="cross" /></button>
      </div>
      <div class="panel" role="tabpanel" id="drawer-panel" aria-labelledby=${`tab-${drawer}`}>
        ${drawer === "log" ? html`<${Lazy} key="log" load=${inspector} session=${session} timeline=${timeline} head=${latest.version} version=${at ?? latest.version}
            live=${at === null} onVersion=${onAt} onFork=${onFork} onFocus=${onFocus} />`
          : drawer === "runs" ? html`<${Branches} ...${shared} latest=${latest} />` : html`<${Made} ...${shared} />`}
      </div>
    </aside>` : null}
    <footer class="time-place" aria-label=${t("tab.time")}><${Lazy} load=${timeBar} timeline=${timeline} head=${latest.version} version=${latest.version} at=${at} onAt=${onAt} /></footer>
  </div>`;
}

/** Arrow keys go from one tab to the next. @param {KeyboardEvent} event */
function otherTab(event) {
  if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
  const tabs = /** @type {HTMLElement[]} */ ([.../** @type {HTMLElement} */ (event.currentTarget).parentElement?.querySelectorAll('[role="tab"]') ?? []]);
  const at = tabs.indexOf(/** @type {HTMLElement} */ (event.currentTarget)) + (event.key === "ArrowRight" ? 1 : -1);
  const next = tabs[(at + tabs.length) % tabs.length];
  next?.focus();
  next?.click();
}

/** On a narrow screen, one pane is shown at a time. @param {{pane: string, left: string, drawer: string, waiting: number}} props */
function PaneTabs({ pane, left, drawer, waiting }) {
  const ways = /** @type {const} */ ([
    ["talk", "chat", { pane: "left", left: "" }, pane === "left" && left === "talk"], ["steps", "steps", { pane: "left", left: "steps" }, pane === "left" && left === "steps"],
    ["canvas", "eye", { pane: "canvas" }, pane === "canvas"], ["log", "log", { pane: "drawer", drawer: "log" }, pane === "drawer" && drawer === "log"],
    ["runs", "branch", { pane: "drawer", drawer: "runs" }, pane === "drawer" && drawer === "runs"],
  ]);
  return html`<nav class="pane-tabs" aria-label=${t("tab.panes")}>${ways.map(([name, icon, query, here]) => html`
    <button aria-current=${here ? "true" : undefined} onClick=${() => turn(query)}><${Icon} name=${icon} /><span>${t(name === "talk" ? "tab.talk_short" : `tab.${name}`)}</span>
      ${name === "talk" && waiting ? html`<span class="count" aria-label=${t("gates.waiting", { n: waiting })}>${waiting}</span>` : null}</button>`)}</nav>`;
}

/** Shows the list of keys. */
export function showKeys() {
  const keys = [["[", "keys.before"], ["]", "keys.after"], ["l", "keys.live"], ["i", "keys.log"], ["?", "keys.help"]];
  void ask({ title: t("keys.title"), confirm: t("close"), text: html`<dl class="keys">${keys.map(([key, says]) => html`<div><dt><kbd>${key}</kbd></dt><dd>${t(says)}</dd></div>`)}</dl>`, alone: true });
}

/** @param {any} watched @param {number} version */
async function fork(watched, version) {
  const answer = await ask({ title: t("fork.title", { version }), text: t("fork.text"), confirm: t("fork.do") });
  if (!answer) return;
  try {
    const { session } = await watched.ask("fork", { at: version });
    tell({ tone: "good", text: t("fork.done", { version }) });
    if (session) go(["s", session]);
  } catch (failure) {
    complain(failure);
  }
}

/** Keys that work while no text is typed; `?` lists them. @param {{at: number|null, timeline: any, drawer: string}} place */
function useKeys(place) {
  const now = useRef(place);
  now.current = place;
  useEffect(() => {
    const press = (/** @type {KeyboardEvent} */ event) => {
      const target = /** @type {HTMLElement} */ (event.target);
      if (event.ctrlKey || event.metaKey || event.altKey || target.closest("input, textarea, select, dialog, [contenteditable]")) return;
      const { at, timeline, drawer } = now.current;
      const here = at ?? timeline.head;
      if (event.key === "[" && here > 1) turn({ at: here - 1 });
      else if (event.key === "]") turn({ at: here + 1 >= timeline.head ? null : here + 1 });
      else if (event.key === "l") turn({ at: null });
      else if (event.key === "?") showKeys();
      else if (event.key === "i") turn({ drawer: drawer === "log" ? "" : "log" });
      else return;
      event.preventDefault();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
}
