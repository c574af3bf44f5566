//! One question to a model: prepared, asked in as many exchanges as it takes, and made into what the log records of it.

use std::sync::Arc;
use std::time::Duration;

use commands::{Command, RecordTurn};
use domain::carry::{Exchange, ModelTurn, Tool, TurnResult};
use domain::event::{CallError, ModelCalled, PromptRef, THOUGHT_CHARS_MAX, Usage};
use domain::hash::Blob;
use domain::session::Run;
use domain::settings::Settings;

use super::Workshop;
use super::answer::read_answer;
use super::unrecorded::UnrecordedTurn;
use crate::crash::Point;
use crate::ports::spool::SpoolWriter;
use crate::ports::{
    AnswerSink, Message, MessagePicture, ModelAnswer, ModelError, ModelErrorKind, ModelRequest,
    NamedSchema, Role, ToolCall, ToolSpec, parse_sse,
};
use crate::sessions::{StepContext, Stop};

/// One question, prepared.
pub(crate) struct Asking<'a> {
    workshop: &'a Workshop,
    context: &'a StepContext<'a>,
    turn: &'a ModelTurn,
    pub(crate) request: ModelRequest,
    prompt: PromptRef,
    settings: Arc<Settings>,
}

impl<'a> Asking<'a> {
    pub(crate) fn new(
        workshop: &'a Workshop,
        context: &'a StepContext<'a>,
        run: &Run,
        turn: &'a ModelTurn,
        pictures: Vec<MessagePicture>,
    ) -> Result<Self, Stop> {
        let rendered = workshop.parts.prompts.render(turn.prompt, &turn.vars);
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
            idempotency_key: context.key(),
        };
        Ok(Self {
            workshop,
            context,
            turn,
            request,
            prompt: rendered.prompt,
            settings: Arc::clone(&run.settings),
        })
    }

    /// The question as it is kept for audit, with the model that is asked now.
    fn body(&self) -> Blob {
        Blob::of(serde_json::to_vec(&self.request).expect("a request has only text keys"))
    }

    /// An answer that had arrived when its process died. One to another question (the prompt was changed meanwhile), or one
    /// that cannot be read, makes room for a new call.
    pub(crate) fn spooled_answer(
        &mut self,
        fallback: Option<&String>,
    ) -> Result<Option<ModelAnswer>, Stop> {
        let Some(spool) = self.workshop.spool() else {
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
    pub(crate) async fn exchange(
        &self,
        run: &Run,
        try_number: u32,
    ) -> Result<Result<(ModelAnswer, Duration), (ModelError, Duration)>, Stop> {
        let StepContext {
            stream,
            step,
            attempt,
            cancel,
            ..
        } = *self.context;
        let Some(model) = &self.workshop.parts.model else {
            let message = "this run was started with a model, and none is configured now; set the model and restart the server";
            return Err(Stop::fail("no_model", message, false));
        };
        let permit = tokio::select! {
            () = cancel.cancelled() => return Err(Stop::Over),
            permit = self.workshop.limiter.permit(self.request.max_output_tokens) => permit,
        };
        self.crash(Point::BeforeCall);
        let spool = match self.workshop.spool() {
            None => None,
            Some(spool) => {
                let opened = spool.open(&self.request.idempotency_key, &self.request.hash());
                Some(opened.map_err(|error| Stop::fail("spool", &error.to_string(), true))?)
            }
        };
        self.workshop.deltas.forget(stream, step);
        let mut sink = Sink {
            asking: self,
            spool,
            pieces: 0,
        };
        let started = std::time::Instant::now();
        let working_ms = run.budget.working_ms.saturating_sub(run.spent.working_ms);
        let answered = tokio::select! {
            biased;
            answered = model.call(&self.request, &mut sink, cancel) => answered,
            () = tokio::time::sleep(Duration::from_millis(working_ms)) => {
                Box::pin(self.context.admit(try_number)).await?;
                Err(ModelError::new(ModelErrorKind::Timeout, "the working time of the run ended during the call"))
            }
        };
        drop(permit);
        let latency = started.elapsed();
        metrics::histogram!("palimpsest_model_call_seconds", "role" => self.turn.role)
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
        if let Some(spool) = self.workshop.spool()
            && let Err(error) = spool.remove(&self.request.idempotency_key)
        {
            tracing::warn!(%error, "an unfinished answer could not be removed from the spool");
        }
    }

    fn crash(&self, point: Point) {
        if let Some(plan) = &self.workshop.parts.crash {
            plan.reach(point);
        }
    }

    fn called(&self, body: &Blob, try_number: u32, latency: Duration) -> ModelCalled {
        ModelCalled {
            step: self.context.step.clone(),
            attempt: self.context.attempt,
            turn: self.context.turn,
            try_number,
            role: self.request.role.as_str().into(),
            model: self.request.model.as_str().into(),
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

    pub(crate) fn made(
        self,
        answer: &ModelAnswer,
        try_number: u32,
        latency: Duration,
        spooled: Option<String>,
    ) -> (TurnResult, UnrecordedTurn) {
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
            model: answer.model.as_str().into(),
            response: Some(response.reference().clone()),
            finish_reason: answer.finish_reason.as_deref().map(Into::into),
            thought: self.thought(answer),
            usage,
            cost_micros,
            ..self.called(&body, try_number, latency)
        };
        let result = TurnResult::Model {
            model: answer.model.as_str().into(),
            answer: read_answer(Some(self.turn), answer),
        };
        let blobs = vec![body, response];
        (
            result,
            UnrecordedTurn {
                record: RecordTurn::Model(record),
                blobs,
                spooled,
            },
        )
    }

    /// A try that gave no answer is in the log before the next one is made: the log bounds them.
    pub(crate) async fn record_failure(
        &self,
        error: &ModelError,
        try_number: u32,
        latency: Duration,
    ) -> Result<(), Stop> {
        let body = self.body();
        let mut record = self.called(&body, try_number, latency);
        record.error = Some(CallError {
            code: error.kind.code().to_owned(),
            message: error.message.clone(),
            retryable: error.retryable(),
            retry_after_ms: error
                .retry_after
                .map(|after| u64::try_from(after.as_millis()).unwrap_or(u64::MAX)),
        });
        metrics::counter!("palimpsest_model_errors_total", "code" => error.kind.code())
            .increment(1);
        let StepContext {
            step,
            attempt,
            turn,
            ..
        } = *self.context;
        let id = format!("turn:{step}:{attempt}:{turn}:{try_number}");
        let command = Command::RecordTurn(Box::new(RecordTurn::Model(record)));
        self.context.persist(&id, command, vec![body]).await
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
        let StepContext {
            stream,
            step,
            attempt,
            ..
        } = *self.asking.context;
        let deltas = &self.asking.workshop.deltas;
        deltas.say(stream, step, attempt, delta);
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
