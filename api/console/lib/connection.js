// @ts-check
/** The tab's only socket: subscriptions continue where they were cut off, and commands are carried out once. */
import { signal } from "../vendor/preact.js";
import { ApiFailure, freshId, key, post, wantKey } from "./api.js";

/** @typedef {import("../types/protocol.ts").Envelope} EventFrame */
/** @typedef {import("../types/protocol.ts").ClientFrame} ClientFrame */
/** @typedef {import("../types/protocol.ts").ServerFrame} ServerFrame */
/** @typedef {Extract<ServerFrame, {frame: "delta"}>} Delta */
/**
 * @typedef {object} Handlers
 * @property {(events: EventFrame[]) => void} onEvents all events since the last animation frame, in order
 * @property {(deltas: Delta[]) => void} [onDelta]
 * @property {(head: number) => void} [onBegin] the session is at this version
 * @property {() => void} [onUpToDate] everything so far was given
 * @property {() => void} [onReset] what was given is no longer valid; it is given again from the start
 * @property {(why: {outcome?: string, failure?: ApiFailure}) => void} [onClosed] nothing will follow
 */
/**
 * @typedef {object} Subscription
 * @property {string} name @property {string} session @property {Handlers} handlers @property {string} after
 * @property {EventFrame[]} events @property {Delta[]} deltas @property {boolean} upToDate @property {boolean} due
 */

/** @type {{value: "connecting"|"open"|"reconnecting"}} */
export const status = signal(/** @type {any} */ ("connecting"));
/** How often the connection was made again. */
export const reconnections = signal(0);
/** When the next attempt is, while there is no connection. */
export const nextTry = signal(/** @type {number|null} */ (null));

const PROTOCOL = 1;
/** Waits between attempts to connect: doubled from the first to the last. */
const WAIT_MS = [400, 20_000];
/** The server pings every 25 seconds. If two pings are missing, the connection counts as lost. */
const SILENCE_MS = 60_000;
/** How often frames are processed while the page is hidden. */
const HIDDEN_MS = 500;
/** A command without an answer for this long is repeated over HTTP with the same id. */
const ANSWER_MS = 15_000;

/** @type {WebSocket|null} */
let socket = null;
let welcomed = false;
let wasOpen = false;
let failures = 0;
let heard = 0;
/** @type {ReturnType<typeof setTimeout>|undefined} */
let timer;
/** @type {Map<string, Subscription>} */
const subscriptions = new Map();
/** @type {Map<string, {resolve: (answer: any) => void, reject: (failure: ApiFailure) => void, overHttp: () => void}>} */
const pending = new Map();

/** @param {ClientFrame} frame */
function say(frame) {
  socket?.send(JSON.stringify(frame));
}

function connect() {
  clearTimeout(timer);
  nextTry.value = null;
  if (socket) return;
  status.value = wasOpen ? "reconnecting" : "connecting";
  const address = new URL("/v1/stream", location.href);
  address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
  const mine = new WebSocket(address, "palimpsest.v1");
  socket = mine;
  welcomed = false;
  heard = Date.now();
  mine.onopen = () => say({ frame: "hello", protocol: PROTOCOL, client: "console", ...(key.value ? { token: key.value } : {}) });
  mine.onmessage = (message) => {
    heard = Date.now();
    take(JSON.parse(message.data));
  };
  mine.onclose = (event) => { if (socket === mine) gone(event.code); };
}

/** @param {number} code */
function gone(code) {
  socket = null;
  welcomed = false;
  // Commands without an answer are sent again over HTTP; their ids keep them from being carried out twice.
  for (const command of pending.values()) command.overHttp();
  status.value = wasOpen ? "reconnecting" : "connecting";
  if (code === 4001) {
    void wantKey(Boolean(key.value)).then(connect);
    return;
  }
  const wait = Math.min(WAIT_MS[1], WAIT_MS[0] * 2 ** failures) * (0.5 + Math.random());
  failures += 1;
  nextTry.value = Date.now() + wait;
  clearTimeout(timer);
  timer = setTimeout(connect, wait);
}

/** Reconnects at once when the network is back, or when the page is visible again. */
function hurry() {
  if (!socket && nextTry.value !== null) { failures = 0; connect(); }
}

addEventListener("online", hurry);
document.addEventListener("visibilitychange", () => { if (!document.hidden) hurry(); });
setInterval(() => {
  if (socket && Date.now() - heard > SILENCE_MS) {
    const dead = socket;
    gone(4000);
    dead.close();
  }
}, 5000);

/** @param {ServerFrame} frame */
function take(frame) {
  switch (frame.frame) {
    case "welcome":
      welcomed = true;
      failures = 0;
      if (wasOpen) reconnections.value += 1;
      wasOpen = true;
      status.value = "open";
      for (const subscription of subscriptions.values()) begin(subscription);
      return;
    case "ping":
      return say({ frame: "pong" });
    case "result":
      return answered(frame);
    case "error":
      return wrong(frame);
  }
  const subscription = "sub" in frame && frame.sub && subscriptions.get(frame.sub);
  if (!subscription) return;
  switch (frame.frame) {
    case "subscribed":
      return subscription.handlers.onBegin?.(frame.head);
    case "event":
      subscription.after = frame.cursor;
      subscription.events.push(frame);
      return soon(subscription);
    case "delta":
      subscription.deltas.push(frame);
      return soon(subscription);
    case "up_to_date":
      subscription.after = frame.cursor;
      subscription.upToDate = true;
      return soon(subscription);
    case "reset":
      return again(subscription);
    case "closed":
      if (frame.outcome !== "unsubscribed") {
        subscriptions.delete(subscription.name);
        give(subscription);
        subscription.handlers.onClosed?.({ outcome: frame.outcome });
      }
  }
}

/** @param {Extract<ServerFrame, {frame: "error"}>} frame */
function wrong(frame) {
  const failure = new ApiFailure(frame.error.code === "no_session" ? 404 : 400, frame.error);
  const subscription = frame.sub && subscriptions.get(frame.sub);
  if (!subscription) return;
  subscriptions.delete(subscription.name);
  subscription.handlers.onClosed?.({ failure });
}

/** @param {Extract<ServerFrame, {frame: "result"}>} frame */
function answered(frame) {
  const command = pending.get(frame.id);
  pending.delete(frame.id);
  if (frame.ok) command?.resolve(frame);
  else command?.reject(new ApiFailure(409, frame.error));
}

/** @param {Subscription} subscription */
function begin(subscription) {
  say({
    frame: "subscribe", sub: subscription.name, session: subscription.session, view: "events", mode: "tail", after: subscription.after, deltas: true,
  });
}

/** Starts a subscription anew after an unusable cursor. It gets another name, so that late frames of the old one are not mixed in. @param {Subscription} subscription */
function again(subscription) {
  subscriptions.delete(subscription.name);
  say({ frame: "unsubscribe", sub: subscription.name });
  Object.assign(subscription, { name: freshId("sub"), after: "start", events: [], deltas: [], upToDate: false });
  subscriptions.set(subscription.name, subscription);
  subscription.handlers.onReset?.();
  begin(subscription);
}

/** @param {Subscription} subscription */
function soon(subscription) {
  if (subscription.due) return;
  subscription.due = true;
  const now = () => { if (subscription.due) { subscription.due = false; give(subscription); } };
  // If the tab is hidden in the meantime, it gets no animation frame.
  setTimeout(now, HIDDEN_MS);
  if (!document.hidden) requestAnimationFrame(now);
}

/** @param {Subscription} subscription */
function give(subscription) {
  const { events, deltas, upToDate, handlers } = subscription;
  subscription.events = [];
  subscription.deltas = [];
  subscription.upToDate = false;
  if (events.length) handlers.onEvents(events);
  if (deltas.length) handlers.onDelta?.(deltas);
  if (upToDate) handlers.onUpToDate?.();
}

/**
 * Follows a session after a cursor; without one, from its first event.
 * @param {string} session @param {Handlers} handlers @param {string} [after] @returns {() => void} ends it
 */
export function subscribe(session, handlers, after = "start") {
  /** @type {Subscription} */
  const subscription = { name: freshId("sub"), session, handlers, after, events: [], deltas: [], upToDate: false, due: false };
  subscriptions.set(subscription.name, subscription);
  if (welcomed) begin(subscription);
  else connect();
  return () => {
    subscription.handlers = { onEvents() {} };
    if (subscriptions.delete(subscription.name) && welcomed) say({ frame: "unsubscribe", sub: subscription.name });
  };
}

/**
 * Sends a command to a session. A refusal rejects with an `ApiFailure` that has the server's message.
 * @param {string} session @param {string} type @param {any} payload @returns {Promise<{applied_version: number, run?: string, session?: string, duplicate: boolean}>}
 */
export function command(session, type, payload) {
  const id = freshId("cmd");
  return new Promise((resolve, reject) => {
    const overHttp = () => {
      if (!pending.delete(id)) return;
      post(`/v1/sessions/${encodeURIComponent(session)}/commands`, { id, type, payload }).then(resolve, reject);
    };
    pending.set(id, { resolve, reject, overHttp });
    if (!welcomed) return overHttp();
    say({ frame: "command", id, session, type, payload });
    setTimeout(overHttp, ANSWER_MS);
  });
}

/** Connects before anybody subscribes, so that the first session opens at once. */
export function open() {
  connect();
}
