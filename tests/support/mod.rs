//! What the tests share: a folder of its own for each, the programs under test, and clients of theirs.

pub(crate) mod api;
pub(crate) mod course;
pub(crate) mod deck;
pub(crate) mod embeddings;
pub(crate) mod folder;
pub(crate) mod ids;
pub(crate) mod person;
pub(crate) mod polling;
pub(crate) mod post;
pub(crate) mod postgres;
pub(crate) mod program;
pub(crate) mod raw;
pub(crate) mod recorded;
pub(crate) mod report;
pub(crate) mod rig;
pub(crate) mod scripted;
pub(crate) mod socket;
pub(crate) mod story;

use std::path::PathBuf;
use std::time::Duration;

/// How long anything may take. A run takes a second or two; this only ends what hangs, also on a machine that is busy.
const PATIENCE: Duration = Duration::from_secs(180);

/// Waits, and says what was waited for when nothing comes.
pub(crate) async fn within<T>(what: &str, doing: impl Future<Output = T>) -> T {
    match tokio::time::timeout(PATIENCE, doing).await {
        Ok(done) => done,
        Err(_) => panic!("nothing came of this within {PATIENCE:?}: {what}"),
    }
}

/// The root of the repository.
pub(crate) fn root() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// The folder of the clients in Node, where they can run.
pub(crate) async fn clients() -> Option<PathBuf> {
    let clients = root().join("tests/clients");
    let node = tokio::process::Command::new("node")
        .arg("--version")
        .output();
    if node.await.is_err() {
        skipped("node is not installed");
        return None;
    }
    if !clients.join("node_modules").is_dir() {
        skipped("tests/clients/node_modules is missing; run `npm install` in tests/clients");
        return None;
    }
    Some(clients)
}

/// Whether Python is there and has a module of `tests/clients/requirements.txt`.
pub(crate) async fn python_has(module: &str) -> bool {
    let look = tokio::process::Command::new("python3")
        .args(["-c", &format!("import {module}")])
        .output();
    let found = look.await.is_ok_and(|output| output.status.success());
    if !found {
        let install = "python3 -m pip install -r tests/clients/requirements.txt";
        skipped(&format!(
            "python3 with `{module}` is not installed; run `{install}`"
        ));
    }
    found
}

/// What a script of Python that has to end well prints.
pub(crate) async fn python(script: &str, arguments: &[impl AsRef<std::ffi::OsStr>]) -> String {
    let ran = tokio::process::Command::new("python3")
        .args(["-c", script])
        .args(arguments)
        .output();
    let ran = ran.await.expect("it runs");
    let err = String::from_utf8_lossy(&ran.stderr).into_owned();
    assert!(ran.status.success(), "{err}");
    String::from_utf8(ran.stdout).expect("UTF-8")
}

/// A browser, where there is one.
pub(crate) fn browser() -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    // The first draws the same pages without what only people at a screen need.
    let names = [
        "chromium-headless-shell",
        "chromium",
        "chromium-browser",
        "google-chrome",
    ];
    std::env::split_paths(&folders)
        .flat_map(|folder| names.map(|name| folder.join(name)))
        .find(|path| path.is_file())
}

/// A client that has to have ended well; what it and the server said, where it has not.
pub(crate) fn ended_well(output: &std::process::Output, server: &str) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(
        output.status.success(),
        "{}\n{}\n{server}",
        text(&output.stdout),
        text(&output.stderr)
    );
}

/// Whether a missing service is an error.
pub(crate) fn skipped(why: &str) {
    assert_ne!(std::env::var("CI").as_deref(), Ok("true"), "{why}");
    eprintln!("skipped: {why}");
}
