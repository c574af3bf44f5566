//! From an event to what its frame says.

use std::sync::Arc;

use domain::StepId;
use domain::event::{self, Body, Event};

use super::data::*;
use crate::{content_path, file_name, rfc3339};

/// The data of an event: fields that both sides have, then those that frames put otherwise.
macro_rules! told {
    ($event:ident => $kind:ident { $($same:ident),* $(; $($other:ident: $value:expr),*)? }) => {
        NativeEvent::$kind(
            $kind { $($same: Clone::clone(&$event.$same),)* $($($other: $value,)*)? }.into(),
        )
    };
}

/// What clients are told of an event, where it is one of a session.
pub(super) fn event(event: &Event) -> Option<NativeEvent> {
    Some(match event {
        Event::SessionOpened(e) => told!(e => SessionOpened { pipeline, title }),
        Event::SessionTitled(e) => told!(e => SessionTitled { title }),
        Event::SessionForked(e) => told!(e => SessionForked { parent, at }),
        Event::SessionErased(e) => told!(e => SessionErased { reason }),
        Event::MessageReceived(e) => {
            told!(e => MessageReceived { message, run, text, attachments })
        }
        Event::MessageQueued(e) => {
            told!(e => MessageQueued { message, run, pipeline, input, settings })
        }
        Event::MessageWithdrawn(e) => told!(e => MessageWithdrawn { message, run, reason }),
        Event::MessageSent(e) => told!(e => MessageSent { message, run, text }),
        Event::FilePut(e) => told!(e => FilePut {
            path, media_type; sha256: e.blob.sha256, size: e.blob.size
        }),
        Event::FileRemoved(e) => told!(e => FileRemoved { path }),
        Event::RunStarted(e) => told!(e => RunStarted {
            run, pipeline, base_run, message, brief, input, settings; at: rfc3339(e.at)
        }),
        Event::IntentClassified(e) => told!(e => IntentClassified {
            run, intent, target, base_run, language, kept, steps, confidence, by, reason, reply
        }),
        Event::RefinementRequested(e) => {
            told!(e => RefinementRequested { run, base_run, stage, feedback })
        }
        Event::StageStarted(e) => told!(e => StageStarted { run, stage, items }),
        Event::StageClosed(e) => told!(e => StageClosed { run, stage, outcome }),
        Event::StagesReopened(e) => told!(e => StagesReopened {
            run, stages, steps, feedback, feedback_for, reason
        }),
        Event::StepRequested(e) => told!(e => StepRequested {
            guidance, reserve; of: attempt(&e.step, e.attempt), due: rfc3339(e.due)
        }),
        Event::ModelCalled(e) => told!(e => ModelCalled {
            turn, try_number, role, model, prompt, request, response, finish_reason, thought, usage, cost_micros,
            latency_ms, error; of: attempt(&e.step, e.attempt)
        }),
        Event::ToolCalled(e) => {
            told!(e => ToolCalled { turn, tool, input; of: attempt(&e.step, e.attempt) })
        }
        Event::ToolReturned(e) => told!(e => ToolReturned {
            turn, tool, output, summary, latency_ms, cost_micros, error; of: attempt(&e.step, e.attempt)
        }),
        Event::OutputRejected(e) => {
            told!(e => OutputRejected { violations; of: attempt(&e.step, e.attempt) })
        }
        Event::ArtifactProduced(e) => NativeEvent::ArtifactProduced(Box::new(artifact(e))),
        Event::StepSucceeded(e) => {
            told!(e => StepSucceeded { artifacts; of: attempt(&e.step, e.attempt) })
        }
        Event::StepFailed(e) => told!(e => StepFailed {
            code, message, retryable; of: attempt(&e.step, e.attempt)
        }),
        Event::StepCancelled(e) => {
            told!(e => StepCancelled { reason; of: attempt(&e.step, e.attempt) })
        }
        Event::DecisionMade(e) => told!(e => DecisionMade { run, what, choice, reason, by }),
        Event::GateOpened(e) => told!(e => GateOpened {
            run, gate, name, subject, step, question, schema, options, default; deadline: e.deadline.map(rfc3339)
        }),
        Event::PlanConfirmed(e) => told!(e => PlanConfirmed { run, gate, edits, by }),
        Event::PlanDeclined(e) => told!(e => PlanDeclined { run, gate, feedback, by }),
        Event::AnswerGiven(e) => told!(e => AnswerGiven { run, gate, answer, by }),
        Event::BudgetRaised(e) => told!(e => BudgetRaised { run, budget }),
        Event::RunCompleted(e) => told!(e => RunCompleted { run, final_artifact, partial }),
        Event::RunFailed(e) => told!(e => RunFailed { run, code, message }),
        Event::RunCancelled(e) => told!(e => RunCancelled { run, reason }),
        Event::HeadMoved(e) => told!(e => HeadMoved { run }),
        // Of the other aggregate: no session has them.
        Event::CollectionOpened(_) | Event::DocumentsImported(_) | Event::DocumentsRemoved(_) => {
            return None;
        }
    })
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
