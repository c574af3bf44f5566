// The pages of stories: the talk with agents, which are asked for a choice, stopped and refused; names that do harm; and whether
// everybody can use every page.

import { NARROW, WIDE, usable } from "./console_axe.mjs";
import { ACT, harmless, settled } from "./console_harm.mjs";
import { Page, equal, expect } from "./console_page.mjs";
import { novel, put } from "./console_story.mjs";

const WRITER = "You are the writer of a novel";
const PROSE = "灯亮了。海上没有船，也没有声音，只有塔下的水一遍一遍地回来。";
const option = (title) => ({ title, summary: "一个方向" });

/** A model that has ideas, and writes one scene. */
const SCRIPT = {
  rules: [{ when: { system_contains: WRITER }, answer: PROSE, chunk_chars: 4 }],
  by_schema: { ideas: { options: [option("海上钟声"), option("无人的灯塔"), option("守塔人的信")] }, issues: { issues: [], summary: "没有问题" } },
};

/** Says something to the agents. */
async function say(page, message) {
  await page.type("Message", message);
  await page.press("button", "Send");
}

/** Ideas are asked for; one is chosen, a scene follows from it, and it is put into a chapter. */
export async function talk(world) {
  const { address, api } = await novel(world, { model: await world.model(SCRIPT) });
  const page = await Page.open(world.browser, address, "#/stories/harbour/chat");
  await page.reads("Nothing was said yet");
  await say(page, "头脑风暴扩写：灯塔的故事");
  await page.reads("Waits for your choice");
  await page.press("button", "Choose “无人的灯塔”");
  await page.reads("Chosen: 无人的灯塔");
  await page.reads("2 of 2 steps done");
  await page.until("the scene is there whole", (text) => [...document.querySelectorAll("section p")].some((it) => it.textContent === text), PROSE);
  // Another tab shows what was said last.
  const other = await Page.open(world.browser, address, "#/stories/harbour/chat");
  await other.reads("头脑风暴扩写：灯塔的故事");
  await other.reads(PROSE);
  await other.reads("Chosen: 无人的灯塔");
  await other.close();
  await page.pressLike("DisclosureTriangle", "Put it into a chapter");
  await page.choose("Chapter", "06-信");
  await page.press("button", "Put it there");
  await page.until("the editor has it", (text) => document.querySelector("textarea")?.value.trimEnd().endsWith(text), PROSE);
  equal((await api.get("/api/projects/harbour/chapters/06-信")).draftVersion, 1, "nothing is saved before a person does it");
  await page.press("button", "Save");
  await page.reads("Saved as version 2.");
  const { content: [newest] } = await api.get("/api/projects/harbour/chapters/06-信/snapshots");
  equal(newest.trigger, "AI_EDIT", "it says that an agent wrote it");
  await page.close();
}

/** What is at work is cancelled; a choice that was made elsewhere is refused in words. */
export async function talkedOver(world) {
  const held = { ...SCRIPT, rules: [{ when: { system_contains: WRITER }, answer: PROSE, chunk_chars: 4, hold_after_chunks: 2, times: 1 }, ...SCRIPT.rules] };
  const model = await world.model(held);
  const { address, api } = await novel(world, { model });
  const page = await Page.open(world.browser, address, "#/stories/harbour/chat");
  await page.reads("Nothing was said yet");
  await say(page, "/write 写一段灯塔的场景");
  await page.until("the first words are there", () => document.querySelector(".chat-text")?.innerText.includes("灯亮了"));
  await page.press("button", "Cancel");
  await page.reads("Cancelled");
  model.release();
  await say(page, "头脑风暴扩写：守塔人的故事");
  await page.reads("Waits for your choice");
  await page.press("button", "Choose nothing and cancel");
  await page.until("nothing waits any longer", () => [...document.querySelectorAll(".chat-end")].filter((it) => it.innerText.includes("Cancelled")).length === 2);
  await say(page, "头脑风暴扩写：灯塔的故事");
  await page.reads("Waits for your choice");
  const { sessionId, pause } = await api.get("/api/v1/sessions/resume/harbour");
  const chosen = { message: "1", projectId: "harbour", sessionId, metadata: { chainContext: { pause, selection: "1" } } };
  const answer = await fetch(`${address}/api/v2/agent/chat`, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(chosen) });
  await answer.text();
  page.forgiving = true;
  await page.press("button", "Choose “海上钟声”");
  await page.reads("The message was not taken.");
  // While a chain waits, another message has a run beside it, and both are known by what was said.
  await say(page, "头脑风暴扩写：灯塔下的船");
  await page.until("it waits, too", () => [...document.querySelectorAll(".chat-turn")].at(-1).innerText.includes("Waits for your choice"));
  await say(page, "你好");
  await page.until("it is answered", () => [...document.querySelectorAll(".chat-turn")].at(-1).innerText.includes("Done"));
  const other = await Page.open(world.browser, address, "#/stories/harbour/chat");
  await other.reads("你好");
  await other.close();
  await page.close();
}

/** A server that is killed while an agent writes comes back; the text comes to its end on the page that was open, once and whole. */
export async function talkCutOff(world) {
  const held = { ...SCRIPT, rules: [{ when: { system_contains: WRITER }, answer: PROSE, chunk_chars: 4, hold_after_chunks: 2, times: 1 }, ...SCRIPT.rules] };
  const server = await novel(world, { model: await world.model(held) });
  const page = await Page.open(world.browser, server.address, "#/stories/harbour/chat", { forgiving: true });
  await page.reads("Nothing was said yet");
  await say(page, "/write 写一段灯塔的场景");
  await page.until("the first words are there", () => document.querySelector(".chat-text")?.innerText.includes("灯亮了"));
  await server.kill();
  await server.again();
  await page.until("the scene is there, once", (text) => {
    const texts = [...document.querySelectorAll(".chat-text")];
    return texts.length === 1 && texts[0].querySelector(".story-prose").innerText.trim() === text;
  }, PROSE);
  await page.reads("Done");
  await page.close();
}

/** Names and texts that do harm where they are taken for markup. */
export async function hostileStory(world) {
  const { address, api } = await world.server();
  // A name has 200 characters at most.
  const title = "<script>harmed=1</script><img src=x onerror=harmed=1><svg onload=harmed=1>";
  const files = [
    { path: "story.md", text: `---\ntitle: ${JSON.stringify(title)}\nlanguage: en\nphase: WRITING\n---\n\n<script>${ACT}</script>\n` },
    { path: "chapters/01-one.md", text: `---\ntitle: ${JSON.stringify(title)}\nsummary: ${JSON.stringify(title)}\n---\n\nAda Hale has grey eyes. ${title}\n\n<svg onload="${ACT}"></svg> Nobody knew Quentin Marsh.\n` },
    { path: "chapters/02-two.md", text: `---\ntitle: ${JSON.stringify(title)}\ndraft: true\n---\n\nAda Hale has green eyes ${title}.\n` },
    { path: "characters/ada.md", text: `---\nname: Ada Hale\nrole: ${JSON.stringify(title)}\nappearance: {eyes: grey}\nrelationships:\n  - {to: Tom, type: ${JSON.stringify(title)}}\n---\n\n${title}\n` },
    { path: "characters/tom.md", text: `---\nname: Tom\nrole: minor\nbackground: ${JSON.stringify(title)}\n---\n` },
    { path: "plotloops/one.md", text: `---\ntitle: ${JSON.stringify(title)}\nintro: 1\ndue: 1\n---\n\n${title}\n` },
    { path: "characters/eve.md", text: `---\nname: ${JSON.stringify(title)}\nstanding: proposed\n---\n\n${title}\n` },
  ];
  await put(api, "/v1/projects/harm/folder", { files });
  const page = await Page.open(world.browser, address, "#/stories");
  const chapter = (id, query = "") => `#/stories/harm/chapters/${id}${query}`;
  for (const path of ["#/stories", "#/stories/harm", chapter("01-one"), chapter("01-one", "?view=versions"), chapter("01-one", "?view=plan"), chapter("02-two"), chapter("02-two", "?edit=1"),
    ...["characters", "loops", "findings", "facts", "chat"].map((part) => `#/stories/harm/${part}`)]) {
    await page.go(path);
    await settled(page);
    await page.until("the page has its story", () => document.querySelector("h1")?.innerText.length > 0);
    await harmless(page);
  }
  await say(page, `Say something of ${title}`);
  await page.until("the run has ended", () => document.querySelector(".chat-end, .problem"));
  await harmless(page);
  await page.go(chapter("01-one"));
  await page.reads("<script>");
  equal(await page.refusals(), [], "nothing was tried in the console itself");
  await page.close();
}

/** Each page of a story, in the state in which it shows most. */
async function pages(world, language, size) {
  const server = await novel(world);
  const { api } = server;
  const content = await api.get("/api/projects/harbour/chapters/03-鹭屿/content");
  await put(api, "/api/projects/harbour/chapters/03-鹭屿/content", { content: `${content.content}\n新的一段。\n` });
  await api.post("/api/projects/harbour/entries", { kind: "character", name: "方守拙", role: "minor", standing: "proposed" });
  const chat = await fetch(`${server.address}/api/v2/agent/chat`, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ message: "头脑风暴扩写：灯塔的故事", projectId: "harbour", intentHint: "BRAINSTORM_AND_EXPAND" }) });
  await chat.text();
  const { content: found } = await api.get("/api/consistency/projects/harbour/warnings?drafts=true&severity=ERROR");
  const one = found.find((it) => it.said);
  const story = (path, what) => [`#/stories/harbour/${path}`, what];
  await usable(world, server, {
    stories: ["#/stories", ".story-row"], story: story("", ".chapter-row"), chapter: story(`chapters/${encodeURIComponent(one.said.chapter)}?finding=${one.id}`, ".finding-card"),
    writing: story("chapters/03-鹭屿?edit=1", "textarea"), versions: story("chapters/03-鹭屿?view=versions", ".diff"), plan: story("chapters/03-鹭屿?view=plan", "dl"),
    people: story("characters", ".graph img"), loops: story("loops", ".loop-bar"), findings: story("findings?settled=1", ".finding-card"), facts: story("facts", ".fact"),
    chat: story("chat", ".chat-option"), missing: ["#/stories/nobody", "[role=alert] a"],
  }, language, size);
}

export const storyWideEnglish = (world) => pages(world, "en-US", WIDE);
export const storyNarrowEnglish = (world) => pages(world, "en-US", NARROW);
export const storyWideChinese = (world) => pages(world, "zh-CN", WIDE);
export const storyNarrowChinese = (world) => pages(world, "zh-CN", NARROW);
