//! Sessions about a novel whose models follow a script: prose that is checked, a plan, chains that end, fail, and wait, and a chapter that
//! was cut off.

use std::path::Path;

use reqwest::Method;
use serde_json::{Value, json};

use crate::live;
use crate::support::recorded::INVENTED_MASTER_KEY;
use crate::support::rig::Rig;
use crate::support::story::{
    CHAT, PROJECT, PROSE, WRITER, of, put_project, say, script_with, status,
};

/// Every session with the wire of its pipeline. The last but one is the lane of what was said while a chain waits.
const SESSIONS: [(&str, &str); 7] = [
    ("story-prose", "story"),
    ("story-plan", "story"),
    ("story-chain", "story"),
    ("story-failed", "story"),
    ("story-waits", "story"),
    ("story-waits~2", "story"),
    ("story-cut", "story"),
];

pub(crate) async fn record(folder: &Path) {
    let key = [("PALIMPSEST_MASTER_KEY", INVENTED_MASTER_KEY)];
    let mut rig = Rig::playing(&script_with([]), &key).await;
    put_project(&rig.api, PROJECT, "").await;
    runs(&rig, folder).await;
    chains(&rig, folder).await;
    cut(&mut rig).await;
    crate::folded::keep(folder, &rig.place, &SESSIONS).await;
}

fn message(session: &str, text: &str, intent: &str) -> Value {
    json!({ "message": text, "sessionId": session, "projectId": PROJECT, "intentHint": intent })
}

async fn runs(rig: &Rig, folder: &Path) {
    let said = message("story-prose", "续写这场打斗", "WRITE_CONTENT");
    let live = live::stream(&rig.api, CHAT, &said).await;
    live.write(folder, "story-prose.stream.txt");
    let said = message("story-plan", "设计一个反派", "PLAN_CHARACTER");
    let live = live::stream(&rig.api, CHAT, &said).await;
    live.write(folder, "story-plan.stream.txt");
}

async fn chains(rig: &Rig, folder: &Path) {
    for session in ["story-chain", "story-waits"] {
        let said = message(session, "灯塔的故事", "BRAINSTORM_AND_EXPAND");
        let live = live::stream(&rig.api, CHAT, &said).await;
        live.write(folder, &format!("{session}.stream.txt"));
    }
    let choice = json!({ "message": "2", "sessionId": "story-chain" });
    let live = live::stream(&rig.api, CHAT, &choice).await;
    live.write(folder, "story-chain.choice.txt");
    let aside = say(&rig.api, "story-waits", "你好", json!({})).await;
    assert_eq!(status(&aside), "completed");

    let refused = json!({ "when": { "system_contains": WRITER }, "status": 400 });
    rig.model.play(&script_with([refused])).await;
    let more = json!({ "projectId": PROJECT, "intentHint": "OUTLINE_TO_CHAPTER" });
    let failed = say(&rig.api, "story-failed", "把大纲写成第三章", more).await;
    assert_eq!(status(&failed), "failed");
    assert_eq!(of(&failed, "chain_summary").len(), 1);
}

/// Leaves a session in the middle of its prose: the program is killed there.
async fn cut(rig: &mut Rig) {
    let held = json!({ "when": { "system_contains": WRITER }, "answer": PROSE, "chunk_chars": 4, "hold_after_chunks": 2 });
    rig.model.play(&script_with([held])).await;
    let said = message("story-cut", "续写这场打斗", "WRITE_CONTENT").to_string();
    let api = rig.api.clone();
    let cut = tokio::spawn(async move {
        let headers = [("content-type", "application/json")];
        api.try_send(Method::POST, CHAT, &headers, Some(said.into()))
            .await
    });
    rig.until_held(1).await;
    rig.server.kill().await;
    assert!(cut.await.expect("it ends").is_err(), "it was broken off");
}
