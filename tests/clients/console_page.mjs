// The console as a person uses it: a page of a browser in which things are found by their role and their name.

import puppeteer from "puppeteer-core";

/** How long anything may take, in milliseconds. It only ends what hangs; set it lower while you work on a scenario. */
export const PATIENCE_MS = Number(process.env.PATIENCE_MS ?? 120_000);

/** What differs from what was expected. */
export class Deviation extends Error {}

/** What is looked for may still come. */
class NotYet extends Error {}

export function expect(condition, message, ...seen) {
  if (!condition) throw new Deviation([message, ...seen.map((it) => JSON.stringify(it))].join("\n  "));
}

export function equal(seen, expected, message) {
  expect(JSON.stringify(seen) === JSON.stringify(expected), message, { seen }, { expected });
}

/** @param {string} path of the browser */
export function launched(path) {
  return puppeteer.launch({
    executablePath: path, protocolTimeout: 2 * PATIENCE_MS,
    args: ["--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--disable-background-networking", "--disable-dev-shm-usage"],
  });
}

/** What a page of the console is opened with: the width that it is seen in, what the browser prefers, the key that was given. */
const USUAL = { width: 1440, height: 900, language: "en-US", scheme: "light", motion: "no-preference" };

/** Text in quotes of a selector. */
const quoted = (text) => JSON.stringify(text);

/** The selector of the element that assistive technology knows by this role and name. */
export const named = (role, name) => `::-p-aria([name=${quoted(name)}][role=${quoted(role)}])`;

/** Runs in the page: what can be read in a part of it. */
const READ = (part) => part.innerText;

/** Runs in the page: notes whether a click arrives at an element, or at what was drawn in its place meanwhile. */
const EXPECT_CLICK = (element) => {
  const click = { arrived: false };
  const { tagName, textContent } = element;
  document.addEventListener("click", ({ target }) => {
    click.arrived ||= element.contains(target) || (!element.isConnected && target.closest(tagName)?.textContent === textContent);
  }, { capture: true });
  return click;
};

/** Runs in the page: the name of an element, with all that is written in it. */
const NAME = (element) => {
  const told = element.getAttribute("aria-label");
  const copy = (element.labels?.[0] ?? element).cloneNode(true);
  for (const hidden of copy.querySelectorAll("[aria-hidden=true]")) hidden.remove();
  return (told ?? copy.textContent).replace(/\s+/g, " ").trim();
};

export class Page {
  /** What went wrong in the page: errors, refusals of its policy, dialogs, requests to others. */
  complaints = [];

  /** Where complaints are expected, such as while no server is there. */
  forgiving = false;

  static async open(browser, server, path = "", usual = {}) {
    const { width, height, language, scheme, motion } = { ...USUAL, ...usual };
    const context = usual.context ?? (await browser.createBrowserContext());
    const tab = await context.newPage();
    // What is waited for has a limit and words of its own below.
    tab.setDefaultTimeout(0);
    const page = new Page(tab, server);
    await tab.setViewport({ width, height });
    await tab.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }, { name: "prefers-reduced-motion", value: motion }]);
    const agent = await browser.userAgent();
    const devtools = await tab.createCDPSession();
    await devtools.send("Network.setUserAgentOverride", { userAgent: agent, acceptLanguage: language });
    page.devtools = devtools;
    page.forgiving = usual.forgiving ?? false;
    page.#watch();
    await tab.evaluateOnNewDocument(() => {
      window.refusals = [];
      document.addEventListener("securitypolicyviolation", (it) => window.refusals.push(`${it.violatedDirective}: ${it.blockedURI} ${it.sample}`));
    });
    if (usual.before) await usual.before(tab);
    await tab.goto(`${server}/${path}`);
    return page;
  }

  constructor(tab, server) {
    this.tab = tab;
    this.server = server;
  }

  #watch() {
    const complain = (what) => { if (!this.forgiving) this.complaints.push(what); };
    this.tab.on("console", (it) => ["error", "warn"].includes(it.type()) && complain(`${it.type()}: ${it.text()} ${it.location().url ?? ""}`));
    this.tab.on("pageerror", (it) => complain(String(it)));
    this.tab.on("dialog", (it) => { complain(`a dialog: ${it.message()}`); void it.dismiss(); });
    this.tab.on("request", (it) => {
      const url = it.url();
      if (!url.startsWith(`${this.server}/`) && !/^(data|blob):/.test(url)) complain(`a request to ${url}`);
    });
  }

  /** The element with this role and name, once it is there. */
  async find(role, name) {
    return this.#patiently(`there is a ${role} “${name}”`, () => this.tab.waitForSelector(named(role, name), { visible: true }));
  }

  /** The first of a role whose name begins so; in a part of the page, where that is named by its role and name. */
  async findLike(role, beginning, ...part) {
    return this.#patiently(`there is a ${role} that begins with “${beginning}”`, async () => {
      const every = `::-p-aria([role=${quoted(role)}])`;
      for (;;) {
        const place = part.length ? await this.find(...part) : this.tab;
        for (const element of await place.$$(every).catch(() => [])) {
          if ((await element.evaluate(NAME).catch(() => null))?.startsWith(beginning)) return element;
        }
        await this.frame();
      }
    });
  }

  async has(role, name) {
    return (await this.tab.$(named(role, name))) !== null;
  }

  /** Waits until the element with this role and name is gone. */
  async gone(role, name) {
    await this.#patiently(`the ${role} “${name}” goes`, () => this.tab.waitForSelector(named(role, name), { hidden: true }));
  }

  async press(role, name) {
    await this.#act(`“${name}” is pressed`, () => this.find(role, name), (element) => this.#click(element));
  }

  async pressLike(role, beginning, ...part) {
    await this.#act(`“${beginning}…” is pressed`, () => this.findLike(role, beginning, ...part), (element) => this.#click(element));
  }

  /** Puts a text into a field, whose name begins so, in the place of what it has. */
  async type(name, text, role = "textbox") {
    await this.#act(`“${name}” is filled in`, () => this.findLike(role, name), async (element) => {
      await element.evaluate((it) => { it.focus(); it.select?.(); });
      await this.tab.keyboard.press("Backspace");
      await this.tab.keyboard.sendCharacter(text);
    });
  }

  /** The same in the one of several fields of this name that has this text. */
  async retype(name, before, after) {
    await this.#act(`“${before}” of “${name}” becomes “${after}”`, async () => {
      for (;;) {
        await this.find("textbox", name);
        for (const field of await this.tab.$$(named("textbox", name))) if ((await field.evaluate((it) => it.value)) === before) return field;
        await this.frame();
      }
    }, async (element) => {
      await element.evaluate((it) => { it.focus(); it.select(); });
      await this.tab.keyboard.sendCharacter(after);
    });
  }

  /** Chooses an option by its text or its value, once it is offered: what a pipeline calls its stages comes after the page. */
  async choose(name, option) {
    await this.#act(`“${option}” of “${name}” is chosen`, () => this.find("combobox", name), async (element) => {
      const value = await element.evaluate((it, wanted) => [...it.options].find((one) => one.text.trim() === wanted || one.value === wanted)?.value, option);
      if (value === undefined) throw new NotYet();
      await element.select(value);
    });
  }

  /** Chooses the nth of the options that are offered, from 1. */
  async pick(nth) {
    const options = async () => [...(await this.tab.$$(`::-p-aria([role="radio"])`)), ...(await this.tab.$$(`::-p-aria([role="checkbox"])`))];
    await this.#act(`option ${nth} is chosen`, async () => {
      for (let found = []; ; found = await options()) {
        if (found[nth - 1]) return found[nth - 1];
        await this.frame();
      }
    }, (element) => this.#click(element));
  }

  async value(role, name) {
    return (await this.find(role, name)).evaluate((it) => it.value ?? it.getAttribute("aria-valuenow"));
  }

  /** Attaches files of this machine. If the page moved meanwhile, the button is pressed again: otherwise no file would be asked for. */
  async attach(button, paths) {
    const [chooser] = await Promise.all([this.tab.waitForFileChooser(), this.press("button", button)]);
    await chooser.accept(paths);
  }

  /** Waits until a function that runs in the page is true, and gives what it gave. */
  async until(what, test, ...values) {
    const source = `new Promise((done) => {
      const look = () => {
        let seen;
        try { seen = (${test})(...${JSON.stringify(values)}); } catch { seen = false; }
        if (seen) done(seen);
        else setTimeout(look, 15);
      };
      look();
    })`;
    return this.#patiently(what, async () => {
      for (;;) {
        // A page that is loaded anew meanwhile is asked again.
        try { return await this.tab.evaluate(source); } catch (error) {
          if (!/context|navigat|detached/i.test(String(error))) throw error;
        }
      }
    });
  }

  /** Waits until a text can be read anywhere in the page, or in a part of it that has a role and perhaps a name. */
  async reads(text, role, name = "") {
    if (!role) return this.until(`“${text}” can be read`, (wanted) => document.body.innerText.includes(wanted), text);
    return this.#patiently(`“${text}” can be read in the ${role} “${name}”`, async () => {
      for (;;) {
        const element = name ? await this.find(role, name) : await this.findLike(role, "");
        const seen = await element.evaluate(READ).catch(() => "");
        if (seen.includes(text)) return seen;
        await this.frame();
      }
    });
  }

  /** What the policy of the page itself refused since it was loaded. */
  refusals() {
    return this.tab.evaluate(() => window.refusals);
  }

  async text(role, name) {
    return (await this.find(role, name)).evaluate(READ);
  }

  /** The session that the page shows. */
  get session() {
    return decodeURIComponent(new URL(this.tab.url()).hash.match(/^#\/s\/([^?/]+)/)?.[1] ?? "");
  }

  /** Waits for a frame of the browser's. */
  async frame() {
    await this.tab.evaluate(() => new Promise((done) => { setTimeout(done, 15); })).catch(() => {});
  }

  async go(path) {
    await this.tab.evaluate((hash) => { location.hash = hash; }, path);
  }

  /** Closes the page; nothing may have gone wrong in it. */
  async close() {
    equal(this.complaints, [], `${this.tab.url()} had nothing to complain of`);
    await this.tab.close();
  }

  /** Clicks, and again where the page moved under the pointer, so that the click went to something else. */
  async #click(element) {
    const click = await element.evaluateHandle(EXPECT_CLICK);
    for (;;) {
      await element.click();
      // Where the click led to another page, the element is gone and cannot be asked.
      if (await click.evaluate((it) => it.arrived).catch(() => true)) return;
      await this.frame();
    }
  }

  /** Tries once more where what was found was drawn anew before it could be used, or is not all there yet. */
  async #act(what, find, use) {
    return this.#patiently(what, async () => {
      for (;;) {
        const element = await find();
        try { return await use(element); } catch (error) {
          const again = error instanceof NotYet || /not clickable|detached|not attached|Element|Node|context/i.test(String(error));
          if (!again || error instanceof Deviation) throw error;
          await this.frame();
        }
      }
    });
  }

  async #patiently(what, doing) {
    let timer;
    const late = new Promise((_, reject) => {
      timer = setTimeout(() => void this.#late(what).then(reject), PATIENCE_MS);
    });
    return Promise.race([doing(), late]).finally(() => clearTimeout(timer));
  }

  async #late(what) {
    const seen = await this.tab.evaluate(() => document.body?.innerText.slice(0, 2000)).catch(() => "nothing");
    return new Deviation([`nothing came of this within ${PATIENCE_MS} ms: ${what}`, this.tab.url(), seen, ...this.complaints].join("\n  "));
  }
}

/** The interface behind the console, by which a test checks what the console shows. */
export class Api {
  constructor(server, key) {
    this.server = server;
    this.headers = key ? { authorization: `Bearer ${key}` } : {};
  }

  async get(path) {
    const answer = await fetch(this.server + path, { headers: this.headers });
    expect(answer.ok, `GET ${path} succeeds`, answer.status);
    return answer.json();
  }

  async post(path, body) {
    const headers = { ...this.headers, "content-type": "application/json" };
    const answer = await fetch(this.server + path, { method: "POST", headers, body: JSON.stringify(body) });
    const told = await answer.json();
    expect(answer.ok, `POST ${path} succeeds`, answer.status, told);
    return told;
  }

  session(session, at) {
    return this.get(`/v1/sessions/${session}${at ? `?at=${at}` : ""}`);
  }

  command(session, type, payload) {
    return this.post(`/v1/sessions/${session}/commands`, { id: `test_${crypto.randomUUID()}`, type, payload });
  }

  /** Waits until a gate is answered. */
  async answered(session, gate) {
    await this.#until(session, `${gate} is answered`, (view) => view.runs.some((run) => run.gates.some((it) => it.gate === gate && it.answer)));
  }

  /** The run once it has ended, or waits for somebody. */
  async rests(session, run) {
    const found = (view) => view.runs.find((it) => it.run === run && it.status !== "running");
    const view = await this.#until(session, `run ${run} rests`, found);
    return { ...found(view), view };
  }

  /** The session once it is as wanted. */
  async #until(session, what, wanted) {
    const until = Date.now() + PATIENCE_MS;
    for (;;) {
      const view = await this.session(session);
      if (wanted(view)) return view;
      expect(Date.now() < until, `nothing came of this within ${PATIENCE_MS} ms: ${what} of ${session}`, view.runs.map((it) => [it.run, it.status]));
      // Answered as soon as there is something new.
      await this.get(`/v1/sessions/${session}/events?after=now&wait=1`);
    }
  }

  /** Makes something without a browser, as far as it goes by itself; gives the session. */
  async made(request) {
    const { session } = await this.post("/v1/sessions", request);
    await this.rests(session, "r1");
    return session;
  }
}
