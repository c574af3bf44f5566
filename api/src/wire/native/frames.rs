//! The frames of the native protocol. `frame` names the kind of a frame, since `type` names that of an event or a command.

use domain::RunId;
use domain::{SessionId, StepId};
use projections::view::SessionView;
use projections::wire::native::Envelope;
use projections::{Cursor, Frame};
use runner::Delta;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use ts_rs::TS;

use super::snapshot::Snapshot;
use crate::ask::{CommandAnswer, CommandRequest};
use crate::error::ErrorBody;
use crate::wire::socket::{End, Peer};

/// What a client says.
#[derive(Clone, Debug, PartialEq, Deserialize, TS)]
#[serde(tag = "frame", rename_all = "snake_case")]
pub(super) enum ClientFrame {
    Hello(Hello),
    Subscribe(Subscribe),
    Ack(Ack),
    Unsubscribe(Unsubscribe),
    Command(CommandFrame),
    Ping(#[ts(skip)] Empty),
    Pong(#[ts(skip)] Empty),
}

/// What a connection begins with.
#[derive(Clone, Debug, PartialEq, Deserialize, TS)]
#[serde(deny_unknown_fields)]
#[ts(optional_fields)]
pub(super) struct Hello {
    pub(super) protocol: u32,
    /// A key, where no header and no sub-protocol carried one.
    pub(super) token: Option<String>,
    /// Who is calling, for the server's log.
    pub(super) client: Option<String>,
}

/// What happens in a session is wanted.
#[derive(Clone, Debug, PartialEq, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub(super) struct Subscribe {
    /// The client's name for the subscription.
    pub(super) sub: String,
    pub(super) session: String,
    /// `events`, `state`, or the name of a wire.
    #[serde(default = "events")]
    #[ts(as = "Option<_>", optional)]
    pub(super) view: String,
    /// `start`, `now` or a cursor.
    #[serde(default = "start")]
    #[ts(as = "Option<_>", optional)]
    pub(super) after: String,
    #[serde(default)]
    #[ts(as = "Option<_>", optional)]
    pub(super) mode: Mode,
    /// Whether text is wanted while it is made.
    #[serde(default)]
    #[ts(as = "Option<_>", optional)]
    pub(super) deltas: bool,
}

fn events() -> String {
    "events".to_owned()
}

fn start() -> String {
    "start".to_owned()
}

/// What a subscription begins with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub(super) enum Mode {
    /// The events after a place, and then every new one.
    #[default]
    Tail,
    /// The state as it is now, and then every new event.
    Snapshot,
}

/// The client has taken in everything up to here. Advisory: nothing waits for it.
#[derive(Clone, Debug, PartialEq, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub(super) struct Ack {
    pub(super) sub: String,
    pub(super) cursor: Cursor,
}

/// Nothing more is wanted.
#[derive(Clone, Debug, PartialEq, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub(super) struct Unsubscribe {
    pub(super) sub: String,
}

/// A command, as `POST /v1/sessions/{id}/commands` takes it.
#[derive(Clone, Debug, PartialEq, Deserialize, TS)]
#[serde(deny_unknown_fields)]
#[ts(optional_fields)]
pub(super) struct CommandFrame {
    pub(super) id: String,
    pub(super) session: String,
    #[serde(rename = "type")]
    pub(super) kind: String,
    #[serde(default)]
    #[ts(type = "unknown", optional)]
    pub(super) payload: Value,
    pub(super) expected_version: Option<u64>,
    /// Whether only the plan is wanted.
    #[serde(default)]
    #[ts(as = "Option<_>", optional)]
    pub(super) dry_run: bool,
}

impl CommandFrame {
    pub(super) fn into_request(self) -> (SessionId, CommandRequest) {
        let Self {
            id,
            session,
            kind,
            payload,
            expected_version,
            dry_run,
        } = self;
        (
            SessionId::new(session),
            CommandRequest {
                id,
                kind,
                payload,
                expected_version,
                dry_run,
            },
        )
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Empty {}

/// What the server says.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, Serialize, TS)]
#[serde(tag = "frame", rename_all = "snake_case")]
#[ts(optional_fields)]
pub(super) enum ServerFrame<'a> {
    Welcome {
        protocol: u32,
        limits: Limits,
    },
    Subscribed {
        sub: &'a str,
        /// What comes next comes after this.
        from: Cursor,
        /// The session's version.
        head: u64,
    },
    Snapshot {
        sub: Option<&'a str>,
        /// The state is true at this cursor.
        at: Cursor,
        view_version: u32,
        /// Of the wire `course` it is what that one says.
        #[ts(as = "SessionView")]
        state: &'a RawValue,
    },
    Event(Envelope<'a>),
    Delta {
        sub: Option<&'a str>,
        run: RunId,
        step: &'a StepId,
        attempt: u32,
        /// Characters that stay of what was said before; the rest is replaced by `text`.
        offset: u64,
        text: &'a str,
    },
    UpToDate {
        sub: Option<&'a str>,
        cursor: Cursor,
    },
    Reset {
        sub: Option<&'a str>,
        reason: &'static str,
        at: Cursor,
    },
    Closed {
        sub: Option<&'a str>,
        /// Nothing will ever follow.
        r#final: bool,
        outcome: &'a str,
    },
    Result {
        id: &'a str,
        #[serde(flatten)]
        outcome: Outcome,
    },
    Error {
        sub: Option<&'a str>,
        error: ErrorBody,
    },
    Ping,
    Pong,
}

#[derive(Clone, Debug, Serialize, TS)]
#[serde(untagged)]
pub(super) enum Outcome {
    Done {
        #[ts(type = "true")]
        ok: bool,
        #[serde(flatten)]
        answer: CommandAnswer,
    },
    Failed {
        #[ts(type = "false")]
        ok: bool,
        error: ErrorBody,
    },
}

impl From<Result<CommandAnswer, ErrorBody>> for Outcome {
    fn from(answer: Result<CommandAnswer, ErrorBody>) -> Self {
        match answer {
            Ok(answer) => Self::Done { ok: true, answer },
            Err(error) => Self::Failed { ok: false, error },
        }
    }
}

/// What a connection may do.
#[derive(Clone, Copy, Debug, Serialize, TS)]
pub(super) struct Limits {
    pub(super) subscriptions: usize,
    pub(super) message_bytes: usize,
    pub(super) commands_waiting: usize,
    pub(super) ping_seconds: u64,
}

impl<'a> ServerFrame<'a> {
    pub(super) fn of_snapshot(sub: Option<&'a str>, snapshot: &'a Snapshot) -> Self {
        Self::Snapshot {
            sub,
            at: snapshot.at,
            view_version: snapshot.view_version,
            state: &snapshot.state,
        }
    }

    pub(super) fn of_delta(sub: Option<&'a str>, delta: &'a Delta) -> Self {
        Self::Delta {
            sub,
            run: delta.step.run,
            step: &delta.step,
            attempt: delta.attempt,
            offset: delta.offset,
            text: &delta.text,
        }
    }

    pub(super) fn to_text(&self) -> String {
        serde_json::to_string(self).expect("frames hold only string keys and finite numbers")
    }
}

impl Peer {
    pub(super) async fn say(&mut self, frame: &ServerFrame<'_>) -> Result<(), End> {
        self.text(frame.to_text()).await
    }
}

/// An `event` frame.
pub(super) fn event(frame: &Frame, sub: Option<&str>) -> String {
    ServerFrame::Event(frame.envelope(sub)).to_text()
}
