//! A person says something. Every accepted message starts a run in the append that records it, or is queued with its run
//! id allocated.

use domain::decision::Decision;
use domain::event::{
    FilePut, MessageQueued, MessageReceived, RunStarted, SessionOpened, SessionTitled, Violation,
};
use domain::hash::BlobRef;
use domain::ids::MessageId;
use domain::settings::{OnBusy, Settings};
use domain::text::title_of;
use serde_json::Value;
use smol_str::SmolStr;

use crate::Refusal;

/// A brief is a page or two; a longer text is a source and is sent as a file.
pub const MESSAGE_CHARS_MAX: usize = 20_000;

/// Messages that wait behind a busy run, including those that were withdrawn, each of which still has its turn. A person types a handful;
/// more of them come from a program that has gone wrong.
pub const QUEUED_MAX: usize = 16;

/// Longest path of a session file, in bytes: what common file systems take as one name.
pub const PATH_BYTES_MAX: usize = 255;

/// A file that comes with a message; its bytes are kept by the caller.
#[derive(Clone, Debug, PartialEq)]
pub struct NewFile {
    pub path: String,
    pub blob: BlobRef,
    pub media_type: String,
}

#[derive(Clone, Debug, PartialEq)]
pub struct SendMessage {
    pub message: MessageId,
    pub text: String,
    pub files: Vec<NewFile>,
    /// The session's own where absent.
    pub pipeline: Option<String>,
    pub input: Value,
    pub settings: Settings,
    pub on_busy: OnBusy,
}

impl SendMessage {
    pub(crate) fn decide(self, d: &mut Decision<'_>) -> Result<(), Refusal> {
        let pipeline = self.check(d)?;
        let busy = d.session.active;
        if let (Some(run), OnBusy::Refuse) = (busy, self.on_busy) {
            return Err(Refusal::Busy { run });
        }
        let queued = d.session.queue.len();
        if busy.is_some() && queued >= QUEUED_MAX {
            return Err(Refusal::QueueFull {
                queued,
                most: QUEUED_MAX,
            });
        }
        if !d.session.exists() {
            d.record(SessionOpened {
                pipeline: pipeline.clone(),
                title: title_of(&self.text),
            });
        } else if d.session.title.is_empty() {
            let title = title_of(&self.text);
            d.record(SessionTitled { title });
        }
        let run = d.session.next_run();
        let attachments = self.files.iter().map(|file| file.path.clone()).collect();
        for file in self.files {
            d.record(FilePut {
                path: file.path,
                blob: file.blob,
                media_type: file.media_type,
            });
        }
        let at = d.now();
        d.record(MessageReceived {
            at: Some(at),
            message: self.message.clone(),
            text: self.text.clone(),
            attachments,
            run,
        });
        let Some(busy) = busy else {
            d.record(RunStarted {
                run,
                pipeline,
                base_run: None,
                message: Some(self.message),
                brief: self.text,
                input: self.input,
                settings: self.settings,
                at,
            });
            d.advance(run);
            return Ok(());
        };
        d.record(MessageQueued {
            message: self.message,
            run,
            pipeline,
            input: self.input,
            settings: self.settings,
        });
        if self.on_busy == OnBusy::Interrupt {
            d.cancel(busy, "interrupted by a newer message");
        }
        Ok(())
    }

    fn check(&self, d: &Decision<'_>) -> Result<SmolStr, Refusal> {
        let chars = self.text.chars().count();
        if self.text.trim().is_empty() {
            return Err(Refusal::EmptyMessage);
        }
        if chars > MESSAGE_CHARS_MAX {
            return Err(Refusal::MessageTooLong {
                chars,
                most: MESSAGE_CHARS_MAX,
            });
        }
        if d.session.messages.iter().any(|m| m.message == self.message) {
            return Err(Refusal::MessageReused {
                message: self.message.to_string(),
            });
        }
        for file in &self.files {
            check_path(&file.path)?;
        }
        let own = d.session.pipeline.as_str();
        let name = self.pipeline.as_deref().unwrap_or(own);
        let Some(pipeline) = d.pipelines().find(name) else {
            return Err(Refusal::unknown_pipeline(d, name.to_owned()));
        };
        let problems = pipeline.check_input(&self.input);
        if problems.is_empty() {
            Ok(name.into())
        } else {
            Err(Refusal::BadInput {
                problems: Violation::listed(&problems),
            })
        }
    }
}

/// A path that can do no harm on any system: relative, plain segments, no control characters.
pub fn check_path(path: &str) -> Result<(), Refusal> {
    let bad = |reason| {
        Err(Refusal::BadFileName {
            path: path.chars().take(80).collect(),
            reason,
        })
    };
    if path.is_empty() {
        return bad("it is empty");
    }
    if path.len() > PATH_BYTES_MAX {
        return bad("it is longer than 255 bytes");
    }
    if path.chars().any(char::is_control) {
        return bad("it has control characters");
    }
    if path.contains(['\\', ':']) || path.starts_with('/') {
        return bad("only relative paths with `/` between segments are taken");
    }
    if path
        .split('/')
        .any(|segment| segment.is_empty() || segment == "." || segment == "..")
    {
        return bad("it has an empty, `.` or `..` segment");
    }
    if path
        .split('/')
        .any(|segment| segment.ends_with(['.', ' ']) || segment.starts_with(' '))
    {
        return bad("a segment begins with a space, or ends with a dot or a space");
    }
    Ok(())
}
