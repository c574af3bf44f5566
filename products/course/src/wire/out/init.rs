//! What a client is given when it connects: the stored messages and artifacts of the session, true at `pos`. They are reduced from the
//! frames in the same way as a client reduces them, so that the stored and the live data agree.

use std::collections::VecDeque;

use palimpsest::prelude::pipeline::event::{Event, SessionEvent};
use palimpsest::prelude::wire::{ArtifactId, Cursor, Overview, Recorded, SessionRef, Wire};
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};

use super::family::Family;
use super::fold::{Course, State};
use super::frames::{Artifact, CourseFrame, ToolStart, ToolStatus};

/// Messages in one answer: the contract's number. A run has about ten.
pub(crate) const MESSAGES_MAX: usize = 100;

/// `chat:init:response`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct InitResponse {
    /// `success`.
    pub(crate) status: &'static str,
    pub(crate) session_id: String,
    /// The last [`MESSAGES_MAX`], oldest first.
    pub(crate) messages: Vec<StoredMessage>,
    /// The artifacts that count now, in the order in which they were made.
    pub(crate) artifacts: Vec<Artifact>,
    /// Frames after this cursor are not in here yet.
    pub(crate) pos: Cursor,
}

/// A message as it is stored: the person's, the assistant's (`chat`), or a stage's (`tool`).
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StoredMessage {
    pub(crate) id: String,
    pub(crate) role: &'static str,
    pub(crate) kind: Option<&'static str>,
    pub(crate) status: Option<&'static str>,
    pub(crate) tool_name: Option<String>,
    pub(crate) title: Option<String>,
    pub(crate) content: String,
    pub(crate) progress_text: Option<String>,
    pub(crate) parent_message_id: Option<String>,
    pub(crate) artifact_ids: Option<Vec<ArtifactId>>,
    pub(crate) metadata: Option<Value>,
    pub(crate) timestamp: i64,
}

#[derive(Clone, Debug)]
enum MessageEntry {
    User {
        id: String,
        text: String,
        attachments: Vec<String>,
        at: i64,
    },
    Chat {
        id: String,
        text: String,
        at: i64,
    },
    Tool {
        start: ToolStart,
        status: ToolStatus,
        content: String,
        artifacts: Vec<ArtifactId>,
    },
}

/// The fold of a session into [`InitResponse`].
#[derive(Clone, Debug)]
pub(crate) struct InitView {
    session: SessionRef,
    wire: State,
    at: Cursor,
    messages: VecDeque<MessageEntry>,
}

impl Overview for InitView {
    fn push(&mut self, recorded: &Recorded) {
        if recorded.version <= self.at.version {
            return;
        }
        let ms = recorded.recorded_at.timestamp_millis();
        self.follow(&recorded.event, ms);
        let mut frames = vec![];
        Course::step(&mut self.wire, &self.session, recorded, &mut frames);
        let last = u32::try_from(frames.len().saturating_sub(1)).unwrap_or(u32::MAX);
        self.at = Cursor {
            wire_version: Course::VERSION,
            version: recorded.version,
            sub: last,
        };
        for frame in frames {
            self.reduce(frame, ms);
        }
        while self.messages.len() > MESSAGES_MAX {
            self.messages.pop_front();
        }
    }

    fn at(&self) -> Cursor {
        self.at
    }

    fn state(&self) -> Box<RawValue> {
        let written = to_raw_value(&self.response(Family::Both));
        written.expect("answers hold only string keys and finite numbers")
    }
}

impl InitView {
    pub(crate) fn new(session: SessionRef) -> Self {
        Self {
            session,
            wire: State::default(),
            at: Cursor::start(Course::VERSION),
            messages: VecDeque::new(),
        }
    }

    /// Takes into account what is in no frame: the person's messages.
    fn follow(&mut self, event: &Event, ms: i64) {
        match event {
            Event::Session(SessionEvent::MessageReceived(e)) => {
                self.messages.push_back(MessageEntry::User {
                    id: e.message.to_string(),
                    text: e.text.clone(),
                    attachments: e.attachments.clone(),
                    at: ms,
                });
            }
            Event::Session(SessionEvent::SessionErased(_)) => {
                *self = Self {
                    at: self.at,
                    ..Self::new(self.session.clone())
                }
            }
            Event::Session(_)
            | Event::Run(_)
            | Event::Step(_)
            | Event::Gate(_)
            | Event::Collection(_)
            | Event::Project(_) => {}
        }
    }

    /// Does with a frame what a client does with it.
    fn reduce(&mut self, frame: CourseFrame, ms: i64) {
        match frame {
            CourseFrame::MessageStart(start) => {
                self.messages.push_back(MessageEntry::Chat {
                    id: start.id,
                    text: String::new(),
                    at: ms,
                });
            }
            CourseFrame::MessageChunk(chunk) => {
                let of = |kept: &&mut MessageEntry| matches!(kept, MessageEntry::Chat { id, .. } if *id == chunk.id);
                if let Some(MessageEntry::Chat { text, .. }) =
                    self.messages.iter_mut().rev().find(of)
                {
                    text.push_str(&chunk.chunk);
                }
            }
            CourseFrame::ToolStart(start) => {
                let status = ToolStatus::InProgress;
                self.messages.push_back(MessageEntry::Tool {
                    start,
                    status,
                    content: String::new(),
                    artifacts: vec![],
                });
            }
            CourseFrame::ToolArtifact(frame) => {
                // What was sent before is sent again where the session goes back to it.
                if let Some((_, _, artifacts)) = self.tool(&frame.message_id)
                    && !artifacts.contains(&frame.artifact.id)
                {
                    artifacts.push(frame.artifact.id);
                }
            }
            CourseFrame::ToolUpdate(update) => {
                if let Some((status, content, artifacts)) = self.tool(&update.id) {
                    *status = update.status;
                    *content = update.content;
                    *artifacts = update.artifact_ids;
                }
            }
            // The frames of the other family say the same; lines, progress and completion are not stored.
            CourseFrame::ToolMessageStart(_)
            | CourseFrame::ToolMessageComplete(_)
            | CourseFrame::ToolLog(_)
            | CourseFrame::Progress(_)
            | CourseFrame::Completion(_) => {}
        }
    }

    fn tool(
        &mut self,
        message: &str,
    ) -> Option<(&mut ToolStatus, &mut String, &mut Vec<ArtifactId>)> {
        self.messages.iter_mut().rev().find_map(|kept| match kept {
            MessageEntry::Tool {
                start,
                status,
                content,
                artifacts,
            } if start.id == message => Some((status, content, artifacts)),
            MessageEntry::Tool { .. } | MessageEntry::User { .. } | MessageEntry::Chat { .. } => {
                None
            }
        })
    }

    /// The answer for a client of this family.
    pub(crate) fn response(&self, family: Family) -> InitResponse {
        InitResponse {
            status: "success",
            session_id: self.session.session.to_string(),
            messages: self
                .messages
                .iter()
                .map(|kept| stored(kept, family))
                .collect(),
            artifacts: self
                .wire
                .counting()
                .map(|sent| sent.artifact.clone())
                .collect(),
            pos: self.at,
        }
    }
}

fn stored(kept: &MessageEntry, family: Family) -> StoredMessage {
    let blank = |id: &str, content: &str, timestamp| StoredMessage {
        id: id.to_owned(),
        role: "assistant",
        kind: None,
        status: None,
        tool_name: None,
        title: None,
        content: content.to_owned(),
        progress_text: None,
        parent_message_id: None,
        artifact_ids: None,
        metadata: None,
        timestamp,
    };
    match kept {
        MessageEntry::User {
            id,
            text,
            attachments,
            at,
        } => StoredMessage {
            role: "user",
            status: Some("completed"),
            metadata: (!attachments.is_empty()).then(|| json!({ "attachments": attachments })),
            ..blank(id, text, *at)
        },
        MessageEntry::Chat { id, text, at } => StoredMessage {
            kind: Some("chat"),
            ..blank(id, text, *at)
        },
        MessageEntry::Tool {
            start,
            status,
            content,
            artifacts,
        } => StoredMessage {
            kind: Some("tool"),
            status: Some(family.word(*status)),
            tool_name: Some(start.tool_name.clone()),
            title: Some(start.title.clone()),
            progress_text: Some(start.progress_text.clone()),
            parent_message_id: start.parent_message_id.clone(),
            artifact_ids: Some(artifacts.clone()),
            ..blank(&start.id, content, start.timestamp)
        },
    }
}
