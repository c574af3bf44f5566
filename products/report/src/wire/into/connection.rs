//! One connection: it reads the messages of the client, hands them to the dispatcher, and is the only one that writes to the socket.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::ws::Message;
use palimpsest::prelude::wire::socket::{End, MESSAGE_BYTES_MAX, Peer};
use palimpsest::prelude::wire::{Bucket, Owner};
use serde_json::json;
use tokio::sync::mpsc;
use tokio::time::{Instant, MissedTickBehavior, interval};

use super::Report;
use super::dispatcher::{Dispatcher, Inbound};
use super::envelope::Voice;
use super::follow::Following;
use super::limits::{
    HEARTBEAT_EVERY, INBOX, MESSAGES_BURST, MESSAGES_PER_SECOND, OUTBOX, PING_EVERY, PING_TIMEOUT,
    SESSIONS_MAX,
};
use super::state;

/// What is handed to the connection for writing.
pub(crate) enum Out {
    /// A frame of the connection.
    Text(String),
    /// A frame of a session. If the session is followed anew in the meantime, the frame is dropped.
    Frame {
        of: Arc<Following>,
        /// Absent where the frame is in no log.
        cursor: Option<palimpsest::prelude::wire::Cursor>,
        text: String,
    },
    /// A request for a signed state. The state is made when it is written, as of the last frame before it.
    State {
        of: Arc<Following>,
        messages: usize,
        step: usize,
    },
}

pub(crate) struct Connection {
    peer: Peer,
    report: Report,
    owner: Owner,
    voice: Voice,
    outbox: mpsc::Receiver<Out>,
    dispatcher: mpsc::Sender<Inbound>,
    bucket: Bucket,
    /// Set after a ping: when the client counts as gone unless it sends something.
    silent_at: Option<Instant>,
}

impl Connection {
    pub(crate) fn new(peer: Peer, report: Report, owner: Owner, voice: Voice) -> Self {
        let (out, outbox) = mpsc::channel(OUTBOX);
        let (dispatcher, inbox) = mpsc::channel(INBOX);
        tokio::spawn(
            Dispatcher::new(report.clone(), owner.clone(), voice.clone(), out).serve(inbox),
        );
        Self {
            peer,
            report,
            owner,
            voice,
            outbox,
            dispatcher,
            bucket: Bucket::new(MESSAGES_BURST, MESSAGES_PER_SECOND, Instant::now()),
            silent_at: None,
        }
    }

    pub(crate) async fn run(mut self) {
        let end = match self.serve().await {
            Ok(never) => match never {},
            Err(end) => end,
        };
        // The dispatcher completes the messages that it has, and then ends.
        drop((self.dispatcher, self.outbox));
        self.peer.close(end).await;
    }

    async fn serve(&mut self) -> Result<Infallible, End> {
        self.greet().await?;
        let mut pings = every(PING_EVERY);
        let mut heartbeats = every(HEARTBEAT_EVERY);
        let stopping = self.report.app.stopping.clone();
        loop {
            let silent_at = self.silent_at;
            tokio::select! {
                () = stopping.cancelled() => return Err(End::Stopping),
                heard = hear(self.dispatcher.clone(), &mut self.peer) => {
                    let (place, message) = heard?;
                    self.silent_at = None;
                    if !is_said(&message) {
                        continue;
                    }
                    match self.bucket.take(Instant::now()) {
                        Ok(()) => drop(place.send(inbound(message)?)),
                        Err(wait) => drop(place.send(Inbound::TooFast { wait })),
                    }
                }
                out = self.outbox.recv() => match out {
                    Some(out) => self.hand_out(out).await?,
                    // Cannot happen before the end: the dispatcher holds a sender as long as this connection holds the dispatcher.
                    None => return Err(End::Gone),
                },
                _ = pings.tick() => {
                    self.peer.send(Message::Ping(axum::body::Bytes::new())).await?;
                    self.silent_at.get_or_insert_with(|| Instant::now() + PING_TIMEOUT);
                }
                () = until(silent_at) => {
                    // While the inbox is full nothing is read, so that the client must not count as silent.
                    if self.dispatcher.capacity() > 0 {
                        return Err(End::Silent);
                    }
                    self.silent_at = Some(Instant::now() + PING_TIMEOUT);
                }
                _ = heartbeats.tick() => self.heartbeat().await?,
            }
        }
    }

    async fn greet(&mut self) -> Result<(), End> {
        let limits = json!({
            "message_bytes": MESSAGE_BYTES_MAX, "sessions": SESSIONS_MAX, "messages_burst": MESSAGES_BURST,
            "messages_per_second": MESSAGES_PER_SECOND,
        });
        let text = "Connected. Create a session with user.create_session, or come back with user.reconnect_with_state.";
        let metadata = json!({ "protocol": super::PROTOCOL, "limits": limits });
        self.peer
            .text(self.voice.frame("system.connected", None, text, metadata))
            .await
    }

    async fn heartbeat(&mut self) -> Result<(), End> {
        let metadata = json!({
            "active_sessions": self.report.presence.sessions_of(&self.owner),
            "uptime": self.report.started.elapsed().as_secs(),
        });
        self.peer
            .text(self.voice.frame("system.heartbeat", None, "", metadata))
            .await
    }

    async fn hand_out(&mut self, out: Out) -> Result<(), End> {
        match out {
            Out::Text(text) => self.peer.text(text).await,
            Out::Frame { of, .. } if of.is_over() => Ok(()),
            Out::Frame { of, cursor, text } => {
                self.peer.text(text).await?;
                if let Some(cursor) = cursor {
                    of.sent(cursor);
                }
                Ok(())
            }
            Out::State { of, messages, step } => {
                let (signer, session) = (&self.report.app.signer, &of.session);
                let signed = state::sign(
                    signer,
                    &self.owner,
                    session,
                    of.last_sent(),
                    self.voice.clock.now(),
                );
                let metadata = json!({
                    "state_size": signed.len(), "signed_state": signed, "message_count": messages, "current_step": step,
                });
                let text = "State exported. Send it back with user.reconnect_with_state.";
                let event = "agent.state_exported";
                self.peer
                    .text(self.voice.frame(event, Some(session), text, metadata))
                    .await
            }
        }
    }
}

/// Waits for room in the inbox and then for the next message. Dropping the call before it answers loses nothing.
async fn hear(
    dispatcher: mpsc::Sender<Inbound>,
    peer: &mut Peer,
) -> Result<(mpsc::OwnedPermit<Inbound>, Message), End> {
    let place = dispatcher.reserve_owned().await.map_err(|_| End::Gone)?;
    Ok((place, peer.hear().await?))
}

/// Whether a message counts against the limit: pings and their answers do not.
fn is_said(message: &Message) -> bool {
    match message {
        Message::Text(_) | Message::Binary(_) | Message::Close(_) => true,
        Message::Ping(_) | Message::Pong(_) => false,
    }
}

fn inbound(message: Message) -> Result<Inbound, End> {
    match message {
        Message::Text(text) => Ok(Inbound::Text(text.to_string())),
        Message::Binary(_) => Ok(Inbound::Binary),
        Message::Close(_) | Message::Ping(_) | Message::Pong(_) => Err(End::Gone),
    }
}

fn every(period: Duration) -> tokio::time::Interval {
    let mut ticks = interval(period);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    ticks.reset();
    ticks
}

/// Waits until a moment; forever if there is none.
pub(crate) async fn until(moment: Option<Instant>) {
    match moment {
        Some(moment) => tokio::time::sleep_until(moment).await,
        None => std::future::pending().await,
    }
}
