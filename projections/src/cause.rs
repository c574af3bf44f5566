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

use domain::event::{Event, GateEvent, RunEvent, SessionEvent, StepEvent};
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
    /// Takes one more event into account.
    pub fn push(&mut self, recorded: &Recorded) {
        let version = recorded.version;
        let link = match &recorded.event {
            Event::Session(event) => self.of_session(event, version),
            Event::Run(event) => self.of_run(event),
            Event::Step(event) => self.of_step(event, version),
            Event::Gate(event) => self.of_gate(event, version),
            Event::Collection(_) | Event::Project(_) => Link::Root,
        };
        self.events.push(link);
    }

    fn of_session(&mut self, event: &SessionEvent, version: u64) -> Link {
        match event {
            SessionEvent::MessageReceived(e) => {
                self.said.insert(e.message.clone(), version);
                Link::Root
            }
            SessionEvent::MessageQueued(e) => to(self.said.get(&e.message)),
            SessionEvent::MessageWithdrawn(_)
            | SessionEvent::SessionOpened(_)
            | SessionEvent::SessionForked(_)
            | SessionEvent::SessionErased(_) => Link::Root,
            SessionEvent::SessionTitled(_)
            | SessionEvent::MessageSent(_)
            | SessionEvent::FilePut(_)
            | SessionEvent::FileRemoved(_) => Link::Consequence,
        }
    }

    fn of_run(&self, event: &RunEvent) -> Link {
        match event {
            RunEvent::RunStarted(e) => to(e.message.as_ref().and_then(|id| self.said.get(id))),
            RunEvent::IntentClassified(_)
            | RunEvent::RefinementRequested(_)
            | RunEvent::ArtifactEdited(_)
            | RunEvent::StageStarted(_)
            | RunEvent::StageClosed(_)
            | RunEvent::StagesReopened(_)
            | RunEvent::DecisionMade(_)
            | RunEvent::RunCompleted(_)
            | RunEvent::RunFailed(_)
            | RunEvent::RunCancelled(_)
            | RunEvent::HeadMoved(_) => Link::Consequence,
        }
    }

    fn of_step(&mut self, event: &StepEvent, version: u64) -> Link {
        if let StepEvent::StepRequested(e) = event {
            self.requested.insert((e.step.clone(), e.attempt), version);
        }
        let attempt = event.attempt();
        to(attempt.and_then(|(step, attempt)| self.requested.get(&(step.clone(), attempt))))
    }

    fn of_gate(&mut self, event: &GateEvent, version: u64) -> Link {
        match event {
            GateEvent::GateOpened(e) => {
                self.opened.insert(e.gate.clone(), version);
                Link::Consequence
            }
            GateEvent::PlanConfirmed(e) => to(self.opened.get(&e.gate)),
            GateEvent::PlanDeclined(e) => to(self.opened.get(&e.gate)),
            GateEvent::AnswerGiven(e) => to(self.opened.get(&e.gate)),
            GateEvent::BudgetRaised(_) => Link::Consequence,
        }
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

/// To this version, where it is known.
fn to(version: Option<&u64>) -> Link {
    version.map_or(Link::Consequence, |version| Link::To(*version))
}
