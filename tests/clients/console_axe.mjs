// Every view for people who do not see it as others do: axe finds nothing, and nothing is wider than the screen.

import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import * as slides from "./console_deck.mjs";
import { Page, equal, expect } from "./console_page.mjs";
import { reportRequest } from "./console_runs.mjs";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

export const WIDE = { width: 1440, height: 900 };
export const NARROW = { width: 360, height: 740 };

/** What axe does not look at unless it is told to: whether everything that is pressed has 24 pixels. */
const ALSO = { "target-size": { enabled: true } };

/** Sessions in every state that a view can be in. */
async function populated({ address, api }) {
  const deck = await api.made({ pipeline: "course", message: "Tides for beginners, 4 pages", input: { pageCount: 4 } });
  await api.command(deck, "refine", { stage: "generate_slide_scripts", feedback: "Say it in shorter sentences" });
  const { view } = await api.rests(deck, "r2");
  await api.command(deck, "fork", { at: 30 });
  const request = await reportRequest({ address });
  const asking = await api.made(request);
  const report = await api.made({ ...request, settings: {} });
  const failed = await api.made({ pipeline: "report", message: "Without a template" });
  const post = await api.made({ pipeline: "post", message: "请为年轻家庭写一篇周末去郊野公园野餐的种草笔记，目标是收藏，风格轻松，直接生成，不用问" });
  const questions = await api.made({ pipeline: "post", message: "写点东西", settings: { attended: true } });
  const rivers = await slides.made({ api });
  const scripts = view.artifacts.filter((it) => it.kind === "slide_scripts").map((it) => it.artifact);
  return { deck, report, asking, failed, post, questions, scripts, rivers };
}

/** Each view by its name: its address, and what is there once it is drawn. */
export function views({ deck, report, asking, failed, post, questions, scripts, rivers }) {
  const session = (path, what = "") => [`#/s/${path}`, `body:has([role=slider]) ${what}`.trim()];
  return {
    sessions: ["#/", "a[href^='#/s/']"], sorted: ["#/?sort=-cost&from=2020-01-01", "[aria-sort=descending]"], none: ["#/?query=nothing+is+called+so", ".empty button"], new: ["#/new", "a[href='#/new/course']"], new_deck: ["#/new/course", "form"],
    new_report: ["#/new/report", "form"], operations: ["#/operations", "table"], missing: ["#/s/nobody", "[role=alert] a"],
    deck: session(`${deck}?pane=canvas`), deck_talk: session(`${deck}?pane=left`), deck_steps: session(`${deck}?left=steps`), deck_time: session(`${deck}?left=steps&steps=time`, ".gantt-row"), deck_log: session(`${deck}?drawer=log&pane=drawer&at=21`),
    deck_runs: session(`${deck}?drawer=runs&pane=drawer`), deck_made: session(`${deck}?drawer=made&pane=drawer`), deck_past: session(`${deck}?at=40&left=steps`),
    compare: session(`${deck}?compare=${scripts}&pane=canvas`), report: session(`${report}?pane=canvas`), asking: session(asking), failed: session(failed),
    slides: session(rivers.session, ".deck-page img"), designs: session(`${rivers.session}?artifact=${rivers.found}&pane=canvas`, ".refs-hit"),
    design: session(`${rivers.session}?artifact=${rivers.one}&pane=canvas`, ".refs-hit"),
    post: session(`${post}?pane=canvas`), questions: session(questions),
  };
}

/** Waits until a view is drawn whole. */
async function drawn(page, what = "main") {
  await page.until(`${what} is drawn`, (wanted) => document.querySelector(wanted) && !document.querySelector("[aria-busy=true], .skeleton, .spinner.large")
    && [...document.images].every((it) => it.complete || it.loading === "lazy"), what);
  await page.tab.evaluate(async () => {
    await Promise.all(document.getAnimations().filter((it) => it.effect?.getTiming().iterations !== Infinity).map((it) => it.finished.catch(() => {})));
    await new Promise((done) => { requestAnimationFrame(() => requestAnimationFrame(done)); });
  });
}

/** What axe finds wrong: the rule and the first places. `asked` are its options, such as which rules. */
async function wrong(page, asked = { rules: ALSO }) {
  const { violations } = await page.tab.evaluate((asked) => window.axe.run(document, { resultTypes: ["violations"], iframes: false, ...asked }), asked);
  return violations.map((it) => [it.id, it.impact, it.nodes.length, ...it.nodes.slice(0, 3).map((node) => `${node.target.join(" ")} ${node.failureSummary.split("\n").slice(1, 2)}`)]);
}

/** The least width and height of what is pressed, in pixels. */
const TARGET = 24;

/** Runs in the page: what is pressed and is smaller than that. A field counts with its label, and a link with the card or row that it covers; links within a text are as high as its lines. */
const SMALL = (least) => [...document.querySelectorAll("button, a[href], input, select, textarea, summary, [role=tab], [role=slider]")].filter((it) => {
  if (!it.checkVisibility({ visibilityProperty: true }) || it.matches(".skip") || (it.matches("a") && getComputedStyle(it).display === "inline" && getComputedStyle(it, "::after").position !== "absolute")) return false;
  const covers = getComputedStyle(it, "::after").position === "absolute" ? it.offsetParent : it.labels?.[0] ?? it;
  const { width, height } = covers.getBoundingClientRect();
  return Math.min(width, height) < least - 0.5;
}).map((it) => `${it.tagName}.${it.className} ${it.innerText.slice(0, 20)} ${it.getBoundingClientRect().width} × ${it.getBoundingClientRect().height}`);

/** Goes through all views in one language and one width. */
async function through(world, language, size) {
  const server = await world.server();
  await usable(world, server, views(await populated(server)), language, size);
}

/** The rule that takes longest; it tells colours, which are the same in every language. */
const COLOURS = "color-contrast";

/** What is looked at in each scheme of colours: all that another scheme or another language could change, once. */
const looks = (language) => language.startsWith("en")
  ? [["light", { rules: ALSO }], ["dark", { runOnly: [COLOURS] }]]
  : [["light", { rules: { ...ALSO, [COLOURS]: { enabled: false } } }]];

/** Goes through views in one language and one width; `pictures` is a folder for what they look like. */
export async function usable(world, server, all, language, size) {
  const page = await Page.open(world.browser, server.address, "", { ...size, language, motion: "reduce" });
  const found = [];
  for (const [name, [path, what]] of Object.entries(all)) {
    await page.tab.goto("about:blank");
    await page.tab.goto(`${server.address}/${path}`);
    for (const [scheme, asked] of looks(language)) {
      await page.tab.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }, { name: "prefers-reduced-motion", value: "reduce" }]);
      await drawn(page, what);
      if (pictures) {
        mkdirSync(pictures, { recursive: true });
        await page.tab.screenshot({ path: join(pictures, `${name}-${language.slice(0, 2)}-${size.width}-${scheme}.png`) });
      }
      await page.tab.evaluate(`window.axe ?? (() => { ${AXE} })()`);
      for (const it of await wrong(page, asked)) found.push([name, scheme, ...it]);
    }
    const over = await page.tab.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    if (over > 0) found.push([name, "is wider than the screen by", over]);
    for (const small of await page.tab.evaluate(SMALL, TARGET)) found.push([name, "has something small to press", small]);
  }
  // The browser complains about sessions and projects that do not exist; that is expected here.
  page.complaints = page.complaints.filter((it) => !/\/(v1\/sessions|api\/projects|api\/consistency\/projects|api\/plotloops\/project)\/nobody/.test(it));
  await page.close();
  expect(!found.length, `every view can be used by everybody, in ${language} at ${size.width} px`, ...found);
}

/** A folder for pictures of what was looked at, where they are wanted. */
const pictures = process.env.CONSOLE_PICTURES;
export const wideEnglish = (world) => through(world, "en-US", WIDE);
export const narrowEnglish = (world) => through(world, "en-US", NARROW);
export const wideChinese = (world) => through(world, "zh-CN", WIDE);
export const narrowChinese = (world) => through(world, "zh-CN", NARROW);

/** The dialogs: what is asked before something is done, and the form of an artifact. */
export async function dialogs(world) {
  const server = await world.server();
  const asking = await server.api.made(await reportRequest(server));
  const page = await Page.open(world.browser, server.address, `#/s/${asking}`, { motion: "reduce" });
  const looked = async (what) => {
    await drawn(page);
    await page.tab.evaluate(`window.axe ?? (() => { ${AXE} })()`);
    equal(await wrong(page), [], `${what} can be used by everybody`);
  };
  await page.press("button", "Cancel");
  await page.findLike("dialog", "Cancel run");
  await looked("a question");
  await page.tab.keyboard.press("Escape");
  await page.press("button", "Edit");
  await looked("the form of an artifact");
  await page.tab.keyboard.press("Escape");
  await page.press("button", "More");
  await page.find("menu", "More");
  await looked("a menu");
  await page.close();
}
