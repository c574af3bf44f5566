// @ts-check
/** Reads gates: which answers are possible, judged only by the shape of the schema, and which was given. */
import { t } from "../../lib/i18n.js";
import { label as nameOf, optionLabel } from "../../lib/labels.js";
import { optionOf } from "../../lib/reading.js";
import { choicesOf } from "../../parts/schema-form.js";

/** The text of an option: the pipeline's, else the engine's, else its name in words. @param {string} pipeline @param {string} id */
export const optionText = (pipeline, id) => optionOf(pipeline, id)?.title ?? optionLabel(id);

/** @param {any} schema */
const types = (schema) => [schema?.type ?? []].flat();

/**
 * What a gate can be answered with. `confirm`: yes or no with words and edits; `choice`: some of the options, words, edits; `form`: whatever
 * its schema says; `free`: words.
 * @param {any} gate
 */
export function formOf(gate) {
  const required = new Set(gate.schema?.required ?? []);
  // Optional fields that no form can show are left out.
  const fields = Object.entries(gate.schema?.properties ?? {}).filter(([name, schema]) => required.has(name) || canBeGiven(gate, schema));
  const options = new Set(gate.options);
  const named = (/** @type {(schema: any, name: string) => boolean} */ is) => fields.find(([name, schema]) => is(schema, name))?.[0];
  const texts = fields.filter(([, schema]) => types(schema).includes("string") && !(/** @type {any} */ (schema).enum));
  const text = texts.map(([name]) => name)[0];
  const edits = named((schema, name) => gate.subject && (types(schema).includes("object") || (types(schema).includes("array") && !schema.items?.enum)) && (name === "edits" || !schema.properties));
  const confirm = fields.find(([name, schema]) => name === "confirm" && (types(schema).includes("boolean") || /** @type {any} */ (schema).const === true))?.[1];
  // If only yes is possible, the schema's description says why.
  if (confirm) return { is: "confirm", text, edits, schema: gate.schema, only: /** @type {any} */ (confirm).const === true ? /** @type {any} */ (confirm).description ?? "" : null };
  const isChoice = (/** @type {any} */ schema) => Boolean(choicesOf(schema, gate.schema)?.every((/** @type {any} */ it) => options.has(it.value)));
  const many = named((schema) => types(schema).includes("array") && schema.items && isChoice(schema.items));
  const one = named((schema) => isChoice(schema));
  const choice = many ?? one ?? "";
  const others = fields.filter(([name]) => name !== choice && name !== text && name !== edits);
  if ((gate.options.length && choice) || (text && !gate.options.length && !others.length)) {
    const it = gate.schema.properties[choice];
    const titles = new Map(it && choicesOf(many ? it.items : it, gate.schema)?.map((/** @type {any} */ { value, text: says }) => [value, says]));
    const max = many ? it.maxItems ?? gate.options.length : 1;
    return { is: "choice", choice, isList: Boolean(many), max, titles, text, edits, others: others.length ? others : null, schema: gate.schema };
  }
  if (fields.length) return { is: "form", schema: gate.schema };
  return { is: "free", schema: gate.schema };
}

/** Whether a form can have a field for this schema. @param {any} gate @param {any} schema */
function canBeGiven(gate, schema) {
  if (types(schema).includes("array") && schema.maxItems === 0) return false;
  const isOpen = types(schema).includes("object") && !schema.properties;
  return !isOpen || Boolean(gate.subject);
}

/** @param {any} gate @param {string} pipeline */
export function answerText(gate, pipeline) {
  const { answer } = gate;
  if (answer.is === "confirmed") return t("gates.confirmed");
  if (answer.is === "declined") return answer.feedback ? t("gates.declined_because", { why: answer.feedback }) : t("gates.declined");
  return valueText(gate, answer.answer, pipeline);
}

/** The options of a gate, in words. @param {any} gate @param {string} pipeline */
export const optionsText = (gate, pipeline) => gate.options.map((/** @type {string} */ it) => valueText(gate, it, pipeline)).join(" · ");

/** @param {any} gate @param {any} value @param {string} pipeline @returns {string} */
function valueText(gate, value, pipeline) {
  if (typeof value === "string") return gate.options.includes(value) ? formOf(gate).titles?.get(value) ?? optionText(pipeline, value) : value;
  if (Array.isArray(value)) return value.map((it) => valueText(gate, it, pipeline)).join(", ");
  if (value && typeof value === "object") {
    return Object.entries(value).filter(([, it]) => it !== null && it !== "").map(([name, it]) => (typeof it === "object" && !Array.isArray(it) ? nameOf(name) : valueText(gate, it, pipeline))).join(" · ");
  }
  return String(value);
}

/**
 * The changed properties of an edited artifact.
 * @param {any} before @param {any} after
 */
export function editsOf(before, after) {
  if (Array.isArray(after) || typeof after !== "object" || after === null) return after;
  return Object.fromEntries(Object.entries(after).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(before?.[name])));
}
