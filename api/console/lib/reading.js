// @ts-check
/** Functions on a model that several views share. None of them depends on a pipeline or a kind. */
import { signal } from "../vendor/preact.js";
import { pipelines } from "./api.js";
import { humane } from "./format.js";
import { has, language, t } from "./i18n.js";

/** The pipelines by their names, once they are known. */
export const described = signal(/** @type {Map<string, any>} */ (new Map()));
export const loadPipelines = () => pipelines(language.value).then((list) => { described.value = new Map(list.map((it) => [it.name, it])); });

/** @param {string} pipeline */
export const pipelineTitle = (pipeline) => described.value.get(pipeline)?.title ?? humane(pipeline);

/** @param {string} pipeline @param {string} stage */
export function stageTitle(pipeline, stage) {
  return described.value.get(pipeline)?.stages.find((/** @type {any} */ it) => it.name === stage)?.title ?? (has(`stage.${stage}`) ? t(`stage.${stage}`) : humane(stage));
}

/** Whether single items of a stage can be left out. @param {string} pipeline @param {string} stage @returns {boolean} */
export const skippable = (pipeline, stage) => Boolean(described.value.get(pipeline)?.stages.find((/** @type {any} */ it) => it.name === stage)?.skippable);

/** The title and description of an option, if the pipeline has them. @param {string} pipeline @param {string} id @returns {{title: string, description: string}|undefined} */
export const optionOf = (pipeline, id) => described.value.get(pipeline)?.options.find((/** @type {any} */ it) => it.option === id);

/** The JSON Schema of a kind, if the pipeline has one. @param {string} pipeline @param {string} kind */
export const kindSchema = (pipeline, kind) => kindInfo(pipeline, kind)?.schema;

/** The pipeline's description of a kind. @param {string} pipeline @param {string} kind @returns {import("../types/protocol.ts").KindInfo|undefined} */
export const kindInfo = (pipeline, kind) => described.value.get(pipeline)?.artifacts.find((/** @type {any} */ it) => it.kind === kind);

/** The default run: the active one, else the head, else the last one. @param {any} model */
export function mainRun(model) {
  return model.runs.get(model.active) ?? model.runs.get(model.head) ?? [...model.runs.values()].at(-1) ?? null;
}

/** @param {any} model */
export const lastRun = (model) => [...model.runs.values()].at(-1) ?? null;

/** The status of the whole session. @param {any} model */
export const sessionStatus = (model) => (model.runs.get(model.active) ?? lastRun(model))?.status;

/** Whether a browser can show it. Files of office programs and archives are for downloading. @param {any} artifact */
export function isVisible(artifact) {
  const type = artifact.blob?.media_type ?? "application/json";
  return /^(text|image)\//.test(type) || /^application\/(.*\+)?(json|xml|pdf)\b/.test(type);
}

/** Open gates, those of the run at work. @param {any} model */
export function openGates(model) {
  const run = model.runs.get(model.active);
  return run ? [...run.gates.values()].filter((gate) => !gate.answer) : [];
}

/** Whether the last run is done, and nothing else is at work. @param {any} model */
export const isDone = (model) => !model.active && lastRun(model)?.status === "completed";

/** What a run delivered: its result, or the first of its forms that can be shown. @param {any} model @param {any} run */
function delivered(model, run) {
  if (run?.outcome?.is !== "completed") return undefined;
  const made = run.artifacts.map((/** @type {string} */ id) => model.artifacts.get(id)).filter(Boolean);
  const { forms = [], checks = [] } = described.value.get(run.pipeline) ?? {};
  const isCheck = (/** @type {string} */ kind) => checks.some((/** @type {any} */ it) => it.kind === kind);
  const inForms = forms.filter((/** @type {any} */ it) => !isCheck(it.kind)).map((/** @type {any} */ it) => made.find((/** @type {any} */ one) => one.kind === it.kind));
  return [model.artifacts.get(run.outcome.final), ...inForms].find((it) => it && isVisible(it));
}

/** The artifact to show first: the one that an open gate is about, else what was delivered, else the last one that is meant to be seen. @param {any} model */
export function worthSeeing(model) {
  const subject = openGates(model).map((gate) => model.artifacts.get(gate.subject)).filter(Boolean).at(-1) ?? delivered(model, mainRun(model));
  if (subject) return subject;
  // Only current artifacts, if there are any: artifacts of other branches are shown on request.
  const counts = mainRun(model)?.artifacts.map((/** @type {string} */ id) => model.artifacts.get(id)).filter(Boolean) ?? [];
  const all = counts.length ? counts.sort((/** @type {any} */ a, /** @type {any} */ b) => a.version - b.version) : [...model.artifacts.values()];
  const last = (/** @type {(it: any) => boolean} */ is) => all.findLast(is);
  return last((it) => it.shown && isVisible(it)) ?? last(isVisible) ?? all.at(-1) ?? null;
}

/** The versions of the same thing, by number. @param {any} model @param {any} artifact */
export function versionsOf(model, artifact) {
  return [...model.artifacts.values()].filter((it) => it.kind === artifact.kind && it.item === artifact.item).sort((a, b) => a.number - b.number);
}

/** The current artifacts of a run, by kind, in the order in which they were made; pages in the order of their numbers. @param {any} model @param {any} run */
export function artifactsByKind(model, run) {
  /** @type {Map<string, any[]>} */
  const kinds = new Map();
  const made = run.artifacts.map((/** @type {string} */ id) => model.artifacts.get(id)).filter(Boolean);
  for (const artifact of made.sort((/** @type {any} */ a, /** @type {any} */ b) => a.version - b.version)) {
    kinds.set(artifact.kind, [...(kinds.get(artifact.kind) ?? []), artifact]);
  }
  for (const list of kinds.values()) list.sort((a, b) => byItem(a.item, b.item));
  return kinds;
}

/** @param {string} a @param {string} b */
export function byItem(a, b) {
  const [x, y] = [Number.parseInt(a, 10), Number.parseInt(b, 10)];
  if (Number.isNaN(x) || Number.isNaN(y)) return Number.isNaN(x) === Number.isNaN(y) ? (a < b ? -1 : a > b ? 1 : 0) : Number.isNaN(x) ? 1 : -1;
  return x - y || (a < b ? -1 : 1);
}

/**
 * The stages that a run has not begun, in the pipeline's order: those that it took over from its base run, and those still to come.
 * @param {any} run @returns {{kept: string[], ahead: string[], all: string[]}}
 */
export function stagesNotBegun(run) {
  const all = described.value.get(run.pipeline)?.stages.map((/** @type {any} */ it) => it.name) ?? [];
  const began = new Set(run.stages.map((/** @type {any} */ it) => it.stage));
  const first = all.findIndex((/** @type {string} */ name) => began.has(name));
  const missing = all.filter((/** @type {string} */ name) => !began.has(name));
  // A refinement keeps the results of the stages before its target, so that these stages never begin.
  const isKept = (/** @type {string} */ name) => run.kept > 0 && (run.outcome?.is === "completed" || (first >= 0 && all.indexOf(name) < first));
  return { all, kept: missing.filter(isKept), ahead: run.outcome ? [] : missing.filter((/** @type {string} */ name) => !isKept(name)) };
}

/** What all runs spent. @param {any} model */
export function spentTotal(model) {
  const total = { calls: 0, inputTokens: 0, outputTokens: 0, costMicros: 0, workingMs: 0 };
  for (const run of model.runs.values()) for (const name of Object.keys(total)) /** @type {any} */ (total)[name] += run.spent[name];
  return total;
}

/** The run that a change was made on, if what is delivered is the same, byte for byte. @param {any} model @param {any} run @returns {string | null} */
export function sameAs(model, run) {
  const made = (/** @type {any} */ it) => model.artifacts.get(it?.outcome?.final)?.blob?.sha256;
  const isSame = run.refined && made(run) && made(run) === made(model.runs.get(run.baseRun));
  return isSame ? run.baseRun : null;
}

/** The reason why a run was started, in a line. @param {any} run */
export const runPurpose = (run) => run.feedback || run.brief || "";
