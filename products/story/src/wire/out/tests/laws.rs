//! What holds for every log on the story protocol: one end for each run, everything in pairs, texts whole, and no field that a client would
//! take for a part of the chapter.

use std::collections::BTreeSet;

use palimpsest::prelude::pipeline::event::{Event, GateEvent, RunEvent, StepEvent};
use palimpsest::prelude::trial::logs::*;
use proptest::prelude::*;
use serde_json::json;

use super::generator::stories;
use super::others::generator::logs;
use crate::wire::out::Story;

/// The event names of the contract.
const NAMES: [&str; 15] = [
    "thought",
    "content",
    "tool_start",
    "tool_end",
    "processing_check",
    "check_result",
    "relationship_update",
    "structure_update",
    "knowledge_update",
    "user_input_required",
    "chain_summary",
    "preflight_result",
    "warning",
    "error",
    "done",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_laws_of_all_wires_hold(log in prop_oneof![stories(), logs()]) {
        wire_laws::<Story>(&log.events);
    }

    #[test]
    fn every_end_of_a_run_gives_one_terminal_done_and_it_is_the_last(log in prop_oneof![stories(), logs()]) {
        let frames = log.frames_of::<Story>();
        let mut ended = BTreeSet::new();
        let mut expected = BTreeSet::new();
        for recorded in &log.events {
            let Some(run) = end_of(&recorded.event) else { continue };
            // A second end of the same run does not count.
            if ended.insert(run) {
                expected.insert(recorded.version);
            }
        }
        for (place, frame) in frames.iter().enumerate() {
            let is_last = frame.name == "done" && data(frame)["status"] != "paused";
            prop_assert_eq!(frame.terminal, is_last);
            if frame.name == "done" {
                // No frame of the same event comes after the end of a stream.
                prop_assert!(frames.get(place + 1).is_none_or(|next| next.version > frame.version));
            }
        }
        let told: BTreeSet<_> = frames.iter().filter(|frame| frame.terminal).map(|frame| frame.version).collect();
        prop_assert_eq!(told, expected);
    }

    #[test]
    fn frames_are_named_as_their_type_and_only_content_has_content(log in stories()) {
        for frame in log.frames_of::<Story>() {
            let data = data(&frame);
            prop_assert!(NAMES.contains(&frame.name));
            prop_assert_eq!(&data["type"], &json!(frame.name));
            prop_assert_eq!(data.get("content").is_some(), frame.name == "content");
            prop_assert!(data.get("data").is_none());
            prop_assert_eq!(data["stage"].is_string(), frame.name == "thought");
            prop_assert_eq!(&data["timestamp"], &json!(frame.recorded_at.timestamp_millis()));
            prop_assert!(!frame.data.get().contains('\n'));
        }
    }

    #[test]
    fn the_first_thought_of_a_run_tells_its_intent(log in stories()) {
        let mut seen = BTreeSet::new();
        for frame in log.frames_of::<Story>() {
            let data = data(&frame);
            if frame.name == "thought" && seen.insert(data["runId"].to_string()) {
                prop_assert_eq!(&data["stage"], &json!("routing"));
                prop_assert!(data["intent"].is_string() && data["confidence"].is_number() && data["source"].is_string());
            }
        }
    }

    #[test]
    fn agents_and_calls_begin_and_end_in_pairs_within_their_run(log in stories()) {
        let (mut agents, mut calls) = (vec![], vec![]);
        for frame in log.frames_of::<Story>() {
            let data = data(&frame);
            let call = data["toolCallId"].to_string();
            match (frame.name, data["stage"].as_str()) {
                ("thought", Some("agent_started")) => {
                    prop_assert!(agents.is_empty(), "two at once");
                    agents.push(data["agent"].to_string());
                }
                ("thought", Some("agent_completed")) => prop_assert_eq!(agents.pop(), Some(data["agent"].to_string())),
                ("content", _) => prop_assert_eq!(agents.last(), Some(&data["agent"].to_string())),
                ("tool_start", _) => {
                    prop_assert!(!calls.contains(&call));
                    calls.push(call);
                }
                ("tool_end", _) => {
                    let place = calls.iter().position(|open| *open == call);
                    prop_assert!(place.is_some(), "an end without a start");
                    calls.remove(place.unwrap());
                }
                _ if frame.terminal => prop_assert!(agents.is_empty() && calls.is_empty()),
                _ => {}
            }
        }
    }

    #[test]
    fn every_text_is_told_once_and_whole(log in stories()) {
        let mut own = BTreeSet::new();
        let mut made = vec![];
        for recorded in &log.events {
            if let Event::Run(RunEvent::RunStarted(e)) = &recorded.event && e.pipeline == "story" {
                own.insert(e.run);
            }
            if let Event::Step(StepEvent::ArtifactProduced(e)) = &recorded.event
                && ["story_outcome", "story_text"].contains(&e.kind.as_str())
                && own.contains(&e.step.run)
                && let palimpsest::prelude::pipeline::event::Body::Event { json } = &e.body
            {
                made.push((json["text"].clone(), json!(e.attempt), json!(0)));
            }
        }
        let told: Vec<_> = log.frames_of::<Story>().iter().filter(|frame| frame.name == "content").map(|frame| {
            let data = data(frame);
            (data["content"].clone(), data["attempt"].clone(), data["offset"].clone())
        }).collect();
        prop_assert_eq!(told, made);
    }

    #[test]
    fn a_pause_is_told_once_and_ends_its_stream(log in stories()) {
        let frames = log.frames_of::<Story>();
        let mut asked = 0;
        for (place, frame) in frames.iter().enumerate() {
            if frame.name == "user_input_required" {
                asked += 1;
                let (ask, done) = (data(frame), data(&frames[place + 1]));
                prop_assert_eq!((&done["status"], &done["pause"]), (&json!("paused"), &ask["pause"]));
            }
        }
        let opened = log.events.iter().filter(|recorded| matches!(&recorded.event, Event::Gate(GateEvent::GateOpened(_)))).count();
        let paused = frames.iter().filter(|frame| data(frame)["status"] == "paused").count();
        prop_assert_eq!(paused, asked);
        prop_assert!(asked <= opened);
    }

    #[test]
    fn tokens_and_time_only_grow_within_a_run(log in stories()) {
        let mut before = std::collections::BTreeMap::new();
        for frame in log.frames_of::<Story>().iter().filter(|frame| frame.name == "done") {
            let data = data(frame);
            let now = (data["tokens"].as_u64().unwrap(), data["latencyMs"].as_i64().unwrap());
            let last = before.insert(data["runId"].to_string(), now).unwrap_or((0, 0));
            prop_assert!(now.0 >= last.0 && now.1 >= last.1 && now.1 >= 0);
        }
    }
}
