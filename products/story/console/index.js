// @ts-check
/** The pages of stories: all of them, and one with its chapters, characters, plot loops, findings, facts and talk. */
import words from "./words.js";

/** @type {import("../../lib/folders.js").Folder} */
export default {
  words,
  pages: [{
    place: "stories", title: "story.title", label: "story.short", icon: "book", load: () => import("./stories.js").then((it) => it.Stories),
    one: { title: "story.one", load: () => import("./story.js").then((it) => it.Story) },
  }],
};
