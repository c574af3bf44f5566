// @ts-check
// Readable forms of names from pipelines. Pipelines name fields and kinds as they like: a name is split into words, and names
// that are common have texts of their own. Nothing depends on these texts.

import { humane } from "./format.js";
import { has, language, t } from "./i18n.js";
import chinese from "./words/fields.js";

/** The label of a field: `pageCount` and `page_count` become "Page count". @param {string} name */
export function label(name) {
  const words = humane(name);
  const common = words.toLowerCase();
  return language.value === "zh" && Object.hasOwn(chinese, common) ? chinese[common] : words || name;
}

/** The label of an option: a text for the engine's own options, else the name in words. @param {string} id */
export const optionLabel = (id) => (has(`option.${id}`) ? t(`option.${id}`) : label(id));

/** The title of a kind of artifact. @param {string} kind */
export const kindTitle = (kind) => (has(`artifact.${kind}`) ? t(`artifact.${kind}`) : label(kind));
