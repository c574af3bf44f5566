//! Pipelines of tests: a letter is written in one step, and delivered.

use domain::carry::{Carry, Content, NewArtifact, TurnResult, Work};
use domain::flow::{Flow, need};
use domain::pipeline::{Description, Pipeline, StageSpec};
use domain::session::Run;

/// What a pipeline of tests is called, and how often its step may be tried.
pub(crate) struct Letters {
    name: &'static str,
    attempts_max: u32,
}

/// One that tries again at most twice.
pub(crate) const LETTER: &Letters = &Letters {
    name: "letter",
    attempts_max: 3,
};

/// One that tries as often as any may.
pub(crate) const POSTCARD: &Letters = &Letters {
    name: "postcard",
    attempts_max: 10,
};

const STAGES: [StageSpec; 1] = [StageSpec::new("write", ["Writing"; 2], write).makes(&["letter"])];

impl Pipeline for Letters {
    fn name(&self) -> &'static str {
        self.name
    }

    fn describe(&self, _: bool) -> Description {
        Description {
            title: "Letter",
            delivers: "letter",
            ..Description::of(self, false)
        }
    }

    fn stages(&self) -> &'static [StageSpec] {
        &STAGES
    }

    fn flow(&self, run: &Run) -> Flow {
        need(run, &STAGES[0])
    }

    fn attempts_max(&self) -> u32 {
        self.attempts_max
    }
}

fn write(work: &Work, _: &[TurnResult]) -> Carry {
    let text = Content::file("text/plain", work.brief.clone());
    NewArtifact::new("letter", "art_letter_", "Letter", text, vec![]).into()
}
