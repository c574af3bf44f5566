// What holds for every text and every stream of a story, without a browser: the modules of the console that know nothing of a page.

import { indexOf, paragraphsOf, placed } from "../../products/story/console/passages.js";
import { eventsOf } from "../../api/console/lib/sse.js";
import { begun, take } from "../../products/story/console/run.js";
import { equal, expect } from "./console_page.mjs";

const TRIES = 300;

/** Numbers below a limit that are the same in every run. @param {number} seed */
function numbers(seed) {
  let state = seed;
  return (/** @type {number} */ limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state % limit;
  };
}

const PARTS = ["雾从五更起就没有散。", "She rows standing.", "𠮷野家的灯灭了。", "\n", "\n\n", "* * *", "# 潮信\n", "“几寻？”", "😀"];

/** Whatever stands in a text is shown, in its order; each sentence is marked where it stands, as often as it is wanted. */
function passages() {
  const next = numbers(7);
  for (let n = 0; n < TRIES; n += 1) {
    const pieces = Array.from({ length: 1 + next(12) }, () => PARTS[next(PARTS.length)]);
    const text = pieces.join("");
    const wanted = pieces.flatMap((sentence, at) => (/[\n*#]/.test(sentence) ? [] : [{ key: String(at), sentence, start: [...pieces.slice(0, at).join("")].length }]));
    const places = placed(text, wanted);
    equal([...places.keys()], wanted.map((it) => it.key), `every sentence is found in ${JSON.stringify(text)}`);
    const paragraphs = paragraphsOf(text, places);
    const lines = text.split("\n").filter((line) => line.trim()).map((line) => line.replace(/^#{1,6}\s+/, ""));
    equal(paragraphs.map((it) => it.segments.map((one) => one.text).join("")), lines, "nothing is lost");
    for (const { key, sentence } of wanted) {
      const marked = paragraphs.flatMap((it) => it.segments).filter((it) => it.keys.includes(key)).map((it) => it.text).join("");
      equal(marked, sentence, "a sentence is marked whole and alone");
      equal(paragraphs.flatMap((it) => it.segments).filter((it) => it.ends.includes(key)).length, 1, "its sign stands once");
    }
  }
  equal(indexOf("😀a", 1), 2, "characters are counted, not halves of them");
  const moved = placed("一句。又一句。一句。", [{ key: "a", sentence: "一句。", start: 6 }, { key: "b", sentence: "没有", start: 0 }]);
  equal([...moved], [["a", { from: 7, to: 10 }]], "where the text moved on, the nearest place counts, and what is gone is nowhere");
}

/** A text arrives whole, however it is cut into pieces, whatever an attempt takes back, and also for a client that joins late. */
function pieces() {
  const next = numbers(11);
  for (let n = 0; n < TRIES; n += 1) {
    const run = begun();
    let text = [];
    for (let attempt = 1; attempt <= 1 + next(3); attempt += 1) {
      let offset = next(text.length + 1);
      text = text.slice(0, offset);
      for (const part of Array.from({ length: 1 + next(4) }, () => PARTS[next(PARTS.length)])) {
        take(run, { type: "content", step: 1, agent: "WriterAgent", attempt, offset, content: part });
        text.push(...part);
        offset += [...part].length;
      }
    }
    equal([run.texts[0].text, run.texts[0].chars], [text.join(""), text.length], "the text is what counts of its pieces");
  }
}

/** A stream that is read while it is made and the same stream read again afterwards give the same result. */
async function streams({ address }) {
  const body = { message: "头脑风暴扩写：灯塔的故事", sessionId: "laws", intentHint: "BRAINSTORM_AND_EXPAND" };
  const read = async (/** @type {Response} */ response) => {
    const run = begun();
    for await (const { id, event, data } of eventsOf(response)) {
      const frame = JSON.parse(data);
      equal(frame.type, event, "a frame is what its event says");
      take(run, frame, id);
    }
    return run;
  };
  const live = await read(await fetch(`${address}/api/v2/agent/chat`, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) }));
  const again = await read(await fetch(`${address}/api/v2/agent/chat/laws`));
  expect(live.asked.options.length > 1 && live.done.status === "paused", "it waits for a choice", live.done);
  const told = ({ texts, thoughts, asked, done, lastId }) => ({ texts, thoughts, asked, done, lastId });
  equal(told(again), told(live), "who comes later sees the same");
}

/** All of these. */
export async function storyLaws(world) {
  passages();
  pieces();
  await streams(await world.server());
}
