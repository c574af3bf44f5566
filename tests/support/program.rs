//! The built program: a command that ends, or a server.

use std::process::{ExitStatus, Output, Stdio};
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};
use tokio::process::{Child, Command};
use tokio::sync::oneshot;

use super::api::Api;
use super::folder::TestFolder;
use super::within;

/// What stands before the address once a server answers.
const SERVES_AT: &str = "palimpsest serves at http://";

/// The program with a log and a data folder of this place, and nothing of the environment of the test.
pub(crate) fn palimpsest(place: &TestFolder) -> Command {
    at_home(Command::new(env!("CARGO_BIN_EXE_palimpsest")), place)
}

/// The same program, where no file can grow beyond so many blocks of 512 bytes: it meets a full disk.
pub(crate) fn palimpsest_with_little_room(place: &TestFolder, blocks: u32) -> Command {
    let mut command = Command::new("/bin/sh");
    let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
    command.args(["-c", &script, env!("CARGO_BIN_EXE_palimpsest")]);
    at_home(command, place)
}

fn at_home(mut command: Command, place: &TestFolder) -> Command {
    command
        .env_clear()
        .env("NO_COLOR", "1")
        .env(
            "PALIMPSEST_DATABASE",
            format!("sqlite:{}", place.database().display()),
        )
        .env("PALIMPSEST_DATA", place.file("data"))
        .env("PALIMPSEST_LISTEN", "127.0.0.1:0")
        .current_dir(place.path())
        .stdin(Stdio::null())
        .kill_on_drop(true);
    command
}

/// How a command ended.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Ended {
    /// What was printed, after the code was as expected.
    pub(crate) fn with(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{self:#?}");
        self
    }
}

impl From<Output> for Ended {
    fn from(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).expect("the program prints UTF-8");
        Self {
            code: output.status.code(),
            out: text(output.stdout),
            err: text(output.stderr),
        }
    }
}

/// A command for decks, run to its end.
pub(crate) async fn deck(place: &TestFolder, arguments: &[&str]) -> Ended {
    let mut all = vec!["deck"];
    all.extend(arguments);
    run(palimpsest(place), &all).await
}

/// Runs the program to its end.
pub(crate) async fn run(mut command: Command, arguments: &[&str]) -> Ended {
    let output = within(
        &format!("palimpsest {arguments:?}"),
        command.args(arguments).output(),
    )
    .await;
    Ended::from(output.expect("the program starts"))
}

/// A command that has not ended.
pub(crate) struct Running(Child);

impl Running {
    pub(crate) fn start(mut command: Command, arguments: &[&str]) -> Self {
        let command = command
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        Self(command.spawn().expect("the program starts"))
    }

    /// How it ends after a signal of this name.
    pub(crate) async fn interrupted(self, name: &str) -> Ended {
        signal(&self.0, name).await;
        let ended = within("the end of the command", self.0.wait_with_output()).await;
        Ended::from(ended.expect("a child can be waited for"))
    }
}

async fn signal(child: &Child, name: &str) {
    let id = child.id().expect("it has not ended").to_string();
    let sent = Command::new("kill").args(["-s", name, &id]).status().await;
    assert!(sent.expect("kill starts").success(), "SIG{name}");
}

/// A server that answers.
pub(crate) struct Server {
    child: Child,
    address: String,
    said: Arc<Mutex<String>>,
}

impl Server {
    /// Starts `serve` and waits until it answers.
    pub(crate) async fn start(command: Command) -> Self {
        Self::start_with(command, &[]).await
    }

    pub(crate) async fn start_with(mut command: Command, arguments: &[&str]) -> Self {
        let command = command
            .arg("serve")
            .args(arguments)
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program starts");
        let said = Arc::new(Mutex::new(String::new()));
        let (tell, told) = oneshot::channel();
        let err = child.stderr.take().expect("it is piped");
        tokio::spawn(listen(err, Arc::clone(&said), tell));
        match within("the server's address", told).await {
            Ok(address) => Self {
                child,
                address,
                said,
            },
            Err(_) => panic!(
                "the server ended before it answered: {}",
                said.lock().expect("no panic there")
            ),
        }
    }

    /// The id of its process.
    pub(crate) fn id(&self) -> u32 {
        self.child.id().expect("it has not ended")
    }

    /// Its host and port.
    pub(crate) fn place(&self) -> &str {
        &self.address
    }

    pub(crate) fn address(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(crate) fn api(&self) -> Api {
        Api::new(self.address())
    }

    pub(crate) fn socket_address(&self) -> String {
        format!("ws://{}/v1/stream", self.address)
    }

    /// What it has printed so far.
    pub(crate) fn said(&self) -> String {
        self.said.lock().expect("no panic there").clone()
    }

    /// Waits until it has ended by itself.
    pub(crate) async fn ended(&mut self) -> ExitStatus {
        within("the end of the server", self.child.wait())
            .await
            .expect("a child can be waited for")
    }

    /// Sends a signal of this name.
    pub(crate) async fn signal(&self, name: &str) {
        signal(&self.child, name).await;
    }

    /// SIGKILL.
    pub(crate) async fn kill(&mut self) {
        self.child.kill().await.expect("a child can be killed");
    }
}

async fn listen(
    err: impl AsyncRead + Unpin,
    said: Arc<Mutex<String>>,
    tell: oneshot::Sender<String>,
) {
    let mut tell = Some(tell);
    let mut lines = BufReader::new(err).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        if let Some((_, rest)) = line.split_once(SERVES_AT)
            && let Some(tell) = tell.take()
        {
            let end = rest
                .find(|c: char| !c.is_ascii_digit() && c != '.' && c != ':')
                .unwrap_or(rest.len());
            // The test may have gone.
            let _ = tell.send(rest[..end].to_owned());
        }
        let mut said = said.lock().expect("no panic there");
        said.push_str(&line);
        said.push('\n');
    }
}
