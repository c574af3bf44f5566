// @ts-check
// A line about an event. The texts for types are in `words/time.js`, and a type without a text is shown by its name.

import { bytes, cost, duration, humane, number } from "../lib/format.js";
import { has, named, t } from "../lib/i18n.js";
import { kindTitle } from "../lib/labels.js";
import { pipelineTitle, stageTitle } from "../lib/reading.js";

/** @typedef {{version: number, type: string, ts: string, data: any}} Event */
/** @typedef {"session"|"message"|"run"|"stage"|"step"|"call"|"artifact"|"gate"|"decision"|"failure"} Group */

/** What a type is about, for filters and marks. @type {Record<string, Group>} */
const GROUPS = {
  session_opened: "session", session_titled: "session", session_forked: "session", session_erased: "session",
  message_received: "message", message_queued: "message", message_withdrawn: "message", message_sent: "message", file_put: "message", file_removed: "message",
  run_started: "run", refinement_requested: "run", artifact_edited: "run", intent_classified: "run", run_completed: "run", run_cancelled: "run", head_moved: "run", budget_raised: "run", run_failed: "failure",
  stage_started: "stage", stage_closed: "stage", stages_reopened: "stage",
  step_requested: "step", step_succeeded: "step", step_cancelled: "step", step_failed: "failure", output_rejected: "failure",
  model_called: "call", tool_called: "call", tool_returned: "call", artifact_produced: "artifact",
  gate_opened: "gate", plan_confirmed: "gate", plan_declined: "gate", answer_given: "gate", decision_made: "decision",
};

/** @type {Group[]} */
export const ALL_GROUPS = ["message", "run", "stage", "step", "call", "artifact", "gate", "decision", "failure", "session"];

/** @param {Event} event @returns {Group} */
export function groupOf(event) {
  if (event.data?.error && (event.type === "model_called" || event.type === "tool_returned")) return "failure";
  return GROUPS[event.type] ?? "session";
}

/** @param {string} type */
export function typeName(type) {
  return has(`time.event.${type}`) ? t(`time.event.${type}`) : humane(type);
}

/**
 * How names of the log are said: as they are, by which they are searched, or as people read them.
 * @typedef {{pipeline: (name: string) => string, stage: (name: string) => string, kind: (name: string) => string, word: (prefix: string, name: string) => string}} Names
 * @type {Names}
 */
const AS_THEY_ARE = { pipeline: (name) => name, stage: (name) => name, kind: (name) => name, word: (_, name) => name };

/** @param {any} timeline @param {string} run @returns {Names} */
const asRead = (timeline, run) => ({ pipeline: pipelineTitle, stage: (name) => stageTitle(timeline.latest.runs.get(run)?.pipeline, name), kind: kindTitle, word: named });

/** Where it happened: `pages/3`. @param {any} data @param {Names} say */
function placeOf(data, say) {
  if (!data?.stage) return "";
  return data.item ? `${say.stage(data.stage)}/${data.item}` : say.stage(data.stage);
}

/** @param {any} value */
const short = (value) => {
  const text = typeof value === "string" ? value : JSON.stringify(value) ?? "";
  return text.length > 160 ? `${text.slice(0, 160)}…` : text;
};

/** @param {(string | false | undefined | null)[]} parts */
const joined = (parts) => parts.filter(Boolean).join(" · ");

/** @type {Record<string, (data: any, say: Names) => string>} */
const LINES = {
  session_opened: (d, say) => joined([say.pipeline(d.pipeline), short(d.title ?? "")]),
  session_titled: (d) => d.title,
  session_forked: (d) => `${d.parent} @ ${d.at}`,
  message_received: (d) => short(d.text),
  message_sent: (d) => short(d.text),
  message_queued: (d, say) => joined([d.run, say.pipeline(d.pipeline)]),
  message_withdrawn: (d) => joined([d.run, d.reason]),
  file_put: (d) => joined([d.path, bytes(d.size)]),
  file_removed: (d) => d.path,
  run_started: (d, say) => joined([d.run, say.pipeline(d.pipeline), short(d.brief)]),
  intent_classified: (d, say) => joined([say.word("intent", d.intent), d.target, short(d.reason ?? "")]),
  refinement_requested: (d, say) => joined([`${d.base_run} → ${d.run}`, say.stage(d.stage), short(d.feedback ?? "")]),
  artifact_edited: (d, say) => joined([d.artifact, say.kind(d.kind), d.items?.join(", ")]),
  stage_started: (d, say) => joined([say.stage(d.stage), d.items > 1 && `× ${d.items}`]),
  stage_closed: (d, say) => joined([say.stage(d.stage), say.word("status", d.outcome)]),
  stages_reopened: (d, say) => joined([(d.stages ?? []).map(say.stage).join(", "), d.reason]),
  step_requested: (d, say) => joined([placeOf(d, say), d.attempt > 1 && t("time.attempt", { n: d.attempt })]),
  step_succeeded: (d, say) => joined([placeOf(d, say), d.attempt > 1 && t("time.attempt", { n: d.attempt })]),
  step_failed: (d, say) => joined([placeOf(d, say), d.code, short(d.message ?? "")]),
  step_cancelled: (d, say) => joined([placeOf(d, say), d.reason]),
  output_rejected: (d, say) => joined([placeOf(d, say), ...(d.violations ?? []).slice(0, 2).map((/** @type {any} */ it) => short(it.message ?? it))]),
  model_called: (d, say) => joined([placeOf(d, say), d.role, d.model, d.error ? short(d.error.message ?? d.error) : `${number((d.usage?.input ?? 0) + (d.usage?.output ?? 0))} ${t("time.tokens")}`,
    d.cost_micros > 0 && cost(d.cost_micros), d.latency_ms > 0 && duration(d.latency_ms)]),
  tool_called: (d, say) => joined([placeOf(d, say), d.tool, short(d.input)]),
  tool_returned: (d, say) => joined([placeOf(d, say), d.tool, short(d.error?.message ?? d.summary ?? "")]),
  artifact_produced: (d, say) => joined([say.kind(d.kind) + (d.part || d.item ? ` ${d.part || d.item}` : ""), d.title]),
  decision_made: (d) => joined([`${d.what} → ${d.choice}`, short(d.reason ?? "")]),
  gate_opened: (d) => joined([d.name, short(d.question)]),
  plan_confirmed: (d) => joined([d.gate, d.by]),
  plan_declined: (d) => joined([d.gate, short(d.feedback ?? ""), d.by]),
  answer_given: (d) => joined([d.gate, short(d.answer), d.by]),
  run_completed: (d) => joined([d.run, d.partial && t("time.partial")]),
  run_failed: (d) => joined([d.run, d.code, short(d.message ?? "")]),
  run_cancelled: (d) => joined([d.run, d.reason]),
  head_moved: (d) => d.run,
  budget_raised: (d) => d.run,
};

/** @param {Event} event @param {any} [timeline] with its session, names are said as people read them @returns {string} */
export function describe(event, timeline) {
  const data = event.data ?? {};
  const say = timeline ? asRead(timeline, data.run) : AS_THEY_ARE;
  return LINES[event.type]?.(data, say) ?? joined([data.run, placeOf(data, say)]);
}

/** @param {number} value */
const two = (value) => String(value).padStart(2, "0");

/** The time of day. Formatted by hand: a list has hundreds of them, and the browser's formatters are slow. @param {string} ts */
export function clockOf(ts) {
  const at = new Date(ts);
  return `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
}
