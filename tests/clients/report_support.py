"""What the report client drives: the built program, the scripted model, and connections that look at every frame."""

import collections
import datetime
import json
import os
import re
import signal
import subprocess
import threading
import urllib.error
import urllib.request

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

# Seconds that anything may take. A run takes a second or two; this only ends what hangs.
PATIENCE = 60

TEMPLATE = "# 周报\n\n## 进展\n\n写进展。\n\n## 风险\n\n写风险。\n\n## 计划\n\n写计划。\n"
TITLES = ["进展", "风险", "计划"]
# What a model says before it reads.
THOUGHT = "先看看本周的数据，再写进展。"
DATA = {"done": "上线", "open": 3}

# What a connection says of itself: never numbered. Everything else is folded from the log: always numbered.
OF_CONNECTION = {
    "system.connected", "system.heartbeat", "system.error", "agent.state_exported", "agent.state_restored",
    "agent.partial_answer", "agent.llm_message", "plan.coercion_error",
}
# Frames that are the one or the other.
EITHER = {"agent.error", "system.notice"}
WITHOUT_SESSION = {"system.connected", "system.heartbeat"}

SOLVER_ENDS = {"solver.completed", "solver.failed", "solver.cancelled"}


class Deviation(Exception):
    """Something is not as the contract says."""


def expect(condition, message, *seen):
    if not condition:
        raise Deviation("\n  ".join([message, *(json.dumps(it, ensure_ascii=False) for it in seen)]))


def equal(seen, expected, message):
    expect(seen == expected, message, {"seen": seen}, {"expected": expected})


def http(method, url, body=None):
    """The status and the JSON of an answer."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"content-type": "application/json"}, method=method)
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            text, status = answer.read(), answer.status
    except urllib.error.HTTPError as error:
        text, status = error.read(), error.code
    try:
        return status, json.loads(text or b"null")
    except ValueError:
        return status, text.decode("utf-8", "replace")


class Process:
    """A program of ours, up once it has said where it listens."""

    def __init__(self, command, environment, mark, stream):
        self.said = []
        self.child = subprocess.Popen(
            command, env=environment, stdin=subprocess.DEVNULL,
            **{name: subprocess.PIPE if name == stream else subprocess.DEVNULL for name in ("stdout", "stderr")},
        )
        self.lines = getattr(self.child, stream)
        self.address = None
        for line in self.lines:
            self.said.append(line.decode("utf-8", "replace"))
            found = re.search(mark + r"(http://[0-9.:]+)", self.said[-1])
            if found:
                self.address = found.group(1)
                break
        expect(self.address, "the program ended before it answered", "".join(self.said))
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self):
        for line in self.lines:
            self.said.append(line.decode("utf-8", "replace"))

    def kill(self):
        self.child.send_signal(signal.SIGKILL)
        self.child.wait(PATIENCE)


class Model(Process):
    """The scripted model. Markers in the question choose what happens: see `script`."""

    def __init__(self, program):
        super().__init__([program], {}, "listening on ", "stdout")
        status, answer = http("POST", self.address + "/__script", script())
        equal(status, 204, f"the script is taken: {answer}")

    def release(self):
        http("POST", self.address + "/__release")

    def reset(self):
        http("POST", self.address + "/__reset")

    def asked(self, marker):
        """The requests of the session whose question has this marker."""
        _, journal = http("GET", self.address + "/__journal")
        return [it for it in journal["requests"] if marker in json.dumps(it["body"], ensure_ascii=False)]

    def when(self, marker, what, wanted):
        """The requests of a session once they are as wanted."""
        for _ in forever(what):
            asked = self.asked(marker)
            if wanted(asked):
                return asked

    def held(self, marker, count):
        return self.when(marker, f"{count} held answers", lambda asked: sum(it["held_us"] is not None for it in asked) >= count)


def forever(what):
    """Asks again until somebody leaves the loop, or patience ends."""
    until = datetime.datetime.now() + datetime.timedelta(seconds=PATIENCE)
    while datetime.datetime.now() < until:
        yield
    raise Deviation(f"nothing came of this: {what}")


def script():
    """The question's markers: `hold-plan` and `hold-sections` hold answers until they are released, `fail-<id>` lets a
    section fail, `with-tools` and `read-outside` let the first one read before it writes, `aloud` and `silent` do, too,
    with words beside the call and with reasoning alone, `go-on` in the feedback of a new plan lets that plan through."""
    plan = {
        "name": "submit_section_plan",
        "arguments": {
            "tasks": [{"id": 1, "required_inputs": ["datasets/week.json"], "hints": ["先写结论"]}],
            "plan_summary": "三节，先进展后风险。",
        },
    }
    planner, solver = "You plan a report.", "You write one section of a report"
    rules = [
        {"when": {"system_contains": planner, "user_contains": "go-on"}, "tool_calls": [plan]},
        {"when": {"system_contains": planner, "user_contains": "hold-plan"}, "tool_calls": [plan], "hold_after_chunks": 0},
        {"when": {"system_contains": planner}, "tool_calls": [plan]},
    ]
    for place, title in enumerate(TITLES, 1):
        task = f"title: {title}\n"
        draft = {
            "name": "submit_section_draft",
            "arguments": {"section": {
                "id": place, "title": title, "content": f"{title}的内容。", "summary": f"{title}写好了。",
                "tables": [{"title": title, "rows": [["a", "b"]]}],
            }},
        }
        rules.append({"when": {"system_contains": solver, "user_contains": [task, f"fail-{place}"]}, "status": 400})
        if place == 1:
            outside = [
                {"name": "read_local_file", "arguments": {"path": path}}
                for path in ("../../../../etc/passwd", "/etc/passwd", "datasets/../../log.db", "../data/master.key", "..")
            ]
            rules.append({"when": {"system_contains": solver, "user_contains": [task, "read-outside"], "occurrence": 1}, "tool_calls": outside})
            read = {"name": "read_local_file", "arguments": {"path": "datasets/week.json"}}
            rules.append({"when": {"system_contains": solver, "user_contains": [task, "with-tools"], "occurrence": 1}, "tool_calls": [read]})
            for marker, beside in (("aloud", {"answer": THOUGHT, "reasoning": "不说的"}), ("silent", {"reasoning": THOUGHT})):
                when = {"system_contains": solver, "user_contains": [task, marker], "occurrence": 1}
                rules.append({"when": when, "tool_calls": [read], **beside})
        rules.append({"when": {"system_contains": solver, "user_contains": [task, "hold-sections"]}, "tool_calls": [draft], "hold_after_chunks": 0})
        rules.append({"when": {"system_contains": solver, "user_contains": task}, "tool_calls": [draft]})
    return {"rules": rules}


class Server(Process):
    """The program with a log of its own; it can be killed and started again on the same log."""

    def __init__(self, program, place, model, variables=None):
        self.start = (program, place, model, variables)
        os.makedirs(place, exist_ok=True)
        # Held answers must not keep others from being asked for.
        with open(f"{place}/palimpsest.toml", "w") as file:
            file.write("[provider]\nconcurrency = 64\n")
        environment = {
            "NO_COLOR": "1", "HOME": place, "PALIMPSEST_DATABASE": f"sqlite:{place}/log.db", "PALIMPSEST_DATA": f"{place}/data",
            "PALIMPSEST_LISTEN": "127.0.0.1:0", "OPENAI_BASE_URL": f"{model.address}/v1", "PALIMPSEST_MODEL": "scripted",
            "TEMPLATE_WS_MAX_RETRY": "0", **(variables or {}),
        }
        super().__init__([program, "--config", f"{place}/palimpsest.toml", "serve"], environment, "palimpsest serves at ", "stderr")

    def killed_and_restarted(self):
        self.kill()
        return Server(*self.start)

    def furnish(self):
        """Puts in what reports are made from."""
        for path, body in (
            ("/api/templates", {"name": "周报模板", "content": TEMPLATE}),
            ("/api/databases", {"name": "周报数据", "files": [{"name": "week.json", "data": DATA}]}),
        ):
            status, answer = http("POST", self.address + path, body)
            equal(status, 201, f"{path}: {answer}")
        return self

    def is_healthy(self):
        status, answer = http("GET", self.address + "/healthz")
        equal(status, 200, f"the server is healthy: {answer}")
        with Client(self) as client:
            client.create()


class Client:
    """A connection that checks the envelope and the numbers of every frame."""

    def __init__(self, server, path="/ws/report", **options):
        address = server.address.replace("http://", "ws://") + path
        self.socket = connect(address, open_timeout=PATIENCE, max_size=None, ping_interval=None, **options)
        self.connection = None
        self.last = {}
        self.folded = collections.defaultdict(list)
        self.heard = []
        self.waiting = collections.deque()
        greeting = self.receive()
        equal(greeting["event"], "system.connected", "the first frame")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def send(self, event, session=None, content=None, **fields):
        message = {"event": event, **fields}
        if session is not None:
            message["session_id"] = session
        if content is not None:
            message["content"] = content
        self.raw(json.dumps(message, ensure_ascii=False))

    def raw(self, message, **options):
        self.socket.send(message, **options)

    def receive(self):
        try:
            text = self.socket.recv(timeout=PATIENCE)
        except TimeoutError:
            raise Deviation("no frame came; the last were " + ", ".join(it["event"] for it in self.heard[-8:])) from None
        expect(isinstance(text, str), "frames are text", repr(text)[:80])
        frame = json.loads(text)
        self.check(frame)
        self.heard.append(frame)
        return frame

    def check(self, frame):
        event, metadata = frame.get("event"), frame.get("metadata")
        expect(isinstance(event, str) and isinstance(metadata, dict), "a frame has its event and metadata", frame)
        when = datetime.datetime.fromisoformat(frame["timestamp"])
        expect(when.tzinfo is not None, "a timestamp has its zone", frame)
        self.connection = self.connection or frame.get("connection_id")
        equal((frame.get("connection_id"), metadata.get("connection_id")), (self.connection,) * 2, f"the connection of {event}")
        session = frame.get("session_id")
        if event in WITHOUT_SESSION:
            equal(session, None, f"{event} belongs to no session")
        elif event != "agent.error":
            expect(isinstance(session, str), "a frame has its session", frame)
        if "seq" not in frame:
            expect("event_id" not in frame, "without a number there is no id", frame)
            expect(event in OF_CONNECTION or event in EITHER or event == "agent.session_end", "a folded frame is numbered", frame)
            return
        expect(event not in OF_CONNECTION, "a frame of the connection is not numbered", frame)
        equal(frame["seq"], self.last.get(session, 0) + 1, f"the number of {event} in {session}")
        equal(frame["event_id"], f"{session}-v1-{frame['seq']}", "the id of a numbered frame")
        self.last[session] = frame["seq"]
        self.folded[session].append(frame)

    def next(self, session=None):
        """The next frame that is no text under way and no heartbeat: of this session, if one is named."""
        for place, frame in enumerate(self.waiting):
            if session is None or frame.get("session_id") == session:
                del self.waiting[place]
                return frame
        while True:
            frame = self.receive()
            if frame["event"] in ("agent.partial_answer", "system.heartbeat"):
                continue
            if session is None or frame.get("session_id") in (session, None):
                return frame
            self.waiting.append(frame)

    def until(self, event, session=None, when=lambda frame: True):
        """The frames up to this one; an error where none was awaited is a deviation."""
        seen = []
        while True:
            frame = self.next(session)
            seen.append(frame)
            if frame["event"] == event and when(frame):
                return seen
            expect(frame["event"] != "agent.error", f"an error instead of {event}", frame)

    def ask(self, event, session=None, content=None, **fields):
        self.send(event, session, content, **fields)
        return self.next(session)

    def create(self, **fields):
        created = self.ask("user.create_session", **fields)
        equal(created["event"], "agent.session_created", "the answer to user.create_session")
        return created["session_id"]

    def closed(self):
        """The code and the reason that the other side closed with; frames before it are read."""
        try:
            while True:
                self.socket.recv(timeout=PATIENCE)
        except ConnectionClosed as closed:
            frame = closed.rcvd
            return frame and (frame.code, frame.reason)


def question(text):
    return {"question": text, "template_name": "周报模板", "knowledge_base_name": "周报数据"}


def names(frames):
    return [frame["event"] for frame in frames]


def bare(frames):
    """Frames without what differs between connections."""
    def strip(frame):
        frame = {**frame, "metadata": {**frame["metadata"]}}
        for of in (frame, frame["metadata"]):
            of.pop("connection_id")
        return frame
    return [strip(frame) for frame in frames]


def terminal(frame):
    """Whether a run ends with this frame."""
    if "seq" not in frame:
        return False
    done = frame["event"] == "system.notice" and frame["metadata"].get("done") is True
    return done or frame["event"] in ("agent.final_answer", "agent.error", "agent.interrupted")


def obeys(frames):
    """What holds for the numbered frames of any session: what begins ends once, and a run has one end."""
    solvers, tools, runs, ended = {}, {}, [], set()
    equal([it["seq"] for it in frames], list(range(1, len(frames) + 1)), "numbers without gap and repetition")
    for frame in frames:
        event, metadata = frame["event"], frame["metadata"]
        run = metadata.get("run_id")
        if run and run not in runs:
            runs.append(run)
        if run:
            expect(run not in ended, "nothing of a run comes after its end", frame)
        task = (run, metadata.get("task_id"))
        if event == "solver.start":
            expect(not solvers.get(task), "a solver begins once", frame)
            solvers[task] = True
        elif event in ("solver.completed", "solver.failed"):
            expect(solvers.pop(task, False), "a solver ends that has begun", frame)
        elif event == "solver.cancelled":
            solvers.pop(task, None)
        elif event == "agent.tool_call":
            expect(frame["step_id"] not in tools, "a call has an id of its own", frame)
            tools[frame["step_id"]] = frame
        elif event == "agent.tool_result":
            expect(tools.pop(frame["step_id"], None), "a result belongs to a call", frame)
        if terminal(frame):
            left = [key for key in solvers if key[0] == run]
            expect(not left and not tools, "what began has ended before its run", frame, {"solvers": left, "tools": list(tools)})
            ended.add(run)
    return runs, ended
