// Says one thing in a session of the course protocol: node chat.mjs <server> <session> <message>
//
// Prints one line of JSON: the acknowledgement, and every frame as [name, data], up to an answer that comes behind the completion.

import { io } from "socket.io-client";

const [server, sessionId, message] = process.argv.slice(2);
if (!message) {
  console.error("usage: node chat.mjs <server> <session> <message>, such as node chat.mjs http://127.0.0.1:8080 s Tides");
  process.exit(2);
}

const socket = io(server, { transports: ["websocket"], forceNew: true, reconnection: false });
const frames = [];
const completed = new Promise((done) => {
  socket.onAny((name, data) => {
    if (name !== "chat:init:response") frames.push([name, data]);
    if (name === "completion") done();
  });
});
for (const end of ["connect_error", "disconnect"]) {
  socket.on(end, (why) => {
    console.error(`${end}: ${why.message ?? why}`);
    process.exitCode = 1;
    socket.close();
  });
}

const answer = await socket.emitWithAck("chat:send", { message, sessionId });
if (answer.status === "received") {
  await completed;
  // Whatever else was emitted before this is answered has come by then.
  await socket.emitWithAck("chat:init", { sessionId });
}
socket.off("disconnect");
socket.close();
console.log(JSON.stringify([answer, frames]));
