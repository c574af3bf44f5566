// @ts-check
/** The state of a run of the story protocol, from its frames. Pure functions. */

/**
 * @typedef {{step: number, agent: string, attempt: number, text: string, chars: number}} StepText
 * @typedef {{runId: string, session: string, intent: any, thoughts: any[], texts: StepText[], tools: any[], preflight: any, checking: any, check: any,
 *   updates: any[], asked: any, chosen: string|null, chain: any, warnings: any[], error: any, done: any, lastId: string}} StoryRun
 */

/** @returns {StoryRun} a run without any frame yet */
export const begun = () => ({
  runId: "", session: "", intent: null, thoughts: [], texts: [], tools: [], preflight: null, checking: null, check: null, updates: [],
  asked: null, chosen: null, chain: null, warnings: [], error: null, done: null, lastId: "",
});

/**
 * Adds a frame to what is known of a run.
 * @param {StoryRun} run it is changed
 * @param {any} frame
 * @param {string} [id] id of the frame, to reconnect with
 */
export function take(run, frame, id) {
  if (id) run.lastId = id;
  run.runId = frame.runId ?? run.runId;
  // Frames after a pause continue the run.
  run.done = null;
  switch (frame.type) {
    case "thought": thought(run, frame); break;
    case "content": content(run, frame); break;
    case "tool_start": run.tools.push(frame); break;
    case "tool_end": ended(run, frame); break;
    case "preflight_result": run.preflight = frame; break;
    case "processing_check": run.checking = frame; break;
    case "check_result": run.check = frame; run.checking = null; break;
    case "relationship_update": case "structure_update": case "knowledge_update": run.updates.push(frame); break;
    case "user_input_required": run.asked = frame; run.chosen = null; break;
    case "chain_summary": run.chain = frame; break;
    case "warning": run.warnings.push(frame); break;
    case "error": run.error = frame; break;
    case "done": run.done = frame; run.session = frame.sessionId ?? run.session; run.checking = null; break;
    default: break; // A newer server may tell of more.
  }
}

/** @param {StoryRun} run @param {any} frame */
function thought(run, frame) {
  run.thoughts.push(frame);
  if (frame.stage === "routing") {
    run.intent = frame;
    run.session = frame.sessionId ?? run.session;
  }
  if (frame.stage === "selection" && run.asked) run.chosen = String(frame.selection ?? "");
}

/** Adds a piece at its offset in the text of its step. It replaces everything from there on. @param {StoryRun} run @param {any} frame */
function content(run, frame) {
  const known = run.texts.find((it) => it.step === frame.step) ?? { step: frame.step, agent: frame.agent, attempt: frame.attempt, text: "", chars: 0 };
  const before = frame.offset < known.chars ? [...known.text].slice(0, frame.offset).join("") : known.text;
  const step = {
    step: frame.step, agent: frame.agent ?? known.agent, attempt: frame.attempt, text: before + frame.content,
    chars: Math.min(frame.offset, known.chars) + [...frame.content].length,
  };
  run.texts = [...run.texts.filter((it) => it !== known), step].sort((one, other) => one.step - other.step);
}

/** @param {StoryRun} run @param {any} frame */
function ended(run, frame) {
  run.tools = run.tools.map((it) => (it.toolCallId === frame.toolCallId ? { ...it, ...frame } : it));
}
