//! The log as one process has it: the log of all processes, behind a connection that loses acknowledgements, refuses and stands still.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use chrono::{DateTime, Utc};
use domain::event::{Event, GateEvent, StepEvent};
use domain::hash::{Blob, Sha256};
use domain::{ArtifactId, EventId, Recorded, SessionId};
use store::{
    AnchorReport, Append, AppendError, AppendFailure, Claim, CommandId, Committed, Deadline, Forks,
    Hits, IndexChange, IndexState, Log, Node, NodeId, OpenStep, Page, Provenance, ReadError,
    Renewal, SessionLine, SignedReport, Standing, Steps, Storage, StreamId, Tail, VerifyOptions,
    VerifyReport, Whose,
};
use tokio::runtime::Handle;
use tokio::sync::watch;

use super::world::{Bug, World};

/// The longest that a request is on its way, in microseconds.
const ON_THE_WAY_MAX: u64 = 4_000;

/// The longest, in milliseconds, that an append comes after its caller was told that it failed.
const LATE_MAX: u64 = 400;

/// The log as one process has it.
pub struct FaultyLog {
    pub log: Arc<dyn Log>,
    pub world: Arc<World>,
    /// Where the database works.
    pub outside: Handle,
    /// Which process.
    pub process: usize,
    /// By how many microseconds the clock of the process is wrong. With each renewal of its lease the clock is set by the time of
    /// the log; a clock that is given to an engine does not do so by itself.
    pub wrong_by: Arc<AtomicI64>,
}

/// What becomes of an append.
enum Fate {
    Done,
    Refused,
    Lost,
    Late,
}

impl FaultyLog {
    /// A request goes to the database, which may stand still.
    async fn request(&self) {
        self.world.happens();
        let (pauses, micros) = self
            .world
            .draw(|rng| (rng.chance(300), rng.below(ON_THE_WAY_MAX)));
        if pauses {
            tokio::time::sleep(Duration::from_micros(micros)).await;
        }
        let mut stalled = self.world.stalled.subscribe();
        // The sender lives as long as the simulation.
        let _ = stalled.wait_for(|stalled| !stalled).await;
        self.world.happens();
    }

    async fn reading(&self) -> Result<(), ReadError> {
        self.request().await;
        let rate = self.world.rates().unread;
        if self.world.draw(|rng| rng.chance(rate)) {
            return Err(ReadError::Storage(failure("reading")));
        }
        Ok(())
    }

    async fn fate(&self) -> Fate {
        self.request().await;
        let rates = self.world.rates();
        let drawn = self.world.draw(|rng| rng.below(1000));
        if drawn < rates.refused {
            Fate::Refused
        } else if drawn < rates.refused + rates.lost {
            Fate::Lost
        } else if drawn < rates.refused + rates.lost + rates.late {
            Fate::Late
        } else {
            Fate::Done
        }
    }

    fn noted(&self, streams: &[StreamId], done: &[Committed], asked_at: i64) {
        self.world.happens();
        for (stream, committed) in streams.iter().zip(done) {
            self.world.committed(stream, committed, asked_at);
        }
    }

    /// The acknowledgement of an append that is never made.
    fn pretended(&self, append: &Append) -> Committed {
        let first = *self.log.head().borrow() + 1;
        let recorded = append.events.iter().zip(1..).map(|(event, place)| {
            Arc::new(Recorded {
                position: first + place - 1,
                version: append.expected + place,
                event_id: EventId::default(),
                recorded_at: DateTime::UNIX_EPOCH,
                actor: append.actor.clone(),
                event: event.clone(),
            })
        });
        let events = append.events.len() as u64;
        Committed {
            first,
            last: first + events - 1,
            version: append.expected + events,
            duplicate: false,
            reused: false,
            recorded: recorded.collect(),
        }
    }

    /// An answer to a gate goes into the log although the session has moved on.
    async fn forced(&self, append: Append) -> Result<Vec<Committed>, AppendError> {
        match self.log.append_atomic(vec![append.clone()]).await {
            Err(AppendError::Conflict { actual, .. }) => {
                let append = Append {
                    expected: actual,
                    ..append
                };
                self.log.append_atomic(vec![append]).await
            }
            other => other,
        }
    }

    /// Takes those steps out of an acknowledgement that no process is to be told of.
    fn hidden(&self, stream: &StreamId, committed: &mut Committed) {
        committed.recorded.retain(|recorded| {
            let Event::Step(StepEvent::StepRequested(requested)) = &recorded.event else {
                return true;
            };
            let hides = self.world.errs(Bug::DroppedWakeUp);
            if hides {
                self.world.hide(stream, &requested.step);
            }
            !hides
        });
    }

    fn seen(&self, mut open: Vec<OpenStep>) -> Vec<OpenStep> {
        open.retain(|open| !self.world.is_hidden(&open.stream, &open.step));
        open
    }

    /// Appends as this process's log does it, with the mistakes that it makes on purpose.
    async fn append_all(&self, mut appends: Vec<Append>) -> Result<Vec<Committed>, AppendError> {
        let answers = |append: &Append| {
            let mut events = append.events.iter();
            events.any(|event| matches!(event, Event::Gate(GateEvent::AnswerGiven(_))))
        };
        match self.world.bug {
            Some(Bug::EarlyAcknowledgement) if appends.len() == 1 => {
                if self.world.errs(Bug::EarlyAcknowledgement) {
                    self.world.note("an append is acknowledged and not made");
                    return Ok(vec![self.pretended(&appends[0])]);
                }
            }
            Some(Bug::GateAnsweredTwice) if appends.len() == 1 && answers(&appends[0]) => {
                return self.forced(appends.remove(0)).await;
            }
            Some(_) | None => {}
        }
        if self.world.bug == Some(Bug::SkippedClaim) {
            for append in &mut appends {
                append.claim = None;
            }
        }
        let streams: Vec<StreamId> = appends.iter().map(|it| it.stream.clone()).collect();
        let mut done = self.log.append_atomic(appends).await?;
        if self.world.bug == Some(Bug::DroppedWakeUp) {
            for (stream, committed) in streams.iter().zip(&mut done) {
                self.hidden(stream, committed);
            }
        }
        Ok(done)
    }

    async fn all(&self, appends: Vec<Append>) -> Result<Vec<Committed>, AppendError> {
        let asked_at = self.world.now();
        let streams: Vec<StreamId> = appends.iter().map(|append| append.stream.clone()).collect();
        let what = || {
            let kinds = appends.iter().flat_map(|append| &append.events);
            let kinds: Vec<String> = kinds.map(|event| event.name().to_owned()).collect();
            format!(
                "p{} {} {}",
                self.process,
                streams[0].session,
                kinds.join(" ")
            )
        };
        match self.fate().await {
            Fate::Done => {
                let said = what();
                let done = self.append_all(appends).await;
                if let Ok(done) = &done {
                    self.noted(&streams, done, asked_at);
                    let again = if done[0].duplicate {
                        " (was there)"
                    } else {
                        ""
                    };
                    self.world.note(format!("append {said}{again}"));
                }
                done
            }
            Fate::Refused => {
                self.world.note(format!("append refused: {}", what()));
                Err(failure("appending").into())
            }
            Fate::Lost => {
                self.world.note(format!("acknowledgement lost: {}", what()));
                let done = self.log.append_atomic(appends).await?;
                self.noted(&streams, &done, asked_at);
                Err(failure("appending").into())
            }
            Fate::Late => {
                self.world.note(format!("append comes late: {}", what()));
                let (log, world) = (Arc::clone(&self.log), Arc::clone(&self.world));
                let pause = self.world.draw(|rng| rng.below(LATE_MAX));
                self.outside.spawn(async move {
                    tokio::time::sleep(Duration::from_millis(pause)).await;
                    if let Ok(done) = log.append_atomic(appends).await {
                        for (stream, committed) in streams.iter().zip(&done) {
                            world.committed(stream, committed, asked_at);
                        }
                    }
                });
                Err(failure("appending").into())
            }
        }
    }
}

fn failure(doing: &'static str) -> Storage {
    Storage::new(doing, "the connection was lost", "try again")
}

#[async_trait]
impl Log for FaultyLog {
    async fn append(&self, append: Append) -> Result<Committed, AppendError> {
        let mut done = self.all(vec![append]).await?;
        done.pop().ok_or(AppendError::Empty)
    }

    async fn append_atomic(&self, appends: Vec<Append>) -> Result<Vec<Committed>, AppendError> {
        self.all(appends).await
    }

    fn append_failure(&self) -> Option<AppendFailure> {
        self.log.append_failure()
    }

    async fn find_command(
        &self,
        stream: &StreamId,
        command: &CommandId,
        content: Option<Sha256>,
    ) -> Result<Option<Committed>, ReadError> {
        self.reading().await?;
        self.log.find_command(stream, command, content).await
    }

    async fn read(
        &self,
        stream: &StreamId,
        after: u64,
        limit: usize,
    ) -> Result<Vec<Arc<Recorded>>, ReadError> {
        self.reading().await?;
        self.log.read(stream, after, limit).await
    }

    async fn provenance(
        &self,
        stream: &StreamId,
        version: u64,
    ) -> Result<Option<Provenance>, ReadError> {
        self.reading().await?;
        self.log.provenance(stream, version).await
    }

    async fn version(&self, stream: &StreamId) -> Result<Option<u64>, ReadError> {
        self.reading().await?;
        self.log.version(stream).await
    }

    async fn read_all(&self, after: u64, limit: usize) -> Result<Page, ReadError> {
        self.reading().await?;
        self.log.read_all(after, limit).await
    }

    fn head(&self) -> watch::Receiver<u64> {
        self.log.head()
    }

    fn watch_stream(&self, stream: &StreamId) -> watch::Receiver<u64> {
        self.log.watch_stream(stream)
    }

    fn tail(&self, after: u64) -> Tail {
        self.log.tail(after)
    }

    async fn put_blob(&self, stream: &StreamId, blob: Blob) -> Result<(), AppendError> {
        match self.fate().await {
            Fate::Refused | Fate::Late => Err(failure("appending").into()),
            Fate::Lost => {
                self.log.put_blob(stream, blob).await?;
                Err(failure("appending").into())
            }
            Fate::Done => self.log.put_blob(stream, blob).await,
        }
    }

    async fn get_blob(
        &self,
        stream: &StreamId,
        sha256: &Sha256,
    ) -> Result<Option<Bytes>, ReadError> {
        self.reading().await?;
        self.log.get_blob(stream, sha256).await
    }

    async fn open_steps(&self, which: Steps) -> Result<Vec<OpenStep>, ReadError> {
        self.reading().await?;
        Ok(self.seen(self.log.open_steps(which).await?))
    }

    async fn now(&self) -> Result<DateTime<Utc>, ReadError> {
        self.reading().await?;
        self.log.now().await
    }

    async fn renew(&self, node: &NodeId, lease: Duration) -> Result<Renewal, AppendError> {
        match self.fate().await {
            Fate::Refused | Fate::Late => Err(failure("renewing a lease").into()),
            Fate::Lost => {
                self.log.renew(node, lease).await?;
                Err(failure("renewing a lease").into())
            }
            Fate::Done => {
                let mut renewal = self.log.renew(node, lease).await?;
                // Whoever is told that the lease had ended asks which claims still stand.
                renewal.had_ended &= self.world.bug != Some(Bug::SkippedClaim);
                self.wrong_by.store(0, Ordering::Relaxed);
                Ok(renewal)
            }
        }
    }

    async fn take_over(&self, node: &NodeId, whose: Whose) -> Result<Vec<OpenStep>, AppendError> {
        let fate = self.fate().await;
        if matches!(fate, Fate::Refused | Fate::Late) {
            return Err(failure("taking over").into());
        }
        let taken = self.seen(self.log.take_over(node, whose).await?);
        let is_lost = matches!(fate, Fate::Lost);
        if !taken.is_empty() {
            let told = if is_lost { " and is not told" } else { "" };
            let (process, steps) = (self.process, taken.len());
            self.world
                .note(format!("p{process} takes {steps} over{told}"));
        }
        if is_lost {
            return Err(failure("taking over").into());
        }
        Ok(taken)
    }

    async fn has_free_steps(&self) -> Result<bool, ReadError> {
        self.reading().await?;
        self.log.has_free_steps().await
    }

    async fn hand_back(&self, node: &NodeId) -> Result<(), AppendError> {
        match self.fate().await {
            Fate::Refused | Fate::Late => Err(failure("handing back").into()),
            Fate::Lost => {
                self.log.hand_back(node).await?;
                Err(failure("handing back").into())
            }
            Fate::Done => self.log.hand_back(node).await,
        }
    }

    async fn release(&self, stream: &StreamId, claim: &Claim) -> Result<(), AppendError> {
        match self.fate().await {
            Fate::Refused | Fate::Late => Err(failure("releasing a step").into()),
            Fate::Lost => {
                self.log.release(stream, claim).await?;
                Err(failure("releasing a step").into())
            }
            Fate::Done => self.log.release(stream, claim).await,
        }
    }

    async fn standing(&self, stream: &StreamId, claim: &Claim) -> Result<Standing, ReadError> {
        if self.world.bug == Some(Bug::SkippedClaim) {
            return Ok(Standing::Held);
        }
        self.reading().await?;
        self.log.standing(stream, claim).await
    }

    async fn nodes(&self) -> Result<Vec<Node>, ReadError> {
        self.reading().await?;
        self.log.nodes().await
    }

    async fn due_deadlines(
        &self,
        now: DateTime<Utc>,
        limit: usize,
    ) -> Result<Vec<Deadline>, ReadError> {
        self.reading().await?;
        self.log.due_deadlines(now, limit).await
    }

    async fn next_deadline(&self) -> Result<Option<DateTime<Utc>>, ReadError> {
        self.reading().await?;
        self.log.next_deadline().await
    }

    async fn sessions(
        &self,
        owner: &str,
        before: Option<u64>,
        limit: usize,
    ) -> Result<Vec<SessionLine>, ReadError> {
        self.reading().await?;
        self.log.sessions(owner, before, limit).await
    }

    async fn streams(&self, owner: &str, prefix: &str) -> Result<Vec<SessionId>, ReadError> {
        self.reading().await?;
        self.log.streams(owner, prefix).await
    }

    async fn find_artifact(
        &self,
        owner: &str,
        artifact: &ArtifactId,
    ) -> Result<Option<(StreamId, u64)>, ReadError> {
        self.reading().await?;
        self.log.find_artifact(owner, artifact).await
    }

    async fn find_artifact_by_prefix(
        &self,
        owner: &str,
        prefix: &str,
    ) -> Result<Option<ArtifactId>, ReadError> {
        self.reading().await?;
        self.log.find_artifact_by_prefix(owner, prefix).await
    }

    async fn forks_of(&self, stream: &StreamId) -> Result<Vec<SessionId>, ReadError> {
        self.reading().await?;
        self.log.forks_of(stream).await
    }

    async fn erase(&self, append: Append, forks: Forks) -> Result<Vec<Committed>, AppendError> {
        match self.fate().await {
            Fate::Refused | Fate::Late => Err(failure("erasing").into()),
            Fate::Lost => {
                self.log.erase(append, forks).await?;
                Err(failure("erasing").into())
            }
            Fate::Done => self.log.erase(append, forks).await,
        }
    }

    async fn settle(&self, stream: Option<&StreamId>) -> Result<(), AppendError> {
        self.log.settle(stream).await
    }

    async fn index_state(&self, stream: &StreamId) -> Result<Option<IndexState>, ReadError> {
        self.reading().await?;
        self.log.index_state(stream).await
    }

    async fn index(&self, change: IndexChange) -> Result<Option<IndexState>, AppendError> {
        self.request().await;
        self.log.index(change).await
    }

    async fn search(
        &self,
        stream: &StreamId,
        any: &[Vec<String>],
        limit: usize,
    ) -> Result<Hits, ReadError> {
        self.reading().await?;
        self.log.search(stream, any, limit).await
    }

    async fn anchor(&self) -> Result<AnchorReport, ReadError> {
        self.log.anchor().await
    }

    async fn signed_heads(&self) -> Result<SignedReport, ReadError> {
        self.log.signed_heads().await
    }

    async fn verify_with(&self, options: VerifyOptions) -> Result<VerifyReport, ReadError> {
        self.log.verify_with(options).await
    }

    /// A process that ends leaves the log to the others.
    async fn close(&self) {}
}
