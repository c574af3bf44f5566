// @ts-check
/** How gates are read: what can be answered, by the shape of the schema alone, and what was. */
import { has, t } from "../../lib/i18n.js";
import { label as nameOf } from "../../lib/labels.js";

/** The words of an option: those that are known for it, else its name. @param {string} id */
export const optionText = (id) => (has(`option.${id}`) ? t(`option.${id}`) : nameOf(id));

/** @param {any} schema */
const types = (schema) => [schema?.type ?? []].flat();

/**
 * What a gate can be answered with. `confirm`: yes or no with words and edits; `choice`: some of the options, words, edits; `form`: whatever
 * its schema says; `free`: words.
 * @param {any} gate
 */
export function formOf(gate) {
  const fields = Object.entries(gate.schema?.properties ?? {});
  const options = new Set(gate.options);
  const named = (/** @type {(schema: any, name: string) => boolean} */ is) => fields.find(([name, schema]) => is(schema, name))?.[0];
  const texts = fields.filter(([, schema]) => types(schema).includes("string") && !(/** @type {any} */ (schema).enum));
  const text = texts.map(([name]) => name)[0];
  const edits = named((schema, name) => gate.subject && (types(schema).includes("object") || (types(schema).includes("array") && !schema.items?.enum)) && (name === "edits" || !schema.properties));
  if (fields.some(([name, schema]) => name === "confirm" && types(schema).includes("boolean"))) return { is: "confirm", text, edits, schema: gate.schema };
  const isChoice = (/** @type {any} */ values) => Array.isArray(values) && values.every((it) => options.has(it));
  const many = named((schema) => types(schema).includes("array") && isChoice(schema.items?.enum));
  const one = named((schema) => isChoice(schema.enum));
  if (gate.options.length && (many || one)) {
    const choice = /** @type {string} */ (many ?? one);
    const max = many ? gate.schema.properties[many].maxItems ?? gate.options.length : 1;
    const others = fields.filter(([name]) => name !== choice && name !== text && name !== edits && name !== "modifiedContext");
    return { is: "choice", choice, isList: Boolean(many), max, text, edits, others: others.length ? others : null, schema: gate.schema };
  }
  if (fields.length) return { is: "form", schema: gate.schema };
  return { is: "free", schema: gate.schema };
}

/** @param {any} gate */
export function answerText(gate) {
  const { answer } = gate;
  if (answer.is === "confirmed") return t("gates.confirmed");
  if (answer.is === "declined") return answer.feedback ? t("gates.declined_because", { why: answer.feedback }) : t("gates.declined");
  return valueText(gate, answer.answer);
}

/** @param {any} gate @param {any} value @returns {string} */
function valueText(gate, value) {
  if (typeof value === "string") return gate.options.includes(value) ? optionText(value) : value;
  if (Array.isArray(value)) return value.map((it) => valueText(gate, it)).join(", ");
  if (value && typeof value === "object") {
    return Object.entries(value).filter(([, it]) => it !== null && it !== "").map(([name, it]) => (typeof it === "object" && !Array.isArray(it) ? nameOf(name) : valueText(gate, it))).join(" · ");
  }
  return String(value);
}

/**
 * What is different in an edited artifact, in the form in which gates take it: the changed properties, or, where one list of things is all that
 * changed and the gate takes a list, that list.
 * @param {any} before @param {any} after @param {any} schema of the edits
 */
export function editsOf(before, after, schema) {
  if (Array.isArray(after) || typeof after !== "object" || after === null) return after;
  const changed = Object.entries(after).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(before?.[name]));
  const [first] = changed;
  const isThings = first && Array.isArray(first[1]) && first[1].some((it) => it && typeof it === "object");
  if (changed.length === 1 && isThings && types(schema).includes("array")) return first[1];
  return Object.fromEntries(changed);
}
