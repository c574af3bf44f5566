//! The turn that is being made, and what it may do to its session.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use commands::{AdmitTurn, Command, Refusal};
use domain::hash::{Blob, Sha256};
use domain::{Actor, Session, StepId};
use store::{Log, ReadError, Standing, StreamId};
use tokio_util::sync::CancellationToken;

use super::{Applied, Hold, Pauses, Request, Sessions, Stop, blobs, persist};
use crate::error::SendError;
use crate::ports::{Limiter, TurnPlace};
use crate::waits::{WaitLine, WaitReason};

/// The turn of a step that is being made, with the way to its session.
#[derive(Clone, Copy)]
pub(crate) struct StepContext<'a> {
    pub(crate) sessions: &'a dyn Sessions,
    pub(crate) log: &'a dyn Log,
    pub(crate) stream: &'a StreamId,
    pub(crate) step: &'a StepId,
    pub(crate) attempt: u32,
    /// Counted from 0 in the attempt.
    pub(crate) turn: u32,
    /// Cancelled where the attempt is over or the engine stops.
    pub(crate) cancel: &'a CancellationToken,
    /// Cancelled then as well, and before that where nothing further is begun: waits end, and calls that are under way go on.
    pub(crate) halt: &'a CancellationToken,
    /// The claim on the step, where other processes may take it.
    pub(crate) hold: Option<&'a Hold>,
    /// Where the step says what it waits for.
    pub(crate) waits: WaitLine<'a>,
}

impl StepContext<'_> {
    /// The place of this turn.
    pub(crate) fn place(&self) -> TurnPlace {
        TurnPlace {
            owner: self.stream.owner.clone(),
            session: self.stream.session.clone(),
            step: self.step.clone(),
            attempt: self.attempt,
            turn: self.turn,
        }
    }

    /// The key under which this turn is paid for and spooled.
    pub(crate) fn key(&self) -> String {
        self.place().key()
    }

    /// The session as of now.
    pub(crate) async fn session(&self) -> Result<Arc<Session>, Stop> {
        Ok(self.sessions.session(self.stream).await?)
    }

    /// Bytes that the session's events name.
    pub(crate) async fn blob(&self, sha256: &Sha256) -> Result<Bytes, Stop> {
        let _waiting = self.waits.begin(WaitReason::Blob);
        Ok(blobs::blob(self.log, self.stream, sha256).await?)
    }

    /// Sends a command under a name that is the same each time it is sent.
    pub(crate) async fn send(&self, own_id: &str, command: Command) -> Result<Applied, SendError> {
        let request = Request::own(self.stream, own_id, command, Actor::system(), vec![]);
        let request = request.by(self.hold);
        self.sessions.process(self.stream, &request).await
    }

    /// Records that a call begins: sends the command until it is in the log.
    pub(crate) async fn persist_beginning(
        &self,
        own_id: &str,
        command: Command,
    ) -> Result<(), Stop> {
        let request = Request::own(self.stream, own_id, command, Actor::system(), vec![]);
        let request = request.by(self.hold);
        let _waiting = self.waits.begin(WaitReason::Log);
        persist(self.sessions, self.stream, &request, self.cancel).await?;
        Ok(())
    }

    /// Records what was paid for, even if the claim was lost: sends the command until it is in the log.
    pub(crate) async fn persist(
        &self,
        own_id: &str,
        command: Command,
        blobs: Vec<Blob>,
    ) -> Result<(), Stop> {
        let request = Request::own(self.stream, own_id, command, Actor::system(), blobs);
        let _waiting = self.waits.begin(WaitReason::Log);
        persist(self.sessions, self.stream, &request, self.cancel).await?;
        Ok(())
    }

    /// Whether another exchange may be made; waits while a person is asked about the budget.
    pub(crate) async fn admit(&self, try_number: u32) -> Result<(), Stop> {
        let Self {
            step,
            attempt,
            turn,
            halt,
            ..
        } = *self;
        let mut changes = self.log.watch_stream(self.stream);
        // One wait for the whole time: what else changes in the session does not make it a later one.
        let mut waiting = None;
        loop {
            let version = self.session().await?.version;
            let id = format!("admit:{step}:{attempt}:{turn}:{try_number}:{version}");
            let command = Command::AdmitTurn(AdmitTurn {
                step: step.clone(),
                attempt,
            });
            match self.send(&id, command).await {
                Ok(applied) if applied.events.is_empty() => return Ok(()),
                Ok(_) | Err(SendError::Refused(Refusal::BudgetUsedUp { .. })) => {}
                Err(error) => return Err(error.into()),
            }
            waiting.get_or_insert_with(|| self.waits.begin(WaitReason::Gate));
            tokio::select! {
                () = halt.cancelled() => return Err(Stop::Over),
                changed = changes.changed() => if changed.is_err() { return Err(Stop::Over) },
            }
        }
    }

    /// Whether a paid call may begin: the step must still be ours, and the turn must have no answer yet. A caller that has to wait checks
    /// this after all waiting; what happens between this check and the call cannot be prevented.
    pub(crate) async fn may_call(&self) -> Result<(), Stop> {
        let Some(hold) = self.hold else {
            return Ok(());
        };
        let mut pauses = Pauses::new();
        let waiting = self.waits.begin(WaitReason::Log);
        loop {
            match self.log.standing(self.stream, &hold.claim).await {
                Ok(Standing::Held) => break,
                Ok(Standing::Lost) => return Err(Stop::Over),
                // No other process took the step, so it is ours again once the lease is renewed.
                Ok(Standing::LeaseEnded) => {
                    match self.log.renew(&hold.claim.node, hold.lease).await {
                        Ok(_) => continue,
                        Err(error) => {
                            tracing::warn!(%error, step = %self.step, "a lease that has ended cannot be renewed yet");
                        }
                    }
                }
                Err(ReadError::Closed) => return Err(Stop::Over),
                Err(error) => {
                    tracing::warn!(%error, step = %self.step, "whether a call may begin cannot be read yet");
                }
            }
            pauses.rest(self.halt).await?;
        }
        drop(waiting);
        let session = self.session().await?;
        let run = session.run(self.step.run).ok_or(Stop::Over)?;
        let state = run.step(&self.step.stage, &self.step.item);
        let state = state.filter(|state| state.is_open() && state.attempt == self.attempt);
        let turn = state.ok_or(Stop::Over)?.turns.get(self.turn as usize);
        if turn.is_some_and(|turn| turn.answer.is_some()) {
            return Err(Stop::Again);
        }
        Ok(())
    }

    /// The result of a call, unless another process's answer to this turn comes first.
    pub(crate) async fn unless_overtaken<T>(
        &self,
        call: impl Future<Output = T>,
    ) -> Result<T, Stop> {
        match self.hold {
            Some(hold) => hold.unless_overtaken(self.turn, call).await,
            None => Ok(call.await),
        }
    }

    /// Waits for this reason, unless the attempt is over before.
    pub(crate) async fn rest(&self, pause: Duration, reason: WaitReason) -> Result<(), Stop> {
        let _waiting = self.waits.begin(reason);
        tokio::select! {
            () = self.halt.cancelled() => Err(Stop::Over),
            () = tokio::time::sleep(pause) => Ok(()),
        }
    }
    /// Waits before a provider is asked again. A pause that it wants, because it had too many calls, holds for everybody who asks this model.
    pub(crate) async fn rest_for_provider(
        &self,
        limiter: &Limiter,
        model: &str,
        had_too_many: bool,
        pause: Duration,
    ) -> Result<(), Stop> {
        if !had_too_many {
            return self.rest(pause, WaitReason::Retry).await;
        }
        limiter.hold_off(model, pause);
        self.rest(pause, WaitReason::Pause).await
    }
}
