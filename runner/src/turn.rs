//! One turn: a model or a tool is asked, at most once. An answer that was paid for is found again in the log or in the
//! spool; only what is in neither is asked for.

use std::time::Duration;

use bytes::Bytes;
use commands::{AdmitTurn, Command, RecordTurn};
use domain::carry::{Answer, Call, ModelTurn, ToolOutcome, ToolTurn, TurnResult, Work};
use domain::event::{ToolCalled, ToolReturned};
use domain::hash::{Blob, Sha256};
use domain::question::ASK_USER;
use domain::session::{Run, Turn, TurnAnswer};
use domain::{Actor, StepId};
use serde_json::Value;
use smol_str::{SmolStr, format_smolstr};
use store::StreamId;
use tokio_util::sync::CancellationToken;

use crate::clock::fresh_seed;
use crate::engine::Engine;
use crate::error::SendError;
use crate::exchange::Asking;
use crate::offline::{self, OFFLINE};
use crate::pictures;
use crate::ports::{ModelAnswer, ModelErrorKind, parse_sse, parse_structured};
use crate::process::Request;
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
    let (step, attempt) = (step.text(), format_smolstr!("{attempt}"));
    let turn = format_smolstr!("{turn}");
    let parts = [
        stream.owner.as_str(),
        stream.session.as_str(),
        &step,
        &attempt,
        &turn,
    ];
    Sha256::of_parts(parts.map(str::as_bytes)).to_string()
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

pub(crate) fn read_answer(asked: Option<&ModelTurn>, answer: &ModelAnswer) -> Answer {
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
            Box::pin(admit(place, try_number)).await?;
        }
        let (error, latency) = match asking.exchange(run, try_number).await? {
            Ok((answer, latency)) => {
                let key = asking.request.idempotency_key.clone();
                return Ok(asking.made(&answer, try_number, latency, Some(key)));
            }
            Err(failed) => failed,
        };
        Box::pin(asking.record_failure(&error, try_number, latency)).await?;
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
    let tool = SmolStr::from(turn.tool.as_str());
    let called = ToolCalled {
        step: step.clone(),
        attempt,
        turn: number,
        tool: tool.clone(),
        input: turn.input.clone(),
    };
    let id = format!("tool:{step}:{attempt}:{number}");
    let command = Command::RecordTurn(Box::new(RecordTurn::ToolCalled(called)));
    let request = Request::own(stream, &id, command, Actor::system(), vec![]);
    persist(engine, stream, &request, cancel).await?;
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
