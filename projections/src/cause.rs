//! Why something was recorded: for each event the one that it follows from.
//!
//! | Event | Follows from |
//! |---|---|
//! | what a step did (`ModelCalled` to `StepCancelled`) | the `StepRequested` of its attempt |
//! | `PlanConfirmed`, `PlanDeclined`, `AnswerGiven` | the `GateOpened` that it answers |
//! | `RunStarted` | the message it is about |
//! | what is said, or asked for, by a person | nothing in the log |
//! | anything else | what came last before it in the same append and is itself none of these consequences; what is alone in its append follows from nothing in the log |

use std::collections::HashMap;

use domain::event::Event;
use domain::{GateId, MessageId, Recorded, StepId};

/// The causes of a session's events, as far as they were folded.
#[derive(Clone, Debug, Default)]
pub struct Causes {
    requested: HashMap<(StepId, u32), u64>,
    opened: HashMap<GateId, u64>,
    said: HashMap<MessageId, u64>,
    /// By version, from 1: what each event is a consequence of.
    events: Vec<Link>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Link {
    /// Follows from this version.
    To(u64),
    /// Follows from nothing in the log.
    Root,
    /// Follows from what was recorded with it.
    Consequence,
}

impl Causes {
    /// Takes the next event into account.
    pub fn push(&mut self, recorded: &Recorded) {
        let version = recorded.version;
        let link = match &recorded.event {
            Event::StepRequested(e) => {
                self.requested.insert((e.step.clone(), e.attempt), version);
                Link::Consequence
            }
            Event::GateOpened(e) => {
                self.opened.insert(e.gate.clone(), version);
                Link::Consequence
            }
            Event::MessageReceived(e) => {
                self.said.insert(e.message.clone(), version);
                Link::Root
            }
            Event::MessageQueued(e) => {
                let said = self.said.get(&e.message).copied();
                said.map_or(Link::Consequence, Link::To)
            }
            Event::RunStarted(e) => {
                let said = e.message.as_ref().and_then(|id| self.said.get(id)).copied();
                said.map_or(Link::Consequence, Link::To)
            }
            Event::ModelCalled(_)
            | Event::ToolCalled(_)
            | Event::ToolReturned(_)
            | Event::OutputRejected(_)
            | Event::ArtifactProduced(_)
            | Event::StepSucceeded(_)
            | Event::StepFailed(_) => {
                let attempt = recorded.event.attempt();
                attempt.map_or(Link::Consequence, |(step, attempt)| {
                    self.of_step(step, attempt)
                })
            }
            Event::PlanConfirmed(e) => self.of_gate(&e.gate),
            Event::PlanDeclined(e) => self.of_gate(&e.gate),
            Event::AnswerGiven(e) => self.of_gate(&e.gate),
            Event::MessageWithdrawn(_)
            | Event::SessionOpened(_)
            | Event::SessionForked(_)
            | Event::SessionErased(_)
            | Event::CollectionOpened(_)
            | Event::DocumentsImported(_)
            | Event::DocumentsRemoved(_) => Link::Root,
            Event::SessionTitled(_)
            | Event::MessageSent(_)
            | Event::FilePut(_)
            | Event::FileRemoved(_)
            | Event::IntentClassified(_)
            | Event::RefinementRequested(_)
            | Event::StageStarted(_)
            | Event::StageClosed(_)
            | Event::StagesReopened(_)
            | Event::StepCancelled(_)
            | Event::DecisionMade(_)
            | Event::BudgetRaised(_)
            | Event::RunCompleted(_)
            | Event::RunFailed(_)
            | Event::RunCancelled(_)
            | Event::HeadMoved(_) => Link::Consequence,
        };
        self.events.push(link);
    }

    fn of_step(&self, step: &StepId, attempt: u32) -> Link {
        let requested = self.requested.get(&(step.clone(), attempt)).copied();
        requested.map_or(Link::Consequence, Link::To)
    }

    fn of_gate(&self, gate: &GateId) -> Link {
        self.opened
            .get(gate)
            .copied()
            .map_or(Link::Consequence, Link::To)
    }

    /// The version that an event follows from. `first` is that of the first event of its append.
    pub fn of(&self, version: u64, first: u64) -> Option<u64> {
        let link = |version: u64| {
            let index = usize::try_from(version).ok()?.checked_sub(1)?;
            self.events.get(index).copied()
        };
        match link(version)? {
            Link::To(cause) => Some(cause),
            Link::Root => None,
            Link::Consequence => {
                let earlier = (first.max(1)..version).rev();
                let mut earlier = earlier.filter(|v| link(*v) != Some(Link::Consequence));
                earlier.next().or((first < version).then_some(first))
            }
        }
    }
}
