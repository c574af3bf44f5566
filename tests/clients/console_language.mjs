// One language: whatever the console says stands in the language that it is set to, and only what people and models wrote in another.

import { Page, equal, expect } from "./console_page.mjs";
import { POST } from "./console_first.mjs";
import { reportRequest } from "./console_runs.mjs";

/** What is asked for in each language, one of each product with a form. */
const ASKED = {
  en: [{ pipeline: "course", message: "Tides for beginners, 4 pages", input: { pageCount: 4 } }, { pipeline: "deck", message: "A deck about the rivers in the valley" }],
  zh: [{ pipeline: "deck", message: "做一份介绍光合作用的幻灯片：叶绿体吸收光能，把二氧化碳和水变成糖和氧气。" }, POST, { pipeline: "story", message: "给我三个关于灯塔的短篇小说点子" }],
};

/** The pages of a session, and one of each kind of what was made in it. */
function pagesOf({ session, artifacts }) {
  const kinds = new Map(artifacts.map((it) => [it.kind, it.artifact]));
  return ["pane=left", "left=steps", "left=steps&steps=time", "drawer=log", "drawer=runs", "drawer=made", ...[...kinds.values()].map((id) => `artifact=${id}`)].map((it) => `#/s/${session}?${it}`);
}

/**
 * Runs in the page: what is said in the other language, and is neither a word of the console nor in what people, models and the
 * server's descriptions said. Code, names of files and what names its own language are not looked at.
 */
const FOREIGN = ({ language, said, words }) => {
  // Paths, types of media and units are the same in both.
  const other = language === "zh" ? (text) => !/\p{Script=Han}/u.test(text) && /[A-Za-z]{3}/.test(text.replace(/\S*\/\S*|[\d.]+ [KMG]iB/g, "")) : (text) => /\p{Script=Han}/u.test(text);
  const open = /\{.*?\}/g;
  const told = words.filter((it) => other(it.replace(open, ""))).map((it) => new RegExp(`^${it.replace(/[.*+?^$()|[\]\\]/g, "\\$&").replace(open, ".*")}$`));
  const own = (element) => element.closest("noscript, code, pre, kbd, .mono, iframe") || element.closest("[lang]")?.lang.slice(0, 2) !== language;
  const found = new Set();
  const look = (element, text) => {
    const it = text.replace(/\s+/g, " ").trim();
    if (other(it) && !told.some((word) => word.test(it)) && !said.includes(it) && !own(element)) found.add(it);
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) look(walker.currentNode.parentElement, walker.currentNode.data);
  for (const element of document.querySelectorAll("[aria-label], [placeholder]")) for (const name of ["aria-label", "placeholder"]) look(element, element.getAttribute(name) ?? "");
  return [...found];
};

/** Runs in the page: what kinds, stages and fields are called that would be in the other language. */
const NAMES = async ({ language, words }) => {
  const lib = document.querySelector("script[src$='main.js']").src.replace("main.js", "lib/");
  const [{ kindTitle, label }, { loadPipelines, stageTitle, described }] = await Promise.all([import(`${lib}labels.js`), import(`${lib}reading.js`)]);
  await loadPipelines();
  const fieldsOf = (part) => (part && typeof part === "object" ? Object.entries(part).flatMap(([name, it]) => [...(name === "properties" ? Object.keys(it) : []), ...fieldsOf(it)]) : []);
  const called = [...described.value.values()].flatMap((it) => [
    ...it.artifacts.map(({ kind }) => kindTitle(kind)), ...["understand", ...it.stages.map((stage) => stage.name)].map((stage) => stageTitle(it.name, stage)),
    ...[it.input_schema, ...it.artifacts.map(({ schema }) => schema)].flatMap(fieldsOf).map((name) => label(name)),
  ]);
  return [...new Set(called)].filter((it) => (language === "zh" ? !/\p{Script=Han}/u.test(it) && !words.includes(it) : /\p{Script=Han}/u.test(it)));
};

/** Every page in a language, with sessions in it. */
async function spoken(world, language) {
  const server = await world.server();
  const { address, api } = server;
  const requests = [...ASKED[language], ...(language === "zh" ? [{ ...(await reportRequest({ address })), settings: {} }, await reportRequest({ address })] : [])];
  const views = [];
  for (const request of requests) views.push(await api.session(await api.made(request)));
  const said = [JSON.stringify(await (await fetch(`${address}/v1/pipelines`, { headers: { "accept-language": language } })).json())];
  for (const { session, artifacts } of views) {
    said.push(JSON.stringify(await api.get(`/v1/sessions/${session}/events?limit=1000`)));
    for (const it of artifacts.filter((one) => one.content && /json|text/.test(one.blob?.media_type ?? "json"))) said.push(await (await fetch(address + it.content)).text());
  }
  const page = await Page.open(world.browser, address, "", { language: language === "zh" ? "zh-CN" : "en-US", motion: "reduce" });
  const words = await page.tab.evaluate(async (language) => {
    const base = document.querySelector("script[src$='main.js']").src.replace("main.js", "");
    const modules = ["lib/words/frame.js", "lib/words/session.js", "lib/words/canvas.js", "lib/words/kinds.js", "lib/words/time.js", ...["course", "deck", "post", "report", "story"].map((it) => `products/${it}/words.js`)];
    const all = await Promise.all(modules.map((it) => import(base + it)));
    return all.flatMap((it) => Object.values(it.default[language]));
  }, language);
  const found = [];
  const operations = await api.get("/v1/operations");
  const heard = [...said, JSON.stringify(operations)].join("\n").replaceAll("\\n", " ").replaceAll('\\"', '"').replace(/\s+/g, " ");
  const forms = ["course", "report", "post", "deck", "story"].map((it) => `#/new/${it}`);
  for (const path of ["#/", "#/?query=nothing", "#/new", ...forms, "#/operations", "#/stories", ...views.flatMap(pagesOf)]) {
    await page.go(path);
    await page.until(`${path} is drawn`, () => !document.querySelector("[aria-busy=true], .skeleton, .spinner.large"));
    await page.frame();
    for (const it of await page.tab.evaluate(FOREIGN, { language, said: heard, words })) found.push([path, it]);
  }
  expect(!found.length, `everything is said in ${language}`, ...found);
  equal(await page.tab.evaluate(NAMES, { language, words }), [], `kinds, stages and fields have names in ${language}`);
  // The frame of a page says that it lets no script of the page run.
  page.complaints = page.complaints.filter((it) => !it.includes("Blocked script execution"));
  await page.close();
}

export const oneLanguageEnglish = (world) => spoken(world, "en");
export const oneLanguageChinese = (world) => spoken(world, "zh");
