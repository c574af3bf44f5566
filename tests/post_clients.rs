//! The post protocol as its clients see it: `fetch` and `eventsource` on Node, and `curl -N`.

use tokio::process::Command;

use crate::support::folder::TestFolder;
use crate::support::program::{Server, palimpsest};
use crate::support::{clients, ended_well, root, skipped, within};

#[tokio::test(flavor = "multi_thread")]
async fn a_client_on_node_gets_posts_and_comes_back() {
    node(&["run", "resume"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_on_node_answers_at_the_gates() {
    node(&["gates"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_on_node_answers_questions_and_starts_tasks() {
    node(&["clarify", "tasks"]).await;
}

/// Drives groups of what `post.mjs` knows.
async fn node(groups: &[&str]) {
    let Some(clients) = clients().await else {
        return;
    };
    let mut client = Command::new("node");
    client.current_dir(clients).arg("post.mjs");
    served(client, groups).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn curl_gets_a_stream_with_its_end_and_what_it_missed() {
    let look = Command::new("curl").arg("--version").output().await;
    if !look.is_ok_and(|output| output.status.success()) {
        skipped("curl is not installed");
        return;
    }
    let mut client = Command::new("bash");
    client
        .current_dir(root().join("tests/clients"))
        .arg("post.sh");
    served(client, &[]).await;
}

/// Runs a client against a server of its own, whose posts the offline author writes.
async fn served(mut client: Command, groups: &[&str]) {
    let place = TestFolder::new();
    let mut command = palimpsest(&place);
    command.env("PALIMPSEST_MODEL", "offline");
    let server = Server::start(command).await;
    client.arg(server.address()).args(groups).kill_on_drop(true);
    let output = within("the client's end", client.output()).await;
    ended_well(&output.expect("it starts"), &server.said());
}
