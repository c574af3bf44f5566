//! One subscription: a task that pulls frames from its follower and hands messages to the connection, which writes them. The task waits
//! while the connection cannot write.

use domain::SessionId;
use projections::wire::Wire;
use projections::wire::native::Native;
use tokio::sync::mpsc;

use super::frames::{Mode, ServerFrame, Subscribe, event};
use super::limits::STATE_EVERY;
use super::snapshot::{self, Snapshot};
use super::start_of;
use crate::app::App;
use crate::ask::check_session;
use crate::error::ApiError;
use crate::feed::{Batch, FeedError, Filter, Follower, Start};
use crate::keys::Owner;
use crate::wire::deltas::DeltaFeed;

/// What a task hands to its connection.
pub(super) enum Out {
    /// A message of the subscription with this number; 0 for a message that belongs to none.
    Text { number: u64, text: String },
    /// The subscription is over, for this reason.
    Ended {
        number: u64,
        error: Option<ApiError>,
    },
}

/// A subscription while it is carried out.
pub(super) struct Subscription {
    pub(super) app: App,
    pub(super) owner: Owner,
    pub(super) number: u64,
    pub(super) ask: Subscribe,
    pub(super) out: mpsc::Sender<Out>,
}

/// Why a subscription ends.
enum End {
    /// The connection does not listen any longer.
    Unheard,
    Failed(ApiError),
}

impl<E: Into<ApiError>> From<E> for End {
    fn from(error: E) -> Self {
        Self::Failed(error.into())
    }
}

impl Subscription {
    pub(super) async fn run(self) {
        let number = self.number;
        let ended = match self.carry_out().await {
            Ok(()) => Out::Ended {
                number,
                error: None,
            },
            Err(End::Failed(error)) => Out::Ended {
                number,
                error: Some(error),
            },
            Err(End::Unheard) => return,
        };
        // The connection may have gone in the meantime.
        let _ = self.out.send(ended).await;
    }

    async fn carry_out(&self) -> Result<(), End> {
        let session = SessionId::new(self.ask.session.as_str());
        check_session(&session)?;
        match self.ask.view.as_str() {
            "state" => self.states(&session).await,
            "events" => self.frames(&session, Native::NAME).await,
            wire => self.frames(&session, wire).await,
        }
    }

    /// Sends the whole state, now and after every change.
    async fn states(&self, session: &SessionId) -> Result<(), End> {
        let mut follower =
            snapshot::follow(&self.app, &self.owner, session, Native::NAME, Start::Now).await?;
        self.subscribed(session, &follower).await?;
        loop {
            match follower.next().await {
                Ok(Batch::Frames(_)) => {}
                Ok(Batch::CaughtUp(_)) => {
                    let snapshot = snapshot::of_session(&self.app, &self.owner, session).await?;
                    self.snapshot(&snapshot).await?;
                    tokio::time::sleep(STATE_EVERY).await;
                }
                Err(error) => return self.over(error).await,
            }
        }
    }

    /// The frames of a wire, after a state if one was asked for or is needed.
    async fn frames(&self, session: &SessionId, wire: &str) -> Result<(), End> {
        let stream = self.owner.stream(session);
        let with_deltas = self.ask.deltas;
        if with_deltas && wire != Native::NAME {
            let message =
                format!("text while it is made comes with the view `events`, not with `{wire}`");
            return Err(ApiError::unprocessable("no_deltas", message).into());
        }
        let mut follower = match self.ask.mode {
            Mode::Snapshot => self.after_snapshot(session, wire, None).await?,
            Mode::Tail => {
                let start = start_of(Some(&self.ask.after))?;
                match self
                    .app
                    .feeds
                    .follow(&stream, wire, start, Filter::All)
                    .await?
                {
                    Ok(follower) => {
                        self.subscribed(session, &follower).await?;
                        follower
                    }
                    Err(reset) => {
                        self.after_snapshot(session, wire, Some(reset.code()))
                            .await?
                    }
                }
            }
        };
        let mut deltas = with_deltas.then(|| DeltaFeed::new(self.app.engine.clone(), stream));
        loop {
            let batch = tokio::select! {
                biased;
                batch = follower.next() => batch,
                pieces = next_pieces(&mut deltas) => {
                    for piece in &pieces {
                        let sub = Some(self.ask.sub.as_str());
                        self.frame(&ServerFrame::of_delta(sub, piece)).await?;
                    }
                    continue;
                }
            };
            match batch {
                Ok(Batch::Frames(frames)) => {
                    for frame in &frames {
                        self.text(event(frame, Some(&self.ask.sub))).await?;
                    }
                    if let Some(deltas) = &mut deltas {
                        deltas.superseded_by(&frames);
                    }
                }
                Ok(Batch::CaughtUp(cursor)) => {
                    self.frame(&ServerFrame::UpToDate {
                        sub: Some(&self.ask.sub),
                        cursor,
                    })
                    .await?;
                }
                Err(error) => return self.over(error).await,
            }
        }
    }

    /// The state, and a follower of what comes after it.
    async fn after_snapshot(
        &self,
        session: &SessionId,
        wire: &str,
        reset: Option<&'static str>,
    ) -> Result<Follower, End> {
        let (snapshot, follower) = snapshot::of_wire(&self.app, &self.owner, session, wire).await?;
        self.subscribed(session, &follower).await?;
        if let Some(reason) = reset {
            self.frame(&ServerFrame::Reset {
                sub: Some(&self.ask.sub),
                reason,
                at: snapshot.at,
            })
            .await?;
        }
        self.snapshot(&snapshot).await?;
        Ok(follower)
    }

    /// Ends the subscription of a session that cannot be read any longer. For an erased one the client is told; other errors are returned.
    async fn over(&self, error: FeedError) -> Result<(), End> {
        let FeedError::Erased { .. } = error else {
            return Err(error.into());
        };
        self.frame(&ServerFrame::Closed {
            sub: Some(&self.ask.sub),
            r#final: true,
            outcome: "erased",
        })
        .await
    }

    async fn subscribed(&self, session: &SessionId, follower: &Follower) -> Result<(), End> {
        let head = self.app.feeds.version(&self.owner.stream(session)).await?;
        self.frame(&ServerFrame::Subscribed {
            sub: &self.ask.sub,
            from: follower.after(),
            head,
        })
        .await
    }

    async fn snapshot(&self, snapshot: &Snapshot) -> Result<(), End> {
        let sub = Some(self.ask.sub.as_str());
        self.frame(&ServerFrame::of_snapshot(sub, snapshot)).await
    }

    async fn frame(&self, frame: &ServerFrame<'_>) -> Result<(), End> {
        self.text(frame.to_text()).await
    }

    async fn text(&self, text: String) -> Result<(), End> {
        self.out
            .send(Out::Text {
                number: self.number,
                text,
            })
            .await
            .map_err(|_| End::Unheard)
    }
}

/// The next pieces of text; waits forever if the client wants no text.
pub(super) async fn next_pieces(deltas: &mut Option<DeltaFeed>) -> Vec<runner::Delta> {
    match deltas {
        Some(deltas) => deltas.next().await,
        None => std::future::pending().await,
    }
}
