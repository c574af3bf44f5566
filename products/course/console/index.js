// @ts-check
/** The pages of courses: all pages of one, and a single page that may still have siblings in the making. */
import words from "./words.js";

/** All pages. @param {any} value */
export function isSlides(value) {
  return Array.isArray(value?.pages) && value.pages.length > 0 && value.pages.every((/** @type {any} */ page) => typeof page?.html === "string");
}

/** @param {any} value */
const isPage = (value) => typeof value?.html === "string";

const compare = () => import("./compare.js").then((it) => it.ComparePages);

/** @type {import("../../lib/folders.js").Folder} */
export default {
  words,
  views: [
    { name: "slides", shows: isSlides, load: () => import("./slides.js").then((it) => it.Slides), beside: ["json"], compare },
    { name: "page", shows: isPage, load: () => import("./slides.js").then((it) => it.Page), beside: ["json"], compare },
  ],
};
