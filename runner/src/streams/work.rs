//! Work that a change to a stream needs: a run in the session that is named after the stream, begun or queued by the very append
//! that makes the change. So there is no change whose work could be lost, and no work for a change that was not made.

use commands::{Command, Refusal, SendMessage};
use domain::Actor;
use domain::ids::MessageId;
use domain::settings::{OnBusy, Settings};
use domain::streams::work_session;
use serde_json::json;
use store::{Append, Committed, Log, StreamId};

use crate::error::SendError;
use crate::sessions::{Applied, Request, Sessions};

/// Works on the changes of streams of one kind: a pipeline, with what its runs are started with. The brief of a run says what has changed,
/// and so does its input: `{stream, after, version}`, the events after one version up to another.
#[derive(Clone, Debug)]
pub struct Curator {
    pub pipeline: String,
    pub settings: Settings,
    /// Whether each of its runs looks at everything that was not worked on yet. Then a change is made even when the queue of its runs is
    /// full: each of the waiting runs covers it.
    pub covers_all: bool,
}

/// Makes a change, together with the message to its curator where there is one; `None` where the stream has moved on. If the queue of the
/// curator's runs is full and each of them looks at everything, the change is made without the message.
pub(crate) async fn append_curated(
    log: &dyn Log,
    curator: Option<(&Curator, &dyn Sessions)>,
    change: Append,
) -> Result<Option<Applied>, SendError> {
    let appended = match curator {
        Some((curator, sessions)) => {
            let alone = curator.covers_all.then(|| change.clone());
            match (append_with_work(sessions, curator, change).await, alone) {
                (Err(SendError::Refused(Refusal::QueueFull { .. })), Some(change)) => {
                    log.append(change).await.map_err(Into::into)
                }
                (appended, _) => appended,
            }
        }
        None => log.append(change).await.map_err(Into::into),
    };
    match appended {
        Ok(committed) => Applied::of(committed).map(Some),
        Err(SendError::Stale { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Makes a change together with the message that asks for the work on it: both or neither. Returns the outcome of the change.
///
/// # Errors
///
/// [`SendError::Stale`] where the stream has moved on, and [`SendError::Refused`] where the message is not accepted: the pipeline finds
/// fault with its input, or the queue of runs is full.
pub(crate) async fn append_with_work(
    sessions: &dyn Sessions,
    curator: &Curator,
    change: Append,
) -> Result<Committed, SendError> {
    let changed = &change.stream;
    let stream = StreamId::new(changed.owner.clone(), work_session(&changed.session));
    // The id follows from that of the change, so that a repetition of the change asks for nothing more.
    let id = change.command.also_for(&stream);
    let version = change.expected + change.events.len() as u64;
    let name = &changed.session;
    let message = SendMessage {
        message: MessageId::new(format!("msg_{id}")),
        text: format!("{name} has changed: it has come to version {version}"),
        files: vec![],
        pipeline: Some(curator.pipeline.clone()),
        input: json!({ "stream": name, "after": change.expected, "version": version }),
        settings: curator.settings.clone(),
        on_busy: OnBusy::Enqueue,
    };
    let request = Request {
        claim: None,
        command: Command::SendMessage(Box::new(message)),
        id,
        actor: Actor::system(),
        expected_version: None,
        blobs: vec![],
        content: None,
    };
    sessions.process_beside(stream, request, change).await
}
