"""Every control in every state of a session: what is answered, and what happens."""

from report_support import TITLES, Client, equal, expect, names, obeys, question

BUSY = "error: Agent is currently running, please try again later"
NOT_FOUND = "error: Session not found"
IDLE = "no: nothing_to_do"
NO_STEP = "no: no_step"
NOT_LEFT_OUT = "no: not_left_out"
SOLVING = "no: solving"
PLANNED = "plan.start, plan.completed, agent.user_confirm"
PLAN_CANCELLED = "system.notice, plan.cancelled, agent.final_answer"
CANCELLED = "agent.interrupted"
SOLVED = "solver.start, solver.completed, system.notice"
WANTS_QUESTION = "error: Replan requires a question when session is idle"
SOLVED_AGAIN = (
    "system.notice, solver.restarted, solver.start, solver.completed, aggregate.start, aggregate.completed, "
    "pipeline.completed, agent.final_answer"
)

# The control, its content.
CONTROLS = {
    "cancel": None,
    "cancel_task": {"task_id": 1},
    "cancel_task 99": {"task_id": 99},
    "restart_task": {"task_id": 1},
    "restart_task 99": {"task_id": 99},
    "cancel_plan": None,
    "replan": question("换个计划 go-on"),
    "replan without": {},
    "solve_tasks": {**question("直接写"), "tasks": [{"id": 1, "title": TITLES[0], "objective": "写"}]},
    "message": question("再写一份"),
}

# An answer that changes nothing (`error: ` or `no: ` with its words), else the frames that follow, in their order.
AT_REST = {
    "cancel": IDLE,
    "cancel_task": IDLE,
    "cancel_task 99": IDLE,
    "cancel_plan": IDLE,
    "replan": "system.notice, " + PLANNED,
    "replan without": WANTS_QUESTION,
    "solve_tasks": SOLVED,
    "message": PLANNED,
}
AT_WORK = {"cancel": CANCELLED, "solve_tasks": BUSY, "message": BUSY, "replan": "system.notice, " + PLANNED}

EXPECTED = {
    "no session": dict.fromkeys(CONTROLS, NOT_FOUND),
    "never run": {**AT_REST, "restart_task": IDLE, "restart_task 99": IDLE},
    "planning": {
        **AT_WORK, "cancel_task": NOT_LEFT_OUT, "cancel_task 99": NOT_LEFT_OUT, "restart_task": NO_STEP, "restart_task 99": NO_STEP,
        "cancel_plan": PLAN_CANCELLED, "replan without": "system.notice, plan.start",
    },
    "waiting": {
        **AT_WORK, "cancel_task": "system.notice, solver.cancelled", "cancel_task 99": NOT_LEFT_OUT, "restart_task": NO_STEP,
        "restart_task 99": NO_STEP, "cancel_plan": PLAN_CANCELLED, "replan without": "system.notice, " + PLANNED,
    },
    "solving": {
        **AT_WORK, "cancel_task": "system.notice, solver.cancelled", "cancel_task 99": NOT_LEFT_OUT,
        "restart_task": "solver.cancelled, system.notice, solver.restarted, solver.start", "restart_task 99": NO_STEP,
        "cancel_plan": SOLVING, "replan without": "system.notice, " + PLANNED,
    },
    # The first section is left out.
    "waiting without": {
        **AT_WORK, "cancel_task": "no: left_out", "cancel_task 99": NOT_LEFT_OUT,
        "restart_task": "system.notice, solver.restarted", "restart_task 99": NO_STEP, "cancel_plan": PLAN_CANCELLED,
        "replan without": "system.notice, " + PLANNED,
    },
    # Given tasks are being solved.
    "given": {
        **AT_WORK, "cancel_task": "system.notice, solver.cancelled", "cancel_task 99": NOT_LEFT_OUT,
        "restart_task": "solver.cancelled, system.notice, solver.restarted, solver.start", "restart_task 99": NO_STEP,
        "cancel_plan": SOLVING, "replan": "no: no_plan", "replan without": "no: no_plan",
    },
    "finished": {**AT_REST, "restart_task": SOLVED_AGAIN, "restart_task 99": NO_STEP},
    "partial": {**AT_REST, "restart_task": SOLVED_AGAIN, "restart_task 99": NO_STEP},
    "declined": {**AT_REST, "restart_task": NO_STEP, "restart_task 99": NO_STEP},
    "cancelled": {**AT_REST, "restart_task": NO_STEP, "restart_task 99": NO_STEP},
    "failed": {**AT_REST, "restart_task": IDLE, "restart_task 99": IDLE},
    "interrupted": {**AT_REST, "restart_task": "system.notice, solver.restarted, solver.start", "restart_task 99": NO_STEP},
    "unwritten": {
        **AT_REST, "restart_task": "system.notice, solver.restarted, solver.start, solver.failed, agent.error",
        "restart_task 99": NO_STEP,
    },
}


def prepare(client, model, state, marker):
    """A session in this state."""
    if state == "no session":
        return "s_not_there"
    session = client.create()
    if state == "never run":
        return session
    marks = {"planning": "hold-plan", "solving": "hold-sections", "interrupted": "hold-sections", "partial": "fail-2", "unwritten": "fail-1 fail-2 fail-3"}
    content = question(f"写 {marker} {marks.get(state, '')}")
    if state == "failed":
        content["template_name"] = "没有"
    if state == "given":
        tasks = [{"id": place, "title": title, "objective": "写"} for place, title in enumerate(TITLES, 1)]
        content["question"] += "hold-sections"
        client.send("user.solve_tasks", session, {**content, "tasks": tasks})
        for _ in TITLES:
            client.until("solver.start", session)
        model.held(marker, 3)
        return session
    client.send("user.message", session, content)
    if state == "failed":
        client.until("agent.error", session)
        return session
    if state == "planning":
        client.until("plan.start", session)
        model.held(marker, 1)
        return session
    asked = client.until("agent.user_confirm", session)[-1]
    if state == "waiting without":
        client.send("user.cancel_task", session, {"task_id": 1})
        client.until("solver.cancelled", session)
    if state.startswith("waiting"):
        return session
    if state == "cancelled":
        client.send("user.cancel", session)
        client.until("agent.interrupted", session)
        return session
    confirmed = state != "declined"
    client.send("user.response", session, {"confirmed": confirmed}, step_id=asked["step_id"])
    if state in ("solving", "interrupted"):
        for _ in TITLES:
            client.until("solver.start", session)
        model.held(marker, 3)
        if state == "interrupted":
            client.send("user.cancel", session)
            client.until("agent.interrupted", session)
    else:
        client.until("agent.error" if state == "unwritten" else "agent.final_answer", session)
    return session


def follows(client, session, expected):
    """Whether these frames come in this order; text, tools and other sections may come between them."""
    seen = []
    wanted = expected.split(", ")
    while wanted:
        frame = client.next(session)
        seen.append(frame)
        if frame["event"] == wanted[0]:
            wanted.pop(0)
            continue
        expect(frame["event"] != "agent.error", f"an error instead of {wanted}", names(seen), frame)
        if frame["event"] in ("agent.final_answer", "agent.interrupted", "agent.user_confirm") and wanted:
            expect(False, f"{wanted} did not come", names(seen))
    return seen


def replayed(client, session):
    """Reads on until everything missed has come, the errors in it, too."""
    while "replay" not in client.next(session)["metadata"]:
        pass


def check(client, state, control, session, expected):
    client.send("user." + control.split(" ")[0], session, CONTROLS[control])
    kind, _, words = expected.partition(": ")
    if kind not in ("error", "no"):
        frames = follows(client, session, expected)
        told = [it["metadata"]["control"] for it in frames if "control" in it["metadata"]]
        expect(all(it["ok"] for it in told), "what is told of a control", told)
        return
    frame = client.next(session)
    if kind == "error":
        equal((frame["event"], frame["content"]), ("agent.error", words), "a refusal")
    else:
        told = frame["metadata"].get("control", {})
        equal((frame["event"], told.get("ok"), told.get("action")), ("system.notice", False, control.split(" ")[0]), str(frame))
        equal(told.get("error_code"), words, frame["content"])
    expect("seq" not in frame, "what changes nothing is in no log", frame)
    if state != "no session":
        equal(client.ask("user.request_state", session)["event"], "agent.state_exported", "nothing follows a refusal")


def controls_by_state(server, model, restart=False):
    deviations = []
    for place, (state, row) in enumerate(EXPECTED.items()):
        missing = set(CONTROLS) - set(row)
        expect(not missing, f"a row for {state} has everything", sorted(missing))
        prefix = f"{'again' if restart else 'table'}-{place}"
        # Journals of other states are long, and nothing of them is held any longer.
        model.reset()
        client = Client(server)
        sessions = {}
        for number, control in enumerate(CONTROLS):
            sessions[control] = prepare(client, model, state, f"{prefix}-{number}.")
        if restart:
            client.socket.close()
            server = server.killed_and_restarted()
            client = Client(server)
            for number, session in enumerate(sessions.values()):
                if state == "no session":
                    continue
                client.send("user.reconnect", session)
                replayed(client, session)
                if state in ("planning", "solving", "given"):
                    model.held(f"{prefix}-{number}.", 2 if state == "planning" else 6)
        for control, session in sessions.items():
            try:
                check(client, state, control, session, row[control])
                obeys(client.folded[session])
            except Exception as error:
                deviations.append(f"{control} while {state}{', after a restart' if restart else ''}: {error}")
        # Answers that are held are of no use any longer.
        for control, session in sessions.items():
            client.send("user.cancel", session)
            client.next(session)
        client.socket.close()
    if restart:
        server.kill()
    expect(not deviations, "\n".join(deviations))


def controls_after_a_restart(server, model):
    """Its server is its own: it is killed."""
    controls_by_state(server, model, restart=True)
