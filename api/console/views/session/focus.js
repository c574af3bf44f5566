// @ts-check
/** The line above the canvas: the artifact, its version, and whether the canvas follows new artifacts. */
import { html } from "../../vendor/preact.js";
import { signedUrl } from "../../lib/api.js";
import { bytes } from "../../lib/format.js";
import { t } from "../../lib/i18n.js";
import { toldApart } from "../../lib/labels.js";
import { artifactsByKind, mainRun, versionsOf } from "../../lib/reading.js";
import { turn } from "../../lib/router.js";
import { Icon } from "../../parts/icons.js";
import { Menu } from "../../parts/menu.js";
import { complain } from "../../parts/toasts.js";
import { EditByHand } from "./by-hand.js";

/** @param {any} props */
export function CanvasHead({ session, watched, model, at, artifact, following, sides, onFocus, onCompare }) {
  if (sides) return html`<${CompareHead} model=${model} sides=${sides} onCompare=${onCompare} />`;
  if (!artifact) return html`<div class="canvas-head"><span class="quiet-text">${t("canvas_head.nothing")}</span></div>`;
  const versions = versionsOf(model, artifact);
  const place = versions.indexOf(artifact);
  return html`<div class="canvas-head">
    <${Picker} model=${model} artifact=${artifact} onFocus=${onFocus} />
    ${versions.length > 1 ? html`<${Menu} small=${true} align="left" label=${t("version")} text=${t("version.n", { n: artifact.number })} items=${versions.map((it) => ({
      label: t("version.n", { n: it.number }), hint: it.run, checked: it === artifact, run: () => onFocus(it.artifact) })).reverse()} />
      <button class="button quiet small" aria-label=${t("compare")} title=${t("compare")} onClick=${() => { const [a, b] = place > 0 ? [place - 1, place] : [place, place + 1]; onCompare(versions[a].artifact, versions[b].artifact); }}>
        <${Icon} name="columns" /><span class="wide-only">${t("compare")}</span></button>` : null}
    <span class="grow"></span>
    <${EditByHand} key=${artifact.artifact} session=${session} watched=${watched} model=${model} artifact=${artifact} at=${at} />
    <button class="button quiet small" aria-pressed=${following} title=${t("follow.why")} onClick=${() => turn({ artifact: following ? artifact.artifact : "" })}>
      <${Icon} name=${following ? "eye" : "hand"} />${t("follow")}</button>
    <${Download} artifact=${artifact} />
  </div>`;
}

/** A choice among the current artifacts of the run. @param {any} props */
function Picker({ model, artifact, onFocus }) {
  const run = model.runs.get(artifact.run)?.artifacts.includes(artifact.artifact) ? model.runs.get(artifact.run) : mainRun(model);
  const kinds = artifactsByKind(model, run);
  /** @type {any[]} */
  const items = [];
  for (const list of kinds.values()) {
    for (const { it, name, title } of toldApart(list.slice(0, 40))) {
      items.push({ label: html`<span class="row"><span class="nowrap">${name}</span><span class="ellipsis quiet-text">${title}</span></span>`, checked: it.artifact === artifact.artifact, run: () => onFocus(it.artifact) });
    }
  }
  const [{ name, title }] = toldApart([artifact]);
  const text = html`<strong class="ellipsis" title=${artifact.title}>${name}</strong>${title ? html`<span class="ellipsis">${title}</span>` : null}`;
  return html`<${Menu} align="left" label=${t("canvas_head.choose")} text=${text} items=${items} />`;
}

/** @param {any} props */
function CompareHead({ model, sides, onCompare }) {
  const versions = versionsOf(model, sides[0]);
  const side = (/** @type {number} */ which) => html`<label class="row"><span class="quiet-text narrow-hidden">${t(which ? "compare.right" : "compare.left")}</span>
    <select class="select small" value=${sides[which].artifact} onChange=${(/** @type {any} */ event) => onCompare(...(which ? [sides[0].artifact, event.target.value] : [event.target.value, sides[1].artifact]))}>
      ${versions.map((it) => html`<option value=${it.artifact}>${t("version.n", { n: it.number })} · ${it.run}</option>`)}</select></label>`;
  return html`<div class="canvas-head comparing"><strong class="ellipsis" title=${sides[0].title}>${toldApart(sides)[0].name}</strong>
    <div class="row sides">${side(0)}<${Icon} name="right" />${side(1)}</div><span class="grow wide-only"></span><button class="button small" onClick=${() => turn({ compare: "" })}><${Icon} name="cross" />${t("compare.end")}</button></div>`;
}

/** @param {{artifact: any, label?: boolean}} props */
export function Download({ artifact, label }) {
  const size = artifact.blob ? bytes(artifact.blob.size) : "";
  return html`<button class="button quiet small" title=${[t("download"), artifact.blob?.file_name, size].filter(Boolean).join(" · ")} aria-label=${`${t("download")}: ${artifact.blob?.file_name ?? artifact.title}`}
    onClick=${() => void download(artifact.artifact)}><${Icon} name="download" />${label === false ? null : html`<span class="wide-only">${t("download")}</span>`}</button>`;
}

/** @param {string} artifact */
async function download(artifact) {
  try {
    const url = await signedUrl(artifact);
    Object.assign(document.createElement("a"), { href: `${url}${url.includes("?") ? "&" : "?"}download=1`, download: "" }).click();
  } catch (failure) {
    complain(failure);
  }
}
