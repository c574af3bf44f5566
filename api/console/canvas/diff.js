// @ts-check
// The differences between two texts, as rows that are shown side by side. Pure functions.

import { diffArrays, diffLines, diffWordsWithSpace } from "../vendor/diff.js";

/**
 * @typedef {{value: string, changed?: boolean}} Part
 * @typedef {{is: "equal" | "changed" | "added" | "removed", left?: Part[], right?: Part[], leftNumber?: number, rightNumber?: number}} Row
 * @typedef {{rows: Row[], folded?: false} | {rows: Row[], folded: true}} Stretch
 */

/** Milliseconds after which a comparison is given up. */
const PATIENCE_MS = 1500;

/** The share of a line that must be the same for its words to be compared. With less, it counts as another line. */
const ALIKE = 0.35;

/** Equal rows that are shown before and after a change. */
const AROUND = 3;

/**
 * The lines of two texts beside each other; null if the comparison would take too long.
 * @param {string} left @param {string} right
 * @returns {Row[] | null}
 */
export function rowsOf(left, right) {
  const changes = diffLines(ended(left), ended(right), { timeout: PATIENCE_MS });
  if (!changes) return null;
  /** @type {Row[]} */
  const rows = [];
  const at = { left: 1, right: 1 };
  for (let n = 0; n < changes.length; n += 1) {
    const [change, next] = [changes[n], changes[n + 1]];
    if (!change.added && !change.removed) {
      for (const line of lines(change.value)) rows.push({ is: "equal", left: [{ value: line }], right: [{ value: line }], leftNumber: at.left++, rightNumber: at.right++ });
    } else if (change.removed && next?.added) {
      pair(lines(change.value), lines(next.value), rows, at);
      n += 1;
    } else {
      pair(change.removed ? lines(change.value) : [], change.added ? lines(change.value) : [], rows, at);
    }
  }
  return rows;
}

/** @param {string} text */
const ended = (text) => (text === "" || text.endsWith("\n") ? text : `${text}\n`);

/** @param {string} text */
const lines = (text) => (text === "" ? [] : (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n"));

/**
 * Puts removed lines beside added lines, as far as they are alike.
 * @param {string[]} gone @param {string[]} come @param {Row[]} rows @param {{left: number, right: number}} at
 */
function pair(gone, come, rows, at) {
  for (let n = 0; n < Math.max(gone.length, come.length); n += 1) {
    const words = n < gone.length && n < come.length ? wordsOf(gone[n], come[n]) : null;
    if (words) {
      rows.push({ is: "changed", ...words, leftNumber: at.left++, rightNumber: at.right++ });
      continue;
    }
    if (n < gone.length) rows.push({ is: "removed", left: [{ value: gone[n] }], leftNumber: at.left++ });
    if (n < come.length) rows.push({ is: "added", right: [{ value: come[n] }], rightNumber: at.right++ });
  }
}

/** The words of two lines; null if hardly any of them are the same. @param {string} left @param {string} right @returns {{left: Part[], right: Part[]} | null} */
export function wordsOf(left, right) {
  const changes = diffWordsWithSpace(left, right, { timeout: PATIENCE_MS });
  if (!changes) return null;
  const kept = changes.reduce((/** @type {number} */ sum, /** @type {any} */ it) => sum + (it.added || it.removed ? 0 : it.value.trim().length), 0);
  if (kept < ALIKE * Math.min(left.trim().length, right.trim().length)) return null;
  const side = (/** @type {"added" | "removed"} */ other) => changes.filter((/** @type {any} */ it) => !it[other]).map((/** @type {any} */ it) => ({ value: it.value, changed: Boolean(it.added || it.removed) }));
  return { left: side("added"), right: side("removed") };
}

/** Rows in stretches; long equal ones are folded. @param {Row[]} rows @returns {Stretch[]} */
export function stretchesOf(rows) {
  /** @type {Stretch[]} */
  const stretches = [];
  for (let from = 0; from < rows.length;) {
    const isEqual = rows[from].is === "equal";
    let to = from;
    while (to < rows.length && (rows[to].is === "equal") === isEqual) to += 1;
    if (!isEqual) stretches.push({ rows: rows.slice(from, to) });
    else {
      const first = from === 0 ? from : from + AROUND;
      const last = to === rows.length ? to : to - AROUND;
      if (last - first < 2) stretches.push({ rows: rows.slice(from, to) });
      else {
        if (first > from) stretches.push({ rows: rows.slice(from, first) });
        stretches.push({ rows: rows.slice(first, last), folded: true });
        if (last < to) stretches.push({ rows: rows.slice(last, to) });
      }
    }
    from = to;
  }
  return stretches;
}

/** @param {Row[]} rows */
export function countOf(rows) {
  let changes = 0;
  rows.forEach((row, n) => { if (row.is !== "equal" && (n === 0 || rows[n - 1].is === "equal")) changes += 1; });
  return changes;
}

/**
 * Pairs the pages of two documents: equal ones first; the pages between them are paired in their order as changed.
 * @template T
 * @param {T[]} left @param {T[]} right @param {(page: T) => string} keyOf
 * @returns {{left?: T, right?: T}[]}
 */
export function pairsOf(left, right, keyOf) {
  const changes = diffArrays(left, right, { comparator: (/** @type {T} */ a, /** @type {T} */ b) => keyOf(a) === keyOf(b) });
  /** @type {{left?: T, right?: T}[]} */
  const pairs = [];
  const at = { left: 0, right: 0 };
  for (let n = 0; n < changes.length; n += 1) {
    const change = changes[n];
    const count = change.value.length;
    if (!change.added && !change.removed) {
      for (let k = 0; k < count; k += 1) pairs.push({ left: left[at.left++], right: right[at.right++] });
      continue;
    }
    const other = changes[n + 1];
    const isPair = other && change.removed !== other.removed && (other.added || other.removed);
    const [gone, come] = [change.removed ? count : isPair && other.removed ? other.value.length : 0, change.added ? count : isPair && other.added ? other.value.length : 0];
    for (let k = 0; k < Math.max(gone, come); k += 1) pairs.push({ left: k < gone ? left[at.left++] : undefined, right: k < come ? right[at.right++] : undefined });
    if (isPair) n += 1;
  }
  return pairs;
}
