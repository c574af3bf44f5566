// Runs that build on others: redoing from a stage, choosing the current one, and what is different between two.

import { Page, equal, expect } from "./console_page.mjs";

/** A deck is redone from a stage with a word why; both versions are compared; the first is made the current one again. */
export async function branches(world) {
  const { address: server, api } = await world.server();
  const session = await api.made({ pipeline: "course", message: "Tides for beginners, 4 pages", input: { pageCount: 4 } });
  const page = await Page.open(world.browser, server, `#/s/${session}`);
  await page.choose("How the message is meant", "Redo: Slide scripts");
  await page.type("Message", "Say it in shorter sentences");
  await page.press("button", "Send");
  await page.reads("Say it in shorter sentences");
  const { base_run: base, feedback, view } = await api.rests(session, "r2");
  equal([base, feedback, view.head], ["r1", "Say it in shorter sentences", "r2"], "the second run builds on the first");
  const scripts = view.artifacts.filter((it) => it.kind === "slide_scripts");
  equal(scripts.map((it) => it.run), ["r1", "r2"], "the scripts were written again");

  await page.go(`#/s/${session}?artifact=${scripts[1].artifact}`);
  await page.press("button", "Compare");
  const seen = await page.reads("", "region", "Side by side");
  expect(seen.length > 0, "both can be read");
  const marked = await page.until("what is different is marked", () => {
    const text = (name) => [...document.querySelectorAll(name)].map((it) => it.innerText).join("");
    return text("ins") && { gone: text("del"), come: text("ins") };
  });
  expect(marked.come !== marked.gone, "what came is not what went", marked);
  await page.choose("Before", "v2 · r2");
  await page.reads("Both are the same.");
  await page.press("button", "End comparing");

  await page.press("button", "Runs 2");
  await page.pressLike("button", "r1", "complementary", "Runs");
  await page.press("button", "Make current");
  await page.reads("r1 is the current run now.");
  equal((await api.session(session)).head, "r1", "the first is the current one");
  await page.reads("Current");
  await page.close();
}
