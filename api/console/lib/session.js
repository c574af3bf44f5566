// @ts-check
/** An open session: its timeline, the text being written, and the commands to it. */
import { signal, useEffect, useMemo } from "../vendor/preact.js";
import { command, subscribe } from "./connection.js";
import { Timeline } from "./fold.js";
import { Live } from "./live.js";
import { pagesOf } from "./pages.js";

/** Milliseconds between two updates of the progress of loading a long log. */
const TELL_MS = 200;

/**
 * Passes on the events so far, page by page.
 * @param {Promise<import("./pages.js").Page>} first @param {(events: any[]) => void} take @returns {Promise<string>} the cursor after which to follow
 */
async function readPages(first, take) {
  let page = await first;
  take(page.events);
  while (page.next) {
    page = await page.next;
    take(page.events);
  }
  return page.cursor;
}

export class Watched {
  /** @param {string} session */
  constructor(session) {
    this.session = session;
    this.timeline = new Timeline();
    this.live = new Live();
    /** The model after the last event; null until something is there. */
    this.model = signal(/** @type {any} */ (null));
    /** Counts changes of the text being written. */
    this.pulse = signal(0);
    /** @type {{value: "loading"|"ready"|"gone"}} */
    this.state = signal(/** @type {any} */ ("loading"));
    /** How many events of a long log are loaded. */
    this.count = signal(0);
    this.failure = signal(/** @type {any} */ (null));
    /** Milliseconds by which the server's clock is ahead of ours, as its events tell. */
    this.ahead = 0;
  }

  start() {
    const { first, stop } = pagesOf(this.session);
    let caughtUp = false;
    let told = 0;
    let head = 0;
    let unsubscribe = () => {};
    const show = () => { if (this.timeline.events.length) { this.model.value = this.timeline.latest; this.state.value = "ready"; } };
    const take = (/** @type {any[]} */ events) => {
      if (!events.length || stop.signal.aborted) return;
      this.timeline.push(events);
      this.live.end(events);
      const last = +new Date(events[events.length - 1].ts) - Date.now();
      if (last > this.ahead) this.ahead = last;
      if (!caughtUp && Date.now() - told > TELL_MS) { told = Date.now(); this.count.value = this.timeline.events.length; }
    };
    /** @type {import("./connection.js").Handlers} */
    const handlers = {
      onBegin: (version) => { head = version; },
      onEvents: (events) => {
        take(events);
        // Half a log would look like the current state.
        caughtUp ||= head > 0 && this.timeline.head >= head;
        if (caughtUp) show();
      },
      onDelta: (deltas) => { this.live.take(deltas); this.pulse.value += 1; },
      onUpToDate: () => { if (!caughtUp) { caughtUp = true; show(); } },
      onReset: () => {
        caughtUp = false;
        this.timeline = new Timeline();
        this.live = new Live();
        this.count.value = 0;
        this.state.value = "loading";
      },
      onClosed: ({ outcome, failure }) => end(failure ?? { code: outcome, message: outcome }),
    };
    const end = (/** @type {any} */ failure) => {
      show();
      this.failure.value = failure;
      this.state.value = "gone";
    };
    const follow = (/** @type {string} */ cursor) => { unsubscribe = subscribe(this.session, handlers, cursor); };
    readPages(first, take).then(
      (cursor) => {
        if (stop.signal.aborted) return;
        caughtUp = this.timeline.events.length > 0;
        show();
        follow(cursor);
      },
      (failure) => {
        if (stop.signal.aborted) return;
        if (failure.status === 404 || failure.status === 410) end(failure);
        // The socket reconnects by itself, continues after the last event, and reports other errors.
        else follow(this.timeline.events.at(-1)?.cursor ?? "start");
      },
    );
    return () => { stop.abort(); unsubscribe(); };
  }

  /** @param {string} type @param {any} payload */
  ask(type, payload) {
    return command(this.session, type, payload);
  }
}

/** @param {string} session @returns {Watched} */
export function useSession(session) {
  const watched = useMemo(() => new Watched(session), [session]);
  useEffect(() => watched.start(), [watched]);
  return watched;
}
