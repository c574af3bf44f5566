// @ts-check
/** What a renga brings to the console: the page of season words, and the sheet with its verses. */
import words from "./words.js";

/** @type {import("../../lib/folders.js").Folder} */
export default {
  words,
  pages: [{ place: "words", title: "renga.words", label: "renga.words", icon: "book", load: () => import("./page.js").then((it) => it.SeasonWords) }],
  views: [{ name: "renga", shows: (value) => Array.isArray(value?.verses), load: () => import("./sheet.js").then((it) => it.Sheet), prose: textOf }],
};

/** The verses as a text, by which two versions are compared. @param {{verses: {lines: string[]}[]}} value */
function textOf(value) {
  return value.verses.map(({ lines }) => lines.join("\n")).join("\n\n");
}
