// @ts-check
// A PDF in the browser's own viewer. A sandbox would keep the viewer from starting; the server says what the file is and forbids
// guessing, so that the browser opens nothing but its viewer.

import { html, useState } from "../vendor/preact.js";
import { t } from "../lib/i18n.js";
import { useAddress } from "./content.js";
import { FileCard } from "./files.js";

/** @param {any} props */
export function Pdf({ artifact }) {
  const address = useAddress(artifact.artifact);
  // Phones have no PDF viewer that works inside a page.
  const [canShow] = useState(() => navigator.pdfViewerEnabled !== false);
  if (!canShow) return html`<${FileCard} artifact=${artifact} note=${t("canvas.no_viewer")} />`;
  return address && html`<iframe class="whole-frame" src=${address} title=${artifact.title || "PDF"} referrerpolicy="no-referrer"></iframe>`;
}
