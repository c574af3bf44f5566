//! The single fold of one wire of one session. It moves forward when a follower wants what comes next, and never on its own.

use std::collections::VecDeque;
use std::sync::Arc;

use domain::Recorded;
use projections::{AnyFold, Cursor, Frame, Parting};
use store::{Log, ReadError, StreamId};
use tokio::sync::{Mutex, watch};

use super::contents::{with_content, with_output};
use super::error::FeedError;
use super::limits::Limits;
use super::ring::Ring;

pub(super) struct Projector {
    log: Arc<dyn Log>,
    stream: StreamId,
    limits: Limits,
    /// The fold before the first event. A position older than every kept state is folded from here.
    blank: AnyFold,
    head: watch::Receiver<u64>,
    state: Mutex<State>,
}

struct State {
    fold: AnyFold,
    ring: Ring,
    kept: VecDeque<AnyFold>,
    keep_every: u64,
    /// The value of the head's watch before the last read: while it is the same, the session has not been erased.
    read_at: Option<u64>,
    /// Whether that read found everything that was recorded: until the watch changes, there is nothing to read.
    drained: bool,
    /// Set if the session was erased: the frames that close what was open then. Nothing else of the session is kept.
    partings: Option<Vec<Parting>>,
}

/// What there is after a cursor.
pub(super) enum After {
    /// At least one.
    Frames(Vec<Frame>),
    /// Nothing; everything up to here was seen.
    Nothing(Cursor),
    /// Something that is no longer in memory. The follower has to fold on from this state.
    Cold(Box<AnyFold>),
}

impl Projector {
    pub(super) fn new(log: Arc<dyn Log>, stream: StreamId, blank: AnyFold, limits: Limits) -> Self {
        let state = State::new(&blank, &limits);
        let head = log.watch_stream(&stream);
        Self {
            log,
            stream,
            limits,
            blank,
            head,
            state: Mutex::new(state),
        }
    }

    pub(super) fn wire_version(&self) -> u32 {
        self.blank.wire_version()
    }

    pub(super) fn limits(&self) -> &Limits {
        &self.limits
    }

    /// A watch that changes when the session gets a new version.
    pub(super) fn watch(&self) -> watch::Receiver<u64> {
        self.log.watch_stream(&self.stream)
    }

    /// Reads what is new in the log, and so checks that the session may still be shown.
    pub(super) async fn look(&self) -> Result<(), FeedError> {
        let mut state = self.state.lock().await;
        state.read_at = None;
        self.check(&mut state).await
    }

    /// Reads everything recorded by now and gives the cursor behind it.
    pub(super) async fn head(&self) -> Result<Cursor, FeedError> {
        let mut state = self.state.lock().await;
        state.read_at = None;
        while self.advance(&mut state).await? {}
        Ok(state.fold.at())
    }

    /// What comes after a cursor. `look` asks the log even though no wakeup came.
    ///
    /// # Errors
    ///
    /// [`FeedError::Erased`] as soon as the log says so, whatever is in memory still.
    pub(super) async fn after(&self, cursor: Cursor, look: bool) -> Result<After, FeedError> {
        let mut state = self.state.lock().await;
        if look {
            state.read_at = None;
        }
        self.check(&mut state).await?;
        loop {
            if !state.ring.covers(cursor) {
                let nearest = state
                    .kept
                    .iter()
                    .rev()
                    .find(|kept| kept.at() <= cursor)
                    .unwrap_or(&self.blank);
                return Ok(After::Cold(Box::new(nearest.clone())));
            }
            let frames = state.ring.batch(cursor, &self.limits);
            if !frames.is_empty() {
                return Ok(After::Frames(frames));
            }
            if !self.advance(&mut state).await? {
                return Ok(After::Nothing(state.fold.at()));
            }
        }
    }

    /// Behaves as if the log's watch had not changed since the last read.
    #[cfg(test)]
    pub(super) fn miss_wakeup(&self) {
        let mut state = self.state.try_lock().expect("nobody reads");
        state.read_at = Some(*self.head.borrow());
    }

    /// Whether what comes after this cursor is in memory.
    pub(super) async fn covers(&self, cursor: Cursor) -> Result<bool, FeedError> {
        let mut state = self.state.lock().await;
        self.check(&mut state).await?;
        Ok(state.ring.covers(cursor))
    }

    /// Drops everything that was folded, because the session was erased.
    pub(super) async fn forget(&self) {
        self.state.lock().await.forget(&self.blank, &self.limits);
    }

    /// For an erased session, the frames that close what its clients saw begin.
    pub(super) async fn partings(&self) -> Vec<Parting> {
        self.state.lock().await.partings.clone().unwrap_or_default()
    }

    /// Checks that the session may still be shown. Memory cannot show this, so the log is read if something was recorded since the last
    /// read.
    async fn check(&self, state: &mut State) -> Result<(), FeedError> {
        if state.read_at == Some(*self.head.borrow()) {
            return Ok(());
        }
        self.advance(state).await.map(drop)
    }

    /// Folds one more page and returns whether it had events. Nothing is changed before the page has been read, so that a caller may be
    /// cancelled while it waits.
    async fn advance(&self, state: &mut State) -> Result<bool, FeedError> {
        let told = *self.head.borrow();
        if state.drained && state.read_at == Some(told) {
            return Ok(false);
        }
        let page = match self.page(state.fold.version()).await {
            Ok(page) => page,
            Err(error) => {
                if let FeedError::Erased { .. } = error {
                    state.forget(&self.blank, &self.limits);
                }
                return Err(error);
            }
        };
        for recorded in &page {
            for frame in state.fold.push(recorded) {
                state.ring.push(frame);
            }
            state.keep(self.limits.snapshots_kept);
        }
        state.read_at = Some(told);
        state.drained = page.len() < self.limits.page_events;
        Ok(!page.is_empty())
    }

    /// The events after a version, as the wire wants them; none where the session has not begun.
    pub(super) async fn page(&self, after: u64) -> Result<Vec<Arc<Recorded>>, FeedError> {
        match self
            .log
            .read(&self.stream, after, self.limits.page_events)
            .await
        {
            Ok(page) => Ok(self.with_contents(page).await?),
            Err(ReadError::NoStream { .. }) => Ok(vec![]),
            Err(error) => Err(error.into()),
        }
    }

    async fn with_contents(
        &self,
        mut page: Vec<Arc<Recorded>>,
    ) -> Result<Vec<Arc<Recorded>>, ReadError> {
        if self.blank.holds_contents() {
            for recorded in &mut page {
                *recorded = with_content(self.log.as_ref(), &self.stream, recorded).await?;
            }
        }
        if self.blank.holds_outputs() {
            for recorded in &mut page {
                *recorded = with_output(self.log.as_ref(), &self.stream, recorded).await?;
            }
        }
        Ok(page)
    }
}

impl State {
    fn new(blank: &AnyFold, limits: &Limits) -> Self {
        Self {
            fold: blank.clone(),
            ring: Ring::new(limits.ring_bytes, Cursor::start(blank.wire_version())),
            kept: VecDeque::new(),
            keep_every: limits.snapshot_every,
            read_at: None,
            drained: false,
            partings: None,
        }
    }

    fn forget(&mut self, blank: &AnyFold, limits: &Limits) {
        let partings = self.partings.take();
        let partings = partings.unwrap_or_else(|| self.fold.partings());
        *self = Self {
            partings: Some(partings),
            ..Self::new(blank, limits)
        };
    }

    fn keep(&mut self, most: usize) {
        if !self.fold.version().is_multiple_of(self.keep_every) {
            return;
        }
        self.kept.push_back(self.fold.clone());
        if self.kept.len() > most {
            self.keep_every *= 2;
            let every = self.keep_every;
            self.kept
                .retain(|kept| kept.version().is_multiple_of(every));
        }
    }
}
