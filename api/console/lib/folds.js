// @ts-check
/** What each event changes in the model: one function for each type of event, as in the server's `evolve`. */
import { edit } from "./fold.js";
import { attemptOf, buildOn, makeCurrent, reopenStep, runOf, stageOf, stepOf } from "./model.js";

/** @param {any} model @param {any} d @param {any} e @param {string} status @param {any} [error] */
function stepEnded(model, d, e, status, error) {
  const step = stepOf(model, d);
  if (!step) return;
  const attempt = attemptOf(model, step, d.attempt);
  if (attempt) Object.assign(attempt, { outcome: status, endedAt: e.ts, error });
  if (step.attempt !== d.attempt) return;
  Object.assign(step, { status, endedAt: e.ts, error: error ?? null });
  recount(model, d.run);
}

/** @param {any} model @param {string} run @param {any} e @param {any} outcome */
function runEnded(model, run, e, outcome) {
  if (model.active === run) model.active = null;
  const it = runOf(model, run);
  if (it) Object.assign(it, { outcome, status: outcome.is, endedAt: e.ts });
}

/** Computes whether a run is running or waiting. It waits if every open step has asked a person. @param {any} model @param {string} id */
function recount(model, id) {
  const run = runOf(model, id);
  if (!run || run.outcome) return;
  const gates = [...run.gates.values()].filter((gate) => !gate.answer);
  const asking = new Set(gates.map((gate) => gate.step).filter((step) => step && isOpen(run, ...stepOfId(step))));
  run.status = gates.length && run.open === asking.size ? "waiting" : "running";
}

/** The stage and the item of a step. @param {string} id such as `r1/sections/2` @returns {[string, string]} */
function stepOfId(id) {
  const [, stage, ...item] = id.split("/");
  return [stage, item.join("/")];
}

/** @param {any} run @param {string} stage @param {string} item */
const isOpen = (run, stage, item) => run?.stages.find((/** @type {any} */ it) => it.stage === stage)?.steps.get(item)?.status === "open";

/** Open steps are counted as they come and go, since looking through all of them at each event would be slow. @param {any} model @param {any} d @param {() => void} change */
function counting(model, d, change) {
  const open = () => Number(isOpen(model.runs.get(d.run), d.stage, d.item));
  const before = open();
  change();
  const run = runOf(model, d.run);
  if (run) run.open += open() - before;
  recount(model, d.run);
}

/** @param {any} model @param {any} d @param {any} answer @param {any} e */
function gateAnswered(model, d, answer, e) {
  const run = runOf(model, d.run);
  if (!run?.gates.has(d.gate)) return;
  Object.assign(edit(model, edit(model, run, "gates"), d.gate), { answer, answeredAt: e.ts });
  recount(model, d.run);
}

/** @param {any} run @param {any} d what a call took */
function spend(run, d) {
  run.spent = {
    calls: run.spent.calls + (d.usage ? 1 : 0),
    inputTokens: run.spent.inputTokens + (d.usage?.input ?? 0),
    outputTokens: run.spent.outputTokens + (d.usage?.output ?? 0),
    costMicros: run.spent.costMicros + (d.cost_micros ?? 0),
    workingMs: run.spent.workingMs + (d.latency_ms ?? 0),
  };
}

/** @param {any} model @param {any} d @param {any} call */
function called(model, d, call) {
  const step = stepOf(model, d);
  const attempt = step && attemptOf(model, step, d.attempt);
  if (attempt) edit(model, attempt, "calls").push(call);
}

/** @typedef {import("../types/protocol.ts").NativeEvent} NativeEvent */
/** @typedef {import("../types/protocol.ts").Envelope} Envelope */
/** @typedef {{[Type in NativeEvent["type"]]: (model: any, data: Extract<NativeEvent, {type: Type}>["data"], event: Envelope) => void}} Folds */

/** @type {Folds} */
export const folds = {
  session_opened(m, d) { Object.assign(m, { pipeline: d.pipeline, title: d.title }); },
  session_titled(m, d) { m.title = d.title; },
  session_forked(m, d) {
    m.forkedFrom = { session: d.parent, at: d.at };
    // Open gates are opened again under new ids.
    const run = m.active && runOf(m, m.active);
    if (!run) return;
    const gates = edit(m, run, "gates");
    for (const [id, gate] of gates) if (!gate.answer) gates.delete(id);
    recount(m, m.active);
  },
  session_erased(m) { m.erased = true; },
  message_received(m, d, e) {
    edit(m, m, "messages").push({ message: d.message, role: "user", text: d.text, attachments: d.attachments ?? [], run: d.run, at: e.ts, version: e.version });
  },
  message_queued(m, d, e) {
    edit(m, m, "queue").push({ message: d.message, run: d.run, pipeline: d.pipeline, at: e.ts, version: e.version });
  },
  message_withdrawn(m, d) {
    m.queue = m.queue.map((/** @type {any} */ queued) => (queued.run === d.run ? { ...queued, withdrawn: d.reason } : queued));
  },
  message_sent(m, d, e) {
    edit(m, m, "messages").push({ message: d.message, role: "assistant", text: d.text, attachments: [], run: d.run, at: e.ts, version: e.version });
  },
  file_put(m, d) {
    edit(m, m, "files").set(d.path, { path: d.path, blob: { sha256: d.sha256, size: d.size, media_type: d.media_type } });
  },
  file_removed(m, d) { edit(m, m, "files").delete(d.path); },
  run_started(m, d, e) {
    m.queue = m.queue.filter((/** @type {any} */ queued) => queued.run !== d.run);
    m.active = d.run;
    edit(m, m, "runs").set(d.run, {
      run: d.run, baseRun: null, children: [], pipeline: d.pipeline, status: "running", brief: d.brief, input: d.input ?? null,
      message: d.message ?? null, intent: null, feedback: null, refined: null, startedAt: d.at ?? e.ts, endedAt: null, outcome: null,
      settings: d.settings, budget: d.settings?.budget ?? null, version: e.version, open: 0, stages: [], gates: new Map(),
      decisions: [], artifacts: [], spent: { calls: 0, inputTokens: 0, outputTokens: 0, costMicros: 0, workingMs: 0 },
    });
    buildOn(m, d.run, d.base_run);
  },
  intent_classified(m, d, e) {
    const run = runOf(m, d.run);
    if (!run) return;
    buildOn(m, d.run, d.base_run);
    if (d.language) run.settings = { ...run.settings, language: d.language };
    run.intent = { intent: d.intent, target: d.target, confidence: d.confidence, by: d.by, reason: d.reason, reply: d.reply, at: e.ts };
    run.kept = d.kept?.length ?? 0;
    for (const id of d.kept ?? []) {
      const artifact = m.artifacts.get(id);
      if (artifact) makeCurrent(m, run, artifact);
    }
  },
  refinement_requested(m, d) {
    const run = runOf(m, d.run);
    if (!run) return;
    buildOn(m, d.run, d.base_run);
    Object.assign(run, { feedback: d.feedback, refined: d.stage });
  },
  // The artifact that the run makes shows what the person wrote.
  artifact_edited() {},
  stage_started(m, d, e) {
    const run = runOf(m, d.run);
    if (!run) return;
    const stage = stageOf(m, run, d.stage);
    if (stage) Object.assign(stage, { status: "open", items: d.items, endedAt: null, startedAgainAt: e.ts });
    else {
      edit(m, run, "stages").push({
        stage: d.stage, status: "open", items: d.items, reopened: 0, startedAt: e.ts, endedAt: null, steps: new Map(), feedback: null, version: e.version,
      });
    }
  },
  stage_closed(m, d, e) {
    const run = runOf(m, d.run);
    const stage = run && stageOf(m, run, d.stage);
    if (stage) Object.assign(stage, { status: d.outcome, endedAt: e.ts });
  },
  stages_reopened(m, d) {
    const run = runOf(m, d.run);
    if (!run) return;
    for (const name of d.stages) {
      const stage = stageOf(m, run, name);
      if (!stage) continue;
      const meant = !d.feedback_for || d.feedback_for === name;
      Object.assign(stage, { status: "reopened", reopened: stage.reopened + 1, reason: d.reason, feedback: meant ? d.feedback ?? stage.feedback : stage.feedback });
    }
    for (const id of d.steps ?? []) reopenStep(m, run, id);
  },
  step_requested(m, d, e) {
    const run = runOf(m, d.run);
    const stage = run && stageOf(m, run, d.stage);
    if (!stage) return;
    counting(m, d, () => {
      const steps = edit(m, stage, "steps");
      const before = steps.get(d.item);
      const attempt = { attempt: d.attempt, startedAt: e.ts, due: d.due, endedAt: null, outcome: null, guidance: d.guidance, violations: [], calls: [], version: e.version };
      steps.set(d.item, {
        step: d.step, run: d.run, stage: d.stage, item: d.item, status: "open", attempt: d.attempt, startedAt: before?.startedAt ?? e.ts, endedAt: null, error: null,
        violations: [], attempts: [...(before?.attempts ?? []), attempt], artifacts: [], reserve: d.reserve,
      });
    });
  },
  model_called(m, d, e) {
    const run = runOf(m, d.run);
    if (!run) return;
    spend(run, d);
    called(m, d, {
      is: "model", turn: d.turn, try: d.try, role: d.role, model: d.model, at: e.ts, version: e.version, latencyMs: d.latency_ms,
      inputTokens: d.usage?.input ?? 0, outputTokens: d.usage?.output ?? 0, costMicros: d.cost_micros ?? 0, error: d.error ?? null,
    });
  },
  tool_called(m, d, e) {
    called(m, d, { is: "tool", turn: d.turn, tool: d.tool, input: d.input, at: e.ts, version: e.version, latencyMs: null, summary: null, error: null });
  },
  tool_returned(m, d) {
    const run = runOf(m, d.run);
    if (!run) return;
    spend(run, d);
    const step = stepOf(m, d);
    const attempt = step && attemptOf(m, step, d.attempt);
    const place = attempt ? attempt.calls.findLastIndex((/** @type {any} */ call) => call.is === "tool" && call.turn === d.turn) : -1;
    if (place >= 0) Object.assign(edit(m, edit(m, attempt, "calls"), place), { latencyMs: d.latency_ms, summary: d.summary, error: d.error ?? null, costMicros: d.cost_micros ?? 0 });
  },
  output_rejected(m, d) {
    const step = stepOf(m, d);
    if (!step) return;
    const attempt = attemptOf(m, step, d.attempt);
    const violations = (d.violations ?? []).map((/** @type {any} */ v) => (v.path ? `\`${v.path}\` ${v.message}` : v.message));
    if (attempt) attempt.violations = violations;
    if (step.attempt === d.attempt) step.violations = violations;
  },
  artifact_produced(m, d, e) {
    const artifact = {
      artifact: d.artifact, kind: d.kind, part: d.part ?? "", number: d.number, title: d.title, run: d.run, stage: d.stage, item: d.part || d.item,
      step: d.step, attempt: d.attempt, from: d.from ?? [], shown: d.shown, content: d.content, body: d.body, blob: d.blob, version: e.version, at: e.ts,
    };
    edit(m, m, "artifacts").set(d.artifact, artifact);
    const step = stepOf(m, d);
    if (step) edit(m, step, "artifacts").push(d.artifact);
    const run = runOf(m, d.run);
    if (run) makeCurrent(m, run, artifact);
  },
  step_succeeded(m, d, e) { counting(m, d, () => stepEnded(m, d, e, "succeeded")); },
  step_failed(m, d, e) {
    counting(m, d, () => stepEnded(m, d, e, "failed", { code: d.code, message: d.message, retryable: d.retryable }));
  },
  step_cancelled(m, d, e) { counting(m, d, () => stepEnded(m, d, e, "cancelled")); },
  decision_made(m, d, e) {
    const run = runOf(m, d.run);
    if (run) edit(m, run, "decisions").push({ what: d.what, choice: d.choice, reason: d.reason, by: d.by, at: e.ts, version: e.version });
  },
  gate_opened(m, d, e) {
    const run = runOf(m, d.run);
    if (!run) return;
    edit(m, run, "gates").set(d.gate, {
      gate: d.gate, run: d.run, name: d.name, subject: d.subject ?? null, question: d.question, schema: d.schema ?? null, options: d.options ?? [],
      deadline: d.deadline ?? null, default: d.default ?? null, step: d.step ?? null, answer: null, openedAt: e.ts, version: e.version,
    });
    recount(m, d.run);
  },
  plan_confirmed(m, d, e) { gateAnswered(m, d, { is: "confirmed", edits: d.edits, by: d.by }, e); },
  plan_declined(m, d, e) { gateAnswered(m, d, { is: "declined", feedback: d.feedback, by: d.by }, e); },
  answer_given(m, d, e) { gateAnswered(m, d, { is: "given", answer: d.answer, by: d.by }, e); },
  budget_raised(m, d) {
    const run = runOf(m, d.run);
    if (run) run.budget = d.budget;
  },
  run_completed(m, d, e) {
    runEnded(m, d.run, e, { is: "completed", final: d.final, partial: d.partial });
    // A message that asked for no work does not change the current branch.
    if (d.final || (d.partial && m.runs.get(d.run)?.artifacts.length)) m.head = d.run;
  },
  run_failed(m, d, e) { runEnded(m, d.run, e, { is: "failed", code: d.code, message: d.message }); },
  run_cancelled(m, d, e) { runEnded(m, d.run, e, { is: "cancelled", reason: d.reason }); },
  head_moved(m, d) { m.head = d.run; },
};
