// @ts-check
/** Text while it is written. It is no part of the fold: the artifact replaces it, and of a long text only the end is kept. */

/** Characters kept of one step's text. */
const KEPT = 24_000;

/** @typedef {{step: string, run: string, attempt: number, text: string, kept: number, chars: number, at: number}} LiveText */

export class Live {
  constructor() {
    /** @type {Map<string, LiveText>} */
    this.texts = new Map();
  }

  /** @param {import("./connection.js").Delta[]} deltas */
  take(deltas) {
    for (const delta of deltas) {
      const before = this.texts.get(delta.step);
      if (before && delta.attempt < before.attempt) continue;
      const same = before && before.attempt === delta.attempt ? before : null;
      this.texts.set(delta.step, this.joined(same, delta));
    }
  }

  /** @param {LiveText|null} before @param {import("./connection.js").Delta} delta @returns {LiveText} */
  joined(before, delta) {
    // Offsets count characters, as on the server, and not the UTF-16 units of a JavaScript string.
    const added = count(delta.text);
    let text = before && delta.offset > 0 ? before.text : "";
    let kept = before && delta.offset > 0 ? before.kept : 0;
    const start = before ? before.chars - before.kept : 0;
    if (before && delta.offset > 0 && delta.offset < before.chars) {
      text = Array.from(before.text).slice(0, Math.max(0, delta.offset - start)).join("");
      kept = count(text);
    }
    text += delta.text;
    kept += added;
    if (kept > KEPT * 2) {
      text = Array.from(text).slice(-KEPT).join("");
      kept = KEPT;
    }
    return { step: delta.step, run: delta.run, attempt: delta.attempt, text, kept, chars: delta.offset + added, at: Date.now() };
  }

  /** Drops the texts of steps that have ended. @param {import("./connection.js").EventFrame[]} events */
  end(events) {
    if (!this.texts.size) return;
    for (const { type, data } of events) {
      if (type === "step_succeeded" || type === "step_failed" || type === "step_cancelled" || type === "step_requested") this.texts.delete(data.step);
      else if (type === "run_completed" || type === "run_failed" || type === "run_cancelled") {
        for (const text of this.texts.values()) if (text.run === data.run) this.texts.delete(text.step);
      }
    }
  }
}

/** Characters as the server counts them. @param {string} text */
function count(text) {
  let chars = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code < 0xdc00 || code > 0xdfff) chars += 1;
  }
  return chars;
}
