// The console's fold against the server's own view: node console_fold.mjs <server> [session...]
//
// For every version N of a session, what `api/console/lib/fold.js` makes of the events up to N has to be what
// `GET /v1/sessions/{id}?at=N` says, as far as both speak of it; and a model that was handed out never changes. Without
// sessions all of them are looked at. Ends with status 1 and the first difference.

import { deepStrictEqual } from "node:assert/strict";
import { pathToFileURL } from "node:url";
import { Timeline } from "../../api/console/lib/fold.js";

/** What belongs to the fold alone, which keeps more of an answer than its view shows: times, order, places in the log. */
const said = (record, ...names) => Object.fromEntries(names.filter((name) => record[name] != null).map((name) => [name, record[name]]));

const byNumber = (item) => {
  const number = /^\d+$/.test(item) ? Number(item) : Number.MAX_SAFE_INTEGER;
  return [number, item];
};
const compare = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
const inOrder = (key) => (a, b) => {
  const [left, right] = [key(a), key(b)];
  for (let at = 0; at < left.length; at += 1) if (compare(left[at], right[at])) return compare(left[at], right[at]);
  return 0;
};

/** A violation as the view says it. */
const violation = (it) => (typeof it === "string" ? it : it.path ? `\`${it.path}\` ${it.message}` : it.message);

function stepOf(step) {
  return {
    ...said(step, "step", "item", "status", "attempt", "artifacts"),
    ...(step.error ? { error: said(step.error, "code", "message", "retryable") } : {}),
    violations: step.violations.map(violation),
  };
}

function stageOf(stage, steps) {
  return {
    ...said(stage, "stage", "status", "items", "reopened"),
    steps: steps.map(stepOf).sort(inOrder((step) => byNumber(step.item))),
  };
}

function gateOf(gate) {
  const isEmpty = (value) => value == null || (Array.isArray(value) && !value.length);
  const told = said(gate, "gate", "name", "subject", "question", "schema", "options", "deadline", "default", "answer");
  return Object.fromEntries(Object.entries(told).filter(([, value]) => !isEmpty(value)).map(([name, value]) => [name, name === "answer" ? definite(value) : value]));
}

/** Without what is absent. */
const definite = (record) => JSON.parse(JSON.stringify(record));

/** What both have of a run; `view` says how the names are there. */
function runOf(run, { base, started, spent, stages, gates }) {
  const { calls, inputTokens, outputTokens, costMicros, workingMs } = spent;
  return definite({
    ...said(run, "run", "pipeline", "status", "brief", "message", "feedback", "settings", "artifacts", "children"),
    base,
    intent: run.intent ? said(run.intent, "intent", "target", "confidence", "by", "reason") : undefined,
    outcome: run.outcome ?? undefined,
    spent: { calls, inputTokens, outputTokens, costMicros, workingMs },
    limits: run.budget?.limits ?? run.budget,
    stages,
    gates: gates.map(gateOf),
    decisions: run.decisions.map((it) => said(it, "what", "choice", "reason", "by")),
  });
}

function artifactOf(artifact) {
  return definite({
    ...said(artifact, "artifact", "kind", "number", "title", "run", "step", "item", "from", "content"),
    blob: artifact.blob ? said(artifact.blob, "sha256", "size", "media_type") : undefined,
  });
}

const messageOf = (it) => definite({ ...said(it, "message", "role", "text", "run"), attachments: it.attachments ?? [] });
const artifactOrder = (it) => [Number(it.run.slice(1)), it.kind, ...byNumber(it.item), it.number];

/** What the model of the fold says. */
export function ofModel(model) {
  return definite({
    ...said(model, "version", "title", "pipeline", "active", "head"),
    erased: model.erased,
    forkedFrom: model.forkedFrom ?? undefined,
    runs: [...model.runs.values()].map((run) =>
      runOf(run, {
        base: run.baseRun ?? undefined, spent: run.spent, gates: [...run.gates.values()],
        stages: run.stages.map((stage) => stageOf(stage, [...stage.steps.values()])),
      })),
    artifacts: [...model.artifacts.values()].map(artifactOf).sort(inOrder(artifactOrder)),
    messages: model.messages.map(messageOf),
    queue: model.queue.map((it) => said(it, "message", "run", "pipeline")),
    files: [...model.files.values()].map((it) => said(it, "path", "blob")).sort(inOrder((it) => [it.path])),
  });
}

/** What the server's view says, in the same words. */
export function ofView(view) {
  return definite({
    ...said(view, "version", "title", "pipeline", "active", "head"),
    erased: view.erased,
    forkedFrom: view.forked_from,
    runs: view.runs.map((run) => {
      const { calls, input_tokens: inputTokens, output_tokens: outputTokens, cost_micros: costMicros, working_ms: workingMs } = run.budget.spent;
      return runOf(run, {
        base: run.base_run, spent: { calls, inputTokens, outputTokens, costMicros, workingMs }, gates: run.gates,
        stages: run.stages.map((stage) => stageOf({ ...stage }, stage.steps.map((step) => ({ violations: [], ...step })))),
      });
    }),
    artifacts: view.artifacts.map(artifactOf).sort(inOrder(artifactOrder)),
    messages: view.messages.map(messageOf),
    queue: view.queue.map((it) => said(it, "message", "run", "pipeline")),
    files: view.files.map((it) => said(it, "path", "blob")).sort(inOrder((it) => [it.path])),
  });
}

async function read(address, headers = {}) {
  const answer = await fetch(address, { headers });
  if (!answer.ok) throw new Error(`${address}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

/** Every event of a session. */
export async function eventsOf(server, session, headers) {
  const events = [];
  for (let cursor = "start", page; !page?.up_to_date; cursor = page.cursor) {
    page = await read(`${server}/v1/sessions/${session}/events?limit=1000&after=${cursor}`, headers);
    events.push(...page.events);
  }
  return events;
}

/** Numbers from 1 to a count in an order that follows from the count, so that a failure is found again. */
function shuffled(count) {
  const numbers = Array.from({ length: count }, (_, at) => at + 1);
  let seed = count;
  for (let at = count - 1; at > 0; at -= 1) {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    const other = seed % (at + 1);
    [numbers[at], numbers[other]] = [numbers[other], numbers[at]];
  }
  return numbers;
}

/** Checks the law for every version of a session; gives how many there were. */
export async function check(server, session, headers) {
  const events = await eventsOf(server, session, headers);
  const views = [];
  for (const { version } of events) views.push(ofView(await read(`${server}/v1/sessions/${session}?at=${version}`, headers)));
  const at = (version) => ({ session, version, event: events[version - 1].type });
  const whole = new Timeline();
  // As a connection brings them, with some that are known already.
  for (let from = 0; from < events.length; from += 7) whole.push(events.slice(Math.max(0, from - 2), from + 7));
  const handed = [];
  for (const version of shuffled(events.length)) {
    const model = whole.at(version);
    deepStrictEqual({ ...at(version), state: ofModel(model) }, { ...at(version), state: views[version - 1] });
    handed.push([version, model]);
  }
  for (const [version, model] of handed) {
    deepStrictEqual({ ...at(version), unchanged: ofModel(model) }, { ...at(version), unchanged: views[version - 1] });
  }
  const growing = new Timeline();
  events.forEach((event, place) => {
    growing.push([event]);
    deepStrictEqual({ ...at(event.version), live: ofModel(growing.latest) }, { ...at(event.version), live: views[place] });
  });
  return events.length;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const [server, ...named] = process.argv.slice(2);
  if (!server) {
    console.error("usage: node console_fold.mjs <server> [session...], such as node console_fold.mjs http://127.0.0.1:8080");
    process.exit(2);
  }
  const all = named.length ? named : (await read(`${server}/v1/sessions?limit=200`)).sessions.map((it) => it.session);
  for (const session of all) console.log(`ok   ${session}: ${await check(server, session)} versions`);
}
