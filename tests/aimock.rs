//! A model server that others wrote, with the faults that such servers have: the result is the same course, and the log has each
//! try and each attempt.

use std::process::Stdio;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::Command;

use crate::support::api::{Api, Follow};
use crate::support::course::{TURNS, of, opening};
use crate::support::folder::TestFolder;
use crate::support::program::{Server, palimpsest};
use crate::support::{clients, root, within};

/// The requests for a schema as aimock saw them.
fn asked<'a>(journal: &'a Value, schema: &str) -> Vec<&'a Value> {
    let entries = journal.as_array().expect("a list of requests");
    entries
        .iter()
        .filter(|entry| {
            entry.pointer("/body/response_format/json_schema/name") == Some(&json!(schema))
        })
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_course_is_made_with_aimock_whatever_it_does_at_first() {
    let Some(clients) = clients().await else {
        return;
    };
    let mut aimock = Command::new("node")
        .arg("aimock.mjs")
        .arg(root().join("tests/scripts/course.json"))
        .current_dir(&clients)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .expect("node starts");
    let mut lines = BufReader::new(aimock.stdout.take().expect("it is piped")).lines();
    let line = within("aimock's address", lines.next_line()).await;
    let line = line.expect("it prints").expect("a first line");
    let address = line.strip_prefix("listening on ").expect("its address");

    let place = TestFolder::new();
    let mut command = palimpsest(&place);
    command
        .env("OPENAI_BASE_URL", format!("{address}/v1"))
        .env("OPENAI_API_KEY", "sk-anything")
        .env("PALIMPSEST_MODEL", "gpt-anything");
    let server = Server::start(command).await;
    let api = server.api();
    api.open(&opening("s")).await;
    let mut follow = Follow::new(&api, "s", "native");
    follow.end("r1", "run_completed").await;
    let frames = follow.frames;
    let journal = Api::new(address.to_owned())
        .get("/__aimock/journal")
        .await
        .succeeded();

    // The analysis: refused with a time to wait, cut in the middle, answered; three tries of one attempt.
    let calls = of(&frames, "model_called", "analyze_topic");
    let tries: Vec<_> = calls
        .iter()
        .map(|call| json!([call["attempt"], call["try"], call.pointer("/error/code")]))
        .collect();
    assert_eq!(
        tries,
        [
            json!([1, 1, "rate_limited"]),
            json!([1, 2, "cut"]),
            json!([1, 3, null])
        ]
    );
    assert_eq!(calls[0]["error"]["retry_after_ms"], 1000);
    assert_eq!(calls[2]["usage"]["input"], 120);
    assert_eq!(calls[2]["usage"]["output"], 80);
    let waited = asked(&journal, "requirement_analysis");
    assert_eq!(waited.len(), 3);
    let at = |n: usize| waited[n]["timestamp"].as_u64().expect("a time");
    assert!(
        at(1) - at(0) >= 1_000,
        "aimock asked for a second and was asked again after {} ms",
        at(1) - at(0)
    );

    // The configuration: an answer that does not fit, given back with what is wrong; two attempts of one try.
    let stage = "generate_course_config";
    let rejected = of(&frames, "output_rejected", stage);
    assert_eq!(rejected.len(), 1);
    assert_eq!(rejected[0]["violations"][0]["path"], "/objectives");
    let tries: Vec<_> = of(&frames, "model_called", stage)
        .iter()
        .map(|call| json!([call["attempt"], call["try"]]))
        .collect();
    assert_eq!(tries, [json!([1, 1]), json!([2, 1])]);
    let told = asked(&journal, "course_config");
    assert!(told[1]["body"].to_string().contains("/objectives"));

    // Everything was asked for as a strict schema and streamed, and nothing else was asked.
    let entries = journal.as_array().expect("a list of requests");
    for entry in entries {
        let body = &entry["body"];
        assert_eq!(body["stream"], true, "{body:#}");
        assert_eq!(body["response_format"]["type"], "json_schema", "{body:#}");
    }
    assert_eq!(entries.len(), TURNS.len() + 3);
    let made = api.made("s", "r1").await;
    let slides = made.iter().filter(|made| made.kind == "ppt_html").count();
    assert_eq!(slides, 4, "{made:#?}");
}
