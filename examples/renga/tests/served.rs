//! The built program: from the command line, over HTTP and in a browser, killed in the middle of a run and started again.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

const WORDS: &str =
    "spring: frog\nsummer: long grass\nautumn: harvest moon\nautumn: rain on leaves\n";

/// The program with a log in this folder, and nothing of the environment of the test.
fn renga(place: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_renga"));
    let database = format!("sqlite:{}", place.join("log.db").display());
    command
        .env_clear()
        .env("PALIMPSEST_DATABASE", database)
        .env("PALIMPSEST_DATA", place.join("data"))
        .env("PALIMPSEST_MODEL", "offline")
        .env("PALIMPSEST_RENGA_VERSES", "3")
        .current_dir(place)
        .stdin(Stdio::null());
    command
}

/// What a command printed, after it ended well.
fn printed(command: &mut Command) -> String {
    let Output {
        status,
        stdout,
        stderr,
    } = command.output().expect("the program starts");
    assert!(status.success(), "{}", String::from_utf8_lossy(&stderr));
    String::from_utf8(stdout).expect("it prints UTF-8")
}

/// A server that answers, until it is dropped.
struct Served(Child, String);

impl Served {
    fn start(place: &Path) -> Self {
        let mut serve = renga(place);
        serve
            .args(["serve", "--listen", "127.0.0.1:0"])
            .stderr(Stdio::piped());
        let mut child = serve.spawn().expect("the program starts");
        let mut said = BufReader::new(child.stderr.take().expect("it is piped")).lines();
        let address = said.find_map(|line| {
            let (_, rest) = line
                .ok()?
                .split_once("serves at http://")
                .map(|(a, b)| (a.to_owned(), b.to_owned()))?;
            rest.split_whitespace().next().map(str::to_owned)
        });
        // Whatever else it says is read, so that it does not wait.
        std::thread::spawn(move || said.for_each(drop));
        Self(child, address.expect("an address"))
    }

    /// The body of an answer.
    fn get(&self, path: &str) -> String {
        let mut socket = TcpStream::connect(&self.1).expect("it listens");
        let request = format!(
            "GET {path} HTTP/1.0\r\nhost: {}\r\naccept: text/event-stream, */*\r\n\r\n",
            self.1
        );
        socket.write_all(request.as_bytes()).expect("it reads");
        let mut answer = String::new();
        socket
            .read_to_string(&mut answer)
            .expect("it answers in UTF-8");
        let (head, body) = answer.split_once("\r\n\r\n").expect("an answer");
        assert!(head.contains(" 200 "), "{path}: {answer}");
        body.to_owned()
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn place_with_words() -> tempfile::TempDir {
    let place = tempfile::tempdir().expect("a folder");
    std::fs::write(place.path().join("words.txt"), WORDS).expect("it is written");
    let loaded = printed(renga(place.path()).args(["words", "load", "words.txt"]));
    assert_eq!(loaded, "4 words, 4 of them new\n");
    place
}

#[test]
fn words_are_loaded_and_a_renga_is_written_to_a_folder() {
    let place = place_with_words();
    let listed = printed(renga(place.path()).args(["words", "list"]));
    assert!(listed.contains("autumn: harvest moon\n"), "{listed}");
    printed(renga(place.path()).args(["run", "renga", "Rain on the old pond", "--out", "out"]));
    let sheet = std::fs::read_to_string(place.path().join("out/renga.svg")).expect("a sheet");
    // The word that the message shares comes first.
    assert!(sheet.contains(">rain on leaves</text>"), "{sheet}");
    let checked = printed(renga(place.path()).args(["serve", "--check"]));
    assert!(checked.contains("verses"), "{checked}");
    let wrong = renga(place.path())
        .args(["serve", "--check", "--renga-verses", "0"])
        .output();
    let wrong = wrong.expect("the program starts");
    assert!(
        !wrong.status.success()
            && String::from_utf8_lossy(&wrong.stderr).contains("a renga has 1 to 100")
    );
}

#[test]
fn a_run_that_was_killed_goes_on_where_it_was() {
    let place = tempfile::tempdir().expect("a folder");
    let words: String = (1..=80).map(|n| format!("autumn: moon {n}\n")).collect();
    std::fs::write(place.path().join("words.txt"), words).expect("it is written");
    printed(renga(place.path()).args(["words", "load", "words.txt"]));
    let mut run = renga(place.path());
    run.args([
        "run",
        "renga",
        "Rain",
        "--session",
        "s1",
        "--renga-verses",
        "80",
    ]);
    let mut running = run.stderr(Stdio::piped()).stdout(Stdio::null()).spawn();
    let running = running.as_mut().expect("the program starts");
    let said = BufReader::new(running.stderr.take().expect("it is piped"));
    let written = said
        .lines()
        .map_while(Result::ok)
        .find(|line| line.contains("Verse"));
    assert!(written.is_some(), "the run ended without a verse");
    running.kill().expect("it can be killed");
    let ended = running.wait().expect("it can be waited for");
    assert_eq!(ended.code(), None, "the run was over before it was killed");
    let server = Served::start(place.path());
    let frames = server.get("/v1/sessions/s1/events?wire=renga&until=end");
    assert_eq!(frames.matches("\"type\":\"verse\"").count(), 80, "{frames}");
    assert!(frames.contains("\"outcome\":\"completed\""), "{frames}");
    let interface = server.get("/openapi.json");
    for told in ["put_season_words", "RengaSheet", "chains of verses"] {
        assert!(interface.contains(told), "{told}: {interface}");
    }
}

#[test]
fn the_console_has_a_page_of_words_and_a_view_of_the_sheet() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let browsers = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"];
    let browser = browsers.into_iter().find(|path| Path::new(path).exists());
    let modules = Path::new(root).join("tests/clients/node_modules");
    let (Some(browser), true) = (browser, modules.is_dir()) else {
        let is_needed = std::env::var_os("CI").is_some();
        assert!(
            !is_needed,
            "chromium and tests/clients/node_modules are needed"
        );
        return;
    };
    let place = place_with_words();
    let server = Served::start(place.path());
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/browser.mjs");
    let address = format!("http://{}", server.1);
    printed(Command::new("node").args([script, &address, browser]));
}
