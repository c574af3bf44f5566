//! What planners and solvers think: the words of a model beside its calls of tools.

use std::sync::Arc;

use palimpsest::prelude::wire::event::ModelCalled;

use super::contents::{Call, task_id};
use super::fold::Out;
use super::frames::{Content, Metadata};
use super::gates::scope_of;
use super::run::RunState;
use super::words::clip_text;

impl RunState {
    /// Sends the thought of the call that was noted last. A call that comes after its attempt has ended is counted but not sent.
    pub(crate) fn thinks(&self, e: &ModelCalled, out: &mut Out<'_>) {
        let (Some(scope), Some(thought), Some(call)) =
            (scope_of(&e.step), &e.thought, self.calls.last())
        else {
            return;
        };
        // Runs of given tasks send only frames of solvers and tools.
        if self.solves_only || self.book.open_attempt(&e.step) != Some(e.attempt) {
            return;
        }
        let is_one_of_them = |other: &&Arc<Call>| {
            other.step == call.step
                && other.metadata.attempt == call.metadata.attempt
                && other.metadata.role == call.metadata.role
                && other.metadata.error.is_none()
        };
        let metadata = Metadata::Thinking {
            scope,
            task_id: task_id(&e.step),
            agent: call.agent,
            step: self.calls.iter().filter(is_one_of_them).count(),
            streaming: false,
        };
        let content = Content::Text(thought.clone());
        let show = self.language.thinking(&clip_text(thought));
        out.push(self.frame(out.now, "agent.thinking", content, metadata, show));
    }
}
