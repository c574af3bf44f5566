//! Sessions and their messages.

use super::*;

#[tokio::test]
async fn a_report_is_made_from_a_message_to_its_final_answer() {
    let server = Server::start().await;
    let mut client = server.connect().await;
    let (session, step) = client.planned().await;
    client.confirm(&session, &step).await;
    let heard = client.until("agent.final_answer").await;
    let heard_names = names(&heard);
    for event in ["solver.start", "solver.completed"] {
        let times = heard_names.iter().filter(|name| **name == event);
        assert_eq!(times.count(), 3, "{event}");
    }
    let tail = heard_names.len() - 4;
    let expected = [
        "aggregate.start",
        "aggregate.completed",
        "pipeline.completed",
        "agent.final_answer",
    ];
    assert_eq!(heard_names[tail..], expected);
    // The numbers continue after those of the plan.
    let numbers = seqs(&heard);
    let first = numbers[0];
    assert_eq!(
        numbers,
        (first..first + heard.len() as u64).collect::<Vec<_>>()
    );
    for frame in &heard {
        let connection = text(&frame["connection_id"]);
        assert_eq!(frame["metadata"]["connection_id"], connection);
        assert_eq!(frame["session_id"], session);
        let id = format!("{session}-v{}-{}", Wire::VERSION, frame["seq"]);
        assert_eq!(frame["event_id"], id);
    }
}

#[tokio::test]
async fn a_message_says_something_and_waits_for_its_turn() {
    let server = Server::start().await;
    let mut client = server.connect().await;
    let (session, _) = client.planned().await;
    for content in [
        json!(""),
        json!("  "),
        json!({}),
        json!(null),
        json!({ "question": "" }),
    ] {
        let message = json!({ "event": "user.message", "session_id": session, "content": content });
        let refused = client.ask(message).await;
        assert_eq!(
            refused["content"], "Message content cannot be empty",
            "{content}"
        );
    }
    for event in ["user.message", "user.solve_tasks"] {
        let content = json!({ "question": "x", "tasks": [{ "id": 1 }] });
        let message = json!({ "event": event, "session_id": session, "content": content });
        let refused = client.ask(message).await;
        assert_eq!(
            refused["content"],
            "Agent is currently running, please try again later"
        );
        assert_eq!(refused["metadata"]["error_code"], "busy");
    }
    assert_eq!(server.session(&session).await.runs.len(), 1);
}

#[tokio::test]
async fn a_repeated_message_id_gets_the_first_answer() {
    let server = Server::start().await;
    let mut client = server.connect().await;
    let create = json!({ "event": "user.create_session", "message_id": "c1" });
    let created = client.ask(create.clone()).await;
    let session = text(&created["session_id"]);
    let again = client.ask(create.clone()).await;
    assert_eq!(again["session_id"], session);
    assert_eq!(again["metadata"]["control"]["duplicate"], true);
    let message = json!({ "event": "user.message", "session_id": session, "message_id": "m1", "content": "写" });
    client.say(message.clone()).await;
    client.until("agent.user_confirm").await;
    let told = client.ask(message).await;
    assert_eq!(told["event"], "system.notice");
    assert_eq!(told["metadata"]["control"]["message_id"], "m1");
    assert_eq!(server.session(&session).await.runs.len(), 1);
    // For a connection that did not get the first answer, it is the same session.
    let mut other = server.connect().await;
    assert_eq!(other.ask(create).await["session_id"], session);
}

#[tokio::test]
async fn hints_stay_with_the_session_and_survive_the_connection() {
    let server = Server::start().await;
    let mut client = server.connect().await;
    let create = json!({ "event": "user.create_session", "content": { "knowledge_base_name": "kb", "x": 1 } });
    let session = text(&client.ask(create).await["session_id"]);
    let first = json!({ "question": "写", "template_id": "t1" });
    client
        .say(json!({ "event": "user.message", "session_id": session, "content": first }))
        .await;
    client.until("agent.user_confirm").await;
    client
        .say(json!({ "event": "user.cancel", "session_id": session }))
        .await;
    client.until("agent.interrupted").await;
    drop(client);
    let mut client = server.connect().await;
    client
        .say(json!({ "event": "user.reconnect", "session_id": session, "last_seq": 1 }))
        .await;
    client.until("system.notice").await;
    let message = json!({ "event": "user.message", "session_id": session, "content": { "template_name": "t" } });
    client.say(message).await;
    client.until("agent.user_confirm").await;
    let state = server.session(&session).await;
    let runs: Vec<_> = state.runs.values().collect();
    assert_eq!(
        runs[0].input,
        json!({ "knowledge_base_name": "kb", "template_id": "t1" })
    );
    assert_eq!(
        runs[1].input,
        json!({ "knowledge_base_name": "kb", "template_name": "t" })
    );
    assert_eq!(runs[1].brief, r#"{"template_name":"t"}"#);
}

#[tokio::test]
async fn variables_hold_for_runs_of_this_wire() {
    let variables = [
        ("TEMPLATE_WS_REQUIRE_CONFIRM", "no"),
        ("TEMPLATE_WS_CONCURRENCY", "2"),
    ];
    let server = Server::with(&variables, &[], PLENTY).await;
    let mut client = server.connect().await;
    let session = client.create().await;
    let message = json!({ "event": "user.message", "session_id": session, "content": "写" });
    client.say(message).await;
    let heard = client.until("agent.final_answer").await;
    assert!(!names(&heard).contains(&"agent.user_confirm"));
    let state = server.session(&session).await;
    let settings = &state.runs.values().next().expect("a run").settings;
    assert_eq!(
        (settings.width, settings.attempts, settings.retry_wait_ms),
        (2, 2, 3_000)
    );
    let options =
        json!({ "require_confirm": false, "confirm_timeout_s": 600, "broadcast_tasks": true });
    assert_eq!(settings.options, options);
}

#[tokio::test]
async fn text_under_way_is_sent_and_ends_before_what_it_became() {
    let server = Server::with(&[], &[], 0).await;
    let mut client = server.connect().await;
    let (session, step) = client.planned().await;
    client.confirm(&session, &step).await;
    let mut begun = vec![];
    while begun.len() < 3 {
        let frame = client.hear_any().await;
        if frame["event"] == "agent.partial_answer" {
            begun.push(frame);
        }
    }
    for partial in &begun {
        let (metadata, said) = (&partial["metadata"], text(&partial["content"]));
        assert!(pipeline::TEXT.starts_with(&said) && !said.is_empty());
        assert_eq!(metadata["total_length"], said.chars().count());
        assert_eq!(
            (&metadata["is_final"], &metadata["scope"]),
            (&json!(false), &json!("section"))
        );
        assert_eq!(partial.get("seq"), None);
    }
    server.sections.add_permits(3);
    let mut final_texts = vec![];
    loop {
        let frame = client.hear_any().await;
        match frame["event"].as_str() {
            Some("agent.partial_answer") if frame["metadata"]["is_final"] == true => {
                assert_eq!(frame["content"], pipeline::TEXT);
                final_texts.push(frame["metadata"]["task_id"].clone());
            }
            Some("solver.completed") => {
                assert_eq!(final_texts.last(), Some(&frame["content"]["id"]));
            }
            Some("agent.final_answer") => break,
            _ => {}
        }
    }
    assert_eq!(final_texts.len(), 3);
}

#[tokio::test]
async fn an_erased_session_says_farewell_and_is_closed() {
    let server = Server::start().await;
    let mut client = server.connect().await;
    let (session, _) = client.planned().await;
    let owner = Owner(LOCAL_OWNER.to_owned());
    let stream = owner.stream(&SessionId::new(session.as_str()));
    let erased = server.app.erase(&owner, &stream, false, "e1").await;
    erased.expect("erased");
    let heard = client.until("agent.session_end").await;
    assert_eq!(seqs(&heard), Vec::<u64>::new());
    for event in ["user.message", "user.request_state", "user.reconnect"] {
        let message = json!({ "event": event, "session_id": session, "content": "x" });
        assert_eq!(client.ask(message).await["content"], "Session is closed");
    }
}

#[tokio::test]
async fn closing_detaches_unless_it_is_configured_to_cancel() {
    for (variables, cancelled) in [
        (&[][..], false),
        (&[("TEMPLATE_WS_ON_CLOSE", "cancel")][..], true),
    ] {
        let server = Server::with(variables, &[], PLENTY).await;
        let mut client = server.connect().await;
        let (session, _) = client.planned().await;
        let mut other = server.connect().await;
        other
            .say(json!({ "event": "user.reconnect", "session_id": session }))
            .await;
        other.until("system.notice").await;
        // Another connection follows it: nothing is cancelled.
        client.send(Message::Close(None)).await;
        client.closed().await;
        let alive = json!({ "event": "user.request_state", "session_id": session });
        assert_eq!(other.ask(alive).await["event"], "agent.state_exported");
        assert!(server.session(&session).await.active.is_some());
        other.send(Message::Close(None)).await;
        other.closed().await;
        let mut after = server.connect().await;
        if cancelled {
            loop {
                after
                    .say(json!({ "event": "user.reconnect", "session_id": session }))
                    .await;
                if names(&after.until("system.notice").await).contains(&"agent.interrupted") {
                    break;
                }
            }
        } else {
            assert!(server.session(&session).await.active.is_some());
        }
    }
}
