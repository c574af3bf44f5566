//! One turn: a model or a tool is asked, at most once. An answer that was paid for is found again in the log or in the
//! spool; only what is in neither is asked for.

use std::time::Duration;

use commands::{Command, RecordTurn};
use domain::carry::{ModelTurn, ToolOutcome, ToolTurn, TurnResult, Work};
use domain::event::{ToolCalled, ToolReturned};
use domain::hash::Blob;
use domain::session::{Run, Turn};
use domain::settings::OFFLINE;
use smol_str::SmolStr;

use super::Workshop;
use super::exchange::Asking;
use super::offline;
use super::shown::shown;
use super::unrecorded::UnrecordedTurn;
use crate::clock::fresh_seed;
use crate::ports::ModelErrorKind;
use crate::sessions::{StepContext, Stop};
use crate::tools::{self, ToolContext};

/// The model named in settings for when the one of the role keeps failing.
const FALLBACK: &str = "fallback";

/// Asks a model, with as many tries as the policy and the log allow.
pub(crate) async fn ask_model(
    workshop: &Workshop,
    context: &StepContext<'_>,
    run: &Run,
    known: &Turn,
    turn: &ModelTurn,
    work: &Work,
    turns: &[TurnResult],
) -> Result<(TurnResult, UnrecordedTurn), Stop> {
    let offline = run.settings.ports.is_offline();
    let pictures = shown(context, turn, offline).await?;
    let mut asking = Asking::new(workshop, context, run, turn, pictures)?;
    if offline {
        asking.request.model = OFFLINE.to_owned();
        let authors = &workshop.parts.authors;
        let answer = offline::answer(authors, turn, work, turns)
            .ok_or_else(|| without_author(turn.prompt))?;
        return Ok(asking.made(&answer, known.failed_tries + 1, Duration::ZERO, None));
    }
    let fallback = run.settings.models.get(FALLBACK);
    if let Some(spooled) = asking.spooled_answer(fallback)? {
        let key = asking.request.idempotency_key.clone();
        return Ok(asking.made(&spooled, known.failed_tries + 1, Duration::ZERO, Some(key)));
    }
    let retry = workshop.parts.limits.retry;
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
        if try_number > 1 || context.turn > 0 {
            Box::pin(context.admit(try_number)).await?;
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
                    workshop.limiter.hold_off(pause);
                }
                context.rest(pause).await?;
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

/// A prompt that nobody answers offline; a further attempt would find nobody either.
fn without_author(prompt: &str) -> Stop {
    let message = format!(
        "there is no model, and no offline author is registered for the prompt `{prompt}`: set a model (OPENAI_API_KEY), or \
         register an author for it where the program is put together"
    );
    Stop::fail("no_offline_author", &message, false)
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

/// Calls a tool. That it is called is in the log before, so that clients see it; what it gave goes there with what follows.
pub(crate) async fn call_tool(
    workshop: &Workshop,
    context: &StepContext<'_>,
    turn: &ToolTurn,
) -> Result<(TurnResult, UnrecordedTurn), Stop> {
    let StepContext {
        step,
        attempt,
        turn: number,
        cancel,
        ..
    } = *context;
    if number > 0 {
        context.admit(1).await?;
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
    context.persist(&id, command, vec![]).await?;
    let registered = workshop.parts.tools.find(&turn.tool);
    let collections = workshop.collections.within(&context.stream.session);
    let context = ToolContext {
        turn: *context,
        collections: &collections,
        clock: &workshop.parts.clock,
        spool: workshop.spool(),
        retry: workshop.parts.limits.retry,
        crash: workshop.parts.crash.as_ref(),
    };
    let started = std::time::Instant::now();
    let mut spooled = None;
    let ToolOutcome {
        output,
        summary,
        error,
        blobs,
        cost_micros,
    } = match (&turn.gives, registered) {
        (Some(outcome), _) => outcome.clone(),
        (None, None) => tools::unknown(&turn.tool),
        (None, Some(tool)) if tool.is_paid() => {
            spooled = Some(context.key());
            tools::called(tool, &context, &turn.input).await?
        }
        (None, Some(tool)) => tokio::select! {
            () = cancel.cancelled() => return Err(Stop::Over),
            outcome = tools::called(tool, &context, &turn.input) => outcome?,
        },
    };
    let elapsed = match registered {
        Some(tool) if tool.waits_for_a_person() => Duration::ZERO,
        Some(_) | None => started.elapsed(),
    };
    let raw = Blob::of(output.to_string());
    let returned = ToolReturned {
        step: step.clone(),
        attempt,
        turn: number,
        tool,
        output: raw.reference().clone(),
        summary,
        latency_ms: u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX),
        cost_micros,
        error,
    };
    let mut kept = vec![raw];
    kept.extend(blobs.into_iter().map(Blob::of));
    Ok((
        TurnResult::Tool { output },
        UnrecordedTurn {
            record: RecordTurn::ToolReturned(returned),
            blobs: kept,
            spooled,
        },
    ))
}
