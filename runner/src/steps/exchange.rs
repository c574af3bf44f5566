//! One question to a model: prepared, asked in as many exchanges as it takes, and made into what the log records of it.

use std::sync::Arc;
use std::time::Duration;

use commands::{Command, RecordTurn};
use domain::asking;
use domain::carry::{Exchange, ModelTurn, Tool, TurnResult};
use domain::event::{CallError, ModelCalled, PromptRef, THOUGHT_CHARS_MAX, Usage};
use domain::hash::Blob;
use domain::masking::Mask;
use domain::session::Run;
use domain::settings::{OFFLINE, Settings};

use super::Workshop;
use super::answer::read_answer;
use super::tries::raised_spare;
use super::unrecorded::{UnrecordedTurn, turn_id};
use crate::clock::fresh_id;
use crate::crash::Point;
use crate::ports::habits::THINKING_TOKENS;
use crate::ports::spool::SpoolWriter;
use crate::ports::{
    self, AnswerSink, Message, MessagePicture, ModelAnswer, ModelError, ModelErrorKind,
    ModelRequest, NamedSchema, Role, ToolSpec, parse_sse,
};
use crate::sessions::{Keeping, StepContext, Stop};
use crate::waits::{WaitGuard, WaitReason};

/// What is asked for where an answer was a loop: the middle of what OpenAI recommends against repetitions, so that the marks of a format,
/// which come again and again, too, stay likely.
const LOOP_PENALTY: f32 = 0.5;

/// A question that is ready to be asked.
pub(crate) struct Asking<'a> {
    workshop: &'a Workshop,
    context: &'a StepContext<'a>,
    turn: &'a ModelTurn,
    /// What the model is not shown.
    mask: Mask,
    pub(crate) request: ModelRequest,
    /// The limit of output that the model was last asked with, before it was raised.
    limit: Option<u32>,
    prompt: PromptRef,
    settings: Arc<Settings>,
}

/// How an exchange went.
pub(crate) struct Exchanged {
    pub(crate) outcome: Result<ModelAnswer, ModelError>,
    pub(crate) latency: Duration,
    /// What refusals on the way taught, for people.
    pub(crate) learned: Vec<String>,
    /// The key under which the answer is in the spool.
    pub(crate) spooled: Option<String>,
    /// The text that had arrived of an answer that broke off.
    pub(crate) broken_off: Option<String>,
    /// Which call gave it; empty where no call was made.
    pub(crate) call: String,
}

impl Exchanged {
    /// An answer that was there at once, without a call.
    pub(crate) fn at_once(answer: &ModelAnswer) -> Self {
        Self {
            outcome: Ok(answer.clone()),
            latency: Duration::ZERO,
            learned: vec![],
            spooled: None,
            broken_off: None,
            call: String::new(),
        }
    }
}

impl<'a> Asking<'a> {
    pub(crate) fn new(
        workshop: &'a Workshop,
        context: &'a StepContext<'a>,
        run: &Run,
        turn: &'a ModelTurn,
        pictures: Vec<MessagePicture>,
    ) -> Result<Self, Stop> {
        let prompts = &workshop.parts.prompts;
        let mask = asking::mask(turn);
        let hidden = asking::hide_question(turn, &mask);
        let rendered = prompts.render(turn.prompt, &hidden.vars, &hidden.talk);
        let rendered = rendered.map_err(|error| Stop::fail("prompt", &error.to_string(), false))?;
        let request = ModelRequest {
            role: turn.role.to_owned(),
            model: run
                .settings
                .model_for(turn.role)
                .unwrap_or_default()
                .to_owned(),
            messages: messages(rendered.system, rendered.user, pictures, &rendered.talk),
            schema: hidden.schema.map(|(name, schema)| NamedSchema {
                name: name.to_owned(),
                schema,
            }),
            tools: hidden.tools.iter().map(tool_spec).collect(),
            temperature: rendered.temperature,
            frequency_penalty: None,
            max_output_tokens: turn.max_output_tokens,
            spare_tokens: THINKING_TOKENS,
            idempotency_key: context.key(),
        };
        Ok(Self {
            workshop,
            context,
            turn,
            mask,
            request,
            limit: None,
            prompt: rendered.prompt,
            settings: Arc::clone(&run.settings),
        })
    }

    /// The question as it is kept for audit, with the model that is asked now.
    fn body(&self) -> Blob {
        Blob::of(serde_json::to_vec(&self.request).expect("a request has only text keys"))
    }

    /// Looks for an answer that had arrived when its process died, to this question with any of these models and limits of output. An
    /// answer to another question (the prompt was changed meanwhile), or one that cannot be read, is removed to make room for a new call.
    pub(crate) async fn spooled_answer(
        &mut self,
        models: &[&str],
        limits: &[u32],
    ) -> Result<Option<Exchanged>, Stop> {
        let Some(spool) = self.workshop.spool() else {
            return Ok(None);
        };
        let key = self.request.idempotency_key.clone();
        let found = spool
            .find(self.context.stream, &key)
            .await
            .map_err(|error| Stop::fail("spool", &error.to_string(), true))?;
        let Some(spooled) = found else {
            return Ok(None);
        };
        for model in models {
            for (limit, was_loop) in limits.iter().flat_map(|at| [(at, false), (at, true)]) {
                self.of(model, *limit, was_loop);
                if self.request.hash() == spooled.request_hash
                    && let Ok(answer) = parse_sse(spooled.answer.clone())
                {
                    return Ok(Some(Exchanged {
                        spooled: Some(key),
                        call: spooled.call,
                        ..Exchanged::at_once(&answer)
                    }));
                }
            }
        }
        self.remove_spooled().await;
        Ok(None)
    }

    /// Whether the model would really have more room with this limit of output.
    pub(crate) fn can_raise(&self, limit: u32) -> bool {
        let Some(model) = &self.workshop.parts.model else {
            return false;
        };
        let raised = ModelRequest {
            max_output_tokens: limit,
            spare_tokens: self.spare_tokens(limit),
            ..self.request.clone()
        };
        let before = || model.output_tokens(&self.request);
        let limit = self.limit.unwrap_or_else(before);
        model.output_tokens(&raised) > limit
    }

    /// Asks this model, with this many tokens for its answer, and otherwise than before where it has said the same again and again.
    pub(crate) fn of(&mut self, model: &str, max_output_tokens: u32, was_loop: bool) {
        model.clone_into(&mut self.request.model);
        self.request.frequency_penalty = was_loop.then_some(LOOP_PENALTY);
        self.request.max_output_tokens = max_output_tokens;
        self.request.spare_tokens = self.spare_tokens(max_output_tokens);
        if max_output_tokens == self.turn.max_output_tokens {
            let model = self.workshop.parts.model.as_ref();
            self.limit = model.map(|model| model.output_tokens(&self.request));
        }
    }

    /// What a model that thinks may use on top of a limit of output; raised with it.
    fn spare_tokens(&self, max_output_tokens: u32) -> u32 {
        let usual = self.turn.max_output_tokens;
        if max_output_tokens > usual {
            // That it thinks may have been learned from the answer that was cut off.
            let limit = self.limit.unwrap_or(usual + THINKING_TOKENS);
            raised_spare(usual, max_output_tokens, limit)
        } else {
            THINKING_TOKENS
        }
    }

    /// One exchange, within the limits of the provider and the working time of the run. The outer error ends the step.
    pub(crate) async fn exchange(&self, run: &Run, try_number: u32) -> Result<Exchanged, Stop> {
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
        let keeping = Keeping {
            spool: self.workshop.spool(),
            crash: self.workshop.parts.crash.as_ref(),
        };
        let (model_name, tokens) = (&self.request.model, self.request.max_output_tokens);
        let waits = self.context.waits;
        let limiter = &self.workshop.limiter;
        let permit = limiter.permit(model_name, tokens, Some(waits));
        let hash = self.request.hash();
        let begun = self.context.begin_call(permit, &hash, keeping);
        let (permit, spool) = begun.await?;
        let call_id = match &spool {
            Some(spool) => spool.call().to_owned(),
            None => fresh_id(),
        };
        self.workshop.deltas.forget(stream, step);
        let mut sink = Sink {
            asking: self,
            spool,
            pieces: 0,
            text: String::new(),
            learned: vec![],
            waiting: Some(waits.begin(WaitReason::FirstByte)),
        };
        let started = std::time::Instant::now();
        let working_ms = run.budget.working_ms.saturating_sub(run.spent.working_ms);
        let call = self
            .context
            .unless_overtaken(model.call(&self.request, &mut sink, cancel));
        let answered = tokio::select! {
            biased;
            answered = call => answered,
            () = tokio::time::sleep(Duration::from_millis(working_ms)) => {
                Box::pin(self.context.admit(try_number)).await?;
                Ok(Err(ModelError::new(ModelErrorKind::Timeout, "the working time of the run ended during the call")))
            }
        };
        let answered = match answered {
            Ok(answered) => answered,
            Err(stop) => {
                tracing::info!(step = %step, attempt, "a call was given up, because another process has recorded an answer");
                return Err(stop);
            }
        };
        // An answer without a byte is no longer waited for either.
        sink.waiting = None;
        drop(permit);
        let latency = started.elapsed();
        metrics::histogram!("palimpsest_model_call_seconds", "role" => self.turn.role)
            .record(latency.as_secs_f64());
        let learned = std::mem::take(&mut sink.learned);
        match answered {
            Ok(answer) => {
                self.context.answered(sink.spool.take(), keeping).await?;
                Ok(Exchanged {
                    outcome: Ok(answer),
                    latency,
                    learned,
                    spooled: Some(self.request.idempotency_key.clone()),
                    broken_off: None,
                    call: call_id,
                })
            }
            Err(_) if cancel.is_cancelled() => {
                tracing::debug!(step = %step, attempt, "a call was aborted");
                Err(Stop::Over)
            }
            Err(error) => Ok(Exchanged {
                outcome: Err(error),
                latency,
                learned,
                spooled: None,
                broken_off: (sink.pieces > 0).then_some(sink.text),
                call: call_id,
            }),
        }
    }

    async fn remove_spooled(&self) {
        let key = &self.request.idempotency_key;
        if let Some(spool) = self.workshop.spool()
            && let Err(error) = spool.remove_all(self.context.stream, key).await
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
            learned: vec![],
            error: None,
        }
    }

    /// What an answer used, as the provider counted it or else as it is estimated, and what that costs.
    fn used(&self, answer: &ModelAnswer) -> (Usage, u64) {
        let is_offline = self.request.model == OFFLINE;
        let estimate = || ports::Usage::estimated(&self.request.messages, answer);
        let used = match answer.usage {
            Some(used) => used,
            None if is_offline => ports::Usage::default(),
            None => estimate(),
        };
        let usage = Usage {
            input: used.input,
            output: used.output,
            cached: used.cached,
            estimated: answer.usage.is_none() && !is_offline,
        };
        (usage, self.cost(&usage))
    }

    /// The same for an answer that broke off: its tokens were used all the same.
    fn used_before_the_end(&self, text: &str) -> (Usage, u64) {
        let used = ports::Usage::broken_off(&self.request.messages, text);
        let usage = Usage {
            input: used.input,
            output: used.output,
            cached: 0,
            estimated: true,
        };
        (usage, self.cost(&usage))
    }

    /// Prices are configured under the name that was asked for; providers answer with names that contain a date.
    fn cost(&self, usage: &Usage) -> u64 {
        self.settings
            .cost_micros(&self.request.model, usage.input, usage.cached, usage.output)
    }

    /// What the model thinks while it works with tools.
    fn thought(&self, answer: &ModelAnswer) -> Option<String> {
        if self.request.tools.is_empty() {
            return None;
        }
        let said = [&answer.text, &answer.reasoning].map(|said| said.trim());
        let said = said.into_iter().find(|said| !said.is_empty())?;
        let said = self.mask.show(said);
        Some(said.chars().take(THOUGHT_CHARS_MAX).collect())
    }

    pub(crate) fn made(
        self,
        answer: &ModelAnswer,
        try_number: u32,
        exchanged: &Exchanged,
    ) -> (TurnResult, UnrecordedTurn) {
        let (body, response) = (self.body(), Blob::of(answer.raw.clone()));
        let (usage, cost_micros) = self.used(answer);
        let record = ModelCalled {
            model: answer.model.as_str().into(),
            response: Some(response.reference().clone()),
            finish_reason: answer.finish_reason.as_deref().map(Into::into),
            thought: self.thought(answer),
            usage,
            cost_micros,
            learned: exchanged.learned.clone(),
            ..self.called(&body, try_number, exchanged.latency)
        };
        let result = TurnResult::Model {
            model: answer.model.as_str().into(),
            answer: asking::show_answer(read_answer(Some(self.turn), answer), &self.mask),
        };
        let blobs = vec![body, response];
        (
            result,
            UnrecordedTurn {
                record: RecordTurn::Model(Box::new(record)),
                blobs,
                spooled: exchanged.spooled.clone(),
                call: exchanged.call.clone(),
            },
        )
    }

    /// Records a try that gave no answer before the next one is made, because the log limits the number of tries. An answer that cannot be
    /// used was paid for, too, and is kept.
    pub(crate) async fn record_failure(
        &self,
        error: CallError,
        try_number: u32,
        exchanged: &Exchanged,
    ) -> Result<(), Stop> {
        let body = self.body();
        let mut record = self.called(&body, try_number, exchanged.latency);
        let mut blobs = vec![body];
        if let Ok(answer) = &exchanged.outcome {
            let response = Blob::of(answer.raw.clone());
            record.response = Some(response.reference().clone());
            record.finish_reason = answer.finish_reason.as_deref().map(Into::into);
            (record.usage, record.cost_micros) = self.used(answer);
            blobs.push(response);
        } else if let Some(text) = &exchanged.broken_off {
            (record.usage, record.cost_micros) = self.used_before_the_end(text);
        }
        metrics::counter!("palimpsest_model_errors_total", "code" => error.code.clone())
            .increment(1);
        record.learned.clone_from(&exchanged.learned);
        record.error = Some(error);
        let record = RecordTurn::Model(Box::new(record));
        let id = turn_id(&record, &exchanged.call, self.context.hold);
        let command = Command::RecordTurn(Box::new(record));
        self.context.persist(&id, command, blobs).await?;
        if exchanged.spooled.is_some() {
            self.remove_spooled().await;
        }
        Ok(())
    }
}

/// Where an answer goes while it is made: into the spool, and to whoever listens.
struct Sink<'a> {
    asking: &'a Asking<'a>,
    spool: Option<SpoolWriter>,
    pieces: u64,
    text: String,
    learned: Vec<String>,
    /// Until the first byte.
    waiting: Option<WaitGuard<'a>>,
}

impl AnswerSink for Sink<'_> {
    fn bytes(&mut self, raw: &[u8]) -> std::io::Result<()> {
        self.waiting = None;
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
        self.text.push_str(delta);
    }

    fn learned(&mut self, told: &str) {
        self.learned.push(told.to_owned());
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
        Exchange::Said {
            text,
            calls,
            beside,
        } => Message {
            tool_calls: calls.clone(),
            beside: beside.clone(),
            ..Message::new(Role::Assistant, text.as_str())
        },
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
