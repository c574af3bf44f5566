// @ts-check
// The views that fit an artifact, the best one first: those that folders of products bring, else one that depends on the media type and
// the shape of the content, so that artifacts of any pipeline are shown.

import { views } from "../lib/folders.js";
import { isText, mediaType } from "./content.js";
import { documentIn } from "./document.js";

const MARKUP = new Set(["text/html", "application/xhtml+xml"]);
const TABLES = new Set(["text/csv", "text/tab-separated-values"]);

/**
 * @param {import("./content.js").Artifact} artifact
 * @param {any} value The content, where it is JSON and there.
 * @returns {string[]}
 */
export function viewsOf(artifact, value) {
  const any = viewsOfAny(artifact, value);
  const found = views.find((it) => it.shows(value, artifact));
  return found ? [found.name, ...(found.beside ?? any.filter((it) => it !== "document"))] : any;
}

/** The views without those of folders. @param {import("./content.js").Artifact} artifact @param {any} value @returns {string[]} */
function viewsOfAny(artifact, value) {
  const type = mediaType(artifact);
  if (type === "image/svg+xml") return ["picture", "text"];
  if (type.startsWith("image/")) return ["picture"];
  if (type === "application/pdf") return ["pdf"];
  if (MARKUP.has(type)) return ["frame", "text"];
  if (type === "text/markdown") return ["markdown", "text"];
  if (TABLES.has(type)) return ["table", "text"];
  if (type === "application/json" || type.endsWith("+json")) return value === undefined ? ["text"] : viewsOfJson(value);
  return isText(type) ? ["text"] : ["file"];
}

/**
 * @param {any} value
 * @returns {string[]}
 */
function viewsOfJson(value) {
  if (documentIn(value)) return ["document", "data", "json"];
  if (typeof value === "object" && value !== null) return ["data", "json"];
  return ["json"];
}
