//! A log is backed up while a server works on it, and goes on from the backup elsewhere.

use std::fs;
use std::path::Path;

use reqwest::Method;
use serde_json::{Value, json};
use tokio::process::Command;

use crate::support::api::{Api, Follow};
use crate::support::course::opening;
use crate::support::folder::TestFolder;
use crate::support::postgres::Database;
use crate::support::program::{Ended, Server, palimpsest, run};

/// The program with what is at this place, on this database in the place of SQLite.
fn program(place: &TestFolder, database: Option<&Database>) -> Command {
    let mut command = palimpsest(place);
    command.env("PALIMPSEST_MODEL", "offline");
    if let Some(database) = database {
        command
            .env("PALIMPSEST_DATABASE", &database.url)
            .env("PALIMPSEST_LEASE_SECONDS", "1");
    }
    command
}

async fn ended(place: &TestFolder, arguments: &[&str]) -> Ended {
    run(program(place, None), arguments).await
}

async fn end(api: &Api, session: &str) {
    Follow::new(api, session, "native")
        .end("r1", "run_completed")
        .await;
}

/// A finished run in the session `s`, with a source that is too large for a row.
async fn make(api: &Api) {
    let fact = |n: u32| format!("- Station {n} measured {n} millimetres of rain in a year.\n");
    let text = "# Rain\n\n".to_owned() + &(1..3_000).map(fact).collect::<String>();
    assert!(text.len() > store::SMALL_BLOB);
    let headers = [("content-type", "text/markdown")];
    let path = "/v1/files?name=rain.md";
    let uploaded = api.send(Method::POST, path, &headers, Some(text.into()));
    let uploaded = uploaded.await.succeeded();
    let mut asked = opening("s");
    asked["attachments"] = json!([{ "path": "rain.md", "file": uploaded["file"] }]);
    api.open(&asked).await;
    end(api, "s").await;
}

/// A finished run, and its backup in the folder `kept`.
async fn kept(arguments: &[&str]) -> (TestFolder, String) {
    let place = TestFolder::new();
    let mut server = Server::start(program(&place, None)).await;
    make(&server.api()).await;
    server.kill().await;
    let kept = place.file("kept").display().to_string();
    let arguments = [&["backup", kept.as_str()], arguments].concat();
    ended(&place, &arguments).await.with(0);
    (place, kept)
}

fn manifest(folder: &Path) -> Value {
    let text = fs::read(folder.join("backup.json")).expect("it is there");
    serde_json::from_slice(&text).expect("it is JSON")
}

/// Backs up while runs are under way, and goes on from there in another place.
async fn comes_back(from: Option<&Database>, to: Option<&Database>) {
    let place = TestFolder::new();
    let mut server = Server::start(program(&place, from)).await;
    let api = server.api();
    make(&api).await;
    let made = api.made("s", "r1").await;
    for session in ["t", "u"] {
        api.open(&opening(session)).await;
    }
    let kept = place.file("kept");
    let folder = kept.display().to_string();
    let backed = run(program(&place, from), &["backup", &folder]).await;
    let backed = backed.with(0);
    assert!(backed.out.contains("its keys"), "{}", backed.out);
    assert!(!place.file("kept.part").exists());
    for session in ["t", "u"] {
        end(&api, session).await;
    }
    server.kill().await;

    let elsewhere = TestFolder::new();
    let other = || program(&elsewhere, to);
    run(other(), &["restore", &folder]).await.with(0);
    let verified = run(other(), &["verify"]).await.with(0);
    assert!(verified.out.starts_with("sound: "), "{}", verified.out);
    run(other(), &["anchor", "show"]).await.with(0);
    let mut server = Server::start(other()).await;
    let api = server.api();
    assert_eq!(api.made("s", "r1").await, made);
    for session in ["t", "u"] {
        end(&api, session).await;
    }
    api.open(&opening("v")).await;
    end(&api, "v").await;
    server.kill().await;
    run(other(), &["verify"]).await.with(0);
    let again = run(other(), &["restore", &folder]).await.with(2);
    assert!(again.err.contains("has something in it"), "{}", again.err);
    let manifest = manifest(&kept);
    assert!(manifest["position"].as_u64() > Some(0), "{manifest:#}");
    assert_eq!(manifest["missing"], json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backup_of_a_server_at_work_is_sound_elsewhere_and_goes_on() {
    comes_back(None, None).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backup_of_a_log_on_postgresql_is_sound_elsewhere_and_goes_on() {
    let Some(from) = Database::new("backed_up").await else {
        return;
    };
    let to = Database::new("restored").await.expect("as before");
    comes_back(Some(&from), Some(&to)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_damaged_file_is_named_and_nothing_is_restored() {
    let (_place, kept) = kept(&[]).await;
    let kept = Path::new(&kept);
    let blob = manifest(kept)["files"]
        .as_array()
        .expect("files")
        .iter()
        .filter_map(|file| file["path"].as_str())
        .find(|path| path.starts_with("blobs/"))
        .expect("a large blob")
        .to_owned();
    let elsewhere = TestFolder::new();
    for damaged in ["log.db", "keys/master.key", blob.as_str()] {
        let path = kept.join(damaged);
        let whole = fs::read(&path).expect("it is there");
        let mut bytes = whole.clone();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        fs::write(&path, bytes).expect("written");
        let restore = ["restore", kept.to_str().expect("UTF-8")];
        let refused = ended(&elsewhere, &restore).await.with(4);
        assert!(refused.err.contains(damaged), "{}", refused.err);
        fs::remove_file(&path).expect("removed");
        let refused = ended(&elsewhere, &restore).await.with(4);
        assert!(refused.err.contains(damaged), "{}", refused.err);
        assert!(!elsewhere.database().exists() && !elsewhere.file("data").exists());
        fs::write(&path, whole).expect("put back");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backup_without_keys_wants_the_key_of_its_log() {
    let (place, kept) = kept(&["--without-keys"]).await;
    assert!(!Path::new(&kept).join("keys").exists());
    let elsewhere = TestFolder::new();
    let mut wrong = program(&elsewhere, None);
    wrong.env("PALIMPSEST_MASTER_KEY", "07".repeat(32));
    let refused = run(wrong, &["restore", &kept]).await.with(2);
    assert!(refused.err.contains("not the one"), "{}", refused.err);
    let restored = ended(&elsewhere, &["restore", &kept]).await.with(0);
    assert!(
        restored.err.contains("the backup has no keys"),
        "{}",
        restored.err
    );
    ended(&elsewhere, &["verify"]).await.with(3);
    let key = "data/keys/master.key";
    fs::create_dir_all(elsewhere.file("data/keys")).expect("made");
    fs::copy(place.file(key), elsewhere.file(key)).expect("copied");
    let verified = ended(&elsewhere, &["verify"]).await.with(0);
    assert!(verified.out.starts_with("sound: "), "{}", verified.out);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backup_names_what_is_missing_and_takes_no_folder_that_is_in_use() {
    let (place, kept) = kept(&[]).await;
    let again = ended(&place, &["backup", &kept]).await.with(2);
    assert!(again.err.contains("has something in it"), "{}", again.err);
    fs::create_dir(place.file("cut.part")).expect("made");
    let cut = ended(&place, &["backup", "cut"]).await.with(2);
    assert!(cut.err.contains("cut off"), "{}", cut.err);
    let restored = ended(&place, &["restore", "cut.part"]).await.with(2);
    assert!(restored.err.contains("is no backup"), "{}", restored.err);
    fs::remove_dir_all(place.file("data/blobs")).expect("removed");
    let told = ended(&place, &["backup", "told"]).await.with(0);
    assert!(
        told.err
            .contains("not in the backup: session local/s: its blob"),
        "{}",
        told.err
    );
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn a_backup_is_for_its_user_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let (_place, kept) = kept(&[]).await;
    let mut places = vec![Path::new(&kept).to_owned()];
    while let Some(place) = places.pop() {
        let about = fs::metadata(&place).expect("there");
        let mode = about.permissions().mode() & 0o077;
        assert_eq!(mode, 0, "{}", place.display());
        if about.is_dir() {
            let inside = fs::read_dir(&place).expect("readable");
            places.extend(inside.map(|entry| entry.expect("readable").path()));
        }
    }
}
