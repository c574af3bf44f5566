//! The engine: it takes commands, appends events and begins work. Resuming means reading the log and asking again.

mod by_hand;
mod edits;
mod erase;
mod gates;
mod preview;
mod process;
mod spooled;
mod start;
mod timers;

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;
use chrono::{DateTime, Utc};
use commands::{Fork, fork_events};
use domain::event::{Event, GateEvent, RunEvent, SessionEvent, StepEvent};
use domain::hash::{Blob, BlobRef, Sha256};
use domain::pipeline::Pipelines;
use domain::{Actor, Recorded, Session, SessionId, StepId};
use store::{Append, AppendError, Log, NodeId, OpenStep, ReadError, Steps, StreamId, Whose};
use tokio::sync::{Notify, broadcast};

use crate::clock::Clock;
use crate::collections::Collections;
use crate::error::SendError;
use crate::projects::Projects;
use crate::sessions::{Applied, blobs, client_command};
use crate::steps::{self, Begun, Delta, Workshop};
use crate::streams::Streams;
use crate::tools::Embedder;
use crate::waits::StepWait;

use self::gates::OpenGates;

pub use erase::Erased;
pub use preview::Preview;

/// The claim that an append makes on the steps which it opens.
const FIRST_EPOCH: u64 = 1;

/// Takes commands, appends events and begins work. Cheap to clone.
#[derive(Clone)]
pub struct Engine(pub(crate) Arc<Inner>);

pub(crate) struct Inner {
    pub(crate) workshop: Arc<Workshop>,
    pub(crate) node: NodeId,
    pub(crate) sessions: Streams<Session>,
    /// Notified when there may be open steps of this process that nobody works on.
    pub(crate) orphans: Notify,
    /// Notified when the spool may hold an answer of a step that is over.
    pub(crate) left_behind: Notify,
    pub(crate) gates: OpenGates,
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engine")
            .field("node", &self.0.node)
            .finish_non_exhaustive()
    }
}

impl Engine {
    /// Claims open steps for this process, and carries them out.
    pub(crate) async fn take_over(&self, whose: Whose) -> Result<(), AppendError> {
        let steps = self.log().take_over(&self.0.node, whose).await?;
        if !steps.is_empty() && self.0.workshop.parts.shared {
            tracing::info!(
                steps = steps.len(),
                "steps of other processes are taken over"
            );
        }
        for open in steps {
            self.begin_open(open);
        }
        Ok(())
    }

    /// Makes sure that this process carries out exactly the steps that it has claims on. Some may not be carried out, because the
    /// acknowledgement of a commit was lost and its work was not begun; and some may belong to other processes that have taken them over.
    pub(crate) async fn look_for_orphans(&self) -> Result<(), ReadError> {
        let registry = &self.0.workshop.registry;
        // Read before the log is asked, so that a step that is begun in between is not taken for a lost one.
        let known = registry.all();
        let own = Steps::ClaimedBy(self.0.node.clone());
        let open = self.log().open_steps(own).await?;
        let held = open.iter().map(begun).collect();
        let lost = registry.keep_only(&known, &held);
        if lost > 0 {
            tracing::warn!(
                steps = lost,
                "others have taken steps over that were carried out here"
            );
        }
        for open in open {
            self.begin_open(open);
        }
        Ok(())
    }

    fn begin_open(&self, open: OpenStep) {
        let begun = begun(&open);
        steps::begin(&self.0.workshop, self.clone(), begun, open.due);
    }

    /// Begins an attempt that this process has asked for itself.
    fn begin(&self, stream: &StreamId, step: &StepId, attempt: u32, due: DateTime<Utc>) {
        let begun = Begun {
            stream: stream.clone(),
            step: step.clone(),
            attempt,
            epoch: FIRST_EPOCH,
        };
        steps::begin(&self.0.workshop, self.clone(), begun, due);
    }

    /// Begins and ends the work that these events ask for.
    pub(crate) fn react(&self, stream: &StreamId, recorded: &[Arc<Recorded>]) {
        for recorded in recorded {
            match &recorded.event {
                Event::Step(event) => self.react_to_step(stream, event),
                Event::Session(SessionEvent::SessionErased(_)) => {
                    self.0.workshop.registry.cancel_all(stream);
                    self.0.workshop.deltas.forget_all(stream);
                    self.0.workshop.reader.forget(stream);
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
                Event::Gate(GateEvent::GateOpened(e)) => self.0.gates.open(stream, e),
                Event::Session(_)
                | Event::Run(_)
                | Event::Gate(_)
                | Event::Collection(_)
                | Event::Project(_) => {}
            }
        }
    }

    fn react_to_step(&self, stream: &StreamId, event: &StepEvent) {
        match event {
            StepEvent::StepRequested(e) => self.begin(stream, &e.step, e.attempt, e.due),
            StepEvent::StepCancelled(e) => {
                let registry = &self.0.workshop.registry;
                // The step is not carried out here: a process may have died after it got an answer.
                if !registry.cancel(stream, &e.step, e.attempt) {
                    self.0.left_behind.notify_one();
                }
                self.0.workshop.deltas.forget(stream, &e.step);
            }
            StepEvent::StepSucceeded(e) => self.0.workshop.deltas.forget(stream, &e.step),
            StepEvent::StepFailed(e) => self.0.workshop.deltas.forget(stream, &e.step),
            StepEvent::ModelCalled(_)
            | StepEvent::ToolCalled(_)
            | StepEvent::ToolReturned(_)
            | StepEvent::OutputRejected(_)
            | StepEvent::ArtifactProduced(_) => {}
        }
    }

    /// A session as of now.
    pub async fn session(&self, stream: &StreamId) -> Result<Arc<Session>, SendError> {
        let sessions = &self.0.sessions;
        let mailbox = sessions.mailboxes.of(stream);
        let mut state = mailbox.state.lock().await;
        let known = sessions.current(stream, &mut state).await?;
        if !known.exists() {
            sessions.mailboxes.forget(stream);
            return Err(SendError::NoSession {
                session: stream.session.clone(),
            });
        }
        if known.erased {
            return Err(SendError::Erased);
        }
        sessions.mailboxes.settle(&mailbox, &known);
        Ok(known)
    }

    /// A session as it was at a version.
    pub async fn session_at(
        &self,
        stream: &StreamId,
        version: u64,
    ) -> Result<Arc<Session>, SendError> {
        let head = self.0.workshop.parts.log.version(stream).await?;
        let head = head.ok_or_else(|| SendError::NoSession {
            session: stream.session.clone(),
        })?;
        if version == 0 || version > head {
            return Err(SendError::NoVersion { at: version, head });
        }
        let sessions = &self.0.sessions;
        let session = sessions
            .load(stream, Session::default(), Some(version))
            .await?;
        Ok(Arc::new(session))
    }

    /// Forks a session from another one at a version. Work that was open there is asked for again in the fork.
    pub async fn fork(
        &self,
        parent: &StreamId,
        child: SessionId,
        at: u64,
        client_id: &str,
        content: Option<Sha256>,
        actor: Actor,
    ) -> Result<Applied, SendError> {
        let mut session = Arc::unwrap_or_clone(self.session_at(parent, at).await?);
        let stream = StreamId::new(parent.owner.clone(), child);
        let id = client_command(&stream, client_id);
        let command = Fork {
            parent: parent.session.clone(),
            at,
        };
        let context = self.0.sessions.context(id);
        let events = fork_events(&mut session, command, &context)?;
        let append = Append {
            actor,
            content,
            node: self.claims_as(),
            ..Append::new(stream.clone(), 0, id, events)
        };
        match self.log().append(append).await {
            Ok(committed) => self.applied(&stream, committed),
            Err(AppendError::Conflict { .. }) => Err(SendError::SessionExists {
                session: stream.session,
            }),
            Err(error) => Err(error.into()),
        }
    }

    /// Keeps bytes that a command will name. They are added to `along`, which goes with the command; if they are too large for that, they
    /// are in the log when this returns.
    pub async fn keep(
        &self,
        stream: &StreamId,
        bytes: Bytes,
        along: &mut Vec<Blob>,
    ) -> Result<BlobRef, SendError> {
        blobs::keep(self.log().as_ref(), stream, bytes, along).await
    }

    /// The name by which this process claims steps.
    pub fn node(&self) -> &NodeId {
        &self.0.node
    }

    pub fn log(&self) -> &Arc<dyn Log> {
        &self.0.workshop.parts.log
    }

    /// What owners keep beside their sessions.
    pub fn collections(&self) -> &Collections {
        &self.0.workshop.collections
    }

    /// The projects of owners.
    pub fn projects(&self) -> &Projects {
        &self.0.workshop.projects
    }

    /// The embedder, which makes vectors of texts; `None` where none is configured.
    pub fn embedder(&self) -> Option<&Embedder> {
        self.0.workshop.parts.embedder.as_ref()
    }

    pub fn pipelines(&self) -> &Pipelines {
        &self.0.workshop.parts.pipelines
    }

    pub fn clock(&self) -> &Clock {
        &self.0.workshop.parts.clock
    }

    /// Text while it is being written. Pieces of it may be lost, by design.
    pub fn deltas(&self, stream: &StreamId) -> broadcast::Receiver<Delta> {
        self.0.workshop.deltas.listen(stream)
    }

    /// The text so far of each attempt that is being made.
    pub fn text_so_far(&self, stream: &StreamId) -> Vec<Delta> {
        self.0.workshop.deltas.so_far(stream)
    }

    /// What the steps that this process carries out wait for just now. A step that is not here is at work.
    pub fn waits(&self) -> BTreeMap<(StreamId, StepId), StepWait> {
        self.0.workshop.waits.all()
    }

    /// Begins no step, call or tool any longer, and returns when those that were under way have ended and are in the log. What waits is
    /// given to whoever takes it first. Commands are still carried out; what they ask for is begun elsewhere, or by the next start.
    pub async fn drain(&self) {
        self.0.workshop.draining.cancel();
        self.0.workshop.registry.all_idle().await;
    }

    /// Whether this process begins nothing any longer.
    pub fn is_draining(&self) -> bool {
        self.0.workshop.draining.is_cancelled()
    }

    /// Aborts calls in flight and gives the steps of this process to whoever takes them first. Commands are still carried out; what
    /// they ask for is begun elsewhere, or by the next start.
    pub async fn hand_over(&self) {
        self.0.workshop.hand_over.cancel();
        self.0.workshop.registry.all_idle().await;
        if self.0.workshop.parts.shared
            && let Err(error) = self.log().hand_back(&self.0.node).await
        {
            tracing::warn!(%error, "the steps of this process could not be handed back; others take them once its lease has ended");
        }
    }

    /// Aborts calls in flight, appends nothing, and returns when every task has ended. What was open is taken up by
    /// another process, or by the next start.
    pub async fn stop(&self) {
        self.hand_over().await;
        self.0.workshop.stop.cancel();
        self.0.workshop.tasks.close();
        self.0.workshop.tasks.wait().await;
    }
}

fn begun(open: &OpenStep) -> Begun {
    Begun {
        stream: open.stream.clone(),
        step: open.step.clone(),
        attempt: open.attempt,
        epoch: open.epoch,
    }
}
