//! The frames of a stream.

use super::world::prose;
use super::*;
use crate::readings::routing::Intent;

#[tokio::test]
async fn a_greeting_is_answered_without_preprocessing() {
    let server = Server::start().await;
    let stream = server.say(json!({ "message": "你好" })).await;
    assert_eq!(
        (stream.session.as_str(), stream.run.as_str()),
        ("session_local_default", "r1")
    );
    let frames = stream.whole().await;
    assert_eq!(
        stages(&frames),
        ["routing", "agent_started", "agent_completed"]
    );
    let routing = of(&frames, "thought")[0];
    assert_eq!(
        (&routing["intent"], &routing["source"]),
        (&json!("GENERAL_CHAT"), &json!("RULE_ENGINE"))
    );
    assert_eq!(text(&frames, 1), prose());
    let done = last(&frames);
    assert_eq!(
        (&done["status"], &done["tokens"]),
        (&json!("completed"), &json!(120))
    );
    assert_eq!(done["sessionId"], "session_local_default");
}

#[tokio::test]
async fn prose_of_a_project_is_prepared_written_and_checked() {
    let server = Server::start().await;
    let body = json!({ "message": "续写这场打斗", "projectId": PROJECT, "skills": ["dialogue", "poetry"] });
    let frames = server.say(body).await.whole().await;
    let order = [
        "preflight_result",
        "content",
        "processing_check",
        "check_result",
        "done",
    ];
    let mut told: Vec<&str> = names(&frames)
        .into_iter()
        .filter(|name| order.contains(name))
        .collect();
    told.dedup();
    assert_eq!(told, order);
    let completed = |frame: &&Value| frame["stage"] == "preprocessing_task_completed";
    let tasks: Vec<&Value> = of(&frames, "thought")
        .into_iter()
        .filter(completed)
        .collect();
    assert_eq!(tasks.len(), 6);
    assert!(tasks.iter().all(|task| task["latencyMs"].is_number()));
    let failed: Vec<&Value> = tasks
        .into_iter()
        .filter(|task| task["status"] == "failed")
        .collect();
    assert_eq!(json!(failed)[0]["task"], "style");
    let kinds: Vec<&Value> = of(&frames, "warning")
        .iter()
        .map(|warning| &warning["kind"])
        .collect();
    assert_eq!(json!(kinds), json!(["preprocessing", "skill"]));
    let skills = of(&frames, "thought")
        .into_iter()
        .find(|frame| frame["stage"] == "skills_activated");
    let skills = &skills.expect("skills")["skills"];
    assert_eq!(skills[0]["id"], "dialogue-skill");
    assert_eq!(of(&frames, "check_result")[0]["status"], "passed");
    // The skills in the stream are the ones that the writer was given.
    let session = server.session(&format!("session_local_{PROJECT}")).await;
    let shown = session
        .artifacts
        .values()
        .find(|made| made.kind == "agent_prompt")
        .expect("it");
    let palimpsest::prelude::pipeline::event::Body::Event { json: shown } = &shown.body else {
        panic!("it is small");
    };
    let ids = |skills: &Value| -> Vec<Value> {
        skills
            .as_array()
            .expect("a list")
            .iter()
            .map(|skill| skill["id"].clone())
            .collect()
    };
    assert_eq!(ids(skills), ids(&shown["activeSkills"]));
}

#[tokio::test]
async fn without_consistency_nothing_is_checked() {
    let server = Server::start().await;
    for field in ["consistency", "consistencyEnabled"] {
        let mut body = json!({ "message": "续写这场打斗", "projectId": PROJECT });
        body[field] = json!(false);
        let frames = server.say(body).await.whole().await;
        let told = names(&frames);
        assert!(!told.contains(&"processing_check") && !told.contains(&"check_result"));
    }
}

#[tokio::test]
async fn every_intent_reaches_its_end() {
    let server = Server::start().await;
    for intent in Intent::ALL {
        let body = json!({ "message": "做吧", "projectId": PROJECT, "intentHint": intent, "sessionId": intent.as_str() });
        let frames = server.say(body).await.whole().await;
        let status = if intent.workflow().pauses() {
            "paused"
        } else {
            "completed"
        };
        assert_eq!(last(&frames)["status"], status, "{intent:?}");
        let agents: Vec<&Value> = of(&frames, "thought")
            .into_iter()
            .filter(|thought| thought["stage"] == "agent_started")
            .map(|thought| &thought["agent"])
            .collect();
        let known = if intent.workflow().pauses() {
            1
        } else {
            intent.agents().len()
        };
        assert_eq!(json!(agents), json!(intent.agents()[..known]), "{intent:?}");
        for frame in &frames {
            assert_eq!(
                frame.data.get("content").is_some(),
                frame.data["type"] == "content"
            );
            assert!(frame.data.get("data").is_none());
        }
    }
}

#[tokio::test]
async fn text_comes_while_it_is_written_and_once() {
    let server = Server::with(&[], 0).await;
    let mut stream = server
        .say(json!({ "message": "你好", "sessionId": "s1" }))
        .await;
    let mut frames = stream.until("content").await;
    assert_eq!(last(&frames)["content"], "灯亮了。");
    // A client that connects now gets the text so far in one piece.
    let mut other = Sse::of(server.get("/api/v2/agent/chat/s1").await);
    let seen = other.until("content").await;
    assert_eq!(last(&seen)["content"], "灯亮了。");
    server.texts.add_permits(1);
    frames.extend(stream.whole().await);
    assert_eq!(text(&frames, 1), prose());
    let sum: String = of(&frames, "content")
        .iter()
        .filter_map(|piece| piece["content"].as_str())
        .collect();
    assert_eq!(sum, prose(), "appending the pieces does as well");
}

#[tokio::test]
async fn a_plan_is_told_as_proposed() {
    let server = Server::start().await;
    let body = json!({ "message": "/character 设计反派", "projectId": PROJECT });
    let frames = server.say(body).await.whole().await;
    let update = of(&frames, "relationship_update")[0];
    assert_eq!(
        (&update["status"], &update["entries"][0]["name"]),
        (&json!("proposed"), &json!("陈默"))
    );
}

#[tokio::test]
async fn a_task_that_fails_and_one_that_never_ends_are_told_and_the_rest_is_used() {
    let server = Server::start().await;
    let body = json!({ "message": "续写这场没有回音的打斗", "projectId": PROJECT });
    let frames = server.say(body).await.whole().await;
    let failed: Vec<&Value> = of(&frames, "thought")
        .into_iter()
        .filter(|frame| frame["stage"] == "preprocessing_task_completed")
        .filter(|task| task["status"] == "failed")
        .map(|task| &task["task"])
        .collect();
    let mut failed = json!(failed);
    failed
        .as_array_mut()
        .expect("a list")
        .sort_by_key(ToString::to_string);
    assert_eq!(failed, json!(["plotloops", "style"]));
    let warned = of(&frames, "warning");
    let said = warned.iter().any(|warning| {
        let message = warning["message"].as_str().unwrap_or_default();
        message.contains("storyRead") && message.contains("seconds")
    });
    assert!(said, "{warned:?}");
    assert_eq!(text(&frames, 1), prose());
    assert_eq!(last(&frames)["status"], "completed");
}

#[tokio::test]
async fn a_long_outline_is_planned_in_ranges_and_no_chapter_is_missing() {
    let server = Server::start().await;
    let body = json!({ "message": "帮我规划五十章的大纲", "projectId": PROJECT });
    let frames = server.say(body).await.whole().await;
    let planned: Vec<&Value> = of(&frames, "thought")
        .into_iter()
        .filter(|frame| frame["stage"] == "outline_range_planned")
        .map(|frame| &frame["message"])
        .collect();
    assert_eq!(
        json!(planned),
        json!([
            "第 1 至 20 章已规划",
            "第 21 至 40 章已规划",
            "第 41 至 50 章已规划"
        ])
    );
    let stages = stages(&frames);
    assert_eq!(
        stages.iter().filter(|it| **it == "attempt_started").count(),
        1
    );
    assert_eq!(
        stages.iter().filter(|it| **it == "agent_started").count(),
        1
    );
    let outline = text(&frames, 1);
    for number in 1..=50 {
        assert!(
            outline.contains(&format!("{number}. 灯 {number}\n")),
            "{outline}"
        );
    }
    assert_eq!(outline.matches("上卷").count(), 1);
    assert_eq!(last(&frames)["status"], "completed");
}
