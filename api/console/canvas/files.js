// @ts-check
// A file for another program: its name, its size, and a link to download it.

import { html } from "../vendor/preact.js";
import { bytes } from "../lib/format.js";
import { t } from "../lib/i18n.js";
import { mediaType, useAddress, withQuery } from "./content.js";
import { Copy } from "./copy.js";
import { Icon } from "./icons.js";

const ENDINGS = /** @type {Record<string, string>} */ ({
  "application/vnd.openxmlformats-officedocument.presentationml.presentation": "PPTX", "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "DOCX",
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "XLSX", "application/pdf": "PDF", "application/zip": "ZIP", "application/json": "JSON",
});

/** @param {{artifact: import("./content.js").Artifact, note?: string}} props */
export function FileCard({ artifact, note }) {
  const address = useAddress(artifact.artifact);
  const type = mediaType(artifact);
  const name = artifact.blob?.file_name ?? artifact.title;
  return html`<div class="canvas-state"><article class="file card">
    <div class="file-sign" data-type=${ENDINGS[type] ?? ""}><${Icon} name="file" size=${22} /><span>${ENDINGS[type] ?? name.split(".").pop()?.slice(0, 5).toUpperCase()}</span></div>
    <div class="file-text"><h2>${name}</h2>
      <p class="muted">${[artifact.blob && bytes(artifact.blob.size), type].filter(Boolean).join(" · ")}</p>
      ${note && html`<p class="quiet-text">${note}</p>`}
      ${artifact.blob && html`<p class="quiet-text row"><span class="mono ellipsis" title=${artifact.blob.sha256}>sha256 ${artifact.blob.sha256.slice(0, 16)}…</span><${Copy} text=${artifact.blob.sha256} label="sha256" /></p>`}
      ${address && html`<p><a class="button primary" href=${withQuery(address, { download: 1 })} download><${Icon} name="download" />${t("canvas.download")}</a></p>`}
    </div></article></div>`;
}
