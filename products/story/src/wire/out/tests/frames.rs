//! The story protocol: transcripts of whole runs, and what they are to say.

use insta::assert_json_snapshot;
use palimpsest::prelude::pipeline::event::{Intent as RunIntent, StageOutcome, StepEvent};
use palimpsest::prelude::trial::logs::*;
use palimpsest::prelude::wire::Fold;
use serde_json::{Value, json};

use super::runs::*;
use crate::pipeline::stage::Stage;
use crate::readings::routing::{Intent, Workflow};
use crate::wire::out::Story;

const GATE: &str = "gate_1";

/// Prose with its preprocessing and its check, up to the text.
fn prose(input: Value) -> LogFixture {
    let log = LogFixture::story()
        .tells("续写第三章的打斗", input, with_writer(true))
        .goes_to(Intent::WriteContent)
        .prepares(&["preflight", "search", "style"], "style");
    log.works(Stage::Act, outcome(Intent::WriteContent, 1), Value::Null)
}

fn checked_prose() -> LogFixture {
    prose(json!({ "project": "p1", "skills": ["dialogue", "poetry"] }))
        .works(Stage::Check, checked(), Value::Null)
        .hands_over()
}

/// A chain up to its choice.
fn waiting() -> LogFixture {
    let log = LogFixture::story()
        .tells("想法扩写：灯塔", json!({}), with_writer(true))
        .goes_to(Intent::BrainstormAndExpand);
    log.works(
        Stage::Act,
        outcome(Intent::BrainstormAndExpand, 1),
        Value::Null,
    )
    .asks_to_choose(GATE)
}

fn chosen() -> LogFixture {
    waiting().answers(GATE, json!({ "selection": "2" }))
}

/// A plan that enters the bible.
fn planned() -> LogFixture {
    let log = LogFixture::story()
        .tells(
            "design a rival",
            json!({ "project": "p1" }),
            with_writer(false),
        )
        .goes_to(Intent::PlanCharacter)
        .prepares(&["search", "characters", "archetypes"], "");
    log.works(Stage::Act, outcome(Intent::PlanCharacter, 1), Value::Null)
        .works(
            Stage::Keep,
            proposals(),
            json!({ "agent": "CharacterAgent", "entries": 3 }),
        )
        .hands_over()
}

#[test]
fn a_text_for_a_passage_is_told_with_its_place() {
    let (mut facts, body) = route(Intent::WriteContent);
    facts["passage"] = json!("rewrite");
    let place = json!({
        "task": "rewrite", "chapterId": "c1", "version": 4, "from": 8, "to": 14, "original": "海上没有船。",
        "replacement": "海面空着。",
    });
    let made =
        json!({ "agent": "WriterAgent", "text": "海面空着。", "data": { "passage": place } });
    let input = json!({ "project": "p1", "selection": { "chapter": "c1", "version": 4, "from": 8, "to": 14 } });
    let log = LogFixture::story()
        .tells("润色", input, with_writer(true))
        .works(Stage::Route, body, facts)
        .works(Stage::Act, made, Value::Null)
        .hands_over();
    let told = of(&log, "content");
    assert_eq!((told.len(), &told[0]["passage"]), (1, &place));
    let started = of(&log, "thought").into_iter();
    let started: Vec<Value> = started
        .filter(|thought| thought["stage"] == "agent_started")
        .map(|thought| thought["task"].clone())
        .collect();
    assert_eq!(started, ["rewrite"]);
    // A text that belongs to no passage has no place.
    assert_eq!(of(&checked_prose(), "content")[0].get("passage"), None);
}

fn names(log: &LogFixture) -> Vec<&'static str> {
    log.frames_of::<Story>()
        .iter()
        .map(|frame| frame.name)
        .collect()
}

fn frames(log: &LogFixture) -> Vec<Value> {
    log.frames_of::<Story>().iter().map(data).collect()
}

fn of(log: &LogFixture, name: &str) -> Vec<Value> {
    let mut frames = frames(log);
    frames.retain(|frame| frame["type"] == name);
    frames
}

fn stages(log: &LogFixture) -> Vec<String> {
    let thoughts = of(log, "thought");
    let stage = |thought: &Value| thought["stage"].as_str().unwrap().to_owned();
    thoughts.iter().map(stage).collect()
}

#[test]
fn prose_that_is_checked() {
    assert_json_snapshot!(checked_prose().read_frames::<Story>(|_, _| {}));
}

#[test]
fn a_chain_whose_second_option_is_chosen() {
    let log = chosen().works(Stage::Write, written(1), Value::Null);
    let log = log.works(Stage::Check, checked(), Value::Null).hands_over();
    assert_json_snapshot!(log.read_frames::<Story>(|_, _| {}));
}

#[test]
fn a_plan_that_enters_the_bible_as_proposed() {
    assert_json_snapshot!(planned().read_frames::<Story>(|_, _| {}));
}

#[test]
fn every_intent_gives_its_agents_and_its_text() {
    for intent in Intent::ALL {
        let mut log = LogFixture::story()
            .tells("x", json!({}), with_writer(true))
            .goes_to(intent);
        log = log.works(Stage::Act, outcome(intent, 1), Value::Null);
        if intent.workflow().is_chain() {
            log = log.works(Stage::Write, written(1), Value::Null);
        }
        let log = log.hands_over();
        let told = frames(&log);
        assert_eq!(told[0]["intent"], json!(intent), "{intent:?}");
        let started: Vec<&Value> = told
            .iter()
            .filter(|frame| frame["stage"] == "agent_started")
            .map(|frame| &frame["agent"])
            .collect();
        assert_eq!(json!(started), json!(intent.agents()), "{intent:?}");
        let texts = of(&log, "content").len();
        assert_eq!(texts, intent.agents().len(), "{intent:?}");
        let is_chain = intent.workflow().is_chain();
        assert_eq!(of(&log, "chain_summary").len(), usize::from(is_chain));
        let reports = intent.workflow() == Workflow::ConsistencyCheck;
        assert_eq!(of(&log, "check_result").len(), usize::from(reports));
        assert_eq!(told.last().unwrap()["status"], "completed");
    }
}

#[test]
fn the_order_is_preprocessing_content_check_and_done() {
    let order = [
        "preflight_result",
        "content",
        "processing_check",
        "check_result",
        "done",
    ];
    let told = names(&checked_prose());
    let told: Vec<&str> = told
        .into_iter()
        .filter(|name| order.contains(name))
        .collect();
    assert_eq!(told, order);
}

#[test]
fn a_check_that_fails_is_not_checked_and_the_text_stands() {
    let check = Stage::Check.name;
    let log = prose(json!({})).stage(check, 1).request(check, "", 1);
    let log = log
        .fail(check, "", 1, "no answer", false)
        .close(check, StageOutcome::Failed)
        .hands_over();
    let result = &of(&log, "check_result")[0];
    assert_eq!(result["status"], "not_checked");
    assert_eq!(result["notChecked"], json!(["no answer"]));
    assert_eq!(frames(&log).last().unwrap()["status"], "completed");
}

#[test]
fn without_a_check_nothing_is_said_of_one() {
    let log = prose(json!({ "consistency": false })).hands_over();
    let told = names(&log);
    assert!(!told.contains(&"processing_check") && !told.contains(&"check_result"));
}

#[test]
fn utilities_have_no_preprocessing_events() {
    let log = LogFixture::story()
        .tells("总结第一章", json!({ "project": "p1" }), with_writer(true))
        .goes_to(Intent::Summarize)
        .prepares(&["chapters"], "")
        .works(Stage::Act, outcome(Intent::Summarize, 1), Value::Null)
        .hands_over();
    assert_eq!(
        stages(&log),
        ["routing", "agent_started", "agent_completed"]
    );
}

#[test]
fn a_further_attempt_is_announced_and_its_text_has_its_number() {
    let act = Stage::Act.name;
    let log = LogFixture::story()
        .tells("写一段", json!({}), with_writer(true))
        .goes_to(Intent::WriteContent)
        .stage(act, 1)
        .request(act, "", 1)
        .fail(act, "", 1, "cut off", true)
        .request(act, "", 2);
    let body = outcome(Intent::WriteContent, 2);
    let log = log.makes(Stage::Act, "story_outcome", 2, body, Value::Null);
    let log = log.close(act, StageOutcome::Completed).hands_over();
    assert_eq!(
        stages(&log),
        [
            "routing",
            "agent_started",
            "attempt_started",
            "agent_completed"
        ]
    );
    let content = of(&log, "content");
    assert_eq!(content.len(), 1);
    assert_eq!(content[0]["attempt"], 2);
}

#[test]
fn a_chain_that_fails_keeps_what_was_made() {
    let write = Stage::Write.name;
    let log = chosen()
        .stage(write, 1)
        .request(write, "", 1)
        .fail(write, "", 1, "no answer", false)
        .close(write, StageOutcome::Failed)
        .failed("stage_failed", "no answer");
    let told = names(&log);
    assert_eq!(told[told.len() - 3..], ["error", "chain_summary", "done"]);
    let summary = &of(&log, "chain_summary")[0];
    assert_eq!(summary["outputs"][0]["content"], "第1稿。\n");
    assert_eq!(summary["outputs"][1]["errorMessage"], "no answer");
    assert_eq!(
        (&summary["successCount"], &summary["failureCount"]),
        (&json!(1), &json!(1))
    );
    assert_eq!(frames(&log).last().unwrap()["status"], "failed");
}

#[test]
fn a_pause_ends_the_stream_and_costs_no_time() {
    let log = waiting();
    let told = names(&log);
    assert_eq!(told[told.len() - 2..], ["user_input_required", "done"]);
    let (asked, paused) = (&of(&log, "user_input_required")[0], frames(&log));
    let paused = paused.last().unwrap();
    assert_eq!(
        (&paused["status"], &paused["pause"]),
        (&json!("paused"), &json!(GATE))
    );
    assert_eq!(asked["options"][1]["title"], "无人的灯塔");
    assert!(!log.frames_of::<Story>().last().unwrap().terminal);
    // A second passes between two events, so that the answer costs none and its successor one.
    let log = chosen().cancelled();
    let last = frames(&log);
    let (before, after) = (&paused["latencyMs"], &last.last().unwrap()["latencyMs"]);
    assert_eq!(after.as_i64().unwrap() - before.as_i64().unwrap(), 1_000);
}

#[test]
fn where_nobody_is_there_no_pause_is_told() {
    let mut settings = with_writer(true);
    settings.attended = false;
    let log = LogFixture::story()
        .tells("想法扩写：灯塔", json!({}), settings)
        .goes_to(Intent::BrainstormAndExpand);
    let log = log
        .works(
            Stage::Act,
            outcome(Intent::BrainstormAndExpand, 1),
            Value::Null,
        )
        .asks_to_choose(GATE)
        .answers(GATE, json!({ "selection": "1" }));
    assert!(!names(&log).contains(&"user_input_required"));
    assert!(!stages(&log).contains(&"selection".to_owned()));
}

#[test]
fn an_erased_session_ends_what_was_open() {
    let log = waiting();
    let mut fold = Fold::<Story>::new(session());
    for recorded in &log.events {
        fold.push(recorded);
    }
    let partings = fold.partings();
    assert_eq!(partings.len(), 1);
    let done: Value = serde_json::from_str(partings[0].data.get()).unwrap();
    assert_eq!(
        (&done["status"], &done["reason"]),
        (&json!("cancelled"), &json!("erased"))
    );
}

#[test]
fn another_pipelines_run_gives_its_done_alone() {
    let log = LogFixture::of("talk", "")
        .message("做课件", settings())
        .understood()
        .completed(None);
    assert_eq!(names(&log), ["done"]);
}

#[test]
fn a_run_that_goes_on_with_a_chain_tells_its_route_again() {
    let log = chosen().failed("stage_failed", "no answer");
    let kept: Vec<_> = log
        .events
        .iter()
        .filter_map(|recorded| {
            if let palimpsest::prelude::wire::Event::Step(StepEvent::ArtifactProduced(e)) =
                &recorded.event
            {
                Some(e.artifact.clone())
            } else {
                None
            }
        })
        .collect();
    let before = log.frames_of::<Story>().len();
    let log = log
        .message("继续", with_writer(true))
        .intent(RunIntent::Resumption, None, None, kept)
        .works(Stage::Write, written(1), Value::Null)
        .hands_over();
    let told = frames(&log).split_off(before);
    assert_eq!(told[0]["intent"], "BRAINSTORM_AND_EXPAND");
    let summary = told.iter().find(|frame| frame["type"] == "chain_summary");
    assert_eq!(summary.unwrap()["outputs"].as_array().unwrap().len(), 2);
}

/// The frames that `docs/protocols/story.md` shows are frames of these transcripts.
#[test]
fn the_examples_of_the_page_are_what_is_sent() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/protocols/story.md");
    let page = std::fs::read_to_string(page).unwrap();
    let chain = chosen().works(Stage::Write, written(1), Value::Null);
    let chain = chain
        .works(Stage::Check, checked(), Value::Null)
        .hands_over();
    let told: Vec<String> = [checked_prose(), chain, planned()]
        .iter()
        .flat_map(|log| log.frames_of::<Story>())
        .map(|frame| format!("event: {}\ndata: {}", frame.name, frame.data.get()))
        .collect();
    let shown: Vec<&str> = page
        .split("\n```")
        .skip(1)
        .step_by(2)
        .flat_map(|block| block.trim().split("\n\n"))
        .collect();
    assert!(shown.len() > 20, "{}", shown.len());
    for example in shown {
        assert!(told.iter().any(|frame| frame == example), "{example}");
    }
}
