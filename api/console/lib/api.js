// @ts-check
/** Requests to the server. A key is asked for once, when the server wants one. */
import { signal } from "../vendor/preact.js";
import { inTab } from "./kept.js";

const KEY = "palimpsest.key";

/** The key, if there is one: it lives as long as the tab. */
export const key = signal(/** @type {string|null} */ (inTab.get(KEY)));

/** Whether the dialog that asks for a key is open, and whether the one before was refused. */
export const keyWanted = signal(/** @type {null|{refused: boolean}} */ (null));

/** @type {Array<() => void>} */
let waiting = [];

/** Resolves when a person has given a key. @param {boolean} refused */
export function wantKey(refused) {
  keyWanted.value = { refused };
  return new Promise((resolve) => { waiting.push(() => resolve(undefined)); });
}

/** @param {string} secret */
export function giveKey(secret) {
  inTab.set(KEY, secret);
  key.value = secret;
  keyWanted.value = null;
  const now = waiting;
  waiting = [];
  for (const go of now) go();
}

/** What the server refused, in its words. */
export class ApiFailure extends Error {
  /** @param {number} status @param {{code?: string, message?: string, hint?: string, retryable?: boolean}} error @param {any} [body] all that was answered */
  constructor(status, error, body) {
    super(error.message ?? `HTTP ${status}`);
    this.name = "ApiFailure";
    this.status = status;
    this.code = error.code ?? (status ? `http_${status}` : "offline");
    this.hint = error.hint;
    this.retryable = error.retryable ?? status === 0;
    this.body = body;
  }
}

/** @param {Record<string, string>} [more] */
function headersWith(more) {
  return { ...(key.value ? { authorization: `Bearer ${key.value}` } : {}), ...more };
}

/**
 * The response to a request. If the server wants a key, a person is asked for one first.
 * @param {string} path @param {RequestInit & {headers?: Record<string, string>}} [init] @returns {Promise<Response>}
 */
export async function request(path, init = {}) {
  const shown = key.value;
  let response;
  try {
    response = await fetch(path, { ...init, headers: headersWith(init.headers) });
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new ApiFailure(0, { message: String(/** @type {Error} */ (error).message) });
  }
  if (response.status === 401) {
    // Another request may have got a key in the meantime: that one is tried before the person is asked again.
    if (key.value === shown) await wantKey(Boolean(shown));
    return request(path, init);
  }
  if (!response.ok) {
    const body = await response.json().catch(() => ({}));
    throw new ApiFailure(response.status, body.error ?? {}, body);
  }
  return response;
}

/** @param {string} path @param {AbortSignal} [signal] @returns {Promise<any>} */
export async function get(path, signal) {
  return (await request(path, { signal })).json();
}

/** The answer to a request with a JSON body. @param {string} method @param {string} path @param {any} [body] @param {Record<string, string>} [headers] @returns {Promise<any>} */
export async function ask(method, path, body, headers) {
  const response = await request(path, {
    method, body: JSON.stringify(body ?? {}), headers: { "content-type": "application/json", ...headers },
  });
  const text = await response.text();
  return text ? JSON.parse(text) : null;
}

/** @param {string} path @param {any} [body] @param {Record<string, string>} [headers] @returns {Promise<any>} */
export const post = (path, body, headers) => ask("POST", path, body, headers);

/** @param {string} path @returns {Promise<any>} */
export async function remove(path) {
  return (await request(path, { method: "DELETE" })).json().catch(() => null);
}

/** Keeps a file at the server for a message to attach. @param {File} file @returns {Promise<{file: string, sha256: string, media_type: string, size: number}>} */
export async function upload(file) {
  const response = await request(`/v1/files?name=${encodeURIComponent(file.name)}`, {
    method: "POST", body: file, headers: { "content-type": "application/octet-stream" },
  });
  return response.json();
}

/** Signed addresses, each with the time after which it is requested again. @type {Map<string, {url: Promise<string>, until: number}>} */
const signed = new Map();

/** Milliseconds until a signed address is requested again. It is valid for longer, and requesting it costs little. */
const SIGNED_MS = 4 * 60 * 1000;

/** An address of an artifact's content that opens without the key: for pictures, frames and downloads. @param {string} artifact @returns {Promise<string>} */
export function signedUrl(artifact) {
  if (!key.value) return Promise.resolve(`/v1/artifacts/${encodeURIComponent(artifact)}/content`);
  const known = signed.get(artifact);
  if (known && known.until > Date.now()) return known.url;
  const url = get(`/v1/artifacts/${encodeURIComponent(artifact)}`).then((answer) => answer.url);
  if (signed.size > 500) signed.clear();
  signed.set(artifact, { url, until: Date.now() + SIGNED_MS });
  url.catch(() => signed.delete(artifact));
  return url;
}

/** @typedef {import("../types/protocol.ts").Description} Description */
/** @type {Map<string, Promise<Description[]>>} By language. */
const pipelinesKnown = new Map();

/** The pipelines as they describe themselves in a language. @param {string} language @returns {Promise<Description[]>} */
export function pipelines(language) {
  const known = pipelinesKnown.get(language);
  if (known) return known;
  const asked = request("/v1/pipelines", { headers: { "accept-language": language } }).then((response) => response.json()).then((answer) => answer.pipelines);
  pipelinesKnown.set(language, asked);
  asked.catch(() => pipelinesKnown.delete(language));
  return asked;
}

/** A unique name for a command. @param {string} prefix */
export function freshId(prefix) {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return `${prefix}_${[...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
