//! The engine: commands in, events appended, work begun. Resuming is reading the log and asking again.

use std::sync::Arc;
use std::time::Duration;

use chrono::TimeDelta;
use commands::{Command, Fork, fork_events};
use domain::decision::Context;
use domain::event::Event;
use domain::hash::Blob;
use domain::pipeline::Pipelines;
use domain::{Actor, Recorded, Session, SessionId};
use store::{Append, AppendError, CommandId, Committed, Log, NodeId, StreamId};
use tokio::sync::broadcast;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::clock::{Clock, fresh_id};
use crate::collections::Collections;
use crate::crash::CrashPlan;
use crate::deltas::{Delta, Deltas};
use crate::error::{EngineError, SendError};
use crate::mailbox::Mailboxes;
use crate::ports::{
    Images, Limiter, Model, ProviderLimits, References, RetryPolicy, Search, Spool, Typesetter,
};
use crate::press::Press;
use crate::prompts::Prompts;
use crate::registry::Registry;
use crate::resources::Resources;
use crate::typeset::FontTypesetter;
use crate::web_search::SearchCache;
use crate::{timers, worker};

/// Decisions about one command before it is given up because others keep getting in between. Each loss means that another
/// process appended to this very session, of which a person can cause only a few at a time.
pub(crate) const CONFLICTS_MAX: usize = 16;

/// Events read at a time when a state is folded.
const READ_EVENTS: usize = 2_000;

/// Limits and policies of the engine.
#[derive(Clone, Copy, Debug)]
pub struct EngineLimits {
    pub provider: ProviderLimits,
    /// Of the provider of pictures.
    pub images: ProviderLimits,
    pub retry: RetryPolicy,
    /// How long the steps of a process that is heard nothing of stay its own. Long against a pause of the machine, short
    /// against a person's patience.
    pub lease: Duration,
    /// How long one job of typesetting may take. Thirty pages take a few seconds; what takes this long never ends.
    pub typesetting: Duration,
}

impl Default for EngineLimits {
    fn default() -> Self {
        Self {
            provider: ProviderLimits::default(),
            images: ProviderLimits::default(),
            retry: RetryPolicy::default(),
            lease: Duration::from_secs(15),
            typesetting: Duration::from_secs(120),
        }
    }
}

/// What an engine is put together from.
pub struct Parts {
    pub log: Arc<dyn Log>,
    pub pipelines: Pipelines,
    pub prompts: Prompts,
    pub clock: Clock,
    /// Without one, the offline author writes.
    pub model: Option<Arc<dyn Model>>,
    pub search: Option<Arc<dyn Search>>,
    /// Without one, pictures are drawn here.
    pub images: Option<Arc<dyn Images>>,
    /// Where pictures to go by are fetched from; without it nowhere.
    pub references: Option<Arc<References>>,
    /// Where templates and knowledge bases come from.
    pub resources: Option<Arc<dyn Resources>>,
    pub typesetter: Arc<dyn Typesetter>,
    pub spool: Option<Spool>,
    pub limits: EngineLimits,
    /// Whether other processes may append to this log.
    pub shared: bool,
    pub crash: Option<CrashPlan>,
}

impl Parts {
    /// The least: no model, no search, no templates, no spool, no fonts but the embedded ones, the log for ourselves.
    pub fn new(log: Arc<dyn Log>, pipelines: Pipelines) -> Self {
        Self {
            log,
            pipelines,
            prompts: Prompts::empty(),
            clock: Clock::system(),
            model: None,
            search: None,
            images: None,
            references: None,
            resources: None,
            typesetter: Arc::new(FontTypesetter::new(render::Fonts::embedded())),
            spool: None,
            limits: EngineLimits::default(),
            shared: false,
            crash: None,
        }
    }
}

/// A command with what comes with it.
#[derive(Clone, Debug)]
pub struct Envelope {
    pub command: Command,
    /// The sender's name for this command; a repetition gets the first answer.
    pub client_id: String,
    pub actor: Actor,
    pub expected_version: Option<u64>,
    /// Contents of files that come with it, at most `store::SMALL_BLOB` bytes each; larger ones are put into the log before.
    pub blobs: Vec<Blob>,
}

/// What a command became.
#[derive(Clone, Debug)]
pub struct Applied {
    /// The version of the session that has it.
    pub version: u64,
    /// It had been carried out before; this is what it became then.
    pub duplicate: bool,
    pub events: Vec<Arc<Recorded>>,
}

impl From<Committed> for Applied {
    fn from(committed: Committed) -> Self {
        Self {
            version: committed.version,
            duplicate: committed.duplicate,
            events: committed.recorded,
        }
    }
}

/// The id that a client's command is stored under.
pub(crate) fn client_command(stream: &StreamId, client_id: &str) -> CommandId {
    CommandId::of(stream, &format!("client:{client_id}"))
}

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

/// A command on its way to a session.
pub(crate) struct Request {
    pub(crate) command: Command,
    pub(crate) id: CommandId,
    pub(crate) actor: Actor,
    pub(crate) expected_version: Option<u64>,
    pub(crate) blobs: Vec<Blob>,
}

impl Request {
    /// One of our own, under a name that is the same however often it is sent.
    pub(crate) fn own(
        stream: &StreamId,
        own_id: &str,
        command: Command,
        actor: Actor,
        blobs: Vec<Blob>,
    ) -> Self {
        Self {
            command,
            id: CommandId::of(stream, own_id),
            actor,
            expected_version: None,
            blobs,
        }
    }

    /// Whether a session may begin with it.
    fn opens(&self) -> bool {
        matches!(
            self.command,
            Command::SendMessage(_) | Command::OpenSession(_)
        )
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

    /// Decides a command of a client and appends what follows from it.
    pub async fn send(&self, stream: &StreamId, envelope: Envelope) -> Result<Applied, SendError> {
        let request = Request {
            command: envelope.command,
            id: client_command(stream, &envelope.client_id),
            actor: envelope.actor,
            expected_version: envelope.expected_version,
            blobs: envelope.blobs,
        };
        // A task of its own, so that a caller who goes away leaves nothing half-done.
        let (engine, stream) = (self.clone(), stream.clone());
        let task = self
            .0
            .tasks
            .spawn(async move { engine.process(&stream, &request).await });
        task.await.unwrap_or(Err(SendError::Stopped))
    }

    /// Decides a command of our own.
    pub(crate) async fn send_own(
        &self,
        stream: &StreamId,
        own_id: &str,
        command: Command,
        actor: Actor,
        blobs: Vec<Blob>,
    ) -> Result<Applied, SendError> {
        let request = Request::own(stream, own_id, command, actor, blobs);
        // Our own tasks are not dropped before their end, so this needs none of its own.
        self.process(stream, &request).await
    }

    /// Decides a command and appends what follows from it. The command stays with its sender, who may offer it again.
    pub(crate) async fn process(
        &self,
        stream: &StreamId,
        request: &Request,
    ) -> Result<Applied, SendError> {
        let mailbox = self.0.mailboxes.of(stream);
        let mut state = mailbox.state.lock().await;
        for attempt in 0..CONFLICTS_MAX {
            let known = state.take();
            // A session that is not known here is most likely a new one. That saves a look into the log, which tells when it
            // takes the first event whether it was.
            let presumed = attempt == 0 && known.is_none() && request.opens();
            let mut session = match known {
                Some(session) => session,
                None if presumed => Arc::default(),
                None => Arc::new(self.load(stream, Session::default(), None).await?),
            };
            let before = session.version;
            if let Err(error) = self.guard(&session, request) {
                if presumed || self.is_behind(stream, before).await? {
                    continue;
                }
                self.keep(stream, &mut state, session);
                return self.answered_before(stream, request, error).await;
            }
            let context = self.context(request.id);
            let decided = commands::decide(
                Arc::make_mut(&mut session),
                request.command.clone(),
                &context,
            );
            let events = match decided {
                Ok(events) => events,
                Err(refusal) => {
                    if presumed || self.is_behind(stream, before).await? {
                        continue;
                    }
                    if session.version == before {
                        self.keep(stream, &mut state, session);
                    }
                    return self.answered_before(stream, request, refusal.into()).await;
                }
            };
            if events.is_empty() {
                // That nothing is to be done may be true only of what was known here.
                if presumed || self.is_behind(stream, before).await? {
                    continue;
                }
                *state = Some(session);
                return Ok(Applied {
                    version: before,
                    duplicate: false,
                    events: vec![],
                });
            }
            match self.append(stream, request, before, events).await {
                Ok(applied) if applied.duplicate => return Ok(applied),
                Ok(applied) => {
                    self.0.mailboxes.settle(&mailbox, &session);
                    *state = Some(session);
                    return Ok(applied);
                }
                Err(SendError::Stale { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Err(SendError::Busy)
    }

    /// Keeps a state that nothing came of; of a session that is not there nothing is kept, lest asking for many of them
    /// fills the memory.
    fn keep(&self, stream: &StreamId, state: &mut Option<Arc<Session>>, session: Arc<Session>) {
        if session.exists() {
            *state = Some(session);
        } else {
            self.0.mailboxes.forget(stream);
        }
    }

    fn guard(&self, session: &Session, request: &Request) -> Result<(), SendError> {
        if self.0.stop.is_cancelled() {
            return Err(SendError::Stopped);
        }
        if !session.exists() && !request.opens() {
            return Err(SendError::Refused(commands::Refusal::NoSession));
        }
        match request.expected_version {
            Some(expected) if expected != session.version => Err(SendError::Stale {
                expected,
                actual: session.version,
            }),
            _ => Ok(()),
        }
    }

    pub(crate) fn context(&self, id: CommandId) -> Context {
        Context {
            now: self.0.parts.clock.now(),
            command: id.0,
            pipelines: self.0.parts.pipelines.clone(),
        }
    }

    /// Whether another process has appended since this state was folded.
    async fn is_behind(&self, stream: &StreamId, version: u64) -> Result<bool, SendError> {
        if !self.0.parts.shared {
            return Ok(false);
        }
        Ok(self.0.parts.log.version(stream).await?.unwrap_or(0) > version)
    }

    /// A command that is refused now may have been carried out before: then that is the answer.
    async fn answered_before(
        &self,
        stream: &StreamId,
        request: &Request,
        refused: SendError,
    ) -> Result<Applied, SendError> {
        self.find(stream, &request.id).await?.ok_or(refused)
    }

    pub(crate) async fn find(
        &self,
        stream: &StreamId,
        command: &CommandId,
    ) -> Result<Option<Applied>, SendError> {
        let found = self.0.parts.log.find_command(stream, command).await?;
        Ok(found.map(Applied::from))
    }

    /// What a client's command became that was carried out before; `None` if it was not.
    pub async fn find_command(
        &self,
        stream: &StreamId,
        client_id: &str,
    ) -> Result<Option<Applied>, SendError> {
        self.find(stream, &client_command(stream, client_id)).await
    }

    async fn append(
        &self,
        stream: &StreamId,
        request: &Request,
        expected: u64,
        events: Vec<Event>,
    ) -> Result<Applied, SendError> {
        let append = Append {
            stream: stream.clone(),
            expected,
            command: request.id,
            actor: request.actor.clone(),
            events,
            blobs: request.blobs.clone(),
            node: Some(self.0.node.clone()),
            correlation: None,
            causation: None,
        };
        let committed = self.0.parts.log.append(append).await?;
        if !committed.duplicate {
            self.react(stream, &committed.recorded);
        }
        Ok(committed.into())
    }

    /// Begins and ends the work that these events ask for.
    pub(crate) fn react(&self, stream: &StreamId, recorded: &[Arc<Recorded>]) {
        for recorded in recorded {
            match &recorded.event {
                Event::StepRequested(e) => worker::begin(self, stream, &e.step, e.attempt, e.due),
                Event::StepCancelled(e) => {
                    self.0.registry.cancel(stream, &e.step, e.attempt);
                    self.0.deltas.forget(stream, &e.step);
                }
                Event::StepSucceeded(e) => self.0.deltas.forget(stream, &e.step),
                Event::StepFailed(e) => self.0.deltas.forget(stream, &e.step),
                Event::SessionErased(_) => {
                    self.0.registry.cancel_all(stream);
                    self.0.deltas.forget_all(stream);
                }
                Event::RunCompleted(_) => {
                    metrics::counter!("palimpsest_runs_total", "outcome" => "completed")
                        .increment(1)
                }
                Event::RunFailed(_) => {
                    metrics::counter!("palimpsest_runs_total", "outcome" => "failed").increment(1)
                }
                Event::RunCancelled(_) => {
                    metrics::counter!("palimpsest_runs_total", "outcome" => "cancelled")
                        .increment(1)
                }
                Event::SessionOpened(_)
                | Event::SessionTitled(_)
                | Event::SessionForked(_)
                | Event::MessageReceived(_)
                | Event::MessageQueued(_)
                | Event::MessageWithdrawn(_)
                | Event::MessageSent(_)
                | Event::FilePut(_)
                | Event::FileRemoved(_)
                | Event::RunStarted(_)
                | Event::IntentClassified(_)
                | Event::RefinementRequested(_)
                | Event::StageStarted(_)
                | Event::StageClosed(_)
                | Event::StagesReopened(_)
                | Event::ModelCalled(_)
                | Event::ToolCalled(_)
                | Event::ToolReturned(_)
                | Event::OutputRejected(_)
                | Event::ArtifactProduced(_)
                | Event::DecisionMade(_)
                | Event::GateOpened(_)
                | Event::PlanConfirmed(_)
                | Event::PlanDeclined(_)
                | Event::AnswerGiven(_)
                | Event::BudgetRaised(_)
                | Event::HeadMoved(_)
                | Event::CollectionOpened(_)
                | Event::DocumentsImported(_)
                | Event::DocumentsRemoved(_) => {}
            }
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
