//! How a run ends, and how it pauses: with a `done`.

use palimpsest::prelude::wire::{GateId, Now, RunEnd};

use super::fold::Out;
use super::frames::{ChainOutput, Data, StoryFrame, Usage};
use super::lanes::{client_session, run_name};
use super::run::RunState;

impl RunState {
    pub(super) fn end_story(mut self, end: RunEnd<'_>, out: &mut Out<'_>) {
        self.close(out);
        if let RunEnd::Failed(e) = end {
            let data = Data::Error {
                code: e.code.clone(),
                message: e.message.clone(),
            };
            out.push(self.frame("error", data, out.now));
        }
        let (status, reason) = match end {
            RunEnd::Completed(_) => ("completed", None),
            RunEnd::Failed(_) => ("failed", None),
            RunEnd::Cancelled(e) => ("cancelled", Some(e.reason.clone())),
            RunEnd::Erased => ("cancelled", Some("erased".to_owned())),
        };
        if !matches!(end, RunEnd::Erased) {
            self.tell_chain(out);
        }
        let is_partial = matches!(end, RunEnd::Completed(e) if e.partial);
        let mut done = self.done(status, None, reason, is_partial, out.now);
        done.terminal = true;
        out.push(done);
    }

    /// The end of a stream that a choice of a person goes on from.
    pub(super) fn paused(&self, gate: GateId, now: Now<'_>) -> StoryFrame {
        self.done("paused", Some(gate), None, false, now)
    }

    fn tell_chain(&self, out: &mut Out<'_>) {
        let is_chain = self
            .route
            .as_ref()
            .is_some_and(|route| route.workflow.is_chain());
        if !is_chain || self.outputs.is_empty() {
            return;
        }
        let outputs: Vec<ChainOutput> = self.outputs.values().cloned().collect();
        let success_count = outputs.iter().filter(|output| output.success).count();
        let failure_count = outputs.len() - success_count;
        let data = Data::Chain {
            execution_id: run_name(out.now.session.session.as_str(), self.book.id),
            agent_count: self.route.as_ref().map_or(0, |route| route.agents.len()),
            success_count,
            failure_count,
            summary: self.language.chain(success_count, failure_count),
            outputs,
        };
        out.push(self.frame("chain_summary", data, out.now));
    }

    fn done(
        &self,
        status: &'static str,
        pause: Option<GateId>,
        reason: Option<String>,
        partial: bool,
        now: Now<'_>,
    ) -> StoryFrame {
        let total_tokens = self.prompt_tokens + self.completion_tokens;
        let data = Data::Done {
            status,
            session_id: client_session(now.session.session.as_str()).to_owned(),
            pause,
            reason,
            partial,
            tokens: total_tokens,
            usage: Usage {
                prompt_tokens: self.prompt_tokens,
                completion_tokens: self.completion_tokens,
                total_tokens,
            },
            latency_ms: self.worked_ms(now),
        };
        self.frame("done", data, now)
    }
}
