// @ts-check
/**
 * The state of a session as a fold of its events: what `GET /v1/sessions/{id}?at=N` says, and when it happened.
 *
 * A model is shared in parts with those before it. Each part belongs to the epoch in which it was made; a part of an earlier epoch is
 * copied before it is changed. Handing out a model ends its epoch, so that a handed-out model never changes, and a view that
 * compares by identity draws only what is new.
 */
import { folds } from "./folds.js";

/** @typedef {import("./connection.js").EventFrame} EventFrame */
/** @typedef {any} Model */

const EPOCH = Symbol("epoch");
let epochs = 0;

/** Events between two models that are kept. */
const CHECKPOINT = 500;

/** The model of a session without events. @returns {Model} */
export function emptyModel() {
  return begin({
    version: 0, title: "", pipeline: "", forkedFrom: null, active: null, head: null, erased: false,
    runs: new Map(), artifacts: new Map(), messages: [], queue: [], files: new Map(), at: null,
  });
}

/** A working copy that shares everything with what it is made from. @param {Model} model @returns {Model} */
function begin(model) {
  epochs += 1;
  return { ...model, [EPOCH]: epochs };
}

/**
 * The part of a holder that may be changed: the part itself if it is of this epoch, else a copy in its place.
 * @param {Model} model @param {any} holder @param {any} key @returns {any}
 */
export function edit(model, holder, key) {
  const keyed = holder instanceof Map;
  const old = keyed ? holder.get(key) : holder[key];
  if (old === undefined || old === null || old[EPOCH] === model[EPOCH]) return old;
  const copy = old instanceof Map ? new Map(old) : Array.isArray(old) ? old.slice() : { ...old };
  copy[EPOCH] = model[EPOCH];
  if (keyed) holder.set(key, copy);
  else holder[key] = copy;
  return copy;
}

/**
 * Changes a working copy by one event.
 * @param {Model} model @param {EventFrame} event @returns {Model}
 */
export function apply(model, event) {
  model.version = event.version;
  model.at = event.ts;
  /** @type {any} */ (folds)[event.type]?.(model, event.data, event);
  return model;
}

/** The events of a session in order, and the model after any of them. */
export class Timeline {
  constructor() {
    /** @type {EventFrame[]} */
    this.events = [];
    this.working = emptyModel();
    /** @type {Model[]} The models after every so many events. */
    this.checkpoints = [begin(this.working)];
    /** @type {Model|null} */
    this.view = null;
    /** @type {Model|null} The last one that was asked for, from which the next is often near. */
    this.near = null;
  }

  /** The version of the last event. */
  get head() {
    return this.events.length ? this.events[this.events.length - 1].version : 0;
  }

  /** Adds the events that follow; events that are known already are skipped. @param {EventFrame[]} events */
  push(events) {
    for (const event of events) {
      if (event.version <= this.head) continue;
      this.events.push(event);
      apply(this.working, event);
      if (this.events.length % CHECKPOINT === 0) {
        this.checkpoints.push(this.working);
        this.working = begin(this.working);
      }
    }
    this.view = null;
  }

  /** The model after the last event. @returns {Model} */
  get latest() {
    if (!this.view) {
      this.view = this.working;
      this.working = begin(this.working);
    }
    return this.view;
  }

  /** How many events there are up to a version. @param {number} version */
  count(version) {
    // Events of a session are numbered from 1 without gaps, so that the version nearly always gives the index.
    if (this.events[version - 1]?.version === version) return version;
    let [low, high] = [0, this.events.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.events[middle].version <= version) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** @param {number} version @returns {EventFrame|undefined} */
  event(version) {
    const found = this.events[this.count(version) - 1];
    return found?.version === version ? found : undefined;
  }

  /** The model as it was at a version. @param {number} version @returns {Model} */
  at(version) {
    if (version >= this.head) return this.latest;
    const wanted = this.count(version);
    if (this.near && this.near.count === wanted) return this.near.model;
    let count = Math.floor(wanted / CHECKPOINT) * CHECKPOINT;
    let from = this.checkpoints[count / CHECKPOINT];
    if (this.near && this.near.count < wanted && this.near.count > count) {
      count = this.near.count;
      from = this.near.model;
    }
    const model = begin(from);
    for (; count < wanted; count += 1) apply(model, this.events[count]);
    this.near = { count: wanted, model };
    return model;
  }
}
