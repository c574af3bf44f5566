// The course protocol as a real client sees it: node socketio.mjs <server> [key]
//
// Ends with status 0 when everything is as the contract says, else with 1 and the first deviation.

import { io } from "socket.io-client";
import { EventSource } from "eventsource";

const [server, key] = process.argv.slice(2);
if (!server) {
  console.error("usage: node socketio.mjs <server> [key], such as node socketio.mjs http://127.0.0.1:8080");
  process.exit(2);
}

/** How long anything may take. A run of the offline author takes seconds; this only ends what hangs. */
const PATIENCE_MS = 120_000;

const PAGES = 4;
const BRIEF = `请制作一个${PAGES}页的课件，介绍光合作用`;
const REFINEMENT = "大纲太复杂了，请精简大纲";

/** Stage, its main artifact, and whatever else it may make. */
const STAGES = [
  ["analyze_topic", "requirement_analysis", ["search_result"]],
  ["generate_course_config", "course_config", []],
  ["generate_video_outline", "video_outline", []],
  ["generate_slide_scripts", "slide_scripts", []],
  ["generate_presentation_theme", "presentation_theme", []],
  ["generate_slides", "ppt_html_doc", ["ppt_html", "dsl"]],
  ["export_deck", "pptx", []],
];

/** What the contract lets `type` be. */
const KINDS = new Set([
  "plan", "dsl", "ppt_html", "ppt_html_doc", "pptx", "search_result", "web_page", "requirement_analysis", "course_config",
  "video_outline", "slide_scripts", "presentation_theme",
]);

const PPTX = "application/vnd.openxmlformats-officedocument.presentationml.presentation";

const FRAMES = new Set([
  "message:start", "message:chunk", "tool:message:start", "tool:start", "tool:log", "progress", "tool:artifact",
  "tool:update", "tool:message:complete", "completion",
]);

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

/** A socket with everything it was sent. */
class Client {
  constructor(transport, auth = {}) {
    this.frames = [];
    this.others = [];
    this.waiting = [];
    this.connections = 0;
    this.auth = { ...(key ? { token: key } : {}), ...auth };
    this.socket = io(server, {
      transports: [transport],
      forceNew: true,
      reconnectionDelay: 10,
      reconnectionDelayMax: 50,
      // Asked anew at every attempt, so that a connection that was cut goes on after the last frame.
      auth: (give) => give({ ...this.auth }),
    });
    this.socket.on("connect", () => { this.connections += 1; this.wake(); });
    this.socket.onAny((name, data) => {
      if (FRAMES.has(name)) {
        this.frames.push({ name, data });
        if (this.auth.sessionId) this.auth.after = data.pos;
      } else {
        this.others.push({ name, data });
      }
      this.wake();
    });
  }

  wake() {
    this.waiting = this.waiting.filter(({ when, done }) => { const met = when(); if (met) done(); return !met; });
  }

  async until(when, what) {
    const failed = new Promise((_, reject) => {
      this.socket.once("connect_error", (error) => reject(new Deviation(`the server refused the connection: ${error.message}`)));
    });
    const met = new Promise((done) => { this.waiting.push({ when, done }); this.wake(); });
    await within(this.connections === 0 ? Promise.race([met, failed]) : met, what);
  }

  async connected() {
    await this.until(() => this.connections > 0, "the connection");
    return this;
  }

  ask(event, data) {
    return within(this.socket.emitWithAck(event, data), `the acknowledgement of ${event}`);
  }

  async completed(runs = 1) {
    await this.until(() => this.frames.filter((frame) => frame.name === "completion").length >= runs, "completion");
  }

  /** The transport goes away under the client, which notices and comes back. */
  cut() {
    const before = this.connections;
    this.socket.io.engine.close();
    return this.until(() => this.connections > before, "the connection to come back");
  }

  close() {
    this.socket.close();
  }
}

function place(pos) {
  const parts = /^v(\d+)\.(\d+)\.(\d+)$/.exec(pos ?? "");
  expect(parts, "every frame carries its position", pos);
  return parts.slice(1).map(Number);
}

/** Each position is behind the one before: in order, none twice. */
function checkPlaces(frames) {
  frames.reduce((before, { name, data }) => {
    const [, version, sub] = place(data.pos);
    const later = version > before[0] || (version === before[0] && sub > before[1]);
    expect(later, `the position of ${name} is not behind the one before`, before, data.pos);
    return [version, sub];
  }, [0, -1]);
}

/** One stage: both openings, lines and progress, artifacts, both endings. Gives what is behind it. */
function checkStage(frames, [toolName, main, others], artifacts) {
  const [opened, opened2, ...rest] = frames;
  const id = opened?.data.id;
  equal([opened?.name, opened2?.name], ["tool:message:start", "tool:start"], `${toolName} begins with both tool messages`);
  for (const { data } of [opened, opened2]) {
    const { role, kind, status } = data;
    equal([data.id, data.toolName, role, kind, status], [id, toolName, "assistant", "tool", "in_progress"], `${toolName} begins`);
  }
  const made = [];
  const linked = [];
  while (["tool:log", "progress", "tool:artifact"].includes(rest[0]?.name)) {
    const { name, data } = rest.shift();
    if (name === "tool:log") {
      equal(data.messageId, id, "a line belongs to its tool message");
      linked.push(data.artifactId);
    }
    if (name !== "tool:artifact") continue;
    const { artifact, messageId, showInCanvas } = data;
    equal(messageId, id, "an artifact belongs to its tool message");
    expect([main, ...others].includes(artifact.type), `${toolName} makes no ${artifact.type}`);
    expect(KINDS.has(artifact.type), "the contract has this type", artifact.type);
    if (artifact.type === main) expect(showInCanvas === true, `${main} is shown in the canvas`, data);
    expect(artifact.content !== undefined && artifact.url === undefined, "an artifact has its content", artifact.type);
    made.push(artifact);
    artifacts.push(artifact);
  }
  for (const { id, type } of made) expect(linked.includes(id), `a line of ${toolName} links its ${type}`, linked);
  expect(made.some((artifact) => artifact.type === main), `${toolName} makes a ${main}`, made.map((it) => it.type));
  const [updated, completed] = rest.splice(0, 2);
  equal([updated?.name, completed?.name], ["tool:update", "tool:message:complete"], `${toolName} ends with both tool messages`);
  for (const { data } of [updated, completed]) {
    equal([data.id, data.status], [id, "completed"], `${toolName} is completed`);
    const ids = made.map((artifact) => artifact.id).sort();
    equal([...data.artifactIds].sort(), ids, `the end of ${toolName} names its artifacts`);
  }
  return rest;
}

/** A whole run, as the contract has it. */
function checkRun(frames, stages) {
  checkPlaces(frames);
  equal(frames.slice(0, 2).map((frame) => frame.name), ["message:start", "message:chunk"], "a run begins with a greeting");
  equal(frames[0].data.id, frames[1].data.id, "the greeting is one message");
  expect(frames[1].data.chunk.length > 0, "the greeting says something");
  const artifacts = [];
  let rest = frames.slice(2);
  for (const stage of stages) rest = checkStage(rest, stage, artifacts);
  equal(rest.map((frame) => frame.name), ["completion"], "behind the last stage there is one completion");
  const { success, finalArtifactId } = rest[0].data;
  expect(success === true, "the run succeeds", rest[0].data);
  const final = artifacts.find((artifact) => artifact.id === finalArtifactId);
  equal(final?.type, "pptx", "finalArtifactId names the PowerPoint file");
  const { mediaType, size, url, fileName } = final.content;
  equal([mediaType, url], [PPTX, `/v1/artifacts/${final.id}/content`], "its content says what it is and where");
  expect(size > 0 && fileName.endsWith(".pptx"), "its content has a size and a file name", final.content);
  for (const kind of ["ppt_html_doc", "dsl"]) expect(artifacts.some((it) => it.type === kind), `there is a ${kind}`);
  checkProgress(frames);
  return { artifacts, final };
}

function checkProgress(frames) {
  const progress = frames.filter((frame) => frame.name === "progress").map((frame) => frame.data);
  progress.reduce((before, now) => {
    expect(now.progress >= before && now.progress <= 100, "progress never goes back", before, now);
    return now.progress;
  }, 0);
  const pages = progress.filter((it) => it.status === "generating_slide");
  const { total } = pages[0] ?? {};
  equal(pages.map((it) => it.current), Array.from({ length: total }, (_, page) => page + 1), "every page has its progress, in order");
  for (const { current, message } of pages) equal(message, `正在生成第 ${current}/${total} 页...`, "progress says which page");
  return total;
}

async function fetched(id, wanted = {}) {
  const headers = { ...(key ? { authorization: `Bearer ${key}` } : {}), ...wanted };
  return within(fetch(`${server}/v1/artifacts/${id}/content`, { headers }), "the download");
}

/** The file itself, as its frame said, and the document beside it. */
async function download(final, artifacts) {
  const response = await fetched(final.id);
  expect(response.ok, "the file can be downloaded", response.status);
  equal(response.headers.get("content-type"), PPTX, "the download says what it is");
  const etag = response.headers.get("etag");
  equal(etag, `"${final.content.sha256}"`, "its tag is the hash of its content");
  const named = response.headers.get("content-disposition");
  expect(named.includes(encodeURIComponent(final.content.fileName)), "the download has the name of the file", named);
  const bytes = new Uint8Array(await response.arrayBuffer());
  equal([bytes.length, bytes[0], bytes[1]], [final.content.size, 0x50, 0x4b], "the download is the whole file, and begins with PK");
  equal((await fetched(final.id, { "if-none-match": etag })).status, 304, "what is there already is not sent again");
  const document = artifacts.find((artifact) => artifact.type === "dsl");
  const { meta, pages } = await (await fetched(document.id)).json();
  equal(meta.aspectRatio, "16:9", "the document is a deck");
  equal(pages.length, PAGES, "the document has every page");
}

/** Every frame of a session from its beginning. */
async function replay(transport, sessionId, last, auth = {}) {
  const client = new Client(transport, { sessionId, after: "v2.0.0", ...auth });
  await client.until(() => client.frames.some((frame) => frame.data.pos === last), "the replay");
  client.close();
  return client.frames;
}

async function wholeRun(transport) {
  const client = await new Client(transport).connected();
  const sessionId = client.socket.id;
  const empty = await client.ask("chat:init", { sessionId });
  equal([empty.status, empty.messages, empty.artifacts], ["success", [], []], "an unknown session is empty");
  expect(client.others.some(({ name }) => name === "chat:init:response"), "chat:init is answered by an event, too");
  const messageId = `m-${sessionId}`;
  const first = await client.ask("chat:send", { message: BRIEF, messageId });
  equal([first.status, first.sessionId, first.messageId], ["received", sessionId, messageId], "the message is received");
  expect(/^r\d+$/.test(first.runId), "the answer names the run", first);
  equal(await client.ask("chat:send", { message: BRIEF, messageId }), first, "a repetition gets the first answer");
  await client.completed();
  const init = await client.ask("chat:init", { sessionId });
  equal(client.frames.filter((frame) => frame.name === "completion").length, 1, "there is exactly one completion");
  const { artifacts, final } = checkRun(client.frames, STAGES);
  equal(checkProgress(client.frames), PAGES, "the number of pages is the one that was asked for");
  equal(artifacts.filter((artifact) => artifact.type === "ppt_html").length, PAGES, "every page has its preview");
  await download(final, artifacts);
  const last = client.frames.at(-1).data.pos;
  expect(place(init.pos)[1] >= place(last)[1], "chat:init is true at its position", init.pos, last);
  expect(init.artifacts.some((artifact) => artifact.id === final.id), "chat:init has the final artifact");
  expect(init.messages.some(({ role, content }) => role === "user" && content === BRIEF), "chat:init has the user's message");
  const tools = init.messages.filter((message) => message.kind === "tool");
  equal(tools.map((tool) => [tool.toolName, tool.status]), STAGES.map(([name]) => [name, "completed"]), "chat:init has every tool message");
  equal(await replay(transport, sessionId, last), client.frames, "replayed frames are those that came live");
  for (const [toolMessages, without] of [["v1", ["tool:start", "tool:update"]], ["v2", ["tool:message:start", "tool:message:complete"]]]) {
    const expected = client.frames.filter((frame) => !without.includes(frame.name));
    equal(await replay(transport, sessionId, last, { toolMessages }), expected, `the family ${toolMessages} is the rest`);
  }
  return { client, sessionId, init };
}

async function refinement(transport, { client, sessionId, init }) {
  const before = client.frames.length;
  const sent = await client.ask("chat:send", { message: REFINEMENT, sessionId });
  equal(sent.status, "received", "the refinement is received");
  await client.completed(2);
  const after = await client.ask("chat:init", { sessionId });
  const stages = STAGES.filter(([name]) => !["analyze_topic", "generate_course_config"].includes(name));
  const { artifacts, final } = checkRun(client.frames.slice(before), stages);
  await download(final, artifacts);
  const one = (response, type) => response.artifacts.filter((artifact) => artifact.type === type).map((artifact) => artifact.id);
  for (const type of ["requirement_analysis", "course_config"]) equal(one(after, type), one(init, type), `the ${type} is kept`);
  for (const type of ["video_outline", "slide_scripts", "presentation_theme", "ppt_html_doc", "dsl", "pptx"]) {
    expect(one(after, type).length === 1 && one(after, type)[0] !== one(init, type)[0], `the ${type} is a new one`);
  }
}

/** The artifacts of the first run count again, and are sent again. */
async function undo(transport, { client, sessionId, init }) {
  const before = client.frames.length;
  await client.ask("chat:send", { message: "撤销", sessionId });
  await client.completed(3);
  const frames = client.frames.slice(before);
  const sent = frames.filter(({ name }) => name === "tool:artifact").map(({ data }) => data.artifact);
  equal(sent.map(({ id }) => id), init.artifacts.map(({ id }) => id), "what counts again is sent again");
  expect(sent.every(({ content }) => content !== undefined), "with its content");
  const { name, data } = frames.at(-1);
  const file = init.artifacts.find(({ type }) => type === "pptx");
  equal([name, data.success, data.finalArtifactId], ["completion", true, file.id], "the completion names the file that counts again");
  const after = await client.ask("chat:init", { sessionId });
  equal(after.artifacts, init.artifacts, "who comes now is given the same");
}

async function cutAndResumed(transport) {
  const sessionId = `cut-${transport}-${Date.now().toString(36)}`;
  const client = await new Client(transport, { sessionId }).connected();
  await client.ask("chat:init", {});
  await client.ask("chat:send", { message: BRIEF });
  for (const frames of [3, 11, 20, 31]) {
    await client.until(() => client.frames.length >= frames, `${frames} frames`);
    await client.cut();
  }
  await client.completed();
  expect(client.connections === 5, "the connection was cut four times", client.connections);
  const last = client.frames.at(-1).data.pos;
  checkRun(client.frames, STAGES);
  equal(client.frames, await replay(transport, sessionId, last), "with cuts each frame is seen exactly once");
  client.close();
}

async function cancelled(transport) {
  const client = await new Client(transport).connected();
  // Not waited for in between: messages of one socket are taken in their order. The deck is long, so that the run is at work.
  const brief = BRIEF.replace(`${PAGES}页`, "30页");
  const answers = await Promise.all([client.ask("chat:send", { message: brief }), client.ask("chat:cancel", {})]);
  expect(answers.every(({ status }) => status === "received"), "a run is begun and cancelled", ...answers);
  await client.completed();
  const { success, error } = client.frames.at(-1).data;
  equal([client.frames.at(-1).name, success, error], ["completion", false, "cancelled"], "a cancelled run says so");
  const opened = client.frames.filter((frame) => frame.name === "tool:start").map((frame) => frame.data.id);
  const closed = client.frames.filter((frame) => frame.name === "tool:update").map((frame) => frame.data.id);
  equal(closed, opened, "no tool message stays open");
  client.close();
}

async function irrelevant(transport) {
  const client = await new Client(transport).connected();
  await client.ask("chat:send", { message: "你好" });
  await client.completed();
  equal(client.frames.map((frame) => frame.name), ["message:start", "message:chunk", "completion"], "small talk is answered");
  const { success, finalArtifactId } = client.frames.at(-1).data;
  equal([success, finalArtifactId], [true, undefined], "small talk makes nothing");
  client.close();
}

async function refusals(transport) {
  const client = await new Client(transport).connected();
  const file = { name: "a.md", readUrl: "http://169.254.169.254/latest", mimeType: "text/markdown" };
  for (const [event, data, code] of [
    ["chat:send", { message: " " }, "empty_message"],
    ["chat:send", { text: "x" }, "bad_request"],
    ["chat:send", { message: BRIEF, metadata: { file } }, "file_not_taken"],
    ["chat:init", { after: "12" }, "bad_cursor"],
    ["chat:cancel", { sessionId: "nobody" }, "no_session"],
    ["app:subscribe", {}, "bad_request"],
  ]) {
    const answer = await client.ask(event, data);
    equal([answer.status, answer.error?.code], ["error", code], `${event} is refused`);
    expect(answer.error.message, "a refusal says why");
  }
  equal(client.frames, [], "what is refused gives no frames");
  client.close();
}

/** What is refused without an acknowledgement is told as an event, also what finds no room because too much is sent at once. */
async function unacknowledged(transport) {
  const client = await new Client(transport).connected();
  const sent = 100;
  for (let nth = 0; nth < sent; nth += 1) client.socket.emit("chat:cancel", { sessionId: "nobody" });
  await client.until(() => client.others.length >= sent, "a refusal for each message");
  const codes = new Set(client.others.map(({ name, data }) => `${name} ${data.error?.code}`));
  expect([...codes].every((it) => ["error no_session", "error overloaded"].includes(it)), "each is refused for a reason", [...codes]);
  if (transport === "polling") expect(codes.has("error overloaded"), "what comes in one request does not all find room", [...codes]);
  client.close();
}

/** The same session by server-sent events, with the wire's own frames. */
async function events(sessionId, expected) {
  const source = new EventSource(`${server}/v1/sessions/${sessionId}/events?wire=course&until=end`, {
    fetch: (url, init) => fetch(url, key ? { ...init, headers: { ...init.headers, authorization: `Bearer ${key}` } } : init),
  });
  const seen = [];
  await within(new Promise((done, failed) => {
    source.onerror = (error) => failed(new Deviation(`the event stream failed: ${error.message}`));
    source.onmessage = ({ data, lastEventId }) => {
      const frame = JSON.parse(data);
      if (frame.frame === "event") {
        equal(lastEventId, frame.cursor, "the id of an event is its cursor");
        seen.push({ name: frame.type, data: frame.data });
      }
      if (frame.frame === "closed") done();
    };
  }), "the event stream to end");
  source.close();
  equal(seen, expected, "the event stream has the same frames");
}

async function check(name, test) {
  try {
    const result = await test();
    console.log(`ok   ${name}`);
    return result;
  } catch (error) {
    console.error(`FAIL ${name}\n  ${error instanceof Deviation ? error.message : error.stack}`);
    process.exit(1);
  }
}

for (const transport of ["websocket", "polling"]) {
  await check(`${transport}: refusals`, () => refusals(transport));
  await check(`${transport}: refusals without an acknowledgement`, () => unacknowledged(transport));
  await check(`${transport}: irrelevant message`, () => irrelevant(transport));
  const run = await check(`${transport}: whole run`, () => wholeRun(transport));
  await check(`${transport}: refinement of the outline`, () => refinement(transport, run));
  await check(`${transport}: undo`, () => undo(transport, run));
  await check(`${transport}: as server-sent events`, () => events(run.sessionId, run.client.frames));
  run.client.close();
  await check(`${transport}: cut and resumed`, () => cutAndResumed(transport));
  await check(`${transport}: cancelled`, () => cancelled(transport));
}
process.exit(0);
