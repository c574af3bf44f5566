// Runs that build on others: redoing from a stage, choosing the current one, and what is different between two.

import { readFileSync } from "node:fs";
import { Page, equal, expect } from "./console_page.mjs";

const script = () => JSON.parse(readFileSync(new URL("../scripts/course.json", import.meta.url), "utf8"));

/** A deck is redone from a stage with a message; both versions are compared; the first is made the current one again. */
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

/** A page is written by hand as a form; what was there before stands beside it, and comes back with a word. */
export async function byhand(world) {
  const { address: server, api } = await world.server();
  const session = await api.made({ pipeline: "course", message: "Tides for beginners, 4 pages", input: { pageCount: 4 } });
  const before = (await api.session(session)).artifacts.find((it) => it.kind === "ppt_html" && it.item === "2");
  const page = await Page.open(world.browser, server, `#/s/${session}?artifact=${before.artifact}`, { width: 1440 });
  await page.press("button", `Edit “${before.title}” by hand`);
  await page.find("dialog", `Edit “${before.title}”`);
  expect(!(await page.has("textbox", "Html")), "what follows from the words is not filled in");
  const own = "What the teacher wrote";
  await page.type("Title", own);
  await page.press("button", "Take this");
  await page.reads(`“${before.title}” is as you wrote it.`);
  const { view, outcome } = await api.rests(session, "r2");
  equal([view.head, outcome.is], ["r2", "completed"], "it is a run of its own");
  const after = view.artifacts.find((it) => it.kind === "ppt_html" && it.item === "2" && it.current);
  const written = await api.get(after.content);
  equal([written.spec.title, written.author], [own, "person"], "the page says what was written");
  expect(written.html.includes(own), "and shows it");

  await page.go(`#/s/${session}?artifact=${after.artifact}`);
  await page.press("button", "Compare");
  await page.reads("What the teacher wrote");
  await page.press("button", "End comparing");
  await page.type("Message", "go back to the previous version");
  await page.press("button", "Send");
  await api.rests(session, "r3");
  equal((await api.session(session)).head, "r1", "the version before is the current one again");
  await page.close();
}

/** Before a change that costs something is made, what it would do is shown; it is made when that is wanted, and only then. */
export async function planned(world) {
  const { api, address } = await world.server({ model: await world.model(script()) });
  const session = await api.made({ pipeline: "course", message: "A deck of 4 pages about photosynthesis for grade 7" });
  const page = await Page.open(world.browser, address, `#/s/${session}`, { width: 1440 });
  const { version } = await api.session(session);
  await page.choose("How the message is meant", "Redo: Presentation theme");
  await page.type("Message", "Give it a calmer look");
  await page.press("button", "Send");
  const shown = await page.reads("At most", "region", "What this would do");
  expect(/5 calls/.test(shown) && /Slide scripts/.test(shown), "what is made again, what stays, and the cost are told", { shown });
  equal((await api.session(session)).version, version, "nothing was done");
  await page.press("button", "Back");
  await page.gone("region", "What this would do");
  await page.press("button", "Send");
  await page.press("button", "Do it");
  const { view } = await api.rests(session, "r2");
  equal(view.head, "r2", "then it is made");

  // What a model made from what a person writes stays, or is made again, as the person says.
  const scripts = view.artifacts.find((it) => it.kind === "slide_scripts" && it.current);
  await page.go(`#/s/${session}?artifact=${scripts.artifact}`);
  await page.press("button", `Edit “${scripts.title}” by hand`);
  await page.press("button", "As JSON");
  const content = JSON.parse(await page.value("textbox", "JSON"));
  content[1].title = "A heading of my own";
  await page.type("JSON", JSON.stringify(content));
  await page.press("button", "Take this");
  await page.find("dialog", "What was made from it");
  await page.press("button", "Leave it as it is");
  const after = await api.rests(session, "r3");
  const older = after.view.artifacts.filter((it) => it.older).map((it) => it.item);
  expect(older.includes("2"), "the page is older than its script", { older });
  await page.close();
}
