// @ts-check
/** The positions of sentences in a text that is shown paragraph by paragraph. Pure functions. */

/**
 * @typedef {{key: string, sentence: string, start: number}} Wanted a sentence, and how many characters (code points) stand before it
 * @typedef {{text: string, keys: string[], ends: string[]}} Segment `keys`: whose sentence it belongs to; `ends`: whose sentence ends with it
 * @typedef {{is: "heading"|"break"|"text", start: number, segments: Segment[]}} Paragraph `start`: as an index of the text
 */

const BREAK = /^\s*(?:[*＊·•~～—–-]\s*){3,}$/;
const HEADING = /^#{1,6}\s+/;

/** The index in a text of an offset that counts characters. @param {string} text @param {number} chars */
export function indexOf(text, chars) {
  if (!/[\ud800-\udfff]/.test(text)) return chars;
  let at = 0;
  for (let n = 0; n < chars && at < text.length; n += 1) at += /** @type {number} */ (text.codePointAt(at)) > 0xffff ? 2 : 1;
  return at;
}

/**
 * The position of each sentence now: its known position, else the nearest one with the same words. Sentences that are gone are left out.
 * @param {string} text @param {Wanted[]} wanted @returns {Map<string, {from: number, to: number}>}
 */
export function placed(text, wanted) {
  const found = new Map();
  for (const { key, sentence, start } of wanted) {
    if (!sentence) continue;
    const told = indexOf(text, start);
    const at = text.startsWith(sentence, told) ? told : nearest(text, sentence, told);
    if (at >= 0) found.set(key, { from: at, to: at + sentence.length });
  }
  return found;
}

/** @param {string} text @param {string} sentence @param {number} near */
function nearest(text, sentence, near) {
  let best = -1;
  for (let at = text.indexOf(sentence); at >= 0; at = text.indexOf(sentence, at + 1)) {
    if (best < 0 || Math.abs(at - near) < Math.abs(best - near)) best = at;
    if (at > near) break;
  }
  return best;
}

/**
 * The paragraphs of a text, each cut where a sentence begins or ends.
 * @param {string} text @param {Map<string, {from: number, to: number}>} places @returns {Paragraph[]}
 */
export function paragraphsOf(text, places) {
  /** @type {Paragraph[]} */
  const paragraphs = [];
  let at = 0;
  for (const line of text.split("\n")) {
    const heading = HEADING.exec(line);
    const from = at + (heading ? heading[0].length : 0);
    if (line.trim()) {
      const is = heading ? "heading" : BREAK.test(line) ? "break" : "text";
      paragraphs.push({ is, start: at, segments: segments(text, from, at + line.length, places) });
    }
    at += line.length + 1;
  }
  return paragraphs;
}

/** @param {string} text @param {number} from @param {number} to @param {Map<string, {from: number, to: number}>} places @returns {Segment[]} */
function segments(text, from, to, places) {
  const here = [...places].filter(([, place]) => place.from < to && place.to > from);
  const cuts = new Set([from, to]);
  for (const [, place] of here) for (const cut of [place.from, place.to]) if (cut > from && cut < to) cuts.add(cut);
  const points = [...cuts].sort((one, other) => one - other);
  return points.slice(0, -1).map((start, n) => {
    const end = points[n + 1];
    const own = here.filter(([, place]) => place.from <= start && place.to >= end);
    // If a sentence goes beyond the end of the line, its last mark in this line is there.
    const ends = own.filter(([, place]) => place.to === end || (end === to && place.to > to));
    return { text: text.slice(start, end), keys: own.map(([key]) => key), ends: ends.map(([key]) => key) };
  });
}
