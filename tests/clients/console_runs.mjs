// Starting what the server can make, and answering what it asks.

import { readFileSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { join } from "node:path";
import { Page, equal, expect } from "./console_page.mjs";

const example = (path) => fileURLToPath(new URL(`../../examples/${path}`, import.meta.url));

/** Where a run that waits for a person says so. */
export const GATE = ["article", "Your answer is needed"];

/** A server and the list of its sessions in a browser. */
async function listed(world, options) {
  const { address, api } = await world.server(options);
  return { address, api, page: await Page.open(world.browser, address) };
}

/** Opens the form of a pipeline by its title, from the list. */
async function form(page, title, wanted) {
  await page.press("link", "New session");
  await page.press("link", title);
  await page.type("What is wanted", wanted);
}

async function started(page) {
  await page.press("button", "Start");
  await page.until("the session is shown", () => location.hash.startsWith("#/s/"));
  return page.session;
}

/** A deck from a sentence and two details; shown page by page. */
export async function course(world) {
  const { api, page } = await listed(world);
  await form(page, "Teaching deck", "Tides for beginners");
  await page.pressLike("DisclosureTriangle", "Details");
  await page.type("Page", "4", "spinbutton");
  const session = await started(page);
  await page.until("the run is done", () => document.querySelector("header")?.innerText.includes("Completed"));
  const { view } = await api.rests(session, "r1");
  equal([view.pipeline, view.head], ["course", "r1"], "a deck was made");
  await page.reads("Offline author");
  await page.find("figure", "1 / 4: Page 1: Tides for beginners");
  await page.press("button", "Next page");
  await page.findLike("figure", "2 / 4");
  await page.close();
}

/** The files of a report: its template first, then what it is written from. */
const DATA = readdirSync(example("report/data")).map((name) => join("report/data", name));

/** Asks for a report, and stays there to be asked. */
async function reportBegun(page) {
  await form(page, "Report from a template", "根据数据撰写年度经营报告");
  await page.attach("Choose files", ["report/template.md", ...DATA].map(example));
  await page.until("every file is kept", (count) => document.querySelectorAll("form li").length === count && !document.body.innerText.includes("uploading"), DATA.length + 1);
  await page.retype("Path in the session", "template.md", "template/template.md");
  await started(page);
  await page.find(...GATE);
}

/** A report from files; its plan is shown and confirmed. */
export async function report(world) {
  const { api, page } = await listed(world);
  await reportBegun(page);
  const { status, gates } = await api.rests(page.session, "r1");
  equal([status, gates.length], ["waiting", 1], "the run waits for its plan to be confirmed");
  await page.reads(gates[0].question, ...GATE);
  await page.press("button", "Confirm");
  await page.gone(...GATE);
  const { view, outcome } = await api.rests(page.session, "r1");
  equal([view.head, outcome.is], ["r1", "completed"], "the report is written");
  await page.reads("Completed");
  await page.find("heading", "1.1 营业收入");
  await page.close();
}

/** A plan that is changed: what fits no plan is told at once and never sent, and the change is what counts. */
export async function changed(world) {
  const { api, page } = await listed(world);
  await reportBegun(page);
  const { session } = page;
  const { version, runs: [{ gates: [{ gate }] }] } = await api.session(session);
  await page.press("button", "Edit");
  await page.press("button", "As JSON");
  const plan = JSON.parse(await page.value("textbox", "JSON"));
  await page.type("JSON", JSON.stringify({ ...plan, tasks: [{ ...plan.tasks[0], objective: 7 }, ...plan.tasks.slice(1)] }));
  await page.press("button", "Confirm with these changes");
  await page.reads("objective", "alert");
  equal((await api.session(session)).version, version, "what is wrong is not sent");
  const objective = "Say in one sentence how the year went.";
  await page.type("JSON", JSON.stringify({ ...plan, tasks: [{ ...plan.tasks[0], objective }, ...plan.tasks.slice(1)] }));
  await page.press("button", "Confirm with these changes");
  // Behind the dialog the gate cannot be found, answered or not.
  await api.answered(session, gate);
  await page.gone(...GATE);
  const { view, gates } = await api.rests(session, "r1");
  equal([view.runs[0].status, gates[0].answer.is], ["completed", "confirmed"], "the changed plan is confirmed");
  const edited = await api.get(view.artifacts.find((it) => it.artifact === gates[0].answer.edits).content);
  equal(edited.tasks[0].objective, objective, "the change is what counts");
  await page.reads("Completed");
  await page.close();
}

/** A plan that is declined, with a word why: the run ends, and can be read why. */
export async function declined(world) {
  const { api, page } = await listed(world);
  await reportBegun(page);
  await page.press("button", "Decline");
  await page.type("What is to be different", "先不写了，数据还不全");
  await page.press("button", "Decline");
  await page.gone(...GATE);
  const { gates, outcome } = await api.rests(page.session, "r1");
  equal([gates[0].answer.is, gates[0].answer.feedback], ["declined", "先不写了，数据还不全"], "the plan is declined");
  expect(outcome, "the run has ended");
  await page.reads("Declined: 先不写了，数据还不全");
  await page.close();
}

/** Asks for the same report by the interface alone, without a browser. */
export async function reportRequest({ address }, options = {}) {
  const attachments = [];
  for (const [path, file] of [["template/year.md", "report/template.md"], ...DATA.map((file) => [file.split("/").at(-1), file])]) {
    const uploaded = await fetch(`${address}/v1/files`, { method: "POST", body: readFileSync(example(file)) });
    attachments.push({ path, file: (await uploaded.json()).file });
  }
  return { pipeline: "report", message: "根据数据撰写年度经营报告", attachments, settings: { attended: true, options } };
}

/** A post with notes to write from: questions are answered by choosing and in words, the text is sent back once and confirmed. */
export async function post(world) {
  const { address, api, page } = await listed(world);
  const notes = await fetch(`${address}/api/notes/import`, { method: "POST", headers: { "content-type": "text/csv" }, body: readFileSync(example("notes/spring.csv")) });
  expect(notes.ok, "the notes are taken", notes.status);
  await form(page, "Social post", "写点东西");
  const session = await started(page);
  const asked = [];
  for (;;) {
    const { status, gates } = await api.rests(session, "r1");
    if (status !== "waiting") break;
    const gate = gates.find((it) => !it.answer);
    expect(!asked.includes(gate.gate), "each question is asked once", asked, gate.gate);
    asked.push(gate.gate);
    await page.reads(gate.question, ...GATE);
    await answer(page, gate, asked.length);
    await api.answered(session, gate.gate);
  }
  const { outcome, gates } = await api.rests(session, "r1");
  equal(outcome.is, "completed", "the post is written");
  const names = gates.map((gate) => gate.name);
  expect(names.some((name) => gates.filter((gate) => gate.name === name).length === 2), "what was sent back is asked about again", names);
  expect(gates.some((gate) => gate.answer.is === "given"), "questions are answered", names);
  await page.reads("Completed");
  await page.close();
}

/** Words and an option at first, then options; the first text is sent back. */
async function answer(page, gate, nth) {
  if (!gate.subject) {
    await page.pick(Math.min(nth, gate.options.length));
    if (nth === 1) await page.type("In your words", "给大学生写宿舍收纳攻略，提升收藏，清单式");
    return page.press("button", "Answer");
  }
  if (gate.name === "content" && !answer.sentBack) {
    answer.sentBack = true;
    await page.press("button", "Decline");
    await page.type("What is to be different", "标题换成提问句");
    return page.press("button", "Decline");
  }
  return page.press("button", "Confirm");
}
