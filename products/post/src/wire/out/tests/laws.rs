//! What holds for every log on the post protocol: everything that begins ends exactly once, and the run pauses for each question.

use std::collections::BTreeMap;

use palimpsest::prelude::pipeline::event::{Event, RunEvent, StepEvent};
use palimpsest::prelude::trial::logs::*;
use proptest::prelude::*;
use serde_json::json;

use super::generator::{others, posts};
use crate::wire::out::Post;

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_laws_of_all_wires_hold(log in prop_oneof![posts(), others()]) {
        wire_laws::<Post>(&log.events);
    }

    #[test]
    fn every_end_of_a_run_gives_exactly_one_terminal_frame_and_it_is_the_last(log in prop_oneof![posts(), others()]) {
        let frames = log.frames_of::<Post>();
        let terminal = ["workflow_complete", "workflow_failed", "workflow_cancelled"];
        let mut ended = std::collections::BTreeSet::new();
        let mut expected = std::collections::BTreeSet::new();
        for recorded in &log.events {
            let Some(run) = end_of(&recorded.event) else { continue };
            // A second end of the same run does not count.
            if ended.insert(run) {
                expected.insert(recorded.version);
            }
        }
        for (place, frame) in frames.iter().enumerate() {
            prop_assert_eq!(frame.terminal, terminal.contains(&frame.name));
            prop_assert_eq!(frame.terminal, end_of(&log.events[usize::try_from(frame.version).unwrap() - 1].event).is_some() && frames.get(place + 1).is_none_or(|next| next.version > frame.version));
        }
        let told: std::collections::BTreeSet<_> = frames.iter().filter(|frame| frame.terminal).map(|frame| frame.version).collect();
        prop_assert_eq!(told, expected);
    }

    #[test]
    fn no_end_tells_an_empty_post_where_the_session_has_one(log in posts()) {
        let mut has_post = false;
        for frame in log.frames_of::<Post>().iter().filter(|frame| frame.name == "workflow_complete") {
            let data = data(frame);
            let is_told = data["title"] != "" && data["creativeId"].is_u64();
            prop_assert!(is_told || !has_post && data.get("creativeId").is_none(), "{data:#}");
            has_post = is_told;
        }
    }

    #[test]
    fn nodes_and_calls_begin_and_end_in_pairs_within_their_run(log in posts()) {
        let (mut nodes, mut calls) = (vec![], vec![]);
        for frame in log.frames_of::<Post>() {
            let data = data(&frame);
            let (agent, call) = (data["agent"].to_string(), data["toolCallId"].to_string());
            match frame.name {
                "agent_start" => {
                    prop_assert!(nodes.is_empty(), "two at once");
                    nodes.push(agent);
                }
                "agent_end" => {
                    prop_assert_eq!(nodes.pop(), Some(agent));
                    prop_assert!(calls.is_empty(), "a call without a result");
                }
                "tool_call" => {
                    prop_assert_eq!(nodes.last(), Some(&agent));
                    prop_assert!(!calls.contains(&call));
                    calls.push(call);
                }
                "tool_result" => {
                    let place = calls.iter().position(|open| *open == call);
                    prop_assert!(place.is_some(), "a result without a call");
                    calls.remove(place.unwrap());
                }
                "message" | "quality_score" | "brief_ready" | "image_progress" => prop_assert_eq!(nodes.last(), Some(&agent)),
                _ if frame.terminal => prop_assert!(nodes.is_empty() && calls.is_empty()),
                _ => {}
            }
        }
    }

    #[test]
    fn a_question_is_told_once_and_paused_for_at_once(log in posts()) {
        let frames = log.frames_of::<Post>();
        let mut asked = vec![];
        for (place, frame) in frames.iter().enumerate() {
            if frame.name == "ask_user" {
                let (ask, paused) = (data(frame), data(&frames[place + 1]));
                prop_assert_eq!(frames[place + 1].name, "workflow_paused");
                prop_assert_eq!(&ask["gateId"], &paused["gateId"]);
                prop_assert_eq!(&ask["gateId"], &ask["context"]["gateId"]);
                prop_assert!(!asked.contains(&ask["gateId"]));
                asked.push(ask["gateId"].clone());
            }
        }
        let pauses = frames.iter().filter(|frame| frame.name == "workflow_paused").count();
        prop_assert_eq!(pauses, asked.len());
    }

    #[test]
    fn pictures_go_forward_and_are_complete_at_most_once_a_version(log in posts()) {
        let mut told: BTreeMap<u64, String> = BTreeMap::new();
        let mut urls = vec![];
        for frame in log.frames_of::<Post>() {
            let data = data(&frame);
            if frame.terminal {
                told.clear();
            }
            if frame.name != "image_progress" {
                continue;
            }
            let (task, status) = (data["taskId"].as_u64().unwrap(), data["status"].as_str().unwrap());
            let before = told.insert(task, status.to_owned());
            let before = before.as_deref().unwrap_or("nothing");
            let right = match status {
                "generating" => matches!(before, "queued" | "failed"),
                "complete" => before == "generating",
                "failed" => matches!(before, "queued" | "generating"),
                _ => true,
            };
            prop_assert!(right, "{} after {}", status, before);
            prop_assert_eq!(status == "complete", data["url"].is_string());
            prop_assert_eq!(status == "failed", data["errorMessage"].is_string());
            if status == "complete" {
                prop_assert!(!urls.contains(&data["url"]), "twice");
                urls.push(data["url"].clone());
            }
        }
    }

    #[test]
    fn every_version_is_told_once(log in posts()) {
        let of_run = |kind: &str| {
            let mut own = std::collections::BTreeSet::new();
            let mut count = 0;
            for recorded in &log.events {
                if let Event::Run(RunEvent::RunStarted(e)) = &recorded.event && e.pipeline == "post" {
                    own.insert(e.run);
                }
                if let Event::Step(StepEvent::ArtifactProduced(e)) = &recorded.event && e.kind == kind && own.contains(&e.step.run) {
                    count += 1;
                }
            }
            count
        };
        let frames = log.frames_of::<Post>();
        let told = |name: &str| frames.iter().filter(|frame| frame.name == name).count();
        for (kind, name) in [("content", "content_update"), ("brief", "brief_ready"), ("review", "quality_score"), ("image_plan", "alignment_map_ready"), ("layout", "layout_spec_ready")] {
            prop_assert_eq!(told(name), of_run(kind), "{}", name);
        }
        for frame in &frames {
            let data = data(frame);
            prop_assert_eq!(&data["type"], &json!(frame.name));
            prop_assert_eq!(&data["timestamp"], &json!(frame.recorded_at.timestamp_millis()));
        }
    }
}
