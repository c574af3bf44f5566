//! Two servers on one PostgreSQL database: whichever is asked, the work is done once, and the other one takes up what one leaves.

use serde_json::json;

use crate::support::api::Follow;
use crate::support::course::{MADE, TURNS, opening, rule, script_with};
use crate::support::folder::TestFolder;
use crate::support::postgres::Database;
use crate::support::program::{Server, palimpsest};
use crate::support::scripted::{Journal, Scripted};

/// Seconds of a lease: a test waits for it once.
const LEASE: &str = "1";

/// A server with the data folder of this place.
async fn serve(database: &Database, place: &TestFolder, model: &Scripted) -> Server {
    let mut command = palimpsest(place);
    command
        .env("PALIMPSEST_DATABASE", &database.url)
        .env("PALIMPSEST_LEASE_SECONDS", LEASE);
    model.serve_for(&mut command);
    Server::start(command).await
}

#[tokio::test(flavor = "multi_thread")]
async fn runs_that_were_started_on_either_finish_and_clients_of_either_see_everything() {
    let Some(database) = Database::new("either").await else {
        return;
    };
    let model = Scripted::start(&script_with([])).await;
    let place = TestFolder::new();
    let (one, two) = (
        serve(&database, &place, &model).await,
        serve(&database, &place, &model).await,
    );
    let (first, second) = (one.api(), two.api());
    first.open(&opening("a")).await;
    second.open(&opening("b")).await;
    for (session, api) in [("a", &second), ("b", &first)] {
        // Each run is followed at the server that did not start it.
        Follow::new(api, session, "native")
            .end("r1", "run_completed")
            .await;
    }
    for session in ["a", "b"] {
        assert_eq!(
            first.frames(session, "native").await,
            second.frames(session, "native").await
        );
        assert_eq!(
            first.made(session, "r1").await,
            second.made(session, "r1").await
        );
    }
    assert_eq!(first.made("a", "r1").await, first.made("b", "r1").await);
    let journal = model.journal().await;
    assert_eq!(
        (journal.paid(), journal.paid_twice()),
        (2 * TURNS.len(), vec![])
    );

    // A command can go to either server: each sees what the other one has changed.
    let payload =
        json!({ "stage": "generate_slides", "feedback": "calmer", "settings": { "width": 1 } });
    second
        .command("a", "c1", "refine", payload.clone())
        .await
        .succeeded();
    Follow::new(&first, "a", "native")
        .end("r2", "run_completed")
        .await;
    first
        .command("a", "c2", "move_head", json!({ "run": "r1" }))
        .await
        .succeeded();
    assert_eq!(second.session("a").await["head"], "r1");
    let again = first
        .command("a", "c1", "refine", payload)
        .await
        .succeeded();
    assert_eq!(
        (&again["run"], &again["duplicate"]),
        (&json!("r2"), &json!(true))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_killed_server_was_doing_is_taken_up_by_the_other_one() {
    let Some(database) = Database::new("killed").await else {
        return;
    };
    let held = rule(
        TURNS[7],
        Some(1),
        json!({ "hold_after_chunks": 1, "chunk_chars": 20 }),
    );
    let model = Scripted::start(&script_with([held])).await;
    let place = TestFolder::new();
    let mut one = serve(&database, &place, &model).await;
    one.api().open(&opening("s")).await;
    let is_held = |journal: &Journal| {
        journal
            .requests()
            .iter()
            .any(|request| !request["held_us"].is_null())
    };
    model.journal_when("a held answer", is_held).await;
    let two = serve(&database, &place, &model).await;
    let api = two.api();
    let mut follow = Follow::new(&api, "s", "native");
    follow
        .until("the page before", |frame| {
            frame["type"] == "step_succeeded" && frame["data"]["item"] == "1"
        })
        .await;
    one.kill().await;
    follow.end("r1", "run_completed").await;
    let cursors: Vec<_> = follow
        .frames
        .iter()
        .map(|frame| frame["version"].as_u64())
        .collect();
    assert_eq!(
        cursors,
        (1..=follow.frames.len() as u64)
            .map(Some)
            .collect::<Vec<_>>()
    );
    assert_eq!(api.made("s", "r1").await.len(), MADE);
    let journal = model.journal().await;
    assert_eq!(
        (journal.paid(), journal.paid_twice()),
        (TURNS.len(), vec![])
    );
    let attempts = follow
        .frames
        .iter()
        .filter(|frame| frame["type"] == "step_requested");
    assert!(
        attempts.clone().all(|frame| frame["data"]["attempt"] == 1),
        "taking over is no new attempt"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_ends_gives_away_what_waits_and_ends_its_calls_itself() {
    let Some(database) = Database::new("drained").await else {
        return;
    };
    let held = rule(
        TURNS[7],
        Some(1),
        json!({ "hold_after_chunks": 1, "chunk_chars": 20 }),
    );
    let model = Scripted::start(&script_with([held])).await;
    let place = TestFolder::new();
    // One call at a time, so that the second session has to wait for the first one.
    place.write("palimpsest.toml", "[provider]\nconcurrency = 1\n");
    let mut one = serve(&database, &place, &model).await;
    one.api().open(&opening("s")).await;
    model
        .journal_when("a held answer", |journal| journal.held() == 1)
        .await;
    one.api().open(&opening("t")).await;
    let two = serve(&database, &place, &model).await;
    one.signal("TERM").await;
    // While the first server waits for its answer, the second one makes everything of the other session.
    let api = two.api();
    Follow::new(&api, "t", "native")
        .end("r1", "run_completed")
        .await;
    model.release().await;
    assert_eq!(one.ended().await.code(), Some(0), "{}", one.said());
    Follow::new(&api, "s", "native")
        .end("r1", "run_completed")
        .await;
    let journal = model.journal().await;
    let turns = 2 * TURNS.len();
    assert_eq!((journal.requests().len(), journal.paid()), (turns, turns));
}
