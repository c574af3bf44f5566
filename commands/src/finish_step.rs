//! An attempt is over. Its outcome and what is needed next are one append.

use domain::carry::IntentOutput;
use domain::decision::Decision;
use domain::event::{
    ArtifactProduced, Body, DecisionMade, Intent, IntentClassified, OutputRejected,
    RefinementRequested, StepFailed, StepSucceeded, Violation,
};
use domain::ids::{ArtifactId, StepId};
use domain::session::Run;
use serde_json::Value;

use crate::refine::{kept_before, pipeline_of};
use crate::{RecordTurn, Refusal};

/// The code of an attempt whose output did not pass.
pub const OUTPUT_REJECTED: &str = "output_rejected";

/// An artifact with its content where it will stay.
#[derive(Clone, Debug, PartialEq)]
pub struct NewBody {
    pub kind: String,
    pub id_prefix: String,
    pub title: String,
    pub body: Body,
    /// What the flow reads of the content.
    pub facts: Value,
    pub shown: bool,
    pub from: Vec<ArtifactId>,
}

/// How an attempt ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Finished {
    Done {
        artifacts: Vec<NewBody>,
        intent: Option<IntentOutput>,
        decisions: Vec<(String, String, String, String)>,
    },
    Rejected {
        violations: Vec<Violation>,
    },
    Failed {
        code: String,
        message: String,
        retryable: bool,
    },
}

#[derive(Clone, Debug, PartialEq)]
pub struct FinishStep {
    pub step: StepId,
    pub attempt: u32,
    /// The last turn, recorded in the same append as the outcome that it led to.
    pub turn: Option<RecordTurn>,
    pub finished: Finished,
}

impl FinishStep {
    pub(crate) fn decide(self, d: &mut Decision<'_>) -> Result<(), Refusal> {
        let Self {
            step,
            attempt,
            turn,
            finished,
        } = self;
        let run = step.run;
        let state = d.session.run(run).ok_or(Refusal::NoRun { run })?;
        let open = state
            .step(&step.stage, &step.item)
            .is_some_and(|s| s.is_open() && s.attempt == attempt);
        if !open || !state.is_active() {
            return Err(Refusal::AttemptOver { step, attempt });
        }
        if let Some(turn) = turn {
            turn.decide(d)?;
        }
        let at = d.now();
        match finished {
            Finished::Done {
                artifacts,
                intent,
                decisions,
            } => {
                let artifacts: Vec<_> = artifacts
                    .into_iter()
                    .map(|new| produce(d, &step, attempt, new))
                    .collect();
                for (what, choice, reason, by) in decisions {
                    d.record(DecisionMade {
                        run,
                        what,
                        choice,
                        reason,
                        by,
                    });
                }
                if let Some(intent) = intent {
                    classify(d, &step, intent)?;
                }
                d.record(StepSucceeded {
                    step,
                    attempt,
                    artifacts,
                    at,
                });
            }
            Finished::Rejected { violations } => {
                let message = summary(&violations);
                d.record(OutputRejected {
                    step: step.clone(),
                    attempt,
                    violations,
                });
                let code = OUTPUT_REJECTED.to_owned();
                d.record(StepFailed {
                    step,
                    attempt,
                    code,
                    message,
                    retryable: true,
                    at,
                });
            }
            Finished::Failed {
                code,
                message,
                retryable,
            } => {
                d.record(StepFailed {
                    step,
                    attempt,
                    code,
                    message,
                    retryable,
                    at,
                });
            }
        }
        d.advance(run);
        Ok(())
    }
}

fn produce(d: &mut Decision<'_>, step: &StepId, attempt: u32, new: NewBody) -> ArtifactId {
    let artifact = d.fresh_artifact(&new.id_prefix);
    let number = d.session.next_number(&new.kind, &step.item);
    d.record(ArtifactProduced {
        artifact: artifact.clone(),
        kind: new.kind,
        number,
        title: new.title,
        step: step.clone(),
        attempt,
        body: new.body,
        facts: new.facts,
        from: new.from,
        shown: new.shown,
    });
    artifact
}

/// Fixes the branch of the run. A refinement with nothing to refine is something new.
fn classify(d: &mut Decision<'_>, step: &StepId, output: IntentOutput) -> Result<(), Refusal> {
    let run = step.run;
    let state = d.session.run(run).ok_or(Refusal::NoRun { run })?;
    let pipeline = pipeline_of(d, state)?;
    let feedback = state.brief.clone();
    let settings = &state.settings;
    let kept_language = |base: &Run| {
        Some(&base.settings.language)
            .filter(|language| !settings.language_named && **language != settings.language)
            .cloned()
    };
    if output.intent == Intent::Resumption
        && let Some(base) = d.session.resumable(run)
    {
        let (base_run, still_wanted) = (base.id, base.refinement.clone());
        let event = IntentClassified {
            run,
            intent: Intent::Resumption,
            target: None,
            base_run: Some(base_run),
            language: kept_language(base),
            kept: base.artifacts().map(|a| a.artifact.clone()).collect(),
            confidence: output.confidence,
            by: output.by,
            reason: output.reason,
            reply: None,
        };
        d.record(event);
        if let Some(RefinementRequested {
            stage, feedback, ..
        }) = still_wanted
        {
            d.record(RefinementRequested {
                run,
                base_run,
                stage,
                feedback,
            });
        }
        return Ok(());
    }
    let base = d
        .session
        .refinable()
        .filter(|base| *base != run)
        .and_then(|base| d.session.run(base));
    let refines = (output.intent == Intent::Refinement)
        .then_some(())
        .and(base)
        .zip(output.target.clone());
    let event = match &refines {
        Some((base, target)) => IntentClassified {
            run,
            intent: Intent::Refinement,
            target: Some(target.clone()),
            base_run: Some(base.id),
            language: kept_language(base),
            kept: kept_before(pipeline, base, target),
            confidence: output.confidence,
            by: output.by,
            reason: output.reason,
            reply: None,
        },
        None => IntentClassified {
            run,
            // Without something to change or to go on with, it is something new.
            intent: if output.intent == Intent::Irrelevant {
                Intent::Irrelevant
            } else {
                Intent::Initial
            },
            target: None,
            base_run: None,
            language: None,
            kept: vec![],
            confidence: output.confidence,
            by: output.by,
            reason: output.reason,
            reply: output.reply,
        },
    };
    let refinement = refines.map(|(base, stage)| RefinementRequested {
        run,
        base_run: base.id,
        stage,
        feedback,
    });
    d.record(event);
    if let Some(refinement) = refinement {
        d.record(refinement);
    }
    Ok(())
}

/// Violations in one line, the first few of them.
fn summary(violations: &[Violation]) -> String {
    let shown: Vec<_> = violations
        .iter()
        .take(3)
        .map(|v| v.message.as_str())
        .collect();
    let more = violations.len().saturating_sub(shown.len());
    let tail = if more > 0 {
        format!("; and {more} more")
    } else {
        String::new()
    };
    format!("the output was not accepted: {}{tail}", shown.join("; "))
}
