// @ts-check
// Names that pipelines give, as people read them. Pipelines name fields and kinds as they like: a name becomes its words, and those
// that are common have words of their own. Nothing depends on that.

import { humane } from "./format.js";
import { has, language, t } from "./i18n.js";
import chinese from "./words/fields.js";
import kinds from "./words/kinds.js";

/** Of a field. `pageCount`, `page_count`: "Page count". @param {string} name */
export function label(name) {
  const words = humane(name);
  const common = words.toLowerCase();
  return language.value === "zh" && Object.hasOwn(chinese, common) ? chinese[common] : words || name;
}

/** Of an option: the words of the engine's own, else its name. @param {string} id */
export const optionLabel = (id) => (has(`option.${id}`) ? t(`option.${id}`) : label(id));

/** Of a kind of artifact. @param {string} kind */
export function kindTitle(kind) {
  const known = kinds[language.value];
  return Object.hasOwn(known, kind) ? known[kind] : label(kind);
}
