// Stories: brought in, read, compared, accepted, mended; what chapters say is taken or refused, and agents are talked with.

import { mkdtempSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Deviation, PATIENCE_MS, Page, equal, expect } from "./console_page.mjs";

const HARBOUR = fileURLToPath(new URL("../../examples/stories/harbour", import.meta.url));

/** The example novel as a folder is sent. */
export const harbour = () => readdirSync(HARBOUR, { recursive: true, withFileTypes: true }).filter((it) => it.isFile() && it.name.endsWith(".md"))
  .map((it) => join(it.parentPath, it.name)).map((path) => ({ path: path.slice(HARBOUR.length + 1), text: readFileSync(path, "utf8") }));

/** Puts something at the server without a browser. */
export async function put(api, path, body) {
  const answer = await fetch(api.server + path, { method: "PUT", headers: { ...api.headers, "content-type": "application/json" }, body: JSON.stringify(body) });
  expect(answer.ok, `PUT ${path} succeeds`, answer.status, await answer.clone().text());
  return answer.json();
}

/** The novel in a server, with all that its accepted chapters say. */
export async function novel(world, options) {
  const server = await world.server(options);
  await put(server.api, "/v1/projects/harbour/folder", { files: harbour() });
  await read(server.api);
  return server;
}

/** Waits until every accepted chapter was read for facts. */
async function read(api) {
  const until = Date.now() + PATIENCE_MS;
  for (;;) {
    const { content } = await api.get("/api/projects/harbour/chapters");
    if (content.every((it) => it.isRead)) return;
    if (Date.now() > until) throw new Deviation("chapters are not read for facts");
    // Answered once something happens in the session that reads them, or after a moment.
    await api.get("/api/projects/harbour/facts");
  }
}

const contentOf = (chapter) => `/api/projects/harbour/chapters/${encodeURIComponent(chapter)}/content`;

/** A way in for somebody who has no story yet: a manuscript, which is split into its chapters. */
export async function manuscript(world) {
  const { address, api } = await world.server();
  const page = await Page.open(world.browser, address);
  await page.press("link", "Stories");
  await page.reads("No story yet");
  const file = join(mkdtempSync(join(tmpdir(), "manuscript-")), "The ferry.md");
  writeFileSync(file, "# Chapter 1: Ice\n\nThe ice went out in the night.\n\n# Chapter 2: The bell\n\nIt rang again at noon.\n");
  await page.attach("Choose a file", [file]);
  await page.reads("2 chapters");
  await page.press("link", "Open it");
  await page.pressLike("link", "Chapter 2: The bell", "complementary", "Chapters");
  await page.reads("It rang again at noon.");
  equal((await api.get("/api/projects")).totalElements, 1, "there is one story");
  await page.close();
}

/** A folder is brought in by somebody who has a key, and again: what is there already is not replaced without a question. */
export async function folder(world) {
  const secret = "secret-of-ann-012345678";
  const { address, api } = await world.server({ variables: { PALIMPSEST_KEYS: `ann:${secret}` }, key: secret });
  const page = await Page.open(world.browser, address, "#/stories", { forgiving: true });
  await page.type("Key", secret);
  await page.press("button", "Use this key");
  await page.reads("No story yet");
  await page.attach("Choose a folder", [HARBOUR]);
  await page.reads("“封港” is there: 6 chapters.");
  await page.reads("Everything was understood.");
  await page.attach("Choose a folder", [HARBOUR]);
  await page.find("dialog", "“harbour” is there already");
  await page.press("button", "Replace it");
  await page.reads("“封港” is there: 6 chapters.");
  page.forgiving = false;
  await page.press("link", "Open it");
  await page.press("link", "Characters");
  await page.until("a picture comes with the key", () => [...document.querySelectorAll(".graph img")].some((it) => it.complete && it.naturalWidth > 100));
  equal((await api.get("/api/projects")).content.map((it) => it.id), ["harbour"], "there is one story");
  await page.close();
}

/** A chapter is changed, compared with what it was, accepted and locked. */
export async function chapter(world) {
  const { address, api } = await novel(world);
  const page = await Page.open(world.browser, address, "#/stories");
  await page.press("link", "封港");
  await page.pressLike("link", "信", "complementary", "Chapters");
  await page.reads("Draft", "region", "信");
  await page.press("button", "Edit");
  const before = (await api.get(contentOf("06-信"))).content;
  await page.type("Text of the chapter", `${before}\n雨停了。\n`);
  await page.press("button", "Save");
  await page.reads("Saved as version 2.");
  await page.press("button", "Versions");
  await page.find("region", "Version 1 beside version 2");
  await page.until("what was added is marked", () => [...document.querySelectorAll(".diff-right")].some((it) => it.textContent.includes("雨停了。")));
  await page.press("button", "Accept");
  await page.reads("Version 2 is part of the story now.");
  equal((await api.get("/api/projects/harbour/chapters/06-信")).acceptedVersion, 2, "it is accepted");
  await page.press("button", "Lock");
  await page.reads("Locked", "region", "信");
  equal((await api.get("/api/projects/harbour/chapters/06-信")).locked, true, "it is locked");
  expect(await (await page.find("button", "Edit")).evaluate((it) => it.disabled), "a locked chapter cannot be edited");
  await page.close();
}

/** Two people write at once: both texts are shown, and both changes are saved. */
export async function conflict(world) {
  const { address, api } = await novel(world);
  const chapter = "06-信";
  const page = await Page.open(world.browser, address, `#/stories/harbour/chapters/${encodeURIComponent(chapter)}?edit=1`);
  const { content, version } = await api.get(contentOf(chapter));
  await page.type("Text of the chapter", `${content.trimEnd()}\n\n我写的最后一句。\n`);
  await put(api, contentOf(chapter), { content: `别人写的第一句。\n\n${content}`, version });
  // The server says so; that is no fault of the page.
  page.forgiving = true;
  await page.press("button", "Save");
  await page.find("alertdialog", "Somebody else wrote meanwhile");
  page.forgiving = false;
  for (const text of ["我写的最后一句。", "别人写的第一句。"]) await page.until(`“${text}” is shown`, (wanted) => document.querySelector("[role=alertdialog]").innerText.includes(wanted), text);
  await page.press("button", "Go on writing");
  expect((await page.value("textbox", "Text of the chapter")).includes("我写的最后一句。"), "what was written is still there");
  page.forgiving = true;
  await page.press("button", "Save");
  await page.press("button", "Save both changes");
  await page.reads("Saved as version 3.");
  page.forgiving = false;
  const { content: both } = await api.get(contentOf(chapter));
  expect(both.includes("我写的最后一句。") && both.includes("别人写的第一句。"), "both changes are saved", both);
  await page.close();
}

/** A finding is marked at its sentence and waived with a reason; another finding is taken to the chat. */
export async function findings(world) {
  const { address, api } = await novel(world);
  const page = await Page.open(world.browser, address, `#/stories/harbour/chapters/${encodeURIComponent("04-退潮")}`);
  await page.until("the sentence is marked", () => [...document.querySelectorAll("mark")].some((it) => it.textContent === "沈怀山把缆绳往桩上绕了两圈，拍掉手上的盐，问她吃过饭没有。"));
  await page.pressLike("button", "Error: 沈怀山已在第 2 章死去");
  await page.reads("天亮时，褚万成从闸口的网里捞起了沈怀山，人已经没气了。", "article");
  await page.press("button", "Waive");
  await page.type("Why it is right as it stands", "他是阿砚梦见的");
  await (await page.find("dialog", "Waive this finding?")).$eval("form", (form) => form.requestSubmit());
  await page.reads("The finding is waived.");
  await page.until("the mark is gone", () => ![...document.querySelectorAll("mark")].some((it) => it.textContent.startsWith("沈怀山把缆绳")));
  const settled = (await api.get("/api/consistency/projects/harbour/warnings?settled=true&drafts=true")).content.filter((it) => it.dismissed);
  equal(settled.map((it) => it.resolutionMethod), ["他是阿砚梦见的"], "it is waived with its reason");
  await page.press("link", "Findings 11 open findings");
  await page.choose("Severity", "ERROR");
  await page.reads("阿砚做了这个世界里做不到的事");
  await page.press("button", "Fix in the chat");
  expect((await page.value("textbox", "Message")).includes("水退过了第三级石阶"), "the message names the sentence");
  await page.reads("Scene in: Chapter 4: 退潮");
  await page.close();
}

/** The characters as a picture and in words; plot loops on their line, of which one is given up. */
export async function people(world) {
  const { address, api } = await novel(world);
  const page = await Page.open(world.browser, address, "#/stories/harbour/characters");
  await page.until("the graph is drawn", () => [...document.querySelectorAll("img")].some((it) => it.alt.startsWith("Graph of 8 characters") && it.complete && it.naturalWidth > 100));
  await page.pressLike("DisclosureTriangle", "Relationships in words");
  await page.reads("妹妹", "table");
  const dead = () => [...document.querySelectorAll("li")].some((it) => it.querySelector("strong")?.textContent === "沈怀山" && it.innerText.includes("dead"));
  await page.until("somebody is dead in the end", dead);
  await page.choose("As of", "1");
  await page.until("and alive in the first chapter", `() => !(${dead})()`);
  await page.press("link", "Plot loops 1 urgent or overdue plot loop");
  await page.reads("Overdue", "region", "Plot loops on the line of chapters");
  await page.press("button", "Give up: 第七只箱子");
  await page.type("Why", "它是一个比喻");
  await (await page.find("dialog", "Give up “第七只箱子”?")).$eval("form", (form) => form.requestSubmit());
  await page.reads("given up: 它是一个比喻");
  const loops = (await api.get("/api/plotloops/project/harbour")).content;
  equal(loops.filter((it) => it.status === "ABANDONED").map((it) => it.abandonReason), ["它是一个比喻"], "it is given up with its reason");
  await page.close();
}

/** An accepted chapter is read for facts, and each fact is taken or refused. */
export async function facts(world) {
  const { address, api } = await novel(world);
  const { content: all } = await api.get("/api/projects/harbour/facts?state=new");
  const page = await Page.open(world.browser, address, "#/stories/harbour/facts");
  await page.press("button", "Take: 沈渡 is at 闸房");
  await page.reads("1 fact holds in the story from there on.");
  await page.pressLike("button", "Refuse: It speaks of the plot loop “第七只箱子”");
  await page.reads("1 fact is refused.");
  const counted = async (state) => (await api.get(`/api/projects/harbour/facts?state=${state}`)).totalElements;
  equal([await counted("taken"), await counted("refused"), await counted("new")], [1, 1, all.length - 2], "one is taken, one refused");
  await page.press("button", "Taken");
  await page.reads("沈渡在闸房等。");
  await page.go("#/stories/harbour/characters");
  await page.until("it holds of the character from its chapter on", () => [...document.querySelectorAll("li")].some((it) => it.querySelector("strong")?.textContent === "沈渡" && it.innerText.includes("闸房") && it.innerText.includes("chapter 2")));
  await page.choose("As of", "1");
  await page.until("and not before", () => ![...document.querySelectorAll("li")].some((it) => it.innerText.includes("闸房")));
  await page.go("#/stories/harbour/facts?state=taken");
  await page.press("link", "Look in the text");
  await page.until("its sentence is marked in its chapter", () => document.querySelector("mark.quoted")?.textContent === "沈渡在闸房等。");
  await page.pressLike("link", "信", "complementary", "Chapters");
  await page.press("button", "Accept");
  await page.pressLike("link", "New facts");
  await page.until("what it says waits", () => document.querySelector("section[aria-label='信'] .fact"));
  await page.close();
}
