//! The story protocol as its clients see it: every intent once, a chain whose server is killed while it waits and while it works, `curl
//! -N`, and `eventsource` on Node.

use reqwest::Method;
use serde_json::{Value, json};
use story::trial::Intent;
use tokio::process::Command;

use crate::support::api::{Answer, Api};
use crate::support::rig::Rig;
use crate::support::story::{
    CHAT, PROSE, Told, WRITER, of, put_project, say, script_with, status, text, told,
};
use crate::support::{clients, ended_well, root, skipped, within};

async fn after(api: &Api, id: Option<&str>) -> Answer {
    let headers: Vec<(&str, &str)> = id.iter().map(|id| ("last-event-id", *id)).collect();
    let path = format!("{CHAT}/s1");
    api.send(Method::GET, &path, &headers, None).await
}

fn frames(answer: Answer) -> Vec<Told> {
    told(answer.succeeded().as_str().expect("a stream"))
}

/// A rule for the first answer of the writer; `beside` says how that answer is kept from its end.
fn writer(beside: Value) -> Value {
    let mut rule = json!({ "when": { "system_contains": WRITER }, "answer": PROSE, "chunk_chars": 4, "times": 1 });
    for (name, value) in beside.as_object().expect("an object") {
        rule[name] = value.clone();
    }
    rule
}

#[tokio::test(flavor = "multi_thread")]
async fn every_intent_is_worked_on_by_its_agents() {
    let rig = Rig::playing(&script_with([]), &[]).await;
    for intent in Intent::ALL {
        let more = json!({ "intentHint": intent });
        let told = say(&rig.api, intent.as_str(), "写灯塔的故事", more).await;
        let expected = if intent.workflow().pauses() {
            "paused"
        } else {
            "completed"
        };
        assert_eq!(status(&told), expected, "{intent:?}");
        assert_eq!(told[0].1["intent"], json!(intent));
        let agents: Vec<&Value> = of(&told, "thought")
            .into_iter()
            .filter(|thought| thought["stage"] == "agent_started")
            .map(|thought| &thought["agent"])
            .collect();
        let known = if intent.workflow().pauses() {
            1
        } else {
            intent.agents().len()
        };
        assert_eq!(json!(agents), json!(intent.agents()[..known]));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_chain_that_waits_survives_a_kill_and_what_is_said_meanwhile() {
    let mut rig = Rig::playing(&script_with([]), &[]).await;
    let hint = json!({ "intentHint": "BRAINSTORM_AND_EXPAND" });
    let first = say(&rig.api, "s1", "灯塔的故事", hint).await;
    assert_eq!(status(&first), "paused");
    let pause = of(&first, "user_input_required")[0]["pause"].clone();
    let paused = first.last().expect("frames").0.clone();
    let aside = say(&rig.api, "s1", "你好", json!({})).await;
    assert_eq!(
        (status(&aside), &aside[0].1["runId"]),
        ("completed", &json!("r1~2"))
    );
    rig.again().await;
    // Frames that were sent are sent again, byte for byte, and nothing more.
    assert_eq!(after(&rig.api, Some(&paused)).await.status.as_u16(), 204);
    let again = frames(after(&rig.api, Some(&aside[0].0)).await);
    assert_eq!(again.last(), aside.last());
    let chosen = json!({ "metadata": { "chainContext": { "pause": pause, "selection": "2" } } });
    let rest = say(&rig.api, "s1", "就这个", chosen.clone()).await;
    assert_eq!(
        (status(&rest), text(&rest, 2)),
        ("completed", PROSE.to_owned())
    );
    let outputs = &of(&rest, "chain_summary")[0]["outputs"];
    assert_eq!(outputs.as_array().map(Vec::len), Some(2));
    // The writer was told what was chosen.
    let journal = rig.model.journal().await;
    let asked = journal.requests().iter().map(Value::to_string);
    assert!(
        asked
            .filter(|request| request.contains(WRITER))
            .all(|request| request.contains("无人的灯塔"))
    );
    let body = json!({ "message": "就这个", "sessionId": "s1", "metadata": chosen["metadata"] });
    rig.api.post(CHAT, &body).await.refused(409, "pause_over");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_text_that_a_kill_cut_off_comes_once_and_whole() {
    let held = writer(json!({ "hold_after_chunks": 2 }));
    let mut rig = Rig::playing(&script_with([held]), &[]).await;
    let body = json!({ "message": "写灯塔", "sessionId": "s1", "intentHint": "WRITE_CONTENT" });
    let (api, sent) = (rig.api.clone(), body.to_string());
    let cut = tokio::spawn(async move {
        let headers = [
            ("content-type", "application/json"),
            ("idempotency-key", "k1"),
        ];
        api.try_send(Method::POST, CHAT, &headers, Some(sent.into()))
            .await
    });
    rig.until_held(1).await;
    rig.again().await;
    assert!(
        cut.await.expect("it ends").is_err(),
        "the stream was broken off"
    );
    let headers = [
        ("content-type", "application/json"),
        ("idempotency-key", "k1"),
    ];
    let again = rig
        .api
        .send(Method::POST, CHAT, &headers, Some(body.to_string().into()));
    let again = frames(again.await);
    assert_eq!(
        (status(&again), text(&again, 1)),
        ("completed", PROSE.to_owned())
    );
    let whole = frames(after(&rig.api, None).await);
    assert_eq!(of(&whole, "content").len(), 1);
    for (place, (id, _)) in whole.iter().enumerate() {
        let missed = after(&rig.api, Some(id)).await;
        if place + 1 == whole.len() {
            assert_eq!(missed.status.as_u16(), 204);
        } else {
            assert_eq!(frames(missed), whole[place + 1..]);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_text_that_the_provider_cut_off_is_not_said_twice() {
    let cut = writer(json!({ "cut_after_chunks": 3 }));
    let rig = Rig::playing(&script_with([cut]), &[]).await;
    let told = say(
        &rig.api,
        "s1",
        "写灯塔",
        json!({ "intentHint": "WRITE_CONTENT" }),
    )
    .await;
    assert_eq!(
        (status(&told), text(&told, 1)),
        ("completed", PROSE.to_owned())
    );
    let said: String = of(&told, "content")
        .iter()
        .filter_map(|piece| piece["content"].as_str())
        .collect();
    assert_eq!(said, PROSE);
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_at_the_same_time_share_nothing() {
    let rig = Rig::playing(&json!({}), &[]).await;
    let asked = (0..8).map(|number| {
        let body = json!({ "message": format!("问候<{number}>"), "sessionId": format!("s{number}"), "intentHint": "GENERAL_CHAT" });
        let api = rig.api.clone();
        async move { frames(api.post(CHAT, &body).await) }
    });
    // A model that sends back what it is asked shows who was asked what.
    for (number, told) in futures::future::join_all(asked).await.iter().enumerate() {
        let said = text(told, 1);
        for other in 0..8 {
            assert_eq!(
                said.contains(&format!("<{other}>")),
                other == number,
                "{said}"
            );
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn curl_gets_a_stream_with_its_end_and_makes_its_choice() {
    let look = Command::new("curl").arg("--version").output().await;
    if !look.is_ok_and(|output| output.status.success()) {
        skipped("curl is not installed");
        return;
    }
    let rig = Rig::playing(&script_with([]), &[]).await;
    let mut client = Command::new("bash");
    client
        .current_dir(root().join("tests/clients"))
        .arg("story.sh")
        .arg(rig.server.address())
        .kill_on_drop(true);
    let output = within("the client's end", client.output()).await;
    ended_well(&output.expect("it starts"), &rig.server.said());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_on_node_gets_every_intent_as_the_contract_says() {
    node("intents").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_on_node_that_is_broken_off_behind_every_frame_has_the_whole_run() {
    node("cuts").await;
}

/// Drives a group of what `story.mjs` knows, against a server with a project for each intent.
async fn node(group: &str) {
    let Some(clients) = clients().await else {
        return;
    };
    let rig = Rig::playing(&script_with([]), &[]).await;
    for intent in Intent::ALL {
        put_project(&rig.api, &intent.as_str().to_lowercase(), "").await;
    }
    let mut client = Command::new("node");
    client
        .current_dir(clients)
        .args(["story.mjs", &rig.server.address(), PROSE, group])
        .kill_on_drop(true);
    let output = within("the client's end", client.output()).await;
    ended_well(&output.expect("it starts"), &rig.server.said());
}
