//! The messages of a client, carried out one after the other in the order in which they came. Accepted messages are carried out even if the
//! connection closes: closing a connection does not cancel anything.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use palimpsest::prelude::wire::deltas::DeltaFeed;
use palimpsest::prelude::wire::presence::Seat;
use palimpsest::prelude::wire::{
    ApiError, CommandAnswer, CommandRequest, Cursor, Filter, Owner, Session, SessionId, Start,
    Wire as _, derived, fresh_id,
};
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::task::AbortHandle;

use super::asked::{self, Asked};
use super::connection::Out;
use super::envelope::{EXECUTION_ERROR, Voice, error_metadata, notice_metadata, words};
use super::follow::{Following, Replay, Tell};
use super::hints::Hints;
use super::incoming::{Incoming, NotReadable};
use super::limits::{SESSIONS_MAX, SHOWN_CHARS};
use super::partial::Partials;
use super::{OnClose, REPORT, Report, ReportSettings};
use crate::wire::out::Report as Wire;

/// The reason for cancelling runs that nobody follows any longer.
const CLOSED: &str = "the connection closed";

/// A message that the connection received.
pub(crate) enum Inbound {
    Text(String),
    Binary,
    /// A message over the rate limit, and how long to wait before the next one.
    TooFast {
        wait: Duration,
    },
}

/// The refusal of a message.
pub(crate) struct MessageRefusal {
    pub(crate) text: String,
    pub(crate) metadata: Value,
}

impl MessageRefusal {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            metadata: Value::Null,
        }
    }

    /// Changes the text into the one that the contract has for this event.
    fn about(mut self, event: &str) -> Self {
        if event == "user.request_state"
            && let Some(cause) = self.text.strip_prefix(EXECUTION_ERROR)
        {
            self.text = format!("Failed to export state: {cause}");
        }
        self
    }
}

impl From<ApiError> for MessageRefusal {
    fn from(error: ApiError) -> Self {
        Self {
            text: words(&error),
            metadata: error_metadata(&error),
        }
    }
}

/// A session that this connection created or reconnected to.
pub(crate) struct Attached {
    pub(crate) following: Arc<Following>,
    /// The hints of the session's creation; later hints are in the inputs of its runs.
    pub(crate) hints: Hints,
    task: AbortHandle,
    seat: Seat<()>,
    /// The task that sends what models are asked, if the connection wants that.
    pub(crate) asked: Option<AbortHandle>,
}

pub(crate) struct Dispatcher {
    pub(crate) report: Report,
    pub(crate) owner: Owner,
    pub(crate) voice: Voice,
    pub(crate) out: mpsc::Sender<Out>,
    pub(crate) attached: HashMap<SessionId, Attached>,
}

impl Dispatcher {
    pub(crate) fn new(report: Report, owner: Owner, voice: Voice, out: mpsc::Sender<Out>) -> Self {
        Self {
            report,
            owner,
            voice,
            out,
            attached: HashMap::new(),
        }
    }

    /// Runs until the connection is closed and everything that it handed over is done.
    pub(crate) async fn serve(mut self, mut inbox: mpsc::Receiver<Inbound>) {
        while let Some(inbound) = inbox.recv().await {
            self.take(inbound).await;
        }
        self.leave().await;
    }

    async fn take(&mut self, inbound: Inbound) {
        let text = match inbound {
            Inbound::Text(text) => text,
            Inbound::Binary => {
                let words = "binary messages are not taken; send one JSON object as text";
                let error = NotReadable(words.to_owned());
                return self
                    .refuse(None, MessageRefusal::new(error.to_string()))
                    .await;
            }
            Inbound::TooFast { wait } => return self.refuse(None, too_fast(wait)).await,
        };
        match Incoming::read(&text) {
            Ok(incoming) => self.answer(incoming).await,
            Err(error) => {
                self.refuse(None, MessageRefusal::new(error.to_string()))
                    .await
            }
        }
    }

    async fn answer(&mut self, incoming: Incoming) {
        let session = incoming.session.clone().map(SessionId::new);
        let answered = match incoming.event.as_str() {
            "user.create_session" => self.create(&incoming).await,
            "user.reconnect_with_state" => self.reconnect(&incoming, true).await,
            "user.reconnect" => self.reconnect(&incoming, false).await,
            _ => self.in_session(&incoming, session.as_ref()).await,
        };
        if let Err(refused) = answered {
            self.refuse(session.as_ref(), refused).await;
        }
    }

    async fn in_session(
        &mut self,
        incoming: &Incoming,
        session: Option<&SessionId>,
    ) -> Result<(), MessageRefusal> {
        let event = incoming.event.as_str();
        let known = EVENTS.contains(&event);
        let Some(session) = session.filter(|_| known) else {
            let shown: String = event.chars().take(SHOWN_CHARS).collect();
            let text = format!("Unknown event type or missing session_id: {shown}");
            return Err(MessageRefusal::new(text));
        };
        let state = self.session(session).await;
        let state = state.map_err(|refused| refused.about(event))?;
        match event {
            "user.message" => self.message(session, &state, incoming).await,
            "user.solve_tasks" => self.solve_tasks(session, &state, incoming).await,
            "user.response" => self.response(session, &state, incoming).await,
            "user.cancel" => self.cancel(session).await,
            "user.cancel_task" => self.cancel_task(session, &state, incoming).await,
            "user.restart_task" => self.restart_task(session, &state, incoming).await,
            "user.cancel_plan" => self.cancel_plan(session).await,
            "user.replan" => self.replan(session, &state, incoming).await,
            "user.request_state" => self.export(session, &state).await,
            // Nothing to do: acknowledgements are optional, because missed frames are read from the log.
            "user.ack" => Ok(()),
            _ => unreachable!("the list of events was asked"),
        }
    }

    /// The session, if this connection may use it.
    async fn session(&self, session: &SessionId) -> Result<Arc<Session>, MessageRefusal> {
        palimpsest::prelude::wire::check_session(session)
            .map_err(|_| MessageRefusal::new("Session not found"))?;
        let stream = self.owner.stream(session);
        let state = self.report.app.engine.session(&stream).await;
        let state = state.map_err(ApiError::from)?;
        if self.attached.contains_key(session) {
            return Ok(state);
        }
        Err(MessageRefusal::new(if state.pipeline == REPORT {
            "Session does not belong to this connection"
        } else {
            "Session not found"
        }))
    }

    async fn create(&mut self, incoming: &Incoming) -> Result<(), MessageRefusal> {
        self.check_room(None)?;
        let (session, id) = match &incoming.message {
            Some(message) => {
                palimpsest::prelude::wire::check_client_id("message_id", message)?;
                let session = derived("s", &[REPORT, &self.owner.0, message]);
                (session, derived("report", &["create", message]))
            }
            None => (format!("s_{}", fresh_id()), fresh_id()),
        };
        let session = SessionId::new(session);
        let payload = json!({ "pipeline": REPORT });
        let answer = self.ask(&session, id, "open_session", payload).await?;
        if answer.duplicate && self.attached.contains_key(&session) {
            let control = json!({ "action": "create_session", "ok": true, "duplicate": true });
            self.notice(&session, "The session was created already", control)
                .await;
            return Ok(());
        }
        let mut hints = Hints::default();
        hints.take(&incoming.content);
        let from = Cursor::start(Wire::VERSION);
        self.attach(&session, hints, from, None).await?;
        self.show_asked(&session, incoming.wants_asked()).await
    }

    /// Starts or stops sending what models are asked in a session. Without a wish of the client nothing changes.
    pub(crate) async fn show_asked(
        &mut self,
        session: &SessionId,
        wanted: Option<bool>,
    ) -> Result<(), MessageRefusal> {
        let app = &self.report.app;
        let Some(attached) = self.attached.get_mut(session) else {
            return Ok(());
        };
        let is_told = attached
            .asked
            .as_ref()
            .is_some_and(|asked| !asked.is_finished());
        if wanted.is_none_or(|wanted| wanted == is_told) {
            return Ok(());
        }
        if let Some(asked) = attached.asked.take().filter(|_| is_told) {
            asked.abort();
            return Ok(());
        }
        let stream = self.owner.stream(session);
        let followed = app
            .feeds
            .follow(&stream, asked::WIRE, Start::Now, asked::CALLS);
        // A reset is not possible, because no cursor is named.
        if let Ok(follower) = followed.await.map_err(ApiError::from)? {
            let asked = Asked {
                of: Arc::clone(&attached.following),
                follower,
                engine: app.engine.clone(),
                stream,
                voice: self.voice.clone(),
                out: self.out.clone(),
            };
            attached.asked = Some(tokio::spawn(asked.run()).abort_handle());
        }
        Ok(())
    }

    /// Begins to follow a session, or follows it anew.
    pub(crate) async fn attach(
        &mut self,
        session: &SessionId,
        hints: Hints,
        from: Cursor,
        replay: Option<Replay>,
    ) -> Result<(), MessageRefusal> {
        let app = &self.report.app;
        let stream = self.owner.stream(session);
        let start = if from == Cursor::start(Wire::VERSION) {
            Start::Beginning
        } else {
            Start::After(from)
        };
        let followed = app
            .feeds
            .follow(&stream, Wire::NAME, start, Filter::All)
            .await;
        let follower = followed.map_err(ApiError::from)?.map_err(|reset| {
            let cause = format!("a cursor of our own was refused: {}", reset.code());
            ApiError::internal("following a session", cause)
        })?;
        let following = Following::new(session.clone(), from);
        let tell = Tell {
            of: Arc::clone(&following),
            follower,
            replay,
            partials: Partials::new(DeltaFeed::new(app.engine.clone(), stream.clone())),
            voice: self.voice.clone(),
            out: self.out.clone(),
        };
        let attached = Attached {
            following,
            hints,
            task: tokio::spawn(tell.run()).abort_handle(),
            seat: self.report.presence.enter(stream, |()| {}),
            asked: None,
        };
        if let Some(before) = self.attached.insert(session.clone(), attached) {
            before.stop();
        }
        Ok(())
    }

    /// Checks that this connection may follow one more session.
    pub(crate) fn check_room(&mut self, session: Option<&SessionId>) -> Result<(), MessageRefusal> {
        // Erased sessions no longer count.
        self.attached.retain(|_, of| !of.task.is_finished());
        if session.is_some_and(|session| self.attached.contains_key(session))
            || self.attached.len() < SESSIONS_MAX
        {
            return Ok(());
        }
        let text =
            format!("A connection has at most {SESSIONS_MAX} sessions; open another connection");
        let metadata = json!({ "error_code": "too_many_sessions", "recoverable": false });
        Err(MessageRefusal { text, metadata })
    }

    /// Sends a command.
    pub(crate) async fn ask(
        &self,
        session: &SessionId,
        id: String,
        kind: &str,
        payload: Value,
    ) -> Result<CommandAnswer, ApiError> {
        let request = CommandRequest::new(id, kind, payload);
        self.report.app.ask(&self.owner, session, request).await
    }

    pub(crate) async fn notice(&self, session: &SessionId, text: &str, control: Value) {
        let metadata = notice_metadata("control", control);
        let frame = self
            .voice
            .frame("system.notice", Some(session), text, metadata);
        self.say(frame).await;
    }

    async fn refuse(&self, session: Option<&SessionId>, refused: MessageRefusal) {
        let MessageRefusal { text, metadata } = refused;
        let frame = self.voice.frame("agent.error", session, text, metadata);
        self.say(frame).await;
    }

    /// Hands a frame to the connection, which may be closed already.
    pub(crate) async fn say(&self, frame: String) {
        let _ = self.out.send(Out::Text(frame)).await;
    }

    async fn leave(mut self) {
        let app = &self.report.app;
        let settings = app.config.of_wire::<ReportSettings>(REPORT);
        let on_close = settings.map_or(OnClose::default(), |settings| settings.on_close);
        let cancels = on_close == OnClose::Cancel && !app.stopping.is_cancelled();
        for (session, attached) in std::mem::take(&mut self.attached) {
            let is_last = attached.stop();
            if !cancels || !is_last {
                continue;
            }
            let stream = self.owner.stream(&session);
            let state = match app.engine.session(&stream).await {
                Ok(state) => state,
                Err(error) => {
                    tracing::debug!(session.id = %session, %error, "nothing was cancelled");
                    continue;
                }
            };
            let waiting = state.queue.iter().map(|queued| queued.run);
            let runs = state.active.into_iter().chain(waiting).collect();
            app.abandon(&self.owner, &session, runs, CLOSED).await;
        }
    }
}

impl Attached {
    /// Stops all frames of the session, also those that wait to be written.
    pub(crate) fn silence(&self) {
        self.following.end();
        self.task.abort();
        if let Some(asked) = &self.asked {
            asked.abort();
        }
    }

    /// Stops following, and says whether nobody follows the session any longer.
    fn stop(self) -> bool {
        self.silence();
        self.seat.leave().is_some()
    }
}

/// Events that need a session.
const EVENTS: [&str; 10] = [
    "user.message",
    "user.solve_tasks",
    "user.response",
    "user.cancel",
    "user.cancel_task",
    "user.restart_task",
    "user.cancel_plan",
    "user.replan",
    "user.request_state",
    "user.ack",
];

fn too_fast(wait: Duration) -> MessageRefusal {
    let metadata = json!({
        "error_code": "ERR_RATELIMIT_700", "error_type": "rate_limit", "recoverable": true,
        "retry_after_ms": u64::try_from(wait.as_millis()).unwrap_or(u64::MAX),
    });
    MessageRefusal {
        text: "Too many messages, please send them more slowly".to_owned(),
        metadata,
    }
}
