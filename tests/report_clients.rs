//! The report protocol as real web-socket clients see it: `ws` on Node, and `websockets` on Python, which also kills the
//! program in the middle of work and starts it again.

use std::path::Path;
use std::process::Output;

use tokio::process::Command;

use crate::support::folder::TestFolder;
use crate::support::program::{Server, palimpsest};
use crate::support::{clients, ended_well, python_has, root, within};

#[tokio::test(flavor = "multi_thread")]
async fn a_client_on_node_gets_reports_and_the_closes_of_the_protocol() {
    let Some(clients) = clients().await else {
        return;
    };
    let place = TestFolder::new();
    let mut command = palimpsest(&place);
    command.env("PALIMPSEST_MODEL", "offline");
    let server = Server::start(command).await;
    let mut client = Command::new("node");
    client.arg("report.mjs").arg(server.address());
    ended_well(&ended(client, &clients).await, &server.said());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_on_python_gets_reports_also_from_a_program_that_was_killed() {
    python("reports").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_control_is_answered_in_every_state() {
    python("states").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_hostile_is_refused_and_the_server_stays_healthy() {
    python("hostile").await;
}

/// Drives a group of what `report.py` knows.
async fn python(group: &str) {
    if !python_has("websockets.sync.client").await {
        return;
    }
    let place = TestFolder::new();
    let mut client = Command::new("python3");
    client
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .arg("report.py")
        .arg(env!("CARGO_BIN_EXE_palimpsest"))
        .arg(env!("CARGO_BIN_EXE_scripted-model"))
        .arg(place.path())
        .arg(group);
    ended_well(&ended(client, &root().join("tests/clients")).await, "");
}

async fn ended(mut client: Command, folder: &Path) -> Output {
    client.current_dir(folder).kill_on_drop(true);
    within("the client's end", client.output())
        .await
        .expect("it starts")
}
