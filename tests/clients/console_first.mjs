// What a person meets first: the product of a finished session, the form of a new one, what was made of it, when its steps were at
// work, and the list of sessions.

import { readFileSync } from "node:fs";
import { NARROW } from "./console_axe.mjs";
import { Page, equal, expect } from "./console_page.mjs";
import { reportRequest } from "./console_runs.mjs";

const COURSE = { pipeline: "course", message: "Tides for beginners, 4 pages", input: { pageCount: 4 } };
const DECK = { pipeline: "deck", message: "A deck about the rivers in the valley" };
export const POST = { pipeline: "post", message: "请为年轻家庭写一篇周末去郊野公园野餐的种草笔记，目标是收藏，风格轻松，直接生成，不用问" };
const FAILED = { pipeline: "report", message: "Without a template" };

/** Whether something in the page is seen in the window. */
const inSight = (page, selector) => page.tab.evaluate((wanted) => {
  const box = document.querySelector(wanted)?.getBoundingClientRect();
  return Boolean(box?.width) && box.top >= 0 && box.bottom <= innerHeight;
}, selector);

/** A finished session is opened on what was delivered, on a wide and on a narrow screen; what failed, on what was said. */
export async function finished(world) {
  const { address, api } = await world.server();
  const products = [
    [DECK, ".deck-page img"], [COURSE, ".slides-stage iframe"], [{ ...(await reportRequest({ address })), settings: {} }, ".prose .md-h1"], [POST, ".post h2"],
  ];
  for (const [request, product] of products) {
    const session = await api.made(request);
    for (const size of [{}, NARROW]) {
      const page = await Page.open(world.browser, address, `#/s/${session}`, { ...size, motion: "reduce" });
      await page.until(`${product} is seen`, (wanted) => document.querySelector(wanted)?.checkVisibility(), product);
      await page.close();
    }
  }
  const session = await api.made(FAILED);
  const page = await Page.open(world.browser, address, `#/s/${session}`, NARROW);
  await page.reads("Run r1 failed");
  await page.close();
}

/** The form of the pipeline that is chosen comes into sight and has the focus; what the server begins by itself is not offered. */
export async function begun(world) {
  const { address, api } = await world.server();
  const { pipelines } = await api.get("/v1/pipelines");
  const { name, title } = pipelines.at(-1);
  for (const size of [{}, NARROW]) {
    const page = await Page.open(world.browser, address, "", {
      ...size,
      before: (tab) => tab.evaluateOnNewDocument((internal) => {
        const real = window.fetch;
        window.fetch = async (path, ...more) => {
          const answer = await real(path, ...more);
          if (path !== "/v1/pipelines") return answer;
          const { pipelines } = await answer.json();
          return Response.json({ pipelines: pipelines.map((it) => ({ ...it, internal: it.name === internal })) });
        };
      }, name),
    });
    await page.go("#/new");
    await page.press("link", "Social post");
    await page.until("the field of the form has the focus", () => document.activeElement?.matches("form textarea"));
    expect(await inSight(page, "form textarea"), "the field is in sight");
    await page.press("link", "Teaching deck");
    await page.until("the field of the other form has the focus", () => document.activeElement?.matches("form[aria-label='Teaching deck'] textarea"));
    expect(await inSight(page, "form textarea"), "the field is in sight");
    expect(!(await page.has("link", title)), "what the server begins by itself is not offered", title);
    await page.close();
  }
}

/** What was made is told apart by kind and number; what is too long for its place ends with an ellipsis, and can be read whole. */
export async function chips(world) {
  const { address, api } = await world.server();
  const session = await api.made(POST);
  await api.command(session, "refine", { stage: "writer", feedback: "标题换成提问句" });
  const { view } = await api.rests(session, "r2");
  const page = await Page.open(world.browser, address, `#/s/${session}?pane=left`, NARROW);
  await page.find("button", "Post");
  await page.reads("v2");
  const first = await page.tab.$eval(".talk-made", (made) => [...made.querySelectorAll(".chip")].map((it) => it.innerText.split("\n")[0]));
  equal(first.length, new Set(first).size, "no two chips beside each other have the same name");
  for (const n of [1, 2, 3]) expect(first.includes(`Image ${n}`), "pictures have their numbers", first);
  const long = view.artifacts.find((it) => it.kind === "image" && it.title.length > 15);
  await page.go(`#/s/${session}?left=steps&run=r1&pane=left`);
  const cut = await page.until("the title of a picture is cut", (title) => [...document.querySelectorAll(".chip")].filter((it) => it.title.endsWith(`: ${title}`)).map((it) => {
    const text = it.querySelector(".ellipsis");
    return [getComputedStyle(text).textOverflow, text.scrollWidth > text.clientWidth, it.getBoundingClientRect().height >= 24];
  })[0], long.title);
  equal(cut, ["ellipsis", true, true], "it ends with an ellipsis");
  await page.close();
}

/** The steps of a run on one scale of time, with attempts that failed and a question that waits; by keyboard, and on a narrow screen. */
export async function gantt(world) {
  const script = JSON.parse(readFileSync(new URL("../scripts/course.json", import.meta.url), "utf8"));
  script.rules.unshift({ when: { schema: "course_config", occurrence: 1 }, answer: { $invalid: true } });
  const { address, api } = await world.server({ model: await world.model(script) });
  const session = await api.made({ pipeline: "course", message: "A deck of 4 pages about photosynthesis for grade 7", settings: { attempts: 2 } });
  const { runs: [run] } = await api.session(session);
  const steps = run.stages.flatMap((it) => it.steps);
  for (const size of [{}, NARROW]) {
    const page = await Page.open(world.browser, address, `#/s/${session}?left=steps`, { ...size, height: 3000 });
    await page.press("button", "Time line");
    const rows = await page.until("every step has its row", (count) => {
      const found = [...document.querySelectorAll(".gantt-row")];
      return found.length === count && found.map((row) => {
        const track = row.querySelector(".gantt-track").getBoundingClientRect();
        const bars = [...row.querySelectorAll(".gantt-track .gantt-bar")].map((it) => [it.className, it.getBoundingClientRect()]);
        return { name: row.innerText, bars: bars.map(([is]) => is), fits: bars.every(([, it]) => it.left >= track.left - 1 && it.right <= track.right + 4 && it.width >= 2) };
      });
    }, steps.length);
    expect(rows.every((it) => it.fits), "the bars are on the scale", rows);
    const twice = rows.find((it) => it.name.includes("Course configuration"));
    equal(twice.bars, ["gantt-bar failed", "gantt-bar succeeded"], "both attempts are told apart");
    expect(/2 attempts/.test(twice.name) && /Attempt 1, Failed, from .+ to .+ of the run/s.test(twice.name), "they are told in words", twice);
    await page.tab.focus(".gantt-row");
    await page.tab.keyboard.press("Tab");
    await page.tab.keyboard.press("Enter");
    await page.until("the second row is opened by keys", () => document.querySelectorAll(".gantt-row")[1].matches(":focus[aria-expanded=true]") && document.querySelector(".gantt-details .attempt"));
    expect(await page.tab.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "nothing is wider than the screen");
    await page.close();
  }
  const offline = await world.server();
  const asking = await offline.api.made(await reportRequest(offline));
  const page = await Page.open(world.browser, offline.address, `#/s/${asking}?left=steps&steps=time`);
  const waits = () => [...document.querySelectorAll(".gantt-row")].filter((it) => it.querySelector(".gantt-track .waiting")).map((it) => it.innerText.includes("Waits for an answer:"));
  await page.until("the run is drawn", () => document.querySelector(".gantt-row"));
  equal(await page.tab.evaluate(waits), [true], "the time of a person is told apart from work, in words as well");
  await page.close();
}

/** More sessions than a page of the list has: sorted by their columns, filtered by days, and kept so in the address. */
export async function sorted(world) {
  const { address, api } = await world.server();
  const deck = await api.made({ ...COURSE, message: "Aardvarks" });
  for (let n = 10; n < 62; n += 1) await api.made({ ...FAILED, message: `Without a template ${n}` });
  const page = await Page.open(world.browser, address);
  const first = (wanted) => page.until(`“${wanted}” is the first`, (title) => document.querySelector("[role=rowgroup] [role=row] a")?.innerText === title, wanted);
  const says = (wanted) => page.until(`the heads say ${wanted}`, (expected) => [...document.querySelectorAll("[role=columnheader]")].map((it) => it.ariaSort).filter((it) => it !== "none").join() === expected, wanted);
  await first("Without a template 61");
  await page.press("button", "Title");
  await first("Aardvarks");
  await says("ascending");
  await page.press("button", "Title");
  await first("Without a template 61");
  await says("descending");
  await page.press("button", "Title");
  await says("");
  await page.press("button", "Events");
  await first("Aardvarks");
  await page.until("the address has the order", () => location.hash === "#/?sort=-events");
  await page.tab.reload();
  await first("Aardvarks");
  await says("descending");
  const day = (days) => new Date(Date.now() + days * 86_400_000).toLocaleDateString("sv");
  await page.go(`#/?sort=-events&from=${day(-1)}&to=${day(1)}`);
  await first("Aardvarks");
  await page.go(`#/?to=${day(-1)}`);
  await page.reads("No session is like that");
  await page.press("button", "Clear the filters");
  await first("Without a template 61");
  await page.tab.$eval("input[type=date]", (it, value) => { it.value = value; it.dispatchEvent(new Event("input", { bubbles: true })); }, day(2));
  await page.reads("No session is like that");
  await page.until("the address has the day", (from) => location.hash === `#/?from=${from}`, day(2));
  await page.go("#/?sort=title");
  await page.press("link", "Aardvarks");
  equal(page.session, deck, "a row leads to its session");
  await page.close();
}
