//! What holds for every log: the cuts of a log, the ids of its frames, and that everything that begins also ends.

use std::collections::{BTreeMap, BTreeSet};

use domain::event::{RunEvent, StepEvent};
use domain::{Event, Recorded};
use projections::cause::Causes;
use projections::history::History;
use projections::ledger::Ledger;
use projections::wire::course::Family;
use projections::wire::{Overview as _, built_in};
use projections::{AnyFold, Frame};
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Value, json};

use crate::generator::logs;
use crate::init::init;
use crate::log::*;
use crate::post_generator::posts;
use crate::story_generator::stories;

/// A log of any pipeline.
fn any_log() -> impl Strategy<Value = Log> {
    prop_oneof![logs(), posts(), stories()]
}

fn fold(wire: &str) -> AnyFold {
    built_in().fold(wire, session()).unwrap()
}

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
    for frame in frames {
        let fields = data(frame);
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
                ids.as_array_mut().unwrap().push(fields["artifact"]["id"].clone());
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
    fn a_prefix_of_a_log_gives_a_prefix_of_the_frames(log in any_log(), at in any::<Index>()) {
        for wire in built_in().names() {
            let (all, some) = (log.frames(wire), log.cut(at.index(log.events.len() + 1)).frames(wire));
            prop_assert_eq!(&all[..some.len()], &some[..]);
        }
    }

    #[test]
    fn a_lean_frame_is_the_native_one_without_its_body(log in any_log()) {
        let (native, lean) = (log.frames("native"), log.frames("lean"));
        prop_assert_eq!(native.len(), lean.len());
        for (native, lean) in native.iter().zip(&lean) {
            let mut data: Value = serde_json::from_str(native.data.get()).unwrap();
            if native.name == "artifact_produced" {
                data.as_object_mut().unwrap().remove("body");
            }
            prop_assert_eq!(data, serde_json::from_str::<Value>(lean.data.get()).unwrap());
            prop_assert_eq!((native.cursor, native.name, native.ordinal), (lean.cursor, lean.name, lean.ordinal));
        }
    }

    #[test]
    fn folding_in_parts_from_a_snapshot_equals_folding_at_once(log in any_log(), at in any::<Index>()) {
        for wire in built_in().names() {
            let at = at.index(log.events.len() + 1);
            let mut first = fold(wire);
            let mut frames: Vec<_> = log.events[..at].iter().flat_map(|recorded| first.push(recorded)).collect();
            let mut second = first.clone();
            frames.extend(log.events[at..].iter().flat_map(|recorded| second.push(recorded)));
            prop_assert_eq!(frames, log.frames(wire));
            prop_assert_eq!(first.version(), at as u64);
        }
    }

    #[test]
    fn replay_after_any_cursor_gives_exactly_the_tail(log in any_log(), seen in any::<Index>(), at in any::<Index>()) {
        for wire in built_in().names() {
            let all = log.frames(wire);
            let seen = seen.index(all.len() + 1);
            let after = seen.checked_sub(1).map_or(projections::Cursor::start(1), |last| all[last].cursor);
            // From a snapshot anywhere before the cursor, and with every event read twice.
            let snapshot = at.index(usize::try_from(after.version).unwrap() + 1);
            let mut fold = fold(wire);
            for recorded in log.events.iter().take(snapshot) {
                fold.push(recorded);
            }
            let mut fold = if fold.at() <= after { fold } else { built_in().fold(wire, session()).unwrap() };
            let mut tail = vec![];
            for recorded in &log.events {
                tail.extend(fold.push(recorded));
                prop_assert_eq!(fold.push(recorded), vec![]);
            }
            // Every wire but the native one begins a session with an event without frames, at the very cursor `start`.
            tail.retain(|frame| frame.cursor > after);
            prop_assert_eq!(&tail[..], &all[seen..]);
        }
    }

    #[test]
    fn where_a_fold_stands_separates_what_was_from_what_comes(log in any_log(), at in any::<Index>()) {
        for wire in built_in().names() {
            let at = at.index(log.events.len() + 1);
            let mut fold = fold(wire);
            let before: Vec<_> = log.events[..at].iter().flat_map(|recorded| fold.push(recorded)).collect();
            let here = fold.at();
            let after: Vec<_> = log.events[at..].iter().flat_map(|recorded| fold.push(recorded)).collect();
            prop_assert!(before.iter().all(|frame| frame.cursor <= here));
            prop_assert!(after.iter().all(|frame| frame.cursor > here));
            prop_assert_eq!(here.version, at as u64);
        }
    }

    #[test]
    fn cursors_rise_and_ordinals_count(log in any_log()) {
        let wires = built_in();
        for wire in wires.names() {
            let version = wires.version(wire).unwrap();
            let frames = log.frames(wire);
            prop_assert!(frames.windows(2).all(|pair| pair[0].cursor < pair[1].cursor));
            for (index, frame) in frames.iter().enumerate() {
                prop_assert_eq!(frame.ordinal, index as u64);
                prop_assert_eq!((frame.cursor.wire_version, frame.cursor.version), (version, frame.version));
                let first = index.checked_sub(1).is_none_or(|before| frames[before].version < frame.version);
                prop_assert_eq!(frame.cursor.sub == 0, first);
            }
        }
    }

    #[test]
    fn no_two_things_have_the_same_id(log in logs()) {
        let frames = log.frames("course");
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
        let frames = log.frames("course");
        let completions = words(&frames, "completion", "runId");
        prop_assert_eq!(&completions.iter().cloned().collect::<BTreeSet<_>>(), &ended);
        prop_assert_eq!(completions.len(), ended.len());
        prop_assert!(frames.iter().all(|frame| frame.terminal == (frame.name == "completion")));
    }

    #[test]
    fn every_tool_message_is_closed_in_both_families_when_its_run_has_ended(log in logs()) {
        let frames = log.frames("course");
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
        let frames = log.frames("course");
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
        for frame in log.frames("course") {
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
        for frame in log.frames("course") {
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
        for frame in log.frames("course") {
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
        for frame in log.frames("course") {
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
    fn a_client_that_comes_late_has_what_a_client_that_stayed_has(log in logs(), at in any::<Index>()) {
        let log = log.cut(at.index(log.events.len() + 1));
        let frames = log.frames("course");
        let view = init(&log);
        for family in [Family::V1, Family::V2] {
            let taken: Vec<_> = frames.iter().filter(|frame| family.takes(frame.name)).cloned().collect();
            let stored = serde_json::to_value(view.response(family).messages).unwrap();
            let stored = stored.as_array().unwrap().iter().filter(|m| m["role"] == "assistant").cloned();
            let stored: Vec<_> = stored.map(comparable).collect();
            let live = reduced(&taken, family);
            // The oldest may have been left out, with the person's messages among them.
            prop_assert_eq!(&stored[..], &live[live.len() - stored.len()..]);
        }
        let mut fold = fold("course");
        log.events.iter().for_each(|recorded| { fold.push(recorded); });
        prop_assert_eq!(view.at(), fold.at());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Every event follows from an earlier one, however the events were appended; and what a step did follows from its own request.
    #[test]
    fn causes_come_before(log in any_log(), cuts in any::<u64>()) {
        let mut causes = Causes::default();
        let mut requested = BTreeMap::new();
        let mut first = 1;
        for recorded in &log.events {
            if cuts >> (recorded.version % 64) & 1 == 1 {
                first = recorded.version;
            }
            causes.push(recorded);
            let cause = causes.of(recorded.version, first);
            prop_assert!(cause.is_none_or(|cause| (1..recorded.version).contains(&cause)), "{cause:?} {recorded:?}");
            if let Event::Step(StepEvent::StepRequested(e)) = &recorded.event {
                requested.insert((e.step.clone(), e.attempt), recorded.version);
            }
            if let Event::Step(StepEvent::StepSucceeded(e)) = &recorded.event
                && let Some(request) = requested.get(&(e.step.clone(), e.attempt))
            {
                prop_assert_eq!(cause, Some(*request));
            }
        }
    }

    /// The sums over all sessions are the sums of what the audit of each says.
    #[test]
    fn the_ledger_is_the_sum_of_the_audits(log in any_log()) {
        let mut ledger = Ledger::default();
        let mut history = History::default();
        for recorded in &log.events {
            ledger.push(&session(), recorded);
            history.push(recorded);
        }
        let costs = ledger.costs(&session().owner);
        let models: BTreeSet<_> = history.ledger().map(|row| row.model).collect();
        let of_models = costs.iter().filter(|row| models.contains(&row.model));
        let sums = of_models.fold((0, 0, 0), |(calls, tokens, cost), row| {
            (calls + row.sums.calls, tokens + row.sums.input_tokens, cost + row.sums.cost_micros)
        });
        let audited = history.ledger().fold((0, 0, 0), |(calls, tokens, cost), row| {
            (calls + row.sums.calls, tokens + row.sums.input_tokens, cost + row.sums.cost_micros)
        });
        prop_assert_eq!(sums, audited);
        let total: u64 = costs.iter().map(|row| row.sums.cost_micros).sum();
        prop_assert_eq!(ledger.spent(&session()), total);
    }
}
