//! What the log keeps beside an event, in the same transaction: open steps, deadlines, where an artifact is, and the line of the session in
//! lists. All of this follows from the events, so that it can be rebuilt and compared.

use chrono::{DateTime, Utc};
use smol_str::SmolStr;
use strum::IntoStaticStr;

use crate::event::{
    Body, CollectionEvent, Event, GateEvent, ProjectEvent, RunEvent, SessionEvent, StepEvent,
};
use crate::hash::BlobRef;
use crate::ids::{ArtifactId, GateId, RunId, SessionId, StepId};

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
    /// No step and no deadline of this run is open any longer.
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
        parent: SessionId,
        at: u64,
    },
    Erased,
}

/// The state of a session in lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
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
        self.into()
    }
}

fn status(status: Status) -> Facet {
    Facet::Listed {
        title: None,
        pipeline: None,
        status: Some(status),
    }
}

/// The blobs that an event names. The blobs of a collection stay named until their documents are removed.
pub fn blobs(event: &Event) -> Vec<&BlobRef> {
    match event {
        Event::Session(SessionEvent::FilePut(e)) => vec![&e.blob],
        Event::Step(event) => match event {
            StepEvent::ModelCalled(e) => {
                let response = e.response.as_ref();
                std::iter::once(&e.request).chain(response).collect()
            }
            StepEvent::ToolReturned(e) => vec![&e.output],
            StepEvent::ArtifactProduced(e) => of_body(&e.body),
            StepEvent::StepRequested(_)
            | StepEvent::ToolCalled(_)
            | StepEvent::OutputRejected(_)
            | StepEvent::StepSucceeded(_)
            | StepEvent::StepFailed(_)
            | StepEvent::StepCancelled(_) => vec![],
        },
        Event::Run(RunEvent::ArtifactEdited(e)) => of_body(&e.body),
        Event::Collection(CollectionEvent::DocumentsImported(e)) => {
            e.documents.iter().map(|document| &document.blob).collect()
        }
        Event::Project(ProjectEvent::VersionSaved(e)) => vec![&e.text],
        Event::Session(_)
        | Event::Run(_)
        | Event::Gate(_)
        | Event::Collection(_)
        | Event::Project(_) => vec![],
    }
}

fn of_body(body: &Body) -> Vec<&BlobRef> {
    match body {
        Body::Blob { blob, .. } => vec![blob],
        Body::Event { .. } => vec![],
    }
}

/// The facets of one event, from the event alone.
pub fn facets(event: &Event) -> Vec<Facet> {
    match event {
        Event::Session(event) => of_session(event),
        Event::Run(event) => of_run(event),
        Event::Step(event) => of_step(event),
        Event::Gate(event) => of_gate(event),
        Event::Collection(_) | Event::Project(_) => vec![],
    }
}

fn of_session(event: &SessionEvent) -> Vec<Facet> {
    match event {
        SessionEvent::SessionOpened(e) => {
            vec![Facet::Listed {
                title: Some(e.title.clone()),
                pipeline: Some(e.pipeline.clone()),
                status: None,
            }]
        }
        SessionEvent::SessionTitled(e) => vec![Facet::Listed {
            title: Some(e.title.clone()),
            pipeline: None,
            status: None,
        }],
        SessionEvent::SessionForked(e) => vec![Facet::Forked {
            parent: e.parent.clone(),
            at: e.at,
        }],
        SessionEvent::SessionErased(_) => vec![Facet::Erased, status(Status::Erased)],
        SessionEvent::MessageReceived(_)
        | SessionEvent::MessageQueued(_)
        | SessionEvent::MessageWithdrawn(_)
        | SessionEvent::MessageSent(_)
        | SessionEvent::FilePut(_)
        | SessionEvent::FileRemoved(_) => vec![],
    }
}

fn of_run(event: &RunEvent) -> Vec<Facet> {
    match event {
        RunEvent::RunStarted(_) => vec![status(Status::Running)],
        RunEvent::RunCompleted(e) => ended(e.run, Status::Completed),
        RunEvent::RunFailed(e) => ended(e.run, Status::Failed),
        RunEvent::RunCancelled(e) => ended(e.run, Status::Cancelled),
        RunEvent::IntentClassified(_)
        | RunEvent::RefinementRequested(_)
        | RunEvent::ArtifactEdited(_)
        | RunEvent::StageStarted(_)
        | RunEvent::StageClosed(_)
        | RunEvent::StagesReopened(_)
        | RunEvent::DecisionMade(_)
        | RunEvent::HeadMoved(_) => vec![],
    }
}

fn of_step(event: &StepEvent) -> Vec<Facet> {
    let closed = |step: &StepId| vec![Facet::StepClosed { step: step.clone() }];
    match event {
        StepEvent::StepRequested(e) => {
            vec![Facet::StepOpened {
                step: e.step.clone(),
                attempt: e.attempt,
                due: e.due,
            }]
        }
        StepEvent::StepSucceeded(e) => closed(&e.step),
        StepEvent::StepFailed(e) => closed(&e.step),
        StepEvent::StepCancelled(e) => closed(&e.step),
        StepEvent::ArtifactProduced(e) => {
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
        StepEvent::ModelCalled(_)
        | StepEvent::ToolCalled(_)
        | StepEvent::ToolReturned(_)
        | StepEvent::OutputRejected(_) => vec![],
    }
}

fn of_gate(event: &GateEvent) -> Vec<Facet> {
    match event {
        GateEvent::GateOpened(e) => {
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
        GateEvent::PlanConfirmed(e) => answered(&e.gate),
        GateEvent::PlanDeclined(e) => answered(&e.gate),
        GateEvent::AnswerGiven(e) => answered(&e.gate),
        GateEvent::BudgetRaised(_) => vec![],
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
