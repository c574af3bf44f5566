// @ts-check
/** Reads server-sent events from the response of `fetch`, because an `EventSource` can send neither a body nor a key. */

/** @typedef {{id: string, event: string, data: string}} ServerEvent */

/**
 * The events of a stream in their order, until it closes. Comments are skipped.
 * @param {Response} response
 * @returns {AsyncGenerator<ServerEvent>}
 */
export async function* eventsOf(response) {
  const reader = response.body?.pipeThrough(/** @type {any} */ (new TextDecoderStream())).getReader();
  let rest = "";
  while (reader) {
    const { done, value } = await reader.read();
    if (done) return;
    rest += value;
    const blocks = rest.split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      const event = eventOf(block);
      if (event.data) yield event;
    }
  }
}

/** @param {string} block @returns {ServerEvent} */
export function eventOf(block) {
  const event = { id: "", event: "message", data: "" };
  for (const line of block.split("\n")) {
    const at = line.indexOf(":");
    if (at <= 0) continue;
    const [name, value] = [line.slice(0, at), line.slice(at + 1).replace(/^ /, "")];
    if (name === "data") event.data += (event.data ? "\n" : "") + value;
    else if (name === "id" || name === "event") event[name] = value;
  }
  return event;
}
