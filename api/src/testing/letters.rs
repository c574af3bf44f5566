//! Pipelines of tests: a letter is written in one step, and delivered.

use domain::carry::{Carry, Content, NewArtifact, TurnResult, Work};
use domain::event::Reserve;
use domain::flow::{Flow, need};
use domain::pipeline::{Description, Pipeline, StageInfo};
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

impl Pipeline for Letters {
    fn name(&self) -> &'static str {
        self.name
    }

    fn describe(&self, _: bool) -> Description {
        Description {
            name: self.name,
            title: "Letter",
            stages: vec![StageInfo::new("write", "Writing", &["letter"])],
            delivers: "letter",
            ..Description::default()
        }
    }

    fn stages(&self) -> &'static [&'static str] {
        &["write"]
    }

    fn flow(&self, run: &Run) -> Flow {
        need(run, "write", run.settings.attempts)
    }

    fn attempts_max(&self) -> u32 {
        self.attempts_max
    }

    fn reserve(&self, _: &Run, _: &str, _: &str) -> Reserve {
        Reserve::default()
    }

    fn carry(&self, work: &Work, _: &[TurnResult]) -> Carry {
        let text = Content::file("text/plain", work.brief.clone());
        NewArtifact::new("letter", "art_letter_", "Letter", text, vec![]).into()
    }
}
