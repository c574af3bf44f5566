// The programs behind the console: the server, which can be killed and started again where it was, and a model that answers by a
// script.

import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Api, Deviation, PATIENCE_MS } from "./console_page.mjs";

/** Starts a program and waits for the line in which it says where it is. */
async function spoken(program, args, env, stream, pattern) {
  const child = spawn(program, args, { env, stdio: ["ignore", stream === "stdout" ? "pipe" : "ignore", stream === "stderr" ? "pipe" : "ignore"] });
  const said = [];
  const found = new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Deviation(`${program} does not say where it is\n${said.join("\n")}`)), PATIENCE_MS);
    createInterface({ input: child[stream] }).on("line", (line) => {
      said.push(line);
      const match = line.match(pattern);
      if (match) { clearTimeout(late); resolve(match[1]); }
    });
    child.on("exit", (code) => reject(new Deviation(`${program} ended with ${code}\n${said.join("\n")}`)));
  });
  return { child, address: await found, said };
}

/** Ends a program at once. */
async function killed(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const end = new Promise((resolve) => { child.once("exit", resolve); });
  child.kill("SIGKILL");
  await end;
}

export class Model {
  static async start(program) {
    const model = new Model();
    Object.assign(model, await spoken(program, ["--listen", "127.0.0.1:0"], {}, "stdout", /^listening on (http:\S+)/));
    return model;
  }

  /** Answers by this script from now on. */
  play(script) {
    return this.#post("/__script", script);
  }

  /** Lets held answers go on. */
  release() {
    return this.#post("/__release", null);
  }

  /** How many answers were held so far. */
  async held() {
    const { requests } = await (await fetch(`${this.address}/__journal`)).json();
    return requests.filter((it) => it.held_us != null).length;
  }

  async #post(path, body) {
    const answer = await fetch(this.address + path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
    if (!answer.ok) throw new Deviation(`${path}: ${answer.status} ${await answer.text()}`);
  }

  end() {
    return killed(this.child);
  }
}

export class Server {
  /** Starts one with a log of its own in a folder. Without a model the offline author writes. */
  static async start(program, folder, { model, variables = {}, key } = {}) {
    const asked = model ? { OPENAI_BASE_URL: `${model.address}/v1`, PALIMPSEST_MODEL: "scripted" } : { PALIMPSEST_MODEL: "offline" };
    const server = new Server();
    Object.assign(server, { program, key });
    server.variables = {
      NO_COLOR: "1", HOME: folder, PALIMPSEST_DATABASE: `sqlite:${join(folder, "log.db")}`, PALIMPSEST_DATA: join(folder, "data"), ...asked, ...variables,
    };
    await server.#begin("127.0.0.1:0");
    return server;
  }

  async #begin(listen) {
    const { child, address, said } = await spoken(this.program, ["serve", "--listen", listen], this.variables, "stderr", /palimpsest serves at (http:\/\/[\d.:]+)/);
    Object.assign(this, { child, address, said, api: new Api(address, this.key) });
  }

  kill() {
    return killed(this.child);
  }

  /** Starts again at the same address, with the log as it is. */
  again() {
    return this.#begin(new URL(this.address).host);
  }
}
