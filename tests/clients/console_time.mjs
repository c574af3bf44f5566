// Going back in the log, and away from it: the session as it was at any of its versions, and forks.

import { readFileSync } from "node:fs";
import { Page, equal } from "./console_page.mjs";

/** What a stage's state is called. */
const STATES = { open: "At work", completed: "Completed", failed: "Failed", cancelled: "Cancelled", reopened: "Reopened" };
const DECK = { pipeline: "course", message: "Tides for beginners, 4 pages", input: { pageCount: 4 } };

/** A deck that was changed twice, forked, and left. */
async function travelled(api) {
  const session = await api.made(DECK);
  await api.command(session, "refine", { stage: "generate_presentation_theme", feedback: "Darker, please" });
  await api.rests(session, "r2");
  await api.command(session, "restart_step", { stage: "generate_slides", item: "2", feedback: "Fewer words" });
  await api.rests(session, "r3");
  await api.command(session, "move_head", { run: "r2" });
  return session;
}

/** Wherever the slider stands, stages, calls, cost and canvas are what they were. */
export async function slider(world) {
  const { address: server, api } = await world.server();
  const session = await travelled(api);
  const { version: head } = await api.session(session);
  const pipelines = (await api.get("/v1/pipelines")).pipelines;
  const titles = new Map(pipelines.find((it) => it.name === "course").stages.map((it) => [it.name, it.title]));
  const page = await Page.open(world.browser, server, `#/s/${session}?left=steps`);
  await page.find("button", "Live");
  const slider = await page.find("slider", "Version");
  await slider.focus();
  const now = async () => Number(await page.value("slider", "Version"));
  const moved = async (version) => {
    await page.until(`the slider stands at ${version}`, (wanted) => document.querySelector("[role=slider]")?.getAttribute("aria-valuenow") === String(wanted), version);
    await asItWas(page, await api.session(session, version), titles);
  };
  equal(await now(), head, "it begins at the present");
  await page.tab.keyboard.press("ArrowLeft");
  await moved(head - 1);
  await page.tab.keyboard.press("PageDown");
  await moved(head - 21);
  await page.tab.keyboard.press("Home");
  await moved(1);
  await page.tab.keyboard.press("PageUp");
  await page.tab.keyboard.press("PageUp");
  await moved(41);
  const box = await slider.boundingBox();
  const [left, middle] = [box.x, box.y + box.height / 2];
  await page.tab.mouse.move(left + box.width * 0.2, middle);
  await page.tab.mouse.down();
  for (const share of [0.3, 0.5, 0.62, 0.55]) await page.tab.mouse.move(left + box.width * share, middle);
  await page.tab.mouse.up();
  await page.until("it was dragged", ([from, to]) => {
    const at = Number(document.querySelector("[role=slider]").getAttribute("aria-valuenow"));
    return at > from && at < to;
  }, [head * 0.5, head * 0.6]);
  await moved(await now());
  await slider.focus();
  for (let step = 0; step < 9; step += 1) {
    await page.tab.keyboard.press("ArrowRight");
    await moved(await now());
  }
  await page.press("button", "Back to now");
  await page.find("button", "Live");
  await moved(head);
  await page.close();
}

/**
 * Sessions in which much goes wrong and back: outputs that are rejected, a provider that fails, runs that are cancelled, queued and
 * resumed, forks of them. Nothing is looked at here; the law of the fold is checked for all that happened.
 */
export async function law(world) {
  const script = JSON.parse(readFileSync(new URL("../scripts/course.json", import.meta.url), "utf8"));
  const second = script.rules[1];
  script.rules.unshift(
    { when: { schema: "course_config", occurrence: 1 }, answer: { $invalid: true } },
    { when: { ...second.when, occurrence: 1 }, answer: { $invalid: true } },
    { when: { schema: "slide_scripts", occurrence: 1 }, status: 500 },
    { when: { schema: "presentation_theme" }, times: 3, answer: { $invalid: true } },
  );
  const { api } = await world.server({ model: await world.model(script) });
  const request = { pipeline: "course", message: "A deck of 4 pages about photosynthesis for grade 7", settings: { attempts: 2 } };
  const session = await api.made(request);
  const run = (view) => view.runs.at(-1).run;
  await api.command(session, "resume", {}).catch(() => {});
  await api.rests(session, run(await api.session(session)));
  await api.command(session, "send_message", { message: "Make the second page shorter" });
  await api.command(session, "send_message", { message: "你好" });
  await api.command(session, "cancel", { reason: "changed my mind" }).catch(() => {});
  await api.rests(session, run(await api.session(session)));
  const { version } = await api.session(session);
  for (const share of [0.3, 0.6, 1]) {
    const { session: child } = await api.command(session, "fork", { at: Math.ceil(version * share) });
    await api.command(child, "cancel", {}).catch(() => {});
    await api.rests(child, run(await api.session(child)));
  }
}

/** The page against the server's view of that version. */
async function asItWas(page, view, titles) {
  const run = view.runs.find((it) => it.run === view.active) ?? view.runs.find((it) => it.run === view.head) ?? view.runs.at(-1);
  const stages = (run?.stages ?? []).map((it) => `${STATES[it.status]} ${titles.get(it.stage) ?? ""}`.trim());
  await page.until(`version ${view.version} has the stages ${stages}`, (wanted) => {
    const rows = [...document.querySelectorAll("[role=tabpanel] button[aria-expanded]")].filter((it) => it.querySelector("strong"));
    const seen = rows.map((it) => it.innerText.replace(/\s+/g, " ").trim());
    return wanted.length === seen.length && wanted.every((it, place) => seen[place].startsWith(it));
  }, stages);
  const calls = view.runs.reduce((sum, it) => sum + it.budget.spent.calls, 0);
  const cost = view.runs.reduce((sum, it) => sum + it.budget.spent.cost_micros, 0) / 1e6;
  await page.until(`version ${view.version} has ${calls} calls, which cost ${cost}`, ([wantedCalls, wantedCost]) => {
    const facts = [...document.querySelectorAll("header dl div")].map((it) => it.innerText.replace(/\s+/g, " ").trim());
    const [calls, cost] = ["Calls of models", "Cost"].map((name) => facts.find((it) => it.startsWith(name))?.slice(name.length).trim());
    return calls?.split(" ")[0] === String(wantedCalls) && Number(cost) === wantedCost;
  }, [calls, cost]);
  const known = view.artifacts.map((it) => it.title);
  if (!known.length) return page.reads("Nothing was made yet");
  await page.until(`version ${view.version} shows something that there was`, (titles) => {
    const shown = document.querySelector("[aria-label=Canvas] button strong")?.title;
    return titles.includes(shown);
  }, known);
}

/** An event: what it says, what asked for it, and the question and the answer behind it. */
export async function event(world) {
  const { address: server, api } = await world.server();
  const session = await api.made(DECK);
  const page = await Page.open(world.browser, server, `#/s/${session}?drawer=log`);
  await page.find("listbox", "Events");
  await page.choose("All types", "Calls");
  await page.until("only calls are listed", () => [...document.querySelectorAll("[role=listbox] [role=option]")].every((it) => it.innerText.includes("Model called")));
  await (await (await page.find("listbox", "Events")).waitForSelector("[role=option]")).click();
  await page.findLike("heading", "Model called #");
  const version = Number(await page.value("slider", "Version"));
  const told = await api.get(`/v1/sessions/${session}/events/${version}`);
  equal(told.type, "model_called", "a call was chosen");
  await page.reads(told.event_id);
  await page.reads(told.command.id);
  await page.pressLike("button", "What was asked");
  await page.until("the question can be read", () => document.querySelector(".exchange-body")?.innerText.length > 100);
  await page.pressLike("button", `#${told.cause} `);
  await page.until("its cause is looked at", (cause) => document.querySelector("[role=slider]").getAttribute("aria-valuenow") === String(cause), told.cause);
  await page.close();
}

/** A fork begins at the version that is looked at, says where it comes from, and leads back. */
export async function fork(world) {
  const { address: server, api } = await world.server();
  const session = await api.made(DECK);
  const at = 40;
  const page = await Page.open(world.browser, server, `#/s/${session}?at=${at}`);
  await page.press("button", "Fork here");
  await page.find("dialog", `Fork at version ${at}?`);
  await page.press("button", "Fork here");
  await page.until("the fork is shown", (parent) => location.hash.startsWith("#/s/") && !location.hash.includes(parent), session);
  const child = page.session;
  const { forked_from: from } = await api.session(child);
  equal(from, { session, at }, "it is a fork of this version");
  await page.press("link", `Fork at ${at}`);
  await page.until("it leads back", (parent) => location.hash.includes(parent), session);
  await page.pressLike("button", "Runs");
  await page.until("the fork is listed", (name) => [...document.querySelectorAll("aside a")].some((it) => it.hash.startsWith(`#/s/${name}`)), child);
  await page.close();
}
