//! What the log keeps beside an event, in the same transaction: open steps, deadlines, where an artifact is, and the line
//! of the session in lists. All of it follows from the events, so that it can be rebuilt and compared.

use chrono::{DateTime, Utc};
use smol_str::SmolStr;

use crate::event::{Body, Event};
use crate::hash::BlobRef;
use crate::ids::{ArtifactId, GateId, RunId, StepId};

/// One change to what the log keeps beside its events.
#[derive(Clone, Debug, PartialEq)]
pub enum Facet {
    StepOpened {
        step: StepId,
        attempt: u32,
        due: DateTime<Utc>,
    },
    StepClosed {
        step: StepId,
    },
    DeadlineSet {
        run: RunId,
        gate: GateId,
        due: DateTime<Utc>,
    },
    DeadlineMet {
        gate: GateId,
    },
    /// Nothing of this run is open any longer.
    RunClosed {
        run: RunId,
    },
    ArtifactAt {
        artifact: ArtifactId,
        kind: SmolStr,
        blob: Option<BlobRef>,
    },
    Listed {
        title: Option<String>,
        pipeline: Option<SmolStr>,
        status: Option<Status>,
    },
    Forked {
        parent: crate::SessionId,
        at: u64,
    },
    Erased,
}

/// The state of a session in lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    Running,
    /// A gate is open.
    Waiting,
    Completed,
    Failed,
    Cancelled,
    Erased,
}

impl Status {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Waiting => "waiting",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
            Self::Erased => "erased",
        }
    }
}

fn status(status: Status) -> Facet {
    Facet::Listed {
        title: None,
        pipeline: None,
        status: Some(status),
    }
}

/// The facets of one event, from the event alone.
pub fn facets(event: &Event) -> Vec<Facet> {
    match event {
        Event::SessionOpened(e) => {
            vec![Facet::Listed {
                title: Some(e.title.clone()),
                pipeline: Some(e.pipeline.clone()),
                status: None,
            }]
        }
        Event::SessionTitled(e) => vec![Facet::Listed {
            title: Some(e.title.clone()),
            pipeline: None,
            status: None,
        }],
        Event::SessionForked(e) => vec![Facet::Forked {
            parent: e.parent.clone(),
            at: e.at,
        }],
        Event::SessionErased(_) => vec![Facet::Erased, status(Status::Erased)],
        Event::RunStarted(_) => vec![status(Status::Running)],
        Event::StepRequested(e) => {
            vec![Facet::StepOpened {
                step: e.step.clone(),
                attempt: e.attempt,
                due: e.due,
            }]
        }
        Event::StepSucceeded(e) => vec![Facet::StepClosed {
            step: e.step.clone(),
        }],
        Event::StepFailed(e) => vec![Facet::StepClosed {
            step: e.step.clone(),
        }],
        Event::StepCancelled(e) => vec![Facet::StepClosed {
            step: e.step.clone(),
        }],
        Event::ArtifactProduced(e) => {
            let blob = match &e.body {
                Body::Event { .. } => None,
                Body::Blob { blob, .. } => Some(blob.clone()),
            };
            vec![Facet::ArtifactAt {
                artifact: e.artifact.clone(),
                kind: e.kind.clone(),
                blob,
            }]
        }
        Event::GateOpened(e) => {
            let mut facets = vec![status(Status::Waiting)];
            if let Some(due) = e.deadline {
                facets.push(Facet::DeadlineSet {
                    run: e.run,
                    gate: e.gate.clone(),
                    due,
                });
            }
            facets
        }
        Event::PlanConfirmed(e) => answered(&e.gate),
        Event::PlanDeclined(e) => answered(&e.gate),
        Event::AnswerGiven(e) => answered(&e.gate),
        Event::RunCompleted(e) => ended(e.run, Status::Completed),
        Event::RunFailed(e) => ended(e.run, Status::Failed),
        Event::RunCancelled(e) => ended(e.run, Status::Cancelled),
        Event::MessageReceived(_)
        | Event::MessageQueued(_)
        | Event::MessageWithdrawn(_)
        | Event::MessageSent(_)
        | Event::FilePut(_)
        | Event::FileRemoved(_)
        | Event::IntentClassified(_)
        | Event::RefinementRequested(_)
        | Event::StageStarted(_)
        | Event::StageClosed(_)
        | Event::StagesReopened(_)
        | Event::ModelCalled(_)
        | Event::ToolCalled(_)
        | Event::ToolReturned(_)
        | Event::OutputRejected(_)
        | Event::DecisionMade(_)
        | Event::BudgetRaised(_)
        | Event::HeadMoved(_)
        | Event::CollectionOpened(_)
        | Event::DocumentsImported(_)
        | Event::DocumentsRemoved(_) => vec![],
    }
}

fn answered(gate: &GateId) -> Vec<Facet> {
    vec![
        Facet::DeadlineMet { gate: gate.clone() },
        status(Status::Running),
    ]
}

fn ended(run: RunId, outcome: Status) -> Vec<Facet> {
    vec![Facet::RunClosed { run }, status(outcome)]
}
