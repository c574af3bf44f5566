// @ts-check
/** The characters: their relationships as a picture and in words, and the state of each at a chapter. */
import { html, useEffect, useState } from "../../../vendor/preact.js";
import { request } from "../../../lib/api.js";
import { useFetched } from "../../../lib/fetched.js";
import { humane } from "../../../lib/format.js";
import { has, named, t } from "../../../lib/i18n.js";
import { route, turn } from "../../../lib/router.js";
import { ALL, of, pageOf } from "../resources.js";
import { Icon } from "../../../parts/icons.js";
import { Broken, Loading } from "../../../parts/lazy.js";
import { complain } from "../../../parts/toasts.js";

/** @param {{story: string}} props */
export function Characters({ story }) {
  const { at = "" } = route.value.query;
  const id = encodeURIComponent(story);
  const order = at === "" ? "" : `chapterOrder=${encodeURIComponent(at)}`;
  const people = useFetched(`/api/characters/project/${id}?${ALL}`);
  const chapters = useFetched(`${of(story)}/chapters?${ALL}`);
  const graph = useFetched(`/api/characters/project/${id}/graph?${order}`);
  const states = useFetched(`/api/evolution/states?projectId=${id}&entityType=CHARACTER&${ALL}&${order}`);
  const failed = [people, chapters, graph, states].find((it) => it.failure && !it.value);
  if (failed) return html`<${Broken} error=${failed.failure} retry=${failed.again} />`;
  if (!people.value || !chapters.value || !graph.value) return html`<${Loading} />`;
  const all = people.value.content;
  if (!all.length) return html`<div class="empty"><${Icon} name="people" /><p>${t("character.none")}</p><p class="quiet-text">${t("character.none_hint")}</p><a class="button" href=${pageOf(story, ["chat"])}>${t("story.part.chat")}</a></div>`;
  const byId = new Map((states.value?.content ?? []).map((/** @type {any} */ it) => [it.entityId, it]));
  const nodes = new Map(graph.value.nodes.map((/** @type {any} */ it) => [it.id, it]));
  const names = new Map(all.map((/** @type {any} */ it) => [it.id, it.name]));
  return html`<div class="story-page">
    <label class="row story-at"><span class="label">${t("character.at")}</span><select class="select" value=${at} onChange=${(/** @type {any} */ event) => turn({ at: event.target.value })}>
      <option value="">${t("character.whole")}</option><option value="0">${t("character.start")}</option>
      ${chapters.value.content.map((/** @type {any} */ it) => html`<option key=${it.id} value=${String(it.chapterOrder)}>${t("finding.where", { n: it.chapterOrder, title: it.title })}</option>`)}</select></label>
    <${Graph} key=${order} story=${story} graph=${graph.value} order=${order} />
    <section aria-label=${t("character.list")}><h2 class="sr-only">${t("character.list")}</h2>
      <ul class="people" role="list">${all.map((/** @type {any} */ it) => html`<${Person} key=${it.id} story=${story} it=${it} state=${byId.get(it.id)} node=${nodes.get(it.id)} names=${names} upTo=${at} />`)}</ul></section>
  </div>`;
}

/** @param {{story: string, graph: any, order: string}} props */
function Graph({ story, graph, order }) {
  const [url, setUrl] = useState("");
  useEffect(() => {
    let made = "";
    let isOver = false;
    // Fetched with the key, which the address of a picture could not contain.
    request(`/api/characters/project/${encodeURIComponent(story)}/graph.svg?${order}`).then((response) => response.blob()).then((blob) => {
      if (isOver) return;
      made = URL.createObjectURL(blob);
      setUrl(made);
    }).catch(complain);
    return () => { isOver = true; if (made) URL.revokeObjectURL(made); };
  }, [story, order, graph]);
  const names = new Map(graph.nodes.map((/** @type {any} */ it) => [it.id, it.name]));
  const name = (/** @type {string} */ id) => names.get(id) ?? id;
  return html`<section class="card graph"><h2>${t("character.graph")}</h2>
    <div class="graph-scroll" tabIndex=${0} role="region" aria-label=${t("character.graph")}>${url ? html`<img src=${url} alt=${t("character.graph_alt", { nodes: graph.nodes.length, edges: graph.edges.length })} />` : html`<span class="spinner large" role="img" aria-label=${t("loading")}></span>`}</div>
    ${graph.edges.length ? html`<details><summary>${t("character.relations")} <span class="number">${graph.edges.length}</span></summary>
      <div class="table-scroll" tabIndex=${0} role="region" aria-label=${t("character.relations")}><table class="wrapped"><thead><tr><th scope="col">${t("character.from")}</th><th scope="col">${t("character.is")}</th><th scope="col">${t("character.to")}</th><th scope="col">${t("character.when")}</th></tr></thead>
        <tbody>${graph.edges.map((/** @type {any} */ it, /** @type {number} */ n) => html`<tr key=${n}><td>${name(it.source)}</td><td>${it.type}${it.description || it.sourceText ? html`<div class="quiet-text">${it.description || it.sourceText}</div>` : null}</td><td>${name(it.target)}</td>
          <td class="quiet-text">${[it.since && t("state.in", { n: it.since }), it.until && `– ${t("state.in", { n: it.until })}`].filter(Boolean).join(" ")}</td></tr>`)}</tbody></table></div></details>`
      : html`<p class="quiet-text">${t("character.no_edges")}</p>`}</section>`;
}

/** The name of a field of a state. @param {string} path @param {Map<string, string>} names of the characters, by their ids */
function fieldName(path, names) {
  const [first, ...rest] = path.split(".");
  const below = rest.join(".");
  if (first === "items") return t("state.items");
  if (first === "relationships") return t("state.relationships", { name: names.get(below) ?? below });
  if (below) return humane(below);
  return has(`state.${first}`) ? t(`state.${first}`) : humane(first);
}

/** The text for a value. @param {string} path @param {string} value */
const fieldValue = (path, value) => (path === "status" ? named("state", value) : value);

/** Where a value comes from. @param {{story: string, origin: any}} props */
function Origin({ story, origin }) {
  if (!origin.chapterId) return html`<span class="quiet-text">${t("state.bible")}</span>`;
  const words = t("state.in", { n: origin.chapterOrder });
  return html`<a class="quiet-text" href=${pageOf(story, ["chapters", origin.chapterId], origin.sourceText ? { quote: origin.sourceText, start: origin.start } : {})} title=${origin.sourceText || words}>${words}</a>`;
}

/** @param {{story: string, it: any, state: any, node: any, names: Map<string, string>, upTo: string}} props */
function Person({ story, it, state, node, names, upTo }) {
  const values = Object.entries(state?.values ?? {}).filter(([path]) => path !== "status");
  const status = state?.values?.status?.value ?? it.status;
  return html`<li class="card person"><header class="row wrap"><strong>${it.name}</strong>${it.role ? html`<span class="badge accent">${named("role", it.role)}</span>` : null}
      ${it.standing === "proposed" ? html`<span class="badge info"><${Icon} name="spark" />${t("standing.proposed")}</span>` : status ? html`<span class=${`badge ${status === "dead" ? "bad" : node?.isActive === false ? "warn" : "good"}`}>${named("state", status)}</span>` : null}</header>
    ${it.aliases.length ? html`<p class="quiet-text">${t("character.aliases", { names: it.aliases.join(", ") })}</p>` : null}
    ${it.description || it.background ? html`<p class="story-clamp muted">${it.description || it.background}</p>` : null}
    ${values.length ? html`<dl class="facts">${values.map(([path, value]) => html`<div key=${path}><dt>${fieldName(path, names)}</dt><dd>${fieldValue(path, value.value)} <${Origin} story=${story} origin=${value} /></dd></div>`)}</dl>` : null}
    ${it.standing === "fact" ? html`<${Changes} story=${story} id=${it.id} name=${it.name} names=${names} upTo=${upTo} />` : null}</li>`;
}

/** @param {{story: string, id: string, name: string, names: Map<string, string>, upTo: string}} props */
function Changes({ story, id, name, names, upTo }) {
  const [isOpen, setOpen] = useState(false);
  const query = new URLSearchParams({ projectId: story, entityId: id, ...(upTo === "" ? {} : { toChapterOrder: upTo }) });
  const { value, failure } = useFetched(isOpen ? `/api/evolution/track?${query}` : null);
  return html`<details onToggle=${(/** @type {any} */ event) => setOpen(event.target.open)}><summary aria-label=${`${name}: ${t("character.changes")}`}>${t("character.changes")}</summary>
    ${failure ? html`<p class="problem" role="alert">${failure.status ? failure.message : t("offline")}</p>` : value ? (value.content.length ? html`<ol class="changes" role="list">${value.content.map((/** @type {any} */ it, /** @type {number} */ n) => html`<li key=${n}><span class="row wrap"><${Origin} story=${story} origin=${it} /><strong>${fieldName(it.fieldPath, names)}</strong>
        <span>${it.newValue === null ? t("state.ends") : fieldValue(it.fieldPath, it.newValue)}</span>${it.oldValue ? html`<span class="quiet-text">${t("state.from")} ${fieldValue(it.fieldPath, it.oldValue)}</span>` : null}</span>
        ${it.sourceText ? html`<blockquote class="passage"><p>${it.sourceText}</p></blockquote>` : null}</li>`)}</ol>` : html`<p class="quiet-text">${t("character.no_changes")}</p>`)
      : html`<span class="spinner" role="img" aria-label=${t("loading")}></span>`}</details>`;
}
