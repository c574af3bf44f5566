// A deck in SlideDSL beside its pages: the designs that it was made after, a slide that is kept, one that is written by hand.

import { Page, equal, expect } from "./console_page.mjs";

/** A deck that was made earlier, with a slide that the next one can be made after. */
const EARLIER = "---\ntitle: Rain in the valley\n---\n# Opening\n@type: title\n## Rain\n---\n# Water levels\n@type: bullet_points\n@background: dark\n@layout: icon_rows\n## Rivers in the valley rose by a third in May\n- @icon: water | The Arve rose first\n- @icon: chart | The Dranse rose most\n";

const ASKED = {
  user_input: "A deck about the rivers in the valley",
  source_documents: ["# Rivers in the valley\n\nRivers in the valley fell by a half in August.\n\n- The Arve fell first\n- The Dranse fell most\n- The Drance fell least\n"],
};

/** A deck that was made after an earlier one: its session, its deck, the designs that were found. */
export async function made({ api }) {
  await api.post("/api/index/decks", { dsl: EARLIER });
  const { session, deck_chunk_id: indexed } = await api.post("/api/decks:generate", ASKED);
  const { artifacts } = await api.session(session);
  const id = (kind) => artifacts.filter((it) => it.kind === kind).at(-1).artifact;
  return { session, indexed, deck: id("deck"), found: id("design_references"), one: id("design_reference") };
}

/** What was made of the slides of a deck of the index, in their order. */
async function counted(api, deck) {
  const { slides, counters } = await api.get(`/api/index/decks/${deck}`);
  return slides.map((it) => counters[it.id] ?? {});
}

/** A slide that was kept is counted; what is written in a slide's place is checked while it is written, and is the deck afterwards. */
export async function slides(world) {
  const server = await world.server();
  const { api } = server;
  const { session, indexed, deck, found } = await made(server);
  const page = await Page.open(world.browser, server.address, `#/s/${session}?artifact=${found}&pane=canvas`);
  await page.reads("Rain in the valley");
  for (const part of ["meaning", "structure", "words"]) await page.reads(part);
  await page.go(`#/s/${session}?artifact=${deck}&pane=canvas`);
  await page.press("button", "Keep slide 2");
  await page.reads("The slide is kept in the design index.");
  equal((await counted(api, indexed))[1].keep_count, 1, "the slide that was kept is counted");

  await page.press("button", "Edit slide 2");
  const before = await page.value("textbox", "Edit slide 2");
  await page.type("Edit slide 2", "no slide at all");
  await page.reads("Write one slide");
  expect(await page.until("it cannot be taken over", () => [...document.querySelectorAll("button")].find((it) => it.innerText.includes("Take it over"))?.disabled), "what is no slide is not taken");
  await page.type("Edit slide 2", "# Rivers\n@type: timeline\n## Rivers fell by a half in August\n");
  await page.reads("line 1");
  const written = "# Rivers\n@type: bullet_points\n\n## Rivers fell by a half in August alone\n\n- The Arve fell first, <b>by far</b>\n";
  await page.type("Edit slide 2", written);
  await page.reads("Nothing is wrong with it.");
  await page.press("button", "Take it over");
  const { outcome, view } = await api.rests(session, "r2");
  equal(outcome.is, "completed", "the deck is made with it");
  const now = await api.get(view.artifacts.filter((it) => it.kind === "deck").at(-1).content);
  expect(now.dsl_text.includes(written.trim()) && !now.dsl_text.includes(before.trim()), "it stands there as it was written", now.dsl_text);
  const { decks } = await api.get("/api/index/decks");
  expect(decks.some((it) => it.title.startsWith("Rivers in the valley (The rivers")), "the index learned from it", decks);
  await page.reads("by far");
  await page.close();
}
