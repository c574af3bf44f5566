//! The task that follows one session for one connection. It sends missed frames first, then new ones, with text under way between them.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use domain::SessionId;
use projections::{Cursor, Frame};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::connection::Out;
use super::envelope::{Voice, notice_metadata};
use super::partial::Partials;
use crate::feed::{Batch, FeedError, Follower};

/// A session that a connection follows, as the dispatcher, the follower and the writer know it.
pub(super) struct Following {
    pub(super) session: SessionId,
    over: AtomicBool,
    last_sent: Mutex<Cursor>,
}

impl Following {
    pub(super) fn new(session: SessionId, from: Cursor) -> Arc<Self> {
        Arc::new(Self {
            session,
            over: AtomicBool::new(false),
            last_sent: Mutex::new(from),
        })
    }

    /// Marks this following as over: frames that still wait are not written.
    pub(super) fn end(&self) {
        self.over.store(true, Ordering::Release);
    }

    pub(super) fn is_over(&self) -> bool {
        self.over.load(Ordering::Acquire)
    }

    pub(super) fn sent(&self, cursor: Cursor) {
        *self.place() = cursor;
    }

    /// The last frame that was written; before the first one, where following began.
    pub(super) fn last_sent(&self) -> Cursor {
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
pub(super) struct Replay {
    /// Frames that come before the notice.
    pub(super) count: u64,
    /// Those of them that have not been sent yet.
    pub(super) left: u64,
    /// The number and the name of the last missed frame, or of the last frame that the client has.
    pub(super) last_seq: u64,
    pub(super) last_event_id: Option<String>,
    pub(super) reset: bool,
}

/// Sends the frames of a session to a connection.
pub(super) struct Tell {
    pub(super) of: Arc<Following>,
    pub(super) follower: Follower,
    pub(super) replay: Option<Replay>,
    pub(super) partials: Partials,
    pub(super) voice: Voice,
    pub(super) out: mpsc::Sender<Out>,
}

/// The connection does not listen any longer.
struct Unheard;

impl Tell {
    pub(super) async fn run(mut self) {
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
