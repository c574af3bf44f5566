//! The course protocol: logs in, frames out.

mod frames;
/// What the logs of pages are written with.
mod given {
    pub(super) use palimpsest::prelude::pipeline::event::*;
    pub(super) use palimpsest::prelude::pipeline::{
        ArtifactId, Budget, GateId, MessageId, RunId, Settings,
    };
    pub(super) use palimpsest::prelude::trial::logs::*;
}
// The same logs that the views of the engine are tested with, with the names of courses.
#[path = "../../../../../../projections/tests/wires/generator.rs"]
mod generator;
mod init;
mod laws;
mod names;
#[path = "../../../../../../projections/tests/wires/pages.rs"]
mod pages;
#[path = "../../../../../../projections/tests/wires/scenes.rs"]
mod scenes;

use palimpsest::prelude::trial::logs::LogFixture;
use serde_json::{Value, json};

use crate::wire::out::Course;

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
