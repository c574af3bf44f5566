//! The built-in pipeline with the offline author, from uploaded templates to the report.

use axum::body::Body;
use axum::http::Request;
use tower::ServiceExt as _;

use super::*;

const TEMPLATE: &str = "# 周报\n\n## 进展\n\n写进展。\n\n## 风险\n\n写风险。\n";

async fn upload(server: &Server, uri: &str, body: Value) {
    let request = Request::post(uri)
        .header("host", "localhost")
        .header("content-type", "application/json")
        .body(Body::from(body.to_string()))
        .expect("a request");
    let answer = server.router.clone().oneshot(request).await;
    let status = answer.expect("an answer").status();
    assert!(status.is_success(), "{uri}: {status}");
}

async fn with_template() -> (Server, Client, String) {
    let server = Server::offline().await;
    upload(
        &server,
        "/api/templates",
        json!({ "name": "周报", "content": TEMPLATE }),
    )
    .await;
    let file = json!({ "name": "week.json", "data": { "done": "上线" } });
    let base = json!({ "name": "库", "files": [file] });
    upload(&server, "/api/databases", base).await;
    let mut client = server.connect().await;
    let session = client.create().await;
    (server, client, session)
}

fn message(session: &str) -> Value {
    let content =
        json!({ "question": "写本周周报", "template_name": "周报", "knowledge_base_name": "库" });
    json!({ "event": "user.message", "session_id": session, "content": content })
}

#[tokio::test]
async fn a_template_becomes_a_report_with_the_tasks_that_a_person_edited() {
    let (server, mut client, session) = with_template().await;
    client.say(message(&session)).await;
    let planned = client.until("agent.user_confirm").await;
    assert_eq!(planned[0]["event"], "plan.start");
    let asked = planned.last().expect("the question");
    let mut answer = json!({
        "event": "user.response", "session_id": session, "step_id": asked["step_id"],
        "content": { "confirmed": true, "tasks": asked["content"]["tasks"] },
    });
    assert_eq!(answer["content"]["tasks"][0]["id"], 1);
    // A template that the user does not have is refused, and the question stays open.
    let ours = answer["content"]["tasks"][0]["template"].take();
    answer["content"]["tasks"][0]["template"] = json!("## 别的\n");
    let refused = client.ask(answer.clone()).await;
    assert_eq!(refused["event"], "plan.coercion_error", "{refused}");
    answer["content"]["tasks"][0]["template"] = ours;
    answer["content"]["tasks"][0]["notes"] = json!("简短");
    client.say(answer).await;
    let heard = client.until("agent.final_answer").await;
    let assembled = heard
        .iter()
        .find(|frame| frame["event"] == "aggregate.completed");
    let report = &assembled.expect("assembled")["content"]["output"]["report"];
    assert_eq!(report["vfs_path"], "reports/generated_report.md");
    let text = text(&report["content"]);
    for heading in ["# 周报", "## 进展", "## 风险"] {
        assert!(text.contains(heading), "{text}");
    }
    let state = server.session(&session).await;
    let run = state.runs.values().next().expect("a run");
    assert_eq!(run.settings.options["confirm_timeout_s"], 600);
}

#[tokio::test]
async fn a_template_that_is_not_there_is_an_error_and_no_empty_report() {
    let (_server, mut client, session) = with_template().await;
    let mut message = message(&session);
    message["content"]["template_name"] = json!("没有");
    client.say(message).await;
    let heard = client.until("agent.error").await;
    let last = text(&heard.last().expect("the error")["content"]);
    assert!(last.starts_with("Agent execution error: "), "{last}");
    assert!(!names(&heard).contains(&"plan.start"));
}
