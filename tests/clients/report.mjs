// The report protocol as a client made with `ws` sees it: node report.mjs <server>
//
// Ends with status 0 when everything is as the contract says, else with 1 and the first deviation. What a run does in every
// state is driven by report.py; this is about what such a client does by itself: closes, pings, fragments, coming back.

import { WebSocket } from "ws";

const [server] = process.argv.slice(2);
if (!server) {
  console.error("usage: node report.mjs <server>, such as node report.mjs http://127.0.0.1:8080");
  process.exit(2);
}

/** How long anything may take. A run of the offline author takes seconds; this only ends what hangs. */
const PATIENCE_MS = 60_000;

const TEMPLATE = "# 周报\n\n## 进展\n\n写进展。\n\n## 风险\n\n写风险。\n";
const HEADINGS = ["# 周报", "## 进展", "## 风险"];
const QUESTION = { question: "写本周周报", template_name: "周报模板", knowledge_base_name: "周报数据" };

const ORDER = [
  "agent.session_created", "plan.start", "plan.completed", "agent.user_confirm", "aggregate.start", "aggregate.completed",
  "pipeline.completed", "agent.final_answer",
];

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

/** A connection with everything it was sent, each frame looked at. */
class Client {
  constructor(path = "/ws/report", protocols = []) {
    this.frames = [];
    this.taken = 0;
    this.last = new Map();
    this.waiting = [];
    this.wrong = null;
    this.closing = null;
    this.pongs = [];
    this.socket = new WebSocket(server.replace("http", "ws") + path, protocols, { perMessageDeflate: false });
    this.socket.on("message", (data, isBinary) => {
      try {
        expect(!isBinary, "frames are text");
        this.take(JSON.parse(data.toString()));
      } catch (error) {
        this.wrong = error;
      }
      this.wake();
    });
    this.socket.on("pong", (data) => { this.pongs.push(data.toString("hex")); this.wake(); });
    this.socket.on("close", (code, reason) => { this.closing = { code, reason: reason.toString() }; this.wake(); });
    this.socket.on("error", () => {});
  }

  take(frame) {
    const { event, timestamp, metadata, connection_id: connection, session_id: session, seq, event_id: id } = frame;
    expect(typeof event === "string" && !Number.isNaN(Date.parse(timestamp)), "a frame has its event and its time", frame);
    this.connection ??= connection;
    equal([connection, metadata.connection_id], [this.connection, this.connection], `the connection of ${event}`);
    if (seq === undefined) {
      equal(id, undefined, "without a number there is no id");
    } else {
      equal(seq, (this.last.get(session) ?? 0) + 1, `the number of ${event}`);
      equal(id, `${session}-v1-${seq}`, "the id of a numbered frame");
      this.last.set(session, seq);
    }
    if (event !== "system.heartbeat" && event !== "agent.partial_answer") this.frames.push(frame);
  }

  wake() {
    this.waiting = this.waiting.filter(({ when, done }) => { const met = when(); if (met) done(); return !met; });
  }

  async until(when, what) {
    await within(new Promise((done) => { this.waiting.push({ when: () => this.wrong || when(), done }); this.wake(); }), what);
    if (this.wrong) throw this.wrong;
  }

  /** The next frame. */
  async next(what) {
    await this.until(() => this.frames.length > this.taken || this.closing, what);
    expect(this.frames.length > this.taken, `closed before ${what}`, this.closing);
    this.taken += 1;
    return this.frames[this.taken - 1];
  }

  async upTo(event) {
    const seen = [];
    do {
      seen.push(await this.next(event));
      expect(seen.at(-1).event === event || seen.at(-1).event !== "agent.error", `an error instead of ${event}`, seen.at(-1));
    } while (seen.at(-1).event !== event);
    return seen;
  }

  async greeted() {
    equal((await this.next("the greeting")).event, "system.connected", "the first frame");
    return this;
  }

  say(event, fields = {}) {
    this.socket.send(JSON.stringify({ event, ...fields }));
  }

  async create() {
    this.say("user.create_session");
    const created = await this.next("a session");
    equal(created.event, "agent.session_created", "the answer to user.create_session");
    return created.session_id;
  }

  async closed() {
    await this.until(() => this.closing, "the end of the connection");
    return this.closing;
  }

  /** Bytes that `ws` itself would not send. */
  raw(opcode, payload = Buffer.alloc(0), { fin = true, reserved = 0 } = {}) {
    const mask = Buffer.from([9, 8, 7, 6]);
    const short = payload.length < 126;
    const head = Buffer.from([(fin ? 0x80 : 0) | (reserved << 4) | opcode, 0x80 | (short ? payload.length : 126)]);
    const length = Buffer.alloc(short ? 0 : 2);
    if (!short) length.writeUInt16BE(payload.length);
    this.socket._socket.write(Buffer.concat([head, length, mask, payload.map((byte, place) => byte ^ mask[place % 4])]));
  }
}

async function upload(path, body) {
  const answer = await fetch(server + path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
  equal(answer.status, 201, path);
}

async function reports() {
  await upload("/api/templates", { name: "周报模板", content: TEMPLATE });
  await upload("/api/databases", { name: "周报数据", files: [{ name: "week.json", data: { done: "上线" } }] });
  // Both addresses, the sub-protocol that browsers offer, and a session each.
  for (const [path, protocols] of [["/", []], ["/ws/report", ["palimpsest.report.v1"]]]) {
    const client = await new Client(path, protocols).greeted();
    equal(client.socket.protocol, protocols[0] ?? "", "the sub-protocol");
    const session = await client.create();
    client.say("user.message", { session_id: session, content: QUESTION });
    const asked = (await client.upTo("agent.user_confirm")).at(-1);
    client.say("user.response", { session_id: session, step_id: asked.step_id, content: { confirmed: true, tasks: asked.content.tasks } });
    await client.upTo("agent.final_answer");
    const folded = client.frames.filter((frame) => frame.seq !== undefined);
    const seen = folded.map((frame) => frame.event).filter((event) => !event.startsWith("solver.") && !event.startsWith("agent.tool"));
    equal(seen, ORDER, "the order of the contract");
    const { report } = folded.find((frame) => frame.event === "aggregate.completed").content.output;
    equal(report.content.split("\n").filter((line) => line.startsWith("#")), HEADINGS, "the template's headings");
    const made = await fetch(server + folded.at(-1).metadata.url);
    equal(await made.text(), report.content, "what the last frame names is the report");
    // The connection breaks; another one goes on after any frame.
    client.say("user.request_state", { session_id: session });
    const state = (await client.next("a state")).metadata.signed_state;
    client.socket.terminate();
    const back = await new Client(path).greeted();
    back.last.set(session, 5);
    back.say("user.reconnect_with_state", { signed_state: state, content: { last_seq: 5 } });
    equal((await back.next("what is restored")).event, "agent.state_restored", "first of all");
    await back.upTo("system.notice");
    const bare = (frames) => frames.filter((frame) => frame.seq > 5).map(({ event_id: id, event, content }) => ({ id, event, content }));
    equal(bare(back.frames), bare(folded), "what was missed");
    back.socket.close();
  }
}

const code = (number) => Buffer.from([number >> 8, number & 255]);
const [TEXT, BINARY, CLOSE, PING] = [1, 2, 8, 9];

/** Inputs that break the protocol, each with the answer to it. */
const BROKEN = [
  ...[1, 2, 4].map((reserved) => [`reserved bits ${reserved}`, (it) => it.raw(TEXT, Buffer.from("{}"), { reserved }), 1002]),
  ...[3, 4, 5, 6, 7, 11, 12, 13, 14, 15].map((opcode) => [`opcode ${opcode}`, (it) => it.raw(opcode), 1002]),
  ["a ping in fragments", (it) => it.raw(PING, Buffer.from("a"), { fin: false }), 1002],
  ["a ping of 126 bytes", (it) => it.raw(PING, Buffer.alloc(126)), 1002],
  ["a continuation of nothing", (it) => it.raw(0, Buffer.from("a")), 1002],
  ...[999, 1004, 1005, 1006, 2999, 5000].map((number) => [`close code ${number}`, (it) => it.raw(CLOSE, code(number)), 1002]),
  ["no UTF-8", (it) => it.raw(TEXT, Buffer.from([0xc3, 0x28])), 1007],
  ["a cut character", (it) => it.raw(TEXT, Buffer.from("好").subarray(0, 2)), 1007],
  ["more than a message may have", (it) => it.socket.send("x".repeat(1024 * 1024 + 1)), 1009],
];

async function sockets() {
  for (const [what, send, expected] of BROKEN) {
    const client = await new Client().greeted();
    send(client);
    equal((await client.closed()).code, expected, what);
  }
  for (const number of [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 3000, 4999]) {
    const client = await new Client().greeted();
    client.socket.close(number, "bye");
    equal((await client.closed()).code, number, "the code of a close comes back");
  }
  const client = await new Client().greeted();
  for (const payload of [Buffer.alloc(0), Buffer.from("ping"), Buffer.alloc(125, 255)]) {
    client.socket.ping(payload);
    await client.until(() => client.pongs.includes(payload.toString("hex")), `the pong of ${payload.length} bytes`);
  }
  for (const size of [125, 126, 65_535, 65_536, 1024 * 1024]) {
    const bare = JSON.stringify({ event: "user.create_session", content: { pad: "" } });
    client.socket.send(bare.replace('""', JSON.stringify("x".repeat(size - bare.length))));
    equal((await client.next(`the answer to ${size} bytes`)).event, "agent.session_created", `a message of ${size} bytes`);
  }
  const text = Buffer.from(JSON.stringify({ event: "好".repeat(10) }));
  text.forEach((byte, place) => {
    client.raw(place ? 0 : TEXT, Buffer.from([byte]), { fin: place === text.length - 1 });
    if (place === 7) client.socket.ping("between");
  });
  await client.until(() => client.pongs.includes(Buffer.from("between").toString("hex")), "the pong between fragments");
  expect((await client.next("the answer to fragments")).content.endsWith("好".repeat(10)), "what was put together", client.frames.at(-1));
  client.raw(BINARY, Buffer.from("{}"));
  expect((await client.next("the answer to bytes")).content.startsWith("Invalid JSON: "), "bytes are refused", client.frames.at(-1));
  // Two sessions of one connection, their frames told apart.
  const sessions = [await client.create(), await client.create()];
  expect(sessions[0] !== sessions[1], "sessions have names of their own");
  client.socket.close();
  equal((await client.closed()).code, 1005, "a close without a code is answered");
}

try {
  await reports();
  await sockets();
  equal((await fetch(`${server}/healthz`)).status, 200, "the server is healthy");
  console.log("ok");
  process.exit(0);
} catch (error) {
  console.error(error instanceof Deviation ? `deviation: ${error.message}` : error);
  process.exit(1);
}
