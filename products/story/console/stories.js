// @ts-check
/** Every story of the owner, and the ways to add another one. */
import { html, useRef, useState } from "../../vendor/preact.js";
import { ask, freshId, request } from "../../lib/api.js";
import { touched, useFetched } from "../../lib/fetched.js";
import { ago, moment, number } from "../../lib/format.js";
import { named, t } from "../../lib/i18n.js";
import { go, route, turn } from "../../lib/router.js";
import { change, pageOf } from "./resources.js";
import { ask as question } from "../../parts/dialog.js";
import { Icon } from "../../parts/icons.js";
import { Broken, Loading } from "../../parts/lazy.js";

export function Stories() {
  const page = Math.max(0, Number(route.value.query.page) || 0);
  const { value, failure, again } = useFetched(`/api/projects?page=${page}`);
  if (failure && !value) return html`<${Broken} error=${failure} heading=${t("story.title")} retry=${again} />`;
  if (!value) return html`<${Loading} heading=${t("story.title")} />`;
  return html`<div class="stories">
    <header class="page-head"><h1>${t("story.title")}</h1></header>
    ${value.content.length ? html`<ul class="story-list" role="list">${value.content.map((/** @type {any} */ it) => html`<${StoryRow} key=${it.id} it=${it} />`)}</ul>`
      : html`<div class="empty"><${Icon} name="book" /><p>${t("story.none")}</p><p class="quiet-text">${t("story.none_hint")}</p></div>`}
    ${value.totalPages > 1 ? html`<nav class="row" aria-label=${t("story.list.page", { n: page + 1, of: value.totalPages })}>
      <button class="button small" disabled=${page === 0} onClick=${() => turn({ page: page - 1 || "" })}>${t("story.list.before")}</button>
      <span class="quiet-text number">${t("story.list.page", { n: page + 1, of: value.totalPages })}</span>
      <button class="button small" disabled=${page + 1 >= value.totalPages} onClick=${() => turn({ page: page + 1 })}>${t("story.list.next")}</button></nav>` : null}
    <${WaysIn} stories=${value.content} />
  </div>`;
}

/** @param {{it: any}} props */
function StoryRow({ it }) {
  return html`<li class="card story-row"><strong class="ellipsis"><a href=${pageOf(it.id)}>${it.title || t("story.untitled")}</a></strong>
    <span class="row wrap muted"><span class="badge">${named("phase", it.creationPhase) || "–"}</span>${it.status === "ARCHIVED" ? html`<span class="badge warn">${t("story.list.archived")}</span>` : null}
      ${it.author ? html`<span class="ellipsis">${it.author}</span>` : null}<span class="number">${t("story.list.words", { n: number(it.wordCount) })}</span><span title=${moment(it.updatedAt)}>${ago(it.updatedAt)}</span></span>
    ${it.description ? html`<span class="quiet-text story-clamp">${it.description}</span>` : null}</li>`;
}

/** @param {{stories: any[]}} props */
function WaysIn({ stories }) {
  const [came, setCame] = useState(/** @type {any} */ (null));
  const [problem, setProblem] = useState(/** @type {any} */ (null));
  const [busy, setBusy] = useState("");
  const doing = async (/** @type {string} */ what, /** @type {() => Promise<any>} */ work) => {
    if (busy) return;
    setBusy(what);
    setProblem(null);
    setCame(null);
    try {
      setCame(await work());
      touched();
    } catch (failure) {
      setProblem(failure);
    } finally {
      setBusy("");
    }
  };
  return html`<section class="story-in" aria-label=${t("story.in.title")}><h2>${t("story.in.title")}</h2>
    ${came ? html`<div class="card story-came" role="status"><p class="row wrap"><span class="sign good"><${Icon} name="check" /></span><span class="grow">${t("story.in.done", { title: came.title || t("story.untitled"), n: came.chapters })}</span>
        <a class="button primary" href=${pageOf(came.id)}>${t("story.in.open")}</a></p>
      ${came.remarks.length ? html`<details><summary>${t("story.in.remarks")} <span class="number">${came.remarks.length}</span></summary><ul>${came.remarks.map((/** @type {any} */ it, /** @type {number} */ n) => html`<li key=${n}>${remarkText(it)}</li>`)}</ul></details>`
        : html`<p class="quiet-text">${t("story.in.none")}</p>`}</div>` : null}
    ${problem ? html`<p class="problem" role="alert"><${Icon} name="alert" /><span>${problem.status ? problem.message : problem.message ?? t("offline")}${problem.hint ? html`<br /><span class="quiet-text">${problem.hint}</span>` : null}</span></p>` : null}
    <div class="story-ways"><${FromFile} doing=${doing} busy=${busy} /><${FromFolder} doing=${doing} busy=${busy} stories=${stories} /><${FromNothing} doing=${doing} busy=${busy} /></div></section>`;
}

/** The text of a remark, from either kind of import. @param {any} it */
function remarkText(it) {
  if (typeof it === "string") return it;
  const place = [it.path ?? it.file, it.line].filter(Boolean).join(":");
  const says = it.says ?? it.message ?? it.text;
  return says ? [place, says].filter(Boolean).join(": ") : JSON.stringify(it);
}

/** @param {{label: string, busy: boolean, folder?: boolean, onFiles: (files: File[]) => void}} props */
function Chooser({ label, busy, folder, onFiles }) {
  const input = useRef(/** @type {HTMLInputElement|null} */ (null));
  return html`<button type="button" class="button" disabled=${busy} onClick=${() => input.current?.click()}>${busy ? html`<span class="spinner" aria-hidden="true"></span>` : html`<${Icon} name="clip" />`}${label}</button>
    <input type="file" hidden tabIndex=${-1} aria-hidden="true" multiple=${folder} webkitdirectory=${folder} ref=${input}
      onChange=${(/** @type {any} */ event) => { const files = [...event.target.files]; event.target.value = ""; if (files.length) onFiles(files); }} />`;
}

/** @param {any} props */
function FromFile({ doing, busy }) {
  const [accepts, setAccepts] = useState(false);
  const send = (/** @type {File} */ file) => doing("file", async () => {
    const query = new URLSearchParams({ name: file.name, ...(accepts ? { accept: "true" } : {}) });
    const response = await request(`/api/projects/import?${query}`, { method: "POST", body: file, headers: { "content-type": "application/octet-stream", "idempotency-key": freshId("import") } });
    const { id, title, chapters, remarks, omissions } = await response.json();
    return { id, title, chapters, remarks: [...(remarks ?? []), ...(omissions ?? [])] };
  });
  return html`<form class="card story-way" onSubmit=${(/** @type {Event} */ event) => event.preventDefault()}><h3>${t("story.in.file")}</h3><p class="quiet-text grow">${t("story.in.file_why")}</p>
    <label class="check"><input type="checkbox" checked=${accepts} onChange=${(/** @type {any} */ event) => setAccepts(event.target.checked)} /><span>${t("story.in.accept")} <span class="quiet-text">${t("story.in.accept_why")}</span></span></label>
    <div><${Chooser} label=${t("story.in.file_choose")} busy=${busy === "file"} onFiles=${(/** @type {File[]} */ files) => send(files[0])} /></div></form>`;
}

/** The endings of files in a story's folder. */
const TEXTS = /\.(?:md|markdown|txt)$/i;

/** @param {any} props */
function FromFolder({ doing, busy, stories }) {
  const [id, setId] = useState("");
  const send = (/** @type {File[]} */ files) => doing("folder", async () => {
    const name = files[0].webkitRelativePath.split("/")[0];
    const story = id.trim() || name;
    const kept = files.filter((file) => TEXTS.test(file.name));
    if (!kept.length) throw new Error(t("story.in.folder_none"));
    const isThere = stories.some((/** @type {any} */ it) => it.id === story) || await request(`/api/projects/${encodeURIComponent(story)}`).then(() => true, (failure) => { if (failure.status === 404) return false; throw failure; });
    if (isThere && !await question({ title: t("story.in.folder_again", { id: story }), text: t("story.in.folder_again_text"), confirm: t("story.in.folder_again_do"), danger: true })) return null;
    const texts = await Promise.all(kept.map(async (file) => ({ path: file.webkitRelativePath.split("/").slice(1).join("/"), text: await file.text() })));
    const answer = await ask("PUT", `/v1/projects/${encodeURIComponent(story)}/folder`, { files: texts }, { "idempotency-key": freshId("folder") });
    return { id: answer.project, title: answer.title, chapters: answer.chapters, remarks: answer.remarks };
  });
  return html`<form class="card story-way" onSubmit=${(/** @type {Event} */ event) => event.preventDefault()}><h3>${t("story.in.folder")}</h3><p class="quiet-text grow">${t("story.in.folder_why")}</p>
    <label class="field"><span class="label">${t("story.in.folder_id")}</span><input class="input mono" value=${id} onInput=${(/** @type {any} */ event) => setId(event.target.value)} /></label>
    <div><${Chooser} label=${t("story.in.folder_choose")} busy=${busy === "folder"} folder=${true} onFiles=${send} /></div></form>`;
}

/** @param {any} props */
function FromNothing({ doing, busy }) {
  const [title, setTitle] = useState("");
  const send = (/** @type {Event} */ event) => {
    event.preventDefault();
    if (!title.trim()) return;
    void doing("new", async () => {
      const made = await change("POST", "/api/projects", { title: title.trim() }, { "idempotency-key": freshId("story") });
      go(["stories", made.id]);
      return { id: made.id, title: made.title, chapters: 0, remarks: [] };
    });
  };
  return html`<form class="card story-way" onSubmit=${send}><h3>${t("story.in.new")}</h3>
    <label class="field grow"><span class="label">${t("story.in.new_title")}</span><input class="input" value=${title} onInput=${(/** @type {any} */ event) => setTitle(event.target.value)} /></label>
    <div><button class="button" disabled=${busy === "new" || !title.trim()}><${Icon} name="plus" />${t("story.in.new_do")}</button></div></form>`;
}
