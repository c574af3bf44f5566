//! The one writer of this process. It takes all appends that are waiting, gives them their places and commits them at once. While one
//! commit runs, the appends for the next one gather: no append waits for a timer, and none has a commit of its own while others are
//! waiting.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use metrics::{Counter, Histogram};
use tokio::sync::{mpsc, oneshot};

use crate::backend::Table;
use crate::core::Core;
use crate::decide::{Batch, BatchLookups, Done, Refusal};
use crate::error::{AppendError, Storage};
use crate::ids::NodeId;
use crate::limits::{BATCH_APPENDS, BATCH_BYTES, QUEUE, QUEUE_BYTES};
use crate::prepare::Prepared;
use crate::records::{Claim, Whose};
use crate::rows::{EventRow, OwedRow, StepRow};
use crate::search::{IndexState, IndexWrites};

/// Appends that are done together or not at all, and who gets the answer.
pub(crate) struct Job {
    pub(crate) members: Vec<Prepared>,
    /// To be committed without others.
    pub(crate) alone: bool,
    queued: Instant,
    bytes: usize,
    reply: oneshot::Sender<Answer>,
}

/// What became of a job. The members are returned for two reasons: they can be prepared again where that helps, and the writer, for whom
/// everybody waits, does not spend time on dropping them.
pub(crate) struct Answer {
    pub(crate) outcome: Result<Vec<Done>, Refusal>,
    pub(crate) members: Vec<Prepared>,
}

pub(crate) enum Request {
    Append(Job),
    Renew {
        node: NodeId,
        /// In microseconds.
        lease: i64,
        /// The time, and the end that the lease had before.
        reply: oneshot::Sender<Result<(i64, Option<i64>), Storage>>,
    },
    TakeOver {
        node: NodeId,
        whose: Whose,
        reply: oneshot::Sender<Result<Vec<StepRow>, Storage>>,
    },
    HandBack {
        node: NodeId,
        /// The step of this claim alone, of the stream with this number.
        claim: Option<(i64, Claim)>,
        reply: oneshot::Sender<Result<(), Storage>>,
    },
    /// Whether nothing is left of deleted keys.
    ClearResidue {
        reply: oneshot::Sender<Result<bool, Storage>>,
    },
    Settle {
        done: Vec<OwedRow>,
        reply: oneshot::Sender<Result<(), Storage>>,
    },
    Index {
        writes: IndexWrites,
        reply: oneshot::Sender<Result<Option<IndexState>, Storage>>,
    },
    Close {
        reply: oneshot::Sender<()>,
    },
}

/// The way to the writer.
#[derive(Clone)]
pub(crate) struct Queue {
    requests: mpsc::Sender<Request>,
    waiting_bytes: Arc<AtomicUsize>,
}

impl Queue {
    /// Starts the writer.
    pub(crate) fn start(table: Box<dyn Table>, core: Arc<Core>) -> Self {
        let (requests, receiver) = mpsc::channel(QUEUE);
        let waiting_bytes = Arc::new(AtomicUsize::new(0));
        let apart = table.works_apart();
        let writer = Writer {
            table,
            core,
            meters: Meters::new(),
            waiting_bytes: waiting_bytes.clone(),
            events: vec![],
        };
        if apart {
            on_its_own_thread(writer.run(receiver));
        } else {
            tokio::spawn(writer.run(receiver));
        }
        Self {
            requests,
            waiting_bytes,
        }
    }

    /// Hands an append to the writer and waits for the outcome.
    pub(crate) async fn append(
        &self,
        members: Vec<Prepared>,
        alone: bool,
    ) -> Result<Answer, AppendError> {
        let bytes = members.iter().map(|member| member.bytes).sum();
        let waiting = self.waiting_bytes.fetch_add(bytes, Ordering::Relaxed);
        // A single large append goes into an empty queue whatever its size.
        if waiting > 0 && waiting + bytes > QUEUE_BYTES {
            self.waiting_bytes.fetch_sub(bytes, Ordering::Relaxed);
            return Err(busy());
        }
        let (reply, answer) = oneshot::channel();
        let job = Job {
            members,
            alone,
            queued: Instant::now(),
            bytes,
            reply,
        };
        if let Err(refused) = self.requests.try_send(Request::Append(job)) {
            self.waiting_bytes.fetch_sub(bytes, Ordering::Relaxed);
            return Err(match refused {
                mpsc::error::TrySendError::Full(_) => busy(),
                mpsc::error::TrySendError::Closed(_) => AppendError::Closed,
            });
        }
        answer.await.map_err(|_| AppendError::Closed)
    }

    pub(crate) async fn ask<T>(
        &self,
        request: impl FnOnce(oneshot::Sender<T>) -> Request,
    ) -> Result<T, AppendError> {
        let (reply, answer) = oneshot::channel();
        self.requests
            .send(request(reply))
            .await
            .map_err(|_| AppendError::Closed)?;
        answer.await.map_err(|_| AppendError::Closed)
    }
}

/// Everybody waits for the writer. On the shared runtime it would queue, after each of its statements, behind the hundreds of tasks that
/// prepare the next appends; so it has a thread of its own. There it may also block, as it does with SQLite.
fn on_its_own_thread(writer: impl Future<Output = ()> + Send + 'static) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("the operating system has resources for one more event loop");
    std::thread::Builder::new()
        .name("log-writer".to_owned())
        .spawn(move || runtime.block_on(writer))
        .expect("the operating system has resources for one more thread");
}

fn busy() -> AppendError {
    metrics::counter!("palimpsest_log_busy_total").increment(1);
    AppendError::Busy
}

struct Writer {
    table: Box<dyn Table>,
    core: Arc<Core>,
    meters: Meters,
    waiting_bytes: Arc<AtomicUsize>,
    /// An empty vector whose memory is reused for the events of each batch, so that it is not allocated anew each time.
    events: Vec<EventRow>,
}

/// The metrics of appends; each of them is looked up once.
struct Meters {
    queue_wait: Histogram,
    batch: Histogram,
    commit: Histogram,
    events: Counter,
}

impl Meters {
    fn new() -> Self {
        Self {
            queue_wait: metrics::histogram!("palimpsest_log_queue_wait_seconds"),
            batch: metrics::histogram!("palimpsest_log_batch_appends"),
            commit: metrics::histogram!("palimpsest_log_commit_seconds"),
            events: metrics::counter!("palimpsest_log_events_total"),
        }
    }

    fn count(&self, outcome: &Result<Vec<Done>, Refusal>) {
        match outcome {
            Ok(done) => {
                for one in done {
                    match one {
                        Done::Written(committed) => {
                            let events = committed.last + 1 - committed.first;
                            self.events.increment(events);
                        }
                        Done::Before(_) => {
                            metrics::counter!("palimpsest_log_duplicates_total").increment(1)
                        }
                    }
                }
            }
            Err(Refusal::Error(AppendError::Conflict { .. })) => {
                metrics::counter!("palimpsest_log_conflicts_total").increment(1);
            }
            Err(Refusal::Error(_) | Refusal::OtherKey | Refusal::TryAlone) => {}
        }
    }
}

impl Writer {
    async fn run(mut self, mut requests: mpsc::Receiver<Request>) {
        let mut next = None;
        loop {
            let request = match next.take() {
                Some(request) => request,
                None => match requests.recv().await {
                    Some(request) => request,
                    None => break,
                },
            };
            match request {
                Request::Append(job) => {
                    let mut jobs = vec![job];
                    next = drain(&mut requests, &mut jobs);
                    self.commit(jobs).await;
                }
                Request::Renew { node, lease, reply } => {
                    let clock = self.core.now();
                    let result = self.table.renew(&node.0, lease, clock).await;
                    self.answer(reply, result);
                }
                Request::TakeOver { node, whose, reply } => {
                    let clock = self.core.now();
                    let result = self.table.take_over(&node.0, whose, clock).await;
                    self.answer(reply, result);
                }
                Request::HandBack { node, claim, reply } => {
                    let result = self.table.hand_back(&node.0, claim).await;
                    self.answer(reply, result);
                }
                Request::ClearResidue { reply } => {
                    let result = self.table.clear_residue().await;
                    self.answer(reply, result);
                }
                Request::Settle { done, reply } => {
                    let result = self.table.settle(&done).await;
                    self.answer(reply, result);
                }
                Request::Index { writes, reply } => {
                    let result = self.table.index(writes).await;
                    self.answer(reply, result);
                }
                Request::Close { reply } => {
                    requests.close();
                    self.table.close().await;
                    drop(self);
                    let _ = reply.send(());
                    return;
                }
            }
        }
        self.table.close().await;
    }

    fn answer<T>(
        &mut self,
        reply: oneshot::Sender<Result<T, Storage>>,
        result: Result<T, Storage>,
    ) {
        if let Err(error) = &result {
            if !error.lost {
                tracing::error!(%error, "the log could not be written to");
            }
            self.table.forget();
        }
        let _ = reply.send(result);
    }

    async fn commit(&mut self, mut jobs: Vec<Job>) {
        for job in &jobs {
            self.waiting_bytes.fetch_sub(job.bytes, Ordering::Relaxed);
            let waited = job.queued.elapsed();
            self.meters.queue_wait.record(waited.as_secs_f64());
        }
        self.meters.batch.record(jobs.len() as f64);
        let started = Instant::now();
        match self.write(&mut jobs).await {
            Ok(outcomes) => {
                self.meters.commit.record(started.elapsed().as_secs_f64());
                for (job, outcome) in jobs.into_iter().zip(outcomes) {
                    self.meters.count(&outcome);
                    reply(job, outcome);
                }
            }
            Err(error) => {
                self.table.forget();
                let try_alone = error.constraint && !(jobs.len() == 1 && jobs[0].alone);
                if error.constraint {
                    metrics::counter!("palimpsest_log_constraint_alarms_total").increment(1);
                } else {
                    self.core.failing.note_failure(&error);
                }
                if !error.lost {
                    tracing::error!(%error, appends = jobs.len(), "a batch was not committed");
                }
                for job in jobs {
                    let why = if try_alone {
                        Refusal::TryAlone
                    } else {
                        Refusal::Error(AppendError::Storage(error.clone()))
                    };
                    reply(job, Err(why));
                }
            }
        }
    }

    /// Decides the batch and makes it durable; then, and only then, it is shown to readers.
    async fn write(
        &mut self,
        jobs: &mut [Job],
    ) -> Result<Vec<Result<Vec<Done>, Refusal>>, Storage> {
        let mut wanted = BatchLookups::default();
        for member in jobs.iter().flat_map(|job| &job.members) {
            wanted.add(member);
        }
        let found = self.table.look_up(&wanted).await?;
        self.core.show_up_to(found.head.position).await;
        let mut batch = Batch::new(found, self.core.now(), std::mem::take(&mut self.events));
        let outcomes = jobs
            .iter_mut()
            .map(|job| batch.decide(&mut job.members))
            .collect();
        let mut decided = batch.finish();
        let first = decided.writes.events.first().map(|event| event.position);
        let versions: Vec<_> = decided
            .writes
            .touched()
            .map(|row| (row.id.clone(), row.version))
            .collect();
        let erased: Vec<_> = decided
            .writes
            .touched()
            .filter(|row| row.erased)
            .map(|row| row.id.clone())
            .collect();
        self.table.commit(&mut decided.writes).await?;
        self.events = decided.writes.events;
        self.events.clear();
        self.core.remember(decided.opened);
        for stream in &erased {
            self.core.forget(stream);
        }
        if let Some(first) = first {
            self.core.failing.note_commit();
            self.core.publish(first, decided.delivered, &versions);
        }
        Ok(outcomes)
    }
}

/// Takes the requests that are waiting, up to the limits of a batch. Returns the request that came but does not belong in the batch.
fn drain(requests: &mut mpsc::Receiver<Request>, jobs: &mut Vec<Job>) -> Option<Request> {
    if jobs[0].alone {
        return None;
    }
    let mut bytes = jobs[0].bytes;
    while jobs.len() < BATCH_APPENDS && bytes < BATCH_BYTES {
        match requests.try_recv() {
            Ok(Request::Append(job)) if !job.alone => {
                bytes += job.bytes;
                jobs.push(job);
            }
            Ok(other) => return Some(other),
            Err(_) => return None,
        }
    }
    None
}

fn reply(job: Job, outcome: Result<Vec<Done>, Refusal>) {
    // A caller that does not wait any longer finds the answer under the same command id.
    let _ = job.reply.send(Answer {
        outcome,
        members: job.members,
    });
}
