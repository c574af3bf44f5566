//! What holds for every log of a course: ids, and that everything that begins also ends.

use std::collections::{BTreeMap, BTreeSet};

use palimpsest::prelude::pipeline::event::RunEvent;
use palimpsest::prelude::trial::logs::*;
use palimpsest::prelude::wire::{Event, Fold, Frame, Overview as _, Recorded};
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Value, json};

use super::generator::logs;
use super::init::init;
use super::names::*;
use crate::wire::out::{Course, Family};

/// The words of a field, in the frames of a name.
fn words(frames: &[Frame], name: &str, field: &str) -> Vec<String> {
    let of_name = frames.iter().filter(|frame| frame.name == name);
    of_name
        .map(|frame| data(frame)[field].as_str().unwrap().to_owned())
        .collect()
}

/// The tool messages that a client of one family has seen begin, with the result of each.
fn tools(frames: &[Frame], begins: &str, ends: &str) -> BTreeMap<String, Option<String>> {
    let mut tools = BTreeMap::new();
    let mut sent = BTreeSet::new();
    for frame in frames {
        let fields = data(frame);
        // What was sent before is sent again where the session goes back to it.
        if frame.name == "tool:artifact" && !sent.insert(fields["artifact"]["id"].to_string()) {
            continue;
        }
        let text = |field: &str| fields[field].as_str().map(str::to_owned);
        if frame.name == begins {
            assert_eq!(
                tools.insert(text("id").unwrap(), None),
                None,
                "a tool message begins twice"
            );
        } else if frame.name == ends {
            let state = tools
                .get_mut(&text("id").unwrap())
                .expect("what ends has begun");
            assert_eq!(state, &None, "a tool message ends twice");
            *state = text("status");
        } else if frame.name == "tool:log" || frame.name == "tool:artifact" {
            let state = tools
                .get(&text("messageId").unwrap())
                .expect("what is added to has begun");
            assert_eq!(state, &None, "something comes after the end");
        }
    }
    tools
}

/// The assistant's messages as a client of one family puts them together from its frames.
fn reduced(frames: &[Frame], family: Family) -> Vec<Value> {
    let (begins, ends) = match family {
        Family::V2 => ("tool:start", "tool:update"),
        Family::V1 | Family::Both => ("tool:message:start", "tool:message:complete"),
    };
    let mut messages: Vec<Value> = vec![];
    for frame in frames {
        let fields = data(frame);
        match frame.name {
            "message:start" => messages.push(json!({ "id": fields["id"], "kind": "chat", "content": "" })),
            "message:chunk" => find(&mut messages, &fields["id"])["content"] = fields["chunk"].clone(),
            "tool:artifact" => {
                let ids = &mut find(&mut messages, &fields["messageId"])["artifactIds"];
                let (ids, id) = (ids.as_array_mut().unwrap(), &fields["artifact"]["id"]);
                if !ids.contains(id) {
                    ids.push(id.clone());
                }
            }
            name if name == begins => messages.push(json!({
                "id": fields["id"], "kind": "tool", "status": fields["status"], "toolName": fields["toolName"],
                "title": fields["title"], "progressText": fields["progressText"],
                "parentMessageId": fields["parentMessageId"], "artifactIds": [], "timestamp": fields["timestamp"],
            })),
            name if name == ends => {
                let message = find(&mut messages, &fields["id"]);
                assert_eq!(message["artifactIds"], fields["artifactIds"], "the last word repeats what was sent");
                message["status"] = fields["status"].clone();
            }
            _ => {}
        }
    }
    messages
}

fn find<'a>(messages: &'a mut [Value], id: &Value) -> &'a mut Value {
    messages
        .iter_mut()
        .find(|message| message["id"] == *id)
        .expect("the message has begun")
}

/// The part of a stored message that a client knows from frames.
fn comparable(message: Value) -> Value {
    let pick = |fields: &[&str]| {
        fields
            .iter()
            .map(|f| ((*f).to_owned(), message[*f].clone()))
            .collect::<Value>()
    };
    if message["kind"] == "chat" {
        return pick(&["id", "kind", "content"]);
    }
    pick(&[
        "id",
        "kind",
        "status",
        "toolName",
        "title",
        "progressText",
        "parentMessageId",
        "artifactIds",
        "timestamp",
    ])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_laws_of_all_wires_hold(log in logs()) {
        wire_laws::<Course>(&log.events);
    }

    #[test]
    fn no_two_things_have_the_same_id(log in logs()) {
        let frames = log.frames_of::<Course>();
        for name in ["message:start", "tool:start", "tool:message:start", "tool:log"] {
            let ids = words(&frames, name, "id");
            let distinct: BTreeSet<_> = ids.iter().collect();
            prop_assert_eq!(distinct.len(), ids.len(), "{} {:?}", name, ids);
        }
    }

    #[test]
    fn a_run_that_ended_has_exactly_one_completion_and_the_others_none(log in logs()) {
        let names = ["RunCompleted", "RunFailed", "RunCancelled"];
        let ends = log.events.iter().filter(|recorded| names.contains(&recorded.event.name()));
        let run = |recorded: &Recorded| serde_json::to_value(&recorded.event).unwrap()["data"]["run"].as_str().unwrap().to_owned();
        let ended: BTreeSet<_> = ends.map(run).collect();
        let frames = log.frames_of::<Course>();
        let completions = words(&frames, "completion", "runId");
        prop_assert_eq!(&completions.iter().cloned().collect::<BTreeSet<_>>(), &ended);
        prop_assert_eq!(completions.len(), ended.len());
        prop_assert!(frames.iter().all(|frame| frame.terminal == (frame.name == "completion")));
    }

    #[test]
    fn every_tool_message_is_closed_in_both_families_when_its_run_has_ended(log in logs()) {
        let frames = log.frames_of::<Course>();
        let v1 = tools(&frames, "tool:message:start", "tool:message:complete");
        let v2 = tools(&frames, "tool:start", "tool:update");
        let spelled = |status: &str| if status == "failed" { "error".to_owned() } else { status.to_owned() };
        let as_v1: BTreeMap<_, _> = v2.into_iter().map(|(id, status)| (id, status.map(|s| spelled(&s)))).collect();
        prop_assert_eq!(&v1, &as_v1);
        let ended: BTreeSet<_> = words(&frames, "completion", "runId").into_iter().collect();
        for frame in frames.iter().filter(|frame| frame.name == "tool:start") {
            let start = data(frame);
            let is_closed = v1[start["id"].as_str().unwrap()].is_some();
            prop_assert!(is_closed || !ended.contains(start["runId"].as_str().unwrap()));
        }
    }

    #[test]
    fn every_stage_that_began_in_a_run_that_ended_has_its_tool_message(log in logs()) {
        let frames = log.frames_of::<Course>();
        let ended: BTreeSet<_> = words(&frames, "completion", "runId").into_iter().collect();
        let mut started = vec![];
        for recorded in &log.events {
            if let Event::Run(RunEvent::StageStarted(e)) = &recorded.event
                && e.stage != "understand"
                && ended.contains(&e.run.to_string())
            {
                started.push((e.run.to_string(), e.stage.to_string()));
            }
        }
        let told = words(&frames, "tool:start", "runId").into_iter().zip(words(&frames, "tool:start", "toolName"));
        let mut told: Vec<_> = told.filter(|(run, _)| ended.contains(run)).collect();
        started.sort();
        told.sort();
        prop_assert_eq!(started, told);
    }

    #[test]
    fn a_run_is_greeted_once_and_its_tool_messages_belong_to_the_greeting(log in logs()) {
        let mut said = BTreeSet::new();
        let mut parents: BTreeMap<String, String> = BTreeMap::new();
        for frame in log.frames_of::<Course>() {
            let fields = data(&frame);
            let text = |field: &str| fields[field].as_str().unwrap().to_owned();
            if frame.name == "message:start" {
                said.insert(text("id"));
            } else if frame.name == "tool:start" {
                prop_assert!(said.contains(&text("parentMessageId")));
                let parent = parents.entry(text("runId")).or_insert_with(|| text("parentMessageId"));
                prop_assert_eq!(parent, &text("parentMessageId"));
            }
        }
    }

    #[test]
    fn nothing_of_a_run_comes_after_its_completion(log in logs()) {
        let mut ended = BTreeSet::new();
        for frame in log.frames_of::<Course>() {
            let fields = data(&frame);
            let Some(run) = fields["runId"].as_str() else { continue };
            prop_assert!(!ended.contains(run));
            if frame.name == "completion" {
                ended.insert(run.to_owned());
            }
        }
    }

    #[test]
    fn a_theme_never_begins_between_the_beginning_and_the_end_of_the_scripts(log in logs()) {
        let mut scripts = None;
        for frame in log.frames_of::<Course>() {
            let fields = data(&frame);
            match (frame.name, fields["toolName"].as_str()) {
                ("tool:start", Some(SCRIPTS)) => scripts = Some(fields["id"].clone()),
                ("tool:start", Some(THEME)) => {
                    // Unless the run ends there.
                    let ends = log.events[usize::try_from(frame.version).unwrap() - 1].event.name();
                    prop_assert!(scripts.is_none() || ["RunFailed", "RunCancelled"].contains(&ends));
                }
                ("tool:update", _) if Some(&fields["id"]) == scripts.as_ref() => scripts = None,
                _ => {}
            }
        }
    }

    #[test]
    fn percents_never_fall_within_a_run_and_a_page_counts_once_for_each_tool_message(log in logs()) {
        let mut percent: BTreeMap<String, u64> = BTreeMap::new();
        let mut pages = BTreeSet::new();
        for frame in log.frames_of::<Course>() {
            let fields = data(&frame);
            if frame.name == "tool:start" && fields["toolName"] == SLIDES {
                pages.clear();
            }
            if frame.name == "progress" {
                let now = fields["progress"].as_u64().unwrap();
                let before = percent.insert(fields["runId"].to_string(), now).unwrap_or(0);
                prop_assert!(before <= now && now <= 100);
                if fields["status"] == "generating_slide" {
                    prop_assert!(pages.insert(fields["current"].to_string()));
                }
            }
        }
    }

    #[test]
    fn going_back_sends_exactly_what_a_client_that_comes_then_is_given(log in logs()) {
        for (place, recorded) in log.events.iter().enumerate() {
            if recorded.event.name() != "HeadMoved" {
                continue;
            }
            let log = log.cut(place + 1);
            let given = serde_json::to_value(init(&log).response(Family::Both).artifacts).unwrap();
            let frames = log.frames_of::<Course>();
            let sent = frames.iter().filter(|frame| frame.version == recorded.version);
            let sent: Value = sent.map(|frame| data(frame)["artifact"].clone()).collect();
            prop_assert_eq!(sent, given);
        }
    }

    #[test]
    fn a_client_that_comes_late_has_what_a_client_that_stayed_has(log in logs(), at in any::<Index>()) {
        let log = log.cut(at.index(log.events.len() + 1));
        let frames = log.frames_of::<Course>();
        let view = init(&log);
        for family in [Family::V1, Family::V2] {
            let taken: Vec<_> = frames.iter().filter(|frame| !family.left_out().contains(&frame.name)).cloned().collect();
            let stored = serde_json::to_value(view.response(family).messages).unwrap();
            let stored = stored.as_array().unwrap().iter().filter(|m| m["role"] == "assistant").cloned();
            let stored: Vec<_> = stored.map(comparable).collect();
            let live = reduced(&taken, family);
            // The oldest may have been left out, with the person's messages among them.
            prop_assert_eq!(&stored[..], &live[live.len() - stored.len()..]);
        }
        let mut fold = Fold::<Course>::new(session());
        log.events.iter().for_each(|recorded| { fold.push(recorded); });
        prop_assert_eq!(view.at(), fold.at());
    }
}
