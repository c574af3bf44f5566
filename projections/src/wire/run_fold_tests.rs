//! What the fold notes of runs, steps and calls of tools, told by a wire that repeats the deltas.

use domain::Recorded;
use domain::event::{Intent, RunStarted, StagesReopened, ToolCalled};
use domain::settings::Settings;
use serde::Serialize;
use serde_json::json;

use super::*;
use crate::trial::{LogFixture, data, session, settings};
use crate::wire::{Fold, Frame, Wire};

/// What the wire says of a delta.
#[derive(Clone, Debug, Serialize)]
struct SaidDelta(String);

impl FrameData for SaidDelta {
    fn name(&self) -> &'static str {
        "said"
    }

    fn is_terminal(&self) -> bool {
        false
    }
}

#[derive(Clone, Debug)]
struct RepeatingRun(RunBook);

impl RunTeller for RepeatingRun {
    type Frame = SaidDelta;
    type Memory = ();

    fn begin_run(e: &RunStarted, (): &mut (), _: &mut FrameOutput<'_, SaidDelta>) -> Self {
        Self(RunBook::new(e, e.pipeline == "own"))
    }

    fn book(&mut self) -> &mut RunBook {
        &mut self.0
    }

    fn tell_delta(
        &mut self,
        delta: RunDelta<'_>,
        (): &mut (),
        out: &mut FrameOutput<'_, SaidDelta>,
    ) {
        if let RunDelta::ToolCalled(e) = &delta {
            let id = format!("call {}", self.0.count_tool());
            self.0.open_tools.push(OpenTool::new(e, id));
        }
        let said = if let RunDelta::StepRequested(_, NextAttempt { tries, failure }) = delta {
            let failure = failure.map(|failure| failure.code);
            format!("try {tries} after {failure:?}")
        } else if let RunDelta::StepFailed { is_final, .. } = delta {
            format!("failed, final: {is_final}")
        } else if let RunDelta::ToolCutOff(tool) = delta {
            format!("{} cut off", tool.id)
        } else if let RunDelta::IntentClassified(_) = delta {
            "understood".to_owned()
        } else {
            return;
        };
        out.push(SaidDelta(said));
    }

    fn tell_end(self, end: RunEnd<'_>, out: &mut FrameOutput<'_, SaidDelta>) {
        let how = match end {
            RunEnd::Completed(_) => "completed",
            RunEnd::Failed(_) => "failed",
            RunEnd::Cancelled(_) => "cancelled",
            RunEnd::Erased => "erased",
        };
        out.push(SaidDelta(format!("the run has {how}")));
    }
}

/// The wire of these deltas.
#[derive(Clone, Debug)]
struct Repeating;

impl Wire for Repeating {
    const NAME: &'static str = "repeating";
    const VERSION: u32 = 1;
    type State = RunFold<RepeatingRun>;
    type Data = SaidDelta;

    fn step(
        state: &mut Self::State,
        session: &SessionRef,
        recorded: &Recorded,
        out: &mut Vec<SaidDelta>,
    ) {
        state.step(session, recorded, out);
    }

    fn part(state: &Self::State, out: &mut Vec<SaidDelta>) {
        state.part(out);
    }
}

/// A run with two attempts for each step.
fn run_of(pipeline: &'static str) -> LogFixture {
    let settings = Settings {
        attempts: 2,
        ..settings()
    };
    let log = LogFixture::of(pipeline, "t").message("Write.", settings);
    log.intent(Intent::Initial, None, None, vec![])
        .stage("write", 1)
}

fn call(log: LogFixture, attempt: u32) -> LogFixture {
    let step = log.step("write", "");
    log.then(ToolCalled {
        step,
        attempt,
        turn: 1,
        tool: "search".into(),
        input: json!({}),
    })
}

/// What is said of a log.
fn said(log: &LogFixture) -> Vec<String> {
    let frames = log.frames_of::<Repeating>();
    let said = |frame: &Frame| data(frame).as_str().unwrap_or_default().to_owned();
    frames.iter().map(said).collect()
}

#[test]
fn attempts_count_until_their_step_is_reopened_and_a_cancelled_one_does_not() {
    let log = run_of("own").request("write", "", 1);
    let log = log.cancel_step("write", "", 1, "forked");
    let log = log.request("write", "", 2).fail("write", "", 2, "no", true);
    let log = log.request("write", "", 3).fail("write", "", 3, "no", true);
    // The outcome of an attempt that is over says nothing.
    let log = log.fail("write", "", 2, "late", true);
    let step = log.step("write", "");
    let log = log.then(StagesReopened {
        run: step.run,
        stages: vec!["write".into()],
        steps: vec![step],
        feedback: None,
        feedback_for: None,
        reason: "another one".to_owned(),
    });
    let log = log.request("write", "", 4);
    let expected = [
        "understood",
        "try 1 after None",
        "try 1 after None",
        "failed, final: false",
        "try 2 after Some(\"rejected\")",
        "failed, final: true",
        "try 1 after None",
    ];
    assert_eq!(said(&log), expected);
}

#[test]
fn an_open_call_is_cut_off_with_its_attempt_or_its_run() {
    let log = call(run_of("own").request("write", "", 1), 1);
    let log = log.fail("write", "", 1, "no", true).request("write", "", 2);
    let log = call(log, 2).cancelled();
    let expected = [
        "understood",
        "try 1 after None",
        "call 1 cut off",
        "failed, final: false",
        "try 2 after Some(\"rejected\")",
        "call 2 cut off",
        "the run has cancelled",
    ];
    assert_eq!(said(&log), expected);
    // A second end says nothing.
    assert_eq!(said(&log.cancelled()), expected);
}

#[test]
fn a_run_of_another_pipeline_gives_its_intent_and_its_end() {
    let log = run_of("another").request("write", "", 1).failed("no", "no");
    assert_eq!(said(&log), ["understood", "the run has failed"]);
}

#[test]
fn an_erased_session_ends_its_runs_once() {
    let log = call(run_of("own").request("write", "", 1), 1);
    let mut fold = Fold::<Repeating>::new(session());
    for recorded in &log.events {
        fold.push(recorded);
    }
    let said: Vec<_> = fold.partings();
    let said: Vec<_> = said.iter().map(|parting| parting.data.get()).collect();
    assert_eq!(said, [r#""call 1 cut off""#, r#""the run has erased""#]);
}
