// @ts-check
// Text with headings: a Markdown file, or Markdown in JSON, with its outline beside it.

import { html, useEffect, useMemo, useRef, useState } from "../vendor/preact.js";
import { t } from "../lib/i18n.js";
import { blocks, read } from "./prose.js";
import { documentIn } from "./document.js";

/** A Markdown file. @param {any} props */
export function Markdown({ model, text }) {
  return html`<${Prose} model=${model} source=${text ?? ""} />`;
}

/** Markdown in a JSON content. @param {{model: any, value: any, before?: any, after?: any}} props `before`, `after`: what is said about it */
export function Document({ model, value, before, after }) {
  const { title, text } = /** @type {any} */ (documentIn(value));
  // A whole document has its title in its text. The heading of a part is elsewhere and has to be added here.
  const isHeaded = /^\s*(---\r?\n[\s\S]*?\n---\s*)?#\s/.test(text);
  return html`<${Prose} model=${model} source=${text} title=${isHeaded ? "" : title} before=${before} after=${after} />`;
}

/** @param {{model: any, source: string, title?: string, before?: any, after?: any}} props */
function Prose({ model, source, title, before, after }) {
  const scroller = useRef(/** @type {HTMLElement | null} */ (null));
  const doc = useMemo(() => read(source), [source]);
  const files = model?.files;
  const context = useMemo(() => ({ files: pathsOf(files) }), [files]);
  const body = useMemo(() => blocks(doc.tokens, context), [doc, context]);
  const current = useCurrentHeading(scroller, doc.headings.length);
  const isLong = doc.headings.length > 2;
  /** @param {string} place */
  const go = (place) => {
    const heading = /** @type {HTMLElement | null} */ (scroller.current?.querySelector(`[data-place="${place}"]`) ?? null);
    heading?.scrollIntoView({ block: "start" });
    heading?.focus({ preventScroll: true });
  };
  return html`<div class="prose-layout">
    ${isLong && html`<nav class="prose-outline" aria-label=${t("canvas.outline")}><p class="prose-outline-title">${t("canvas.outline")}</p>
      <ol role="list">${doc.headings.map((/** @type {import("./prose.js").Heading} */ it) => html`<li key=${it.id} data-depth=${it.depth}><button type="button" class="prose-link"
        aria-current=${it.id === current ? "true" : undefined} onClick=${() => go(it.id)}>${it.text || "…"}</button></li>`)}</ol></nav>`}
    <div class="prose-scroll" ref=${scroller} tabIndex="0" role="region" aria-label=${title || t("canvas.text")}>
      <article class="prose">
        ${isLong && html`<details class="prose-small-outline"><summary>${t("canvas.outline")}</summary>
          <ol role="list">${doc.headings.map((/** @type {import("./prose.js").Heading} */ it) => html`<li key=${it.id} data-depth=${it.depth}><button type="button" class="prose-link" onClick=${() => go(it.id)}>${it.text || "…"}</button></li>`)}</ol></details>`}
        ${before}
        ${doc.front && html`<details class="prose-front"><summary>${t("canvas.front_matter")}</summary><pre>${doc.front}</pre></details>`}
        ${title && html`<h2 class="md-h md-h1">${title}</h2>`}
        ${body}
        ${after}
      </article></div>
  </div>`;
}

/** @param {any} files A map by path, or a list. @returns {Set<string>} */
function pathsOf(files) {
  if (!files) return new Set();
  if (files instanceof Map) return new Set(files.keys());
  return new Set([...files].map((it) => (typeof it === "string" ? it : it.path)));
}

/** The heading that is being read. @param {{current: HTMLElement | null}} scroller @param {number} count */
function useCurrentHeading(scroller, count) {
  const [current, setCurrent] = useState("0");
  useEffect(() => {
    const box = scroller.current;
    if (!box || count < 3) return;
    let frame = 0;
    const look = () => {
      frame = 0;
      const top = box.getBoundingClientRect().top + 40;
      const passed = [...box.querySelectorAll("[data-place]")].filter((it) => it.getBoundingClientRect().top <= top);
      setCurrent(passed.at(-1)?.getAttribute("data-place") ?? "0");
    };
    const onScroll = () => { frame ||= requestAnimationFrame(look); };
    box.addEventListener("scroll", onScroll, { passive: true });
    look();
    return () => { box.removeEventListener("scroll", onScroll); cancelAnimationFrame(frame); };
  }, [count]);
  return current;
}
