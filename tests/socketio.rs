//! The course protocol as a real Socket.IO client sees it.

use tokio::process::Command;

use crate::support::folder::TestFolder;
use crate::support::program::{Server, palimpsest};
use crate::support::{clients, within};

#[tokio::test(flavor = "multi_thread")]
async fn a_real_socket_io_client_gets_what_the_contract_says() {
    let Some(clients) = clients().await else {
        return;
    };
    let place = TestFolder::new();
    let mut command = palimpsest(&place);
    command.env("PALIMPSEST_MODEL", "offline");
    let server = Server::start(command).await;
    let mut client = Command::new("node");
    client
        .arg("socketio.mjs")
        .arg(server.address())
        .current_dir(&clients)
        .kill_on_drop(true);
    let output = within("the client's end", client.output())
        .await
        .expect("node starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(
        output.status.success(),
        "{}\n{}\n{}",
        text(&output.stdout),
        text(&output.stderr),
        server.said()
    );
}
