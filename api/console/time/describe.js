// @ts-check
// A line about an event. Pure functions; the texts for types are in `words/time.js`, and a type without a text is shown by its name.

import { bytes, cost, duration, humane, number } from "../lib/format.js";
import { has, t } from "../lib/i18n.js";

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

/** Where it happened: `pages/3`. @param {any} data */
export function placeOf(data) {
  if (!data?.stage) return "";
  return data.item ? `${data.stage}/${data.item}` : data.stage;
}

/** @param {any} value */
const short = (value) => {
  const text = typeof value === "string" ? value : JSON.stringify(value) ?? "";
  return text.length > 160 ? `${text.slice(0, 160)}…` : text;
};

/** @param {(string | false | undefined | null)[]} parts */
const joined = (parts) => parts.filter(Boolean).join(" · ");

/** @type {Record<string, (data: any) => string>} */
const LINES = {
  session_opened: (d) => joined([d.pipeline, short(d.title ?? "")]),
  session_titled: (d) => d.title,
  session_forked: (d) => `${d.parent} @ ${d.at}`,
  message_received: (d) => short(d.text),
  message_sent: (d) => short(d.text),
  message_queued: (d) => joined([d.run, d.pipeline]),
  message_withdrawn: (d) => joined([d.run, d.reason]),
  file_put: (d) => joined([d.path, bytes(d.size)]),
  file_removed: (d) => d.path,
  run_started: (d) => joined([d.run, d.pipeline, short(d.brief)]),
  intent_classified: (d) => joined([d.intent, d.target, short(d.reason ?? "")]),
  refinement_requested: (d) => joined([`${d.base_run} → ${d.run}`, d.stage, short(d.feedback ?? "")]),
  artifact_edited: (d) => joined([d.artifact, d.kind, d.items?.join(", ")]),
  stage_started: (d) => joined([d.stage, d.items > 1 && `× ${d.items}`]),
  stage_closed: (d) => joined([d.stage, d.outcome]),
  stages_reopened: (d) => joined([(d.stages ?? []).join(", "), d.reason]),
  step_requested: (d) => joined([placeOf(d), d.attempt > 1 && t("time.attempt", { n: d.attempt })]),
  step_succeeded: (d) => joined([placeOf(d), d.attempt > 1 && t("time.attempt", { n: d.attempt })]),
  step_failed: (d) => joined([placeOf(d), d.code, short(d.message ?? "")]),
  step_cancelled: (d) => joined([placeOf(d), d.reason]),
  output_rejected: (d) => joined([placeOf(d), ...(d.violations ?? []).slice(0, 2).map((/** @type {any} */ it) => short(it.message ?? it))]),
  model_called: (d) => joined([placeOf(d), d.role, d.model, d.error ? short(d.error.message ?? d.error) : `${number((d.usage?.input ?? 0) + (d.usage?.output ?? 0))} ${t("time.tokens")}`,
    d.cost_micros > 0 && cost(d.cost_micros), d.latency_ms > 0 && duration(d.latency_ms)]),
  tool_called: (d) => joined([placeOf(d), d.tool, short(d.input)]),
  tool_returned: (d) => joined([placeOf(d), d.tool, short(d.error?.message ?? d.summary ?? "")]),
  artifact_produced: (d) => joined([d.kind + (d.part || d.item ? ` ${d.part || d.item}` : ""), d.title]),
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

/** @param {Event} event @returns {string} */
export function describe(event) {
  const data = event.data ?? {};
  return LINES[event.type]?.(data) ?? joined([data.run, placeOf(data)]);
}

/** @param {number} value */
const two = (value) => String(value).padStart(2, "0");

/** The time of day. Formatted by hand: a list has hundreds of them, and the browser's formatters are slow. @param {string} ts */
export function clockOf(ts) {
  const at = new Date(ts);
  return `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
}
