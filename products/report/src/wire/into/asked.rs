//! The messages that models are asked with, for a connection that wants to see them. They are sent once the turn is in the log; of several
//! turns within 75 ms only the newest is sent.

use std::sync::Arc;

use palimpsest::prelude::pipeline::BlobRef;
use palimpsest::prelude::wire::native::Native;
use palimpsest::prelude::wire::{
    Batch, Engine, Filter, Follower, Frame, StepId, StreamId, Wire as _,
};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::time::Instant;

use super::connection::{Out, until};
use super::envelope::Voice;
use super::follow::Following;
use super::limits::{LLM_MESSAGES_BYTES_MAX, PARTIAL_EVERY};
use super::partial::task;
use crate::wire::out::scope_of;

/// The wire on which every call of a model is a frame.
pub(crate) const WIRE: &str = Native::NAME;

/// Only the frames of calls are wanted.
pub(crate) const CALLS: Filter = Filter::Named("model_called");

/// Marks the place where the rest of a message was left out.
const CUT: &str = "…[cut]";

/// Sends a connection what models are asked in a session.
pub(crate) struct Asked {
    pub(crate) of: Arc<Following>,
    /// A follower of [`WIRE`] with the filter [`CALLS`].
    pub(crate) follower: Follower,
    pub(crate) engine: Engine,
    pub(crate) stream: StreamId,
    pub(crate) voice: Voice,
    pub(crate) out: mpsc::Sender<Out>,
}

/// The fields of a call's frame that are used here.
#[derive(Deserialize)]
struct Called {
    step: StepId,
    attempt: u32,
    role: String,
    model: String,
    request: BlobRef,
}

/// The fields of a stored request that are sent.
#[derive(Deserialize)]
struct Request {
    messages: Vec<Value>,
}

impl Asked {
    /// Runs until the connection is closed or the session cannot be read; then the session's own follower tells the client why.
    pub(crate) async fn run(mut self) {
        let (mut newest, mut due) = (None, None);
        loop {
            tokio::select! {
                biased;
                () = until(due) => {
                    due = None;
                    if let Some(called) = newest.take()
                        && let Some(text) = self.frame(&called).await
                        && !self.say(text).await
                    {
                        return;
                    }
                }
                batch = self.follower.next() => match batch {
                    Ok(Batch::Frames(frames)) => {
                        if let Some(called) = frames.iter().rev().find_map(Called::read) {
                            newest = Some(called);
                            due.get_or_insert_with(|| Instant::now() + PARTIAL_EVERY);
                        }
                    }
                    Ok(Batch::CaughtUp(_)) => {}
                    Err(_) => return,
                },
            }
        }
    }

    async fn frame(&self, called: &Called) -> Option<String> {
        let kept = self
            .engine
            .log()
            .get_blob(&self.stream, &called.request.sha256);
        let kept = kept.await.ok().flatten()?;
        let Request { messages } = serde_json::from_slice(&kept).ok()?;
        let total = messages.len();
        let answers = messages
            .iter()
            .filter(|message| message["role"] == "assistant")
            .count();
        let (messages, is_cut) = bounded(messages, LLM_MESSAGES_BYTES_MAX);
        let mut metadata = json!({
            "run_id": called.step.run, "scope": scope_of(&called.step), "agent": called.role, "model": called.model,
            "attempt": called.attempt, "step": answers + 1, "streaming": false,
        });
        if let Some(task) = task(&called.step) {
            metadata["task_id"] = task.into();
        }
        if is_cut {
            metadata["truncated"] = true.into();
        }
        let content = json!({ "messages": messages, "total_messages": total });
        let session = Some(&self.of.session);
        Some(
            self.voice
                .frame("agent.llm_message", session, content, metadata),
        )
    }

    /// Sends a frame, and returns whether the connection still takes frames.
    async fn say(&self, text: String) -> bool {
        let frame = Out::Frame {
            of: Arc::clone(&self.of),
            cursor: None,
            text,
        };
        self.out.send(frame).await.is_ok()
    }
}

impl Called {
    /// Reads a call of a planner or solver; other calls give `None`.
    fn read(frame: &Frame) -> Option<Self> {
        let called: Self = serde_json::from_str(frame.data.get()).ok()?;
        scope_of(&called.step).is_some().then_some(called)
    }
}

/// The last messages that fit into `bytes_max`. If there is another message before these, it is added with its content cut, and the ones
/// before it are dropped. The second value says whether anything is missing.
fn bounded(messages: Vec<Value>, bytes_max: usize) -> (Vec<Value>, bool) {
    let (mut room, mut kept, mut is_cut) = (bytes_max, vec![], false);
    for message in messages.into_iter().rev() {
        let bytes = message.to_string().len();
        if bytes <= room {
            room -= bytes;
            kept.push(message);
            continue;
        }
        let content = message["content"].as_str().unwrap_or_default();
        let head = &content[..content.floor_char_boundary(room)];
        kept.push(json!({ "role": message["role"], "content": format!("{head}{CUT}") }));
        is_cut = true;
        break;
    }
    kept.reverse();
    (kept, is_cut)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_room_is_cut_from_the_front_at_a_character() {
        let say = |role: &str, content: &str| json!({ "role": role, "content": content });
        let all = vec![
            say("system", "课程"),
            say("user", "课课课"),
            say("tool", "ok"),
        ];
        let size = |message: &Value| message.to_string().len();
        let whole: usize = all.iter().map(size).sum();
        assert_eq!(bounded(all.clone(), whole), (all.clone(), false));
        // Four bytes hold one character and only a part of the next one, so that one character is kept.
        let expected = vec![say("user", "课…[cut]"), all[2].clone()];
        assert_eq!(bounded(all.clone(), size(&all[2]) + 4), (expected, true));
        assert_eq!(bounded(all, 0), (vec![say("tool", "…[cut]")], true));
    }
}
