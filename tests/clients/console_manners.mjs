// What the console does when things around it happen: the server goes and comes, somebody else answers, a key is wanted.

import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { Page, equal, expect } from "./console_page.mjs";
import { eventsOf } from "./console_fold.mjs";
import { GATE, reportRequest } from "./console_runs.mjs";

const course = () => JSON.parse(readFileSync(new URL("../scripts/course.json", import.meta.url), "utf8"));

/** The right answers to a course, of which the first one for the third page stops in the middle until it is asked for again. */
function stopping() {
  const script = course();
  const third = script.rules[2];
  return { ...script, rules: [{ ...third, when: { ...third.when, occurrence: 1 }, hold_after_chunks: 2, chunk_chars: 20 }, ...script.rules] };
}

/** The events that a page has, as its menu saves them into a folder. */
async function saved(page, folder) {
  await page.devtools.send("Browser.setDownloadBehavior", { behavior: "allow", downloadPath: folder, browserContextId: page.tab.browserContext().id });
  await page.press("button", "More");
  await page.press("menuitem", "Save the log (JSONL)");
  for (;;) {
    const [name] = readdirSync(folder).filter((it) => it.endsWith(".jsonl"));
    if (name) {
      const lines = readFileSync(join(folder, name), "utf8");
      if (lines.endsWith("\n")) return lines.trim().split("\n").map((line) => JSON.parse(line));
    }
    await page.frame();
  }
}

/** The server is killed in the middle of a page and comes back: nothing is lost or there twice, and what was typed stays. */
export async function reconnect(world) {
  const model = await world.model(stopping());
  const server = await world.server({ model });
  const { session } = await server.api.post("/v1/sessions", { pipeline: "course", message: "A deck of 4 pages about photosynthesis for grade 7", settings: { width: 1 } });
  const page = await Page.open(world.browser, server.address, `#/s/${session}`);
  while ((await model.held()) === 0) await page.frame();
  await page.type("Message", "When this is done, make it");
  page.forgiving = true;
  await server.kill();
  await page.reads("The connection is lost.");
  await server.again();
  await page.reads("Connected again.");
  page.forgiving = false;
  equal(await page.value("textbox", "Message"), "When this is done, make it", "what was typed is still there");
  const { status } = await server.api.rests(session, "r1");
  equal(status, "completed", "the run went on where it stopped");
  await page.reads("Completed");
  const log = await eventsOf(server.address, session);
  await page.until("every event is there", (head) => document.querySelector("[role=slider]").getAttribute("aria-valuemax") === String(head), log.length);
  equal(await saved(page, world.place()), log, "each event once, in order, with everything in it");
  await page.tab.reload();
  equal(await page.value("textbox", "Message"), "When this is done, make it", "it is there after the page was loaded again, too");
  await page.close();
}

/** A run that cannot pay for its next call asks for more, and goes on with what it is given. */
export async function budget(world) {
  const { api, address } = await world.server({ model: await world.model(course()) });
  const settings = { attended: true, budget: { calls: 3 } };
  const { session } = await api.post("/v1/sessions", { pipeline: "course", message: "A deck of 4 pages about photosynthesis for grade 7", settings });
  const page = await Page.open(world.browser, address, `#/s/${session}`);
  await page.find(...GATE);
  const { status, gates } = await api.rests(session, "r1");
  equal([status, gates.length, gates[0].name], ["waiting", 1, "budget"], "the run waits for more");
  await page.press("radio", "Raise the budget");
  await page.type("Calls", "100", "spinbutton");
  await page.press("button", "Answer");
  await page.gone(...GATE);
  const { outcome } = await api.rests(session, "r1");
  equal(outcome.is, "completed", "the run went on");
  await page.reads("Completed");
  // At an earlier version the question can still be read, though it cannot be answered there.
  const opened = (await eventsOf(address, session)).find((it) => it.type === "gate_opened");
  await page.go(`#/s/${session}?at=${opened.version}`);
  await page.reads("Not answered yet", "log", "Conversation");
  await page.reads("Raise the budget", "log", "Conversation");
  await page.close();
}

/** The right answers to a report of three sections, of which the second is not written to its end. */
function withholding() {
  const calls = (when, name, given) => ({ when, tool_calls: [{ name, arguments: given }] });
  const section = (id) => calls({ user_contains: ` task\nid: ${id}\n` }, "submit_section_draft", { section: { id, title: ["Overview", "People", "Outlook"][id - 1], content: "It went well.", summary: "Well." } });
  const plan = { tasks: [1, 2, 3].map((id) => ({ id, required_inputs: [], hints: ["be short"] })), plan_summary: "Three short sections." };
  return { rules: [calls({ system_contains: "You plan a report." }, "submit_section_plan", plan), section(1), { ...section(2), hold_after_chunks: 1 }, section(3)] };
}

const THREE = "---\ntitle: The year\n---\n# Overview\n\n(Say how the year went.)\n\n# People\n\n(Say how many there are.)\n\n# Outlook\n\n(Say what comes.)\n";

/** One section of a report is left out while it is written; the others go on. */
export async function skipped(world) {
  const model = await world.model(withholding());
  const { api, address } = await world.server({ model });
  const { file } = await (await fetch(`${address}/v1/files`, { method: "POST", body: THREE })).json();
  const { session } = await api.post("/v1/sessions", { pipeline: "report", message: "How was the year?", attachments: [{ path: "template/year.md", file }] });
  const page = await Page.open(world.browser, address, `#/s/${session}?left=steps`);
  while ((await model.held()) === 0) await page.frame();
  await page.press("button", "What can be done with r1/sections/2");
  await page.press("menuitem", "Leave out");
  await page.press("button", "Leave out");
  const { outcome, view } = await api.rests(session, "r1");
  equal(outcome.is, "completed", "the others went on");
  const sections = view.artifacts.filter((it) => it.kind === "section").map((it) => it.item);
  equal(sections, ["1", "3"], "what was left out is not there");
  await page.reads("Completed");
  await page.close();
}

/** A message that waits behind a run is taken back: its run ends when its turn comes, and nothing is paid for it. */
export async function withdrawn(world) {
  const model = await world.model(stopping());
  const { api, address } = await world.server({ model });
  const { session } = await api.post("/v1/sessions", { pipeline: "course", message: "A deck of 4 pages about photosynthesis for grade 7", settings: { width: 1 } });
  const page = await Page.open(world.browser, address, `#/s/${session}`);
  while ((await model.held()) === 0) await page.frame();
  await page.type("Message", "And one about leaves");
  await page.press("button", "Send");
  await page.reads("Waits for its turn as r2");
  await page.press("button", "Take back");
  await page.reads("r2 is not begun: a person asked for it");
  await page.press("button", "Cancel");
  await page.press("button", "Cancel the run");
  const { status, stages } = await api.rests(session, "r2");
  equal([status, stages], ["cancelled", []], "nothing was done of it");
  await page.reads("r2 was cancelled");
  await page.close();
}

/** A run that was stopped on its way is redone from a stage, though no run is the current one. */
export async function stopped(world) {
  const model = await world.model(stopping());
  const { api, address } = await world.server({ model });
  const { session } = await api.post("/v1/sessions", { pipeline: "course", message: "A deck of 4 pages about photosynthesis for grade 7", settings: { width: 1 } });
  const page = await Page.open(world.browser, address, `#/s/${session}`);
  while ((await model.held()) === 0) await page.frame();
  await page.press("button", "Cancel");
  await page.type("Why", "another way");
  await page.tab.keyboard.press("Escape");
  await page.gone("textbox", "Why (may be left out)");
  await page.press("button", "Cancel");
  equal(await page.value("textbox", "Why (may be left out)"), "another way", "what was written is still there");
  await page.press("button", "Cancel the run");
  const { outcome: end, view } = await api.rests(session, "r1");
  equal([end, view.head], [{ is: "cancelled", reason: "another way" }, undefined], "it has ended, and no run is the current one");
  await page.choose("How the message is meant", "Redo: Slide scripts");
  await page.type("Message", "Say it in shorter sentences");
  await page.press("button", "Send");
  await page.press("button", "Do it");
  const { base_run: base, outcome } = await api.rests(session, "r2");
  equal([base, outcome.is], ["r1", "completed"], "it is redone from what there was");
  await page.reads("Completed");
  await page.close();
}

/** Questions that a model has in the middle of its work: chosen and in words, and what is written survives that the server is away. */
export async function asked(world) {
  const asks = (occurrence, question, options) => ({
    when: { schema: "supervisor_decision", occurrence },
    tool_calls: [{ name: "askUser", arguments: { question, options, selectionType: options.length ? "single" : "none", allowCustomInput: true } }],
  });
  const brief = { topic: "春游", audience: "家长", goal: "收藏", constraints: [], keywords: ["春游", "公园"], keyPoints: ["不排队"], callToAction: "", bannedExpressions: [], tone: "亲切" };
  const audience = asks(1, "写给谁看？", [{ id: "p", label: "带娃家长" }, { id: "s", label: "学生" }]);
  const model = await world.model({ rules: [audience, asks(2, "还有什么要说的？", [])], by_schema: { creative_brief: brief } });
  const server = await world.server({ model });
  const input = { layoutPreference: "balanced", referenceInputs: [{ url: "none.png" }] };
  const { session } = await server.api.post("/v1/sessions", { pipeline: "post", message: "面向家长的春游攻略，希望被收藏，风格清新", settings: { attended: true }, input });
  const page = await Page.open(world.browser, server.address, `#/s/${session}`);
  await page.reads("写给谁看？", ...GATE);
  await page.press("radio", "学生");
  await page.type("In your words", "也给老师");
  page.forgiving = true;
  await server.kill();
  await page.press("button", "Answer");
  await page.reads("The server cannot be reached.");
  await server.again();
  await page.reads("Connected again.");
  page.forgiving = false;
  equal(await page.value("textbox", "In your words (may be left out)"), "也给老师", "what was written is still there");
  await page.press("button", "Answer");
  await page.reads("学生 · 也给老师");
  await page.reads("还有什么要说的？", ...GATE);
  await page.type("In your words", "没有了");
  await page.press("button", "Answer");
  await page.reads("没有了", "log", "Conversation");
  await page.close();
}

/** Nobody answers until it is too late: the page that is open shows what counted then. */
export async function deadline(world) {
  const server = await world.server();
  const page = await Page.open(world.browser, server.address);
  await page.find("link", "New session");
  const { session } = await server.api.post("/v1/sessions", await reportRequest(server, { confirm_timeout_s: 12 }));
  await page.go(`#/s/${session}`);
  await page.find(...GATE);
  await page.reads("left", "timer");
  await page.gone(...GATE);
  await page.reads("the deadline answered");
  const { gates } = await server.api.rests(session, "r1");
  equal(gates[0].answer.by, "deadline", "nobody answered");
  await page.reads("Completed");
  await page.close();
}

/** What is answered in one tab is answered in the other. */
export async function tabs(world) {
  const server = await world.server();
  const session = await server.api.made(await reportRequest(server));
  const [one, other] = [await Page.open(world.browser, server.address, `#/s/${session}`), await Page.open(world.browser, server.address, `#/s/${session}`)];
  await other.find(...GATE);
  await one.press("button", "Confirm");
  await other.gone(...GATE);
  await other.reads("answered by a person");
  for (const page of [one, other]) await page.reads("Completed");
  await one.close();
  await other.close();
}

/** A server with keys asks for one once, says when it is wrong, and keeps it as long as the tab is there. */
export async function key(world) {
  const secret = "secret-of-ann-012345678";
  const server = await world.server({ variables: { PALIMPSEST_KEYS: `ann:${secret},bob:secret-of-bob-012345678` }, key: secret });
  const session = await server.api.made({ pipeline: "post", message: "请为年轻家庭写一篇周末野餐的笔记，目标是收藏，风格轻松，直接生成，不用问" });
  const page = await Page.open(world.browser, server.address, "", { forgiving: true });
  await page.find("dialog", "A key is needed");
  await page.type("Key", "secret-of-nobody");
  await page.press("button", "Use this key");
  await page.reads("The server does not know this key.");
  await page.type("Key", secret);
  await page.press("button", "Use this key");
  await page.gone("dialog", "A key is needed");
  // From here on it is never asked for again: a second dialog would be in the way of what follows.
  page.forgiving = false;
  await page.pressLike("link", "请为年轻家庭写一篇");
  await page.until("its pictures can be seen", () => [...document.querySelectorAll("[aria-label=Canvas] img")].some((it) => it.complete && it.naturalWidth > 0));
  await page.tab.reload();
  await page.find("region", "Canvas");
  equal(page.session, session, "the session is shown");
  await page.press("link", "Operations");
  await page.find("heading", "Operations");
  expect(!(await page.has("dialog", "A key is needed")), "nobody is asked again");
  await page.close();
}

/** What a product brings does not come: the person is told, and everything else can be used. */
export async function folderLost(world) {
  const { address } = await world.server();
  let isLost = true;
  const losing = async (tab) => {
    await tab.setRequestInterception(true);
    tab.on("request", (it) => void (isLost && it.url().endsWith("/products/story/index.js") ? it.abort() : it.continue()));
  };
  const page = await Page.open(world.browser, address, "#/stories", { before: losing, forgiving: true });
  await page.reads("What “story” brings to the console could not be loaded.");
  expect(!(await page.has("link", "Stories")), "no way leads to what is not there");
  await page.press("link", "New");
  await page.find("heading", "New session");
  isLost = false;
  page.forgiving = false;
  await page.press("button", "Reload");
  await page.press("link", "Stories");
  await page.find("heading", "Stories");
  await page.close();
}

/** Whether the page is dark, and its language. */
const looks = (page) => page.tab.evaluate(() => [document.documentElement.dataset.theme, document.documentElement.lang]);

/** How the console looks and which language it speaks is kept; where the browser forbids that, the page has it, and what was typed too. */
export async function preferences(world) {
  const { address } = await world.server();
  const page = await Page.open(world.browser, address, "#/new/course");
  await page.press("button", "Appearance: System");
  await page.press("button", "Appearance: Light");
  await page.press("button", "中文");
  await page.find("button", "外观：深色");
  await page.tab.reload();
  await page.find("button", "外观：深色");
  equal(await looks(page), ["dark", "zh-CN"], "it is kept");
  await page.close();

  const forbid = () => {
    for (const area of ["localStorage", "sessionStorage"]) {
      Object.defineProperty(window, area, { get() { throw new DOMException("Access is denied for this document.", "SecurityError"); } });
    }
  };
  const strict = await Page.open(world.browser, address, "#/new/course", { before: (tab) => tab.evaluateOnNewDocument(forbid) });
  await strict.type("What is wanted", "A deck about leaves");
  await strict.press("button", "Appearance: System");
  await strict.press("button", "Appearance: Light");
  await strict.press("button", "中文");
  await strict.find("button", "外观：深色");
  equal(await looks(strict), ["dark", "zh-CN"], "it holds as long as the page");
  await strict.go("#/operations");
  await strict.find("heading", "运维");
  await strict.go("#/new/course");
  equal(await strict.value("textbox", "想要什么"), "A deck about leaves", "what was typed is still there");
  await strict.close();
}
