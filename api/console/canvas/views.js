// @ts-check
// The views that fit an artifact, the best one first: those that folders of products bring, else one that depends on the media type and
// the shape of the content, so that artifacts of any pipeline are shown.

import { views } from "../lib/folders.js";
import { isText, mediaType } from "./content.js";

const MARKUP = new Set(["text/html", "application/xhtml+xml"]);
const TABLES = new Set(["text/csv", "text/tab-separated-values"]);

/** @param {any} value */
const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);

/** @param {any} value */
export function isSlides(value) {
  return isObject(value) && Array.isArray(value.pages) && value.pages.length > 0 && value.pages.every((/** @type {any} */ page) => typeof page?.html === "string");
}

/** @param {any} value */
export function isPage(value) {
  return isObject(value) && typeof value.html === "string";
}

/** @param {any} value */
export function isPost(value) {
  return isObject(value) && typeof value.title === "string" && typeof value.body === "string" && Array.isArray(value.tags);
}

/** A deck as text. @param {any} value */
export function isDeck(value) {
  return isObject(value) && typeof value.dsl_text === "string";
}

/** Designs that were found: a list of their ids, or one of them with its score. @param {any} value */
export function isReferences(value) {
  return isObject(value) && (Array.isArray(value.chunk_ids) ? typeof value.query === "string" : typeof value.chunk_id === "string" && typeof value.semantic_score === "number");
}

/**
 * The Markdown in a JSON content: a whole report, or one section.
 * @param {any} value
 * @returns {{title: string, text: string} | null}
 */
export function markdownIn(value) {
  if (!isObject(value)) return null;
  const whole = isObject(value.report) ? value.report : value;
  const text = [whole.content, whole.markdown].find((it) => typeof it === "string");
  return text === undefined ? null : { title: typeof whole.title === "string" ? whole.title : "", text };
}

/**
 * @param {import("./content.js").Artifact} artifact
 * @param {any} value The content, where it is JSON and there.
 * @returns {string[]}
 */
export function viewsOf(artifact, value) {
  const any = viewsOfAny(artifact, value);
  const found = views.find((it) => it.shows(value, artifact));
  return found ? [found.name, ...(found.beside ?? any.filter((it) => it !== "report"))] : any;
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
  if (isSlides(value)) return ["slides", "json"];
  if (isPage(value)) return ["page", "json"];
  if (isPost(value)) return ["post", "data", "json"];
  if (isDeck(value)) return ["deck", "data", "json"];
  if (isReferences(value)) return ["references", "data", "json"];
  if (markdownIn(value)) return ["report", "data", "json"];
  if (typeof value === "object" && value !== null) return ["data", "json"];
  return ["json"];
}
