// @ts-check
/** Decks as text beside their pages, and the designs of earlier decks that were found for one. */
import words from "./words.js";

/** A deck as text, or its file. @param {any} value @param {import("../../canvas/content.js").Artifact} artifact */
const isDeck = (value, artifact) => typeof value?.dsl_text === "string" || Boolean(artifact.blob?.media_type.startsWith("text/x-slidedsl"));

/** Designs that were found: a list of their ids, or one of them with its score. @param {any} value */
function isReferences(value) {
  return Array.isArray(value?.chunk_ids) ? typeof value.query === "string" : typeof value?.chunk_id === "string" && typeof value.semantic_score === "number";
}

/** @type {import("../../lib/folders.js").Folder} */
export default {
  words,
  views: [
    { name: "deck", shows: isDeck, load: () => import("./deck.js").then((it) => it.Deck) },
    { name: "references", shows: isReferences, load: () => import("./references.js").then((it) => it.References) },
  ],
};
