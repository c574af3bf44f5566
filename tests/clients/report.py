"""The report protocol as a real client sees it: python3 report.py <palimpsest> <scripted-model> <folder> [group or name...]

Starts the program itself, kills it in the middle of work and starts it again. Ends with status 0 when everything is as the
contract says, else with 1 and the deviations. Groups and names choose from what is driven; they stand at the end of this file.
"""

import base64
import json
import sys
import traceback

from report_hostile import VARIABLES, hostile
from report_socket import socket
from report_states import controls_after_a_restart, controls_by_state
from report_support import (
    THOUGHT, TITLES, Client, Deviation, Model, Server, bare, equal, expect, names, obeys, question, terminal,
)

HEADINGS = ["# 周报", *(f"## {title}" for title in TITLES)]


def planned(client, marker, session=None):
    """A session whose plan waits, and the question about it."""
    session = session or client.create()
    client.send("user.message", session, question(f"写周报 {marker}"))
    asked = client.until("agent.user_confirm", session)[-1]
    expect(asked["step_id"].startswith("confirm_plan_"), "the id of a question", asked)
    return session, asked


def answer(client, session, asked, **content):
    client.send("user.response", session, content, step_id=asked["step_id"])


def solving(client, model, marker, session=None):
    """A session whose three sections are held."""
    session, asked = planned(client, f"{marker} hold-sections", session)
    answer(client, session, asked, confirmed=True)
    for _ in TITLES:
        client.until("solver.start", session)
    model.held(marker, 3)
    return session


def report_of(frames):
    assembled = next(it for it in frames if it["event"] == "aggregate.completed")
    return assembled["content"]["output"]


def happy_path(server, model):
    with Client(server) as client:
        session, asked = planned(client, "happy with-tools")
        equal(asked["metadata"]["scope"], "plan", "the scope of the question")
        equal(asked["metadata"]["requires_confirmation"], True, "it has to be confirmed")
        equal([task["title"] for task in asked["content"]["tasks"]], TITLES, "a task for every leaf")
        equal(asked["content"]["tasks"][0]["required_inputs"], ["datasets/week.json"], "what the planner submitted")
        answer(client, session, asked, confirmed=True)
        client.until("agent.final_answer", session)
        frames = client.folded[session]
        seen = [name for name in names(frames) if not name.startswith(("agent.tool", "solver."))]
        equal(seen, [
            "agent.session_created", "plan.start", "plan.completed", "agent.user_confirm", "aggregate.start",
            "aggregate.completed", "pipeline.completed", "agent.final_answer",
        ], "the order of the contract")
        obeys(frames)
        completed = next(it for it in frames if it["event"] == "plan.completed")["content"]
        equal(completed["tasks"], asked["content"]["tasks"], "the tasks of the plan")
        for frame in frames:
            metadata = frame["metadata"]
            if frame["event"] in ("agent.tool_call", "agent.tool_result"):
                expect(metadata["scope"] in ("plan", "section") and metadata["tool"], "who calls what", frame)
                expect(frame["step_id"].endswith("_" + metadata["tool"]), "the id of a call", frame)
            if frame["event"] == "solver.completed":
                content = frame["content"]
                expect({"id", "title", "summary", "task", "result"} <= set(content), "all of a section", frame)
                expect(content["result"]["output"]["tables"], "tables survive", frame)
        output = report_of(frames)
        equal([section["id"] for section in output["sections"]], [1, 2, 3], "the sections in their order")
        expect(all(section["tables"] for section in output["sections"]), "tables survive the aggregation", output)
        report = output["report"]
        equal((report["vfs_path"], report["path"]), ("reports/generated_report.md",) * 2, "where the report is")
        equal([line for line in report["content"].split("\n") if line.startswith("#")], HEADINGS, "the template's headings")
        final = frames[-1]["metadata"]
        expect(final["artifact_id"] and final["vfs_path"] and final["url"], "the answer names the report", final)
        for file in final["files"]:
            equal(file["file_name"].rsplit(".", 1)[-1], {"markdown": "md"}.get(file["kind"], file["kind"]), "the name of a file")
        # A second answer changes nothing and is told so.
        answer(client, session, asked, confirmed=True)
        told = client.next(session)
        equal((told["event"], told["metadata"]["control"]["ok"], told.get("seq")), ("system.notice", False, None), "a second answer")


def edited_tasks(server, model):
    with Client(server) as client:
        session, asked = planned(client, "edited")
        tasks = asked["content"]["tasks"]
        first = tasks[0]
        for what, edits in {
            "an unknown id": [{**first, "id": 99}],
            "an id that is no number": [{**first, "id": "../1"}],
            "one id twice": [first, first],
            "a foreign template": [{**first, "template": "## 别的\n"}],
            "another title": [{**first, "title": ""}],
            "an empty objective": [{"id": 1, "objective": " "}],
            "a file that is not there": [{"id": 1, "required_inputs": ["datasets/none.json"]}],
            "hints that are no list": [{**first, "hints": "x"}],
            "no list": "everything",
            "no objects": [1, None],
        }.items():
            answer(client, session, asked, confirmed=True, tasks=edits)
            refused = client.next(session)
            equal((refused["event"], refused["step_id"]), ("plan.coercion_error", asked["step_id"]), what)
            expect({"message", "error"} <= set(refused["content"]) and refused["content"]["error"], what, refused)
        for content in ({"confirmed": "yes"}, {}, None):
            client.send("user.response", session, content, step_id=asked["step_id"])
            equal(client.next(session)["event"], "agent.error", f"an answer without a yes or no: {content}")
        notes = "只写要点 edited-note"
        answer(client, session, asked, confirmed=True, tasks=[{**first, "notes": notes}])
        frames = client.until("agent.final_answer", session)
        started = next(it for it in frames if it["event"] == "solver.start" and it["content"]["id"] == 1)
        equal(started["content"]["task"]["notes"], notes, "the edited task is the one that is solved")
        expect(model.asked("edited-note"), "the solver is told of the edit")
        equal([section["id"] for section in report_of(frames)["sections"]], [1, 2, 3], "tasks that are not named stay")
        obeys(client.folded[session])


def declined(server, model):
    with Client(server) as client:
        session, asked = planned(client, "declined")
        before = len(model.asked("declined"))
        answer(client, session, asked, confirmed=False, reason="太长")
        frames = client.until("agent.final_answer", session)
        equal(frames[-1]["content"], "Plan was declined by user.", "the contract's words")
        expect("solver.start" not in names(frames) and "agent.error" not in names(frames), "nothing is solved", names(frames))
        equal(len(model.asked("declined")), before, "no call after it was declined")
        obeys(client.folded[session])


def timed_out(server, model):
    """Its server waits a second for an answer."""
    with Client(server) as client:
        session, asked = planned(client, "late")
        frames = client.until("agent.final_answer", session)
        told = [it["metadata"]["confirm"] for it in frames if "confirm" in it["metadata"]]
        equal([(it["step_id"], it["status"]) for it in told], [(asked["step_id"], "timed_out")], "the timeout is announced")
        equal(frames[-1]["content"], "Plan was declined by user.", "a timeout declines")
        answer(client, session, asked, confirmed=True)
        equal(client.next(session)["metadata"]["control"]["ok"], False, "an answer that is late")
        obeys(client.folded[session])


def given_tasks(server, model):
    with Client(server) as client:
        session = client.create()
        tasks = [{"id": place, "title": title, "objective": "写"} for place, title in enumerate(TITLES, 1)]
        client.send("user.solve_tasks", session, {"tasks": tasks, "question": "直接写 given", "plan_summary": "三节"})
        done = client.until("system.notice", session, terminal)
        allowed = {"solver.start", "solver.completed", "agent.tool_call", "agent.tool_result", "system.notice"}
        expect(set(names(done)) <= allowed, "only solver and tool events", names(done))
        equal(done[-1]["metadata"]["control"]["action"], "solve_tasks", "what is done")
        obeys(client.folded[session])
        client.send("user.solve_tasks", session, {"tasks": tasks[1], "question": "直接写 given-one"})
        done = client.until("system.notice", session, terminal)
        equal([it["content"]["id"] for it in done if it["event"] == "solver.start"], [2], "a single task is a list of one")


def cancelled(server, model):
    with Client(server) as client:
        planning = client.create()
        client.send("user.message", planning, question("写 cancel-planning hold-plan"))
        client.until("plan.start", planning)
        model.held("cancel-planning", 1)
        waiting, _ = planned(client, "cancel-waiting")
        busy = solving(client, model, "cancel-solving")
        before = {}
        for session, marker in ((planning, "cancel-planning"), (waiting, "cancel-waiting"), (busy, "cancel-solving")):
            before[marker] = len(model.asked(marker))
            client.send("user.cancel", session)
            last = client.until("agent.interrupted", session)[-1]
            equal(last["content"], "Execution cancelled", "the contract's words")
            obeys(client.folded[session])
        for marker, count in (("cancel-planning", 1), ("cancel-solving", 3)):
            model.when(marker, "calls in flight are aborted", lambda asked: sum(it["closed_by_client_us"] is not None for it in asked) == count)
        # A whole other run later, nothing more was asked.
        model.release()
        other, asked = planned(client, "cancel-other")
        answer(client, other, asked, confirmed=True)
        client.until("agent.final_answer", other)
        equal({marker: len(model.asked(marker)) for marker in before}, before, "no call starts after a cancel")


def restarted_section(server, model):
    with Client(server) as client:
        session, asked = planned(client, "again")
        answer(client, session, asked, confirmed=True)
        first = client.until("agent.final_answer", session)
        client.send("user.restart_task", session, {"task_id": 2})
        second = client.until("agent.final_answer", session)
        told = second[0]["metadata"]["control"]
        equal((told["action"], told["ok"], told["task_id"], told["mode"]), ("restart_task", True, 2, "restart"), "the notice")
        equal([it["content"]["id"] for it in second if it["event"] == "solver.start"], [2], "only that section is solved again")
        expect("plan.start" not in names(second) and "agent.user_confirm" not in names(second), "no new plan", names(second))
        for version in (first, second):
            equal([it["id"] for it in report_of(version)["sections"]], [1, 2, 3], "the others are kept")
        ids = [version[-1]["metadata"]["artifact_id"] for version in (first, second)]
        expect(all(ids), "both versions are named", ids)
        runs, ended = obeys(client.folded[session])
        equal(len(ended), 2, f"two runs, {runs}")


def failing_section(server, model):
    with Client(server) as client:
        session, asked = planned(client, "partly fail-2")
        answer(client, session, asked, confirmed=True)
        frames = client.until("agent.final_answer", session)
        equal([it["content"]["id"] for it in frames if it["event"] == "solver.failed"], [2], "the section that failed")
        equal((frames[-1]["metadata"]["partial"], frames[-1]["metadata"]["missing"]), (True, [2]), "a partial report")
        output = report_of(frames)
        equal([it for it in output["report"]["content"].split("\n") if it.startswith("#")], HEADINGS, "its heading stays")
        obeys(client.folded[session])


def replanned(server, model):
    with Client(server) as client:
        # While it waits: the old question is of no use any longer.
        session, old = planned(client, "replan-waiting")
        client.send("user.replan", session, {"question": "短一点 go-on"})
        frames = client.until("agent.user_confirm", session)
        expect(frames[-1]["step_id"] != old["step_id"], "a new question")
        started = next(it for it in frames if it["event"] == "plan.start")
        equal(started["content"]["question"], "短一点 go-on", "what is planned for")
        answer(client, session, old, confirmed=True)
        equal(client.next(session)["metadata"]["control"]["ok"], False, "the old question is answered by nobody")
        answer(client, session, frames[-1], confirmed=True)
        client.until("agent.final_answer", session)
        # Idle: a new run.
        client.send("user.replan", session, {"question": "再来 go-on"})
        frames = client.until("agent.user_confirm", session)
        equal(frames[0]["metadata"]["control"]["mode"], "restart", "a new run")
        client.send("user.cancel_plan", session)
        equal(client.until("agent.final_answer", session)[-1]["content"], "Plan was cancelled.", "the contract's words")
        obeys(client.folded[session])
        # While it solves: nothing of the old plan is used.
        session = solving(client, model, "replan-solving")
        client.send("user.replan", session, {"question": "换个角度 go-on"})
        frames = client.until("agent.user_confirm", session)
        equal(sorted(it["metadata"]["task_id"] for it in frames if it["event"] == "solver.cancelled"), [1, 2, 3], "what was solved")
        answer(client, session, frames[-1], confirmed=True)
        for _ in TITLES:
            client.until("solver.start", session)
        model.held("replan-solving", 6)
        model.release()
        client.until("agent.final_answer", session)
        obeys(client.folded[session])
        # While it plans.
        session = client.create()
        client.send("user.message", session, question("写 replan-planning hold-plan"))
        client.until("plan.start", session)
        model.held("replan-planning", 1)
        client.send("user.replan", session, {"question": "换个计划 go-on"})
        frames = client.until("agent.user_confirm", session)
        equal([it for it in names(frames) if it.startswith("plan.")], ["plan.start", "plan.completed"], "one new plan")
        obeys(client.folded[session])


def two_sessions(server, model):
    with Client(server) as client, Client(server) as stranger:
        first, one = planned(client, "twin-a")
        second, other = planned(client, "twin-b")
        answer(client, second, other, confirmed=True)
        answer(client, first, one, confirmed=True)
        for session in (first, second):
            client.until("agent.final_answer", session)
            obeys(client.folded[session])
        refused = stranger.ask("user.cancel", first)
        equal(refused["content"], "Session does not belong to this connection", "a session of another connection")
        # A client that comes back to the session sees the same frames.
        stranger.send("user.reconnect", first)
        stranger.until("system.notice", first, lambda it: "replay" in it["metadata"])
        equal(bare(stranger.folded[first]), bare(client.folded[first]), "the same on every connection")


def thinking(server, model):
    with Client(server) as client:
        for marker in ("aloud", "silent"):
            session, asked = planned(client, f"think-{marker} {marker}")
            answer(client, session, asked, confirmed=True)
            client.until("agent.final_answer", session)
            frames = client.folded[session]
            thoughts = [it for it in frames if it["event"] == "agent.thinking"]
            equal([it["content"] for it in thoughts], [THOUGHT], f"what the solver thinks, {marker}")
            metadata = {name: thoughts[0]["metadata"].get(name) for name in ("step", "streaming", "scope", "task_id", "agent")}
            equal(metadata, {"step": 1, "streaming": False, "scope": "section", "task_id": 1, "agent": "solver"}, "who thinks")
            call = next(it for it in frames if it["event"] == "agent.tool_call" and it["metadata"].get("task_id") == 1)
            expect(thoughts[0]["seq"] < call["seq"], "it thinks before it calls", thoughts[0], call)
            obeys(frames)


def messages_of_models(server, model):
    """Only a connection that asks for them is shown what models are asked."""
    with Client(server) as client, Client(server) as other:
        session = client.create()
        other.send("user.reconnect", session)
        other.until("system.notice", session, lambda it: "replay" in it["metadata"])
        client.send("user.message", session, {**question("写周报 shown"), "llm_messages": True})
        shown = client.until("agent.llm_message", session)[-1]
        content, metadata = shown["content"], shown["metadata"]
        equal(content["total_messages"], len(content["messages"]), "all messages are there")
        equal([it["role"] for it in content["messages"]][:2], ["system", "user"], "the messages of the request")
        expect("You plan a report." in content["messages"][0]["content"], "what the planner is told", content)
        expect("shown" in json.dumps(content, ensure_ascii=False), "the question is in it", content)
        equal((metadata["scope"], metadata["agent"], metadata["step"], metadata["streaming"]), ("plan", "planner", 1, False), "who is asked")
        for one in (client, other):
            waiting = [it for it in one.folded[session] if it["event"] == "agent.user_confirm"]
            asked = waiting[0] if waiting else one.until("agent.user_confirm", session)[-1]
        answer(client, session, asked, confirmed=True)
        while client.until("agent.llm_message", session)[-1]["metadata"]["scope"] != "section":
            pass
        for one in (client, other):
            if "agent.final_answer" not in names(one.folded[session]):
                one.until("agent.final_answer", session)
        equal(bare(client.folded[session]), bare(other.folded[session]), "the numbered frames are the same for both")
        # The choice is the connection's, until it takes it back.
        client.send("user.message", session, {"question": "再写 shown-no-more", "llm_messages": False})
        for one in (client, other):
            one.until("plan.start", session)
            one.until("agent.user_confirm", session)
        # From the creation of a session on, and after coming back.
        first, session = session, client.create(content={"llm_messages": True})
        client.send("user.reconnect", session, {"last_seq": 1})
        client.until("system.notice", session, lambda it: "replay" in it["metadata"])
        client.send("user.message", session, question("写周报 shown-first"))
        client.until("agent.llm_message", session)
        # What would have come by mistake would have come by now.
        exported(other, first)
        expect("agent.llm_message" not in names(other.heard), "nothing for who did not ask", names(other.heard))
        texts = [json.dumps(it, ensure_ascii=False) for it in client.heard if it["event"] == "agent.llm_message"]
        expect(not any("shown-no-more" in text for text in texts), "nothing once it is taken back", len(texts))


def exported(client, session):
    frame = client.ask("user.request_state", session)
    equal(frame["event"], "agent.state_exported", "the answer to user.request_state")
    return frame["metadata"]["signed_state"]


def killed(server, model):
    """Its server is its own: it is killed."""
    client = Client(server)
    session = solving(client, model, "killed")
    state = exported(client, session)
    before = client.folded[session]
    server = server.killed_and_restarted()
    try:
        payload = json.loads(base64.urlsafe_b64decode(state.split(".")[0] + "=="))
        expect({"kid", "session", "owner", "cursor", "iat", "exp"} == set(payload), "a state has no more than it needs", payload)
        back = Client(server)
        back.last[session] = len(before)
        back.send("user.reconnect_with_state", signed_state=state)
        restored = back.next(session)
        equal(restored["event"], "agent.state_restored", "first of all")
        equal(restored["metadata"]["original_session_id"], session, "the same session")
        notice = back.until("system.notice", session, lambda it: "replay" in it["metadata"])[-1]
        equal(notice["metadata"]["replay"]["count"], len(back.folded[session]), "what is said of the replay")
        model.held("killed", 6)
        model.release()
        back.until("agent.final_answer", session)
        joined = before + back.folded[session]
        obeys(joined)
        again = Client(server)
        again.send("user.reconnect", session, {"last_seq": 0})
        again.until("agent.final_answer", session)
        equal(bare(again.folded[session]), bare(joined), "the joined frames are the transcript")
        for last in (1, len(before), len(joined) - 1, len(joined)):
            late = Client(server)
            late.last[session] = last
            late.send("user.reconnect", session, {"last_seq": last})
            late.until("system.notice", session, lambda it: "replay" in it["metadata"])
            equal(bare(late.folded[session]), bare(joined[last:]), f"what comes after {last}")
            late.socket.close()
        again.until("system.notice", session, lambda it: "replay" in it["metadata"])
        ahead = again.ask("user.reconnect", session, {"last_seq": len(joined) + 1})
        expect(ahead["event"] == "agent.error" and ahead["content"].startswith("Invalid state"), "ahead of the log", ahead)
    finally:
        server.kill()


# The cases by group, each with the variables of its server. Cases with `None` share a server; any other case has a server of its own.
GROUPS = {
    "reports": [
        *((what, None) for what in (
            happy_path, edited_tasks, declined, given_tasks, cancelled, restarted_section, failing_section, replanned, two_sessions,
            thinking, messages_of_models,
        )),
        (timed_out, {"TEMPLATE_WS_CONFIRM_TIMEOUT": "1"}),
        (killed, {}),
    ],
    "states": [(controls_by_state, {}), (controls_after_a_restart, {})],
    "hostile": [(socket, None), (hostile, VARIABLES)],
}


def main(palimpsest, scripted_model, folder, *chosen):
    model = Model(scripted_model)
    shared, failed = None, []
    driven = [it for group, all_of in GROUPS.items() for it in all_of if not chosen or {group, it[0].__name__} & {*chosen}]
    expect(driven, "nothing of this name is driven", chosen)
    for what, variables in driven:
        if variables is None:
            shared = server = shared or Server(palimpsest, f"{folder}/shared", model).furnish()
        else:
            server = Server(palimpsest, f"{folder}/{what.__name__}", model, variables).furnish()
        try:
            what(server, model)
            print(f"ok: {what.__name__}", flush=True)
        except Exception as error:  # Everything else is driven all the same.
            failed.append(what.__name__)
            detail = str(error) if isinstance(error, Deviation) else traceback.format_exc()
            print(f"FAILED: {what.__name__}: {detail}\n{''.join(server.said[-20:])}", flush=True)
        if server is not shared:
            server.kill()
    if shared:
        shared.is_healthy()
        shared.kill()
    model.kill()
    return 1 if failed else 0


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
