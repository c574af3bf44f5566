//! How a run ends, and how it pauses: with a `done`.

use palimpsest::prelude::pipeline::event::{RunCancelled, RunCompleted, RunFailed};
use palimpsest::prelude::wire::GateId;

use super::frames::{ChainOutput, Data, StoryFrame, Usage};
use super::lanes::{client_session, run_name};
use super::run::{Now, RunState};

impl RunState {
    pub(super) fn completed(mut self, e: &RunCompleted, now: Now<'_>, out: &mut Vec<StoryFrame>) {
        self.close(now, out);
        self.tell_chain(now, out);
        let mut done = self.done("completed", now);
        if let Data::Done { partial, .. } = &mut done.data {
            *partial = e.partial;
        }
        out.push(done);
    }

    pub(super) fn failed(mut self, e: &RunFailed, now: Now<'_>, out: &mut Vec<StoryFrame>) {
        self.close(now, out);
        let data = Data::Error {
            code: e.code.clone(),
            message: e.message.clone(),
        };
        out.push(self.frame("error", data, now));
        self.tell_chain(now, out);
        let done = self.done("failed", now);
        out.push(done);
    }

    pub(super) fn cancelled(mut self, e: &RunCancelled, now: Now<'_>, out: &mut Vec<StoryFrame>) {
        self.close(now, out);
        self.tell_chain(now, out);
        out.push(self.stopped(&e.reason, now));
    }

    pub(super) fn erased(mut self, now: Now<'_>, out: &mut Vec<StoryFrame>) {
        self.close(now, out);
        out.push(self.stopped("erased", now));
    }

    fn stopped(&self, why: &str, now: Now<'_>) -> StoryFrame {
        let mut done = self.done("cancelled", now);
        if let Data::Done { reason, .. } = &mut done.data {
            *reason = Some(why.to_owned());
        }
        done
    }

    /// The end of a stream that a choice of a person goes on from.
    pub(super) fn paused(&self, gate: GateId, now: Now<'_>) -> StoryFrame {
        let mut done = self.done("paused", now);
        done.terminal = false;
        if let Data::Done { pause, .. } = &mut done.data {
            *pause = Some(gate);
        }
        done
    }

    fn tell_chain(&self, now: Now<'_>, out: &mut Vec<StoryFrame>) {
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
            execution_id: run_name(now.session.session.as_str(), self.id),
            agent_count: self.route.as_ref().map_or(0, |route| route.agents.len()),
            success_count,
            failure_count,
            summary: self.language.chain(success_count, failure_count),
            outputs,
        };
        out.push(self.frame("chain_summary", data, now));
    }

    fn done(&self, status: &'static str, now: Now<'_>) -> StoryFrame {
        let total_tokens = self.prompt_tokens + self.completion_tokens;
        let data = Data::Done {
            status,
            session_id: client_session(now.session.session.as_str()).to_owned(),
            pause: None,
            reason: None,
            partial: false,
            tokens: total_tokens,
            usage: Usage {
                prompt_tokens: self.prompt_tokens,
                completion_tokens: self.completion_tokens,
                total_tokens,
            },
            latency_ms: self.worked_ms(now),
        };
        let mut done = self.frame("done", data, now);
        done.terminal = true;
        done
    }
}
