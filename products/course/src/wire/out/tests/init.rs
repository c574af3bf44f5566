//! What a client is given when it connects.

use insta::assert_json_snapshot;
use palimpsest::prelude::pipeline::event::*;
use palimpsest::prelude::trial::logs::*;
use palimpsest::prelude::wire::{ArtifactId, Overview as _, RunId};
use serde_json::{Value, json};

use super::names::*;
use super::pages::*;
use super::scenes::{happy, refined, with_a_failed_page};
use crate::wire::out::init::MESSAGES_MAX;
use crate::wire::out::{Course, Family, InitResponse, InitView};

pub(crate) fn init(log: &LogFixture) -> InitView {
    let mut view = InitView::new(session());
    log.events.iter().for_each(|recorded| view.push(recorded));
    view
}

fn response(log: &LogFixture) -> InitResponse {
    init(log).response(Family::Both)
}

fn artifacts(log: &LogFixture) -> Vec<String> {
    response(log)
        .artifacts
        .iter()
        .map(|a| format!("{} {}", a.id, a.version))
        .collect()
}

#[test]
fn a_finished_run_is_given_whole() {
    assert_json_snapshot!(response(&happy()));
}

#[test]
fn a_session_that_is_not_there_has_nothing() {
    let empty = InitView::new(session()).response(Family::Both);
    let expected = json!({ "status": "success", "sessionId": "s1", "messages": [], "artifacts": [], "pos": "v2.0.0" });
    assert_eq!(serde_json::to_value(empty).unwrap(), expected);
}

#[test]
fn the_answer_is_true_at_the_last_frame_of_the_last_event() {
    let log = happy();
    assert_eq!(
        Some(response(&log).pos),
        log.frames_of::<Course>().last().map(|frame| frame.cursor)
    );
}

#[test]
fn the_latest_versions_are_given_and_going_back_brings_the_earlier_ones() {
    let latest = artifacts(&refined());
    assert!(
        latest.contains(&"art_video_outline_2 v2".to_owned()),
        "{latest:?}"
    );
    assert!(
        latest.contains(&"art_course_config_1 v1".to_owned()),
        "what was taken over counts: {latest:?}"
    );
    assert!(
        !latest.iter().any(|a| a.starts_with("art_ppt_html_3")),
        "the new deck has two pages: {latest:?}"
    );
    assert_eq!(
        artifacts(&refined().then(HeadMoved { run: RunId(1) })),
        artifacts(&happy())
    );
}

#[test]
fn a_failed_first_run_still_shows_its_pages() {
    assert!(artifacts(&with_a_failed_page()).contains(&"art_ppt_html_1_1 v1".to_owned()));
}

#[test]
fn while_a_refinement_works_the_finished_deck_stays() {
    let log = happy()
        .message("短一些", settings())
        .refines(OUTLINE, "短一些")
        .whole(OUTLINE);
    let shown = artifacts(&log);
    assert!(shown.contains(&"art_video_outline_2 v2".to_owned()));
    assert!(shown.contains(&"art_ppt_html_3_1 v1".to_owned()));
}

#[test]
fn a_failed_stage_is_stored_in_the_word_that_was_live() {
    let view = init(&with_a_failed_page());
    let last = |family| {
        view.response(family)
            .messages
            .pop()
            .and_then(|message| message.status)
    };
    assert_eq!(
        (last(Family::V1), last(Family::V2), last(Family::Both)),
        (Some("error"), Some("failed"), Some("error"))
    );
}

#[test]
fn an_erased_session_has_nothing_left() {
    let log = happy().then(SessionErased {
        reason: "asked".to_owned(),
    });
    let after = response(&log);
    assert_eq!((after.messages, after.artifacts), (vec![], vec![]));
    assert_eq!(after.pos.version, log.events.len() as u64);
}

#[test]
fn no_more_than_the_last_messages_are_given() {
    let mut log = new_log();
    for n in 0..MESSAGES_MAX + 5 {
        log = log.message(&n.to_string(), settings()).cancelled();
    }
    let messages = response(&log).messages;
    assert_eq!(
        (messages.len(), messages[0].content.as_str()),
        (MESSAGES_MAX, "5")
    );
}

#[test]
fn attachments_are_named() {
    let log = new_log().then(MessageReceived {
        at: None,
        message: "user_1".into(),
        text: "用这个".to_owned(),
        attachments: vec!["notes.txt".to_owned()],
        run: RunId(1),
    });
    let message: Value = serde_json::to_value(&response(&log).messages[0]).unwrap();
    assert_eq!(message["metadata"], json!({ "attachments": ["notes.txt"] }));
}

#[test]
fn a_big_artifact_is_a_summary_to_fetch() {
    let found = response(&happy())
        .artifacts
        .into_iter()
        .find(|a| a.id == ArtifactId::new("art_dsl_document_1"));
    assert_eq!(
        serde_json::to_value(found).unwrap(),
        json!({
            "id": "art_dsl_document_1", "type": "dsl", "title": "dsl", "version": "v1",
            "timestamp": at(54).timestamp_millis(), "url": "/v1/artifacts/art_dsl_document_1/content", "size": 6,
            "mediaType": "application/json",
        })
    );
}
