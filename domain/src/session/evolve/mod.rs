//! One function for each family of events, with one arm for each event. Nothing is decided here and nothing can fail: the events are facts.

mod run;
mod step;

use std::sync::Arc;

use super::gate::{Gate, GateAnswer};
use super::run::Run;
use super::step::Step;
use super::{Message, Session, Speaker};
use crate::event::{
    ArtifactProduced, Event, GateEvent, MessageQueued, MessageReceived, SessionEvent,
};
use crate::ids::{GateId, RunId, StepId};

impl Session {
    /// Takes one more event into account.
    pub fn evolve(&mut self, event: &Event) {
        self.version += 1;
        match event {
            Event::Session(event) => self.evolve_session(event),
            Event::Run(event) => self.evolve_run(event),
            Event::Step(event) => self.evolve_step(event),
            Event::Gate(event) => self.evolve_gate(event),
            // These events belong to the other aggregates; no session has them.
            Event::Collection(_) | Event::Project(_) => {}
        }
    }

    fn evolve_session(&mut self, event: &SessionEvent) {
        match event {
            SessionEvent::SessionOpened(e) => {
                self.pipeline.clone_from(&e.pipeline);
                self.title.clone_from(&e.title);
            }
            SessionEvent::SessionTitled(e) => self.title.clone_from(&e.title),
            SessionEvent::SessionForked(e) => {
                self.forked_from = Some((e.parent.clone(), e.at));
                self.inherited = e.at;
                // Gates that were open are removed; the flow opens them again under new ids.
                if let Some(run) = self.active {
                    self.with_run(run, |run| run.gates.retain(|_, gate| gate.answer.is_some()));
                }
            }
            SessionEvent::SessionErased(_) => self.erased = true,
            SessionEvent::MessageReceived(e) => self.message_received(e),
            SessionEvent::MessageQueued(e) => self.message_queued(e),
            SessionEvent::MessageWithdrawn(e) => {
                self.withdrawn.insert(e.run, e.reason.clone());
            }
            SessionEvent::MessageSent(e) => self.messages.push(Message {
                message: e.message.clone(),
                speaker: Speaker::System,
                text: e.text.clone(),
                attachments: vec![],
                files: vec![],
                run: e.run,
                at: None,
            }),
            SessionEvent::FilePut(e) => {
                self.files.insert(e.path.clone(), e.clone());
            }
            SessionEvent::FileRemoved(e) => {
                self.files.remove(&e.path);
            }
        }
    }

    fn evolve_gate(&mut self, event: &GateEvent) {
        match event {
            GateEvent::GateOpened(e) => self.with_run(e.run, |run| {
                run.gates.insert(
                    e.gate.clone(),
                    Gate {
                        opened: e.clone(),
                        answer: None,
                    },
                );
            }),
            GateEvent::PlanConfirmed(e) => {
                let answer = GateAnswer::Confirmed {
                    edits: e.edits.clone(),
                    by: e.by.clone(),
                };
                self.gate_answered(e.run, &e.gate, answer);
            }
            GateEvent::PlanDeclined(e) => {
                let answer = GateAnswer::Declined {
                    feedback: e.feedback.clone(),
                    by: e.by.clone(),
                };
                self.gate_answered(e.run, &e.gate, answer);
            }
            GateEvent::AnswerGiven(e) => {
                let answer = GateAnswer::Given {
                    answer: e.answer.clone(),
                    by: e.by.clone(),
                };
                self.gate_answered(e.run, &e.gate, answer);
            }
            GateEvent::BudgetRaised(e) => self.with_run(e.run, |run| run.budget = e.budget),
        }
    }

    fn with_run(&mut self, run: RunId, change: impl FnOnce(&mut Run)) {
        if let Some(run) = self.runs.get_mut(&run) {
            change(run);
        }
    }

    fn message_received(&mut self, e: &MessageReceived) {
        self.last_run = self.last_run.max(e.run);
        let files = e.attachments.iter();
        let files = files.filter_map(|path| self.files.get(path).cloned());
        let files = files.collect();
        self.messages.push(Message {
            at: e.at,
            message: e.message.clone(),
            speaker: Speaker::Person,
            text: e.text.clone(),
            attachments: e.attachments.clone(),
            files,
            run: e.run,
        });
    }

    fn message_queued(&mut self, e: &MessageQueued) {
        self.last_run = self.last_run.max(e.run);
        self.queue.push_back(e.clone());
    }

    fn gate_answered(&mut self, run: RunId, gate: &GateId, answer: GateAnswer) {
        self.with_run(run, |run| {
            if let Some(gate) = run.gates.get_mut(gate) {
                gate.answer = Some(answer);
            }
        });
    }
}

fn step_mut<'a>(run: &'a mut Run, id: &StepId) -> Option<&'a mut Step> {
    run.steps.get_mut(&id.stage)?.get_mut(&id.item)
}

fn make_current(run: &mut Run, artifact: Arc<ArtifactProduced>) {
    run.current
        .entry(artifact.kind.clone())
        .or_default()
        .insert(artifact.item().clone(), artifact);
}
