//! Answers to questions, and control.

use super::*;

fn in_session(event: &str, session: &str, content: Value) -> Value {
    json!({ "event": event, "session_id": session, "content": content })
}

#[tokio::test]
async fn an_answer_names_its_question_and_counts_once() {
    let server = Server::start().await;
    let mut client = server.connect().await;
    let (session, step) = client.planned().await;
    let yes = json!({ "confirmed": true });
    let answer = |step: Option<&str>, content: &Value| {
        let mut message = in_session("user.response", &session, content.clone());
        if let Some(step) = step {
            message["step_id"] = step.into();
        }
        message
    };
    let missing = client.ask(answer(None, &yes)).await;
    assert_eq!(missing["content"], "Missing step_id in user response");
    let unknown = client
        .ask(answer(Some("confirm_plan_00000000"), &yes))
        .await;
    assert_eq!(unknown["metadata"]["control"]["reason"], "unknown");
    for content in [json!({}), json!("yes"), json!({ "confirmed": "true" })] {
        let refused = client.ask(answer(Some(&step), &content)).await;
        assert_eq!(refused["event"], "agent.error", "{content}");
    }
    // Edits that do not fit leave the question open.
    let edits =
        json!({ "confirmed": true, "tasks": [{ "id": 9, "title": "x", "objective": "x" }] });
    let refused = client.ask(answer(Some(&step), &edits)).await;
    assert_eq!(
        (&refused["event"], &refused["step_id"]),
        (&json!("plan.coercion_error"), &json!(step))
    );
    assert!(text(&refused["content"]["error"]).contains("no such leaf"));
    let state = server.session(&session).await;
    let run = state.active_run().expect("it waits");
    assert_eq!(run.open_gates().count(), 1);
    let edits =
        json!({ "confirmed": true, "tasks": [{ "id": 2, "title": "贰", "objective": "x" }] });
    client.say(answer(Some(&step), &edits)).await;
    client.until("agent.final_answer").await;
    let state = server.session(&session).await;
    let plans = state.artifacts.values().filter(|a| a.kind == "plan");
    assert_eq!(plans.count(), 2);
    let version = state.version;
    let told = client
        .ask(answer(Some(&step), &json!({ "confirmed": false })))
        .await;
    assert_eq!(told["metadata"]["control"]["reason"], "answered");
    assert_eq!(server.session(&session).await.version, version);
}

#[tokio::test]
async fn a_declined_plan_ends_with_the_contracts_words() {
    let server = Server::start().await;
    let mut client = server.connect().await;
    let (session, step) = client.planned().await;
    client
        .say(json!({
            "event": "user.response", "session_id": session, "step_id": step,
            "content": { "confirmed": false, "reason": "too long" },
        }))
        .await;
    let last = client.last("agent.final_answer").await;
    assert_eq!(last["content"], "Plan was declined by user.");
}

#[tokio::test]
async fn control_where_nothing_is_at_work_changes_nothing_and_says_so() {
    let server = Server::start().await;
    let mut client = server.connect().await;
    let session = client.create().await;
    for (event, content, words) in [
        (
            "user.cancel_task",
            json!({}),
            "Missing task_id for cancel_task",
        ),
        (
            "user.restart_task",
            json!({ "task_id": "x" }),
            "Missing task_id for restart_task",
        ),
        (
            "user.replan",
            json!({}),
            "Replan requires a question when session is idle",
        ),
        (
            "user.solve_tasks",
            json!({}),
            "Missing tasks in user.solve_tasks content",
        ),
        (
            "user.solve_tasks",
            json!({ "tasks": [] }),
            "Missing tasks in user.solve_tasks content",
        ),
    ] {
        let refused = client.ask(in_session(event, &session, content)).await;
        assert_eq!(
            (&refused["event"], &refused["content"]),
            (&json!("agent.error"), &json!(words))
        );
    }
    for (event, content) in [
        ("user.cancel", json!(null)),
        ("user.cancel_task", json!({ "task_id": 1 })),
        ("user.restart_task", json!({ "task_id": 1 })),
        ("user.cancel_plan", json!(null)),
    ] {
        let told = client
            .ask(in_session(event, &session, content.clone()))
            .await;
        assert_eq!(told["event"], "system.notice", "{told}");
        let control = &told["metadata"]["control"];
        assert_eq!(
            (&control["ok"], &control["action"], told.get("seq")),
            (
                &json!(false),
                &json!(event.trim_start_matches("user.")),
                None
            )
        );
        assert_eq!(control.get("task_id"), content.get("task_id"));
    }
    assert_eq!(server.session(&session).await.version, 1);
}

#[tokio::test]
async fn a_plan_that_waits_can_be_made_anew_and_cancelled() {
    let server = Server::start().await;
    let mut client = server.connect().await;
    let (session, first) = client.planned().await;
    client
        .say(in_session(
            "user.replan",
            &session,
            json!({ "question": "shorter" }),
        ))
        .await;
    let heard = client.until("agent.user_confirm").await;
    assert!(names(&heard).contains(&"plan.start"));
    let second = text(&heard.last().expect("a frame")["step_id"]);
    assert_ne!(first, second);
    let old = json!({
        "event": "user.response", "session_id": session, "step_id": first, "content": { "confirmed": true },
    });
    let told = client.ask(old).await;
    assert_eq!(told["metadata"]["control"]["reason"], "answered");
    client
        .say(in_session("user.cancel_plan", &session, json!(null)))
        .await;
    let heard = client.until("agent.final_answer").await;
    assert!(names(&heard).contains(&"plan.cancelled"));
    assert_eq!(
        heard.last().expect("a frame")["content"],
        "Plan was cancelled."
    );
    // The session is idle now: a question starts a new run in it.
    client
        .say(in_session(
            "user.replan",
            &session,
            json!({ "question": "again" }),
        ))
        .await;
    client.until("agent.user_confirm").await;
    let state = server.session(&session).await;
    assert_eq!(
        state.active_run().expect("it waits").input["mode"],
        "replan"
    );
}

#[tokio::test]
async fn sections_can_be_left_out_and_done_again_and_the_run_cancelled() {
    let server = Server::with(&[], &[], 0).await;
    let mut client = server.connect().await;
    let (session, step) = client.planned().await;
    client.confirm(&session, &step).await;
    for _ in 0..3 {
        client.until("solver.start").await;
    }
    let told = client
        .ask(in_session("user.cancel_plan", &session, json!(null)))
        .await;
    let control = &told["metadata"]["control"];
    assert_eq!(
        (&control["ok"], &control["error_code"]),
        (&json!(false), &json!("solving"))
    );
    client
        .say(in_session(
            "user.cancel_task",
            &session,
            json!({ "task_id": 2 }),
        ))
        .await;
    let heard = client.until("solver.cancelled").await;
    assert_eq!(heard[0]["metadata"]["control"]["ok"], true, "{heard:?}");
    let again = in_session("user.cancel_task", &session, json!({ "task_id": 2 }));
    let told = client.ask(again).await;
    assert_eq!(
        told["metadata"]["control"]["error_code"], "left_out",
        "{told}"
    );
    let told = client
        .ask(in_session(
            "user.cancel_task",
            &session,
            json!({ "task_id": 9 }),
        ))
        .await;
    assert_eq!(told["metadata"]["control"]["error_code"], "not_left_out");
    client
        .say(in_session(
            "user.restart_task",
            &session,
            json!({ "task_id": "2" }),
        ))
        .await;
    let heard = client.until("solver.start").await;
    assert!(names(&heard).contains(&"solver.restarted"), "{heard:?}");
    client
        .say(in_session("user.cancel", &session, json!(null)))
        .await;
    let last = client.last("agent.interrupted").await;
    assert_eq!(last["content"], "Execution cancelled");
}

#[tokio::test]
async fn an_answer_after_the_end_of_its_run_changes_nothing() {
    let server = Server::start().await;
    let mut client = server.connect().await;
    let (session, step) = client.planned().await;
    client
        .say(in_session("user.cancel", &session, json!(null)))
        .await;
    client.until("agent.interrupted").await;
    let version = server.session(&session).await.version;
    client.confirm(&session, &step).await;
    let told = client.hear().await;
    assert_eq!(told["metadata"]["control"]["reason"], "ended", "{told}");
    assert_eq!(server.session(&session).await.version, version);
}

#[tokio::test]
async fn a_section_of_a_finished_report_is_done_again_in_a_new_run() {
    let server = Server::start().await;
    let mut client = server.connect().await;
    let (session, step) = client.planned().await;
    client.confirm(&session, &step).await;
    client.until("agent.final_answer").await;
    client
        .say(in_session(
            "user.restart_task",
            &session,
            json!({ "task_id": 1 }),
        ))
        .await;
    let heard = client.until("agent.final_answer").await;
    let solved = names(&heard)
        .into_iter()
        .filter(|name| *name == "solver.completed");
    assert_eq!(solved.count(), 1);
    let state = server.session(&session).await;
    let run = state.runs.values().next_back().expect("a run");
    assert!(run.base_run.is_some() && run.settings.attended);
}

#[tokio::test]
async fn given_tasks_are_solved_without_a_plan_of_ours() {
    let server = Server::start().await;
    let mut client = server.connect().await;
    let session = client.create().await;
    let content = json!({ "tasks": { "id": 1 }, "plan_summary": "one", "template_name": "t" });
    client
        .say(in_session("user.solve_tasks", &session, content))
        .await;
    let heard = client.until("system.notice").await;
    let allowed = |name: &&str| name.starts_with("solver.") || *name == "system.notice";
    assert!(names(&heard).iter().all(allowed), "{:?}", names(&heard));
    let state = server.session(&session).await;
    let run = state.runs.values().next().expect("a run");
    let input = json!({ "template_name": "t", "mode": "solve_tasks", "tasks": [{ "id": 1 }], "plan_summary": "one" });
    assert_eq!(run.input, input);
}
