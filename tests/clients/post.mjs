// The post protocol as front ends see it: node post.mjs <server> [group...]
//
// Groups: run, gates, clarify, resume, tasks; all of them where none is named. Ends with status 0 when everything is as the
// contract says, else with 1 and the first deviation. POST streams are read with fetch, as browsers have to; GET streams with
// `eventsource`, which comes back by itself.

import { EventSource } from "eventsource";

const [server, ...wanted] = process.argv.slice(2);
if (!server) {
  console.error("usage: node post.mjs <server> [group...], such as node post.mjs http://127.0.0.1:8080 run gates");
  process.exit(2);
}

/** How long anything may take. A run of the offline author takes seconds; this only ends what hangs. */
const PATIENCE_MS = 120_000;

/** Says everything, so that nothing is asked back. */
const CLEAR = "请为年轻家庭写一篇周末去郊野公园春游野餐的种草笔记，目标是提升收藏和互动，风格轻松，直接生成，不用问";
/** Leaves open what can be asked for. */
const VAGUE = "写点东西";

const NODES = [
  "supervisor", "brief_compiler_agent", "research_evidence_agent", "reference_intelligence_agent", "writer_agent",
  "layout_planner_agent", "image_planner_agent", "image_agent", "review_agent",
];
const TERMINAL = ["workflow_complete", "workflow_failed", "workflow_cancelled"];

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

async function ask(method, path, body, headers = {}) {
  const json = body === undefined ? {} : { "content-type": "application/json" };
  return within(fetch(server + path, { method, headers: { ...json, ...headers }, body: body && JSON.stringify(body) }), path);
}

async function refused(status, method, path, body) {
  const answer = await ask(method, path, body);
  const told = await answer.json();
  equal(answer.status, status, `${method} ${path}: ${JSON.stringify(told)}`);
  expect(typeof told.error === "string" && typeof told.code === "string", "a refusal has its words and its code", told);
}

/** Reads a stream to its end, or until a frame is met; gives its frames with their ids. */
async function read(answer, until = () => false) {
  equal(answer.status, 200, "a stream");
  expect(answer.headers.get("content-type") === "text/event-stream", "it is a stream");
  const [frames, decoder] = [[], new TextDecoder()];
  let rest = "";
  const reader = answer.body.getReader();
  for (;;) {
    const { done, value } = await within(reader.read(), "the next piece of a stream");
    expect(!done, "a stream ends with [DONE]", frames.at(-1)?.frame);
    rest += decoder.decode(value, { stream: true });
    for (let end = rest.indexOf("\n\n"); end >= 0; end = rest.indexOf("\n\n")) {
      const lines = rest.slice(0, end).split("\n");
      rest = rest.slice(end + 2);
      const field = (name) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
      if (field("data") === undefined) {
        expect(/^: keep-alive \d+$/.test(lines[0]), "a comment says when", lines);
        continue;
      }
      if (field("data") === "[DONE]") {
        expect((await reader.read()).done, "nothing comes after [DONE]");
        return frames;
      }
      const frame = JSON.parse(field("data"));
      expect(typeof frame.type === "string" && Number.isInteger(frame.timestamp), "a frame has its type and its time", frame);
      frames.push({ id: field("id"), frame });
      if (until(frame)) {
        await reader.cancel();
        return frames;
      }
    }
  }
}

async function say(body) {
  const answer = await ask("POST", "/api/agent/stream", body);
  const thread = answer.headers.get("x-thread-id");
  equal(answer.headers.get("location"), `/api/agent/stream/${thread}`, "where the stream goes on");
  return { thread, frames: await read(answer) };
}

async function confirm(body) {
  const frames = await read(await ask("POST", "/api/agent/confirm", body));
  equal([frames[0].frame.type, frames[0].frame.agent, frames[0].id], ["agent_start", "supervisor", undefined], "the acknowledgement");
  return frames.slice(1);
}

const last = (frames) => frames.at(-1).frame;
const of = (frames, type) => frames.map(({ frame }) => frame).filter((frame) => frame.type === type);

/** Everything of a thread, as `eventsource` gets it; a client that stays is told that there is no more. */
async function whole(thread, from = "", stays = false) {
  const [frames, source] = [[], new EventSource(`${server}/api/agent/stream/${thread}${from}`)];
  let done = 0;
  await within(new Promise((resolve, reject) => {
    source.onmessage = ({ data, lastEventId }) => {
      if (data !== "[DONE]") return frames.push({ id: lastEventId, frame: JSON.parse(data) });
      done += 1;
      if (!stays) resolve();
    };
    source.onerror = (error) => {
      if (source.readyState === EventSource.CLOSED) error.code === 204 ? resolve() : reject(new Deviation(`closed: ${error.message}`));
    };
  }), `the whole of ${thread}`).finally(() => source.close());
  expect(done === 1, "[DONE] comes once", done);
  return frames;
}

function nodesInPairs(frames) {
  let open = null;
  for (const { frame } of frames) {
    if (frame.type === "agent_start") {
      expect(open === null && NODES.includes(frame.agent), "one node at a time", open, frame);
      open = frame.agent;
    }
    if (frame.type === "agent_end") {
      equal(open, frame.agent, "a node that ends has begun");
      open = null;
    }
  }
  equal(open, null, "every node ends");
}

async function complete(frames) {
  const end = last(frames);
  equal(end.type, "workflow_complete", `the end: ${JSON.stringify(end)}`);
  equal(of(frames, "workflow_complete").length, 1, "it ends once");
  expect(end.title && end.body && end.tags.length > 0 && Number.isInteger(end.creativeId), "a whole post", end);
  expect(["passed", "failed", "not_checked"].includes(end.review), "the verdict", end);
  equal(end.passed, end.review === "passed", "only what passed has passed");
  for (const id of end.imageAssetIds) {
    const asset = await fetch(`${server}/api/assets/${id}`);
    expect(asset.status === 200 && asset.headers.get("content-type").startsWith("image/"), "a picture resolves", id, asset.status);
  }
  return end;
}

async function run() {
  await refused(400, "POST", "/api/agent/stream", {});
  equal((await ask("GET", "/api/agent/stream")).status, 405, "another method");
  const { thread, frames } = await say({ message: CLEAR });
  nodesInPairs(frames);
  const end = await complete(frames);
  for (const type of ["brief_ready", "content_update", "layout_spec_ready", "alignment_map_ready", "quality_score", "workflow_progress"]) {
    expect(of(frames, type).length > 0, `there is ${type}`);
  }
  equal(of(frames, "content_type_detected").length, 1, "told once");
  equal(of(frames, "ask_user").length, 0, "nobody is asked");
  for (const image of of(frames, "image_progress")) {
    expect(image.taskId >= 1 && image.progress >= 0 && image.progress <= 1, "a picture's progress", image);
    if (image.status === "complete") expect(image.url.startsWith("/api/assets/"), "a picture's address", image);
  }
  expect(end.imageAssetIds.length > 0, "there are pictures", end);
  equal(await whole(thread), frames, "the same again");
  // Fast: no brief, no layout, no review.
  const fast = await say({ message: CLEAR, fastMode: true });
  await complete(fast.frames);
  equal(of(fast.frames, "agent_start").map((frame) => frame.agent).filter((agent) => /brief|layout|review/.test(agent)), [], "what is left out");
}

async function gates() {
  const { thread, frames } = await say({ message: CLEAR, enableHITL: true });
  equal(frames.slice(-2).map(({ frame }) => frame.type), ["ask_user", "workflow_paused"], "the pause");
  const asked = frames.at(-2).frame;
  equal([asked.context.__hitl, asked.context.kind, asked.threadId], [true, "content", thread], "what is asked");
  equal(asked.options.map((option) => option.id), ["approve", "reject", "modify"], "what is offered");
  await refused(400, "POST", "/api/agent/confirm", { threadId: thread, action: "reject" });
  await refused(404, "POST", "/api/agent/confirm", { threadId: "nobody", action: "approve" });
  const rejected = await confirm({ threadId: thread, action: "reject", userFeedback: "标题换成提问句" });
  equal(last(rejected).type, "workflow_paused", "it is asked again");
  const again = rejected.at(-2).frame;
  equal([again.context.kind, again.context.regenerationCount], ["content", 1], "about the text, once more");
  await refused(409, "POST", "/api/agent/confirm", { threadId: thread, gateId: asked.gateId, action: "approve" });
  const modified = { title: "周末野餐去哪儿？", body: again.context.data.body, tags: again.context.data.tags };
  const planned = await confirm({ threadId: thread, gateId: again.gateId, action: "modify", modifiedData: modified });
  equal(of(planned, "content_update")[0].title, modified.title, "the person's version");
  const plans = planned.at(-2).frame;
  equal([plans.type, plans.context.kind], ["ask_user", "image_plans"], "the pictures are asked about");
  const rest = await confirm({ threadId: thread, gateId: plans.gateId, action: "approve" });
  equal((await complete(rest)).title, modified.title, "the person's title");
  const all = await whole(thread, "", true);
  equal(all.map(({ id }) => id), [...frames, ...rejected, ...planned, ...rest].map(({ id }) => id), "every frame once, on all streams together");
  nodesInPairs(all);
}

async function clarify() {
  const { thread, frames } = await say({ message: VAGUE, enableHITL: true });
  const asked = frames.at(-2).frame;
  equal([asked.type, asked.context.__clarification], ["ask_user", true], "what is wanted is asked");
  expect(asked.context.missingDimensions.length > 0, "what is missing is named", asked.context);
  const keys = [asked.context.key];
  let more = await confirm({ threadId: thread, userResponse: { selectedIds: ["refine_requirements"], customInput: "给大学生写宿舍收纳攻略，提升收藏，清单式" } });
  while (last(more).type === "workflow_paused") {
    const { context, options } = more.at(-2).frame;
    const key = context.key ?? context.kind;
    expect(!keys.includes(key), "each question comes once", key);
    keys.push(key);
    more = await confirm(context.__hitl
      ? { threadId: thread, action: "approve" }
      : { threadId: thread, userResponse: { selectedIds: [options[0].id] } });
  }
  await complete(more);
}

async function resume() {
  const answer = await ask("POST", "/api/agent/stream", { message: CLEAR });
  const thread = answer.headers.get("x-thread-id");
  // Left in the middle; the run goes on.
  const seen = await read(answer, (frame) => frame.type === "agent_start" && frame.agent === "writer_agent");
  const rest = await read(await ask("GET", `/api/agent/stream/${thread}`, undefined, { "last-event-id": seen.at(-1).id }));
  const all = await whole(thread);
  equal([...seen, ...rest], all, "what was missed, and nothing else");
  await complete(all);
  for (const place of [0, Math.floor(all.length / 2), all.length - 2]) {
    equal(await whole(thread, `?after=${all[place].id}`), all.slice(place + 1), `after frame ${place}`);
  }
  const over = await ask("GET", `/api/agent/stream/${thread}`, undefined, { "last-event-id": all.at(-1).id });
  equal(over.status, 204, "there is no more");
  // A client that stays connects again by itself and is told to stop.
  equal(await whole(thread, "", true), all, "a browser that stays");
  const stopped = await ask("POST", "/api/agent/stream", { message: CLEAR });
  const other = stopped.headers.get("x-thread-id");
  const cancelled = await ask("POST", "/api/agent/cancel", { threadId: other });
  const frames = await read(stopped);
  if (cancelled.status === 200) equal(last(frames).type, "workflow_cancelled", "what was cancelled says so");
  else expect(cancelled.status === 409 && last(frames).type === "workflow_complete", "it had ended", cancelled.status);
}

async function tasks() {
  const started = await ask("POST", "/api/tasks", { message: CLEAR, themeId: 7, enableHITL: true });
  const { taskId: task, status } = await started.json();
  equal([started.status, status], [201, "queued"], "a task");
  const frames = [];
  for (;;) {
    const more = await read(await ask("GET", `/api/tasks/${task}/events?fromIndex=${frames.length}`));
    equal(more.map(({ id }) => id), more.map((_, place) => String(frames.length + place)), "events are numbered");
    frames.push(...more);
    if (TERMINAL.includes(last(frames).type)) break;
    const shown = await (await ask("GET", `/api/tasks/${task}`)).json();
    equal([shown.status, shown.hitlStatus, shown.eventCount], ["paused", "pending", frames.length], "it waits");
    const responded = await (await ask("POST", `/api/tasks/${task}/respond`, { action: "approve" })).json();
    equal(responded, { success: true, status: "running" }, "it goes on");
  }
  await complete(frames);
  const listed = (await (await ask("GET", "/api/tasks?themeId=7&status=done")).json()).tasks;
  expect(listed.some((row) => row.id === task && row.theme_id === 7), "it is listed", listed);
  equal((await ask("DELETE", `/api/tasks/${task}`)).status, 200, "it is removed");
  expect([404, 410].includes((await ask("GET", `/api/tasks/${task}`)).status), "and gone");
}

const GROUPS = { run, gates, clarify, resume, tasks };

try {
  for (const name of wanted.length > 0 ? wanted : Object.keys(GROUPS)) {
    expect(name in GROUPS, `there is no group ${name}`);
    await GROUPS[name]();
    console.log(`${name}: as the contract says`);
  }
} catch (error) {
  console.error(error instanceof Deviation ? error.message : error);
  process.exit(1);
}
