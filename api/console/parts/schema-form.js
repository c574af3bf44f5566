// @ts-check
/** A form for a JSON Schema: everything that a pipeline or a gate describes can be filled in. Unusual schemas are filled in as JSON. */
import { html, useId, useState } from "../vendor/preact.js";
import { Validator } from "../vendor/json-schema.js";
import { t } from "../lib/i18n.js";
import { label as nameOf, optionLabel } from "../lib/labels.js";
import { Icon } from "./icons.js";

/** Texts at least this long are edited in a box of several lines. */
const LONG = 60;

/** @param {any} schema @param {any} root @returns {any} the schema behind a reference, with the fields that stand beside the reference */
export function resolved(schema, root) {
  let it = schema === true || schema === undefined ? {} : schema;
  for (let depth = 0; it.$ref && depth < 20; depth += 1) {
    const { $ref, ...beside } = it;
    const found = $ref.replace(/^#\/?/, "").split("/").filter(Boolean).reduce((/** @type {any} */ at, /** @type {string} */ key) => at?.[key.replace(/~1/g, "/").replace(/~0/g, "~")], root);
    it = { ...(found ?? {}), ...beside };
  }
  const ways = (it.anyOf ?? it.oneOf)?.map((/** @type {any} */ way) => resolved(way, root)).filter((/** @type {any} */ way) => way.type !== "null");
  // `null` beside a single shape only means that the value may be left out.
  if (ways?.length === 1) { const { anyOf, oneOf, ...beside } = it; return { ...ways[0], ...beside }; }
  return it;
}

/** @param {any} schema */
const typeOf = (schema) => [schema.type ?? []].flat().find((/** @type {string} */ it) => it !== "null") ?? (schema.properties ? "object" : schema.items ? "array" : undefined);

/** The choices with their texts, if a schema is a list of constants. @param {any} schema @param {any} root */
export function choicesOf(schema, root) {
  if (schema.enum) return schema.enum.filter((/** @type {any} */ it) => it !== null).map((/** @type {any} */ value) => ({ value, text: undefined }));
  const ways = (schema.oneOf ?? schema.anyOf)?.map((/** @type {any} */ way) => resolved(way, root));
  if (ways?.length && ways.every((/** @type {any} */ way) => way.const !== undefined || way.enum || way.type === "null")) {
    return ways.flatMap((/** @type {any} */ way) => (way.const !== undefined ? [{ value: way.const, text: way.title ?? way.description }] : (way.enum ?? []).map((/** @type {any} */ value) => ({ value, text: undefined }))));
  }
  return null;
}

/** The initial value for a schema. @param {any} schema @param {any} [root] @returns {any} */
export function initialOf(schema, root = schema) {
  const it = resolved(schema, root);
  if (it.default !== undefined && it.default !== null) return structuredClone(it.default);
  const type = typeOf(it);
  if (type === "object") return constantsOf(it, root);
  if (type === "array") return [];
  return undefined;
}

/** The fields of an object that can have one value only. @param {any} schema @param {any} root */
function constantsOf(schema, root) {
  const fields = Object.entries(schema.properties ?? {}).map(([name, property]) => [name, resolved(property, root).const]);
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined));
}

/** The value without empty parts: an optional field that nobody filled in is left out. @param {any} value @returns {any} */
export function lean(value) {
  if (Array.isArray(value)) return value.map(lean).filter((it) => it !== undefined);
  if (value && typeof value === "object") {
    const told = Object.entries(value).map(([name, it]) => [name, lean(it)]).filter(([, it]) => it !== undefined && it !== "" && !(typeof it === "object" && it !== null && !Object.keys(it).length));
    return Object.fromEntries(told);
  }
  return value === null ? undefined : value;
}

/** What is wrong with a value, in a line each. @param {any} schema @param {any} value @returns {string[]} */
export function problemsOf(schema, value) {
  const { valid, errors } = new Validator(schema, "2020-12", false).validate(value);
  if (valid) return [];
  const leaves = errors.filter((/** @type {any} */ it) => !errors.some((/** @type {any} */ other) => other !== it && other.instanceLocation.startsWith(`${it.instanceLocation}/`)));
  return [...new Set(leaves.map((/** @type {any} */ it) => `${it.instanceLocation.replace(/^#\/?/, "").replace(/\//g, " › ") || t("form.whole")}: ${it.error}`))];
}

/**
 * @param {{schema: any, value: any, onChange: (value: any) => void, root?: any, suggestions?: string[], full?: boolean, optionText?: (id: string) => string}} props
 *   `suggestions`: what texts are likely to be, such as the paths of attached files; `full`: nothing is folded away
 */
export function SchemaForm({ schema, value, onChange, root = schema, ...more }) {
  return html`<div class="schema-form"><${Field} schema=${schema} root=${root} value=${value} onChange=${onChange} bare=${true} path="" ...${more} /></div>`;
}

/** Focuses the first field of a form whose text is not valid JSON. Returns whether there is one. @param {any} form @returns {boolean} */
export function unreadable(form) {
  const field = form?.querySelector('[aria-invalid="true"]');
  if (!field) return false;
  field.closest("details")?.setAttribute("open", "");
  field.focus();
  return true;
}

/** The shapes that a value may have; null if the schema only restricts which properties go together. @param {any} schema */
function shapesOf(schema) {
  const ways = schema.anyOf ?? schema.oneOf;
  const isRule = (/** @type {any} */ way) => !way.$ref && !way.type && Object.keys(way.properties ?? {}).every((name) => name in schema.properties);
  return ways && schema.properties && ways.every(isRule) ? null : ways;
}

/** @param {any} props */
function Field({ schema, root, value, onChange, name, required, bare, path, says, ...more }) {
  const id = useId();
  const it = resolved(schema, root);
  const choices = choicesOf(it, root);
  const type = typeOf(it);
  const label = name === undefined ? null : html`<span class="label">${it["x-label"] ?? (it.title && name === "" ? it.title : nameOf(String(name)))}${required ? html` <span class="required" aria-hidden="true">*</span><span class="sr-only">${t("form.required")}</span>` : null}</span>`;
  const help = it.description && name !== undefined ? html`<span class="help" id=${`${id}-help`}>${it.description}</span>` : null;
  const common = { id, "aria-label": label ? undefined : says, "aria-describedby": help ? `${id}-help` : undefined, required };
  if (choices && more.optionText) for (const choice of choices) choice.text ??= more.optionText(choice.value);
  if (choices) {
    return html`<div class="field">${label ? html`<label for=${id}>${label}</label>` : null}<select class="select" ...${common} value=${value === undefined || value === null ? "" : JSON.stringify(value)}
      onChange=${(/** @type {any} */ event) => onChange(event.target.value === "" ? undefined : JSON.parse(event.target.value))}>
      <option value="">${t("form.none")}</option>${choices.map((/** @type {any} */ choice) => html`<option value=${JSON.stringify(choice.value)}>${choice.text ?? optionLabel(String(choice.value))}</option>`)}</select>${help}</div>`;
  }
  const ways = shapesOf(it);
  if (ways) return html`<${Ways} schema=${it} ways=${ways} root=${root} value=${value} onChange=${onChange} name=${name} label=${label} help=${help} path=${path} more=${more} />`;
  if (type === "object" && it.properties) {
    // Properties that are read-only, or can only have one value, are not filled in.
    const isWritable = (/** @type {any} */ property) => !property.readOnly && resolved(property, root).const === undefined;
    const writable = Object.entries(it.properties).filter(([, property]) => isWritable(property));
    const inner = writable.map(([key, property]) => html`<${Field} key=${key} schema=${property} root=${root} name=${key} path=${`${path}/${key}`} required=${it.required?.includes(key)} ...${more}
      value=${value?.[key]} onChange=${(/** @type {any} */ next) => onChange({ ...(value ?? {}), [key]: next })} />`);
    return bare ? html`<div class="fields">${inner}</div>` : html`<fieldset class="group"><legend>${label}</legend>${help}<div class="fields">${inner}</div></fieldset>`;
  }
  if (type === "array" && it.items && typeof it.items === "object") {
    return html`<${List} schema=${it} root=${root} value=${value} onChange=${onChange} name=${name} label=${label} help=${help} path=${path} more=${more} />`;
  }
  if (type === "boolean") {
    return html`<div class="field check"><input type="checkbox" ...${common} required=${undefined} checked=${Boolean(value)} onChange=${(/** @type {any} */ event) => onChange(event.target.checked)} />
      <div><label for=${id}>${label ?? t("form.yes")}</label>${help}</div></div>`;
  }
  if (type === "integer" || type === "number") {
    return html`<div class="field">${label ? html`<label for=${id}>${label}</label>` : null}<input class="input number" type="number" ...${common} step=${type === "integer" ? 1 : "any"} min=${it.minimum} max=${it.maximum} value=${value ?? ""}
      placeholder=${it.minimum !== undefined && it.maximum !== undefined ? `${it.minimum}–${it.maximum}` : undefined}
      onInput=${(/** @type {any} */ event) => onChange(event.target.value === "" ? undefined : Number(event.target.value))} />${help}</div>`;
  }
  if (type === "string") return html`<${Text} common=${common} label=${label} help=${help} value=${value} onChange=${onChange} schema=${it} suggestions=${more.suggestions} />`;
  return html`<${Json} common=${common} label=${label} help=${help} value=${value} onChange=${onChange} />`;
}

/** @param {any} props */
function Text({ common, label, help, value, onChange, schema, suggestions }) {
  const typed = (/** @type {any} */ event) => onChange(event.target.value === "" && !common.required ? undefined : event.target.value);
  // Decided once, so that the box does not change while somebody is typing.
  const [wasLong] = useState(() => (value?.length ?? 0) >= LONG || value?.includes("\n") || schema.maxLength > 400);
  // A box of one line would lose the other lines.
  const isLong = wasLong || Boolean(value?.includes("\n"));
  const list = suggestions?.length ? `${common.id}-list` : undefined;
  return html`<div class="field">${label ? html`<label for=${common.id}>${label}</label>` : null}${isLong
    ? html`<textarea class="textarea" ...${common} rows=${Math.min(14, Math.max(3, Math.ceil((value?.length ?? 0) / 70) + (value?.split("\n").length ?? 0)))} maxlength=${schema.maxLength} value=${value ?? ""} onInput=${typed}></textarea>`
    : html`<input class="input" ...${common} maxlength=${schema.maxLength} list=${list} value=${value ?? ""} onInput=${typed} />`}
    ${list ? html`<datalist id=${list}>${suggestions.map((/** @type {string} */ it) => html`<option value=${it} />`)}</datalist>` : null}${help}</div>`;
}

/** @param {any} props */
function List({ schema, root, value, onChange, name, label, help, path, more }) {
  const list = Array.isArray(value) ? value : [];
  const item = resolved(schema.items, root);
  const plain = typeOf(item) !== "object";
  const set = (/** @type {number} */ at, /** @type {any} */ next) => onChange(list.map((it, place) => (place === at ? next : it)));
  const move = (/** @type {number} */ at, /** @type {number} */ by) => { const next = list.slice(); [next[at], next[at + by]] = [next[at + by], next[at]]; onChange(next); };
  const full = schema.maxItems !== undefined && list.length >= schema.maxItems;
  return html`<fieldset class="group list"><legend>${label} ${list.length ? html`<span class="quiet-text number">${list.length}</span>` : null}</legend>${help}
    ${list.map((it, at) => html`<div class=${plain ? "list-item plain" : "list-item"} key=${at}>
      <div class="list-body"><${Field} schema=${schema.items} root=${root} value=${it} bare=${true} says=${`${nameOf(String(name ?? ""))} ${at + 1}`} path=${`${path}/${at}`} ...${more} onChange=${(/** @type {any} */ next) => set(at, next ?? (plain ? "" : {}))} /></div>
      <span class="list-tools">${list.length > 1 ? html`<button type="button" class="button quiet icon small" disabled=${at === 0} aria-label=${t("form.up", { n: at + 1 })} onClick=${() => move(at, -1)}><${Icon} name="up" /></button>
        <button type="button" class="button quiet icon small" disabled=${at === list.length - 1} aria-label=${t("form.down", { n: at + 1 })} onClick=${() => move(at, 1)}><${Icon} name="down" /></button>` : null}
        <button type="button" class="button quiet icon small" aria-label=${t("form.remove", { n: at + 1 })} onClick=${() => onChange(list.filter((_, place) => place !== at))}><${Icon} name="cross" /></button></span></div>`)}
    ${full ? null : html`<button type="button" class="button small" onClick=${() => onChange([...list, initialOf(schema.items, root) ?? (plain ? "" : {})])}><${Icon} name="plus" />${t("form.add")}</button>`}</fieldset>`;
}

/** A value that may have several shapes: shows the one it has, or lets a person choose one. @param {any} props */
function Ways({ schema, ways, root, value, onChange, name, label, help, path, more }) {
  const all = ways.flatMap((/** @type {any} */ way) => { const it = resolved(way, root); return it.anyOf ?? it.oneOf ?? [it]; }).map((/** @type {any} */ way) => resolved(way, root)).filter((/** @type {any} */ way) => way.type !== "null");
  const fits = (/** @type {any} */ way) => value !== undefined && value !== null && problemsOf({ ...way, $defs: root.$defs }, value).length === 0;
  const [chosen, setChosen] = useState(() => Math.max(0, all.findIndex(fits)));
  const says = (/** @type {any} */ way, /** @type {number} */ at) => way.title ?? way.properties?.layout?.const ?? way.description?.split(".")[0] ?? nameOf(typeOf(way) ?? `${at + 1}`);
  return html`<fieldset class="group"><legend>${label}</legend>${help}
    <select class="select" aria-label=${t("form.way", { name: nameOf(String(name ?? "")) })} value=${chosen} onChange=${(/** @type {any} */ event) => { const to = Number(event.target.value); setChosen(to); onChange(typeOf(all[to]) === "object" ? constantsOf(all[to], root) : undefined); }}>
      ${all.map((/** @type {any} */ way, /** @type {number} */ at) => html`<option value=${at}>${says(way, at)}</option>`)}</select>
    <${Field} key=${chosen} schema=${{ ...all[chosen], description: undefined }} root=${root} value=${value} onChange=${onChange} bare=${true} says=${nameOf(String(name ?? ""))} path=${path} ...${more} /></fieldset>`;
}

/** @param {any} props */
function Json({ common, label, help, value, onChange }) {
  const [text, setText] = useState(value === undefined ? "" : JSON.stringify(value, null, 2));
  const [wrong, setWrong] = useState("");
  const typed = (/** @type {any} */ event) => {
    setText(event.target.value);
    if (!event.target.value.trim()) { setWrong(""); onChange(undefined); return; }
    try { onChange(JSON.parse(event.target.value)); setWrong(""); } catch (error) { setWrong(String(/** @type {Error} */ (error).message)); }
  };
  return html`<div class="field">${label ? html`<label for=${common.id}>${label}</label>` : null}<textarea class="textarea mono" ...${common} spellcheck=${false} aria-invalid=${Boolean(wrong)} placeholder="JSON" value=${text} onInput=${typed}></textarea>
    ${wrong ? html`<span class="problem">${wrong}</span>` : null}${help}</div>`;
}
