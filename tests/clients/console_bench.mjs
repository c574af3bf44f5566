// How fast the console is on a long session: node console_bench.mjs <program> <scripted model> <folder> <browser> [events]
//
// Makes a deck of thirty pages and has it redone until its log has so many events (10,000), in a log in the folder, which a second
// call finds there. Prints how long opening takes, how long frames take while the list of events is scrolled and the slider is
// dragged, and what the page holds in memory before, with, and after the session, and during a long stream of text.

import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { eventsOf } from "./console_fold.mjs";
import { Page, launched } from "./console_page.mjs";
import { Model, Server } from "./console_server.mjs";

const [program, modelProgram, folder, browserPath, wanted = "10000"] = process.argv.slice(2);
if (!browserPath) {
  console.error("usage: node console_bench.mjs <program> <scripted model> <folder> <browser> [events]");
  process.exit(2);
}

/** How often something is measured that differs from time to time. */
const TIMES = 5;
/** Characters that the model writes in the long stream, and how many come at once. */
const STREAM_CHARS = 3_000_000;
const CHUNK_CHARS = 250;

const megabytes = (bytes) => `${(bytes / 1048576).toFixed(1)} MiB`;
const sorted = (numbers) => [...numbers].sort((a, b) => a - b);
const quantile = (numbers, share) => sorted(numbers)[Math.min(numbers.length - 1, Math.floor(numbers.length * share))];
const told = (name, value) => console.log(`${name.padEnd(46)} ${value}`);
const millis = (numbers) => `median ${quantile(numbers, 0.5).toFixed(0)} ms, best ${Math.min(...numbers).toFixed(0)}, worst ${Math.max(...numbers).toFixed(0)}`;

/** A session with so many events. */
async function long(api, events) {
  const session = "bench";
  const known = (await api.get("/v1/sessions?limit=200")).sessions.find((it) => it.session === session);
  if (!known) await api.made({ pipeline: "course", message: "Tides for beginners, 30 pages", session, input: { pageCount: 30 } });
  for (;;) {
    const { version, runs } = await api.session(session);
    if (version >= events) return { session, version };
    const stage = ["generate_slide_scripts", "generate_slides", "generate_presentation_theme"][runs.length % 3];
    await api.command(session, "refine", { stage, feedback: `Change number ${runs.length}` });
    await api.rests(session, `r${runs.length + 1}`);
  }
}

/** What is held once garbage is collected. */
async function heap(page) {
  await page.devtools.send("HeapProfiler.collectGarbage");
  const { usedSize } = await page.devtools.send("Runtime.getHeapUsage");
  return usedSize;
}

/** Runs in the page: when the session is whole, counted from the navigation. */
const whole = (head) => {
  const slider = document.querySelector("[role=slider]");
  return slider?.getAttribute("aria-valuemax") === String(head) && !document.querySelector("[aria-busy=true], .spinner.large") && performance.now();
};

/** Begins to note how long frames take. */
const noting = (page) => page.tab.evaluate(() => {
  const frames = (window.frameTimes = []);
  let before = performance.now();
  const next = (now) => { frames.push(now - before); before = now; window.notes = requestAnimationFrame(next); };
  window.notes = requestAnimationFrame(next);
});
const noted = (page) => page.tab.evaluate(() => { cancelAnimationFrame(window.notes); return window.frameTimes.slice(1); });
const frames = (times) => `${times.length} frames, median ${quantile(times, 0.5).toFixed(1)} ms, 95 % ${quantile(times, 0.95).toFixed(1)}, 99 % ${quantile(times, 0.99).toFixed(1)}, worst ${Math.max(...times).toFixed(0)}, above 50 ms: ${times.filter((it) => it > 50).length}`;

async function opening(browser, server, { session, version }) {
  const page = await Page.open(browser, server.address);
  await page.find("link", "New session");
  const before = await heap(page);
  const [cold, within] = [[], []];
  for (let time = 0; time < TIMES; time += 1) {
    await page.tab.goto("about:blank");
    await page.tab.goto(`${server.address}/#/s/${session}`, { waitUntil: "domcontentloaded" });
    cold.push(await page.until("the session is whole", whole, version));
  }
  const opened = await heap(page);
  for (let time = 0; time < TIMES; time += 1) {
    await page.go("#/");
    await page.find("link", "New session");
    const from = await page.tab.evaluate((hash) => { location.hash = hash; return performance.now(); }, `#/s/${session}`);
    within.push((await page.until("the session is whole", whole, version)) - from);
  }
  const from = performance.now();
  const bytes = JSON.stringify(await eventsOf(server.address, session)).length;
  told("the same events without a browser", `${(performance.now() - from).toFixed(0)} ms, ${megabytes(bytes)}`);
  told("from an empty tab to the whole session", millis(cold));
  told("from the list to the whole session", millis(within));
  return { page, before, opened };
}

async function scrolling(page, session) {
  await page.go(`#/s/${session}?drawer=log`);
  await page.find("listbox", "Events");
  await noting(page);
  await page.tab.evaluate(() => new Promise((done) => {
    const list = document.querySelector("[role=listbox]");
    list.scrollTop = 0;
    let left = 240;
    const next = () => { list.scrollTop += 1250; left -= 1; if (left) requestAnimationFrame(next); else done(); };
    requestAnimationFrame(next);
  }));
  told("scrolling the list of events", frames(await noted(page)));
}

async function dragging(page, session) {
  for (const query of ["", "?left=steps", "?left=steps&drawer=log"]) {
    await page.go(`#/s/${session}${query}`);
    const box = await (await page.find("slider", "Version")).boundingBox();
    const middle = box.y + box.height / 2;
    await page.tab.mouse.move(box.x + 0.89 * box.width, middle);
    await page.tab.mouse.down();
    await noting(page);
    for (let at = 0; at <= 200; at += 1) {
      const share = 0.45 + 0.44 * Math.cos((at / 200) * 4 * Math.PI);
      await page.tab.mouse.move(box.x + box.width * share, middle);
    }
    told(`dragging the slider ${query || "(conversation)"}`, frames(await noted(page)));
    await page.tab.mouse.up();
    await page.press("button", "Back to now");
  }
}

/** A model that writes much for a long time. */
async function streaming(browser) {
  const script = JSON.parse(readFileSync(new URL("../scripts/course.json", import.meta.url), "utf8"));
  const answer = JSON.stringify({ ...script.by_schema.slide_scripts, more: "The tide comes and goes. ".repeat(STREAM_CHARS / 25) });
  script.rules.unshift({ when: { schema: "slide_scripts" }, answer, chunk_chars: CHUNK_CHARS, chunk_delay_ms: 1 });
  const model = await Model.start(modelProgram);
  await model.play(script);
  const place = join(folder, "stream");
  mkdirSync(place, { recursive: true });
  const server = await Server.start(program, place, { model });
  const page = await Page.open(browser, server.address, "", { forgiving: true });
  await page.find("link", "New session");
  const before = await heap(page);
  const { session } = await server.api.post("/v1/sessions", { pipeline: "course", message: "A deck of 4 pages about photosynthesis for grade 7", settings: { attempts: 1 } });
  await page.go(`#/s/${session}?left=steps`);
  await page.reads("The tide comes and goes.");
  await noting(page);
  const held = [];
  const until = Date.now() + 60_000;
  while (Date.now() < until && (await server.api.session(session)).active) held.push(await heap(page));
  told("frames during the stream", frames(await noted(page)));
  told("memory before, during (most), at the end of it", [before, Math.max(...held), held.at(-1)].map(megabytes).join(", "));
  await page.tab.close();
  await server.kill();
  await model.end();
}

const browser = await launched(browserPath);
mkdirSync(folder, { recursive: true });
const server = await Server.start(program, folder);
try {
  const session = await long(server.api, Number(wanted));
  told("events", session.version);
  const { page, before, opened } = await opening(browser, server, session);
  await scrolling(page, session.session);
  await dragging(page, session.session);
  const used = await heap(page);
  await page.go("#/operations");
  await page.find("heading", "Operations");
  told("memory before, with it, after use, after leaving", [before, opened, used, await heap(page)].map(megabytes).join(", "));
  await page.tab.close();
  await streaming(browser);
} finally {
  await server.kill();
  await browser.close();
}
