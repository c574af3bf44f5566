//! Killed at every turn of a run, at each point of a turn, and started again: the same artifacts, nothing paid twice, and
//! clients that reconnect miss nothing and see nothing twice.
//!
//! Of a course, the scripts and the theme are asked for at the same time. Both wait before they answer, the theme longer, so that at
//! each kill it is certain which of the two has an answer: bytes that are in no process but on their way between two
//! are beyond what any server can keep. Where several pages are made at once, their answers stop in the middle, so that a kill
//! finds them there.

mod case;

use std::os::unix::process::ExitStatusExt;

use reqwest::Method;
use serde_json::Value;

use crate::support::api::{Answer, ArtifactPrint};
use crate::support::course;
use crate::support::folder::TestFolder;
use crate::support::ids::without_ids;
use crate::support::program::{Server, palimpsest};
use crate::support::scripted::Scripted;
use crate::support::socket::Socket;
use case::{Case, WIDTH};

const SESSION: &str = "s";
const SIGKILL: i32 = 9;

/// The names of the two subscriptions.
const SUBS: [&str; 2] = ["events", "frames"];

/// At each point, the kill that finds several pages in the middle of their answers. Page 4 is begun once page 1 is there.
const AMONG_PAGES: [Kill; 4] = [
    Kill {
        point: "before_call",
        nth: course::PAGE_1 + WIDTH + 1,
    },
    Kill {
        point: "during_answer",
        nth: course::PAGE_1 + WIDTH,
    },
    Kill {
        point: "answered",
        nth: course::PAGE_1 + 1,
    },
    Kill {
        point: "appended",
        nth: course::PAGE_1 + 1,
    },
];

/// Where the nth turn (from 1) is killed.
#[derive(Clone, Copy, Debug)]
struct Kill {
    point: &'static str,
    nth: usize,
}

/// What a run came to.
#[derive(Debug, PartialEq)]
struct Outcome {
    made: Vec<ArtifactPrint>,
    /// By subscription, without what differs from one run to another, in sorted order.
    frames: Vec<Vec<String>>,
}

/// The frames of both subscriptions, as they came.
struct Seen {
    case: Case,
    frames: [Vec<Value>; 2],
}

impl Seen {
    fn of(case: Case) -> Self {
        Self {
            case,
            frames: [vec![], vec![]],
        }
    }

    fn take(&mut self, frame: &Value) {
        for (seen, sub) in self.frames.iter_mut().zip(SUBS) {
            if frame["frame"] == "event" && frame["sub"] == sub {
                seen.push(frame.clone());
            }
        }
    }

    fn after(&self, view: usize) -> String {
        self.frames[view]
            .last()
            .map_or_else(|| "start".to_owned(), |frame| cursor(frame).to_owned())
    }

    /// Both have had their last frame.
    fn is_over(&self) -> bool {
        let last = |view: usize| {
            self.frames[view]
                .last()
                .map(|frame| frame["type"].clone())
                .unwrap_or_default()
        };
        last(0) == "run_completed" && last(1) == self.case.last()
    }
}

fn cursor(frame: &Value) -> &str {
    frame["cursor"].as_str().expect("a cursor")
}

/// Opens the session; nothing when the server was killed before it answered.
async fn open(server: &Server, opening: &Value) -> Option<Answer> {
    let headers = [
        ("content-type", "application/json"),
        ("idempotency-key", "open"),
    ];
    let body = opening.to_string().into_bytes();
    server
        .api()
        .try_send(Method::POST, "/v1/sessions", &headers, Some(body))
        .await
        .ok()
}

/// Follows both views from where they are until the run is over or the server is gone.
async fn follow(server: &Server, seen: &mut Seen) {
    let Some(mut socket) = Socket::try_connect(&server.socket_address()).await else {
        return;
    };
    for (view, wire) in seen.case.wires().into_iter().enumerate() {
        socket
            .subscribe(SUBS[view], SESSION, wire, &seen.after(view))
            .await;
    }
    while !seen.is_over() {
        let Some(frame) = socket.next().await else {
            return;
        };
        assert_ne!(frame["frame"], "error", "{frame}");
        seen.take(&frame);
    }
}

async fn serve(place: &TestFolder, model: &Scripted, kill: Option<Kill>) -> Server {
    let mut command = palimpsest(place);
    model.serve_for(&mut command);
    // What a deck is about is asked when the run is over.
    command.env("PALIMPSEST_CURATE", "false");
    if let Some(Kill { point, nth }) = kill {
        command.env("PALIMPSEST_CRASH_AT", format!("{point}:{nth}"));
    }
    Server::start(command).await
}

/// Lets the stopped pages go once all of them are there, unless that is where the kill comes.
async fn let_pages_go(case: Case, model: &Scripted, kill: Option<Kill>) {
    let comes_later = kill.is_some_and(|kill| kill.point != "during_answer");
    if matches!(case, Case::WideCourse) && comes_later {
        let wanted = format!("{WIDTH} pages at once");
        model
            .journal_when(&wanted, |journal| journal.held() == WIDTH)
            .await;
        model.release().await;
    }
}

async fn carried_out(case: Case, model: &Scripted, kill: Option<Kill>) -> Outcome {
    model.play(&case.script(kill)).await;
    let place = TestFolder::new();
    let mut server = serve(&place, model, kill).await;
    let mut seen = Seen::of(case);
    let opening = case.opening(&server).await;
    let first = open(&server, &opening).await;
    tokio::join!(follow(&server, &mut seen), let_pages_go(case, model, kill));
    if kill.is_some() {
        assert_eq!(
            server.ended().await.signal(),
            Some(SIGKILL),
            "{kill:?}: {}",
            server.said()
        );
        server = serve(&place, model, None).await;
        // A client that got no answer asks again under the same key, and so does a client that got one but is not sure.
        let again = open(&server, &opening)
            .await
            .expect("nobody kills this one")
            .succeeded();
        assert_eq!(again["run"], "r1", "{kill:?}");
        assert!(
            first.is_none_or(|first| first.succeeded() == again),
            "{kill:?}"
        );
        follow(&server, &mut seen).await;
    }
    assert!(seen.is_over(), "{kill:?}: {}", server.said());
    let journal = model.journal().await;
    assert_eq!(journal.paid_twice(), vec![], "{kill:?}");
    assert_eq!(journal.paid(), case.turns(), "{kill:?}");
    let asked_again = journal.requests().len() - journal.paid();
    assert!(
        kill.is_none() || asked_again >= case.cut_off(),
        "{kill:?}: {asked_again}"
    );
    let api = server.api();
    for (view, wire) in case.wires().into_iter().enumerate() {
        let all = api.frames(SESSION, wire).await;
        let cursors = |frames: &[Value]| {
            frames
                .iter()
                .map(|frame| cursor(frame).to_owned())
                .collect::<Vec<_>>()
        };
        assert_eq!(
            cursors(&seen.frames[view]),
            cursors(&all),
            "{kill:?}: {wire}"
        );
        let data = |frames: &[Value]| {
            frames
                .iter()
                .map(|frame| frame["data"].clone())
                .collect::<Vec<_>>()
        };
        assert_eq!(data(&seen.frames[view]), data(&all), "{kill:?}: {wire}");
    }
    let versions: Vec<u64> = seen.frames[0]
        .iter()
        .filter_map(|frame| frame["version"].as_u64())
        .collect();
    assert_eq!(
        versions,
        (1..=seen.frames[0].len() as u64).collect::<Vec<_>>(),
        "{kill:?}"
    );
    Outcome {
        made: api.made(SESSION, "r1").await,
        frames: seen
            .frames
            .iter()
            .map(|frames| comparable(frames))
            .collect(),
    }
}

/// The frames without what may differ each time that the run is carried out. Scripts and theme may come in either order.
fn comparable(frames: &[Value]) -> Vec<String> {
    let mut comparable: Vec<String> = frames
        .iter()
        .map(|frame| {
            let mut data = frame["data"].clone();
            forget(&mut data);
            format!("{} {data}", frame["type"].as_str().expect("a type"))
        })
        .collect();
    comparable.sort();
    comparable
}

/// Leaves out ids, times, and counts of what came before.
fn forget(value: &mut Value) {
    const CHANGING: [&str; 24] = [
        "pos",
        "latency_ms",
        "latencyMs",
        "executedAt",
        "toolCallId",
        "due",
        "artifact",
        "artifacts",
        "from",
        "content",
        "final",
        "message",
        "seq",
        "timestamp",
        "id",
        "messageId",
        "artifactId",
        "toolId",
        "duration",
        "durationMs",
        "startedAt",
        "completedAt",
        "createdAt",
        "at",
    ];
    match value {
        Value::Object(fields) => {
            fields.retain(|name, _| !CHANGING.contains(&name.as_str()));
            fields.values_mut().for_each(forget);
        }
        Value::Array(all) => all.iter_mut().for_each(forget),
        Value::String(text) => *text = without_ids(text),
        // No other number in these frames is so large.
        Value::Number(number) if number.as_u64().is_some_and(|number| number > 1 << 40) => {
            *value = "number of an artifact".into();
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

async fn killed_at_every_turn(case: Case, point: &'static str) {
    killed_at(case, (1..=case.turns()).map(|nth| Kill { point, nth })).await;
}

async fn killed_at(case: Case, kills: impl IntoIterator<Item = Kill>) {
    let model = Scripted::start(&case.script(None)).await;
    let reference = carried_out(case, &model, None).await;
    assert_eq!(reference.made.len(), case.made(), "{reference:#?}");
    for kill in kills {
        let outcome = carried_out(case, &model, Some(kill)).await;
        assert_eq!(outcome.made, reference.made, "{kill:?}");
        assert_eq!(outcome.frames, reference.frames, "{kill:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_before_any_call_a_course_ends_as_if_nothing_had_happened() {
    killed_at_every_turn(Case::Course, "before_call").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_during_any_answer_a_course_ends_as_if_nothing_had_happened() {
    killed_at_every_turn(Case::Course, "during_answer").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_after_any_answer_a_course_pays_for_it_only_once() {
    killed_at_every_turn(Case::Course, "answered").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_after_any_append_a_course_pays_for_it_only_once() {
    killed_at_every_turn(Case::Course, "appended").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_while_several_pages_are_made_a_course_ends_as_if_nothing_had_happened() {
    killed_at(Case::WideCourse, AMONG_PAGES).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_before_any_call_a_report_ends_as_if_nothing_had_happened() {
    killed_at_every_turn(Case::Report, "before_call").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_during_any_answer_a_report_ends_as_if_nothing_had_happened() {
    killed_at_every_turn(Case::Report, "during_answer").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_after_any_answer_a_report_pays_for_it_only_once() {
    killed_at_every_turn(Case::Report, "answered").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_after_any_append_a_report_pays_for_it_only_once() {
    killed_at_every_turn(Case::Report, "appended").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_before_any_call_a_post_ends_as_if_nothing_had_happened() {
    killed_at_every_turn(Case::Post, "before_call").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_during_any_answer_a_post_ends_as_if_nothing_had_happened() {
    killed_at_every_turn(Case::Post, "during_answer").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_after_any_answer_a_post_pays_for_it_only_once() {
    killed_at_every_turn(Case::Post, "answered").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_after_any_append_a_post_pays_for_it_only_once() {
    killed_at_every_turn(Case::Post, "appended").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_before_any_call_a_deck_ends_as_if_nothing_had_happened() {
    killed_at_every_turn(Case::Deck, "before_call").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_during_any_answer_a_deck_ends_as_if_nothing_had_happened() {
    killed_at_every_turn(Case::Deck, "during_answer").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_after_any_answer_a_deck_pays_for_it_only_once() {
    killed_at_every_turn(Case::Deck, "answered").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_after_any_append_a_deck_pays_for_it_only_once() {
    killed_at_every_turn(Case::Deck, "appended").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_before_any_call_a_story_ends_as_if_nothing_had_happened() {
    killed_at_every_turn(Case::Story, "before_call").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_during_any_answer_a_story_ends_as_if_nothing_had_happened() {
    killed_at_every_turn(Case::Story, "during_answer").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_after_any_answer_a_story_pays_for_it_only_once() {
    killed_at_every_turn(Case::Story, "answered").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_after_any_append_a_story_pays_for_it_only_once() {
    killed_at_every_turn(Case::Story, "appended").await;
}
