// @ts-check
// Readable forms of names from pipelines. Pipelines name fields and kinds as they like: a name is split into words, and names
// that are common have texts of their own. Nothing depends on these texts.

import { humane } from "./format.js";
import { has, language, t } from "./i18n.js";
import { described, kindSchema } from "./reading.js";
import chinese from "./words/fields.js";

/** The label of a field: `pageCount` and `page_count` become "Page count". @param {string} name */
export function label(name) {
  const words = humane(name);
  const common = words.toLowerCase();
  return language.value === "zh" && Object.hasOwn(chinese, common) ? chinese[common] : words || name;
}

/** The label of an option: a text for the engine's own options, else the name in words. @param {string} id */
export const optionLabel = (id) => (has(`option.${id}`) ? t(`option.${id}`) : label(id));

/**
 * Whether a value of a field is a name and no content, by what the pipeline says of the kind: it is one of a list of its schema, or an
 * identifier in a check.
 * @param {string} pipeline @param {string} kind @returns {(field: string, value: string) => boolean}
 */
export function namesOf(pipeline, kind) {
  const it = described.value.get(pipeline);
  const isCheck = it?.checks.some((/** @type {any} */ check) => check.kind === kind);
  const schema = /** @type {any} */ (kindSchema(pipeline, kind));
  /** @type {Set<string>} */
  const known = new Set();
  const seen = new Set();
  const walk = (/** @type {any} */ part, /** @type {string} */ field) => {
    if (!part || typeof part !== "object" || seen.has(`${part.$ref} ${field}`)) return;
    if (part.$ref) { seen.add(`${part.$ref} ${field}`); walk(schema.$defs?.[part.$ref.split("/").at(-1)], field); }
    for (const value of [...(part.enum ?? []), part.const]) known.add(`${field} ${value}`);
    for (const way of [...(part.anyOf ?? []), ...(part.oneOf ?? []), part.items]) walk(way, field);
    for (const [name, inner] of Object.entries(part.properties ?? {})) walk(inner, name);
  };
  walk(schema, "");
  return (field, value) => known.has(`${field} ${value}`) || Boolean(isCheck && /^[a-z]+(_[a-z]+)*$/.test(value));
}

/** The title of a kind of artifact: a text of the console, else what the pipelines call such a check or file. @param {string} kind @returns {string} */
export const kindTitle = (kind) => (has(`artifact.${kind}`) ? t(`artifact.${kind}`) : toldBy(kind) || label(kind));

/** @param {string} kind */
function toldBy(kind) {
  const title = [...described.value.values()].flatMap((it) => [...it.checks, ...it.forms]).find((it) => it.kind === kind)?.title;
  return title && title[0].toUpperCase() + title.slice(1);
}

/**
 * Artifacts that stand beside each other, told apart by their kind and their number, and by their own titles where there are several of a kind.
 * @param {any[]} list
 */
export function toldApart(list) {
  return list.map((it) => {
    const same = list.filter((one) => one.kind === it.kind);
    const several = same.some((one) => one.item !== it.item);
    const number = /^\d+$/.test(it.item) ? it.item : several ? same.indexOf(it) + 1 : "";
    return { it, name: `${kindTitle(it.kind)} ${number}`.trim(), title: number && it.title !== it.item ? it.title : "" };
  });
}
