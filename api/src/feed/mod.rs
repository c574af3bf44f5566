//! Following sessions: one projector for each (session, wire) folds once, and everybody who follows shares what it folded.
//!
//! A connection holds a [`Follower`], which is a cursor and a filter. The follower pulls batches from the projector and then waits on a
//! watch of its session's head. Nothing is pushed into queues, so that a slow reader takes no memory beyond its cursor.

mod admission;
mod contents;
mod error;
mod filter;
mod follower;
mod limits;
mod overview;
mod projector;
mod registry;
mod ring;
#[cfg(test)]
mod tests;

use std::sync::{Arc, Weak};

use projections::{AnyOverview, Cursor, SessionRef, Wires};
use runner::Engine;
use store::panics;
use store::{Log, StreamId};

pub use admission::{Admission, TooManyConnections};
pub use contents::{CONTENT_BYTES_MAX, OUTPUT_BYTES_MAX, with_content, with_output};
pub use error::FeedError;
pub use filter::Filter;
pub use follower::{Batch, Follower};
pub use limits::Limits;

use admission::Admissions;
use overview::Overview;
use projector::Projector;
use registry::Registry;

/// Where a follower begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// Before the first frame.
    Beginning,
    /// After what has been recorded by now.
    Now,
    /// After this frame.
    After(Cursor),
}

impl Start {
    /// After everything before this version of a session, for a wire of this version.
    pub fn before_version(wire_version: u32, version: u64) -> Self {
        if version <= 1 {
            return Self::Beginning;
        }
        Self::After(Cursor {
            wire_version,
            version: version - 1,
            sub: u32::MAX,
        })
    }
}

/// Why following cannot continue from a cursor: the client has to be given a snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reset {
    /// Another version of the wire cut the events into frames when the cursor was given out.
    ForeignVersion,
    /// The session has fewer events than the cursor says; the cursor belongs to another log.
    AheadOfHead,
}

impl Reset {
    /// For programs; stable.
    pub fn code(self) -> &'static str {
        match self {
            Self::ForeignVersion => "foreign_version",
            Self::AheadOfHead => "ahead_of_head",
        }
    }
}

/// The name of a stream's session in projections.
pub fn reference(stream: &StreamId) -> SessionRef {
    SessionRef {
        owner: stream.owner.to_string(),
        session: stream.session.clone(),
    }
}

/// Everything that is followed in this process.
pub struct Feeds {
    shared: Arc<Shared>,
    admissions: Admissions,
}

struct Shared {
    log: Arc<dyn Log>,
    wires: Wires,
    limits: Limits,
    projectors: Registry<(StreamId, &'static str), Projector>,
    overviews: Registry<(StreamId, &'static str), Overview>,
}

impl Feeds {
    /// Feeds from the log of an engine. Call it within a runtime, because it starts a task that drops what nobody follows.
    pub fn new(engine: &Engine, wires: Wires) -> Self {
        Self::over(Arc::clone(engine.log()), wires, Limits::default())
    }

    /// Feeds from a log.
    pub fn over(log: Arc<dyn Log>, wires: Wires, limits: Limits) -> Self {
        let shared = Shared {
            log,
            wires,
            limits,
            projectors: Registry::new(),
            overviews: Registry::new(),
        };
        let shared = Arc::new(shared);
        let swept = Arc::downgrade(&shared);
        // The task ends when the feeds are dropped.
        panics::keep_alive("feed_sweep", move || sweep(swept.clone(), limits));
        Self {
            shared,
            admissions: Admissions::default(),
        }
    }

    /// Follows a session on a wire. Gives `Ok(Err(reset))` if following cannot continue from the cursor.
    pub async fn follow(
        &self,
        stream: &StreamId,
        wire: &str,
        start: Start,
        filter: Filter,
    ) -> Result<Result<Follower, Reset>, FeedError> {
        let Some(head) = self.shared.log.version(stream).await? else {
            return Err(FeedError::NoSession {
                session: stream.session.to_string(),
            });
        };
        self.follow_from(stream, wire, start, filter, head).await
    }

    /// The same for a session that may not have begun yet: the follower waits for it.
    pub async fn await_session(
        &self,
        stream: &StreamId,
        wire: &str,
        start: Start,
        filter: Filter,
    ) -> Result<Result<Follower, Reset>, FeedError> {
        let head = self.shared.log.version(stream).await?.unwrap_or(0);
        self.follow_from(stream, wire, start, filter, head).await
    }

    async fn follow_from(
        &self,
        stream: &StreamId,
        wire: &str,
        start: Start,
        filter: Filter,
        head: u64,
    ) -> Result<Result<Follower, Reset>, FeedError> {
        let projector = self.projector(stream, wire)?;
        projector.look().await?;
        let after = match start {
            Start::Beginning => Cursor::start(projector.wire_version()),
            Start::Now => projector.head().await?,
            Start::After(cursor) if cursor.wire_version != projector.wire_version() => {
                return Ok(Err(Reset::ForeignVersion));
            }
            Start::After(cursor) if cursor.version > head => return Ok(Err(Reset::AheadOfHead)),
            Start::After(cursor) => cursor,
        };
        Ok(Ok(Follower::new(projector, filter, after)))
    }

    fn projector(&self, stream: &StreamId, wire: &str) -> Result<Arc<Projector>, FeedError> {
        let session = reference(stream);
        let fold = self.shared.wires.fold(wire, session)?;
        let key = (stream.clone(), fold.wire());
        let shared = &self.shared;
        let make = || Projector::new(Arc::clone(&shared.log), stream.clone(), fold, shared.limits);
        Ok(shared.projectors.get_or_insert(key, make))
    }

    /// The wires that can be followed.
    pub fn wires(&self) -> &Wires {
        &self.shared.wires
    }

    /// Calls a function with the overview that a client of this wire is given when it connects, as of its cursor; `None` if the wire has no
    /// overview. The overview of a session that does not exist is empty.
    pub async fn overview<T>(
        &self,
        stream: &StreamId,
        wire: &str,
        read: impl FnOnce(&AnyOverview) -> T,
    ) -> Result<Option<T>, FeedError> {
        let shared = &self.shared;
        let blank = shared.wires.overview(wire, reference(stream));
        let (Some(name), Some(blank)) = (shared.wires.name(wire), blank) else {
            return Ok(None);
        };
        let key = (stream.clone(), name);
        let make = || {
            let log = Arc::clone(&shared.log);
            Overview::new(log, stream.clone(), blank, shared.limits)
        };
        let overview = shared.overviews.get_or_insert(key, make);
        overview.read(read).await.map(Some)
    }

    /// Drops what was folded of an erased session. Its followers are told that it was erased.
    pub async fn forget(&self, stream: &StreamId) {
        let shared = &self.shared;
        shared.overviews.remove(|(of, _)| of == stream);
        for projector in shared.projectors.remove(|(of, _)| of == stream) {
            projector.forget().await;
        }
    }

    /// The last version of a session, 0 where there is none.
    pub async fn version(&self, stream: &StreamId) -> Result<u64, FeedError> {
        Ok(self.shared.log.version(stream).await?.unwrap_or(0))
    }

    /// Counts a connection of this owner until the returned value is dropped.
    pub fn admit(&self, owner: &str, most: usize) -> Result<Admission, TooManyConnections> {
        self.admissions.admit(owner, most)
    }

    #[cfg(test)]
    fn projectors(&self) -> usize {
        self.shared.projectors.len()
    }
}

/// Regularly drops what was not used since the last sweep.
async fn sweep(shared: Weak<Shared>, limits: Limits) {
    loop {
        tokio::time::sleep(limits.idle).await;
        let Some(shared) = shared.upgrade() else {
            return;
        };
        shared.projectors.sweep();
        shared.overviews.sweep();
    }
}
