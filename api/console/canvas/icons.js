// @ts-check
// Signs for buttons of the canvas and of the time bar, drawn with strokes in the colour of the text.

import { html } from "../vendor/preact.js";

/** @type {Record<string, string>} */
const PATHS = {
  download: "M8 2v8m0 0 3.2-3.2M8 10 4.8 6.8M2.5 13.5h11",
  open: "M9.5 2.5h4v4m0-4L7.5 8.5M12 9v4.5H2.5V4H7",
  compare: "M8 1.5v13M6 4H2.5v8H6m4-8h3.5v8H10",
  expand: "M10 2h4v4M6 14H2v-4m12-8-5 5m-7 7 5-5",
  notes: "M3 3.5h10M3 8h10M3 12.5h6",
  left: "M10 3 5 8l5 5",
  right: "m6 3 5 5-5 5",
  up: "m3 10 5-5 5 5",
  down: "m3 6 5 5 5-5",
  first: "M12 3 7 8l5 5M4 3v10",
  last: "m4 3 5 5-5 5m8-10v10",
  play: "M4.5 2.5v11L13 8z",
  pause: "M5 3v10m6-10v10",
  copy: "M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3",
  check: "m3 8.5 3.2 3.2L13 4.5",
  cross: "m4 4 8 8m0-8-8 8",
  search: "M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zm3.3 7.8 3.7 3.7",
  fork: "M4.5 2v12m0-4c5 0 7-2 7-6M9.5 5.5l2-2 2 2",
  link: "M6.5 9.5a3 3 0 0 0 4.3.2l2-2a3 3 0 0 0-4.3-4.2l-.8.8m1.8 2.2a3 3 0 0 0-4.3-.2l-2 2a3 3 0 0 0 4.3 4.2l.8-.8",
  live: "M8 5.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5zM3.5 3a7 7 0 0 0 0 10m9-10a7 7 0 0 1 0 10",
  file: "M9.5 1.5H4v13h8.5V4.5zm0 0v3h3",
  picture: "M2 3h12v10H2zm0 8 3.5-3.5L8 10l2.5-2.5L14 11",
  code: "m5 4-3.5 4L5 12m6-8 3.5 4L11 12",
  list: "M6 4h7.5M6 8h7.5M6 12h7.5M2.7 4h.1m-.1 4h.1m-.1 4h.1",
  more: "M3.5 8h.1M8 8h.1m4.4 0h.1",
  warn: "M8 2 1.5 13.5h13zM8 6.5v3.4m0 1.8v.1",
};

/**
 * @param {{name: string, size?: number}} props
 */
export function Icon({ name, size = 16 }) {
  return html`<svg class="icon-svg" viewBox="0 0 16 16" width=${size} height=${size} fill=${name === "play" ? "currentColor" : "none"}
    stroke="currentColor" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true" focusable="false">
    <path d=${PATHS[name] ?? PATHS.more} /></svg>`;
}
