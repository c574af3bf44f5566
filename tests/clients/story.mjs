// The story protocol as `eventsource` sees it: node story.mjs <server> <prose> <group>...
//
// Groups: intents, cuts. The server has a project for each intent, called after it in small letters, and a model whose writer answers
// with the prose. Ends with status 0 when everything is as the contract says, else with 1 and the first deviation. `eventsource` asks
// by GET; with a `fetch` of ours it asks by POST, and comes back by itself with what the browser would send.

import { EventSource } from "eventsource";

const [server, prose, ...wanted] = process.argv.slice(2);
if (!wanted.length) {
  console.error("usage: node story.mjs <server> <prose> <group>..., such as node story.mjs http://127.0.0.1:8080 灯亮了。 intents");
  process.exit(2);
}

/** How long anything may take; this only ends what hangs. */
const PATIENCE_MS = 120_000;

const CHAT = "/api/v2/agent/chat";

const NAMES = [
  "thought", "content", "tool_start", "tool_end", "processing_check", "check_result", "relationship_update", "structure_update",
  "knowledge_update", "user_input_required", "chain_summary", "preflight_result", "warning", "error", "done",
];

/** What each intent comes to: workflow, agents, tasks of the preprocessing, and what is told beside the text. */
const of = (workflow, agents, tasks, more = {}) => ({ workflow, agents, tasks, told: [], ...more });
const WORLD = of("WORLD_BUILDING", ["WorldBuilderAgent"], 2, { told: ["knowledge_update"] });
const CHARACTER = of("CHARACTER_DESIGN", ["CharacterAgent"], 3, { told: ["relationship_update"] });
const OUTLINE = of("OUTLINE_PLANNING", ["PlannerAgent"], 3, { told: ["structure_update"] });
const REPORT = of("CONSISTENCY_CHECK", ["ConsistencyAgent"], 2, { told: ["check_result"] });
const CHECKED = ["processing_check", "check_result"];
const INTENTS = {
  WRITE_CONTENT: of("CONTENT_GENERATION", ["WriterAgent"], 6, { told: CHECKED, ends: prose }),
  PLAN_WORLD: WORLD,
  BRAINSTORM_IDEA: WORLD,
  PLAN_CHARACTER: CHARACTER,
  DESIGN_RELATIONSHIP: CHARACTER,
  MATCH_ARCHETYPE: CHARACTER,
  PLAN_OUTLINE: OUTLINE,
  MANAGE_PLOTLOOP: OUTLINE,
  ANALYZE_PACING: OUTLINE,
  CHECK_CONSISTENCY: REPORT,
  ANALYZE_STYLE: REPORT,
  BRAINSTORM_AND_EXPAND: of("BRAINSTORM_EXPAND", ["BrainstormAgent", "WriterAgent"], 3, { pauses: true, told: [...CHECKED, "chain_summary"] }),
  OUTLINE_TO_CHAPTER: of("OUTLINE_TO_CHAPTER", ["PlannerAgent", "WriterAgent"], 5, { told: [...CHECKED, "structure_update", "chain_summary"] }),
  CHARACTER_TO_SCENE: of("CHARACTER_TO_SCENE", ["CharacterAgent", "WriterAgent"], 4, { told: [...CHECKED, "relationship_update", "chain_summary"] }),
  GENERATE_NAME: of("SIMPLE_AGENT", ["NameGeneratorAgent"], 0),
  EXTRACT_ENTITY: of("SIMPLE_AGENT", ["ExtractionAgent"], 0),
  SUMMARIZE: of("SIMPLE_AGENT", ["SummaryAgent"], 0),
  GENERAL_CHAT: of("SIMPLE_AGENT", ["ChatAgent"], 0),
};

class Deviation extends Error {}

function expect(condition, message, ...seen) {
  if (!condition) throw new Deviation([message, ...seen.map((it) => JSON.stringify(it))].join("\n  "));
}

function equal(seen, expected, message) {
  expect(JSON.stringify(seen) === JSON.stringify(expected), message, { seen }, { expected });
}

function within(promise, what) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Deviation(`nothing came of this within ${PATIENCE_MS} ms: ${what}`)), PATIENCE_MS);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/** A `fetch` by which `eventsource` posts this. */
function posting(body, headers = {}) {
  const more = { "content-type": "application/json", ...headers };
  return (url, init) => fetch(url, { ...init, method: "POST", headers: { ...init.headers, ...more }, body: JSON.stringify(body) });
}

/** A `fetch` that asks for what comes after this id. */
function after(id) {
  return (url, init) => fetch(url, { ...init, headers: { ...init.headers, "last-event-id": id } });
}

/** The same `fetch`, whose answers are broken off behind their first frame; the client then connects again at once. */
function cutting(ask, cuts) {
  return async (url, init) => {
    const answer = await ask(url, init);
    if (answer.status !== 200) return answer;
    cuts.push(new Headers(init.headers).get("last-event-id"));
    const [reader, decoder] = [answer.body.getReader(), new TextDecoder()];
    let rest = "retry: 1\n\n";
    const body = new ReadableStream({
      async pull(controller) {
        for (;;) {
          const end = rest.indexOf("\n\n");
          if (end >= 0) {
            const block = rest.slice(0, end + 2);
            rest = rest.slice(end + 2);
            controller.enqueue(new TextEncoder().encode(block));
            if (!block.includes("\ndata: ") && !block.startsWith("data: ")) return;
            await reader.cancel();
            return controller.close();
          }
          const { done, value } = await reader.read();
          if (done) return controller.close();
          rest += decoder.decode(value, { stream: true });
        }
      },
    });
    const cut = new Response(body, { status: 200, headers: answer.headers });
    Object.defineProperty(cut, "url", { value: answer.url });
    return cut;
  };
}

/** Everything up to `done`: each frame with its id and as it was sent. Nothing where the server says that there is nothing. */
async function read(path, ask, what) {
  const [frames, source] = [[], new EventSource(server + path, { fetch: ask })];
  const ended = new Promise((resolve, reject) => {
    source.onmessage = ({ data }) => reject(new Deviation(`a frame has no name: ${data}`));
    for (const name of NAMES.filter((name) => name !== "error")) {
      source.addEventListener(name, ({ data, lastEventId }) => {
        const frame = JSON.parse(data);
        frames.push({ id: lastEventId, text: data, frame });
        if (frame.type !== name) reject(new Deviation(`the event ${name} has another type: ${data}`));
        if (name === "done") resolve();
      });
    }
    // An `error` event of the server has the same name as a fault of the connection, but it has data.
    source.addEventListener("error", (error) => {
      if (error.data !== undefined) {
        frames.push({ id: error.lastEventId, text: error.data, frame: JSON.parse(error.data) });
      } else if (source.readyState === EventSource.CLOSED) {
        error.code === 204 ? resolve() : reject(new Deviation(`${what}: ${error.code} ${error.message}`));
      }
    });
  });
  try {
    await within(ended, what);
  } finally {
    source.close();
  }
  return frames;
}

/** What holds for every stream. */
function lawful(frames, what) {
  const all = frames.map(({ frame }) => frame);
  for (const frame of all) {
    expect(NAMES.includes(frame.type), `${what}: an unknown type`, frame);
    expect(("content" in frame) === (frame.type === "content"), `${what}: only texts have a content`, frame);
    expect(!("data" in frame), `${what}: no frame has data`, frame);
    expect(typeof frame.runId === "string" && Number.isInteger(frame.timestamp), `${what}: run and time`, frame);
    expect((frame.type === "thought") === ("stage" in frame), `${what}: a thought names its matter`, frame);
  }
  equal(all.filter(({ type }) => type === "done").length, 1, `${what}: one end`);
  expect(all.at(-1).type === "done", `${what}: done is the last`, all.at(-1));
  // Preparing, working, checking, and what became of it, in this order.
  const ranks = {
    routing: 0, workflow_preprocessing: 1, preprocessing_task_completed: 1, preflight_result: 1, skills_activated: 2, agent_started: 2,
    content: 2, processing_check: 3, check_result: 4, relationship_update: 5, structure_update: 5, knowledge_update: 5,
    chain_summary: 6, user_input_required: 6, done: 7,
  };
  const told = all.map((frame) => frame.stage ?? frame.type).filter((name) => name in ranks);
  const order = told.map((name) => ranks[name]);
  equal(order, [...order].sort((a, b) => a - b), `${what}: the order is ${told.join(", ")}`);
}

/** The chapter as a front end puts it together that reads the type from the JSON and adds whatever has text. */
function chapter(frames) {
  const pieces = frames.map(({ frame }) => (frame.content ?? "") + (frame.data ?? ""));
  return pieces.join("");
}

/** What is in a stream that has no place of its own: by kind, in its order. */
const kinds = (frames, type) => frames.map(({ frame }) => frame).filter((frame) => frame.type === type);
const thoughts = (frames, stage) => kinds(frames, "thought").filter((frame) => frame.stage === stage);

async function intents() {
  for (const [intent, expected] of Object.entries(INTENTS)) {
    const project = intent.toLowerCase();
    const body = { projectId: project, sessionId: project, message: "灯塔的故事", intentHint: intent };
    let frames = await read(CHAT, posting(body), intent);
    lawful(frames, intent);
    const [first] = kinds(frames, "thought");
    equal([first.intent, first.confidence, first.source], [intent, 1, "FAST_PATH"], `${intent}: the first thought`);
    equal([first.workflow, first.agents], [expected.workflow, expected.agents], `${intent}: where it goes`);
    const announced = thoughts(frames, "workflow_preprocessing").map((frame) => frame.taskCount);
    equal(announced, expected.tasks ? [expected.tasks] : [], `${intent}: its preprocessing`);
    const tasks = thoughts(frames, "preprocessing_task_completed");
    equal(tasks.length, expected.tasks, `${intent}: its tasks`);
    expect(tasks.every((task) => task.status === "completed" && Number.isInteger(task.latencyMs)), `${intent}: tasks have times`, tasks);
    if (expected.pauses) {
      lawful(frames, intent);
      const [asked] = kinds(frames, "user_input_required");
      equal([frames.at(-1).frame.status, frames.at(-1).frame.pause], ["paused", asked.pause], `${intent}: the pause`);
      expect(asked.options.length === 3 && asked.options.every(({ id, title, summary }) => id && title && summary), `${intent}: options`, asked);
      const choice = { ...body, intentHint: undefined, metadata: { chainContext: { pause: asked.pause, selection: "2" } } };
      const rest = await read(CHAT, posting(choice), `${intent}, chosen`);
      lawful(rest, `${intent}, chosen`);
      equal(rest[0].frame.selection, "2", `${intent}: the choice`);
      frames = [...frames.slice(0, -2), ...rest];
    }
    equal(frames.at(-1).frame.status, "completed", `${intent}: its end`);
    const started = thoughts(frames, "agent_started").map((frame) => frame.agent);
    equal(started, expected.agents, `${intent}: agents begin`);
    const ended = thoughts(frames, "agent_completed").map((frame) => [frame.agent, frame.status]);
    equal(ended, expected.agents.map((agent) => [agent, "completed"]), `${intent}: agents end`);
    const beside = [...CHECKED, "relationship_update", "structure_update", "knowledge_update", "chain_summary"];
    const told = frames.map(({ frame }) => frame.type).filter((type) => beside.includes(type));
    equal(told, expected.told, `${intent}: what is told beside the text`);
    for (const { status } of kinds(frames, "check_result")) {
      expect(["passed", "issues", "not_checked"].includes(status), `${intent}: the check`, status);
    }
    for (const update of [...kinds(frames, "relationship_update"), ...kinds(frames, "structure_update"), ...kinds(frames, "knowledge_update")]) {
      equal([update.status, update.project, update.kind], ["proposed", project, update.type], `${intent}: a plan is no fact`);
      expect(update.entries.length && update.entries.every(({ standing }) => standing === "proposed"), `${intent}: entries`, update);
    }
    const [summary] = kinds(frames, "chain_summary");
    if (summary) {
      equal(summary.outputs.map(({ agentName, success }) => [agentName, success]), expected.agents.map((agent) => [agent, true]), `${intent}: outputs`);
      equal(chapter(frames), summary.outputs.map(({ content }) => content).join(""), `${intent}: a front end has both texts`);
      equal(summary.outputs.at(-1).content, prose, `${intent}: the prose`);
    }
    if (expected.ends) equal(chapter(frames), expected.ends, `${intent}: a front end has exactly the prose`);
    expect(chapter(frames).trim() !== "", `${intent}: there is a text`);
  }
}

/** All frames but the texts, as they were sent: texts come in pieces to a connected client, and whole to one that connects later. */
const folded = (frames) => frames.filter(({ frame }) => frame.type !== "content").map(({ text }) => text);

/** The text of a client in which each later piece replaces what the client has from the piece's offset on. */
function text(frames) {
  let text = [];
  for (const { content, offset } of kinds(frames, "content")) text = [...text.slice(0, offset), ...content];
  return text.join("");
}

async function cuts() {
  const body = { projectId: "write_content", sessionId: "cuts", message: "续写这场打斗", intentHint: "WRITE_CONTENT" };
  const key = { "idempotency-key": "once" };
  const places = [];
  const pieced = await read(CHAT, cutting(posting(body, key), places), "a run, broken off behind every frame");
  lawful(pieced, "broken off");
  // It came back after each frame that it had, and the last one closed the stream.
  equal(places, [null, ...pieced.slice(0, -1).map(({ id }) => id)], "where it came back");
  const whole = await read(`${CHAT}/cuts`, fetch, "the run from its beginning");
  lawful(whole, "whole");
  equal(folded(pieced), folded(whole), "who was broken off has what there is");
  equal([text(pieced), text(whole), chapter(whole)], [prose, prose, prose], "the text comes once");
  equal(chapter(pieced), prose, "and appending its pieces does as well");
  for (const [place, { id }] of whole.entries()) {
    const rest = await read(`${CHAT}/cuts`, after(id), `after frame ${place}`);
    equal(rest.map(({ text }) => text), whole.slice(place + 1).map(({ text }) => text), `after frame ${place}`);
  }
  // A repetition gets the same run and starts none.
  const again = await read(CHAT, posting(body, key), "a repetition");
  equal(again.map(({ text }) => text), whole.map(({ text }) => text), "a repetition");
  const session = await (await fetch(`${server}/v1/sessions/cuts`)).json();
  equal(session.runs.length, 1, "runs of the session");
}

const groups = { intents, cuts };
try {
  for (const group of wanted) await groups[group]();
  console.log("as the contract says");
} catch (error) {
  console.error(error instanceof Deviation ? error.message : error.stack);
  process.exit(1);
}
