//! The course protocol: logs in, frames out.

mod frames;
#[path = "../../../../tests/wires/generator.rs"]
#[expect(
    clippy::duplicate_mod,
    reason = "the same story with the names that the course gives to its stages"
)]
mod generator;
mod init;
mod laws;
mod names;
#[path = "../../../../tests/wires/pages.rs"]
#[expect(
    clippy::duplicate_mod,
    reason = "the same story with the names that the course gives to its stages"
)]
mod pages;
#[path = "../../../../tests/wires/scenes.rs"]
mod scenes;

use projections::trial::LogFixture;
use projections::wire::course::Course;
use serde_json::{Value, json};

trait CourseLog {
    /// What a client reads; `pos` and `sessionId`, which are in every frame, are checked and left out.
    fn transcript(&self) -> Value;
}

impl CourseLog for LogFixture {
    fn transcript(&self) -> Value {
        self.read_frames::<Course>(|frame, data| {
            let fields = data.as_object_mut().unwrap();
            let pos = json!(frame.cursor.to_string());
            assert_eq!(fields.shift_remove("pos"), Some(pos));
            assert_eq!(fields.shift_remove("sessionId"), Some(json!("s1")));
        })
    }
}
