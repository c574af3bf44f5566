// @ts-check
// A whole report, or one section of it.

import { html } from "../../vendor/preact.js";
import { Document } from "../../canvas/markdown.js";
import { reportIn } from "./index.js";
import { Notes } from "./notes.js";

/** @param {any} props */
export function Report({ model, value }) {
  return html`<${Document} model=${model} value=${reportIn(value)} before=${html`<${Notes} value=${value} part="before" />`}
    after=${html`<${Notes} value=${value} part="after" />`} />`;
}
