// @ts-check
// The marks on the time bar: runs as stretches, and signs for important events. Each event is read once.

import { groupOf } from "./describe.js";

/**
 * @typedef {"stage" | "artifact" | "run" | "gate" | "failure"} Sign
 * @typedef {{version: number, sign: Sign}} Mark
 * @typedef {{run: string, from: number, to: number | null, outcome: string}} Stretch
 */

/** If two signs fall together, the later one in this order is shown. @type {Sign[]} */
const ORDER = ["stage", "artifact", "run", "gate", "failure"];

/** @type {WeakMap<any, {count: number, first: any, marks: Mark[], runs: Stretch[]}>} */
const read = new WeakMap();

/** @param {any} event @returns {Sign | null} */
function signOf(event) {
  const group = groupOf(event);
  if (group === "failure") return "failure";
  if (event.type === "gate_opened") return "gate";
  if (event.type === "run_started" || event.type === "run_completed" || event.type === "run_cancelled" || event.type === "head_moved") return "run";
  if (event.type === "artifact_produced") return event.data.shown ? "artifact" : null;
  return event.type === "stage_started" || event.type === "stages_reopened" ? "stage" : null;
}

/** All signs and runs so far. @param {{events: any[]}} timeline */
export function marksOf(timeline) {
  let known = read.get(timeline);
  if (!known || known.count > timeline.events.length || known.first !== timeline.events[0]) {
    known = { count: 0, first: timeline.events[0], marks: [], runs: [] };
    read.set(timeline, known);
  }
  for (; known.count < timeline.events.length; known.count += 1) {
    const event = timeline.events[known.count];
    const sign = signOf(event);
    if (sign) known.marks.push({ version: event.version, sign });
    stretch(known.runs, event);
  }
  return known;
}

/** @param {Stretch[]} runs @param {any} event */
function stretch(runs, event) {
  if (event.type === "run_started") {
    const before = runs.at(-1);
    if (before && before.to === null) before.to = event.version - 1;
    runs.push({ run: event.data.run, from: event.version, to: null, outcome: "running" });
  }
  const outcome = /** @type {Record<string, string>} */ ({ run_completed: "completed", run_failed: "failed", run_cancelled: "cancelled" })[event.type];
  const run = outcome && runs.findLast((it) => it.run === event.data.run);
  if (run) {
    run.outcome = outcome;
    run.to = event.version;
  }
}

/**
 * The signs that fit beside each other on the bar.
 * @param {Mark[]} marks @param {number} head @param {number} places
 * @returns {{sign: Sign, version: number, at: number}[]} `at`: share of the bar
 */
export function thinned(marks, head, places) {
  /** @type {Map<number, Mark>} */
  const shown = new Map();
  for (const mark of marks) {
    const place = Math.round((shareOf(mark.version, head)) * places);
    const other = shown.get(place);
    if (!other || ORDER.indexOf(mark.sign) > ORDER.indexOf(other.sign)) shown.set(place, mark);
  }
  return [...shown.values()].map((mark) => ({ ...mark, at: shareOf(mark.version, head) }));
}

/** Where a version stands on the bar, from 0 to 1. @param {number} version @param {number} head */
export const shareOf = (version, head) => (head > 1 ? (version - 1) / (head - 1) : 1);

/** The next mark in a direction. @param {Mark[]} marks @param {number} version @param {number} by @returns {number | null} */
export function nextMark(marks, version, by) {
  const found = by > 0 ? marks.find((it) => it.version > version) : marks.findLast((it) => it.version < version);
  return found?.version ?? null;
}
