//! A budget is held before the call: what a run can't pay for waits for a person, for days and through restarts.

use serde_json::{Value, json};

use crate::support::api::Follow;
use crate::support::course::{TURNS, opening, script};
use crate::support::folder::TestFolder;
use crate::support::program::{Server, palimpsest};
use crate::support::scripted::Scripted;

/// Calls that are allowed at first.
const CALLS: u64 = 3;

async fn serve(place: &TestFolder, model: &Scripted) -> Server {
    let mut command = palimpsest(place);
    model.serve_for(&mut command);
    Server::start(command).await
}

fn attended(session: &str) -> Value {
    let mut opening = opening(session);
    opening["settings"]["attended"] = json!(true);
    opening["settings"]["budget"] = json!({ "calls": CALLS });
    opening
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_can_not_pay_asks_waits_through_a_restart_and_goes_on_when_it_may() {
    let model = Scripted::start(&script()).await;
    let place = TestFolder::new();
    let mut server = serve(&place, &model).await;
    server.api().open(&attended("s")).await;
    let opened = Follow::new(&server.api(), "s", "native")
        .until("a gate", |frame| frame["type"] == "gate_opened")
        .await;
    assert_eq!(opened["data"]["name"], "budget");
    assert_eq!(model.journal().await.paid() as u64, CALLS);
    server.kill().await;

    let server = serve(&place, &model).await;
    let api = server.api();
    let gate = &opened["data"]["gate"];
    let wrong = json!({ "gate": gate, "answer": { "choice": "perhaps" } });
    let message = api
        .command("s", "a0", "answer_gate", wrong)
        .await
        .refused(422, "bad_answer");
    assert!(message.contains("choice"), "{message}");
    let raise =
        json!({ "gate": gate, "answer": { "choice": "raise", "budget": { "calls": 100 } } });
    let first = api.command("s", "a1", "answer_gate", raise.clone()).await;
    let first = first.succeeded();
    let again = api.command("s", "a1", "answer_gate", raise.clone()).await;
    let again = again.succeeded();
    assert_eq!(first["applied_version"], again["applied_version"]);
    api.command("s", "a2", "answer_gate", raise)
        .await
        .refused(409, "gate_answered");
    let mut follow = Follow::new(&api, "s", "native");
    follow.end("r1", "run_completed").await;
    let journal = model.journal().await;
    assert_eq!(
        (journal.paid(), journal.paid_twice()),
        (TURNS.len(), vec![])
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_nobody_attends_ends_before_it_spends_more_than_it_may() {
    let model = Scripted::start(&script()).await;
    let place = TestFolder::new();
    let server = serve(&place, &model).await;
    let mut alone = attended("s");
    alone["settings"]["attended"] = json!(false);
    server.api().open(&alone).await;
    let api = server.api();
    let end = Follow::new(&api, "s", "native")
        .end("r1", "run_failed")
        .await;
    assert_eq!(end["data"]["code"], "budget");
    assert_eq!(model.journal().await.paid() as u64, CALLS);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_asks_nobody_is_done_though_every_call_is_spent() {
    let model = Scripted::start(&script()).await;
    let place = TestFolder::new();
    let server = serve(&place, &model).await;
    let mut exact = opening("s");
    exact["settings"]["budget"] = json!({ "calls": TURNS.len() });
    let api = server.api();
    api.open(&exact).await;
    // The document and its export come after the last call.
    Follow::new(&api, "s", "native")
        .end("r1", "run_completed")
        .await;
    assert_eq!(model.journal().await.paid(), TURNS.len());
}
