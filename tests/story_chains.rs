//! Chains of agents whose server is killed wherever it can hurt: while a choice is waited for, and while the second agent writes.

use reqwest::Method;
use serde_json::{Value, json};
use story::trial::Intent;

use crate::support::rig::{NO_CURATOR, Rig};
use crate::support::story::{
    CHAT, PLANNED, PROJECT, PROSE, Told, WANTED, WRITER, of, put_project, say, script_with, status,
    text, told,
};

/// A rule for the writer, whose prompt has the first agent's answer in it: its first answer stops in the middle until the server is dead.
fn held_writer() -> Value {
    json!({ "when": { "system_contains": WRITER }, "answer": PROSE, "chunk_chars": 4, "hold_after_chunks": 2, "times": 1 })
}

/// Says this, and kills the server while the writer writes; what was sent until then is lost to the client.
async fn say_and_kill(rig: &mut Rig, body: Value) {
    let (api, sent) = (rig.api.clone(), body.to_string());
    let cut = tokio::spawn(async move {
        let headers = [("content-type", "application/json")];
        api.try_send(Method::POST, CHAT, &headers, Some(sent.into()))
            .await
    });
    rig.until_held(1).await;
    rig.again().await;
    assert!(
        cut.await.expect("it ends").is_err(),
        "the stream was broken off"
    );
}

/// The latest run of the session, to its end.
async fn rejoin(rig: &Rig) -> Vec<Told> {
    let answer = rig.api.get(&format!("{CHAT}/s1")).await.succeeded();
    told(answer.as_str().expect("a stream"))
}

/// What the writer was asked each time.
async fn asked_of_writer(rig: &Rig) -> Vec<String> {
    let journal = rig.model.journal().await;
    assert_eq!(journal.paid_twice(), vec![]);
    let requests = journal.requests().iter();
    let bodies = requests.map(|request| request["body"].to_string());
    bodies.filter(|body| body.contains(WRITER)).collect()
}

/// What has to hold for a chain whose server was killed: all frames are sent, the writer has seen what came before, and nothing was
/// paid twice.
async fn goes_on(rig: &Rig, intent: Intent, before: &[&str], paid: usize) {
    let told = rejoin(rig).await;
    assert_eq!(status(&told), "completed", "{intent:?}");
    assert_eq!(text(&told, 2), PROSE, "{intent:?}");
    let summary = of(&told, "chain_summary")[0];
    assert_eq!(
        (&summary["successCount"], &summary["failureCount"]),
        (&json!(2), &json!(0))
    );
    assert_eq!(summary["outputs"][1]["content"], PROSE);
    assert_eq!(summary["outputs"][0]["content"], text(&told, 1).as_str());
    let asked = asked_of_writer(rig).await;
    assert_eq!(asked.len(), 2, "it was asked again after the kill");
    for prompt in &asked {
        for said in before {
            assert!(prompt.contains(said), "{said} is not in {prompt}");
        }
    }
    assert_eq!(asked[0], asked[1], "the question is the same");
    assert_eq!(rig.model.journal().await.paid(), paid, "{intent:?}");
}

async fn killed_while_the_writer_writes(intent: Intent, before: &[&str]) {
    let mut rig = Rig::playing(&script_with([held_writer()]), &NO_CURATOR).await;
    put_project(&rig.api, PROJECT, "").await;
    let body = json!({
        "message": "灯塔的故事", "sessionId": "s1", "projectId": PROJECT, "intentHint": intent,
    });
    say_and_kill(&mut rig, body).await;
    goes_on(&rig, intent, before, 3).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_outline_becomes_a_chapter_through_a_kill() {
    killed_while_the_writer_writes(Intent::OutlineToChapter, &["子夜", PLANNED]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_character_comes_on_stage_through_a_kill() {
    killed_while_the_writer_writes(Intent::CharacterToScene, &["陈默", WANTED]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_choice_is_waited_for_and_written_out_through_two_kills() {
    let mut rig = Rig::playing(&script_with([held_writer()]), &NO_CURATOR).await;
    put_project(&rig.api, PROJECT, "").await;
    let more = json!({ "projectId": PROJECT, "intentHint": "BRAINSTORM_AND_EXPAND" });
    let first = say(&rig.api, "s1", "灯塔的故事", more).await;
    assert_eq!(status(&first), "paused");
    let pause = of(&first, "user_input_required")[0]["pause"].clone();
    rig.again().await;
    // The chain still waits, and sends the same frames again.
    let waiting = rejoin(&rig).await;
    assert_eq!(waiting, first);
    let choice = json!({ "chainContext": { "pause": pause, "selection": "无人的灯塔" } });
    let body = json!({ "message": "就这个", "sessionId": "s1", "metadata": choice });
    say_and_kill(&mut rig, body).await;
    goes_on(
        &rig,
        Intent::BrainstormAndExpand,
        &["海上钟声", "守塔人的信", "无人的灯塔"],
        3,
    )
    .await;
}
