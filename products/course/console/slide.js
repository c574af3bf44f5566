// @ts-check
// A slide in a frame. A frame from `srcdoc` would have the console's own policy, under which the page's styles do nothing;
// so each page is fetched from an address that the server answers with a sandbox of its own, and the frame has a sandbox as well.

import { html, useEffect, useLayoutEffect, useRef, useState } from "../../vendor/preact.js";
import { useAddress, withQuery } from "../../canvas/content.js";

/** Pixels that pages are made for. */
const WIDTH = 1280;
const HEIGHT = 720;

/** The address of a page. @param {import("./slides.js").PageRef | undefined} page @returns {string | null} */
function usePageAddress(page) {
  const address = useAddress(page?.artifact);
  if (!address || !page) return null;
  return withQuery(address, page.page ? { as: "html", page: page.page } : { as: "html" });
}

/** How much smaller a page is shown than it was made. @param {{current: HTMLElement | null}} box */
function useScale(box) {
  const [scale, setScale] = useState(0);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const measure = () => setScale(Math.min(element.clientWidth / WIDTH, element.clientHeight / HEIGHT));
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    measure();
    return () => observer.disconnect();
  }, []);
  return scale;
}

/** @param {{page: import("./slides.js").PageRef, label: string, scale: number, hidden?: boolean}} props */
function PageFrame({ page, label, scale, hidden }) {
  const address = usePageAddress(page);
  const style = { width: `${WIDTH}px`, height: `${HEIGHT}px`, transform: `scale(${scale})` };
  return address && html`<iframe class="slide-frame" sandbox="allow-popups allow-popups-to-escape-sandbox" src=${address} title=${label} tabIndex="-1" scrolling="no" style=${style}
    data-hidden=${hidden ? "" : undefined} aria-hidden=${hidden ? "true" : undefined} referrerpolicy="no-referrer"></iframe>`;
}

/**
 * The page, and its neighbours unseen, so that turning does not flicker.
 * @param {{page: import("./slides.js").PageRef, before?: import("./slides.js").PageRef, after?: import("./slides.js").PageRef, label: string}} props
 */
export function Slide({ page, before, after, label }) {
  const box = useRef(/** @type {HTMLDivElement | null} */ (null));
  const scale = useScale(box);
  const near = [before, page, after].filter((it) => it !== undefined);
  return html`<div class="slide" ref=${box}><div class="slide-fit" style=${{ width: `${WIDTH * scale}px`, height: `${HEIGHT * scale}px` }}>
    ${near.map((it) => html`<${PageFrame} key=${`${it.artifact}/${it.page ?? ""}`} page=${it} label=${label} scale=${scale} hidden=${it !== page} />`)}</div></div>`;
}

/** A page small: its picture, or its frame once it comes into view. @param {{page: import("./slides.js").PageRef}} props */
export function Thumbnail({ page }) {
  const box = useRef(/** @type {HTMLSpanElement | null} */ (null));
  const [isSeen, setSeen] = useState(false);
  useEffect(() => {
    const element = box.current;
    if (!element || isSeen) return;
    const observer = new IntersectionObserver((entries) => { if (entries.some((it) => it.isIntersecting)) setSeen(true); }, { rootMargin: "200px" });
    observer.observe(element);
    return () => observer.disconnect();
  }, [isSeen]);
  return html`<span class="slide slide-small" ref=${box}>${isSeen && (page.picture ? html`<${SmallPicture} id=${page.picture} />` : html`<${SmallFrame} page=${page} />`)}</span>`;
}

/** @param {{id: string}} props */
function SmallPicture({ id }) {
  const address = useAddress(id);
  return address && html`<img class="slide-picture" src=${address} alt="" decoding="async" />`;
}

/** @param {{page: import("./slides.js").PageRef}} props */
function SmallFrame({ page }) {
  const box = useRef(/** @type {HTMLSpanElement | null} */ (null));
  const scale = useScale(box);
  return html`<span class="slide-fill" ref=${box} aria-hidden="true"><${PageFrame} page=${page} label=${page.title} scale=${scale} /></span>`;
}
