// @ts-check
// Markdown as elements. Tokens become vnodes, so that no text of a model is ever read as markup: raw HTML is shown as text,
// links lead to the web or nowhere, and pictures at other addresses are named but not fetched.

import { html } from "../vendor/preact.js";
import { lexer } from "../vendor/marked.js";
import { t } from "../lib/i18n.js";

/** @typedef {{id: string, depth: number, text: string}} Heading */

const ENTITIES = /** @type {Record<string, string>} */ ({ amp: "&", lt: "<", gt: ">", quot: "\"", apos: "'", nbsp: "\u00a0", hellip: "…", mdash: "—", ndash: "–", times: "×", copy: "©" });

/** The most levels of quotes and lists; deeper ones are shown as source text. */
const DEEPEST = 24;

/** Text with its character references resolved. @param {string} text */
export function plain(text) {
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]+));/gi, (whole, decimal, hex, name) => {
    const code = decimal ? Number(decimal) : hex ? Number.parseInt(hex, 16) : 0;
    if (code) return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
    return ENTITIES[name] ?? whole;
  });
}

/** The address, if a link may lead to it; else null, and the text is shown without a link. @param {string} href @returns {string | null} */
export function safeAddress(href) {
  let url;
  try {
    url = new URL(href);
  } catch {
    return null; // A path among the session's files has no address here.
  }
  return url.protocol === "https:" || url.protocol === "http:" || url.protocol === "mailto:" ? url.href : null;
}

/** @param {any[]} tokens @returns {string} */
function textOf(tokens) {
  return tokens.map((token) => (token.tokens ? textOf(token.tokens) : plain(token.text ?? ""))).join("");
}

/** A line with so much indentation or so many quotes would make the parser recurse too deeply, or take seconds. */
const TOO_DEEP = /^(?:[ \t]{160}|(?:[ \t]*>){100})/m;

/** The blocks of a Markdown text. If it cannot be parsed, it is one block of plain text. @param {string} source @returns {any[]} */
function tokensOf(source) {
  const asText = [{ type: "code", text: source, raw: source }];
  if (TOO_DEEP.test(source)) return asText;
  try {
    return lexer(source);
  } catch {
    return asText;
  }
}

/** Parses Markdown once: its blocks, its headings, and the front matter between `---`. @param {string} source */
export function read(source) {
  const front = /^---\r?\n([\s\S]*?)\r?\n---\r?\n/.exec(source);
  const tokens = tokensOf(front ? source.slice(front[0].length) : source);
  /** @type {Heading[]} */
  const headings = [];
  for (const token of /** @type {any[]} */ (tokens)) {
    if (token.type !== "heading") continue;
    token.place = headings.length;
    headings.push({ id: String(token.place), depth: token.depth, text: textOf(token.tokens) });
  }
  return { tokens: /** @type {any[]} */ (tokens), headings, front: front?.[1] ?? "" };
}

/**
 * @param {any[]} tokens
 * @param {{files?: Set<string>}} [context] Paths that citations may name.
 */
export function blocks(tokens, context = {}, depth = 0) {
  return tokens.map((token, n) => block(token, n, context, depth));
}

/** @param {any} token @param {number} key @param {any} context @param {number} depth @returns {any} */
function block(token, key, context, depth) {
  if (depth > DEEPEST) return html`<pre key=${key}>${token.raw}</pre>`;
  const inner = () => inline(token.tokens ?? [], context);
  switch (token.type) {
    case "heading": {
      const Tag = `h${Math.min(6, token.depth + 1)}`;
      return html`<${Tag} key=${key} class=${`md-h md-h${token.depth}`} data-place=${token.place} tabIndex="-1">${inner()}</${Tag}>`;
    }
    case "paragraph": return html`<p key=${key}>${inner()}</p>`;
    case "text": return html`<span key=${key}>${token.tokens ? inner() : plain(token.text)}</span>`;
    case "code": return html`<div key=${key} class="md-code">${token.lang && html`<span class="md-lang">${token.lang}</span>`}<pre tabIndex="0"><code>${token.text}</code></pre></div>`;
    case "blockquote": return html`<blockquote key=${key}>${blocks(token.tokens, context, depth + 1)}</blockquote>`;
    case "list": return list(token, key, context, depth);
    case "table": return table(token, key, context);
    case "hr": return html`<hr key=${key} />`;
    case "html": return html`<pre key=${key} class="md-raw" title=${t("canvas.raw_html")}>${token.raw.trim()}</pre>`;
    case "space": case "def": return null;
    default: return html`<pre key=${key}>${token.raw}</pre>`;
  }
}

/** @param {any} token @param {number} key @param {any} context @param {number} depth */
function list(token, key, context, depth) {
  const items = token.items.map((/** @type {any} */ item, /** @type {number} */ n) => html`<li key=${n} class=${item.task ? "md-task" : undefined}>
    ${item.task && html`<input type="checkbox" checked=${item.checked} disabled aria-label=${t(item.checked ? "canvas.done" : "canvas.not_done")} />`}
    ${blocks(item.tokens.filter((/** @type {any} */ it) => it.type !== "checkbox"), context, depth + 1)}</li>`);
  return token.ordered ? html`<ol key=${key} start=${Number(token.start) || 1}>${items}</ol>` : html`<ul key=${key}>${items}</ul>`;
}

/** @param {any} token @param {number} key @param {any} context */
function table(token, key, context) {
  const side = (/** @type {any} */ cell) => (cell.align ? `md-${cell.align}` : undefined);
  return html`<div key=${key} class="md-table" tabIndex="0" role="group" aria-label=${t("canvas.table")}><table>
    <thead><tr>${token.header.map((/** @type {any} */ cell, /** @type {number} */ n) => html`<th key=${n} scope="col" class=${side(cell)}>${inline(cell.tokens, context)}</th>`)}</tr></thead>
    <tbody>${token.rows.map((/** @type {any[]} */ row, /** @type {number} */ r) => html`<tr key=${r}>
      ${row.map((cell, n) => html`<td key=${n} class=${side(cell)}>${inline(cell.tokens, context)}</td>`)}</tr>`)}</tbody></table></div>`;
}

/** @param {any[]} tokens @param {any} context @returns {any[]} */
function inline(tokens, context) {
  return tokens.map((token, key) => {
    const inner = () => inline(token.tokens ?? [], context);
    switch (token.type) {
      case "strong": return html`<strong key=${key}>${inner()}</strong>`;
      case "em": return html`<em key=${key}>${inner()}</em>`;
      case "del": return html`<del key=${key}>${inner()}</del>`;
      case "codespan": return html`<code key=${key}>${token.text}</code>`;
      case "br": return html`<br key=${key} />`;
      case "escape": return token.text;
      case "link": return link(token, key, inner());
      case "image": return picture(token, key);
      case "html": return html`<code key=${key} class="md-raw">${token.raw}</code>`;
      default: return token.tokens ? inner() : cited(plain(token.text ?? token.raw), context);
    }
  });
}

/** @param {any} token @param {number} key @param {any} inner */
function link(token, key, inner) {
  const href = safeAddress(token.href);
  return href
    ? html`<a key=${key} href=${href} title=${token.title ?? href} target="_blank" rel="noopener noreferrer nofollow">${inner}</a>`
    : html`<span key=${key} class="md-nowhere" title=${token.href}>${inner}</span>`;
}

/** @param {any} token @param {number} key */
function picture(token, key) {
  const isInline = /^data:image\/(png|jpeg|gif|webp);base64,/i.test(token.href);
  if (isInline) return html`<img key=${key} class="md-picture" src=${token.href} alt=${token.text} />`;
  const href = safeAddress(token.href);
  const label = `${t("canvas.picture")}: ${token.text || token.href}`;
  return href
    ? html`<a key=${key} class="md-elsewhere" href=${href} target="_blank" rel="noopener noreferrer nofollow">${label}</a>`
    : html`<span key=${key} class="md-elsewhere" title=${token.href}>${label}</span>`;
}

/** Citations of the session's files, `[path]`, as marks. @param {string} text @param {{files?: Set<string>}} context @returns {any} */
function cited(text, { files }) {
  if (!files?.size || !text.includes("[")) return text;
  return text.split(/(\[[^\][\n]{1,200}\])/).map((part, n) => {
    const path = part.slice(1, -1);
    return n % 2 && files.has(path) ? html`<cite key=${n} class="md-cite" title=${path}>${path.split("/").pop()}</cite>` : part;
  });
}
