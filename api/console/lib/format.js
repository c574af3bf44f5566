// @ts-check
/** Numbers, times and sizes as people read them, in the language of the console. */
import { language, t } from "./i18n.js";

/** @type {Map<string, any>} */
const made = new Map();

/** @template T @param {string} key @param {(locale: string) => T} make @returns {T} */
function formatter(key, make) {
  const locale = language.value === "zh" ? "zh-CN" : "en";
  const name = `${locale} ${key}`;
  if (!made.has(name)) made.set(name, make(locale));
  return made.get(name);
}

/** @param {number} value */
export const number = (value) => formatter("number", (locale) => new Intl.NumberFormat(locale)).format(value ?? 0);

/** Large counts, shortened: 12.3k. @param {number} value */
export const compact = (value) =>
  formatter("compact", () => new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 })).format(value ?? 0).toLowerCase();

/** A part of a whole in percent, without decimals; a dash if the whole is 0. @param {number} part @param {number} whole */
export function share(part, whole) {
  if (!whole) return "–";
  return formatter("share", (locale) => new Intl.NumberFormat(locale, { style: "percent", maximumFractionDigits: 0 })).format(part / whole);
}

/** Millionths of the currency the prices are in. @param {number|undefined} micros */
export function cost(micros) {
  if (micros === undefined || micros === null) return "–";
  return formatter("cost", (locale) => new Intl.NumberFormat(locale, { maximumFractionDigits: 4 })).format(micros / 1e6);
}

/** @param {number} size */
export function bytes(size) {
  const units = ["B", "KiB", "MiB", "GiB"];
  let unit = 0;
  let left = size;
  while (left >= 1024 && unit < units.length - 1) { left /= 1024; unit += 1; }
  return `${unit === 0 ? left : left.toFixed(left < 10 ? 1 : 0)} ${units[unit]}`;
}

/** @param {number} ms */
export function duration(ms) {
  if (!Number.isFinite(ms) || ms < 0) return "";
  if (ms < 1000) return t("duration.ms", { n: Math.round(ms) });
  const seconds = ms / 1000;
  if (seconds < 60) return t("duration.s", { n: seconds < 9.95 ? seconds.toFixed(1) : Math.round(seconds) });
  const whole = Math.round(seconds);
  const [days, hours, minutes] = [Math.floor(whole / 86400), Math.floor(whole / 3600) % 24, Math.floor(whole / 60) % 60];
  if (days) return t("duration.d_h", { d: days, h: hours });
  if (hours) return t("duration.h_min", { h: hours, min: minutes });
  return t(whole % 60 ? "duration.min_s" : "duration.min", { min: minutes, s: whole % 60 });
}

/** Between two times as the server writes them. @param {string|undefined} from @param {string|number|undefined} to */
export function between(from, to) {
  if (!from || !to) return "";
  return duration(Math.max(0, +new Date(to) - +new Date(from)));
}

/** How long ago. @param {string} at @param {number} [now] */
export function ago(at, now = Date.now()) {
  // The clocks of two machines may differ by seconds.
  return Math.abs(+new Date(at) - now) < 10_000 ? t("ago.now") : distant(at, now);
}

/** How far a time is from now, in the past or the future; beyond thirty days its date. @param {string} at @param {number} [now] */
export function distant(at, now = Date.now()) {
  const seconds = Math.round((+new Date(at) - now) / 1000);
  const relative = formatter("relative", (locale) => new Intl.RelativeTimeFormat(locale, { numeric: "auto", style: "short" }));
  const distance = Math.abs(seconds);
  if (distance < 60) return relative.format(seconds, "second");
  if (distance < 3600) return relative.format(Math.round(seconds / 60), "minute");
  if (distance < 86400) return relative.format(Math.round(seconds / 3600), "hour");
  if (distance < 30 * 86400) return relative.format(Math.round(seconds / 86400), "day");
  return formatter("day", (locale) => new Intl.DateTimeFormat(locale, { dateStyle: "medium" })).format(new Date(at));
}

/** A date with its time. @param {string} at */
export const moment = (at) =>
  formatter("moment", (locale) => new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "medium" })).format(new Date(at));

/** The time of day. @param {string} at */
export const clock = (at) =>
  formatter("clock", (locale) => new Intl.DateTimeFormat(locale, { hour: "2-digit", minute: "2-digit", hour12: false })).format(new Date(at));

/** The time of day with its seconds. @param {string} at */
export const time = (at) =>
  formatter("time", (locale) => new Intl.DateTimeFormat(locale, { hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false })).format(new Date(at));

/** A readable form of a server's name that has no title: `requirement_analysis` reads as "Requirement analysis". @param {string} name */
export function humane(name) {
  const text = String(name ?? "").replace(/[_.:-]+/g, " ").replace(/(\p{Ll}|\d)(\p{Lu})/gu, (_, a, b) => `${a} ${b.toLowerCase()}`).trim();
  return text ? text[0].toUpperCase() + text.slice(1) : "";
}
