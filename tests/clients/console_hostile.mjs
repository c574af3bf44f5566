// What is written to do harm: a template, names of files, and sections that a model wrote. The console shows it as the text that it
// is, and nothing of it runs, asks or leads anywhere.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ACT, PICTURE, harmless, settled } from "./console_harm.mjs";
import { Page, equal } from "./console_page.mjs";
import { GATE } from "./console_runs.mjs";

const VECTOR = `<svg xmlns="http://www.w3.org/2000/svg" onload="${ACT}"><script>${ACT}</script><a xlink:href="javascript:${ACT}"><text y="20">vector</text></a></svg>`;

const TEMPLATE = `<!doctype html><html><head><title>The year ${PICTURE}</title><script>${ACT}</script><base href="http://127.0.0.1:9/">
<meta http-equiv="refresh" content="0;url=http://127.0.0.1:9/harm"><link rel="stylesheet" href="http://127.0.0.1:9/harm.css"></head>
<body onload="${ACT}"><h1>Overview ${PICTURE}</h1><p onclick="${ACT}">Say how the year went.</p>${VECTOR}
<h1>People</h1><iframe srcdoc="<script>${ACT}</script>"></iframe><form action="javascript:${ACT}"><button>Send</button></form>
<h1>Outlook</h1><p style="background:url(http://127.0.0.1:9/harm)">Say what comes.</p><object data="data:text/html,<script>${ACT}</script>"></object></body></html>`;

const SECTION = `A number: 120 [datasets/sales.json].

<script>${ACT}</script>
${PICTURE}
${VECTOR}

[press here](javascript:${ACT.replace(/ /g, "%20").replace(/[()]/g, "\\$&")}) and [here](data:text/html,<script>1</script>) and [there](vbscript:harm) <javascript:harm()>
![picture](http://127.0.0.1:9/harm.png) ![drawn](data:image/svg+xml,${encodeURIComponent(VECTOR)})

<details ontoggle="${ACT}" open>shown</details> &lt;script&gt; [x]: javascript:harm

| a ${PICTURE} | b |
|---|---|
| \`${PICTURE}\` | <iframe src="javascript:${ACT}"></iframe> |
`;

/** What the data says of itself: the prompt of an agent that has read the data has these words in it. */
const LEDGER = "ledger of all sales";
const NAMES = [`<img src=x onerror=harmed=1>.csv`, `"><script>harmed=1<!--.txt`];

const calls = (when, name, args) => ({ when, tool_calls: [{ name, arguments: args }] });
const informed = (when) => ({ ...when, contains: LEDGER });
const planner = { system_contains: "You plan a report." };
const solver = (section) => ({ user_contains: ` task\nid: ${section}\n` });
const reads = { path: "datasets/sales.json" };

/** A model that plans well and writes such sections. */
function script() {
  const needs = (id) => ({ id, required_inputs: ["datasets/sales.json"], hints: [PICTURE, "javascript:harm()"] });
  const rules = [
    calls(informed(planner), "submit_section_plan", { tasks: [needs(1), needs(2), needs(3)], plan_summary: `Three sections ${PICTURE}` }),
    calls(planner, "read_local_file", reads),
  ];
  ["Overview", "People", "Outlook"].forEach((title, place) => {
    const section = { id: place + 1, title, content: SECTION, summary: PICTURE };
    rules.push({ ...calls(informed(solver(place + 1)), "submit_section_draft", { section }), reasoning: VECTOR });
    rules.push(calls(solver(place + 1), "read_local_file", reads));
  });
  return { rules };
}

/** Names and bodies that do harm where they are taken for markup, through the form, the gate, and every view. */
export async function hostile(world) {
  const model = await world.model(script());
  const server = await world.server({ model, variables: { TEMPLATE_WS_MAX_RETRY: "0" } });
  const folder = world.place();
  const files = [["year.html", TEMPLATE], ["sales.json", JSON.stringify({ what: LEDGER, "first quarter": 120, harm: PICTURE })], ...NAMES.map((name) => [name, `a,b\n${PICTURE},${ACT}\n`])];
  for (const [name, text] of files) writeFileSync(join(folder, name), text);
  const page = await Page.open(world.browser, server.address, "#/new/report", { width: 1440 });
  await page.type("What is wanted", `How was the year? ${PICTURE} ${VECTOR}`);
  await page.attach("Choose files", files.map(([name]) => join(folder, name)));
  await page.retype("Path in the session", "year.html", "template/year.html");
  await page.retype("Path in the session", "sales.json", "datasets/sales.json");
  for (const name of NAMES) await page.retype("Path in the session", name, `datasets/${name}`);
  await page.press("button", "Start");
  await page.find(...GATE);
  await harmless(page);
  const { session } = page;
  await page.press("button", "Confirm");
  await page.gone(...GATE);
  const { view } = await server.api.rests(session, "r1");
  await page.until("the run has ended", () => !document.querySelector("header")?.innerText.includes("Running"));
  const { version } = view;
  for (const query of ["left=steps", "drawer=runs", "drawer=made", "drawer=log"]) {
    await page.go(`#/s/${session}?${query}`);
    await page.find("region", "Canvas");
    await harmless(page);
  }
  for (const artifact of view.artifacts) {
    await page.go(`#/s/${session}?artifact=${artifact.artifact}`);
    await page.until(`${artifact.title} is shown`, (title) => document.querySelector("[aria-label=Canvas] button strong")?.title === title, artifact.title);
    await settled(page);
    const views = await page.tab.$$("[aria-label=Canvas] [role=group] button[aria-pressed]");
    for (let nth = 0; nth < views.length; nth += 1) {
      await page.tab.evaluate((place) => document.querySelectorAll("[aria-label=Canvas] [role=group] button[aria-pressed]")[place]?.click(), nth);
      await settled(page);
      await harmless(page);
    }
    await harmless(page);
  }
  await page.go(`#/s/${session}?drawer=log`);
  await page.find("listbox", "Events");
  for (let at = version; at >= 1; at -= 3) {
    await page.go(`#/s/${session}?drawer=log&at=${at}`);
    await page.until(`event ${at} is shown`, (wanted) => document.querySelector("[role=slider]")?.getAttribute("aria-valuenow") === String(wanted), at);
    await settled(page);
    await page.tab.evaluate(() => document.querySelectorAll("aside button[aria-expanded=false]").forEach((it) => it.click()));
    await settled(page);
  }
  await harmless(page);
  for (const path of ["#/", "#/operations"]) {
    await page.go(path);
    await page.find("main", "").catch(() => {});
    await settled(page);
    await harmless(page);
  }
  // Refusals by a sandbox or a policy are by design; dialogs and requests to other servers are not.
  equal(page.complaints.filter((it) => /dialog|a request to/.test(it)), [], "nothing was asked of anybody");
  equal(await page.refusals(), [], "nothing was tried in the console itself");
  page.complaints.length = 0;
  await page.close();
}
