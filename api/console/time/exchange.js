// @ts-check
// The request and the answer of a call, which are kept beside the log. They are fetched on demand; a conversation is shown as messages.

import { html, useEffect, useState } from "../vendor/preact.js";
import { request } from "../lib/api.js";
import { bytes } from "../lib/format.js";
import { t } from "../lib/i18n.js";
import { Copy } from "../canvas/copy.js";
import { Json } from "../canvas/json.js";

/** Characters of a message that are shown at first. */
const FIRST = 4000;

/** @param {{session: string, blob: {sha256: string, size: number}, title: string}} props */
export function Exchange({ session, blob, title }) {
  const [isOpen, setOpen] = useState(false);
  const [got, setGot] = useState(/** @type {{text?: string, error?: any} | null} */ (null));
  useEffect(() => {
    if (!isOpen || got) return;
    const stop = new AbortController();
    request(`/v1/sessions/${encodeURIComponent(session)}/blobs/${blob.sha256}`, { signal: stop.signal })
      .then((response) => response.text())
      .then((text) => setGot({ text }), (error) => { if (!stop.signal.aborted) setGot({ error }); });
    return () => stop.abort();
  }, [isOpen, got === null, blob.sha256]);
  return html`<div class="exchange">
    <button type="button" class="exchange-toggle" aria-expanded=${isOpen ? "true" : "false"} onClick=${() => setOpen(!isOpen)}>
      <span aria-hidden="true">${isOpen ? "▾" : "▸"}</span>${t(title)}<span class="quiet-text number">${bytes(blob.size)}</span><code class="quiet-text" title=${blob.sha256}>${blob.sha256.slice(0, 8)}</code></button>
    ${isOpen && html`<div class="exchange-body" aria-busy=${got ? "false" : "true"}>
      ${!got ? html`<p class="quiet-text">${t("canvas.loading")}</p>`
        : got.error ? html`<p class="quiet-text" role="alert">${got.error.status === 404 ? t("time.call.gone") : String(got.error.message)} <button type="button" class="button small" onClick=${() => setGot(null)}>${t("canvas.retry")}</button></p>`
          : html`<${Body} text=${got.text ?? ""} />`}</div>`}
  </div>`;
}

/** @param {string} text @returns {any} */
function readJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** @param {{text: string}} props */
function Body({ text }) {
  const value = readJson(text);
  if (value === undefined || typeof value !== "object" || value === null) return html`<div class="exchange-bar"><${Copy} text=${text} /></div><${Long} text=${typeof value === "string" ? value : text} />`;
  const answer = answerIn(value);
  if (Array.isArray(value.messages)) return html`<${Conversation} value=${value} />`;
  return html`<div class="exchange-bar"><${Copy} text=${text} /></div>${answer !== null && html`<${Long} text=${answer} />`}<${Json} value=${value} bare open=${answer === null ? 3 : 1} />`;
}

/** The text in a provider's answer; null if the value is no such answer. @param {any} value @returns {string | null} */
function answerIn(value) {
  const text = value.choices?.[0]?.message?.content ?? value.text;
  return typeof text === "string" && text ? text : null;
}

/** A conversation with a model: its messages, and what else was sent. @param {{value: any}} props */
function Conversation({ value }) {
  const { messages, ...rest } = value;
  return html`<div class="exchange-bar"><${Copy} text=${() => messages.map((/** @type {any} */ it) => `[${it.role}]\n${textOf(it)}`).join("\n\n")} /></div>
    <ol class="exchange-messages" role="list">${messages.map((/** @type {any} */ it, /** @type {number} */ n) => html`<li key=${n} class="exchange-message" data-role=${it.role}>
      <span class="badge">${String(it.role)}</span><${Long} text=${textOf(it)} />
      ${Array.isArray(it.tool_calls) && it.tool_calls.length > 0 && html`<${Json} value=${it.tool_calls} bare open=${3} />`}
      ${Array.isArray(it.pictures) && it.pictures.length > 0 && html`<p class="quiet-text">${t("time.call.pictures", { n: it.pictures.length })}</p>`}</li>`)}</ol>
    <h4>${t("time.call.settings")}</h4><${Json} value=${rest} bare open=${1} />`;
}

/** @param {any} message */
const textOf = (message) => (typeof message.content === "string" ? message.content : message.content ? JSON.stringify(message.content, null, 2) : "");

/** @param {{text: string}} props */
function Long({ text }) {
  const [isWhole, setWhole] = useState(text.length <= FIRST * 1.5);
  return html`<pre class="exchange-text">${isWhole ? text : `${text.slice(0, FIRST)}…`}</pre>
    ${!isWhole && html`<button type="button" class="button small" onClick=${() => setWhole(true)}>${t("canvas.whole_text", { n: text.length })}</button>`}`;
}
