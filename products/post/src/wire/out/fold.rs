//! The wire, and what it makes of what happens in a run.

use std::collections::BTreeMap;

use palimpsest::prelude::pipeline::event::{IntentClassified, RunStarted};
use palimpsest::prelude::wire::{
    ArtifactId, FrameOutput, Language, Recorded, RunBook, RunDelta, RunEnd, RunFold, RunTeller,
    SessionRef, Wire,
};

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

/// Everything that was made: a later run may take it over.
type PostArtifacts = BTreeMap<ArtifactId, ProducedArtifact>;

impl RunTeller for RunState {
    type Frame = PostFrame;
    type Memory = PostArtifacts;

    fn begin_run(e: &RunStarted, _: &mut PostArtifacts, _: &mut Out<'_>) -> Self {
        Self::new(e)
    }

    fn book(&mut self) -> &mut RunBook {
        &mut self.book
    }

    fn tell_delta(&mut self, delta: RunDelta<'_>, made: &mut PostArtifacts, out: &mut Out<'_>) {
        match delta {
            RunDelta::IntentClassified(e) => self.intent_classified(e, made),
            RunDelta::StageStarted(e) => self.stage_started(e, out),
            RunDelta::StageClosed(e) => self.stage_closed(e, out),
            RunDelta::StagesReopened(e) => self.stages_reopened(e, out),
            RunDelta::DecisionMade(e) => self.decided(e, out),
            RunDelta::StepRequested(e, retry) => self.step_requested(e, retry, out),
            RunDelta::ToolCalled(e) => self.tool_called(e, out),
            RunDelta::ToolReturned(e) => self.tool_returned(e, out),
            RunDelta::ToolCutOff(tool) => self.tool_cut_off(tool, out),
            RunDelta::ArtifactProduced(e) => {
                made.insert(e.artifact.clone(), self.made(e, out));
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

    fn tell_end(self, end: RunEnd<'_>, out: &mut Out<'_>) {
        self.end_post(end, out);
    }
}

impl RunState {
    fn intent_classified(&mut self, e: &IntentClassified, made: &PostArtifacts) {
        if let Some(language) = &e.language {
            self.language = PostWords(Language::of(language));
        }
        for made in e.kept.iter().filter_map(|kept| made.get(kept)) {
            self.take_over(made);
        }
    }
}
