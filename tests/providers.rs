//! Providers with habits (see `scripted_model/modes.rs`): each product is made with each of them, or fails at once and says why.

use serde_json::{Value, json};

use crate::support::api::Follow;
use crate::support::folder::TestFolder;
use crate::support::program::{palimpsest, run as command};
use crate::support::rig::Rig;
use crate::support::scripted::{Journal, Scripted};
use crate::support::{course, post, report};

/// What becomes of a run whose provider has a habit.
enum Becomes {
    /// It is made; on the way so many requests are refused and made otherwise.
    Made { refused: usize },
    /// It fails when the first step that needs a model has asked once, and says these words.
    Fails { words: &'static [&'static str] },
}

use Becomes::{Fails, Made};

/// Each mode of the scripted model with what becomes of a course, a report and a post.
const HABITS: [(&str, Becomes); 42] = [
    ("no_json_schema", Made { refused: 2 }),
    ("no_json_schema_and_breaks", Made { refused: 1 }),
    ("no_response_format", Made { refused: 3 }),
    ("no_max_length", Made { refused: 1 }),
    ("no_temperature", Made { refused: 1 }),
    ("max_completion_tokens", Made { refused: 1 }),
    ("output_limit_260", Made { refused: 1 }),
    ("context_of_8192", Made { refused: 64 }),
    ("no_stream_options", Made { refused: 1 }),
    ("no_system", Made { refused: 1 }),
    ("one_system_message", Made { refused: 0 }),
    ("no_empty_content", Made { refused: 0 }),
    ("wants_its_thoughts_back", Made { refused: 0 }),
    ("calls_all_at_index_0", Made { refused: 0 }),
    ("calls_without_ids", Made { refused: 0 }),
    ("trailing_commas", Made { refused: 0 }),
    ("schema_around_it", Made { refused: 0 }),
    ("list_around_it", Made { refused: 0 }),
    ("mark_of_byte_order", Made { refused: 0 }),
    ("no_end", Made { refused: 0 }),
    ("cut_while_thinking", Made { refused: 0 }),
    ("counts_nothing", Made { refused: 0 }),
    ("fields_beside_words", Made { refused: 1 }),
    ("says_nothing_of_schemas", Made { refused: 1 }),
    ("no_grammar", Made { refused: 3 }),
    ("no_maximum_in_tools_and_breaks", Made { refused: 1 }),
    ("tools_without_effort", Made { refused: 1 }),
    ("little_credit", Made { refused: 64 }),
    ("no_endpoint_with_shapes", Made { refused: 3 }),
    ("answers_as_reasoning", Made { refused: 0 }),
    ("calls_without_ids_and_indexes", Made { refused: 0 }),
    ("ends_in_capitals", Made { refused: 0 }),
    ("text_beside_the_message", Made { refused: 0 }),
    (
        "too_long_in_the_stream",
        Fails {
            words: &["maximum context length is 8192", "larger context"],
        },
    ),
    (
        "declines",
        Fails {
            words: &["I cannot help with that.", "change what is asked for"],
        },
    ),
    (
        "says_nothing",
        Fails {
            words: &["the model said nothing", "choose another model"],
        },
    ),
    (
        "no_choices",
        Fails {
            words: &["the model said nothing", "choose another model"],
        },
    ),
    (
        "no_credit",
        Fails {
            words: &["余额不足", "see to the account"],
        },
    ),
    (
        "wrong_key_with_200",
        Fails {
            words: &["Incorrect API key", "check OPENAI_API_KEY"],
        },
    ),
    (
        "too_long_with_200",
        Fails {
            words: &["the prompt is too long", "larger context"],
        },
    ),
    (
        "a_page",
        Fails {
            words: &["a web page", "check OPENAI_BASE_URL"],
        },
    ),
    (
        "busy_for_an_hour",
        Fails {
            words: &["slow down", "left alone until", "UTC"],
        },
    ),
];

/// A product with the script of its right answers, and the request that opens its session.
#[derive(Clone, Copy)]
enum Product {
    Course,
    Report,
    Post,
}

impl Product {
    fn script(self) -> Value {
        match self {
            Self::Course => course::script(),
            Self::Report => report::script_with([]),
            Self::Post => post::script_with([], Value::Null),
        }
    }

    /// How often a model that cannot answer is asked. The message of a course is understood without a model if the model fails at that, and
    /// the next step asks again, unless the failure holds for every question. The planner of a report is asked without tools where it calls
    /// none. Where there are no tools, an answer that says nothing is asked for anew.
    fn asked_in_vain(self, mode: &str) -> usize {
        match (self, mode) {
            (Self::Course, "declines" | "too_long_with_200" | "too_long_in_the_stream") => 2,
            (Self::Course, "says_nothing" | "no_choices") => 1 + 2,
            (Self::Report, "says_nothing" | "no_choices") => 2 * 2,
            (Self::Post, "says_nothing" | "no_choices") => 2,
            (Self::Course | Self::Report | Self::Post, _) => 1,
        }
    }

    async fn opening(self, rig: &Rig) -> Value {
        let settings = json!({ "width": 1, "attempts": 2 });
        match self {
            Self::Course => course::opening_with("s", settings),
            Self::Report => report::opening(&rig.api, "s", settings).await,
            Self::Post => post::opening("s", settings),
        }
    }
}

/// A run with such a provider: its last frame, and what the provider was asked.
async fn run(product: Product, mode: &str, end: &str) -> (Vec<Value>, Journal) {
    let mut script = product.script();
    script["modes"] = json!([mode]);
    let rig = Rig::playing(&script, &[]).await;
    let opening = product.opening(&rig).await;
    rig.api.open(&opening).await;
    let frames = rig.end("s", "r1", end).await;
    (frames, rig.model.journal().await)
}

fn refused(journal: &Journal) -> usize {
    let requests = journal.requests().iter();
    requests
        .filter(|request| request["status"].as_u64() >= Some(400))
        .count()
}

async fn all_habits(product: Product) {
    for (mode, becomes) in &HABITS {
        match becomes {
            Made { refused: expected } => {
                let (_, journal) = run(product, mode, "run_completed").await;
                assert!(
                    refused(&journal) <= *expected,
                    "{mode}: {} refused",
                    refused(&journal)
                );
                // The first answer that is cut off is asked for once more; from then on there is room for thinking.
                let twice = usize::from(*mode == "cut_while_thinking");
                assert_eq!(journal.paid_twice().len(), twice, "{mode}");
            }
            Fails { words } => {
                let (frames, journal) = run(product, mode, "run_failed").await;
                let last = frames.last().expect("a frame");
                let message = last["data"]["message"].as_str().expect("a message");
                for word in *words {
                    assert!(message.contains(word), "{mode}: {message}");
                }
                assert_eq!(
                    journal.requests().len(),
                    product.asked_in_vain(mode),
                    "{mode}: {message}"
                );
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_course_is_made_by_providers_of_every_habit_or_says_why_not() {
    all_habits(Product::Course).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_report_is_made_by_providers_of_every_habit_or_says_why_not() {
    all_habits(Product::Report).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_post_is_made_by_providers_of_every_habit_or_says_why_not() {
    all_habits(Product::Post).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_provider_takes_is_found_out_told_and_known_to_the_next_process() {
    let ping = json!({ "name": "ping", "arguments": { "word": "hello" } });
    let script = json!({
        "rules": [{ "when": { "contains": "Call the tool" }, "tool_calls": [ping] }],
        "by_schema": { "word": { "word": "yes" } },
        "modes": ["no_json_schema", "no_temperature"],
    });
    let model = Scripted::start(&script).await;
    let place = TestFolder::new();
    let check = async || {
        let mut program = palimpsest(&place);
        model.serve_for(&mut program);
        command(program, &["models", "check"]).await.with(0).out
    };
    let first = check().await;
    for line in [
        "structured              json_object\n",
        "takes no `temperature`",
        "came; ",
    ] {
        assert!(first.contains(line), "{first}");
    }
    let again = check().await;
    assert!(
        !again.contains("learned") && again.contains("json_object"),
        "{again}"
    );
    let journal = model.journal().await;
    assert_eq!((refused(&journal), journal.requests().len()), (3, 7));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_check_of_models_that_fails_says_what_to_look_at() {
    for (status, advice) in [
        (401, "check OPENAI_API_KEY"),
        (402, "see to the account at the provider"),
        (404, "check the model's name (PALIMPSEST_MODEL)"),
    ] {
        let when = json!({ "contains": "Answer with the word yes" });
        let rules = [json!({ "when": when, "status": status })];
        let model = Scripted::start(&json!({ "rules": rules })).await;
        let place = TestFolder::new();
        let mut program = palimpsest(&place);
        model.serve_for(&mut program);
        let ended = command(program, &["models", "check"]).await.with(1);
        assert!(ended.out.contains(advice), "{status}: {ended:#?}");
        let price = ended.out.lines().last().expect("a price");
        assert!(price.contains("unknown: "), "{price}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wait_that_a_provider_asks_for_goes_on_as_told_when_the_server_was_killed_in_it() {
    let busy = course::rule(
        course::TURNS[1],
        Some(1),
        json!({ "status": 429, "retry_after": "600" }),
    );
    let mut rig = Rig::with([busy]).await;
    rig.api.open(&course::opening("s")).await;
    let mut follow = Follow::new(&rig.api, "s", "native");
    let told = follow
        .until("the refusal", |frame| {
            frame["type"] == "model_called" && frame["data"]["error"].is_object()
        })
        .await;
    drop(follow);
    let again_at = told["data"]["error"]["again_at"].clone();
    rig.again().await;
    // A server takes up steps before it answers anything, so this request is handled after that.
    let cancel = rig.api.command("s", "c1", "cancel", json!({})).await;
    cancel.succeeded();
    let frames = rig.end("s", "r1", "run_cancelled").await;
    let journal = rig.model.journal().await;
    assert_eq!(journal.asked("requirement_analysis").len(), 1);
    let calls = course::of(&frames, "model_called", "analyze_topic");
    assert_eq!(calls.len(), 1);
    assert_eq!(calls[0]["error"]["again_at"], again_at);
    let time = |at: &Value| chrono::DateTime::parse_from_rfc3339(at.as_str()?).ok();
    let waits = time(&told["ts"]).zip(time(&again_at));
    let waits = waits.map(|(at, again_at)| (again_at - at).num_seconds());
    assert!(
        waits.is_some_and(|waits| (599..=601).contains(&waits)),
        "{told:#}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_is_closed_stays_closed_when_the_server_was_killed_meanwhile() {
    let refused = course::rule(course::TURNS[1], Some(1), json!({ "status": 401 }));
    let stopped = course::rule(course::TURNS[2], Some(1), json!({ "hold_after_chunks": 0 }));
    let with_another = [("PALIMPSEST_FALLBACK_MODEL", "other")];
    let mut rig = Rig::with_settings([refused, stopped], &with_another).await;
    rig.api.open(&course::opening("s")).await;
    rig.until_held(1).await;
    rig.again().await;
    rig.end("s", "r1", "run_completed").await;
    let journal = rig.model.journal().await;
    let models: Vec<_> = journal
        .requests()
        .iter()
        .map(|request| &request["model"])
        .collect();
    let closed = models.iter().filter(|model| **model == "scripted").count();
    assert_eq!(closed, 2, "the message, and what was refused: {models:?}");
    assert_eq!(journal.paid_twice(), vec![]);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_whose_first_byte_is_late_is_asked_for_once_more_when_the_server_was_killed() {
    let late = course::rule(course::TURNS[1], Some(1), json!({ "hold_after_chunks": 0 }));
    let mut rig = Rig::with([late]).await;
    rig.api.open(&course::opening("s")).await;
    rig.until_held(1).await;
    rig.again().await;
    let frames = rig.end("s", "r1", "run_completed").await;
    let journal = rig.model.journal().await;
    let asked = journal.asked("requirement_analysis");
    assert_eq!(asked.len(), 2, "one of them had no byte of an answer");
    assert_eq!(
        asked[0]["key"], asked[1]["key"],
        "the provider can tell that it is the same question"
    );
    assert_eq!(journal.paid_twice(), vec![]);
    let calls = course::of(&frames, "model_called", "analyze_topic");
    assert_eq!(calls.len(), 1, "{calls:#?}");
}
