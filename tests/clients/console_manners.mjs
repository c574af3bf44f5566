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
  equal((await saved(page, world.place())).map(({ version, type, cursor }) => [version, type, cursor]), log.map(({ version, type, cursor }) => [version, type, cursor]), "each event once, in order");
  await page.tab.reload();
  equal(await page.value("textbox", "Message"), "When this is done, make it", "it is there after the page was loaded again, too");
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
  const server = await world.server({ variables: { PALIMPSEST_KEYS: "ann:secret-of-ann,bob:secret-of-bob" }, key: "secret-of-ann" });
  const session = await server.api.made({ pipeline: "post", message: "请为年轻家庭写一篇周末野餐的笔记，目标是收藏，风格轻松，直接生成，不用问" });
  const page = await Page.open(world.browser, server.address, "", { forgiving: true });
  await page.find("dialog", "A key is needed");
  await page.type("Key", "secret-of-nobody");
  await page.press("button", "Use this key");
  await page.reads("The server does not know this key.");
  await page.type("Key", "secret-of-ann");
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
