//! Leaving a session and reconnecting to it: the signed state, and where a client continues.

use palimpsest::prelude::wire::{
    ApiError, Batch, Cursor, FeedError, Feeds, Filter, Session, SessionId, Start, StreamId,
    Wire as _,
};
use serde_json::{Value, json};

use super::connection::Out;
use super::dispatcher::{Dispatcher, MessageRefusal};
use super::follow::Replay;
use super::hints::Hints;
use super::incoming::Incoming;
use super::state::{self, Named};
use super::{AGENT, REPORT};
use crate::wire::out::{Report as Wire, event_id};

/// The last position that a client names.
#[derive(Clone, Debug, PartialEq)]
enum LastSeen {
    Beginning,
    Seq(u64),
    Cursor(Cursor),
    /// A position in another numbering: everything is sent again.
    Foreign,
}

/// A position in the log.
#[derive(Clone, Debug, PartialEq)]
struct ResumePoint {
    cursor: Cursor,
    /// The number of the last frame that the client has.
    seq: u64,
    /// The number of the last frame of the session.
    head: u64,
    reset: bool,
}

impl Dispatcher {
    /// Requests a signed state. The writer signs it, because only the writer knows which frame was the last.
    pub(crate) async fn export(
        &self,
        session: &SessionId,
        state: &Session,
    ) -> Result<(), MessageRefusal> {
        let Some(attached) = self.attached.get(session) else {
            return Err(MessageRefusal::new(
                "Failed to export state: Session not found",
            ));
        };
        let of = std::sync::Arc::clone(&attached.following);
        let (messages, step) = (state.messages.len(), steps(state));
        let _ = self.out.send(Out::State { of, messages, step }).await;
        Ok(())
    }

    pub(crate) async fn reconnect(
        &mut self,
        incoming: &Incoming,
        with_state: bool,
    ) -> Result<(), MessageRefusal> {
        let named = self.named(incoming, with_state)?;
        let session = match (&named, &incoming.session) {
            (Some(named), _) => named.session.clone(),
            (None, Some(session)) => SessionId::new(session.as_str()),
            (None, None) => {
                let text = "Unknown event type or missing session_id: user.reconnect";
                return Err(MessageRefusal::new(text));
            }
        };
        palimpsest::prelude::wire::check_session(&session)
            .map_err(|_| MessageRefusal::new("Session not found"))?;
        let stream = self.owner.stream(&session);
        let found = self.report.app.engine.session(&stream).await;
        let found = found.map_err(ApiError::from).map_err(failed)?;
        if found.pipeline != REPORT {
            return Err(MessageRefusal::new("Session not found"));
        }
        self.check_room(Some(&session))?;
        let mut warnings = vec![];
        let place = self
            .place(&stream, incoming, named.as_ref(), &mut warnings)
            .await?;
        let (hints, asked) = match self.attached.get(&session) {
            Some(attached) => {
                // Frames that still wait would be sent twice.
                attached.silence();
                (attached.hints.clone(), attached.asked.is_some())
            }
            None => (Hints::default(), false),
        };
        self.restored(&session, &found, &place, &warnings).await;
        let replay = replay(&session, &place);
        self.attach(&session, hints, place.cursor, Some(replay))
            .await?;
        let asked = incoming.wants_asked().unwrap_or(asked);
        self.show_asked(&session, Some(asked)).await
    }

    /// The content of the signed state, if there is one.
    fn named(
        &self,
        incoming: &Incoming,
        with_state: bool,
    ) -> Result<Option<Named>, MessageRefusal> {
        let app = &self.report.app;
        match incoming.anywhere("signed_state") {
            Some(Value::String(text)) => {
                let checked =
                    state::check(&app.signer, text, &self.owner, app.engine.clock().now());
                checked.map(Some).map_err(invalid)
            }
            Some(_) => Err(invalid(state::StateRefusal::Malformed)),
            None if with_state => Err(MessageRefusal::new(
                "Missing signed_state in reconnect request",
            )),
            None => Ok(None),
        }
    }

    /// Where the client continues: after the last event that it names, if the event is one of this session, else after the position of its
    /// state.
    async fn place(
        &self,
        stream: &StreamId,
        incoming: &Incoming,
        named: Option<&Named>,
        warnings: &mut Vec<String>,
    ) -> Result<ResumePoint, MessageRefusal> {
        let feeds = &self.report.app.feeds;
        let state = named.map(|named| match named.cursor {
            cursor if cursor.wire_version != Wire::VERSION => LastSeen::Foreign,
            cursor => LastSeen::Cursor(cursor),
        });
        if let Some(LastSeen::Cursor(cursor)) = &state
            && cursor.version > feeds.version(stream).await.map_err(ApiError::from)?
        {
            return Err(invalid(state::StateRefusal::Ahead));
        }
        let said = last_event(incoming, &stream.session);
        let mut wanted = vec![];
        match (&said, &state) {
            // A number counts frames; another wire version cuts other frames, so that its numbers mean something else.
            (Ok(Some(LastSeen::Seq(_))), Some(LastSeen::Foreign)) => wanted.push(LastSeen::Foreign),
            (Ok(Some(said)), _) => wanted.push(said.clone()),
            (Ok(None), None) => wanted.push(LastSeen::Beginning),
            (Ok(None), Some(_)) => {}
            (Err(name), Some(_)) => warnings.push(format!("{name} is not of this session")),
            (Err(name), None) => {
                return Err(MessageRefusal::new(format!(
                    "Invalid state: {name} is not of this session"
                )));
            }
        }
        wanted.extend(state);
        for wanted in wanted {
            match locate(feeds, stream, &wanted).await {
                Ok(Some(place)) => return Ok(place),
                Ok(None) => warnings.push("the last event is ahead of the log".to_owned()),
                Err(error) => return Err(failed(error.into())),
            }
        }
        Err(invalid(state::StateRefusal::Ahead))
    }

    async fn restored(
        &self,
        session: &SessionId,
        state: &Session,
        place: &ResumePoint,
        warnings: &[String],
    ) {
        let mut metadata = json!({
            "original_session_id": session, "restored_step": steps(state), "message_count": state.messages.len(),
            "agent_name": AGENT, "warnings": warnings,
        });
        if place.reset {
            metadata["reset"] = true.into();
        }
        let text = "The session is restored; what was missed follows.";
        let frame = self
            .voice
            .frame("agent.state_restored", Some(session), text, metadata);
        self.say(frame).await;
    }
}

/// The last event that a client names. Its id, which includes the numbering, takes precedence over the bare number. If a field names no
/// event, its name is the error.
fn last_event(incoming: &Incoming, session: &SessionId) -> Result<Option<LastSeen>, &'static str> {
    let mut wrong = None;
    if let Some(id) = incoming.anywhere("last_event_id") {
        match id.as_str().and_then(|id| place_of(id, session)) {
            Some(wanted) => return Ok(Some(wanted)),
            None => wrong = Some("last_event_id"),
        }
    }
    if let Some(seq) = incoming.anywhere("last_seq") {
        match seq.as_u64() {
            Some(0) => return Ok(Some(LastSeen::Beginning)),
            Some(seq) => return Ok(Some(LastSeen::Seq(seq))),
            None => wrong = Some("last_seq"),
        }
    }
    wrong.map_or(Ok(None), Err)
}

/// Reads an event id: `<session>-v<wire version>-<seq>`.
fn place_of(id: &str, session: &SessionId) -> Option<LastSeen> {
    let rest = id.strip_prefix(session.as_str())?.strip_prefix("-v")?;
    let (version, seq) = rest.split_once('-')?;
    let (version, seq) = (version.parse::<u32>().ok()?, seq.parse::<u64>().ok()?);
    Some(match seq {
        _ if version != Wire::VERSION => LastSeen::Foreign,
        0 => LastSeen::Beginning,
        seq => LastSeen::Seq(seq),
    })
}

/// Finds a position by folding the session once; `None` if it is ahead of the log.
async fn locate(
    feeds: &Feeds,
    stream: &StreamId,
    wanted: &LastSeen,
) -> Result<Option<ResumePoint>, FeedError> {
    let start = Cursor::start(Wire::VERSION);
    let mut place = ResumePoint {
        cursor: start,
        seq: 0,
        head: 0,
        reset: *wanted == LastSeen::Foreign,
    };
    let followed = feeds
        .follow(stream, Wire::NAME, Start::Beginning, Filter::All)
        .await?;
    let Ok(mut follower) = followed else {
        return Ok(None);
    };
    while let Batch::Frames(frames) = follower.next().await? {
        for frame in frames {
            let seq = frame.ordinal + 1;
            place.head = seq;
            let was_seen = match wanted {
                LastSeen::Beginning | LastSeen::Foreign => false,
                LastSeen::Seq(last) => seq <= *last,
                LastSeen::Cursor(last) => frame.cursor <= *last,
            };
            if was_seen {
                (place.cursor, place.seq) = (frame.cursor, seq);
            }
        }
    }
    let is_there = match wanted {
        LastSeen::Seq(last) => *last == place.seq,
        LastSeen::Beginning | LastSeen::Foreign | LastSeen::Cursor(_) => true,
    };
    Ok(is_there.then_some(place))
}

fn replay(session: &SessionId, place: &ResumePoint) -> Replay {
    let count = place.head - place.seq;
    let last = place.head;
    Replay {
        count,
        left: count,
        last_seq: last,
        last_event_id: (last > 0).then(|| event_id(session, Wire::VERSION, last)),
        reset: place.reset,
    }
}

/// The number of steps that the latest run has begun.
fn steps(state: &Session) -> usize {
    let run = state.runs.values().next_back();
    run.map_or(0, |run| run.steps.values().map(|items| items.len()).sum())
}

fn invalid(refused: state::StateRefusal) -> MessageRefusal {
    MessageRefusal {
        text: format!("Invalid state: {refused}"),
        metadata: json!({ "error_code": "invalid_state", "recoverable": false }),
    }
}

/// Errors that clients know keep their text.
fn failed(error: ApiError) -> MessageRefusal {
    let is_ours = error.status.is_server_error();
    let message = error.error.message.clone();
    let mut refused = MessageRefusal::from(error);
    if is_ours {
        refused.text = format!("Reconnection failed: {message}");
    }
    refused
}
