// @ts-check
/** Drawn signs, all of one stroke on a grid of 16. They are decoration: their meaning is written beside them. */
import { html } from "../vendor/preact.js";

/** @type {Record<string, string>} */
const paths = {
  plus: "M8 3v10M3 8h10",
  search: "M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10ZM11 11l3 3",
  back: "M10 3 5 8l5 5",
  right: "m6 3 5 5-5 5",
  down: "m3 6 5 5 5-5",
  up: "m3 10 5-5 5 5",
  check: "m3 8.5 3.2 3.2L13 5",
  cross: "m4 4 8 8M12 4l-8 8",
  dot: "M8 8h.01",
  clock: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM8 5v3.2l2 1.3",
  hand: "M5.5 3v10M10.5 3v10",
  stop: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM4 12l8-8",
  alert: "M8 2.2 14.5 13.5h-13ZM8 6.5v3M8 11.6h.01",
  info: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM8 7.5V11M8 5.2h.01",
  sun: "M8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM8 1.5v1.2M8 13.3v1.2M1.5 8h1.2M13.3 8h1.2M3.4 3.4l.9.9M11.7 11.7l.9.9M12.6 3.4l-.9.9M4.3 11.7l-.9.9",
  moon: "M13.3 9.6A5.6 5.6 0 0 1 6.4 2.7a5.6 5.6 0 1 0 6.9 6.9Z",
  auto: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM8 2v12",
  send: "M2.5 8 13.5 2.7 10.3 13.4 7.6 8.9Z",
  clip: "m13 7.3-5.3 5.3a3.2 3.2 0 0 1-4.6-4.6l5.6-5.5a2.1 2.1 0 0 1 3 3L6.3 11",
  file: "M9 1.8H4.2v12.4h7.6V4.6ZM9 1.8v2.8h2.8",
  download: "M8 2.5v7.500M4.8 7.3 8 10.500l3.2-3.200M3 13.500h10",
  branch: "M4.5 5.500v5M4.5 5.500a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3ZM4.5 13.500a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3ZM11.5 6.500a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3ZM11.5 6.500c0 2.5-2.5 2.5-5 3.2",
  fork: "M4 5v1c0 1.7 1.8 2 4 2s4-.3 4-2V5M8 8v3M4 5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3ZM12 5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3ZM8 14a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3Z",
  eye: "M1.5 8S4 3.5 8 3.5 14.5 8 14.5 8 12 12.5 8 12.5 1.5 8 1.5 8ZM8 10a2 2 0 1 0 0-4 2 2 0 0 0 0 4Z",
  columns: "M2.5 3h11v10h-11ZM8 3v10",
  more: "M3.5 8h.01M8 8h.01M12.5 8h.01",
  again: "M13.2 7A5.3 5.3 0 1 0 13 10M13.5 3.500V7H10",
  play: "M5 3.2 12.5 8 5 12.800Z",
  skip: "M3.5 3.5 9 8l-5.5 4.500ZM11.5 3.500v9",
  trash: "M3 4.500h10M6.5 4.500v-2h3v2M4.5 4.500l.6 9h5.800l.6-9",
  pencil: "m3 13 .6-2.800L10.7 3a1.4 1.4 0 0 1 2.2 2.200L5.8 12.400Z",
  gauge: "M2.5 11.500a5.5 5.5 0 1 1 11 0M8 11.5 10.5 7",
  list: "M5.5 4h8M5.5 8h8M5.5 12h8M2.5 4h.01M2.5 8h.01M2.5 12h.01",
  chat: "M2.5 3.500h11v7.500H7L4 13.500V11H2.500Z",
  steps: "M3 3.500h4v3H3ZM9 9.500h4v3H9ZM5 6.500V11h4",
  log: "M3 2.500h10v11H3ZM5.5 5.500h5M5.5 8h5M5.5 10.500h3",
  spark: "M8 2v3.500M8 10.500V14M2 8h3.500M10.5 8H14M4 4l2 2M10 10l2 2M12 4l-2 2M6 10l-2 2",
  tool: "M10 2.500a3.5 3.5 0 0 0-3.3 4.700L2.5 11.400l2 2L8.8 9.200A3.5 3.5 0 0 0 13.4 5L11 7.2 8.8 5 11.1 2.700Z",
  key: "M10 8.500a3 3 0 1 0-2.8-2L2.5 11v2.500H5V12h1.500v-1.500H8l.6-2.200ZM10.7 5.300h.01",
  flag: "M4 14V2.500h8L10.5 5.5 12 8.500H4",
  book: "M8 4.2C6.500 3 4.300 2.800 2.500 3v9.500c1.800-.2 4 0 5.500 1.200 1.500-1.200 3.700-1.400 5.500-1.200V3c-1.800-.2-4 0-5.500 1.200ZM8 4.200v9.500",
  people: "M6 8a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5ZM1.500 13.500c0-2.500 2-4 4.500-4s4.500 1.500 4.500 4M10.500 3.200a2.500 2.500 0 0 1 0 4.600M12 9.800c1.500.6 2.500 1.900 2.500 3.700",
  loop: "M3 11.500a5 5 0 1 1 7 1.400M10.500 9.800l-.7 3.200 3.200.5",
  lock: "M4 7.500h8v6H4ZM5.500 7.500V5.200a2.500 2.500 0 0 1 5 0v2.300",
  layers: "m8 2 6 3.2-6 3.2-6-3.200ZM2 8.500l6 3.2 6-3.200M2 11.300l6 3.2 6-3.2",
};

/** @param {{name: string, title?: string}} props */
export function Icon({ name, title }) {
  return html`<svg class="icon-svg" viewBox="0 0 16 16" fill="none" stroke="currentColor" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round"
    aria-hidden=${title ? undefined : "true"} role=${title ? "img" : undefined} aria-label=${title}><path d=${paths[name] ?? paths.dot} /></svg>`;
}
