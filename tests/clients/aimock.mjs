// aimock as the model server of a course run: node aimock.mjs <script.json>
//
// Prints "listening on <address>" and serves until its input ends. The answers are those of the script; what goes wrong
// before them is in TROUBLE. What was asked is at /__aimock/journal.

import { readFileSync } from "node:fs";
import { LLMock } from "@copilotkit/aimock";

const [path] = process.argv.slice(2);
if (!path) {
  console.error("usage: node aimock.mjs <script.json>, such as node aimock.mjs ../scripts/course.json");
  process.exit(2);
}
const script = JSON.parse(readFileSync(path, "utf8"));

/** Text in pieces, so that a stream has a middle in which it can be cut. */
const CHUNK = 24;

/** What the first requests for a schema get instead of the answer. */
const TROUBLE = {
  requirement_analysis: () => [
    [{ error: { message: "slow down", type: "rate_limit_error" }, status: 429, retryAfter: 1 }, {}],
    // With a pause between pieces, or nothing would have left before the connection is destroyed.
    [answer(script.by_schema.requirement_analysis), { truncateAfterChunks: 4, latency: 20 }],
  ],
  course_config: () => [[answer({ ...script.by_schema.course_config, objectives: ["Name one"] }), {}]],
};

function answer(value) {
  return { content: JSON.stringify(value), usage: { prompt_tokens: 120, completion_tokens: 80 } };
}

/** What the user says may stand in parts. */
function said(request) {
  const texts = request.messages.filter((it) => it.role === "user").map((it) => it.content);
  return texts.map((it) => (typeof it === "string" ? it : it.map((part) => part.text ?? "").join(""))).join("\n");
}

const mock = new LLMock({ port: 0, host: "127.0.0.1", strict: true, chunkSize: CHUNK });

function serve(schema, mark, value) {
  // The occurrences of one match are counted together, so it has to be one function.
  const predicate = (request) =>
    request.response_format?.json_schema?.name === schema && (!mark || said(request).includes(mark));
  const trouble = TROUBLE[schema]?.() ?? [];
  trouble.forEach(([response, options], sequenceIndex) => mock.on({ predicate, sequenceIndex }, response, options));
  mock.on({ predicate }, answer(value));
}

for (const rule of script.rules) serve(rule.when.schema, rule.when.user_contains, rule.answer);
for (const [schema, value] of Object.entries(script.by_schema)) serve(schema, null, value);

await mock.start();
console.log(`listening on ${mock.url}`);
process.stdin.resume();
process.stdin.on("end", async () => {
  await mock.stop();
});
