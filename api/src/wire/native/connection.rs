//! One connection: it reads the frames of the client and writes the messages of its subscriptions, each before a deadline.

use std::collections::HashMap;

use axum::extract::ws::Message;
use tokio::sync::mpsc;
use tokio::task::AbortHandle;
use tokio::time::{Instant, MissedTickBehavior, interval};

use super::commands;
use super::frames::{Ack, ClientFrame, CommandFrame, ServerFrame, Subscribe, Unsubscribe};
use super::limits::{OUTBOX, PING_EVERY, SILENCE_MAX, SUB_BYTES_MAX};
use super::subscription::{Out, Subscription};
use crate::app::App;
use crate::error::ApiError;
use crate::keys::Owner;
use crate::wire::socket::{End, Peer};

struct Active {
    number: u64,
    task: AbortHandle,
}

/// A connection after `hello`.
pub(super) struct Connection {
    peer: Peer,
    app: App,
    owner: Owner,
    subscriptions: HashMap<String, Active>,
    /// The number of the latest subscription. Messages carry the number of theirs, so that none is written after the end of its
    /// subscription.
    last_number: u64,
    out: mpsc::Sender<Out>,
    outbox: mpsc::Receiver<Out>,
    commands: mpsc::Sender<CommandFrame>,
    heard_at: Instant,
}

impl Connection {
    pub(super) fn new(peer: Peer, app: App, owner: Owner) -> Self {
        let (out, outbox) = mpsc::channel(OUTBOX);
        let commands = commands::start(app.clone(), owner.clone(), out.clone());
        let heard_at = Instant::now();
        Self {
            peer,
            app,
            owner,
            subscriptions: HashMap::new(),
            last_number: 0,
            out,
            outbox,
            commands,
            heard_at,
        }
    }

    pub(super) async fn run(mut self) {
        let end = match self.serve().await {
            Ok(never) => match never {},
            Err(end) => end,
        };
        for active in self.subscriptions.values() {
            active.task.abort();
        }
        self.peer.close(end).await;
    }

    async fn serve(&mut self) -> Result<std::convert::Infallible, End> {
        let mut pings = interval(PING_EVERY);
        pings.set_missed_tick_behavior(MissedTickBehavior::Delay);
        pings.reset();
        let stopping = self.app.stopping.clone();
        loop {
            tokio::select! {
                () = stopping.cancelled() => return Err(End::Stopping),
                message = self.peer.hear() => {
                    self.heard_at = Instant::now();
                    self.take(message?).await?;
                }
                out = self.outbox.recv() => match out {
                    Some(out) => self.hand_out(out).await?,
                    None => unreachable!("the connection holds a sender itself"),
                },
                _ = pings.tick() => self.ping().await?,
            }
        }
    }

    async fn ping(&mut self) -> Result<(), End> {
        if self.heard_at.elapsed() > SILENCE_MAX {
            return Err(End::Silent);
        }
        // Browsers answer the ping of the web socket themselves and do not show it to the page; the page sees the `ping` frame.
        self.peer
            .send(Message::Ping(axum::body::Bytes::new()))
            .await?;
        self.peer.say(&ServerFrame::Ping).await
    }

    async fn hand_out(&mut self, out: Out) -> Result<(), End> {
        match out {
            Out::Text { number, text } => {
                if number == 0
                    || self
                        .subscriptions
                        .values()
                        .any(|active| active.number == number)
                {
                    self.peer.text(text).await?;
                }
            }
            Out::Ended { number, error } => {
                let ended = self
                    .subscriptions
                    .iter()
                    .find(|(_, active)| active.number == number);
                let Some(sub) = ended.map(|(sub, _)| sub.clone()) else {
                    return Ok(());
                };
                self.subscriptions.remove(&sub);
                if let Some(error) = error {
                    self.refuse(Some(&sub), error).await?;
                }
            }
        }
        Ok(())
    }

    async fn take(&mut self, message: Message) -> Result<(), End> {
        match message {
            Message::Text(text) => match serde_json::from_str(&text) {
                Ok(frame) => self.answer(frame).await,
                Err(error) => self.refuse(None, malformed(&error)).await,
            },
            Message::Binary(_) => self.refuse(None, binary()).await,
            // Pings are answered by the socket itself.
            Message::Ping(_) | Message::Pong(_) => Ok(()),
            Message::Close(_) => Err(End::Gone),
        }
    }

    async fn answer(&mut self, frame: ClientFrame) -> Result<(), End> {
        match frame {
            ClientFrame::Hello(_) => {
                let error = ApiError::bad_request("`hello` was said already; it comes once, first");
                self.refuse(None, error).await
            }
            ClientFrame::Subscribe(ask) => self.subscribe(ask).await,
            ClientFrame::Ack(Ack { sub, .. }) if self.subscriptions.contains_key(&sub) => Ok(()),
            ClientFrame::Ack(Ack { sub, .. }) => {
                self.refuse(Some(&sub), no_subscription(&sub)).await
            }
            ClientFrame::Unsubscribe(Unsubscribe { sub }) => self.unsubscribe(&sub).await,
            ClientFrame::Command(command) => self.command(command).await,
            ClientFrame::Ping(_) => self.peer.say(&ServerFrame::Pong).await,
            ClientFrame::Pong(_) => Ok(()),
        }
    }

    async fn subscribe(&mut self, ask: Subscribe) -> Result<(), End> {
        let most = self.app.config.limits.subscriptions_per_connection;
        if let Err(error) = check_subscription(&ask, self.subscriptions.len(), most) {
            return self.refuse(Some(&ask.sub), error).await;
        }
        if self.subscriptions.contains_key(&ask.sub) {
            let message = format!(
                "the subscription `{}` is open already; unsubscribe it first, or name another",
                ask.sub
            );
            return self
                .refuse(
                    Some(&ask.sub),
                    ApiError::unprocessable("sub_taken", message),
                )
                .await;
        }
        self.last_number += 1;
        let (sub, number) = (ask.sub.clone(), self.last_number);
        let (app, owner, out) = (self.app.clone(), self.owner.clone(), self.out.clone());
        let task = tokio::spawn(
            Subscription {
                app,
                owner,
                number,
                ask,
                out,
            }
            .run(),
        )
        .abort_handle();
        self.subscriptions.insert(sub, Active { number, task });
        Ok(())
    }

    async fn unsubscribe(&mut self, sub: &str) -> Result<(), End> {
        let Some(active) = self.subscriptions.remove(sub) else {
            return self.refuse(Some(sub), no_subscription(sub)).await;
        };
        active.task.abort();
        self.peer
            .say(&ServerFrame::Closed {
                sub: Some(sub),
                r#final: false,
                outcome: "unsubscribed",
            })
            .await
    }

    async fn command(&mut self, command: CommandFrame) -> Result<(), End> {
        let Err(refused) = self.commands.try_send(command) else {
            return Ok(());
        };
        let id = refused.into_inner().id;
        let error = ApiError::busy().error;
        self.peer
            .say(&ServerFrame::Result {
                id: &id,
                outcome: Err(error).into(),
            })
            .await
    }

    async fn refuse(&mut self, sub: Option<&str>, error: ApiError) -> Result<(), End> {
        self.peer
            .say(&ServerFrame::Error {
                sub,
                error: error.error,
            })
            .await
    }
}

fn check_subscription(ask: &Subscribe, open: usize, most: usize) -> Result<(), ApiError> {
    if ask.sub.is_empty() || ask.sub.len() > SUB_BYTES_MAX {
        return Err(ApiError::unprocessable(
            "bad_id",
            format!("`sub` has 1 to {SUB_BYTES_MAX} bytes"),
        ));
    }
    if open >= most {
        let message =
            format!("{open} subscriptions are open, at most {most} may be; unsubscribe one first");
        return Err(ApiError::unprocessable("too_many_subscriptions", message));
    }
    crate::ask::check_session_id("session", ask.session.as_str())
}

fn no_subscription(sub: &str) -> ApiError {
    let shown: String = sub.chars().take(SUB_BYTES_MAX).collect();
    ApiError::unprocessable(
        "no_subscription",
        format!("there is no subscription `{shown}`"),
    )
}

pub(super) fn malformed(error: &serde_json::Error) -> ApiError {
    ApiError::new(axum::http::StatusCode::BAD_REQUEST, "malformed", format!("this is not a frame: {error}"))
        .hint("send one JSON object as text, such as {\"frame\":\"subscribe\",\"sub\":\"a\",\"session\":\"…\"}")
}

pub(super) fn binary() -> ApiError {
    ApiError::new(
        axum::http::StatusCode::BAD_REQUEST,
        "malformed",
        "binary messages are not taken",
    )
    .hint("send JSON as text")
}
