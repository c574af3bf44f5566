//! What an operator looks at: what everything cost, and whether the log is as it was written. The costs are summed up from the whole log,
//! beginning when somebody first asks for them, and are kept up to date from then on.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockWriteGuard, Weak};
use std::time::Duration;

use chrono::{DateTime, Utc};
use projections::ledger::{CostRow, Ledger};
use runner::clock::Clock;
use store::{Log, StreamId, VerifyReport, panics};
use tokio::sync::watch;

use crate::error::ApiError;
use crate::feed::reference;

/// Events read at a time: some megabytes.
const PAGE_EVENTS: usize = 2_000;

/// How long a request waits for the sums to catch up; after that it is told how far they are behind.
const PATIENCE: Duration = Duration::from_millis(500);

/// How long after an error reading is tried again.
const AGAIN_AFTER: Duration = Duration::from_secs(5);

/// What the server knows of itself. Shared by all handlers.
pub struct Operations {
    log: Arc<dyn Log>,
    clock: Clock,
    pub started_at: DateTime<Utc>,
    ledger: Arc<Folded>,
    follows: AtomicBool,
    verified: Arc<Mutex<Verified>>,
}

struct Folded {
    ledger: RwLock<Ledger>,
    /// The position in the log up to which the sums are complete.
    position: watch::Sender<u64>,
}

impl Folded {
    /// Ignores the poison of a panic in the middle of adding up: `follow` then begins the sums anew, so that no half-done sum is used.
    fn write(&self) -> RwLockWriteGuard<'_, Ledger> {
        let ledger = self.ledger.write();
        ledger.unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Default)]
struct Verified {
    running: bool,
    last: Option<Verification>,
}

/// A finished verification: when it ended, and what it found, or why the log could not be read.
#[derive(Clone, Debug)]
pub struct Verification {
    pub at: DateTime<Utc>,
    pub found: Result<VerifyReport, String>,
}

impl Operations {
    pub fn new(log: Arc<dyn Log>, clock: Clock) -> Self {
        Self {
            started_at: clock.now(),
            log,
            clock,
            ledger: Arc::new(Folded {
                ledger: RwLock::default(),
                position: watch::Sender::new(0),
            }),
            follows: AtomicBool::new(false),
            verified: Arc::default(),
        }
    }

    /// How many positions the sums are behind the log, after a short wait for them to catch up.
    pub async fn behind(&self) -> u64 {
        if !self.follows.swap(true, Ordering::Relaxed) {
            let (log, ledger) = (Arc::clone(&self.log), Arc::downgrade(&self.ledger));
            let begin = move || follow(Arc::clone(&log), Weak::clone(&ledger));
            panics::keep_alive("ledger", begin);
        }
        let head = *self.log.head().borrow();
        let mut position = self.ledger.position.subscribe();
        let caught_up = position.wait_for(|position| *position >= head);
        // If the time runs out, the sums are as far as they could get.
        drop(tokio::time::timeout(PATIENCE, caught_up).await);
        head.saturating_sub(*self.ledger.position.borrow())
    }

    /// What an owner's sessions spent, as far as it was added up.
    pub fn costs(&self, owner: &str) -> Vec<CostRow> {
        self.read(|ledger| ledger.costs(owner))
    }

    /// What a session spent, as far as it was added up.
    pub fn spent(&self, stream: &StreamId) -> u64 {
        self.read(|ledger| ledger.spent(&reference(stream)))
    }

    fn read<T>(&self, look: impl FnOnce(&Ledger) -> T) -> T {
        let ledger = self.ledger.ledger.read();
        look(&ledger.unwrap_or_else(PoisonError::into_inner))
    }

    /// The position of the log's last event.
    pub fn head(&self) -> u64 {
        *self.log.head().borrow()
    }

    /// Whether the log is being verified, and the result of the last verification.
    pub fn verification(&self) -> (bool, Option<Verification>) {
        let verified = self.verified.lock();
        let verified = verified.expect("nobody panics while holding it");
        (verified.running, verified.last.clone())
    }

    /// Verifies the log in the background, from its beginning. Returns false, without a second verification, while one is under way.
    pub fn verify(&self) -> bool {
        {
            let verified = self.verified.lock();
            let mut verified = verified.expect("nobody panics while holding it");
            if std::mem::replace(&mut verified.running, true) {
                return false;
            }
        }
        let (log, clock) = (Arc::clone(&self.log), self.clock.clone());
        let verified = Arc::clone(&self.verified);
        tokio::spawn(async move {
            let report = log.verify(0).await;
            if let Err(error) = &report {
                tracing::error!(%error, "the log could not be verified");
            }
            let found = report.map_err(|error| ApiError::from(error).error.message);
            let at = clock.now();
            let mut verified = verified.lock().expect("nobody panics while holding it");
            verified.running = false;
            verified.last = Some(Verification { at, found });
        });
        true
    }
}

/// Adds up what is recorded, from the beginning of the log, until the server is gone.
async fn follow(log: Arc<dyn Log>, folded: Weak<Folded>) {
    let mut head = log.head();
    let mut position = 0;
    if let Some(folded) = folded.upgrade() {
        *folded.write() = Ledger::default();
        folded.position.send_replace(position);
    }
    loop {
        let page = log.read_all(position, PAGE_EVENTS).await;
        let Some(folded) = folded.upgrade() else {
            return;
        };
        match page {
            Ok(page) if page.scanned_to > position => {
                let mut ledger = folded.write();
                for (stream, recorded) in &page.events {
                    ledger.push(&reference(stream), recorded);
                }
                position = page.scanned_to;
                folded.position.send_replace(position);
            }
            Ok(_) => {
                drop(folded);
                if head.changed().await.is_err() {
                    return;
                }
            }
            Err(error) => {
                tracing::warn!(%error, "costs are not added up");
                drop(folded);
                tokio::time::sleep(AGAIN_AFTER).await;
            }
        }
    }
}
