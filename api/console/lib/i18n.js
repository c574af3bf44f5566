// @ts-check
/** The texts of the console in two languages. Each area of the console and each folder of a product has its own; here they are put together. */
import { signal, effect } from "../vendor/preact.js";
import { forGood } from "./kept.js";
import frame from "./words/frame.js";
import session from "./words/session.js";
import canvas from "./words/canvas.js";
import kinds from "./words/kinds.js";
import time from "./words/time.js";

const KEY = "palimpsest.language";
const areas = /** @type {any[]} */ ([frame, session, canvas, kinds, time]);
/** @type {Record<string, Record<string, string>>} */
const words = {
  en: Object.assign({}, ...areas.map((area) => area.en)),
  zh: Object.assign({}, ...areas.map((area) => area.zh)),
};

/**
 * Adds the words of a folder. None of them may be there already, but for those of kinds of artifacts: two products may have one of the same
 * name, and the first words for it stay.
 * @param {{en: Record<string, string>, zh: Record<string, string>}} area
 */
export function addWords(area) {
  const twice = [...Object.keys(area.en), ...Object.keys(area.zh)].find((key) => !key.startsWith("artifact.") && has(key));
  if (twice) throw new Error(`there is a text “${twice}” already`);
  words.en = { ...area.en, ...words.en };
  words.zh = { ...area.zh, ...words.zh };
}

/** @returns {"en"|"zh"} */
function preferred() {
  const kept = forGood.get(KEY);
  if (kept === "en" || kept === "zh") return kept;
  const wanted = navigator.languages?.find((it) => /^(en|zh)\b/i.test(it)) ?? navigator.language ?? "en";
  return /^zh/i.test(wanted) ? "zh" : "en";
}

/** @type {{value: "en"|"zh"}} */
export const language = signal(preferred());

effect(() => {
  document.documentElement.lang = language.value === "zh" ? "zh-CN" : "en";
});

/** @param {"en"|"zh"} wanted */
export function setLanguage(wanted) {
  forGood.set(KEY, wanted);
  language.value = wanted;
}

/**
 * The text for a key, with `{name}` replaced by parameters. `{n|one|many}` chooses by a number. A key without a text is shown as it is,
 * so that missing texts are noticed.
 * @param {string} key
 * @param {Record<string, any>} [params]
 * @returns {string}
 */
export function t(key, params) {
  const text = words[language.value][key] ?? words.en[key] ?? key;
  if (!params) return text;
  return text.replace(/\{(\w+)(?:\|([^|}]*)\|([^}]*))?\}/g, (whole, name, one, many) => {
    const value = params[name];
    if (value === undefined) return whole;
    if (one === undefined) return String(value);
    return (Number(value) === 1 ? one : many).replace("#", String(value));
  });
}

/** Whether there are words for a key: for names that the server makes, which may be new. @param {string} key */
export function has(key) {
  return key in words[language.value] || key in words.en;
}

/** The words of a name that the server gives, else the name itself. @param {string} prefix @param {string} name */
export function named(prefix, name) {
  return has(`${prefix}.${name}`) ? t(`${prefix}.${name}`) : name;
}
