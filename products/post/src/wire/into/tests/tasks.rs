//! Runs without an open stream.

use super::*;

async fn start(server: &Server, body: Value) -> String {
    let (status, task) = told(server.post("/api/tasks", body).await).await;
    assert_eq!((status, &task["status"]), (201, &json!("queued")));
    task["taskId"].as_str().expect("a task").to_owned()
}

async fn events(server: &Server, task: &str, from: u64) -> Vec<(String, Value)> {
    Sse::of(
        server
            .get(&format!("/api/tasks/{task}/events?fromIndex={from}"))
            .await,
    )
    .whole()
    .await
}

/// The ids of the tasks that a query gives.
async fn listed(server: &Server, query: &str) -> Vec<String> {
    let (status, list) = told(server.get(&format!("/api/tasks{query}")).await).await;
    assert_eq!(status, 200, "{query}");
    let rows = list["tasks"].as_array().expect("tasks").iter();
    rows.map(|row| row["id"].as_str().expect("an id").to_owned())
        .collect()
}

#[tokio::test]
async fn a_task_runs_without_a_stream_and_its_events_are_numbered() {
    let server = Server::start().await;
    let task = start(&server, json!({ "message": "写春游", "themeId": 3 })).await;
    let all = events(&server, &task, 0).await;
    assert_eq!(last(&all)["type"], "workflow_complete");
    let ids: Vec<_> = all.iter().map(|(id, _)| id.clone()).collect();
    assert_eq!(
        ids,
        (0..all.len())
            .map(|index| index.to_string())
            .collect::<Vec<_>>()
    );
    for from in [1, 7, all.len() as u64] {
        assert_eq!(
            events(&server, &task, from).await,
            all[usize::try_from(from).expect("small")..]
        );
    }
    let path = format!("/api/tasks/{task}/events");
    let rest = Sse::of(
        server
            .ask("GET", &path, &[("last-event-id", "4")], None)
            .await,
    )
    .whole()
    .await;
    assert_eq!(rest, all[5..]);
    let (_, shown) = told(server.get(&format!("/api/tasks/{task}")).await).await;
    let fields = [
        "id",
        "status",
        "progress",
        "hitlStatus",
        "eventCount",
        "errorMessage",
        "currentAgent",
    ];
    let shown: Vec<_> = fields.iter().map(|field| shown[*field].clone()).collect();
    let expected = json!([task, "completed", 1.0, "none", all.len(), null, null]);
    assert_eq!(json!(shown), expected);
    assert_eq!(refused(server.get("/api/tasks/t9:r1").await).await.0, 404);
    assert_eq!(
        refused(
            server
                .get(&task.replace("r1", "r2").replace("s_", "/api/tasks/s_"))
                .await
        )
        .await
        .0,
        404
    );
    assert_eq!(
        refused(server.get(&format!("{path}?fromIndex=x")).await)
            .await
            .0,
        400
    );
}

#[tokio::test]
async fn a_task_that_waits_is_answered_and_goes_on() {
    let server = Server::start().await;
    let task = start(&server, json!({ "message": "写春游", "enableHITL": true })).await;
    let paused = events(&server, &task, 0).await;
    let path = format!("/api/tasks/{task}");
    let (_, shown) = told(server.get(&path).await).await;
    assert_eq!(
        (
            &shown["status"],
            &shown["hitlStatus"],
            &shown["currentAgent"]
        ),
        (&json!("paused"), &json!("pending"), &json!("writer_agent"))
    );
    assert_eq!(shown["hitlData"], paused[paused.len() - 2].1);
    let respond = format!("{path}/respond");
    let running = json!({ "success": true, "status": "running" });
    assert_eq!(
        refused(server.post(&respond, json!({ "action": "reject" })).await)
            .await
            .0,
        400
    );
    assert_eq!(
        refused(server.post(&respond, json!({ "action": "odd" })).await)
            .await
            .0,
        400
    );
    let misfit = json!({ "action": "modify", "modifiedData": { "title": 1 } });
    assert_eq!(refused(server.post(&respond, misfit).await).await.0, 422);
    let reject = json!({ "action": "reject", "customInput": "换标题" });
    assert_eq!(
        told(server.post(&respond, reject).await).await,
        (200, running.clone())
    );
    let more = events(&server, &task, paused.len() as u64).await;
    assert_eq!(last(&more)["type"], "workflow_paused");
    let modify = || Some(json!({ "action": "modify", "modifiedData": { "title": "夏游" } }));
    let key = [("idempotency-key", "k1")];
    for _ in 0..2 {
        assert_eq!(
            told(server.ask("POST", &respond, &key, modify()).await).await,
            (200, running.clone())
        );
    }
    let all = events(&server, &task, 0).await;
    assert_eq!(last(&all)["title"], "夏游");
    assert_eq!(
        refused(server.post(&respond, json!({ "action": "approve" })).await)
            .await
            .0,
        409
    );
    let (_, shown) = told(server.get(&path).await).await;
    assert_eq!(shown["hitlStatus"], "responded");
}

#[tokio::test]
async fn a_later_task_of_a_thread_has_its_own_events() {
    let server = Server::with(&[], 0).await;
    let first = start(&server, json!({ "message": "一", "threadId": "t1" })).await;
    let second = start(&server, json!({ "message": "二", "sourceTaskId": first })).await;
    assert_eq!((first.as_str(), second.as_str()), ("t1:r1", "t1:r2"));
    let (_, shown) = told(server.get("/api/tasks/t1:r2").await).await;
    assert_eq!(
        (&shown["status"], &shown["eventCount"]),
        (&json!("queued"), &json!(0))
    );
    let came = shown["createdAt"].clone();
    assert!(came.is_string() && shown["updatedAt"] == came, "{shown:#}");
    let (_, list) = told(server.get("/api/tasks?status=queued").await).await;
    let row = &list["tasks"][0];
    assert_eq!(
        (&row["id"], &row["message"], &row["created_at"]),
        (&json!(second), &json!("二"), &came)
    );
    server.texts.add_permits(2);
    let own = events(&server, &second, 0).await;
    let ends = names(&own)
        .into_iter()
        .filter(|name| *name == "workflow_complete")
        .count();
    assert_eq!((ends, own[0].0.as_str()), (1, "0"));
    let whole = Sse::of(server.get("/api/agent/stream/t1").await)
        .whole()
        .await;
    assert_eq!(
        whole.len(),
        own.len() + events(&server, &first, 0).await.len()
    );
}

#[tokio::test]
async fn tasks_are_listed_newest_first_and_filtered() {
    let server = Server::start().await;
    let first = start(&server, json!({ "message": "一", "themeId": 1 })).await;
    events(&server, &first, 0).await;
    let second = start(
        &server,
        json!({ "message": "二", "themeId": 2, "enableHITL": true }),
    )
    .await;
    events(&server, &second, 0).await;
    let both = vec![second.clone(), first.clone()];
    for query in ["", "?time_range=7d", "?limit=200&time_range=all"] {
        assert_eq!(listed(&server, query).await, both, "{query}");
    }
    assert_eq!(listed(&server, "?status=done").await, vec![first.clone()]);
    assert_eq!(listed(&server, "?themeId=2").await, vec![second.clone()]);
    assert_eq!(
        listed(&server, "?status=paused&limit=1").await,
        vec![second.clone()]
    );
    for query in ["?limit=0", "?limit=201", "?status=odd", "?time_range=1y"] {
        assert_eq!(
            refused(server.get(&format!("/api/tasks{query}")).await)
                .await
                .0,
            400,
            "{query}"
        );
    }
    let (_, list) = told(server.get("/api/tasks?limit=1").await).await;
    let row = &list["tasks"][0];
    let fields: Vec<_> = row.as_object().expect("a row").keys().cloned().collect();
    let expected = [
        "id",
        "thread_id",
        "message",
        "status",
        "progress",
        "current_agent",
        "hitl_status",
        "theme_id",
        "creative_id",
        "error_message",
        "created_at",
        "updated_at",
    ];
    assert_eq!(fields, expected);
}

#[tokio::test]
async fn tasks_are_removed_for_good() {
    let server = Server::start().await;
    let mut ids = vec![];
    for thread in ["t1", "t2", "t3"] {
        let task = start(&server, json!({ "message": "写", "threadId": thread })).await;
        events(&server, &task, 0).await;
        ids.push(task);
    }
    let deleted = told(server.ask("DELETE", "/api/tasks/t1:r1", &[], None).await).await;
    assert_eq!(
        deleted,
        (
            200,
            json!({ "success": true, "deleted": ["t1:r1"], "failed": [] })
        )
    );
    assert_eq!(refused(server.get("/api/tasks/t1:r1").await).await.0, 410);
    let many = told(
        server
            .post(
                "/api/tasks/batch-delete",
                json!({ "ids": ["t2:r1", "t9:r1"] }),
            )
            .await,
    )
    .await;
    assert_eq!(
        many,
        (
            200,
            json!({ "success": false, "deleted": ["t2:r1"], "failed": ["t9:r1"] })
        )
    );
    let (_, list) = told(server.get("/api/tasks").await).await;
    assert_eq!(list["tasks"].as_array().expect("tasks").len(), 1);
    assert_eq!(
        refused(
            server
                .post("/api/tasks/batch-delete", json!({ "ids": [] }))
                .await
        )
        .await
        .0,
        400
    );
}
