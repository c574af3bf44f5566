//! The wire, and what it makes of what happens in a run.

use std::collections::BTreeMap;

use palimpsest::prelude::pipeline::event::{IntentClassified, RunStarted};
use palimpsest::prelude::wire::{
    ArtifactId, FrameOutput, Language, Recorded, RunBook, RunDelta, RunEnd, RunFold, RunId,
    RunTeller, SessionRef, Wire,
};

use super::ends::LeftPost;
use super::frames::PostFrame;
use super::run::{ProducedArtifact, RunState};
use super::words::PostWords;

/// The `post` protocol.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Post;

impl Wire for Post {
    const NAME: &'static str = "post";
    const VERSION: u32 = 1;
    const HOLDS_CONTENTS: bool = true;
    const HOLDS_OUTPUTS: bool = true;
    type State = RunFold<RunState>;
    type Data = PostFrame;

    fn step(
        state: &mut Self::State,
        session: &SessionRef,
        recorded: &Recorded,
        out: &mut Vec<PostFrame>,
    ) {
        state.step(session, recorded, out);
    }

    fn part(state: &Self::State, out: &mut Vec<PostFrame>) {
        state.part(out);
    }
}

/// The frames of the event that is folded.
pub(super) type Out<'a> = FrameOutput<'a, PostFrame>;

/// What is remembered of a session.
#[derive(Clone, Debug, Default)]
pub(crate) struct PostMemory {
    /// Everything that was made: a later run may take it over.
    made: BTreeMap<ArtifactId, ProducedArtifact>,
    /// The post that each run left.
    left: BTreeMap<RunId, LeftPost>,
    /// The run whose post the session has now.
    head: Option<RunId>,
}

impl RunTeller for RunState {
    type Frame = PostFrame;
    type Memory = PostMemory;

    fn begin_run(e: &RunStarted, _: &mut PostMemory, _: &mut Out<'_>) -> Self {
        Self::new(e)
    }

    fn book(&mut self) -> &mut RunBook {
        &mut self.book
    }

    fn tell_delta(&mut self, delta: RunDelta<'_>, memory: &mut PostMemory, out: &mut Out<'_>) {
        match delta {
            RunDelta::IntentClassified(e) => self.intent_classified(e, memory),
            RunDelta::StageStarted(e) => self.stage_started(e, out),
            RunDelta::StageClosed(e) => self.stage_closed(e, out),
            RunDelta::StagesReopened(e) => self.stages_reopened(e, out),
            RunDelta::DecisionMade(e) => self.decided(e, out),
            RunDelta::StepRequested(e, retry) => self.step_requested(e, retry, out),
            RunDelta::ToolCalled(e) => self.tool_called(e, out),
            RunDelta::ToolReturned(e) => self.tool_returned(e, out),
            RunDelta::ToolCutOff(tool) => self.tool_cut_off(tool, out),
            RunDelta::ArtifactProduced(e) => {
                memory.made.insert(e.artifact.clone(), self.made(e, out));
            }
            RunDelta::StepFailed { event, is_final } if is_final => {
                self.image_failed(&event.step, &event.message, out);
            }
            RunDelta::GateOpened(e) => self.gate_opened(e, out),
            RunDelta::GateAnswered(e) if e.is_declined => self.declined_at(e.gate),
            RunDelta::MessageSent(e) if self.book.own => self.message_sent(e, out),
            RunDelta::RefinementRequested(_)
            | RunDelta::ArtifactEdited(_)
            | RunDelta::ModelCalled(_)
            | RunDelta::OutputRejected(_)
            | RunDelta::StepSucceeded(_)
            | RunDelta::StepFailed { .. }
            | RunDelta::StepCancelled(_)
            | RunDelta::GateAnswered(_)
            | RunDelta::BudgetRaised(_)
            | RunDelta::MessageSent(_)
            | RunDelta::SessionForked(_) => {}
        }
    }

    fn settle(&mut self, end: &RunEnd<'_>, memory: &mut PostMemory) {
        let RunEnd::Completed(e) = end else { return };
        if let Some(post) = self.left() {
            memory.left.insert(e.run, post);
            memory.head = Some(e.run);
        }
        self.standing = memory.head.and_then(|run| memory.left.get(&run).cloned());
    }

    fn move_head(run: RunId, memory: &mut PostMemory) {
        memory.head = Some(run);
    }

    fn tell_end(self, end: RunEnd<'_>, out: &mut Out<'_>) {
        self.end_post(end, out);
    }
}

impl RunState {
    fn intent_classified(&mut self, e: &IntentClassified, memory: &PostMemory) {
        if let Some(language) = &e.language {
            self.language = PostWords(Language::of(language));
        }
        for made in e.kept.iter().filter_map(|kept| memory.made.get(kept)) {
            self.take_over(made);
        }
    }
}
