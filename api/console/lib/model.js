// @ts-check
/** Finds parts of a model that are to be changed; each becomes a part of the current epoch. */
import { edit } from "./fold.js";

/** @param {any} model @param {string} run */
export function runOf(model, run) {
  return model.runs.has(run) ? edit(model, edit(model, model, "runs"), run) : undefined;
}

/** @param {any} model @param {any} run @param {string} name */
export function stageOf(model, run, name) {
  const place = run.stages.findIndex((/** @type {any} */ stage) => stage.stage === name);
  return place < 0 ? undefined : edit(model, edit(model, run, "stages"), place);
}

/** @param {any} model @param {any} d */
export function stepOf(model, d) {
  const run = runOf(model, d.run);
  const stage = run && stageOf(model, run, d.stage);
  if (!stage?.steps.has(d.item)) return undefined;
  return edit(model, edit(model, stage, "steps"), d.item);
}

/** The latest attempt of a step, if it has this number. @param {any} model @param {any} step @param {number} attempt */
export function attemptOf(model, step, attempt) {
  const place = step.attempts.findLastIndex((/** @type {any} */ it) => it.attempt === attempt);
  return place < 0 ? undefined : edit(model, edit(model, step, "attempts"), place);
}

/** Makes an artifact current in its run, in the place of the one with the same kind and item. The list keeps the server's order. @param {any} model @param {any} run @param {any} artifact */
export function makeCurrent(model, run, artifact) {
  const list = edit(model, run, "artifacts");
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (order(model.artifacts.get(list[middle]), artifact) < 0) low = middle + 1;
    else high = middle;
  }
  const same = low < list.length && order(model.artifacts.get(list[low]), artifact) === 0;
  list.splice(low, same ? 1 : 0, artifact.artifact);
}

/** @param {any} a @param {any} b */
function order(a, b) {
  if (a.kind !== b.kind) return a.kind < b.kind ? -1 : 1;
  return a.item === b.item ? 0 : a.item < b.item ? -1 : 1;
}

/** @param {any} model @param {string} id @param {string|undefined} base */
export function buildOn(model, id, base) {
  const run = runOf(model, id);
  const before = run.baseRun;
  run.baseRun = base ?? null;
  if (before === run.baseRun) return;
  const old = before && runOf(model, before);
  if (old) old.children = old.children.filter((/** @type {string} */ child) => child !== id);
  const it = base && runOf(model, base);
  if (it && !it.children.includes(id)) it.children = [...it.children, id];
}

/** @param {any} model @param {any} run @param {string} id as `r1/stage/item` */
export function reopenStep(model, run, id) {
  const [, stage, ...rest] = id.split("/");
  const item = rest.join("/");
  const step = stepOf(model, { run: run.run, stage, item });
  if (step) {
    if (step.status === "open") run.open -= 1;
    Object.assign(step, { status: "reopened", artifacts: [] });
  }
  run.artifacts = run.artifacts.filter((/** @type {string} */ one) => {
    const made = model.artifacts.get(one);
    return made.stage !== stage || stepItem(made) !== item;
  });
}

/** The item of the step that made an artifact. It differs from the artifact's own item if the step makes several. @param {any} artifact */
function stepItem(artifact) {
  return artifact.step.split("/").slice(2).join("/");
}
