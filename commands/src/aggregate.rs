//! What every kind of stream has in common: a state that is the fold of its events, and commands that are decided on it.

use domain::decision::Context;
use domain::{Collection, Event, Project, Session};

use crate::collection::{ChangeCollection, CollectionRefusal};
use crate::project::{ProjectCommand, ProjectRefusal};
use crate::{Command, Refusal, decide};

/// The state of one stream of the log, on which one command at a time is decided.
pub trait Aggregate: Clone + Default + Send + Sync + 'static {
    type Command: Clone + Send + Sync;
    type Refusal: Send;

    /// Events folded so far.
    fn version(&self) -> u64;

    /// Takes one more event into account.
    fn evolve(&mut self, event: &Event);

    /// Whether a stream may begin with this command.
    ///
    /// # Errors
    ///
    /// Why it may not; a command to a stream that does not exist is then refused for this reason.
    fn may_open(command: &Self::Command) -> Result<(), Self::Refusal>;

    /// Decides one command. The events are folded into the state already. There are no events where everything is already as it is wanted.
    ///
    /// # Errors
    ///
    /// Why it is refused. Nothing has happened then.
    fn decide(
        &mut self,
        command: Self::Command,
        context: &Context,
    ) -> Result<Vec<Event>, Self::Refusal>;

    /// Whether anything has happened yet.
    fn exists(&self) -> bool {
        self.version() > 0
    }
}

impl Aggregate for Session {
    type Command = Command;
    type Refusal = Refusal;

    fn version(&self) -> u64 {
        self.version
    }

    fn evolve(&mut self, event: &Event) {
        Session::evolve(self, event);
    }

    fn may_open(command: &Command) -> Result<(), Refusal> {
        if matches!(command, Command::SendMessage(_) | Command::OpenSession(_)) {
            Ok(())
        } else {
            Err(Refusal::NoSession)
        }
    }

    fn decide(&mut self, command: Command, context: &Context) -> Result<Vec<Event>, Refusal> {
        decide(self, command, context)
    }
}

impl Aggregate for Collection {
    type Command = ChangeCollection;
    type Refusal = CollectionRefusal;

    fn version(&self) -> u64 {
        self.version
    }

    fn evolve(&mut self, event: &Event) {
        Collection::evolve(self, event);
    }

    fn may_open(_: &ChangeCollection) -> Result<(), CollectionRefusal> {
        Ok(())
    }

    fn decide(
        &mut self,
        command: ChangeCollection,
        context: &Context,
    ) -> Result<Vec<Event>, CollectionRefusal> {
        let events = command.decide(self, context.now)?;
        for event in &events {
            Collection::evolve(self, event);
        }
        Ok(events)
    }
}

impl Aggregate for Project {
    type Command = ProjectCommand;
    type Refusal = ProjectRefusal;

    fn version(&self) -> u64 {
        self.version
    }

    fn evolve(&mut self, event: &Event) {
        Project::evolve(self, event);
    }

    fn may_open(command: &ProjectCommand) -> Result<(), ProjectRefusal> {
        if command.may_open() {
            Ok(())
        } else {
            Err(ProjectRefusal::NoProject)
        }
    }

    fn decide(
        &mut self,
        command: ProjectCommand,
        context: &Context,
    ) -> Result<Vec<Event>, ProjectRefusal> {
        command.decide(self, context.now)
    }
}
