//! Text while it is made. It travels beside the log, may be lost, and is superseded by the durable artifact; somebody who
//! comes late gets the text so far.

use std::collections::{BTreeMap, HashMap};
use std::sync::Mutex;

use domain::StepId;
use store::StreamId;
use tokio::sync::broadcast;

/// Pieces that a slow listener may be behind before it loses some; it then asks for the text so far.
const PIECES_HELD: usize = 256;

/// A piece of text of an attempt that is being made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delta {
    pub step: StepId,
    pub attempt: u32,
    /// Characters that came before.
    pub offset: u64,
    pub text: String,
}

#[derive(Default)]
pub(crate) struct Deltas {
    streams: Mutex<HashMap<StreamId, Channel>>,
}

struct Channel {
    sender: broadcast::Sender<Delta>,
    so_far: BTreeMap<StepId, (u32, String, u64)>,
}

impl Default for Channel {
    fn default() -> Self {
        Self {
            sender: broadcast::channel(PIECES_HELD).0,
            so_far: BTreeMap::new(),
        }
    }
}

impl Deltas {
    fn with<T>(&self, stream: &StreamId, use_it: impl FnOnce(&mut Channel) -> T) -> T {
        let mut streams = self
            .streams
            .lock()
            .expect("nothing panics while text is kept");
        use_it(streams.entry(stream.clone()).or_default())
    }

    pub(crate) fn listen(&self, stream: &StreamId) -> broadcast::Receiver<Delta> {
        self.with(stream, |channel| channel.sender.subscribe())
    }

    pub(crate) fn so_far(&self, stream: &StreamId) -> Vec<Delta> {
        let streams = self
            .streams
            .lock()
            .expect("nothing panics while text is kept");
        let Some(channel) = streams.get(stream) else {
            return vec![];
        };
        let whole = |(step, (attempt, text, _)): (&StepId, &(u32, String, u64))| Delta {
            step: step.clone(),
            attempt: *attempt,
            offset: 0,
            text: text.clone(),
        };
        channel.so_far.iter().map(whole).collect()
    }

    pub(crate) fn say(&self, stream: &StreamId, step: &StepId, attempt: u32, text: &str) {
        self.with(stream, |channel| {
            let entry = channel
                .so_far
                .entry(step.clone())
                .or_insert_with(|| (attempt, String::new(), 0));
            if entry.0 != attempt {
                *entry = (attempt, String::new(), 0);
            }
            let offset = entry.2;
            entry.1.push_str(text);
            entry.2 += text.chars().count() as u64;
            // It is not an error if nobody is listening.
            drop(channel.sender.send(Delta {
                step: step.clone(),
                attempt,
                offset,
                text: text.to_owned(),
            }));
        });
    }

    /// Forgets a session that was erased.
    pub(crate) fn forget_all(&self, stream: &StreamId) {
        self.streams
            .lock()
            .expect("nothing panics while text is kept")
            .remove(stream);
    }

    /// A new try begins: the text of the one before does not count.
    pub(crate) fn forget(&self, stream: &StreamId, step: &StepId) {
        let mut streams = self
            .streams
            .lock()
            .expect("nothing panics while text is kept");
        let Some(channel) = streams.get_mut(stream) else {
            return;
        };
        channel.so_far.remove(step);
        if channel.so_far.is_empty() && channel.sender.receiver_count() == 0 {
            streams.remove(stream);
        }
    }
}
