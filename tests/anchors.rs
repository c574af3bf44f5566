//! A log that has lost events is not served as if nothing had happened, and a server whose files go away acknowledges nothing.

use std::fs;
use std::path::Path;

use serde_json::json;

use crate::support::api::Follow;
use crate::support::course::opening;
use crate::support::folder::TestFolder;
use crate::support::program::{Ended, Server, palimpsest, run};
use crate::support::within;

async fn serve(place: &TestFolder) -> Server {
    let mut command = palimpsest(place);
    command.env("PALIMPSEST_MODEL", "offline");
    Server::start(command).await
}

async fn ended(place: &TestFolder, arguments: &[&str]) -> Ended {
    let mut command = palimpsest(place);
    command.env("PALIMPSEST_MODEL", "offline");
    run(command, arguments).await
}

/// A finished run in this session.
async fn make(server: &Server, session: &str) {
    let api = server.api();
    api.open(&opening(session)).await;
    Follow::new(&api, session, "native")
        .end("r1", "run_completed")
        .await;
}

fn wal(place: &TestFolder) -> std::path::PathBuf {
    place.file("log.db-wal")
}

/// No server starts, commands that read say so, and `verify` finds the log broken.
async fn is_refused(place: &TestFolder, what: &str) {
    let refused = ended(place, &["serve"]).await.with(3);
    assert!(refused.err.contains(what), "{}", refused.err);
    assert!(refused.err.contains("anchor accept"), "{}", refused.err);
    let listed = ended(place, &["sessions"]).await.with(0);
    assert!(listed.err.contains(what), "{}", listed.err);
    let verified = ended(place, &["verify"]).await.with(4);
    assert!(verified.out.contains(what), "{}", verified.out);
    let shown = ended(place, &["anchor", "show"]).await.with(4);
    assert!(shown.out.contains(what), "{}", shown.out);
}

const ACCEPT: [&str; 6] = [
    "anchor",
    "accept",
    "--by",
    "ann",
    "--reason",
    "the backup of Monday",
];

/// The log is accepted as it is; from then on, `verify` reports that it was accepted.
async fn is_accepted(place: &TestFolder) {
    let accepted = ended(place, &ACCEPT).await.with(0);
    assert!(accepted.out.contains("by ann"), "{}", accepted.out);
    let verified = ended(place, &["verify"]).await.with(0);
    assert!(verified.out.starts_with("sound: "), "{}", verified.out);
    assert!(
        verified.err.contains("the backup of Monday"),
        "{}",
        verified.err
    );
    ended(place, &["anchor", "show"]).await.with(0);
    let again = ended(place, &ACCEPT).await.with(0);
    assert!(again.err.contains("nothing to accept"), "{}", again.err);
    let mut server = serve(place).await;
    make(&server, "afterwards").await;
    server.kill().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_log_without_its_write_ahead_log_is_not_served_until_somebody_accepts_it() {
    let place = TestFolder::new();
    let mut server = serve(&place).await;
    make(&server, "s").await;
    server.kill().await;
    fs::remove_file(wal(&place)).expect("it was there");
    is_refused(&place, "the log ends before its head file").await;
    is_accepted(&place).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backup_that_was_restored_is_told_also_when_it_went_on_otherwise() {
    let place = TestFolder::new();
    let mut server = serve(&place).await;
    make(&server, "s").await;
    server.kill().await;
    let kept = TestFolder::new();
    let copy = |from: &Path, to: &Path| {
        for ending in ["", "-wal"] {
            let name = format!("log.db{ending}");
            fs::copy(from.join(&name), to.join(&name)).expect("copied");
        }
    };
    copy(place.path(), kept.path());
    let heads = place.file("data").join("heads");
    let head = fs::read_dir(&heads).expect("there").next();
    let head = head.expect("a head file").expect("readable").path();

    let mut server = serve(&place).await;
    make(&server, "t").await;
    server.kill().await;
    let of_both = fs::read(&head).expect("a head file");
    copy(kept.path(), place.path());
    is_refused(&place, "the log ends before its head file").await;

    // Without its head file the log is used again, and reaches the same position with another event.
    fs::remove_file(&head).expect("removed");
    let mut server = serve(&place).await;
    make(&server, "u").await;
    make(&server, "v").await;
    server.kill().await;
    fs::write(&head, of_both).expect("put back");
    is_refused(&place, "another event at the position").await;
    is_accepted(&place).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_database_in_the_place_of_another_one_is_told() {
    let place = TestFolder::new();
    let mut server = serve(&place).await;
    make(&server, "s").await;
    server.kill().await;
    for name in ["log.db", "log.db-wal", "log.db-shm"] {
        fs::remove_file(place.file(name)).expect("it was there");
    }
    let refused = ended(&place, &["serve"]).await.with(3);
    assert!(
        refused.err.contains("another log was at this place"),
        "{}",
        refused.err
    );
    is_accepted(&place).await;
}

/// What happens to the files of a server while it serves.
fn lose(place: &TestFolder, what: &str) {
    let database = place.database();
    match what {
        "the database is removed" => fs::remove_file(database).expect("it was there"),
        "the database is replaced" => {
            let other = place.file("other");
            fs::copy(&database, &other).expect("copied");
            fs::rename(other, database).expect("moved");
        }
        "the database is cut" => cut(&database),
        "the write-ahead log is removed" => fs::remove_file(wal(place)).expect("it was there"),
        "the write-ahead log is cut" => cut(&wal(place)),
        "the data folder is removed" => {
            fs::remove_dir_all(place.file("data")).expect("it was there");
        }
        other => panic!("{other}"),
    }
}

fn cut(path: &Path) {
    let file = fs::OpenOptions::new().write(true).open(path);
    file.and_then(|file| file.set_len(100)).expect("cut");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_whose_files_go_away_acknowledges_nothing_and_says_so_once() {
    for what in [
        "the database is removed",
        "the database is replaced",
        "the database is cut",
        "the write-ahead log is removed",
        "the write-ahead log is cut",
        "the data folder is removed",
    ] {
        let place = TestFolder::new();
        let mut server = serve(&place).await;
        make(&server, "s").await;
        let api = server.api();
        api.get("/readyz").await.succeeded();
        lose(&place, what);
        for session in ["t", "u"] {
            let answer = api.post("/v1/sessions", &opening(session)).await;
            answer.refused(503, "storage");
        }
        let message = json!({ "message": "one page more" });
        let answer = api.command("s", "more", "send_message", message).await;
        answer.refused(503, "storage");
        let ready = api.get("/readyz").await.refused(503, "log_lost");
        assert!(ready.contains("removed, replaced or cut"), "{ready}");
        let said = server.said();
        let told = said.matches("the log has lost what it was written to");
        assert_eq!(told.count(), 1, "{what}: {said}");
        server.kill().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_takes_nothing_is_not_ready_before_anybody_writes() {
    let place = TestFolder::new();
    let server = serve(&place).await;
    let api = server.api();
    api.get("/readyz").await.succeeded();
    lose(&place, "the database is removed");
    // What the last probe found is told for a second.
    let refused = within("a server that is not ready", async {
        loop {
            let ready = api.get("/readyz").await;
            if !ready.status.is_success() {
                return ready;
            }
        }
    });
    refused.await.refused(503, "log_lost");
}

#[tokio::test(flavor = "multi_thread")]
async fn no_second_server_gets_in_when_the_lock_file_is_removed() {
    let place = TestFolder::new();
    let server = serve(&place).await;
    make(&server, "s").await;
    fs::remove_file(place.file("log.db.lock")).expect("it was there");
    let refused = ended(&place, &["serve"]).await.with(3);
    assert!(
        refused.err.contains("owned by another process"),
        "{}",
        refused.err
    );
    make(&server, "t").await;
    ended(&place, &["verify"]).await.with(0);
}
