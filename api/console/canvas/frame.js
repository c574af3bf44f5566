// @ts-check
// A page of HTML that a model or a pipeline wrote, in a frame without scripts, forms, popups or an origin.

import { html } from "../vendor/preact.js";
import { useAddress } from "./content.js";

/** @param {any} props */
export function Frame({ artifact }) {
  const address = useAddress(artifact.artifact);
  return address && html`<iframe class="whole-frame" sandbox="allow-popups allow-popups-to-escape-sandbox" src=${address} title=${artifact.title || "HTML"} referrerpolicy="no-referrer"></iframe>`;
}
