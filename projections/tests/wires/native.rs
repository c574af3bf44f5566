//! The native protocol: every event is one frame.

use std::sync::Arc;

use domain::event::*;
use domain::settings::Budget;
use domain::{Event, RunId, StepId};
use insta::assert_json_snapshot;
use projections::trial::*;
use projections::wire::FrameData as _;
use projections::wire::native::{Native, NativeEvent};
use serde::Deserialize as _;
use serde_json::{Value, json};

use crate::names::*;
use crate::pages::*;

/// One event of every kind, in an order that makes sense.
pub(crate) fn one_of_each() -> LogFixture {
    let log = new_log().message("光合作用", with_model(true));
    let run = log.run;
    let at = log.now();
    let file = FilePut {
        path: "notes.txt".to_owned(),
        blob: domain::hash::BlobRef::of(b"notes"),
        media_type: "text/plain".to_owned(),
    };
    let log = log
        .then(file)
        .refines_nothing()
        .stage(ANALYZE, 1)
        .request(ANALYZE, "", 1);
    let step = log.step(ANALYZE, "");
    let log = log.then(ToolCalled {
        step: step.clone(),
        attempt: 1,
        turn: 0,
        tool: "web_search".into(),
        input: json!({ "query": "leaf" }),
    });
    let log = log.then(ToolReturned {
        step,
        attempt: 1,
        turn: 0,
        tool: "web_search".into(),
        output: domain::hash::BlobRef::of(b"results"),
        summary: "no results".to_owned(),
        latency_ms: 12,
        cost_micros: 0,
        error: Some(call_error("timeout", true)),
    });
    let log = log
        .called(ANALYZE, "", 1, Some(call_error("server", true)))
        .called(ANALYZE, "", 1, None);
    let log = log
        .reject(ANALYZE, "", 1, vec![violation("", "is empty")])
        .fail(ANALYZE, "", 1, "rejected", true);
    let log = log.request(ANALYZE, "", 2).done(ANALYZE, "", 2);
    let log = log.make(ANALYZE, "", 2, "pptx", true, blob(b"PK", "application/zip"));
    let log = log.close(ANALYZE, StageOutcome::Completed);
    let log = log.then(DecisionMade {
        run,
        what: "route".to_owned(),
        choice: "short".to_owned(),
        reason: "few pages".to_owned(),
        by: "rules".to_owned(),
    });
    let steps = vec![log.step(ANALYZE, "")];
    let log = log.then(StagesReopened {
        run,
        stages: vec![ANALYZE.into()],
        steps,
        feedback: None,
        feedback_for: None,
        reason: "once more".to_owned(),
    });
    let log = log.cancel_step(ANALYZE, "", 2, "reopened");
    let log = log.then(GateOpened {
        step: None,
        run,
        gate: "gate_1".into(),
        name: "confirm".to_owned(),
        subject: None,
        question: "like this?".to_owned(),
        schema: json!({ "type": "object" }),
        options: vec![],
        deadline: Some(at),
        default: json!({ "confirm": true }),
        at,
    });
    let gate = || "gate_1".into();
    let log = log.then(PlanConfirmed {
        run,
        gate: gate(),
        edits: None,
        by: "person".to_owned(),
        at,
    });
    let log = log.then(PlanDeclined {
        run,
        gate: gate(),
        feedback: None,
        by: "person".to_owned(),
        at,
    });
    let log = log.then(AnswerGiven {
        run,
        gate: gate(),
        answer: json!({ "choice": 1 }),
        by: "deadline".to_owned(),
        at,
    });
    let log = log.then(BudgetRaised {
        run,
        budget: Budget::default(),
        at,
    });
    let log = log.then(MessageSent {
        message: "msg_1".into(),
        run,
        text: "好的".to_owned(),
    });
    let log = log.then(MessageQueued {
        message: "user_r9".into(),
        run: RunId(9),
        pipeline: PIPELINE.into(),
        input: Value::Null,
        settings: settings(),
    });
    let at = log.now();
    let log = log.then(MessageWithdrawn {
        message: "user_r9".into(),
        run: RunId(9),
        reason: "no longer wanted".to_owned(),
        at,
    });
    let log = log
        .completed(None)
        .failed("stage_failed", "it failed")
        .cancelled()
        .then(HeadMoved { run })
        .then(ArtifactEdited {
            run,
            artifact: "art_1".into(),
            kind: "video_outline".into(),
            step: StepId::new(run, OUTLINE, ""),
            items: vec!["2".to_owned()],
            body: Body::Event {
                json: Arc::new(json!({ "theme": "绿叶" })),
            },
        })
        .then(SessionTitled {
            title: "绿叶".to_owned(),
        })
        .then(FileRemoved {
            path: "notes.txt".to_owned(),
        });
    log.then(SessionForked {
        parent: "s0".into(),
        at: 3,
    })
    .then(SessionErased {
        reason: "asked".to_owned(),
    })
}

trait RefinesNothing {
    fn refines_nothing(self) -> Self;
}

impl RefinesNothing for LogFixture {
    fn refines_nothing(self) -> Self {
        let (run, base_run) = (self.run, RunId(7));
        let log = self.intent(Intent::Refinement, Some(OUTLINE), Some(base_run), vec![]);
        log.then(RefinementRequested {
            run,
            base_run,
            stage: OUTLINE.into(),
            feedback: "shorter".to_owned(),
            items: vec![],
            order: vec![],
        })
    }
}

/// Events that no session has, and that no wire sends.
const OF_NO_SESSION: [&[(&str, u32)]; 2] = [CollectionEvent::ALL, ProjectEvent::ALL];

fn is_of_no_session(name: &str) -> bool {
    let all = OF_NO_SESSION.iter().copied().flatten();
    { all }.any(|(known, _)| *known == name)
}

#[test]
fn every_event_is_one_frame_of_a_documented_shape() {
    let log = one_of_each();
    let mut kinds: Vec<_> = log.events.iter().map(|r| r.event.name()).collect();
    kinds.sort_unstable();
    kinds.dedup();
    assert_eq!(
        kinds.len(),
        Event::ALL.len() - OF_NO_SESSION.concat().len(),
        "an event is missing from this log"
    );
    assert_eq!(log.frames_of::<Native>().len(), log.events.len());
    assert_json_snapshot!(log.read_frames::<Native>(|_, _| {}));
}

#[test]
fn a_frame_is_named_after_its_event() {
    for (frame, recorded) in one_of_each()
        .frames_of::<Native>()
        .iter()
        .zip(one_of_each().events)
    {
        let mut pascal = String::new();
        for word in frame.name.split('_') {
            pascal.push_str(&word[..1].to_uppercase());
            pascal.push_str(&word[1..]);
        }
        assert_eq!(pascal, recorded.event.name());
    }
}

/// When something was decided, which is a moment before the `ts` of the frame. No state depends on this.
const DECIDED_AT: [&str; 14] = [
    "AnswerGiven",
    "BudgetRaised",
    "GateOpened",
    "MessageReceived",
    "MessageWithdrawn",
    "PlanConfirmed",
    "PlanDeclined",
    "RunCancelled",
    "RunCompleted",
    "RunFailed",
    "StepCancelled",
    "StepFailed",
    "StepRequested",
    "StepSucceeded",
];

/// Whether a field of a payload has another form in the frame or is left out, with the reason. What `evolve` reads and a view shows has to
/// be there.
fn told_otherwise(event: &str, field: &str) -> bool {
    match (event, field) {
        ("FilePut", "blob") => true,          // as `sha256` and `size`
        ("ArtifactProduced", "body") => true, // as `body` or `blob`
        // It is sent as the artifact that its step produces.
        ("ArtifactEdited", "body") => true,
        // Only the flows of pipelines read it, and clients have no flows.
        ("ArtifactProduced", "facts") => true,
        (event, "at") => DECIDED_AT.contains(&event),
        _ => false,
    }
}

/// Times are text in frames.
fn is_time(field: &str) -> bool {
    matches!(
        field,
        "at" | "due" | "deadline" | "again_at" | "closed_until"
    )
}

fn assert_told(place: &str, field: &str, told: &Value, value: &Value) {
    if let (Value::Object(told), Value::Object(fields)) = (told, value) {
        for (field, value) in fields {
            let place = format!("{place}.{field}");
            let told = told.get(field);
            assert_told(&place, field, told.unwrap_or(&Value::Null), value);
        }
    } else if is_time(field) && value.as_i64() > Some(1_000_000_000_000_000) {
        let is_text = told.as_str().is_some_and(|time| time.ends_with('Z'));
        assert!(is_text, "{place}");
    } else {
        assert_eq!(told, value, "{place}");
    }
}

#[test]
fn a_frame_has_every_field_of_its_event_that_a_client_needs_to_come_to_the_same_state() {
    for event in events_with_every_field() {
        let frames = new_log().then(event.clone()).frames_of::<Native>();
        let Some(frame) = frames.get(1) else {
            assert!(is_of_no_session(event.name()), "{}", event.name());
            continue;
        };
        let payload: Value = serde_json::from_slice(&event.encode()).unwrap();
        for (field, value) in payload.as_object().unwrap() {
            let told = data(frame).get(field).cloned();
            let place = format!("{}.{field}", event.name());
            if told_otherwise(event.name(), field) {
                continue;
            }
            let told = told.unwrap_or_else(|| panic!("{place} is not told"));
            assert_told(&place, field, &told, value);
        }
    }
}

/// The payloads of `tests/golden/events`, which have every field that there is.
fn events_with_every_field() -> Vec<Event> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/golden/events");
    let read = |(name, schema): &(&str, u32)| {
        let path = format!("{folder}/{name}.v{schema}.json");
        let payload = std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
        Event::decode(name, *schema, &payload).unwrap()
    };
    Event::ALL.iter().map(read).collect()
}

#[test]
fn a_frame_of_every_kind_is_read_as_it_was_written() {
    let every_field = events_with_every_field().into_iter();
    let logs = every_field.map(|event| new_log().then(event));
    for frame in logs
        .chain([one_of_each()])
        .flat_map(|log| log.frames_of::<Native>())
    {
        let written = serde_json::to_value(frame.envelope(None)).unwrap();
        let read = NativeEvent::deserialize(&written).unwrap();
        assert_eq!(read.name(), frame.name);
        assert_eq!(serde_json::to_value(&read).unwrap(), data(&frame));
    }
}

#[test]
fn nothing_of_positions_and_no_null_leaves_the_server() {
    for frame in one_of_each().frames_of::<Native>() {
        assert!(!frame.data.get().contains("position"), "{}", frame.data);
        assert!(!frame.data.get().contains(":null"), "{}", frame.data);
    }
}

#[test]
fn an_envelope_has_the_cursor_and_the_time_around_the_data() {
    let frames = new_log().frames_of::<Native>();
    let put = |sub| serde_json::to_value(frames[0].envelope(sub)).unwrap();
    let data = json!({ "pipeline": PIPELINE, "title": "光合作用" });
    assert_eq!(
        put(Some("a")),
        json!({
            "sub": "a", "cursor": "v1.1.0", "version": 1, "type": "session_opened", "ts": "2025-01-01T00:00:01.000Z",
            "data": data,
        })
    );
    assert_eq!(put(None).get("sub"), None);
}
