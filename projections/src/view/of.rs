//! From the state to its view.

use std::collections::BTreeSet;

use domain::event::Body;
use domain::session::{
    End, Gate, GateAnswer, Message, Run, Speaker, Stage, StageState, Step, StepState,
};
use domain::{ArtifactId, RunId, Session, StepId};

use super::{
    AnswerView, ArtifactView, BlobView, BudgetView, DecisionView, FileView, GateView, IntentView,
    MessageView, Origin, OutcomeView, QueuedView, ReservedView, RunStatus, RunView, SessionView,
    SpentView, StageView, StepError, StepView,
};
use crate::{content_path, rfc3339};

/// The view of a session.
pub fn session(session: &Session) -> SessionView {
    SessionView {
        version: session.version,
        title: session.title.clone(),
        pipeline: session.pipeline.clone(),
        forked_from: session.forked_from.as_ref().map(|(parent, at)| Origin {
            session: parent.to_string(),
            at: *at,
        }),
        erased: session.erased,
        active: session.active,
        head: session.head,
        runs: session.runs.values().map(|r| run(session, r)).collect(),
        artifacts: artifacts(session),
        messages: session.messages.iter().map(message).collect(),
        queue: session
            .queue
            .iter()
            .map(|q| QueuedView {
                message: q.message.clone(),
                run: q.run,
                pipeline: q.pipeline.clone(),
                withdrawn: session.withdrawn.get(&q.run).cloned(),
            })
            .collect(),
        files: session
            .files
            .values()
            .map(|f| FileView {
                path: f.path.clone(),
                blob: BlobView {
                    sha256: f.blob.sha256.to_string(),
                    size: f.blob.size,
                    media_type: f.media_type.clone(),
                },
            })
            .collect(),
    }
}

fn run(session: &Session, run: &Run) -> RunView {
    let children = session
        .runs
        .values()
        .filter(|r| r.base_run == Some(run.id))
        .map(|r| r.id)
        .collect();
    let reserved = run.reserved();
    RunView {
        run: run.id,
        base_run: run.base_run,
        children,
        pipeline: run.pipeline.clone(),
        status: status(run),
        brief: run.brief.clone(),
        message: run.message.clone(),
        intent: run.intent.as_ref().map(|e| IntentView {
            intent: e.intent,
            target: e.target.clone(),
            confidence: e.confidence,
            by: e.by.clone(),
            reason: e.reason.clone(),
        }),
        feedback: run.refinement.as_ref().map(|r| r.feedback.clone()),
        started_at: rfc3339(run.started_at),
        outcome: run.end.as_ref().map(outcome),
        settings: (*run.settings).clone(),
        budget: BudgetView {
            limits: run.budget,
            spent: SpentView {
                calls: run.spent.calls,
                input_tokens: run.spent.input_tokens,
                output_tokens: run.spent.output_tokens,
                cost_micros: run.spent.cost_micros,
                working_ms: run.spent.working_ms,
            },
            reserved: ReservedView {
                calls: reserved.calls,
                tokens: reserved.tokens,
                cost_micros: reserved.cost_micros,
            },
        },
        stages: run
            .stages
            .iter()
            .map(|(name, s)| stage(run, name, s))
            .collect(),
        gates: run.gates.values().map(gate).collect(),
        decisions: run
            .decisions
            .iter()
            .map(|d| DecisionView {
                what: d.what.clone(),
                choice: d.choice.clone(),
                reason: d.reason.clone(),
                by: d.by.clone(),
            })
            .collect(),
        artifacts: run.artifacts().map(|a| a.artifact.clone()).collect(),
    }
}

fn status(run: &Run) -> RunStatus {
    match &run.end {
        Some(End::Completed { .. }) => RunStatus::Completed,
        Some(End::Failed { .. }) => RunStatus::Failed,
        Some(End::Cancelled { .. }) => RunStatus::Cancelled,
        None if run.is_waiting() => RunStatus::Waiting,
        None => RunStatus::Running,
    }
}

fn outcome(end: &End) -> OutcomeView {
    match end {
        End::Completed {
            final_artifact,
            partial,
        } => OutcomeView::Completed {
            final_artifact: final_artifact.clone(),
            partial: *partial,
        },
        End::Failed { code, message } => OutcomeView::Failed {
            code: code.clone(),
            message: message.clone(),
        },
        End::Cancelled { reason } => OutcomeView::Cancelled {
            reason: reason.clone(),
        },
    }
}

fn stage(run: &Run, name: &str, stage: &Stage) -> StageView {
    let status = match stage.state {
        StageState::Open => "open",
        StageState::Completed => "completed",
        StageState::Failed => "failed",
        StageState::Cancelled => "cancelled",
        StageState::Reopened => "reopened",
    };
    let steps = run.steps.get(name).into_iter().flatten();
    let mut steps: Vec<_> = steps.map(|(item, s)| step(run.id, name, item, s)).collect();
    // Pages in the order in which people count them; an item that is not a number comes last.
    steps.sort_by_cached_key(|step| {
        (
            step.item.parse::<u32>().unwrap_or(u32::MAX),
            step.item.clone(),
        )
    });
    StageView {
        stage: name.into(),
        status: status.into(),
        items: stage.items,
        reopened: stage.reopened,
        steps,
    }
}

fn step(run: RunId, stage: &str, item: &str, step: &Step) -> StepView {
    let (status, error) = match &step.state {
        StepState::Open => ("open", None),
        StepState::Succeeded => ("succeeded", None),
        StepState::Failed {
            code,
            message,
            retryable,
        } => (
            "failed",
            Some(StepError {
                code: code.clone(),
                message: message.clone(),
                retryable: *retryable,
            }),
        ),
        StepState::Cancelled => ("cancelled", None),
        StepState::Reopened => ("reopened", None),
    };
    StepView {
        step: StepId::new(run, stage, item),
        item: item.into(),
        status: status.into(),
        attempt: step.attempt,
        error,
        violations: step
            .violations
            .iter()
            .map(|v| {
                if v.path.is_empty() {
                    v.message.clone()
                } else {
                    format!("`{}` {}", v.path, v.message)
                }
            })
            .collect(),
        turns: step
            .turns
            .iter()
            .filter(|turn| turn.answer.is_some())
            .count(),
        artifacts: step.artifacts.clone(),
    }
}

fn gate(gate: &Gate) -> GateView {
    let opened = &gate.opened;
    GateView {
        gate: opened.gate.clone(),
        name: opened.name.clone(),
        subject: opened.subject.clone(),
        question: opened.question.clone(),
        schema: opened.schema.clone(),
        options: opened.options.clone(),
        deadline: opened.deadline.map(rfc3339),
        default: opened.default.clone(),
        answer: gate.answer.as_ref().map(|answer| match answer {
            GateAnswer::Confirmed { edits, by } => AnswerView::Confirmed {
                edits: edits.clone(),
                by: by.clone(),
            },
            GateAnswer::Declined { feedback, by } => AnswerView::Declined {
                feedback: feedback.clone(),
                by: by.clone(),
            },
            GateAnswer::Given { answer, by } => AnswerView::Given {
                answer: answer.clone(),
                by: by.clone(),
            },
        }),
    }
}

fn artifacts(session: &Session) -> Vec<ArtifactView> {
    let counting = [session.active, session.head];
    let current: BTreeSet<&ArtifactId> = counting
        .into_iter()
        .flatten()
        .filter_map(|run| session.run(run))
        .flat_map(|run| run.artifacts().map(|a| &a.artifact))
        .collect();
    let mut views: Vec<_> = session
        .artifacts
        .values()
        .map(|a| ArtifactView {
            artifact: a.artifact.clone(),
            kind: a.kind.clone(),
            number: a.number,
            title: a.title.clone(),
            run: a.step.run,
            step: a.step.clone(),
            item: a.item().to_owned(),
            from: a.from.clone(),
            current: current.contains(&a.artifact),
            older: current.contains(&a.artifact)
                && a.from.iter().any(|from| !current.contains(from)),
            content: content_path(&a.artifact),
            blob: match &a.body {
                Body::Event { .. } => None,
                Body::Blob { blob, media_type } => Some(BlobView {
                    sha256: blob.sha256.to_string(),
                    size: blob.size,
                    media_type: media_type.clone(),
                }),
            },
        })
        .collect();
    // Ids have no order that a reader can use; run, kind, page and number have.
    views.sort_by_cached_key(|a| {
        (
            a.run,
            a.kind.clone(),
            a.item.parse::<u32>().unwrap_or(u32::MAX),
            a.item.clone(),
            a.number,
        )
    });
    views
}

fn message(message: &Message) -> MessageView {
    let role = match message.speaker {
        Speaker::Person => "user",
        Speaker::System => "assistant",
    };
    MessageView {
        message: message.message.clone(),
        role: role.into(),
        text: message.text.clone(),
        attachments: message.attachments.clone(),
        run: message.run,
    }
}
