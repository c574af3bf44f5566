// @ts-check
/** Reports and their sections as documents, with the notes that they have about themselves. */
import { documentIn } from "../../canvas/document.js";
import words from "./words.js";

/** What is a document in a content: a whole report has it below `report`, a section is one itself. @param {any} value */
export const reportIn = (value) => (value?.report !== null && typeof value?.report === "object" && !Array.isArray(value.report) ? value.report : value);

/** @param {any} value */
const textIn = (value) => documentIn(reportIn(value))?.text;

/** @type {import("../../lib/folders.js").Folder} */
export default {
  words,
  // Any content with a Markdown text is shown so, unless another view fits it better.
  views: [{ name: "report", order: 9, shows: (value) => textIn(value) !== undefined, load: () => import("./report.js").then((it) => it.Report), prose: (value) => textIn(value) ?? "" }],
};
