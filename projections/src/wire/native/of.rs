//! From an event to what its frame says.

use std::sync::Arc;

use domain::StepId;
use domain::event::{self, Body, Event, GateEvent, RunEvent, SessionEvent, StepEvent};

use super::data::*;
use crate::{content_path, file_name, rfc3339};

/// The data of an event: first the fields that both sides have, then those that frames write in another way.
macro_rules! told {
    ($event:ident => $kind:ident { $($same:ident),* $(; $($other:ident: $value:expr),*)? }) => {
        NativeEvent::$kind(
            $kind { $($same: Clone::clone(&$event.$same),)* $($($other: $value,)*)? }.into(),
        )
    };
}

/// The data that clients get for an event, if the event belongs to a session.
pub(super) fn event(event: &Event) -> Option<NativeEvent> {
    match event {
        Event::Session(event) => Some(of_session(event)),
        Event::Run(event) => Some(of_run(event)),
        Event::Step(event) => Some(of_step(event)),
        Event::Gate(event) => Some(of_gate(event)),
        // Events of the other aggregates: no session has them.
        Event::Collection(_) | Event::Project(_) => None,
    }
}

fn of_session(event: &SessionEvent) -> NativeEvent {
    match event {
        SessionEvent::SessionOpened(e) => told!(e => SessionOpened { pipeline, title }),
        SessionEvent::SessionTitled(e) => told!(e => SessionTitled { title }),
        SessionEvent::SessionForked(e) => told!(e => SessionForked { parent, at }),
        SessionEvent::SessionErased(e) => told!(e => SessionErased { reason }),
        SessionEvent::MessageReceived(e) => {
            told!(e => MessageReceived { message, run, text, attachments })
        }
        SessionEvent::MessageQueued(e) => {
            told!(e => MessageQueued { message, run, pipeline, input, settings })
        }
        SessionEvent::MessageWithdrawn(e) => told!(e => MessageWithdrawn { message, run, reason }),
        SessionEvent::MessageSent(e) => told!(e => MessageSent { message, run, text }),
        SessionEvent::FilePut(e) => told!(e => FilePut {
            path, media_type; sha256: e.blob.sha256, size: e.blob.size
        }),
        SessionEvent::FileRemoved(e) => told!(e => FileRemoved { path }),
    }
}

fn of_run(event: &RunEvent) -> NativeEvent {
    match event {
        RunEvent::RunStarted(e) => told!(e => RunStarted {
            run, pipeline, base_run, message, brief, input, settings; at: rfc3339(e.at)
        }),
        RunEvent::IntentClassified(e) => told!(e => IntentClassified {
            run, intent, target, base_run, language, kept, steps, confidence, by, reason, reply
        }),
        RunEvent::RefinementRequested(e) => {
            told!(e => RefinementRequested { run, base_run, stage, feedback, items, order })
        }
        RunEvent::ArtifactEdited(e) => {
            told!(e => ArtifactEdited { run, artifact, kind, step, items })
        }
        RunEvent::StageStarted(e) => told!(e => StageStarted { run, stage, items }),
        RunEvent::StageClosed(e) => told!(e => StageClosed { run, stage, outcome }),
        RunEvent::StagesReopened(e) => told!(e => StagesReopened {
            run, stages, steps, feedback, feedback_for, reason
        }),
        RunEvent::DecisionMade(e) => told!(e => DecisionMade { run, what, choice, reason, by }),
        RunEvent::RunCompleted(e) => told!(e => RunCompleted { run, final_artifact, partial }),
        RunEvent::RunFailed(e) => told!(e => RunFailed { run, code, message }),
        RunEvent::RunCancelled(e) => told!(e => RunCancelled { run, reason }),
        RunEvent::HeadMoved(e) => told!(e => HeadMoved { run }),
    }
}

fn of_step(event: &StepEvent) -> NativeEvent {
    match event {
        StepEvent::StepRequested(e) => told!(e => StepRequested {
            guidance, reserve; of: attempt(&e.step, e.attempt), due: rfc3339(e.due)
        }),
        StepEvent::ModelCalled(e) => told!(e => ModelCalled {
            turn, try_number, role, model, prompt, request, response, finish_reason, thought, usage, cost_micros,
            latency_ms, learned; of: attempt(&e.step, e.attempt), error: e.error.as_ref().map(problem)
        }),
        StepEvent::ToolCalled(e) => {
            told!(e => ToolCalled { turn, tool, input; of: attempt(&e.step, e.attempt) })
        }
        StepEvent::ToolReturned(e) => told!(e => ToolReturned {
            turn, tool, output, summary, latency_ms, cost_micros; of: attempt(&e.step, e.attempt), error: e.error.as_ref().map(problem)
        }),
        StepEvent::OutputRejected(e) => {
            told!(e => OutputRejected { violations; of: attempt(&e.step, e.attempt) })
        }
        StepEvent::ArtifactProduced(e) => NativeEvent::ArtifactProduced(Box::new(artifact(e))),
        StepEvent::StepSucceeded(e) => {
            told!(e => StepSucceeded { artifacts; of: attempt(&e.step, e.attempt) })
        }
        StepEvent::StepFailed(e) => told!(e => StepFailed {
            code, message, retryable; of: attempt(&e.step, e.attempt)
        }),
        StepEvent::StepCancelled(e) => {
            told!(e => StepCancelled { reason; of: attempt(&e.step, e.attempt) })
        }
    }
}

fn of_gate(event: &GateEvent) -> NativeEvent {
    match event {
        GateEvent::GateOpened(e) => told!(e => GateOpened {
            run, gate, name, subject, step, question, schema, options, default; deadline: e.deadline.map(rfc3339)
        }),
        GateEvent::PlanConfirmed(e) => told!(e => PlanConfirmed { run, gate, edits, by }),
        GateEvent::PlanDeclined(e) => told!(e => PlanDeclined { run, gate, feedback, by }),
        GateEvent::AnswerGiven(e) => told!(e => AnswerGiven { run, gate, answer, by }),
        GateEvent::BudgetRaised(e) => told!(e => BudgetRaised { run, budget }),
    }
}

fn problem(error: &event::CallError) -> CallProblem {
    CallProblem {
        code: error.code.clone(),
        message: error.message.clone(),
        retryable: error.retryable,
        retry_after_ms: error.retry_after_ms,
        again_at: error.again_at.map(rfc3339),
        closed_until: error.closed_until.map(rfc3339),
    }
}

fn attempt(step: &StepId, attempt: u32) -> Attempt {
    Attempt {
        step: step.clone(),
        run: step.run,
        stage: step.stage.clone(),
        item: step.item.clone(),
        attempt,
    }
}

fn artifact(e: &event::ArtifactProduced) -> ArtifactProduced {
    let (body, blob) = match &e.body {
        Body::Event { json } => (Some(Arc::clone(json)), None),
        Body::Blob { blob, media_type } => {
            let blob = ArtifactBlob {
                sha256: blob.sha256,
                size: blob.size,
                media_type: media_type.clone(),
                file_name: file_name(e, media_type),
            };
            (None, Some(blob))
        }
    };
    ArtifactProduced {
        of: attempt(&e.step, e.attempt),
        artifact: e.artifact.clone(),
        kind: e.kind.clone(),
        part: e.part.clone(),
        number: e.number,
        title: e.title.clone(),
        from: e.from.clone(),
        shown: e.shown,
        content: content_path(&e.artifact),
        body,
        blob,
    }
}
