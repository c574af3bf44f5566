// The console in a browser: node console.mjs <program> <scripted model> <folder> <browser> [scenario...]
//
// Each scenario has servers of its own below the folder. Ends with status 0 when everything went as a person would want it, else
// with 1 and the first deviation. After each scenario the fold of the console has to agree with the server for every version of
// every session that came of it.

import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import * as access from "./console_axe.mjs";
import * as branches from "./console_branches.mjs";
import { slides } from "./console_deck.mjs";
import * as first from "./console_first.mjs";
import { check } from "./console_fold.mjs";
import * as hostile from "./console_hostile.mjs";
import * as language from "./console_language.mjs";
import * as manners from "./console_manners.mjs";
import { Deviation, launched } from "./console_page.mjs";
import * as runs from "./console_runs.mjs";
import { Model, Server } from "./console_server.mjs";
import * as story from "./console_story.mjs";
import { storyLaws } from "./console_story_laws.mjs";
import * as storyPages from "./console_story_pages.mjs";
import * as time from "./console_time.mjs";

const { views, usable, WIDE, NARROW, ...accessible } = access;
const { POST, ...met } = first;
const scenarios = { ...runs, ...met, ...branches, ...time, ...manners, ...hostile, ...language, slides, ...accessible, ...story, storyLaws, ...storyPages };
const [program, modelProgram, folder, browserPath, ...wanted] = process.argv.slice(2);
if (!browserPath || wanted.some((name) => !scenarios[name])) {
  console.error(`usage: node console.mjs <program> <scripted model> <folder> <browser> [scenario...], such as
  node console.mjs ../../target/debug/palimpsest ../../target/debug/scripted-model /tmp /usr/bin/chromium course
scenarios: ${Object.keys(scenarios).join(", ")}`);
  process.exit(2);
}

/** Milliseconds after which named scenarios are ended in order: a caller that kills this program would leave the others running. */
const LIMIT_MS = 170_000;

/** What a scenario happens in. */
class World {
  servers = [];
  models = [];

  constructor(browser) {
    this.browser = browser;
  }

  /** A folder of its own. */
  place() {
    return mkdtempSync(join(folder, "console-"));
  }

  async server(options) {
    const server = await Server.start(program, this.place(), options);
    this.servers.push(server);
    return server;
  }

  async model(script) {
    const model = await Model.start(modelProgram);
    this.models.push(model);
    await model.play(script);
    return model;
  }

  /** The law of the fold, for all that happened here. */
  async checked() {
    let versions = 0;
    for (const { api, address } of this.servers) {
      const { sessions } = await api.get("/v1/sessions?limit=200");
      for (const { session } of sessions) versions += await check(address, session, api.headers);
    }
    return versions;
  }

  async end() {
    for (const server of this.servers) await server.kill();
    for (const model of this.models) await model.end();
  }
}

const browser = await launched(browserPath);
let limit;
const late = new Promise((_, reject) => {
  if (wanted.length) limit = setTimeout(() => reject(new Deviation(`nothing came of it within ${LIMIT_MS} ms`)), LIMIT_MS);
});
late.catch(() => {});
try {
  for (const name of wanted.length ? wanted : Object.keys(scenarios)) {
    const world = new World(browser);
    try {
      await Promise.race([scenarios[name](world), late]);
      console.log(`ok   ${name}, ${await world.checked()} versions`);
    } catch (error) {
      console.error(`FAIL ${name}\n  ${error instanceof Deviation ? error.message : error.stack}`);
      for (const { said } of world.servers) console.error(said.slice(-20).join("\n"));
      process.exitCode = 1;
      break;
    } finally {
      await world.end();
    }
  }
} finally {
  clearTimeout(limit);
  await browser.close();
}
