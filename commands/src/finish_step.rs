//! An attempt is over. Its outcome and what is needed next are one append.

use domain::carry::IntentOutput;
use domain::decision::Decision;
use domain::event::{
    ArtifactProduced, Body, DecisionMade, FilePut, FileRemoved, HeadMoved, Intent,
    IntentClassified, OUTPUT_REJECTED, OutputRejected, RefinementRequested, StepCancelled,
    StepFailed, StepSucceeded, Violation,
};
use domain::ids::{ArtifactId, StepId};
use domain::session::Run;
use serde_json::Value;
use smol_str::SmolStr;

use crate::record_turn::run_of_open;
use crate::refine::{kept, pipeline_of};
use crate::resume::still_wanted;
use crate::send_message::{NewFile, check_path};
use crate::{RecordTurn, Refusal};

/// An artifact with its content where it will stay.
#[derive(Clone, Debug, PartialEq)]
pub struct NewBody {
    pub kind: SmolStr,
    pub id_prefix: &'static str,
    /// Which one it is, where the step produces several of this kind.
    pub part: SmolStr,
    pub title: SmolStr,
    pub body: Body,
    /// What the flow reads of the content.
    pub facts: Value,
    pub shown: bool,
    pub from: Vec<ArtifactId>,
}

/// A file of the session that a step adds or removes.
#[derive(Clone, Debug, PartialEq)]
pub enum FileChange {
    Put(NewFile),
    Removed { path: String },
}

/// How an attempt ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Finished {
    Done {
        artifacts: Vec<NewBody>,
        files: Vec<FileChange>,
        intent: Option<Box<IntentOutput>>,
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
    /// What was asked in this attempt is not what the program asks now. Another attempt begins, and this one does not count.
    Outdated,
}

/// The reason for cancelling an attempt whose turns are those of another version of the program.
const PROGRAM_CHANGED: &str = "program_changed";

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
        let state = run_of_open(d, &step, attempt)?;
        if let Some(turn) = turn {
            let known = state.step(&step.stage, &step.item);
            let known = known.and_then(|known| known.turns.get(turn.number() as usize));
            if known.is_some_and(|known| known.answer.is_some()) {
                let turn = turn.number();
                return Err(Refusal::TurnAnswered { step, turn });
            }
            turn.decide(d)?;
        }
        d.supersede_gates(run, std::slice::from_ref(&step));
        let at = d.now();
        match finished {
            Finished::Done {
                artifacts,
                files,
                intent,
                decisions,
            } => {
                change_files(d, files)?;
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
                    classify(d, &step, *intent)?;
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
            Finished::Outdated => d.record(StepCancelled {
                step,
                attempt,
                reason: PROGRAM_CHANGED.to_owned(),
                at,
            }),
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

/// Records an artifact and returns its id.
pub(crate) fn produce(
    d: &mut Decision<'_>,
    step: &StepId,
    attempt: u32,
    new: NewBody,
) -> ArtifactId {
    let artifact = d.fresh_artifact(new.id_prefix);
    let item = if new.part.is_empty() {
        &step.item
    } else {
        &new.part
    };
    let number = d.session.next_number(&new.kind, item);
    d.record(ArtifactProduced {
        artifact: artifact.clone(),
        kind: new.kind,
        part: new.part,
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

/// Removing a file that does not exist is not an error.
fn change_files(d: &mut Decision<'_>, files: Vec<FileChange>) -> Result<(), Refusal> {
    for file in files {
        match file {
            FileChange::Put(file) => {
                check_path(&file.path)?;
                d.record(FilePut {
                    path: file.path,
                    blob: file.blob,
                    media_type: file.media_type,
                });
            }
            FileChange::Removed { path } => {
                if d.session.files.contains_key(&path) {
                    d.record(FileRemoved { path });
                }
            }
        }
    }
    Ok(())
}

/// What a message turned out to be about, where it is about an earlier run.
struct Onward<'a> {
    base: &'a Run,
    target: Option<SmolStr>,
    kept: Vec<ArtifactId>,
    /// The change that is wanted.
    change: Option<RefinementRequested>,
}

/// Decides what the run builds on. A refinement with nothing to refine, or a resumption with nothing that stopped, is treated as something
/// new.
fn classify(d: &mut Decision<'_>, step: &StepId, output: IntentOutput) -> Result<(), Refusal> {
    let run = step.run;
    let state = d.session.run(run).ok_or(Refusal::NoRun { run })?;
    let onward = onward(d, state, &output)?;
    let intent = match (output.intent, &onward) {
        (intent, Some(_)) => intent,
        (Intent::Irrelevant, None) => Intent::Irrelevant,
        (
            Intent::Initial
            | Intent::Refinement
            | Intent::Resumption
            | Intent::Restart
            | Intent::Edit,
            None,
        ) => Intent::Initial,
    };
    let base = onward.as_ref().map(|onward| onward.base);
    let base_run = base.map(|base| base.id);
    let settings = &state.settings;
    let language = base
        .map(|base| &base.settings.language)
        .filter(|language| !settings.language_named && **language != settings.language)
        .cloned();
    // A wish for another language takes precedence over the earlier language.
    let wished = output.language.filter(|_| base.is_some());
    let language = wished.or(language);
    let reply = output.reply.filter(|_| base.is_none());
    let back_to = output.back_to.filter(|_| intent == Intent::Irrelevant);
    let (target, kept, change) = onward.map_or((None, vec![], None), |onward| {
        (onward.target, onward.kept, onward.change)
    });
    d.record(IntentClassified {
        run,
        intent,
        target,
        base_run,
        language,
        kept,
        steps: vec![],
        confidence: output.confidence,
        by: output.by,
        reason: output.reason,
        reply,
    });
    if let Some(change) = change {
        d.record(change);
    }
    if let Some(back_to) = back_to
        && d.session
            .run(back_to)
            .is_some_and(|run| !run.current.is_empty())
    {
        d.record(HeadMoved { run: back_to });
    }
    Ok(())
}

fn onward<'a>(
    d: &'a Decision<'_>,
    run: &Run,
    output: &IntentOutput,
) -> Result<Option<Onward<'a>>, Refusal> {
    match (output.intent, &output.target) {
        (Intent::Resumption, _) => Ok(d.session.resumable(run.id).map(|base| Onward {
            base,
            target: None,
            kept: base.artifact_ids(),
            change: still_wanted(base, run.id),
        })),
        (Intent::Refinement, Some(target)) => {
            let pipeline = pipeline_of(d, run)?;
            let base = d.session.refinable().filter(|base| *base != run.id);
            let base = base.and_then(|base| d.session.run(base));
            Ok(base.map(|base| {
                // A part that does not exist, or that is only made together with the whole, cannot be redone by itself.
                let known = pipeline.parts(base, target);
                let mut items = output.items.clone();
                items.retain(|item| known.contains(item));
                Onward {
                    base,
                    target: Some(target.clone()),
                    kept: kept(pipeline, base, target, &items),
                    change: Some(RefinementRequested {
                        run: run.id,
                        base_run: base.id,
                        stage: target.clone(),
                        feedback: run.brief.clone(),
                        items,
                        order: output.order.clone(),
                    }),
                }
            }))
        }
        (
            Intent::Refinement
            | Intent::Initial
            | Intent::Irrelevant
            | Intent::Restart
            | Intent::Edit,
            _,
        ) => Ok(None),
    }
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
