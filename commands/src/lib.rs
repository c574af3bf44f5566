//! What can be asked for, one file a verb, with the reasons for refusing it. Deciding is a pure function of the state, the
//! command and the time.

mod aggregate;
mod answer_gate;
mod ask_person;
mod cancel;
pub mod collection;
pub mod cqrs;
mod edit_artifact;
mod erase;
mod finish_step;
mod fork;
mod meet_deadline;
mod move_head;
mod open_session;
pub mod project;
mod record_turn;
mod refine;
mod refusal;
mod restart_step;
mod resume;
mod send_message;
mod skip_step;
#[cfg(test)]
mod tests;
pub mod trial;

pub use aggregate::Aggregate;
pub use answer_gate::{AnswerGate, EditedBodies};
pub use ask_person::AskPerson;
pub use cancel::Cancel;
pub use edit_artifact::{EditArtifact, Following};
pub use erase::Erase;
pub use finish_step::{FileChange, FinishStep, Finished, NewBody};
pub use fork::{Fork, fork_events};
pub use meet_deadline::MeetDeadline;
pub use move_head::MoveHead;
pub use open_session::OpenSession;
pub use record_turn::{AdmitTurn, RecordTurn};
pub use refine::Refine;
pub use refusal::Refusal;
pub use restart_step::RestartStep;
pub use resume::Resume;
pub use send_message::{
    MESSAGE_CHARS_MAX, NewFile, PATH_BYTES_MAX, QUEUED_MAX, SendMessage, check_path,
};

pub use skip_step::SkipStep;

use domain::decision::{Context, Decision};
use domain::{Event, Session};

/// The name of whoever decided, where a person did.
const PERSON: &str = "person";

/// Everything that can be asked of a session.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    OpenSession(OpenSession),
    SendMessage(Box<SendMessage>),
    AnswerGate(AnswerGate),
    Refine(Refine),
    RestartStep(RestartStep),
    EditArtifact(Box<EditArtifact>),
    SkipStep(SkipStep),
    Resume(Resume),
    Cancel(Cancel),
    MoveHead(MoveHead),
    Erase(Erase),
    /// The second half of a fork: the fork takes up the work at the fork point.
    Fork(Fork),
    AdmitTurn(AdmitTurn),
    AskPerson(Box<AskPerson>),
    RecordTurn(Box<RecordTurn>),
    FinishStep(Box<FinishStep>),
    MeetDeadline(MeetDeadline),
}

/// Decides one command. The events are folded into the state already; after a refusal the state is unchanged.
pub fn decide(
    session: &mut Session,
    command: Command,
    context: &Context,
) -> Result<Vec<Event>, Refusal> {
    if session.erased {
        return Err(Refusal::Erased);
    }
    let mut decision = Decision::new(session, context);
    match command {
        Command::OpenSession(command) => command.decide(&mut decision)?,
        Command::SendMessage(command) => command.decide(&mut decision)?,
        Command::AnswerGate(command) => command.decide(&mut decision)?,
        Command::Refine(command) => command.decide(&mut decision)?,
        Command::RestartStep(command) => command.decide(&mut decision)?,
        Command::EditArtifact(command) => command.decide(&mut decision)?,
        Command::SkipStep(command) => command.decide(&mut decision)?,
        Command::Resume(command) => command.decide(&mut decision)?,
        Command::Cancel(command) => command.decide(&mut decision)?,
        Command::MoveHead(command) => command.decide(&mut decision)?,
        Command::Erase(command) => command.decide(&mut decision)?,
        Command::Fork(command) => command.decide(&mut decision)?,
        Command::AdmitTurn(command) => command.decide(&mut decision)?,
        Command::AskPerson(command) => command.decide(&mut decision)?,
        Command::RecordTurn(command) => command.decide(&mut decision)?,
        Command::FinishStep(command) => command.decide(&mut decision)?,
        Command::MeetDeadline(command) => command.decide(&mut decision)?,
    }
    Ok(decision.into_events())
}
