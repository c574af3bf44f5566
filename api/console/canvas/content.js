// @ts-check
// The content of an artifact. A body that came with its event is there at once; everything else is fetched by its address, once for
// each hash, and kept within a limit.

import { useCallback, useEffect, useState } from "../vendor/preact.js";
import { request, signedUrl } from "../lib/api.js";
import { complain } from "../parts/toasts.js";

/** Bytes of fetched contents that are kept: some dozens of documents with pages, and little beside what a browser takes for itself. */
const KEPT_BYTES = 32 * 1024 * 1024;

/** Bytes that a character takes: two as text, and about as many again in the parsed value. */
const WEIGHT = 4;

/** Bytes above which a text is too long for a page; it is offered as a file. */
export const SHOWN_BYTES = 8 * 1024 * 1024;

/**
 * @typedef {{artifact: string, kind: string, part?: string, number: number, title: string, run: string, stage: string, item: string, step: string,
 *   from: string[], shown: boolean, version: number, at?: string, content: string, body?: any,
 *   blob?: {sha256: string, size: number, media_type: string, file_name?: string}}} Artifact
 * @typedef {{state: "loading"|"ready"|"failed"|"large", text?: string, value?: any, error?: any, retry: () => void}} Content
 */

/** @type {Map<string, {text: string, value?: any, size: number}>} The one used last stands last. */
const kept = new Map();
/** @type {Map<string, Promise<{text: string, value?: any, size: number}>>} */
const underWay = new Map();
let keptBytes = 0;

/**
 * The media type without its parameters. A body that stands in an event is JSON.
 * @param {Artifact} artifact
 */
export function mediaType(artifact) {
  return (artifact.blob?.media_type ?? "application/json").split(";")[0].trim().toLowerCase();
}

/** @param {string} type */
export function isText(type) {
  return type.startsWith("text/") || type === "application/json" || type.endsWith("+json") || type.endsWith("+xml") || type === "application/xml" || type === "application/x-ndjson";
}

/** @param {string} key */
function take(key) {
  const found = kept.get(key);
  if (found) {
    kept.delete(key);
    kept.set(key, found);
  }
  return found;
}

/**
 * @param {string} key
 * @param {{text: string, value?: any, size: number}} content
 */
function keep(key, content) {
  kept.set(key, content);
  keptBytes += content.size;
  for (const [oldest, { size }] of kept) {
    if (keptBytes <= KEPT_BYTES || oldest === key) break;
    kept.delete(oldest);
    keptBytes -= size;
  }
}

/**
 * The content as text, and as a value where it is JSON.
 * @param {Artifact} artifact
 * @returns {Promise<{text?: string, value?: any, size: number}>}
 */
export function load(artifact) {
  if (artifact.body !== undefined) return Promise.resolve({ value: artifact.body, size: 0 });
  const key = artifact.blob?.sha256 ?? artifact.artifact;
  const found = take(key);
  if (found) return Promise.resolve(found);
  let promise = underWay.get(key);
  if (!promise) {
    promise = request(artifact.content)
      .then((/** @type {Response} */ response) => response.text())
      .then((/** @type {string} */ text) => {
        const content = { text, size: text.length * WEIGHT, value: readJson(text, mediaType(artifact)) };
        keep(key, content);
        return content;
      })
      .finally(() => underWay.delete(key));
    underWay.set(key, promise);
  }
  return promise;
}

/**
 * @param {string} text
 * @param {string} type
 */
function readJson(text, type) {
  if (type !== "application/json" && !type.endsWith("+json")) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // What calls itself JSON and is none is shown as the text that it is.
  }
}

/**
 * The content that is there without waiting.
 * @param {Artifact | null | undefined} artifact
 */
function atOnce(artifact) {
  if (!artifact) return null;
  if (artifact.body !== undefined) return { value: artifact.body };
  return take(artifact.blob?.sha256 ?? artifact.artifact) ?? null;
}

/**
 * The content of an artifact, as far as it can be read as text; pictures and files are shown by their address instead.
 * @param {Artifact | null | undefined} artifact
 * @returns {Content}
 */
export function useContent(artifact) {
  const [round, setRound] = useState(0);
  const [got, setGot] = useState(/** @type {{id: string, content?: any, error?: any} | null} */ (null));
  const wanted = artifact && isText(mediaType(artifact)) ? artifact : null;
  const large = (wanted?.blob?.size ?? 0) > SHOWN_BYTES;
  const ready = large ? null : atOnce(wanted);
  const id = wanted?.artifact ?? "";
  useEffect(() => {
    if (!wanted || ready || large) return;
    let current = true;
    load(wanted).then(
      (content) => current && setGot({ id, content }),
      (error) => current && setGot({ id, error }),
    );
    return () => { current = false; };
  }, [id, round, large]);
  const retry = useCallback(() => { setGot(null); setRound((/** @type {number} */ n) => n + 1); }, []);
  if (large) return { state: "large", retry };
  if (ready) return { state: "ready", ...ready, retry };
  if (got?.id === id && got.error) return { state: "failed", error: got.error, retry };
  if (got?.id === id && got.content) return { state: "ready", ...got.content, retry };
  return { state: "loading", retry };
}

/**
 * The address that a frame, a picture or a link can use, with the signature that stands for the key. Null until it is known.
 * @param {string | null | undefined} id
 * @returns {string | null}
 */
export function useAddress(id) {
  const [got, setGot] = useState(/** @type {{id: string, url: string} | null} */ (null));
  useEffect(() => {
    if (!id) return;
    let current = true;
    signedUrl(id).then((/** @type {string} */ url) => current && setGot({ id, url }), (failure) => { if (current) { setGot(null); complain(failure); } });
    return () => { current = false; };
  }, [id]);
  return got && got.id === id ? got.url : null;
}

/**
 * @param {string} url
 * @param {Record<string, string | number>} query
 */
export function withQuery(url, query) {
  const more = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)])).toString();
  return more ? url + (url.includes("?") ? "&" : "?") + more : url;
}

/** @param {any} model @param {any} artifact The id, or the artifact itself. @returns {Artifact | null} */
export function artifactOf(model, artifact) {
  if (!artifact) return null;
  return typeof artifact === "string" ? (model?.artifacts?.get(artifact) ?? null) : artifact;
}
