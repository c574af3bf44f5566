//! What a client is given when it connects: the stored messages and artifacts of the session, true at `pos`. They are reduced from the
//! frames in the same way as a client reduces them, so that the stored and the live data agree.

use std::collections::{BTreeMap, VecDeque};

use indexmap::IndexMap;
use palimpsest::prelude::pipeline::event::{
    ArtifactProduced, Event, RunEvent, SessionEvent, StepEvent,
};
use palimpsest::prelude::wire::{ArtifactId, Cursor, Overview, Recorded, RunId, SessionRef, Wire};
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};
use smol_str::SmolStr;

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

/// What an artifact is and where it was made.
#[derive(Clone, Debug)]
struct ArtifactOrigin {
    kind: SmolStr,
    item: SmolStr,
    stage: SmolStr,
    step_item: SmolStr,
}

/// The artifacts of a run that count, by kind and item.
type Current = IndexMap<(SmolStr, SmolStr), ArtifactId>;

/// The fold of a session into [`InitResponse`].
#[derive(Clone, Debug)]
pub(crate) struct InitView {
    session: SessionRef,
    wire: State,
    at: Cursor,
    messages: VecDeque<MessageEntry>,
    /// Every artifact that was sent to clients, in that order.
    announced: IndexMap<ArtifactId, Artifact>,
    made: BTreeMap<ArtifactId, ArtifactOrigin>,
    runs: BTreeMap<RunId, Current>,
    active: Option<RunId>,
    head: Option<RunId>,
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
            announced: IndexMap::new(),
            made: BTreeMap::new(),
            runs: BTreeMap::new(),
            active: None,
            head: None,
        }
    }

    /// Takes into account what is in no frame: the person's messages, and which artifacts count.
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
            Event::Run(event) => self.on_run(event),
            Event::Step(StepEvent::ArtifactProduced(e)) => self.produced(e),
            Event::Session(_)
            | Event::Step(_)
            | Event::Gate(_)
            | Event::Collection(_)
            | Event::Project(_) => {}
        }
    }

    fn on_run(&mut self, event: &RunEvent) {
        match event {
            RunEvent::RunStarted(e) => {
                self.runs.insert(e.run, Current::new());
                self.active = Some(e.run);
            }
            RunEvent::IntentClassified(e) => {
                for artifact in &e.kept {
                    self.count(e.run, artifact);
                }
            }
            RunEvent::StagesReopened(e) => {
                if let Some(current) = self.runs.get_mut(&e.run) {
                    let made = &self.made;
                    let fell = |id: &ArtifactId| {
                        let by = |made: &ArtifactOrigin| {
                            e.steps
                                .iter()
                                .any(|step| step.item == made.step_item && step.stage == made.stage)
                        };
                        made.get(id).is_some_and(by)
                    };
                    current.retain(|_, id| !fell(id));
                }
            }
            RunEvent::RunCompleted(e) => {
                self.ended(e.run);
                let made = |current: &Current| !current.is_empty();
                let has_part = e.partial && self.runs.get(&e.run).is_some_and(made);
                if e.final_artifact.is_some() || has_part {
                    self.head = Some(e.run);
                }
            }
            RunEvent::RunFailed(e) => self.ended(e.run),
            RunEvent::RunCancelled(e) => self.ended(e.run),
            RunEvent::HeadMoved(e) => self.head = Some(e.run),
            RunEvent::RefinementRequested(_)
            | RunEvent::ArtifactEdited(_)
            | RunEvent::StageStarted(_)
            | RunEvent::StageClosed(_)
            | RunEvent::DecisionMade(_) => {}
        }
    }

    fn ended(&mut self, run: RunId) {
        if self.active == Some(run) {
            self.active = None;
        }
    }

    fn produced(&mut self, e: &ArtifactProduced) {
        let made = ArtifactOrigin {
            kind: e.kind.clone(),
            item: e.item().to_owned(),
            stage: e.step.stage.clone(),
            step_item: e.step.item.clone(),
        };
        self.made.insert(e.artifact.clone(), made);
        self.count(e.step.run, &e.artifact);
    }

    fn count(&mut self, run: RunId, artifact: &ArtifactId) {
        let Some(ArtifactOrigin { kind, item, .. }) = self.made.get(artifact) else {
            return;
        };
        if let Some(current) = self.runs.get_mut(&run) {
            current.insert((kind.clone(), item.clone()), artifact.clone());
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
                if let Some((_, _, artifacts)) = self.tool(&frame.message_id) {
                    artifacts.push(frame.artifact.id.clone());
                }
                self.announced
                    .insert(frame.artifact.id.clone(), frame.artifact);
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
            artifacts: self.artifacts(),
            pos: self.at,
        }
    }

    /// The head's artifacts, and over them those of the run at work; where no run was ever finished, those of the last run.
    fn artifacts(&self) -> Vec<Artifact> {
        let last = || {
            self.runs
                .keys()
                .next_back()
                .copied()
                .filter(|_| self.head.is_none())
        };
        let over = self.active.or_else(last);
        let mut shown: BTreeMap<&(SmolStr, SmolStr), usize> = BTreeMap::new();
        for run in self.head.into_iter().chain(over) {
            for (place, id) in self.runs.get(&run).into_iter().flatten() {
                if let Some(index) = self.announced.get_index_of(id) {
                    shown.insert(place, index);
                }
            }
        }
        let mut indices: Vec<_> = shown.into_values().collect();
        indices.sort_unstable();
        indices
            .into_iter()
            .filter_map(|index| self.announced.get_index(index))
            .map(|(_, a)| a.clone())
            .collect()
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
