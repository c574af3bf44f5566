//! A reader's place in a wire of a session.

use std::collections::VecDeque;
use std::sync::Arc;

use projections::{AnyFold, Cursor, Frame, Parting};
use tokio::sync::watch;

use super::error::FeedError;
use super::filter::Filter;
use super::projector::{After, Projector};
use super::ring::BatchSize;

/// What a follower is given.
#[derive(Clone, Debug, PartialEq)]
pub enum Batch {
    /// At least one frame.
    Frames(Vec<Frame>),
    /// Nothing more for now; everything up to here was given. Said once for each place.
    CaughtUp(Cursor),
}

/// A cursor and a filter. Dropping a call of [`Follower::next`] before it answers loses nothing.
pub struct Follower {
    projector: Arc<Projector>,
    filter: Filter,
    /// Everything up to here was given or filtered out.
    after: Cursor,
    /// The fold that gives frames which are no longer in memory.
    cold: Option<Cold>,
    head: watch::Receiver<u64>,
    /// The place that [`Batch::CaughtUp`] named last.
    told: Option<Cursor>,
    /// Whether to read the log although no wakeup came.
    look: bool,
}

/// A fold of the follower's own, used until it reaches the frames that the projector has in memory.
struct Cold {
    fold: AnyFold,
    pending: VecDeque<Frame>,
}

impl Follower {
    pub(super) fn new(projector: Arc<Projector>, filter: Filter, after: Cursor) -> Self {
        let head = projector.watch();
        Self {
            projector,
            filter,
            after,
            cold: None,
            head,
            told: None,
            look: false,
        }
    }

    /// The cursor after which the next batch begins.
    pub fn after(&self) -> Cursor {
        self.after
    }

    /// The frames that close what was open in the session, as far as the filter lets them pass. Use it after [`FeedError::Erased`]. These
    /// frames are in no log and have no cursor.
    pub async fn partings(&self) -> Vec<Parting> {
        let mut partings = self.projector.partings().await;
        partings.retain(|parting| self.filter.takes(parting.name));
        partings
    }

    /// Behaves as if the next wakeup had been lost.
    #[cfg(test)]
    pub(super) fn miss_wakeup(&mut self) {
        self.head = watch::channel(0).1;
        self.projector.miss_wakeup();
    }

    /// Waits for the next batch.
    pub async fn next(&mut self) -> Result<Batch, FeedError> {
        loop {
            // What is recorded from here on wakes us up, even if it is recorded while we read.
            self.head.borrow_and_update();
            match self.read().await? {
                Some(frames) if frames.is_empty() => {}
                Some(frames) => return Ok(Batch::Frames(frames)),
                None if self.told == Some(self.after) => self.wait().await,
                None => {
                    self.told = Some(self.after);
                    return Ok(Batch::CaughtUp(self.after));
                }
            }
        }
    }

    async fn wait(&mut self) {
        let recheck = self.projector.limits().recheck;
        match tokio::time::timeout(recheck, self.head.changed()).await {
            Ok(Ok(())) => {}
            // The log is being closed; reading it gives the error.
            Ok(Err(_)) => {
                tokio::time::sleep(recheck).await;
                self.look = true;
            }
            Err(_) => self.look = true,
        }
    }

    /// The next frames that pass the filter, which may be none of those that were read; `None` if there is nothing more to read.
    async fn read(&mut self) -> Result<Option<Vec<Frame>>, FeedError> {
        if self.cold.is_some() {
            return self.read_cold().await;
        }
        let found = self.projector.after(self.after, self.look).await?;
        self.look = false;
        match found {
            After::Frames(frames) => Ok(Some(self.give(frames))),
            After::Nothing(at) => {
                self.after = self.after.max(at);
                Ok(None)
            }
            After::Cold(fold) => {
                self.cold = Some(Cold {
                    fold: *fold,
                    pending: VecDeque::new(),
                });
                Ok(Some(vec![]))
            }
        }
    }

    async fn read_cold(&mut self) -> Result<Option<Vec<Frame>>, FeedError> {
        let Some(cold) = &mut self.cold else {
            return Ok(Some(vec![]));
        };
        // This is asked every time, because it also fails as soon as the session is erased.
        let met = self
            .projector
            .covers(self.after.max(cold.fold.at()))
            .await?;
        if cold.pending.is_empty() {
            // Every frame up to the position of this fold was given, so the cursor may move there.
            if met {
                self.after = self.after.max(cold.fold.at());
                self.cold = None;
                return Ok(Some(vec![]));
            }
            for recorded in self.projector.page(cold.fold.version()).await? {
                cold.pending.extend(cold.fold.push(&recorded));
            }
            let after = self.after;
            cold.pending.retain(|frame| frame.cursor > after);
        }
        let limits = self.projector.limits();
        let mut size = BatchSize::default();
        let mut frames = vec![];
        while let Some(frame) = cold
            .pending
            .pop_front_if(|frame| size.admits(frame, limits))
        {
            frames.push(frame);
        }
        Ok(Some(self.give(frames)))
    }

    /// Moves the cursor behind these frames and keeps those that pass the filter.
    fn give(&mut self, mut frames: Vec<Frame>) -> Vec<Frame> {
        if let Some(last) = frames.last() {
            self.after = last.cursor;
            self.told = None;
        }
        frames.retain(|frame| self.filter.takes(frame.name));
        frames
    }
}
