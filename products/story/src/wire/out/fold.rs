//! The wire, and what it makes of what happens in a run.

use std::collections::BTreeMap;

use palimpsest::prelude::pipeline::event::{IntentClassified, RunStarted};
use palimpsest::prelude::wire::{
    ArtifactId, FrameOutput, Recorded, RunBook, RunDelta, RunEnd, RunFold, RunTeller, SessionRef,
    Wire,
};

use super::frames::StoryFrame;
use super::made::ProducedArtifact;
use super::run::RunState;
use super::words::StoryWords;

/// The `story` protocol.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Story;

impl Wire for Story {
    const NAME: &'static str = "story";
    const VERSION: u32 = 1;
    const HOLDS_CONTENTS: bool = true;
    type State = RunFold<RunState>;
    type Data = StoryFrame;

    fn step(
        state: &mut Self::State,
        session: &SessionRef,
        recorded: &Recorded,
        out: &mut Vec<StoryFrame>,
    ) {
        state.step(session, recorded, out);
    }

    fn part(state: &Self::State, out: &mut Vec<StoryFrame>) {
        state.part(out);
    }
}

/// The frames of the event that is folded.
pub(super) type Out<'a> = FrameOutput<'a, StoryFrame>;

/// Artifacts that a later run may take over.
type StoryArtifacts = BTreeMap<ArtifactId, ProducedArtifact>;

impl RunTeller for RunState {
    type Frame = StoryFrame;
    type Memory = StoryArtifacts;

    fn begin_run(e: &RunStarted, _: &mut StoryArtifacts, out: &mut Out<'_>) -> Self {
        Self::new(e, out.now)
    }

    fn book(&mut self) -> &mut RunBook {
        &mut self.book
    }

    fn tell_delta(&mut self, delta: RunDelta<'_>, made: &mut StoryArtifacts, out: &mut Out<'_>) {
        match delta {
            RunDelta::IntentClassified(e) if self.book.own => self.intent_classified(e, made, out),
            RunDelta::StageStarted(e) => self.stage_started(e, out),
            RunDelta::StageClosed(e) => self.stage_closed(e, out),
            RunDelta::StagesReopened(e) => self.stages_reopened(e),
            RunDelta::StepRequested(e, _) => self.step_requested(e, out),
            RunDelta::ModelCalled(e) => self.model_called(e),
            RunDelta::ToolCalled(e) => self.tool_called(e, out),
            RunDelta::ToolReturned(e) => self.tool_returned(e, out),
            RunDelta::ToolCutOff(tool) => self.tool_cut_off(tool, out),
            RunDelta::ArtifactProduced(e) => {
                if let Some(produced) = self.made(e, out) {
                    made.insert(e.artifact.clone(), produced);
                }
            }
            RunDelta::StepSucceeded(e) => self.step_succeeded(&e.step, out),
            RunDelta::StepFailed { event, .. } => self.step_failed(event, out),
            RunDelta::GateOpened(e) => self.gate_opened(e, out),
            RunDelta::GateAnswered(e) => self.answered(e.gate, e.answer, out),
            RunDelta::IntentClassified(_)
            | RunDelta::RefinementRequested(_)
            | RunDelta::ArtifactEdited(_)
            | RunDelta::DecisionMade(_)
            | RunDelta::OutputRejected(_)
            | RunDelta::StepCancelled(_)
            | RunDelta::BudgetRaised(_)
            | RunDelta::MessageSent(_)
            | RunDelta::SessionForked(_) => {}
        }
    }

    fn tell_end(self, end: RunEnd<'_>, out: &mut Out<'_>) {
        self.end_story(end, out);
    }
}

impl RunState {
    fn intent_classified(
        &mut self,
        e: &IntentClassified,
        made: &StoryArtifacts,
        out: &mut Out<'_>,
    ) {
        if let Some(language) = &e.language {
            self.language = StoryWords::of(language);
        }
        for made in e.kept.iter().filter_map(|kept| made.get(kept)) {
            self.take_over(made, out);
        }
    }
}
