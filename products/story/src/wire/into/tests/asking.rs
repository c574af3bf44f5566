//! Answers that are no streams.

use super::world::prose;
use super::*;

#[tokio::test]
async fn a_simple_chat_waits_and_nobody_chooses() {
    let server = Server::start().await;
    let path = "/api/v2/agent/chat/simple";
    let body = json!({ "content": "你好", "sessionId": "s1", "phase": "IDEA" });
    let (status, answer) = told(server.post(path, body).await).await;
    assert_eq!(status, 200);
    assert_eq!(answer["content"], prose());
    assert_eq!(
        (&answer["sessionId"], &answer["phase"]),
        (&json!("s1"), &json!("IDEA"))
    );
    let body = json!({ "content": "头脑风暴扩写：灯塔", "sessionId": "s1" });
    let (status, answer) = told(server.post(path, body).await).await;
    assert_eq!((status, &answer["agentName"]), (200, &json!("WriterAgent")));
}

#[tokio::test]
async fn a_route_is_told_without_a_run() {
    let server = Server::start().await;
    let body = json!({ "message": "/check 第一章", "projectId": PROJECT });
    let (status, answer) = told(server.post("/api/v2/agent/route", body).await).await;
    assert_eq!(status, 200);
    assert_eq!(
        (&answer["intent"], &answer["source"]),
        (&json!("CHECK_CONSISTENCY"), &json!("FAST_PATH"))
    );
    assert_eq!(
        (&answer["confidence"], &answer["phase"]),
        (&json!(1.0), &json!("WRITING"))
    );
    assert_eq!(answer["agents"], json!(["ConsistencyAgent"]));
    let sessions = server.get("/v1/sessions").await;
    assert_eq!(told(sessions).await.1["sessions"], json!([]));
}

#[tokio::test]
async fn agents_that_are_called_by_name_answer() {
    let server = Server::start().await;
    let (_, agents) = told(server.get("/api/v2/agent/lazy-agents").await).await;
    let names: Vec<&Value> = agents
        .as_array()
        .expect("a list")
        .iter()
        .map(|agent| &agent["agentName"])
        .collect();
    assert_eq!(
        json!(names),
        json!(["NameGeneratorAgent", "SummaryAgent", "ExtractionAgent"])
    );
    for agent in names {
        let name = agent.as_str().expect("a name");
        let path = format!("/api/v2/agent/lazy-agents/{name}/execute");
        let (status, answer) = told(server.post(&path, json!({ "message": "灯塔" })).await).await;
        assert_eq!((status, &answer["agentName"]), (200, agent), "{answer}");
    }
    let unknown = server
        .post(
            "/api/v2/agent/lazy-agents/writer/execute",
            json!({ "message": "x" }),
        )
        .await;
    assert_eq!(refused(unknown).await, (404, "no_agent".to_owned()));
}

#[tokio::test]
async fn capabilities_and_tools_are_listed_by_phase() {
    let server = Server::start().await;
    let count = async |path: &str| {
        let (status, list) = told(server.get(&format!("/api/v2/agent/{path}")).await).await;
        (status, list.as_array().map_or(0, Vec::len))
    };
    assert_eq!(count("capabilities").await, (200, 10));
    assert_eq!(count("capabilities/phase/writing").await, (200, 8));
    assert_eq!(count("tools").await, (200, 6));
    assert_eq!(count("tools/phase/IDEA").await, (200, 2));
    for path in ["capabilities/phase/x", "tools/phase/x"] {
        let answer = server.get(&format!("/api/v2/agent/{path}")).await;
        assert_eq!(refused(answer).await, (400, "bad_request".to_owned()));
    }
}

#[tokio::test]
async fn calls_of_tools_are_counted_from_the_log() {
    let server = Server::start().await;
    let path = "/api/v2/agent/tools/stats";
    assert_eq!(
        told(server.get(path).await).await.1,
        json!({ "totalCalls": 0, "tools": [] })
    );
    let body = json!({ "message": "续写这场打斗", "projectId": PROJECT });
    server.say(body).await.whole().await;
    let (_, statistics) = told(server.get(path).await).await;
    let tools = statistics["tools"].as_array().expect("a list");
    let read = tools
        .iter()
        .find(|tool| tool["tool"] == "storyRead")
        .expect("it was called");
    assert_eq!((&read["calls"], &read["errors"]), (&json!(6), &json!(1)));
    assert_eq!(statistics["totalCalls"], 8);
}

#[tokio::test]
async fn a_project_has_a_session_to_go_on_with() {
    let server = Server::start().await;
    let path = format!("/api/v1/sessions/resume/{PROJECT}");
    let (status, answer) = told(server.get(&path).await).await;
    assert_eq!(
        (status, answer),
        (200, json!({ "hasSession": false, "prompt": "" }))
    );
    for session in [Value::Null, json!("mine")] {
        let body =
            json!({ "message": "头脑风暴扩写：灯塔", "projectId": PROJECT, "sessionId": session });
        let stream = server.say(body).await;
        let name = stream.session.clone();
        stream.whole().await;
        let (_, answer) = told(server.get(&path).await).await;
        assert_eq!(
            (&answer["hasSession"], &answer["sessionId"]),
            (&json!(true), &json!(name))
        );
        assert!(
            answer["pause"].is_string()
                && answer["prompt"]
                    .as_str()
                    .is_some_and(|text| text.contains("灯塔"))
        );
    }
    let missing = server.get("/api/v1/sessions/resume/nowhere").await;
    assert_eq!(refused(missing).await, (404, "no_project".to_owned()));
}
