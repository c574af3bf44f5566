//! No output of the program holds a secret: of each setting with an address, in its user, its password or a value of its query.

use serde_json::json;

use crate::support::api::Follow;
use crate::support::folder::TestFolder;
use crate::support::program::{Server, palimpsest, run};

/// What every secret of these tests has in it.
const MARK: &str = "hush";

/// An address on this machine where nothing listens, with every kind of secret that an address can hold.
fn address(name: &str) -> String {
    format!("http://u{MARK}{name}:p{MARK}{name}%21x@127.0.0.1:9/v1?key=q{MARK}{name}")
}

/// Variables with secrets of everything that is asked over the network.
fn variables() -> Vec<(&'static str, String)> {
    vec![
        ("OPENAI_BASE_URL", address("models")),
        ("OPENAI_API_KEY", format!("k{MARK}models")),
        ("PALIMPSEST_MODEL", "m".to_owned()),
        ("PALIMPSEST_SEARCH_URL", address("search")),
        ("PALIMPSEST_SEARCH_KEY", format!("k{MARK}search")),
        ("PALIMPSEST_IMAGES_MODEL", "i".to_owned()),
        (
            "PALIMPSEST_IMAGES_URL",
            format!("http://127.0.0.1:9/v1?key=q{MARK}images"),
        ),
        ("PALIMPSEST_EMBEDDINGS_MODEL", "e".to_owned()),
        ("PALIMPSEST_EMBEDDINGS_URL", address("embeddings")),
        ("PALIMPSEST_EMBEDDINGS_KEY", format!("k{MARK}embeddings")),
        (
            "TEMPLATE_API_BASE_URL",
            format!("http://127.0.0.1:9/?key=q{MARK}"),
        ),
        ("PALIMPSEST_MASTER_KEY", "ab".repeat(32)),
    ]
}

fn assert_silent(what: &str, text: &str) {
    let lines: Vec<_> = text.lines().filter(|line| line.contains(MARK)).collect();
    assert!(lines.is_empty(), "{what}: {lines:#?}");
    assert!(!text.contains(&"ab".repeat(32)), "{what}: the master key");
}

#[tokio::test(flavor = "multi_thread")]
async fn settings_help_and_errors_are_told_without_secrets() {
    let place = TestFolder::new();
    let with = |more: &[(&str, String)]| {
        let mut command = palimpsest(&place);
        command.envs(variables());
        for (name, value) in more {
            command.env(name, value);
        }
        command
    };
    let postgres = |rest: &str| {
        let url = format!("postgres://u{MARK}:p{MARK}%40x@{rest}");
        ("PALIMPSEST_DATABASE", url)
    };
    let blobs = (
        "PALIMPSEST_BLOBS",
        format!("s3://u{MARK}:p{MARK}@bucket/x?t=q{MARK}"),
    );
    let database = postgres(&format!("127.0.0.1:9/log?sslpassword=q{MARK}database"));
    let everything = [database, blobs];
    for (arguments, more, code) in [
        (&["serve", "--check"][..], &everything[..], 0),
        (&["--help"], &everything, 0),
        (&["serve", "--help"], &everything, 0),
        (&["deck", "check", "--help"], &everything, 0),
        (&["serve"], &everything, 3),
        (&["sessions"], &everything, 3),
        (&["models", "check"], &everything, 1),
        (
            &["serve"],
            &[postgres("127.0.0.1:9/log?sslmode=of-no-kind")],
            3,
        ),
        (&["serve"], &[postgres(&format!("host:port{MARK}/log"))], 3),
        (
            &["serve"],
            &[("PALIMPSEST_DATABASE", format!("mysql://u:p{MARK}@h/x"))],
            2,
        ),
        (
            &["serve"],
            &[("PALIMPSEST_FETCH_HOSTS", address("fetch"))],
            2,
        ),
        (
            &["serve"],
            &[("PALIMPSEST_FETCH_HOSTS", format!("u:p{MARK}@example.com"))],
            2,
        ),
        (&["serve"], &[("PALIMPSEST_ORIGINS", address("origin"))], 2),
        (
            &["serve"],
            &[("PALIMPSEST_HOSTS", format!("u:p{MARK}@example.com"))],
            2,
        ),
        (&["serve"], &[("TEMPLATE_API_BASE_URL", address("back"))], 2),
        (&["serve"], &[("TEMPLATE_API_ALLOW", address("allow"))], 2),
        (
            &["serve"],
            &[("PALIMPSEST_SEARCH_URL", format!("ftp://u:p{MARK}@h"))],
            2,
        ),
        (
            &["serve"],
            &[("OPENAI_BASE_URL", format!("ftp://u:p{MARK}@h"))],
            2,
        ),
        (
            &["serve"],
            &[("PALIMPSEST_LISTEN", format!("http://u:p{MARK}@h"))],
            2,
        ),
        (&["serve", "--attempts", &address("number")], &[], 2),
    ] {
        let ended = run(with(more), arguments).await.with(code);
        let what = format!("{arguments:?} with {more:?}");
        assert_silent(&what, &ended.out);
        assert_silent(&what, &ended.err);
        assert!(!(ended.out.is_empty() && ended.err.is_empty()), "{what}");
    }
    let file = format!("[limits]\nrequests = 'x{MARK}'\n");
    std::fs::write(place.file("palimpsest.toml"), file).expect("written");
    let ended = run(with(&[]), &["serve", "--check"]).await.with(2);
    assert_silent("the file", &ended.err);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_tells_no_secret_to_clients_or_to_its_log() {
    let place = TestFolder::new();
    let mut command = palimpsest(&place);
    command.envs(variables());
    command.env("RUST_LOG", "debug");
    command.env("PALIMPSEST_ATTEMPTS", "1");
    let server = Server::start(command).await;
    let api = server.api();
    let opening =
        json!({ "session": "s", "pipeline": "post", "message": "Write about spring rain in Oslo" });
    api.open(&opening).await;
    Follow::new(&api, "s", "native")
        .end("r1", "run_failed")
        .await;
    for path in [
        "/healthz",
        "/readyz",
        "/metrics",
        "/v1/operations",
        "/v1/pipelines",
        "/v1/sessions",
        "/v1/sessions/s",
        "/v1/sessions/s/history",
        "/v1/sessions/s/events?after=start",
        "/api/index/search?q=rain",
        "/api/templates",
    ] {
        let answer = api.get(path).await.succeeded();
        assert_silent(path, &answer.to_string());
    }
    let said = server.said();
    assert!(said.contains("palimpsest serves at"), "{said}");
    assert_silent("the log", &said);
}
