//! Measures on whole runs how much of their beginnings neighbouring requests of a stage share. Providers cache the beginning of a request
//! and bill it at a lower price.

use commands::{Command, NewFile, SendMessage};
use domain::MessageId;
use domain::event::{Event, StepEvent};
use domain::hash::Blob;
use domain::settings::OnBusy;
use serde_json::{Value, json};

use super::Trial;
use crate::testing::built_in;

const TEMPLATE: &str = "# The year\n\n## Overview\n\nWhat was sold.\n\n## People\n\nWho sold it.\n\n## Outlook\n\nWhat is next.\n";

/// The texts of a request, with the prompt that it was made from.
struct Request {
    prompt: String,
    text: String,
}

async fn trial() -> Trial {
    built_in().trial().await
}

/// Everything that was asked in a session, in order.
async fn requests(trial: &Trial) -> Vec<Request> {
    let log = trial.engine.log();
    let events = log
        .read(&trial.stream, 0, 10_000)
        .await
        .expect("memory can be read");
    let mut requests = vec![];
    for recorded in events {
        let Event::Step(StepEvent::ModelCalled(called)) = &recorded.event else {
            continue;
        };
        let kept = log.get_blob(&trial.stream, &called.request.sha256).await;
        let kept = kept
            .expect("memory can be read")
            .expect("requests are kept");
        let request: Value = serde_json::from_slice(&kept).expect("a request is JSON");
        let messages = request["messages"].as_array().expect("messages").iter();
        let prompt = called.prompt.as_ref().expect("a prompt").id.to_string();
        requests.push(Request {
            prompt,
            text: messages
                .filter_map(|message| message["content"].as_str())
                .collect::<Vec<_>>()
                .join("\n"),
        });
    }
    requests
}

/// Compares neighbouring requests of a prompt that was asked more than once. Gives the smallest common beginning: its length in percent of
/// the shorter request of the pair, and its text.
fn common<'a>(requests: &'a [Request], prompt: &str) -> (usize, &'a str) {
    let asked = requests.iter().filter(|request| request.prompt == prompt);
    let texts: Vec<_> = asked.map(|request| request.text.as_str()).collect();
    let pairs = texts.windows(2).map(|pair| {
        let bytes = common_bytes(pair[0], pair[1]);
        let shorter = pair[0].len().min(pair[1].len());
        (
            bytes * 100 / shorter,
            &pair[0][..pair[0].floor_char_boundary(bytes)],
        )
    });
    pairs.min().expect("it was asked more than once")
}

fn common_bytes(one: &str, other: &str) -> usize {
    let pairs = one.bytes().zip(other.bytes());
    pairs.take_while(|(one, other)| one == other).count()
}

#[tokio::test]
async fn requests_of_the_pages_of_a_course_begin_alike() {
    let trial = trial().await;
    trial.say("course", "Tides for beginners, 6 pages").await;
    let requests = requests(&trial).await;
    // Measured: 82 %.
    let (share, begins) = common(&requests, "course/generate_slides");
    assert!(share >= 75, "{share} % of a page's request: {begins}");
    assert!(begins.contains("The look:"), "{begins}");
}

#[tokio::test]
async fn requests_of_the_sections_of_a_report_begin_alike() {
    let trial = trial().await;
    let files = [
        ("template/year.md", TEMPLATE, "text/markdown"),
        (
            "datasets/sales.json",
            "{\"first quarter\": 120}",
            "application/json",
        ),
    ];
    let blobs = files.map(|(_, text, _)| Blob::of(text.as_bytes().to_vec()));
    let named = files
        .iter()
        .zip(&blobs)
        .map(|((path, _, media_type), blob)| NewFile {
            path: (*path).to_owned(),
            blob: blob.reference().clone(),
            media_type: (*media_type).to_owned(),
        });
    let message = SendMessage {
        message: MessageId::new("msg-report"),
        text: "How was the year?".to_owned(),
        files: named.collect(),
        pipeline: Some("report".to_owned()),
        input: Value::Null,
        settings: trial.settings(),
        on_busy: OnBusy::Enqueue,
    };
    trial
        .ask_with(Command::SendMessage(Box::new(message)), blobs.to_vec())
        .await;
    while trial.question().await.is_some() {
        trial.answer(json!({ "confirm": true })).await;
    }
    let requests = requests(&trial).await;
    // Measured: 87 %, and all of the planner's first request.
    let (share, begins) = common(&requests, "report/section");
    assert!(share >= 80, "{share} % of a section's request: {begins}");
    assert!(begins.contains("All data files:"), "{begins}");
    assert_eq!(
        common(&requests, "report/plan").0,
        100,
        "a loop of tools only adds to its end"
    );
}
