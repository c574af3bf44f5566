// @ts-check
/** Everything that was made, and the files that came with messages. */
import { html, useMemo, useState } from "../../vendor/preact.js";
import { ago, bytes } from "../../lib/format.js";
import { language, t } from "../../lib/i18n.js";
import { kindTitle, toldApart } from "../../lib/labels.js";
import { artifactsByKind, mainRun } from "../../lib/reading.js";
import { Icon } from "../../parts/icons.js";
import { Virtual } from "../../parts/virtual.js";
import { Download } from "./focus.js";

/** The artifacts as rows: a title for each kind, followed by the artifacts of that kind. @param {any} model @param {any} run */
function rowsOf(model, run) {
  /** @type {any[]} */
  const rows = [];
  for (const [kind, list] of run ? artifactsByKind(model, run) : []) {
    rows.push({ is: "kind", key: `k ${kind}`, text: kindTitle(kind), count: list.length });
    for (const told of toldApart(list)) rows.push({ is: "artifact", key: told.it.artifact, ...told });
  }
  if (model.files.size) rows.push({ is: "kind", key: "files", text: t("files.came"), count: model.files.size });
  for (const file of model.files.values()) rows.push({ is: "file", key: `f ${file.path}`, file });
  return rows;
}

/** @param {any} props */
export function Made({ model, onFocus }) {
  const [wanted, setWanted] = useState("");
  const run = model.runs.get(wanted) ?? mainRun(model);
  const rows = useMemo(() => rowsOf(model, run), [model, run, language.value]);
  return html`<div class="made">
    ${model.runs.size > 1 ? html`<label class="row padded"><span class="quiet-text nowrap">${t("run")}</span><select class="select" value=${run?.run} onChange=${(/** @type {any} */ event) => setWanted(event.target.value)}>
      ${[...model.runs.keys()].map((id) => html`<option value=${id}>${id}${id === model.head ? ` · ${t("runs.head")}` : ""}</option>`)}</select></label>` : null}
    ${rows.length ? html`<${Virtual} key=${run?.run} items=${rows} keyOf=${(/** @type {any} */ row) => row.key} estimate=${33} label=${t("tab.made")} draw=${(/** @type {any} */ row) => html`<${Row} ...${row} onFocus=${onFocus} />`} />`
      : html`<p class="quiet-text padded">${t("made.none")}</p>`}
  </div>`;
}

/** @param {any} props */
function Row({ is, text, count, it, name, title, file, onFocus }) {
  if (is === "kind") return html`<h2 class="small-title">${text} ${count > 1 ? html`<span class="quiet-text number">${count}</span>` : null}</h2>`;
  if (is === "file") {
    return html`<div class="made-row"><span class="row grow ellipsis"><${Icon} name="clip" /><span class="ellipsis">${file.path}</span></span><span class="quiet-text number nowrap">${bytes(file.blob.size)}</span></div>`;
  }
  return html`<div class="made-row">
    <button class="link grow ellipsis" title=${it.title} onClick=${() => onFocus(it.artifact)}><${Icon} name=${it.blob ? "file" : "layers"} /><span class="nowrap">${name}</span><span class="ellipsis quiet-text">${title}</span></button>
    <span class="quiet-text number nowrap">${it.number > 1 ? `${t("version.n", { n: it.number })} · ` : ""}${it.blob ? bytes(it.blob.size) : ago(it.at)}</span>
    <${Download} artifact=${it} label=${false} /></div>`;
}
