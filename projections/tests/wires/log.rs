//! What the tests of reports need beside this.

use projections::Frame;
pub(crate) use projections::trial::*;
use projections::wire::report::Report;
use serde_json::{Value, json};

pub(crate) use super::names::*;
pub(crate) use super::pages::*;

pub(crate) type Log = LogFixture;

pub(crate) trait Told {
    fn frames(&self, wire: &str) -> Vec<Frame>;

    fn transcript(&self, wire: &str) -> Value;
}

impl Told for Log {
    fn frames(&self, _: &str) -> Vec<Frame> {
        self.frames_of::<Report>()
    }

    fn transcript(&self, wire: &str) -> Value {
        let line = |frame: Frame| {
            let mut data: Value = serde_json::from_str(frame.data.get()).unwrap();
            if wire == "course" {
                let fields = data.as_object_mut().unwrap();
                assert_eq!(
                    fields.shift_remove("pos"),
                    Some(json!(frame.cursor.to_string()))
                );
                assert_eq!(fields.shift_remove("sessionId"), Some(json!("s1")));
            }
            if wire == "report" {
                let fields = data.as_object_mut().unwrap();
                assert_eq!(fields.shift_remove("event"), Some(json!(frame.name)));
                assert_eq!(fields.shift_remove("session_id"), Some(json!("s1")));
                let seq = frame.ordinal + 1;
                assert_eq!(fields.shift_remove("seq"), Some(json!(seq)));
                assert_eq!(
                    fields.shift_remove("event_id"),
                    Some(json!(format!("s1-v1-{seq}")))
                );
                let at = frame
                    .recorded_at
                    .to_rfc3339_opts(chrono::SecondsFormat::Millis, true);
                assert_eq!(fields.shift_remove("timestamp"), Some(json!(at)));
            }
            let end = if frame.terminal { " (terminal)" } else { "" };
            json!({ "frame": format!("{} {}{end}", frame.cursor, frame.name), "data": data })
        };
        self.frames(wire).into_iter().map(line).collect()
    }
}
