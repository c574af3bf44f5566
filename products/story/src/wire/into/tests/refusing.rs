//! Refused requests, and the form of the refusals.

use super::*;

async fn refusal(server: &Server, body: Value) -> (u16, String) {
    refused(server.post("/api/v2/agent/chat", body).await).await
}

#[tokio::test]
async fn what_does_not_fit_is_refused_with_its_status() {
    let server = Server::start().await;
    let long = "长".repeat(20_001);
    let cases = [
        (json!({}), 400, "bad_request"),
        (json!({ "message": " " }), 400, "bad_request"),
        (json!({ "message": 7 }), 400, "bad_request"),
        (
            json!({ "message": "x", "characterIds": "c1" }),
            400,
            "bad_request",
        ),
        (
            json!({ "message": "x", "intentHint": "DANCE" }),
            400,
            "bad_request",
        ),
        (
            json!({ "message": "x", "sessionId": "s~2" }),
            400,
            "bad_request",
        ),
        (
            json!({ "message": "x", "projectId": "p/1" }),
            400,
            "bad_request",
        ),
        (
            json!({ "message": "x", "projectId": "nowhere" }),
            404,
            "no_project",
        ),
        (
            json!({ "message": "x", "projectId": PROJECT, "chapterId": "c9" }),
            404,
            "no_entry",
        ),
        (
            json!({ "message": "x", "targetWordCount": 0 }),
            422,
            "bad_input",
        ),
        (json!({ "message": long }), 422, "message_too_long"),
        (
            json!({ "message": "x", "metadata": { "chainContext": { "pause": "g1" } } }),
            404,
            "no_pause",
        ),
        (
            json!({ "message": "x", "metadata": { "chainContext": {} } }),
            409,
            "no_pause",
        ),
    ];
    for (body, status, code) in cases {
        let shown: String = body.to_string().chars().take(100).collect();
        assert_eq!(
            refusal(&server, body).await,
            (status, code.to_owned()),
            "{shown}"
        );
    }
    let path = "/api/v2/agent/chat/s1";
    assert_eq!(
        refused(server.get(path).await).await,
        (404, "no_session".to_owned())
    );
    let place = server
        .ask("GET", path, &[("last-event-id", "7")], None)
        .await;
    assert_eq!(refused(place).await, (400, "bad_request".to_owned()));
}

#[tokio::test]
async fn projects_and_sessions_of_others_are_not_there() {
    let key = |owner: &str| KeyEntry {
        owner: owner.to_owned(),
        secret: Some(format!("{owner}-key")),
        sha256: None,
    };
    let server = Server::with(&[key("ann"), key("bob")], PLENTY).await;
    let path = "/api/v2/agent/chat";
    let body = json!({ "message": "头脑风暴扩写：灯塔", "projectId": PROJECT, "sessionId": "s1" });
    let anonymous = server.post(path, body.clone()).await;
    assert_eq!(refused(anonymous).await, (401, "unauthorized".to_owned()));
    let ann = [("authorization", "Bearer ann-key")];
    let frames = Sse::of(server.ask("POST", path, &ann, Some(body.clone())).await)
        .whole()
        .await;
    let bob = [("authorization", "Bearer bob-key")];
    let foreign = server.ask("POST", path, &bob, Some(body)).await;
    assert_eq!(refused(foreign).await, (404, "no_project".to_owned()));
    let foreign = server.ask("GET", "/api/v2/agent/chat/s1", &bob, None).await;
    assert_eq!(refused(foreign).await, (404, "no_session".to_owned()));
    let pause = &of(&frames, "user_input_required")[0]["pause"];
    let body = json!({ "message": "1", "sessionId": "s1", "metadata": { "chainContext": { "pause": pause } } });
    let foreign = server.ask("POST", path, &bob, Some(body)).await;
    assert_eq!(refused(foreign).await, (404, "no_pause".to_owned()));
}

#[tokio::test]
async fn a_pause_of_another_session_or_project_is_not_there() {
    let server = Server::start().await;
    let frames = server.hear("头脑风暴扩写：灯塔").await;
    let pause = of(&frames, "user_input_required")[0]["pause"].clone();
    let context = json!({ "chainContext": { "pause": pause, "selection": "1" } });
    let elsewhere = json!({ "message": "1", "sessionId": "s2", "metadata": context });
    assert_eq!(
        refusal(&server, elsewhere).await,
        (404, "no_pause".to_owned())
    );
    let other =
        json!({ "message": "1", "sessionId": "s1", "projectId": PROJECT, "metadata": context });
    assert_eq!(refusal(&server, other).await, (404, "no_pause".to_owned()));
}

#[tokio::test]
async fn too_many_requests_are_refused() {
    let server = Server::start().await;
    let path = "/api/v2/agent/chat/s1";
    let mut statuses = vec![];
    for _ in 0..130 {
        statuses.push(server.get(path).await.status().as_u16());
    }
    assert_eq!(statuses[..100], [404; 100]);
    assert!(statuses.contains(&429));
    let answer = server.get(path).await;
    let (status, body) = told(answer).await;
    assert!(status == 429 || status == 404);
    assert!(body["error"].is_object() && body["message"].is_string());
}
