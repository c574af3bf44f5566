//! The engine: commands in, events appended, work begun. Resuming is reading the log and asking again.

use std::sync::Arc;

use chrono::TimeDelta;
use commands::{Command, Fork, fork_events};
use domain::event::{Event, RunEvent, SessionEvent, StepEvent};
use domain::pipeline::Pipelines;
use domain::{Actor, Recorded, Session, SessionId};
use store::{AppendError, Log, NodeId, StreamId};
use tokio::sync::broadcast;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::clock::{Clock, fresh_id};
use crate::collections::Collections;
use crate::deltas::{Delta, Deltas};
use crate::error::{EngineError, SendError};
use crate::mailbox::Mailboxes;
use crate::parts::Parts;
use crate::ports::Limiter;
use crate::press::Press;
use crate::process::{Applied, Request, client_command};
use crate::registry::Registry;
use crate::web_search::SearchCache;
use crate::{timers, worker};

/// Events read at a time when a state is folded.
const READ_EVENTS: usize = 2_000;

/// Commands in, events appended, work begun. Cheap to clone.
#[derive(Clone)]
pub struct Engine(pub(crate) Arc<Inner>);

pub(crate) struct Inner {
    pub(crate) parts: Parts,
    pub(crate) limiter: Limiter,
    pub(crate) images_limiter: Limiter,
    pub(crate) press: Press,
    pub(crate) node: NodeId,
    pub(crate) registry: Registry,
    pub(crate) deltas: Deltas,
    pub(crate) mailboxes: Mailboxes,
    pub(crate) collections: Collections,
    pub(crate) searched: SearchCache,
    pub(crate) stop: CancellationToken,
    pub(crate) tasks: TaskTracker,
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engine")
            .field("node", &self.0.node)
            .finish_non_exhaustive()
    }
}

impl Engine {
    /// Takes up what the log says is open, and serves commands.
    pub async fn start(parts: Parts) -> Result<Self, EngineError> {
        let limiter = Limiter::new(parts.limits.provider);
        let images_limiter = Limiter::new(parts.limits.images);
        let press = Press::new(Arc::clone(&parts.typesetter), parts.limits.typesetting);
        let engine = Self(Arc::new(Inner {
            limiter,
            images_limiter,
            press,
            node: NodeId::new(fresh_id()),
            registry: Registry::default(),
            deltas: Deltas::default(),
            mailboxes: Mailboxes::default(),
            searched: SearchCache::default(),
            collections: Collections::new(Arc::clone(&parts.log), parts.clock.clone()),
            stop: CancellationToken::new(),
            tasks: TaskTracker::new(),
            parts,
        }));
        engine.recover().await.map_err(EngineError::Recovery)?;
        timers::start(&engine);
        Ok(engine)
    }

    /// The steps of whoever had them before are ours: of anybody when the log is ours alone, else of those whose lease has
    /// ended.
    async fn recover(&self) -> Result<(), String> {
        let Parts {
            log,
            clock,
            limits,
            shared,
            ..
        } = &self.0.parts;
        let now = clock.now();
        let lease = TimeDelta::from_std(limits.lease).unwrap_or(TimeDelta::MAX);
        log.heartbeat(&self.0.node, now + lease)
            .await
            .map_err(|error| error.to_string())?;
        let leases_end = if *shared {
            now
        } else {
            now + TimeDelta::days(36_500)
        };
        self.take_over(leases_end)
            .await
            .map_err(|error| error.to_string())
    }

    /// Carries out the open steps of processes whose lease has ended by then.
    pub(crate) async fn take_over(
        &self,
        leases_end: chrono::DateTime<chrono::Utc>,
    ) -> Result<(), AppendError> {
        let steps = self.0.parts.log.take_over(&self.0.node, leases_end).await?;
        for open in steps {
            worker::begin(self, &open.stream, &open.step, open.attempt, open.due);
        }
        Ok(())
    }

    /// Begins and ends the work that these events ask for.
    pub(crate) fn react(&self, stream: &StreamId, recorded: &[Arc<Recorded>]) {
        for recorded in recorded {
            match &recorded.event {
                Event::Step(event) => self.react_to_step(stream, event),
                Event::Session(SessionEvent::SessionErased(_)) => {
                    self.0.registry.cancel_all(stream);
                    self.0.deltas.forget_all(stream);
                }
                Event::Run(RunEvent::RunCompleted(_)) => {
                    metrics::counter!("palimpsest_runs_total", "outcome" => "completed")
                        .increment(1)
                }
                Event::Run(RunEvent::RunFailed(_)) => {
                    metrics::counter!("palimpsest_runs_total", "outcome" => "failed").increment(1)
                }
                Event::Run(RunEvent::RunCancelled(_)) => {
                    metrics::counter!("palimpsest_runs_total", "outcome" => "cancelled")
                        .increment(1)
                }
                Event::Session(_) | Event::Run(_) | Event::Gate(_) | Event::Collection(_) => {}
            }
        }
    }

    fn react_to_step(&self, stream: &StreamId, event: &StepEvent) {
        match event {
            StepEvent::StepRequested(e) => worker::begin(self, stream, &e.step, e.attempt, e.due),
            StepEvent::StepCancelled(e) => {
                self.0.registry.cancel(stream, &e.step, e.attempt);
                self.0.deltas.forget(stream, &e.step);
            }
            StepEvent::StepSucceeded(e) => self.0.deltas.forget(stream, &e.step),
            StepEvent::StepFailed(e) => self.0.deltas.forget(stream, &e.step),
            StepEvent::ModelCalled(_)
            | StepEvent::ToolCalled(_)
            | StepEvent::ToolReturned(_)
            | StepEvent::OutputRejected(_)
            | StepEvent::ArtifactProduced(_) => {}
        }
    }

    /// Folds the events of a session that come after a state, up to a version.
    pub(crate) async fn load(
        &self,
        stream: &StreamId,
        mut session: Session,
        to: Option<u64>,
    ) -> Result<Session, SendError> {
        loop {
            let wanted = to.map_or(READ_EVENTS, |to| {
                READ_EVENTS.min(usize::try_from(to - session.version).unwrap_or(READ_EVENTS))
            });
            if wanted == 0 {
                return Ok(session);
            }
            let read = match self.0.parts.log.read(stream, session.version, wanted).await {
                Ok(read) => read,
                Err(store::ReadError::NoStream { .. }) => return Ok(session),
                Err(error) => return Err(error.into()),
            };
            if read.is_empty() {
                return Ok(session);
            }
            for recorded in &read {
                session.evolve(&recorded.event);
            }
        }
    }

    /// A session as of now.
    pub async fn session(&self, stream: &StreamId) -> Result<Arc<Session>, SendError> {
        let mailbox = self.0.mailboxes.of(stream);
        let mut state = mailbox.state.lock().await;
        let known = match state.take() {
            Some(known) if !self.is_behind(stream, known.version).await? => known,
            Some(known) => Arc::new(self.load(stream, Arc::unwrap_or_clone(known), None).await?),
            None => Arc::new(self.load(stream, Session::default(), None).await?),
        };
        if !known.exists() {
            drop(state);
            self.0.mailboxes.forget(stream);
            return Err(SendError::NoSession {
                session: stream.session.clone(),
            });
        }
        if known.erased {
            return Err(SendError::Erased);
        }
        *state = Some(Arc::clone(&known));
        self.0.mailboxes.settle(&mailbox, &known);
        Ok(known)
    }

    /// A session as it was at a version.
    pub async fn session_at(
        &self,
        stream: &StreamId,
        version: u64,
    ) -> Result<Arc<Session>, SendError> {
        let head = self.0.parts.log.version(stream).await?;
        let head = head.ok_or_else(|| SendError::NoSession {
            session: stream.session.clone(),
        })?;
        if version == 0 || version > head {
            return Err(SendError::NoVersion { at: version, head });
        }
        let session = self.load(stream, Session::default(), Some(version)).await?;
        Ok(Arc::new(session))
    }

    /// Branches a session off another one at a version. What was open there is asked for again in the child.
    pub async fn fork(
        &self,
        parent: &StreamId,
        child: SessionId,
        at: u64,
        client_id: &str,
        actor: Actor,
    ) -> Result<Applied, SendError> {
        let mut session = Arc::unwrap_or_clone(self.session_at(parent, at).await?);
        let stream = StreamId::new(parent.owner.clone(), child);
        let id = client_command(&stream, client_id);
        let command = Fork {
            parent: parent.session.clone(),
            at,
        };
        let events = fork_events(&mut session, command.clone(), &self.context(id))?;
        let request = Request {
            command: Command::Fork(command),
            id,
            actor,
            expected_version: None,
            blobs: vec![],
        };
        match self.append(&stream, &request, 0, events).await {
            Err(SendError::Stale { .. }) => Err(SendError::SessionExists {
                session: stream.session,
            }),
            other => other,
        }
    }

    /// The name by which this process claims steps.
    pub fn node(&self) -> &NodeId {
        &self.0.node
    }

    pub fn log(&self) -> &Arc<dyn Log> {
        &self.0.parts.log
    }

    /// What owners keep beside their sessions.
    pub fn collections(&self) -> &Collections {
        &self.0.collections
    }

    pub fn pipelines(&self) -> &Pipelines {
        &self.0.parts.pipelines
    }

    pub fn clock(&self) -> &Clock {
        &self.0.parts.clock
    }

    /// Text while it is made, lossy by design.
    pub fn deltas(&self, stream: &StreamId) -> broadcast::Receiver<Delta> {
        self.0.deltas.listen(stream)
    }

    /// The text so far of each attempt that is being made.
    pub fn text_so_far(&self, stream: &StreamId) -> Vec<Delta> {
        self.0.deltas.so_far(stream)
    }

    /// Aborts calls in flight, appends nothing, and returns when every task has ended. What was open is taken up by the
    /// next start.
    pub async fn stop(&self) {
        self.0.stop.cancel();
        self.0.tasks.close();
        self.0.tasks.wait().await;
    }
}
