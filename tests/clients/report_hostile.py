"""What is refused: names that lead elsewhere, addresses that are nobody's business, states that are not ours, too much."""

import base64
import hashlib
import hmac
import http.server
import json
import threading
import time

from websockets.exceptions import ConnectionClosed

from report_support import Client, Deviation, equal, expect, http as call, names, question

OUTSIDE = [
    "../../../../etc/passwd", "..", "../log.db", "..\\..\\log.db", "template/../../log.db", "/etc/passwd", "./../master.key",
    "datasets/../../data/master.key", "%2e%2e/log.db", "a\u0000b", "\u202e../x", "//", "", " ", "file:///etc/passwd", "x" * 5000,
]

STATE_KEY = bytes(range(32))
STATE_KEYS = f"k1:{STATE_KEY.hex()}"


class Canary:
    """A server that nobody should ask."""

    def __init__(self, redirect=None):
        asked = self.asked = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                asked.append(self.path)
                self.send_response(302 if redirect else 200)
                if redirect:
                    self.send_header("location", redirect + self.path)
                self.send_header("content-type", "application/json")
                body = json.dumps([{"id": "t", "name": "别处", "content": "# 别处\n"}]).encode()
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        self.address = f"http://127.0.0.1:{self.port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


def refused(client, session, content, what):
    client.send("user.message", session, content)
    frames = []
    while not frames or frames[-1]["event"] != "agent.error":
        frames.append(client.next(session))
        expect(frames[-1]["event"] not in ("plan.start", "agent.final_answer"), f"taken: {what}", frames[-1])
    error = frames[-1]["content"]
    expect("root:" not in error and "别处" not in error, f"nothing of it is shown: {what}", error)
    return error


def names_that_lead_elsewhere(server, model):
    for hint in ("template_name", "template_id", "knowledge_base_name", "database_id"):
        with Client(server) as client:
            for name in OUTSIDE:
                content = question("写")
                if hint.endswith("_id"):
                    # An id takes precedence over a name.
                    content.pop({"template_id": "template_name", "database_id": "knowledge_base_name"}[hint])
                content[hint] = name
                if not name.strip():
                    continue
                refused(client, client.create() if name == OUTSIDE[0] else session_of(client), content, f"{hint}: {name[:40]!r}")
    with Client(server) as client:
        for session in OUTSIDE:
            answer = client.ask("user.cancel", session)
            words = "Session not found" if session else "Unknown event type or missing session_id: user.cancel"
            equal((answer["event"], answer["content"]), ("agent.error", words), f"session {session[:40]!r}")
        session = session_of(client)
        for task in ["../1", -1, 1.5, 1e300, {}, [], True, "1/2", "", 10**30]:
            for event in ("user.cancel_task", "user.restart_task"):
                answer = client.ask(event, session, {"task_id": task})
                expect(answer["event"] == "agent.error" or answer["metadata"]["control"]["ok"] is False, f"task {task!r}", answer)
        for step in OUTSIDE:
            answer = client.ask("user.response", session, {"confirmed": True}, step_id=step)
            expect(answer["event"] == "agent.error" or answer["metadata"]["control"]["ok"] is False, f"step {step!r}", answer)
    for name in OUTSIDE:
        for path, body in (
            ("/api/templates", {"name": name, "content": "# x\n"}),
            ("/api/databases", {"name": "x", "files": [{"name": name, "data": {}}]}),
        ):
            status, answer = call("POST", server.address + path, body)
            expect(status < 500, f"{path} {name[:40]!r}", status, answer)


def session_of(client):
    """The one session of a connection."""
    if client.last:
        return next(iter(client.last))
    return client.create()


def files_that_tools_ask_for(server, model):
    """A model that was talked into it asks for files outside."""
    with Client(server) as client:
        session = client.create()
        client.send("user.message", session, question("写 read-outside"))
        asked = client.until("agent.user_confirm", session)[-1]
        tasks = [{**asked["content"]["tasks"][0], "required_inputs": OUTSIDE[:6]}]
        client.send("user.response", session, {"confirmed": True, "tasks": tasks}, step_id=asked["step_id"])
        answered = client.next(session)
        if answered["event"] == "plan.coercion_error":
            client.send("user.response", session, {"confirmed": True}, step_id=asked["step_id"])
        frames = client.until("agent.final_answer", session)
        read = [it for it in frames if it["event"] == "agent.tool_result" and it["metadata"]["tool"] == "read_local_file"]
        expect(read, "the model asks for files outside", names(frames))
        for result in read:
            equal(result["metadata"]["status"], "failed", f"no file is outside: {result['content']}")


def odd_messages(server, model):
    client = Client(server)
    for text in (
        "", "null", "[]", "1", '"x"', "{", "{}", '{"event":1}', '{"event":"user.nothing"}', "[" * 100_000, '{"a":' * 100_000, '{"event":"\\ud800"}',
        '{"event":"user.create_session","event":"user.nothing"}', '{"event":"user.message","content":' + "1" * 400_000 + "}", "\u0000",
    ):
        client.raw(text)
        answer = client.next()
        equal(answer["event"], "agent.error", text[:60])
        expect(len(answer["content"]) < 500, "a refusal does not repeat everything", answer["content"][:600])
    client.raw(b"{}")
    answer = client.next()
    expect(answer["event"] == "agent.error" and answer["content"].startswith("Invalid JSON: binary"), "a binary message", answer)
    client.create()
    client.socket.close()
    for size in (1 << 20) + 1, 10_000_000:
        client = Client(server)
        try:
            client.raw('{"event":"' + "x" * (size - 12) + '"}')
            closed = client.closed()
        except ConnectionClosed as error:
            closed = error.rcvd and (error.rcvd.code, error.rcvd.reason)
        # What is far too large is not read to its end, so that its sender may see the connection break before it reads why.
        expect(closed is None and size > 5_000_000 or closed == (1009, "message_too_large"), f"{size} bytes", closed)
    client = Client(server)
    try:
        client.raw(["x" * 10_000] * 1_000)
        closed = client.closed()
    except ConnectionClosed as error:
        closed = error.rcvd and (error.rcvd.code, error.rcvd.reason)
    expect(closed is None or closed[0] == 1009, "10 MB in fragments", closed)


def too_many_sessions(server, model):
    with Client(server) as client:
        for _ in range(1_000):
            client.send("user.create_session")
        answers = [client.next() for _ in range(1_000)]
        made = [it for it in answers if it["event"] == "agent.session_created"]
        errors = {it["metadata"]["error_code"] for it in answers if it["event"] == "agent.error"}
        equal((len(made), len(answers)), (32, 1_000), "sessions of one connection, and every message has its answer")
        expect(errors <= {"too_many_sessions", "ERR_RATELIMIT_700"} and "too_many_sessions" in errors, "why", sorted(errors))
        # The sessions that there are go on working.
        session = made[0]["session_id"]
        while True:
            answer = client.ask("user.request_state", session)
            if answer["event"] == "agent.state_exported":
                break
            equal(answer["metadata"]["error_code"], "ERR_RATELIMIT_700", "only the pace is refused")


# CANARY notes requests that a server must not make; ALLOWED is the one that it may ask, which redirects to CANARY.
CANARY = Canary()
ALLOWED = Canary(redirect=CANARY.address)
# The variables of the server that is attacked.
VARIABLES = {"TEMPLATE_API_ALLOW": ALLOWED.address, "PALIMPSEST_STATE_KEYS": STATE_KEYS}


def addresses(server, model):
    canary, port = CANARY, CANARY.port
    elsewhere = [
        f"http://2130706433:{port}", f"http://0x7f000001:{port}", f"http://0x7f.1:{port}", f"http://017700000001:{port}",
        f"http://127.1:{port}", f"http://127.0.0.1:{port}", f"http://[::ffff:127.0.0.1]:{port}", f"http://[::ffff:7f00:1]:{port}",
        f"http://[::1]:{port}", f"http://[::]:{port}", f"http://0.0.0.0:{port}", f"http://localhost:{port}", f"http://localhost.:{port}",
        f"http://LOCALHOST:{port}/x/..", f"http://127.0.0.1.:{port}", f"http://①②⑦.0.0.1:{port}", f"http://me:pw@127.0.0.1:{port}",
        f"http://127.0.0.1:{port}#@{ALLOWED.address[7:]}", f"{ALLOWED.address}@127.0.0.1:{port}",
        f"{ALLOWED.address}.localhost:{port}", f"https://127.0.0.1:{port}", "http://169.254.169.254/latest/meta-data",
        "http://[fe80::1]/", "http://[fd00:ec2::254]/", "http://100.100.100.200/", "http://10.0.0.1", "http://metadata.google.internal",
        "file:///etc/passwd", "ftp://127.0.0.1", f"gopher://127.0.0.1:{port}/_GET", "//127.0.0.1", "127.0.0.1", "javascript:1", "http://", "x" * 4000,
        "http://a b", "http://\r\nhost: x",
    ]
    client = Client(server)
    for place, address in enumerate(elsewhere):
        if place % 20 == 0:
            client.socket.close()
            client = Client(server)
        content = {"question": "写", "template_name": "别处", "knowledge_base_name": "别处", "api_base_url": address}
        refused(client, client.create(), content, f"api_base_url {address[:60]}")
    equal(canary.asked, [], "nobody asks there")
    # The server that may be asked redirects to another one.
    content = {"question": "写", "template_name": "别处", "api_base_url": ALLOWED.address}
    refused(client, client.create(), content, "a redirect")
    expect(ALLOWED.asked, "the allowed one is asked")
    equal(canary.asked, [], "a redirect is not followed")
    client.socket.close()


def signed(payload, key=STATE_KEY, purpose=b"report state"):
    """A state as the server signs it."""
    text = base64.urlsafe_b64encode(json.dumps(payload).encode()).rstrip(b"=")
    parts = b"".join(len(part).to_bytes(8, "little") + part for part in (purpose, text))
    mac = base64.urlsafe_b64encode(hmac.new(key, parts, hashlib.sha256).digest()).rstrip(b"=")
    return (text + b"." + mac).decode()


def states_that_are_not_ours(server, model):
    """Its server signs with a key that is known here."""
    with Client(server) as client, Client(server) as other:
        session = client.create()
        state = client.ask("user.request_state", session)["metadata"]["signed_state"]
        text, mac = state.split(".")
        payload = json.loads(base64.urlsafe_b64decode(text + "=="))
        equal(signed({**payload}).count("."), 1, "a state has two parts")
        now = int(time.time())
        flipped = ("A" if mac[0] != "A" else "B") + mac[1:]
        ahead = payload["cursor"].split(".")
        table = {
            "no state": "", "no text": 7, "a text": "x", "two parts": "e30.e30", "three parts": state + ".x", "a forged signature": f"{text}.{flipped}",
            "no signature": f"{text}.", "another payload": signed({**payload, "session": "s_other"}).split(".")[0] + "." + mac,
            "another key": signed(payload, key=bytes(32)), "another purpose": signed(payload, purpose=b"artifact content"),
            "an unknown key": signed({**payload, "kid": "k9"}), "somebody else": signed({**payload, "owner": "bob"}),
            "expired": signed({**payload, "iat": now - 700_000, "exp": now - 100}), "from the future": signed({**payload, "iat": now + 3_600, "exp": now + 7_200}),
            "ahead of the log": signed({**payload, "cursor": ".".join([ahead[0], "999999", *ahead[2:]])}), "one field more": signed({**payload, "more": 1}),
            "too long": "x" * 100_000,
        }
        for what, forged in table.items():
            answer = other.ask("user.reconnect_with_state", signed_state=forged)
            equal(answer["event"], "agent.error", what)
            expect(answer["content"].startswith("Invalid state"), what, answer["content"])
        equal(other.ask("user.reconnect_with_state")["content"], "Missing signed_state in reconnect request", "without a state")
        refused_session = other.ask("user.reconnect_with_state", signed_state=signed({**payload, "session": "../../x"}))
        equal(refused_session["content"], "Session not found", "a session that cannot be")
        equal(other.ask("user.cancel", session)["content"], "Session does not belong to this connection", "nothing was restored")
        other.send("user.reconnect_with_state", signed_state=signed(payload))
        equal(other.next()["event"], "agent.state_restored", "what is signed right is taken")


def hostile(server, model):
    deviations = []
    for what in (names_that_lead_elsewhere, files_that_tools_ask_for, odd_messages, too_many_sessions, addresses, states_that_are_not_ours):
        try:
            what(server, model)
            server.is_healthy()
        except Deviation as error:
            deviations.append(f"{what.__name__}: {error}")
    expect(not deviations, "\n".join(deviations))
