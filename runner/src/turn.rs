//! One turn: a model or a tool is asked, at most once. An answer that was paid for is found again in the log or in the
//! spool; only what is in neither is asked for.

use std::time::Duration;

use bytes::Bytes;
use commands::{AdmitTurn, Command, RecordTurn};
use domain::carry::{
    Answer, Call, Exchange, ModelTurn, Tool, ToolOutcome, ToolTurn, TurnResult, Work,
};
use domain::event::{CallError, ModelCalled, THOUGHT_CHARS_MAX, ToolCalled, ToolReturned, Usage};
use domain::hash::{Blob, Sha256};
use domain::question::ASK_USER;
use domain::session::{Run, Turn, TurnAnswer};
use domain::{Actor, StepId};
use serde_json::Value;
use store::StreamId;
use tokio_util::sync::CancellationToken;

use crate::clock::fresh_seed;
use crate::crash::Point;
use crate::engine::{Engine, Request};
use crate::error::SendError;
use crate::offline::{self, OFFLINE};
use crate::pictures;
use crate::ports::spool::SpoolWriter;
use crate::ports::{
    AnswerSink, Message, MessagePicture, ModelAnswer, ModelError, ModelErrorKind, ModelRequest,
    NamedSchema, Role, ToolCall, ToolSpec, parse_sse, parse_structured,
};
use crate::shown::shown;
use crate::tools;
use crate::worker::{Stop, persist};

/// The model named in settings for when the one of the role keeps failing.
const FALLBACK: &str = "fallback";

/// A turn that was made and is not in the log yet, with the bodies that go there with it.
pub(crate) struct Made {
    pub(crate) record: RecordTurn,
    pub(crate) blobs: Vec<Blob>,
    /// Under which the answer is in the spool.
    pub(crate) spooled: Option<String>,
}

/// Where a turn is made.
pub(crate) struct Place<'a> {
    pub(crate) engine: &'a Engine,
    pub(crate) stream: &'a StreamId,
    pub(crate) step: &'a StepId,
    pub(crate) attempt: u32,
    /// Counted from 0 in the attempt.
    pub(crate) turn: u32,
    pub(crate) cancel: &'a CancellationToken,
}

/// The key that a turn is paid under, and spooled under: the same however often it is asked for.
pub(crate) fn idempotency_key(stream: &StreamId, step: &StepId, attempt: u32, turn: u32) -> String {
    let (step, attempt, turn) = (step.to_string(), attempt.to_string(), turn.to_string());
    let parts = [
        stream.owner.as_str(),
        stream.session.as_str(),
        &step,
        &attempt,
        &turn,
    ];
    Sha256::of_parts(parts.map(str::as_bytes))
        .as_str()
        .to_owned()
}

/// A turn whose answer is in the log.
pub(crate) async fn replay(
    place: &Place<'_>,
    answer: &TurnAnswer,
    asked: Option<&ModelTurn>,
) -> Result<TurnResult, Stop> {
    let log = place.engine.log().as_ref();
    match answer {
        TurnAnswer::Model { response, model } => {
            let raw = crate::material::blob(log, place.stream, &response.sha256).await?;
            let answer = read_raw(raw, model)?;
            Ok(TurnResult::Model {
                model: model.clone(),
                answer: read_answer(asked, &answer),
            })
        }
        TurnAnswer::Tool { output, .. } => {
            let raw = crate::material::blob(log, place.stream, &output.sha256).await?;
            let output = serde_json::from_slice(&raw).unwrap_or(Value::Null);
            Ok(TurnResult::Tool { output })
        }
    }
}

fn read_raw(raw: Bytes, model: &str) -> Result<ModelAnswer, Stop> {
    if model != OFFLINE {
        return parse_sse(raw).map_err(|error| Stop::fail("malformed", &error.to_string(), true));
    }
    Ok(offline::read(raw))
}

fn read_answer(asked: Option<&ModelTurn>, answer: &ModelAnswer) -> Answer {
    let structured = asked.is_none_or(|turn| turn.schema.is_some());
    if !answer.tool_calls.is_empty() && asked.is_some_and(|turn| !turn.tools.is_empty()) {
        let calls = answer.tool_calls.iter().map(|call| Call {
            id: call.id.clone(),
            name: call.name.clone(),
            arguments: call.arguments.clone(),
        });
        return Answer::Calls {
            text: crate::ports::strip_think(&answer.text).to_owned(),
            calls: calls.collect(),
        };
    }
    if !structured {
        return Answer::Text(crate::ports::strip_think(&answer.text).to_owned());
    }
    match parse_structured(&answer.text, answer.finish_reason.as_deref()) {
        Ok(parsed) => {
            if parsed.repaired {
                metrics::counter!("palimpsest_model_answers_repaired_total").increment(1);
            }
            Answer::Json(parsed.value)
        }
        Err(error) => Answer::Unreadable(error.to_string()),
    }
}

/// Asks a model, with as many tries as the policy and the log allow.
pub(crate) async fn ask_model(
    place: &Place<'_>,
    run: &Run,
    known: &Turn,
    turn: &ModelTurn,
    work: &Work,
    turns: &[TurnResult],
) -> Result<(TurnResult, Made), Stop> {
    let offline = run.settings.ports.is_offline();
    let pictures = shown(place, turn, offline).await?;
    let mut asking = Asking::new(place, run, turn, pictures)?;
    if offline {
        asking.request.model = OFFLINE.to_owned();
        let answer = offline::answer(turn, work, turns);
        return Ok(asking.made(&answer, known.failed_tries + 1, Duration::ZERO, None));
    }
    let fallback = run.settings.models.get(FALLBACK);
    if let Some(spooled) = asking.spooled_answer(fallback)? {
        let key = asking.request.idempotency_key.clone();
        return Ok(asking.made(&spooled, known.failed_tries + 1, Duration::ZERO, Some(key)));
    }
    let retry = place.engine.0.parts.limits.retry;
    let tries_max = retry.max_tries * if fallback.is_some() { 2 } else { 1 };
    let mut failed = known.failed_tries;
    loop {
        let try_number = failed + 1;
        if try_number > tries_max {
            return Err(Stop::fail(
                "model_failed",
                "the model gave no answer in any try",
                true,
            ));
        }
        if let Some(fallback) = fallback.filter(|_| try_number > retry.max_tries) {
            asking.request.model.clone_from(fallback);
        }
        if try_number > 1 || place.turn > 0 {
            admit(place, try_number).await?;
        }
        let (error, latency) = match asking.exchange(run, try_number).await? {
            Ok((answer, latency)) => {
                let key = asking.request.idempotency_key.clone();
                return Ok(asking.made(&answer, try_number, latency, Some(key)));
            }
            Err(failed) => failed,
        };
        asking.record_failure(&error, try_number, latency).await?;
        failed += 1;
        let tried = if failed > retry.max_tries {
            failed - retry.max_tries
        } else {
            failed
        };
        match retry.pause_after(tried, &error, fresh_seed()) {
            Some(pause) => {
                if error.kind == ModelErrorKind::RateLimited {
                    place.engine.0.limiter.hold_off(pause);
                }
                rest(place.cancel, pause).await?;
            }
            // The other model may still answer.
            None if fallback.is_some() && failed <= retry.max_tries => failed = retry.max_tries,
            None => {
                let message = format!("{error}; {}", advice(error.kind));
                return Err(Stop::fail("model_failed", &message, error.retryable()));
            }
        }
    }
}

/// What a person can do about a call that keeps failing.
fn advice(kind: ModelErrorKind) -> &'static str {
    match kind {
        ModelErrorKind::Unreachable => {
            "check that OPENAI_BASE_URL is the provider's address and that it is up, then resume the run"
        }
        ModelErrorKind::Auth => "check OPENAI_API_KEY, then resume the run",
        ModelErrorKind::OutOfCredit => "see to the account at the provider, then resume the run",
        ModelErrorKind::Rejected => "check the model's name and what it takes, then resume the run",
        ModelErrorKind::NotKept => "make room on the disk of the data folder, then resume the run",
        ModelErrorKind::Timeout
        | ModelErrorKind::RateLimited
        | ModelErrorKind::Server
        | ModelErrorKind::Cut
        | ModelErrorKind::Malformed
        | ModelErrorKind::Cancelled => "resume the run later",
    }
}

/// The conversation: the prompt with its pictures, and what was said since.
fn messages(
    system: String,
    user: String,
    pictures: Vec<MessagePicture>,
    talk: &[Exchange],
) -> Vec<Message> {
    let prompt = Message {
        pictures,
        ..Message::new(Role::User, user)
    };
    let mut messages = vec![Message::new(Role::System, system), prompt];
    messages.extend(talk.iter().map(|exchange| match exchange {
        Exchange::Said { text, calls } => {
            let tool_calls = calls.iter().map(|call| ToolCall {
                id: call.id.clone(),
                name: call.name.clone(),
                arguments: call.arguments.clone(),
            });
            Message {
                tool_calls: tool_calls.collect(),
                ..Message::new(Role::Assistant, text.as_str())
            }
        }
        Exchange::Returned { call, output } => Message::tool_result(call, output),
        Exchange::Told(text) => Message::new(Role::User, text.as_str()),
    }));
    messages
}

fn tool_spec(tool: &Tool) -> ToolSpec {
    ToolSpec {
        name: tool.name.to_owned(),
        description: tool.description.to_owned(),
        parameters: tool.parameters.clone(),
    }
}

/// One question, prepared.
struct Asking<'a> {
    place: &'a Place<'a>,
    turn: &'a ModelTurn,
    request: ModelRequest,
    prompt: domain::event::PromptRef,
    settings: domain::settings::Settings,
}

impl<'a> Asking<'a> {
    fn new(
        place: &'a Place<'a>,
        run: &Run,
        turn: &'a ModelTurn,
        pictures: Vec<MessagePicture>,
    ) -> Result<Self, Stop> {
        let rendered = place.engine.0.parts.prompts.render(turn.prompt, &turn.vars);
        let rendered = rendered.map_err(|error| Stop::fail("prompt", &error.to_string(), false))?;
        let request = ModelRequest {
            role: turn.role.to_owned(),
            model: run
                .settings
                .model_for(turn.role)
                .unwrap_or_default()
                .to_owned(),
            messages: messages(rendered.system, rendered.user, pictures, &turn.talk),
            schema: turn.schema.as_ref().map(|(name, schema)| NamedSchema {
                name: (*name).to_owned(),
                schema: schema.clone(),
            }),
            tools: turn.tools.iter().map(tool_spec).collect(),
            temperature: rendered.temperature,
            max_output_tokens: turn.max_output_tokens,
            idempotency_key: idempotency_key(place.stream, place.step, place.attempt, place.turn),
        };
        Ok(Self {
            place,
            turn,
            request,
            prompt: rendered.prompt,
            settings: run.settings.clone(),
        })
    }

    /// The question as it is kept for audit, with the model that is asked now.
    fn body(&self) -> Blob {
        Blob::of(serde_json::to_vec(&self.request).expect("a request has only text keys"))
    }

    /// An answer that had arrived when its process died. One to another question (the prompt was changed meanwhile), or one
    /// that cannot be read, makes room for a new call.
    fn spooled_answer(&mut self, fallback: Option<&String>) -> Result<Option<ModelAnswer>, Stop> {
        let Some(spool) = &self.place.engine.0.parts.spool else {
            return Ok(None);
        };
        let key = &self.request.idempotency_key;
        let found = spool
            .complete_answer(key)
            .map_err(|error| Stop::fail("spool", &error.to_string(), true))?;
        let Some(spooled) = found else {
            return Ok(None);
        };
        let asked = std::iter::once(self.request.model.clone()).chain(fallback.cloned());
        for model in asked {
            let request = ModelRequest {
                model,
                ..self.request.clone()
            };
            if request.hash() == spooled.request_hash
                && let Ok(answer) = parse_sse(spooled.answer.clone())
            {
                // The key stands beside the request and is not part of its hash.
                self.request = request;
                return Ok(Some(answer));
            }
        }
        self.remove_spooled();
        Ok(None)
    }

    /// One exchange, within the limits of the provider and the working time of the run. The outer error ends the step.
    async fn exchange(
        &self,
        run: &Run,
        try_number: u32,
    ) -> Result<Result<(ModelAnswer, Duration), (ModelError, Duration)>, Stop> {
        let Place {
            engine,
            stream,
            step,
            attempt,
            cancel,
            ..
        } = *self.place;
        let Some(model) = &engine.0.parts.model else {
            let message = "this run was started with a model, and none is configured now; set the model and restart the server";
            return Err(Stop::fail("no_model", message, false));
        };
        let permit = tokio::select! {
            () = cancel.cancelled() => return Err(Stop::Over),
            permit = engine.0.limiter.permit(self.request.max_output_tokens) => permit,
        };
        self.crash(Point::BeforeCall);
        let spool = match &engine.0.parts.spool {
            None => None,
            Some(spool) => {
                let opened = spool.open(&self.request.idempotency_key, &self.request.hash());
                Some(opened.map_err(|error| Stop::fail("spool", &error.to_string(), true))?)
            }
        };
        engine.0.deltas.forget(stream, step);
        let mut sink = Sink {
            asking: self,
            spool,
            pieces: 0,
        };
        let started = std::time::Instant::now();
        let working_ms = run.budget.working_ms.saturating_sub(run.spent.working_ms);
        let answered = tokio::select! {
            answered = model.call(&self.request, &mut sink, cancel) => answered,
            () = tokio::time::sleep(Duration::from_millis(working_ms)) => {
                admit(self.place, try_number).await?;
                Err(ModelError::new(ModelErrorKind::Timeout, "the working time of the run ended during the call"))
            }
        };
        drop(permit);
        let latency = started.elapsed();
        metrics::histogram!("palimpsest_model_call_seconds", "role" => self.request.role.clone())
            .record(latency.as_secs_f64());
        match answered {
            Ok(answer) => {
                if let Some(spool) = sink.spool.take() {
                    spool
                        .finish()
                        .map_err(|error| Stop::fail("spool", &error.to_string(), true))?;
                }
                self.crash(Point::Answered);
                Ok(Ok((answer, latency)))
            }
            Err(_) if cancel.is_cancelled() => {
                tracing::debug!(step = %step, attempt, "a call was aborted");
                self.remove_spooled();
                Err(Stop::Over)
            }
            Err(error) => {
                self.remove_spooled();
                Ok(Err((error, latency)))
            }
        }
    }

    fn remove_spooled(&self) {
        if let Some(spool) = &self.place.engine.0.parts.spool
            && let Err(error) = spool.remove(&self.request.idempotency_key)
        {
            tracing::warn!(%error, "an unfinished answer could not be removed from the spool");
        }
    }

    fn crash(&self, point: Point) {
        if let Some(plan) = &self.place.engine.0.parts.crash {
            plan.reach(point);
        }
    }

    fn called(&self, body: &Blob, try_number: u32, latency: Duration) -> ModelCalled {
        ModelCalled {
            step: self.place.step.clone(),
            attempt: self.place.attempt,
            turn: self.place.turn,
            try_number,
            role: self.request.role.clone(),
            model: self.request.model.clone(),
            prompt: Some(self.prompt.clone()),
            request: body.reference().clone(),
            response: None,
            finish_reason: None,
            thought: None,
            usage: Usage::default(),
            cost_micros: 0,
            latency_ms: u64::try_from(latency.as_millis()).unwrap_or(u64::MAX),
            error: None,
        }
    }

    /// What the model thinks while it works with tools.
    fn thought(&self, answer: &ModelAnswer) -> Option<String> {
        if self.request.tools.is_empty() {
            return None;
        }
        let said = [&answer.text, &answer.reasoning].map(|said| said.trim());
        let said = said.into_iter().find(|said| !said.is_empty())?;
        Some(said.chars().take(THOUGHT_CHARS_MAX).collect())
    }

    fn made(
        self,
        answer: &ModelAnswer,
        try_number: u32,
        latency: Duration,
        spooled: Option<String>,
    ) -> (TurnResult, Made) {
        let (body, response) = (self.body(), Blob::of(answer.raw.clone()));
        let used = answer.usage.unwrap_or_default();
        let usage = Usage {
            input: used.input,
            output: used.output,
            cached: used.cached,
        };
        // Prices stand under the name that was asked for: providers answer with dated names.
        let cost_micros =
            self.settings
                .cost_micros(&self.request.model, usage.input, usage.cached, usage.output);
        let record = ModelCalled {
            model: answer.model.clone(),
            response: Some(response.reference().clone()),
            finish_reason: answer.finish_reason.clone(),
            thought: self.thought(answer),
            usage,
            cost_micros,
            ..self.called(&body, try_number, latency)
        };
        let result = TurnResult::Model {
            model: answer.model.clone(),
            answer: read_answer(Some(self.turn), answer),
        };
        let blobs = vec![body, response];
        (
            result,
            Made {
                record: RecordTurn::Model(record),
                blobs,
                spooled,
            },
        )
    }

    /// A try that gave no answer is in the log before the next one is made: the log bounds them.
    async fn record_failure(
        &self,
        error: &ModelError,
        try_number: u32,
        latency: Duration,
    ) -> Result<(), Stop> {
        let body = self.body();
        let mut record = self.called(&body, try_number, latency);
        record.error = Some(CallError {
            code: code(error.kind).to_owned(),
            message: error.message.clone(),
            retryable: error.retryable(),
            retry_after_ms: error
                .retry_after
                .map(|after| u64::try_from(after.as_millis()).unwrap_or(u64::MAX)),
        });
        metrics::counter!("palimpsest_model_errors_total", "code" => code(error.kind)).increment(1);
        let Place {
            engine,
            stream,
            step,
            attempt,
            turn,
            cancel,
        } = *self.place;
        let id = format!("turn:{step}:{attempt}:{turn}:{try_number}");
        let command = Command::RecordTurn(Box::new(RecordTurn::Model(record)));
        let mut request = Request::own(stream, &id, command, Actor::system(), vec![body]);
        persist(engine, stream, &mut request, cancel).await?;
        Ok(())
    }
}

pub(crate) fn code(kind: ModelErrorKind) -> &'static str {
    match kind {
        ModelErrorKind::Unreachable => "unreachable",
        ModelErrorKind::Timeout => "timeout",
        ModelErrorKind::RateLimited => "rate_limited",
        ModelErrorKind::Server => "server",
        ModelErrorKind::Cut => "cut",
        ModelErrorKind::Rejected => "rejected",
        ModelErrorKind::Auth => "auth",
        ModelErrorKind::Malformed => "malformed",
        ModelErrorKind::Cancelled => "cancelled",
        ModelErrorKind::OutOfCredit => "out_of_credit",
        ModelErrorKind::NotKept => "not_kept",
    }
}

/// Where an answer goes while it is made: into the spool, and to whoever listens.
struct Sink<'a> {
    asking: &'a Asking<'a>,
    spool: Option<SpoolWriter>,
    pieces: u64,
}

impl AnswerSink for Sink<'_> {
    fn bytes(&mut self, raw: &[u8]) -> std::io::Result<()> {
        if let Some(spool) = &mut self.spool {
            spool.write(raw)?;
        }
        self.pieces += 1;
        if self.pieces == 1 {
            self.asking.crash(Point::DuringAnswer);
        }
        Ok(())
    }

    fn text(&mut self, delta: &str) {
        let Place {
            engine,
            stream,
            step,
            attempt,
            ..
        } = *self.asking.place;
        engine.0.deltas.say(stream, step, attempt, delta);
    }
}

/// Whether another exchange may be made; waits while a person is asked about the budget.
pub(crate) async fn admit(place: &Place<'_>, try_number: u32) -> Result<(), Stop> {
    let Place {
        engine,
        stream,
        step,
        attempt,
        turn,
        cancel,
    } = *place;
    let mut changes = engine.log().watch_stream(stream);
    loop {
        let version = engine.session(stream).await?.version;
        let id = format!("admit:{step}:{attempt}:{turn}:{try_number}:{version}");
        let command = Command::AdmitTurn(AdmitTurn {
            step: step.clone(),
            attempt,
        });
        match engine
            .send_own(stream, &id, command, Actor::system(), vec![])
            .await
        {
            Ok(applied) if applied.events.is_empty() => return Ok(()),
            Ok(_) | Err(SendError::Refused(commands::Refusal::BudgetUsedUp { .. })) => {}
            Err(error) => return Err(error.into()),
        }
        tokio::select! {
            () = cancel.cancelled() => return Err(Stop::Over),
            changed = changes.changed() => if changed.is_err() { return Err(Stop::Over) },
        }
    }
}

pub(crate) async fn rest(cancel: &CancellationToken, pause: Duration) -> Result<(), Stop> {
    tokio::select! {
        () = cancel.cancelled() => Err(Stop::Over),
        () = tokio::time::sleep(pause) => Ok(()),
    }
}

/// How long a tool worked. The time in which a person thinks is nobody's work.
fn worked_ms(tool: &str, elapsed: Duration) -> u64 {
    if tool == ASK_USER {
        return 0;
    }
    u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX)
}

/// Calls a tool. That it is called is in the log before, so that clients see it; what it gave goes there with what follows.
pub(crate) async fn call_tool(
    place: &Place<'_>,
    turn: &ToolTurn,
) -> Result<(TurnResult, Made), Stop> {
    let Place {
        engine,
        stream,
        step,
        attempt,
        turn: number,
        cancel,
    } = *place;
    if number > 0 {
        admit(place, 1).await?;
    }
    let tool = turn.tool.clone();
    let called = ToolCalled {
        step: step.clone(),
        attempt,
        turn: number,
        tool: tool.clone(),
        input: turn.input.clone(),
    };
    let id = format!("tool:{step}:{attempt}:{number}");
    let command = Command::RecordTurn(Box::new(RecordTurn::ToolCalled(called)));
    let mut request = Request::own(stream, &id, command, Actor::system(), vec![]);
    persist(engine, stream, &mut request, cancel).await?;
    let started = std::time::Instant::now();
    let mut spooled = None;
    let ToolOutcome {
        output,
        summary,
        error,
        blobs,
        cost_micros,
    } = match &turn.gives {
        Some(outcome) => outcome.clone(),
        // It sees to being cancelled itself, and leaves nothing behind in the spool.
        None if pictures::is_paid(&turn.tool) => {
            let (outcome, key) = pictures::draw(place, turn).await?;
            spooled = key;
            outcome
        }
        None => tokio::select! {
            () = cancel.cancelled() => return Err(Stop::Over),
            outcome = tools::run(place, turn) => outcome?,
        },
    };
    let raw = Blob::of(output.to_string());
    let returned = ToolReturned {
        step: step.clone(),
        attempt,
        turn: number,
        tool,
        output: raw.reference().clone(),
        summary,
        latency_ms: worked_ms(&turn.tool, started.elapsed()),
        cost_micros,
        error,
    };
    let mut kept = vec![raw];
    kept.extend(blobs.into_iter().map(Blob::of));
    Ok((
        TurnResult::Tool { output },
        Made {
            record: RecordTurn::ToolReturned(returned),
            blobs: kept,
            spooled,
        },
    ))
}
