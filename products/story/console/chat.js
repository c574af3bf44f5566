// @ts-check
/**
 * The chat about a story: the messages of this tab and their results. It belongs to the tab and not to a page, so that a run is
 * still followed while a chapter is shown.
 */
import { signal } from "../../vendor/preact.js";
import { ApiFailure, freshId, get, post, request } from "../../lib/api.js";
import { touched } from "../../lib/fetched.js";
import { eventsOf } from "../../lib/sse.js";
import { begun, take } from "./run.js";

const CHAT = "/api/v2/agent/chat";

/** Milliseconds before each attempt to follow a broken-off stream again. After the last one a person is asked. */
const TRIES_MS = [500, 2000, 5000];

/**
 * @typedef {"working"|"over"|"broken"|"refused"} TurnState
 * @typedef {{id: string, said: string, run: import("./run.js").StoryRun, state: TurnState, problem: any, request: any}} Turn
 */

/** Whether a turn waits for a choice. @param {Turn} turn */
export const waits = (turn) => turn.state !== "working" && turn.run.done?.status === "paused";

export class StoryChat {
  /** All turns, which are updated while they are followed, the oldest first. @type {Turn[]} */
  #all = [];
  /** The turns for views: copies of those in `#all`, so that views notice each change. @type {{value: Turn[]}} */
  turns = signal(/** @type {Turn[]} */ ([]));
  /** The session at the server, once it is known. @type {{value: string}} */
  session = signal("");
  /** Whether the earlier messages were read. @type {{value: boolean}} */
  isOpen = signal(false);
  /** @type {number|undefined} */
  frame;

  /** @param {string} story */
  constructor(story) {
    this.story = story;
  }

  get working() {
    return this.turns.value.some((turn) => turn.state === "working");
  }

  /** Continues the latest conversation, even if it was in another tab. */
  async open() {
    if (this.opening) return this.opening;
    this.opening = this.#resume().catch(() => {}).finally(() => { this.isOpen.value = true; });
    return this.opening;
  }

  async #resume() {
    const { hasSession, sessionId } = await get(`/api/v1/sessions/resume/${encodeURIComponent(this.story)}`);
    if (!hasSession) return;
    if (this.#all.length) return;
    this.session.value = sessionId;
    const turn = this.#add("", null);
    void this.#follow(turn, () => this.#come(turn));
  }

  /** Reads the message of a turn's run, which its stream does not contain. @param {Turn} turn */
  async #name(turn) {
    // Several runs of a session may wait at once; each of them but the first has a session of the log of its own.
    const [name, lane] = turn.run.runId.split("~");
    const view = await get(`/v1/sessions/${encodeURIComponent(lane ? `${this.session.value}~${lane}` : this.session.value)}`);
    turn.said = view.runs.find((/** @type {any} */ it) => it.run === name)?.brief ?? "";
    this.#draw();
  }

  /** @param {string} message @param {Record<string, any>} more other fields of the request */
  say(message, more) {
    const body = { projectId: this.story, message, ...(this.session.value ? { sessionId: this.session.value } : {}), ...more };
    return this.#follow(this.#add(message, body), (turn) => this.#send(turn.request, turn.id));
  }

  /** Makes the choice that a turn waits for. @param {string} id of the turn @param {string} selection an option's id, or words of one's own */
  choose(id, selection) {
    const turn = this.#turn(id);
    const asked = turn.run.asked;
    const body = { projectId: this.story, message: selection, sessionId: turn.run.session, metadata: { chainContext: { pause: asked.pause, selection } } };
    turn.run.chosen = selection;
    const key = freshId("choice");
    return this.#follow(turn, () => this.#send(body, key));
  }

  /** Sends a message again that was refused or did not arrive. @param {string} id of the turn */
  again(id) {
    const turn = this.#turn(id);
    if (turn.state === "refused" && turn.request) return this.#follow(turn, () => this.#send(turn.request, freshId("chat")));
    return this.#follow(turn, () => this.#come(turn));
  }

  /** Cancels the run at work or, if there is none, the latest pause. */
  async cancel() {
    const turn = this.#all.find((it) => it.state === "working") ?? this.#all.findLast(waits);
    const sessionId = turn?.run.session || this.session.value;
    if (!turn || !sessionId) return;
    await post("/api/v2/agent/cancel", { sessionId });
    // The stream of a waiting run had ended, so that it is followed again.
    if (turn.state !== "working") await this.#follow(turn, () => this.#come(turn));
  }

  /** @param {string} said @param {any} body @returns {Turn} */
  #add(said, body) {
    /** @type {Turn} */
    const turn = { id: freshId("chat"), said, run: begun(), state: "working", problem: null, request: body };
    this.#all.push(turn);
    return turn;
  }

  /** @param {string} id @returns {Turn} */
  #turn(id) {
    return /** @type {Turn} */ (this.#all.find((it) => it.id === id));
  }

  /** @param {any} body @param {string} key */
  #send(body, key) {
    return request(CHAT, { method: "POST", body: JSON.stringify(body), headers: { "content-type": "application/json", "idempotency-key": key } });
  }

  /** Requests the rest of a stream after the last frame. @param {Turn} turn */
  #come(turn) {
    const session = turn.run.session || this.session.value;
    if (!session) return this.#send(turn.request, turn.id);
    const headers = turn.run.lastId ? { "last-event-id": turn.run.lastId } : undefined;
    return request(`${CHAT}/${encodeURIComponent(session)}`, { headers });
  }

  /** Reads a stream to its end; if it breaks off, it is continued after the last frame. @param {Turn} turn @param {(turn: Turn) => Promise<Response>} open */
  async #follow(turn, open) {
    turn.state = "working";
    turn.problem = null;
    this.#draw();
    let way = open;
    for (let tries = 0; ; tries += 1) {
      try {
        const response = await way(turn);
        if (await this.#read(turn, response)) return this.#end(turn, "over");
        if (response.status === 204) return this.#end(turn, "over");
      } catch (failure) {
        const refused = failure instanceof ApiFailure && failure.status > 0;
        if (refused) {
          turn.problem = failure;
          return this.#end(turn, turn.run.runId && !turn.run.asked ? "broken" : "refused");
        }
      }
      if (tries >= TRIES_MS.length) return this.#end(turn, "broken");
      await new Promise((resolve) => { setTimeout(resolve, TRIES_MS[tries]); });
      way = () => this.#come(turn);
    }
  }

  /** Whether the stream came to its end. @param {Turn} turn @param {Response} response */
  async #read(turn, response) {
    const session = response.headers.get("x-session-id");
    if (session) {
      turn.run.session ||= session;
      this.session.value = session;
    }
    for await (const { id, data } of eventsOf(response)) {
      const isFirst = !turn.run.runId;
      take(turn.run, JSON.parse(data), id);
      if (isFirst && !turn.said) void this.#name(turn).catch(() => {});
      this.#draw();
    }
    return Boolean(turn.run.done);
  }

  /** @param {Turn} turn @param {TurnState} state */
  #end(turn, state) {
    // If a choice was refused, it can be made again.
    if (state === "refused" && turn.run.asked) turn.run.chosen = null;
    turn.state = state;
    this.#draw();
    // Proposals of agents, and the costs of the run, are in the resources now.
    touched();
  }

  /** Draws the turns at most once for each animation frame, because frames may come faster. */
  #draw() {
    this.frame ??= requestAnimationFrame(() => {
      this.frame = undefined;
      this.turns.value = this.#all.map((turn) => ({ ...turn, run: { ...turn.run } }));
    });
  }
}

/** @type {Map<string, StoryChat>} */
const chats = new Map();

/** The chat about a story in this tab. @param {string} story */
export function chatOf(story) {
  let chat = chats.get(story);
  if (!chat) {
    chat = new StoryChat(story);
    chats.set(story, chat);
  }
  return chat;
}
