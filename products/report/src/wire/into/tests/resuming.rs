//! Leaving a session and reconnecting to it.

use super::*;

async fn state(client: &mut Client, session: &str) -> Value {
    let ask = json!({ "event": "user.request_state", "session_id": session });
    let exported = client.ask(ask).await;
    assert_eq!(exported["event"], "agent.state_exported");
    let metadata = &exported["metadata"];
    let signed = text(&metadata["signed_state"]);
    assert_eq!(metadata["state_size"], signed.len());
    assert_eq!(metadata["message_count"], 1);
    metadata["signed_state"].clone()
}

/// Every numbered frame of a session.
async fn all_of(server: &Server, session: &str) -> Vec<Value> {
    let mut client = server.connect().await;
    client
        .say(json!({ "event": "user.reconnect", "session_id": session, "last_seq": 0 }))
        .await;
    let mut frames = client.until("system.notice").await;
    frames.retain(|frame| frame["seq"].is_u64());
    frames.iter_mut().for_each(without_connection);
    frames
}

fn without_connection(frame: &mut Value) {
    if let Some(fields) = frame.as_object_mut() {
        fields.remove("connection_id");
    }
    if let Some(fields) = frame["metadata"].as_object_mut() {
        fields.remove("connection_id");
    }
}

#[tokio::test]
async fn whoever_comes_back_gets_what_was_missed_and_then_what_comes() {
    let server = Server::with(&[], &[], 0).await;
    let mut client = server.connect().await;
    let (session, step) = client.planned().await;
    let signed = state(&mut client, &session).await;
    client.confirm(&session, &step).await;
    for _ in 0..3 {
        client.until("solver.start").await;
    }
    drop(client);
    let mut client = server.connect().await;
    let back = json!({ "event": "user.reconnect_with_state", "signed_state": signed });
    let restored = client.ask(back).await;
    assert_eq!(
        (&restored["event"], &restored["session_id"]),
        (&json!("agent.state_restored"), &json!(session))
    );
    let metadata = &restored["metadata"];
    assert_eq!(
        (
            &metadata["original_session_id"],
            &metadata["message_count"],
            &metadata["agent_name"],
            &metadata["warnings"]
        ),
        (&json!(session), &json!(1), &json!("report"), &json!([]))
    );
    let mut missed = client.until("system.notice").await;
    let notice = missed.pop().expect("the notice");
    let replay = &notice["metadata"]["replay"];
    let last = missed.last().expect("a missed frame");
    assert_eq!(
        (&replay["action"], &replay["count"], &replay["replayed"]),
        (&json!("replay"), &json!(missed.len()), &json!(missed.len()))
    );
    assert_eq!(
        (&replay["last_seq"], &replay["last_event_id"]),
        (&last["seq"], &last["event_id"])
    );
    // New frames come after the replay notice.
    server.sections.add_permits(3);
    let live = client.until("agent.final_answer").await;
    let mut all: Vec<Value> = missed.into_iter().chain(live).collect();
    all.iter_mut().for_each(without_connection);
    let whole = all_of(&server, &session).await;
    assert_eq!(seqs(&whole), (1..=whole.len() as u64).collect::<Vec<_>>());
    assert_eq!(all, whole[whole.len() - all.len()..]);
    let step = json!(step);
    let asked = whole.iter().position(|frame| frame["step_id"] == step);
    assert_eq!(asked.map(|at| at + 1), Some(whole.len() - all.len()));
}

#[tokio::test]
async fn the_last_event_that_a_client_names_goes_before_its_state() {
    let server = Server::start().await;
    let mut client = server.connect().await;
    let (session, step) = client.planned().await;
    let signed = state(&mut client, &session).await;
    client.confirm(&session, &step).await;
    client.until("agent.final_answer").await;
    let whole = all_of(&server, &session).await;
    let head = whole.len() as u64;
    let at_state = whole
        .iter()
        .position(|frame| frame["step_id"] == json!(step));
    let at_state = at_state.expect("the question") as u64 + 1;
    let id = |version: u32, seq: u64| json!(format!("{session}-v{version}-{seq}"));
    let version = Wire::VERSION;
    let foreign = version + 1;
    let with_state = json!({ "event": "user.reconnect_with_state", "signed_state": signed });
    let without = json!({ "event": "user.reconnect", "session_id": session });
    for (base, more, first, reset, warned) in [
        (&with_state, json!({}), at_state + 1, false, false),
        (
            &with_state,
            json!({ "last_seq": head }),
            head + 1,
            false,
            false,
        ),
        (
            &with_state,
            json!({ "content": { "last_seq": 2 } }),
            3,
            false,
            false,
        ),
        (
            &with_state,
            json!({ "last_event_id": id(version, 3) }),
            4,
            false,
            false,
        ),
        (
            &with_state,
            json!({ "last_event_id": id(version, 3), "last_seq": 2 }),
            4,
            false,
            false,
        ),
        (
            &with_state,
            json!({ "last_event_id": id(foreign, 3) }),
            1,
            true,
            false,
        ),
        // If what the client names is unusable, the position of the state is used.
        (
            &with_state,
            json!({ "last_seq": head + 1 }),
            at_state + 1,
            false,
            true,
        ),
        (
            &with_state,
            json!({ "last_seq": -1 }),
            at_state + 1,
            false,
            true,
        ),
        (
            &with_state,
            json!({ "last_event_id": "other-v1-3" }),
            at_state + 1,
            false,
            true,
        ),
        (&without, json!({}), 1, false, false),
        (&without, json!({ "last_seq": 4 }), 5, false, false),
        (
            &without,
            json!({ "last_event_id": id(foreign, 4) }),
            1,
            true,
            false,
        ),
    ] {
        let mut message = base.clone();
        for (name, value) in more.as_object().expect("an object") {
            message[name] = value.clone();
        }
        client.say(message).await;
        let heard = client.until("system.notice").await;
        let expected: Vec<_> = (first..=head).collect();
        assert_eq!(seqs(&heard), expected, "{more}");
        let told = &heard[0]["metadata"];
        let notice = &heard[heard.len() - 1]["metadata"];
        assert_eq!(told["reset"] == true, reset, "{more}");
        assert_eq!(notice["reset"] == true, reset, "{more}");
        assert_eq!(notice["replay"]["last_seq"], head);
        assert_eq!(told["warnings"] != json!([]), warned, "{more}");
    }
}

#[tokio::test]
async fn nothing_is_restored_from_what_is_not_right() {
    let server = Server::start().await;
    let mut client = server.connect().await;
    let (session, _) = client.planned().await;
    let owner = Owner(LOCAL_OWNER.to_owned());
    let (signer, now) = (&server.app.signer, server.app.engine.clock().now());
    let signed = |session: &str, cursor: &str| {
        let cursor = cursor.parse().expect("a cursor");
        state::sign(signer, &owner, &SessionId::new(session), cursor, now)
    };
    let version = Wire::VERSION;
    let ahead = signed(&session, &format!("v{version}.999.0"));
    let gone = signed("s_gone", &format!("v{version}.1.0"));
    let wrong = {
        let right = signed(&session, &format!("v{version}.1.0"));
        let (payload, _) = right.split_once('.').expect("two parts");
        format!("{payload}.AAAA")
    };
    for (message, words) in [
        (
            json!({ "event": "user.reconnect_with_state" }),
            "Missing signed_state in reconnect request",
        ),
        (
            json!({ "event": "user.reconnect_with_state", "signed_state": { "state": {} } }),
            "Invalid state: it is not a state of this server",
        ),
        (
            json!({ "event": "user.reconnect_with_state", "signed_state": wrong }),
            "Invalid state: Invalid state signature",
        ),
        (
            json!({ "event": "user.reconnect_with_state", "signed_state": ahead }),
            "Invalid state: it is ahead of the log",
        ),
        (
            json!({ "event": "user.reconnect_with_state", "signed_state": gone }),
            "Session not found",
        ),
        (
            json!({ "event": "user.reconnect" }),
            "Unknown event type or missing session_id: user.reconnect",
        ),
        (
            json!({ "event": "user.reconnect", "session_id": "s_gone", "last_seq": 1 }),
            "Session not found",
        ),
        (
            json!({ "event": "user.reconnect", "session_id": session, "last_seq": 999 }),
            "Invalid state: it is ahead of the log",
        ),
        (
            json!({ "event": "user.reconnect", "session_id": session, "last_seq": "x" }),
            "Invalid state: last_seq is not of this session",
        ),
    ] {
        let mut other = server.connect().await;
        let refused = other.ask(message.clone()).await;
        assert_eq!(refused["event"], "agent.error", "{message}");
        assert_eq!(refused["content"], words, "{message}");
        let ask = json!({ "event": "user.request_state", "session_id": session });
        let refused = other.ask(ask).await;
        assert_eq!(
            refused["content"],
            "Session does not belong to this connection"
        );
    }
    // A state of another numbering is valid, but everything is sent again.
    let foreign = signed(&session, &format!("v{}.1.0", version + 1));
    let back =
        json!({ "event": "user.reconnect_with_state", "signed_state": foreign, "last_seq": 2 });
    client.say(back).await;
    let heard = client.until("system.notice").await;
    assert_eq!(heard[0]["metadata"]["reset"], true);
    assert_eq!(seqs(&heard).first(), Some(&1));
}

#[tokio::test]
async fn several_connections_share_a_session() {
    let server = Server::start().await;
    let mut first = server.connect().await;
    let (session, step) = first.planned().await;
    let mut second = server.connect().await;
    second
        .say(json!({ "event": "user.reconnect", "session_id": session }))
        .await;
    second.until("system.notice").await;
    second.confirm(&session, &step).await;
    let (at_first, at_second) = tokio::join!(
        first.until("agent.final_answer"),
        second.until("agent.final_answer")
    );
    assert_eq!(seqs(&at_first), seqs(&at_second));
    assert_ne!(at_first[0]["connection_id"], at_second[0]["connection_id"]);
}
