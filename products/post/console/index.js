// @ts-check
/** Posts as their readers will see them. */
import words from "./words.js";

/** @param {any} value */
function isPost(value) {
  return typeof value?.title === "string" && typeof value.body === "string" && Array.isArray(value.tags);
}

/** What people read of a post. @param {any} value */
function prose({ title, body, tags }) {
  return [title, body, tags.map((/** @type {any} */ tag) => `#${String(tag).replace(/^#/, "")}`).join("\n")].filter(Boolean).join("\n\n");
}

/** The pictures of two posts that are not the same, by their place. @param {any} model @param {any} one @param {any} other @returns {any[]} */
function pictures(model, one, other) {
  const [a, b] = [one, other].map((it) => (Array.isArray(it.images) ? it.images : []).map((/** @type {any} */ image) => model.artifacts.get(image.artifact)));
  return Array.from({ length: Math.max(a.length, b.length) }, (_, n) => ({ left: a[n], right: b[n] }))
    .filter(({ left, right }) => left?.blob?.sha256 !== right?.blob?.sha256);
}

/** @type {import("../../lib/folders.js").Folder} */
export default {
  words,
  views: [{ name: "post", shows: isPost, load: () => import("./post.js").then((it) => it.Post), prose, pictures }],
};
