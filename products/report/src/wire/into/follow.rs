//! The task that follows one session for one connection. It sends missed frames first, then new ones, with text under way between them.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use palimpsest::prelude::wire::{Batch, Cursor, FeedError, Follower, Frame, SessionId};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::connection::Out;
use super::envelope::{Voice, notice_metadata};
use super::partial::Partials;

/// A session that a connection follows, as the dispatcher, the follower and the writer know it.
pub(crate) struct Following {
    pub(crate) session: SessionId,
    over: AtomicBool,
    last_sent: Mutex<Cursor>,
}

impl Following {
    pub(crate) fn new(session: SessionId, from: Cursor) -> Arc<Self> {
        Arc::new(Self {
            session,
            over: AtomicBool::new(false),
            last_sent: Mutex::new(from),
        })
    }

    /// Marks this following as over: frames that still wait are not written.
    pub(crate) fn end(&self) {
        self.over.store(true, Ordering::Release);
    }

    pub(crate) fn is_over(&self) -> bool {
        self.over.load(Ordering::Acquire)
    }

    pub(crate) fn sent(&self, cursor: Cursor) {
        *self.place() = cursor;
    }

    /// The last frame that was written; before the first one, where following began.
    pub(crate) fn last_sent(&self) -> Cursor {
        *self.place()
    }

    fn place(&self) -> std::sync::MutexGuard<'_, Cursor> {
        self.last_sent
            .lock()
            .expect("nobody panics while noting a place")
    }
}

/// What a client missed before it reconnected.
#[derive(Clone, Debug)]
pub(crate) struct Replay {
    /// Frames that come before the notice.
    pub(crate) count: u64,
    /// Those of them that have not been sent yet.
    pub(crate) left: u64,
    /// The number and the name of the last missed frame, or of the last frame that the client has.
    pub(crate) last_seq: u64,
    pub(crate) last_event_id: Option<String>,
    pub(crate) reset: bool,
}

/// Sends the frames of a session to a connection.
pub(crate) struct Tell {
    pub(crate) of: Arc<Following>,
    pub(crate) follower: Follower,
    pub(crate) replay: Option<Replay>,
    pub(crate) partials: Partials,
    pub(crate) voice: Voice,
    pub(crate) out: mpsc::Sender<Out>,
}

/// The connection does not listen any longer.
struct Unheard;

impl Tell {
    pub(crate) async fn run(mut self) {
        // If the connection is closed, its client can reconnect at its last position.
        let _ = self.tell().await;
    }

    async fn tell(&mut self) -> Result<(), Unheard> {
        self.replayed(0).await?;
        loop {
            let batch = tokio::select! {
                biased;
                batch = self.follower.next() => batch,
                partials = self.partials.next() => {
                    for partial in partials {
                        self.partial(&partial).await?;
                    }
                    continue;
                }
            };
            match batch {
                Ok(Batch::Frames(frames)) => {
                    for frame in frames {
                        self.frame(&frame).await?;
                    }
                }
                Ok(Batch::CaughtUp(_)) => {}
                Err(error) => return self.ended(error).await,
            }
        }
    }

    async fn frame(&mut self, frame: &Frame) -> Result<(), Unheard> {
        for last in self.partials.superseded_by(frame) {
            self.partial(&last).await?;
        }
        let text = self.voice.folded(&frame.data);
        self.say(Some(frame.cursor), text).await?;
        self.replayed(1).await
    }

    /// Counts down the missed frames, and sends the replay notice after the last of them.
    async fn replayed(&mut self, frames: u64) -> Result<(), Unheard> {
        let Some(replay) = &mut self.replay else {
            return Ok(());
        };
        replay.left = replay.left.saturating_sub(frames);
        if replay.left > 0 {
            return Ok(());
        }
        let Some(replay) = self.replay.take() else {
            return Ok(());
        };
        let text = format!("Replayed {} missed events", replay.count);
        let metadata = replay.metadata();
        let text = self
            .voice
            .frame("system.notice", Some(&self.of.session), text, metadata);
        self.say(None, text).await
    }

    async fn partial(&self, partial: &super::partial::Partial) -> Result<(), Unheard> {
        let text = self.voice.frame(
            "agent.partial_answer",
            Some(&self.of.session),
            partial.text.as_str(),
            partial.metadata(),
        );
        self.say(None, text).await
    }

    /// The session cannot be followed any longer: it was erased, or the log fails.
    async fn ended(&self, error: FeedError) -> Result<(), Unheard> {
        if let FeedError::Erased { .. } = error {
            for parting in self.follower.partings().await {
                self.say(None, self.voice.folded(&parting.data)).await?;
            }
            return Ok(());
        }
        tracing::error!(session.id = %self.of.session, %error, "a session could not be followed any longer");
        let text = "The session cannot be read at the moment; come back to it with user.reconnect";
        let metadata = json!({ "error_code": "storage", "recoverable": true });
        let frame = self
            .voice
            .frame("system.error", Some(&self.of.session), text, metadata);
        self.say(None, frame).await
    }

    async fn say(&self, cursor: Option<Cursor>, text: String) -> Result<(), Unheard> {
        let of = Arc::clone(&self.of);
        let frame = Out::Frame { of, cursor, text };
        self.out.send(frame).await.map_err(|_| Unheard)
    }
}

impl Replay {
    fn metadata(&self) -> Value {
        let mut replay = json!({
            "action": "replay", "count": self.count, "replayed": self.count, "last_seq": self.last_seq,
        });
        if let Some(id) = &self.last_event_id {
            replay["last_event_id"] = id.as_str().into();
        }
        let mut metadata = notice_metadata("replay", replay);
        if self.reset {
            metadata["reset"] = true.into();
        }
        metadata
    }
}
