// @ts-check
/** Addresses and small functions for the resources of stories. */
import { ask } from "../../lib/api.js";
import { touched } from "../../lib/fetched.js";

const enc = encodeURIComponent;

/** Lists inside a project are read as a whole, with the largest page that the server allows. */
export const ALL = "size=1000";

/** @param {string} story */
export const of = (story) => `/api/projects/${enc(story)}`;

/** @param {string} story @param {string} chapter */
export const ofChapter = (story, chapter) => `${of(story)}/chapters/${enc(chapter)}`;

/** The address of a page of a story in the console. @param {string} story @param {string[]} rest @param {Record<string, any>} [query] */
export function pageOf(story, rest = [], query = {}) {
  const search = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== undefined && value !== "").map(([name, value]) => [name, String(value)])).toString();
  return `#/stories/${[story, ...rest].map(enc).join("/")}${search ? `?${search}` : ""}`;
}

/** Changes something, and lets everything that is shown be read again. @param {string} method @param {string} path @param {any} [body] @param {Record<string, string>} [headers] */
export async function change(method, path, body, headers) {
  const answer = await ask(method, path, body, headers);
  touched();
  return answer;
}

/**
 * The states of a chapter, each with its name and colour.
 * @param {any} chapter @returns {{name: string, tone: string, icon: string}[]}
 */
export function standings(chapter) {
  const found = [];
  if (chapter.standing === "proposed") found.push({ name: "proposed", tone: "info", icon: "spark" });
  if (!chapter.draftVersion) found.push({ name: "empty", tone: "idle", icon: "dot" });
  else if (!chapter.acceptedVersion) found.push({ name: "draft", tone: "warn", icon: "pencil" });
  else if (chapter.acceptedVersion !== chapter.draftVersion) found.push({ name: "changed", tone: "warn", icon: "pencil" });
  else found.push({ name: "accepted", tone: "good", icon: "check" });
  if (chapter.locked) found.push({ name: "locked", tone: "idle", icon: "lock" });
  if (chapter.isRead === false) found.push({ name: "not_extracted", tone: "info", icon: "clock" });
  return found;
}

/** The draft of a chapter's text, as drafts are kept. @param {string} story @param {string} chapter */
export const textPlace = (story, chapter) => `story.${story}.${chapter}.text`;

/** @type {Record<string, [string, string]>} The colour and the sign of a severity. */
export const severities = { ERROR: ["bad", "alert"], WARNING: ["warn", "alert"], INFO: ["info", "info"] };
