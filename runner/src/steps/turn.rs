//! One turn: a model or a tool is asked, at most once. An answer that was paid for is found again in the log or in the
//! spool; only what is in neither is asked for.

use std::time::Duration;

use commands::{Command, RecordTurn};
use domain::asking;
use domain::carry::{ModelTurn, ToolOutcome, ToolTurn, TurnResult, Work};
use domain::event::{ToolCalled, ToolReturned};
use domain::flow::MODEL_FAILED;
use domain::hash::Blob;
use domain::session::{FailedTry, Run, Turn};
use domain::settings::OFFLINE;
use domain::text::MODEL_SETTINGS;
use smol_str::SmolStr;

use super::Workshop;
use super::exchange::{Asking, Exchanged};
use super::offline;
use super::shown::shown;
use super::tries::{NextTry, Tries, raised};
use super::unrecorded::UnrecordedTurn;
use crate::clock::fresh_seed;
use crate::ports::{ModelErrorKind, RetryPolicy};
use crate::sessions::{StepContext, Stop};
use crate::tools::{self, ToolContext};

/// The name in the settings of the model that is asked where the one of the role keeps failing.
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
        let author = || offline::answer(authors, turn, work, turns);
        let answer = workshop.computing.run(author).await;
        let answer = answer.ok_or_else(|| without_author(turn.prompt))?;
        let number = Tries::new(OFFLINE, None, &known.failed, workshop.parts.limits.retry).number();
        let exchanged = Exchanged::at_once(&answer);
        return Ok(asking.made(&answer, number, &exchanged));
    }
    let fallback = run.settings.models.get(FALLBACK).map(String::as_str);
    let first = asking.request.model.clone();
    let policy = workshop.parts.limits.retry;
    let mut tries = Tries::new(&first, fallback, &known.failed, policy);
    let clock = &workshop.parts.clock;
    let limits = [turn.max_output_tokens, raised(turn.max_output_tokens)];
    let mut spooled = Box::pin(asking.spooled_answer(tries.models(), &limits)).await?;
    loop {
        let now = clock.now();
        let is_closed = |model: &str| {
            let by_run = run.closed_models.get(model);
            by_run.is_some_and(|until| *until > now) || workshop.closed.is_closed(model, now)
        };
        let number = tries.number();
        let exchanged = match spooled.take() {
            Some(spooled) => spooled,
            None => {
                let Some(next) = tries.next(is_closed) else {
                    return Err(given_up(tries.last(), policy));
                };
                let limit = limits[usize::from(next.was_cut)];
                asking.of(next.model, limit, next.was_loop);
                wait_for_turn(workshop, context, &next, tries.last()).await?;
                if number > 1 || context.turn > 0 {
                    Box::pin(context.admit(number)).await?;
                }
                asking.exchange(run, number).await?
            }
        };
        let model = asking.request.model.clone();
        let can_raise = asking.can_raise(limits[1]);
        let has_other_model = tries.models().len() > 1;
        let has_room = can_raise || has_other_model;
        let has_another = asking.request.frequency_penalty.is_none() || has_other_model;
        let can_ask_again = |kind| {
            (kind != ModelErrorKind::Length || has_room)
                && (kind != ModelErrorKind::Loop || has_another)
        };
        let error = match &exchanged.outcome {
            Err(error) => error.clone(),
            Ok(answer) => match answer.fault(&asking.request) {
                // What came has to be said in less, or once, which the next attempt is told.
                Some(fault) if answer.says_nothing() || can_ask_again(fault.kind) => fault,
                Some(_) | None => {
                    workshop.closed.open(&model);
                    return Ok(asking.made(answer, number, &exchanged));
                }
            },
        };
        let told = tries.after(&model, &error, clock.now(), fresh_seed(), can_raise);
        if let Some(until) = told.closed_until {
            workshop.closed.close(&model, until, error.kind);
        }
        Box::pin(asking.record_failure(told.clone(), number, &exchanged)).await?;
        tries.failed(&model, told);
    }
}

/// The answer in the spool to a turn of an attempt that no longer asks for anything; `None` where the spool has no answer to this question.
pub(crate) async fn spooled(
    workshop: &Workshop,
    context: &StepContext<'_>,
    run: &Run,
    known: &Turn,
    turn: &ModelTurn,
) -> Result<Option<UnrecordedTurn>, Stop> {
    let offline = run.settings.ports.is_offline();
    let pictures = shown(context, turn, offline).await?;
    let mut asking = Asking::new(workshop, context, run, turn, pictures)?;
    let fallback = run.settings.models.get(FALLBACK).map(String::as_str);
    let first = asking.request.model.clone();
    let policy = workshop.parts.limits.retry;
    let tries = Tries::new(&first, fallback, &known.failed, policy);
    let limits = [turn.max_output_tokens, raised(turn.max_output_tokens)];
    let found = asking.spooled_answer(tries.models(), &limits).await?;
    let made = found.and_then(|exchanged| {
        let answer = exchanged.outcome.as_ref().ok()?;
        Some(asking.made(answer, tries.number(), &exchanged).1)
    });
    Ok(made)
}

/// Waits until the model may be asked again.
async fn wait_for_turn(
    workshop: &Workshop,
    context: &StepContext<'_>,
    next: &NextTry<'_>,
    last: Option<&FailedTry>,
) -> Result<(), Stop> {
    let now = workshop.parts.clock.now();
    let pause = next.at.and_then(|at| (at - now).to_std().ok());
    let Some(pause) = pause.filter(|pause| !pause.is_zero()) else {
        return Ok(());
    };
    let had_too_many =
        last.is_some_and(|last| last.error.code == ModelErrorKind::RateLimited.code());
    let limiter = &workshop.limiter;
    let rests = context.rest_for_provider(limiter, next.model, had_too_many, pause);
    rests.await
}

/// How the attempt ends: with the words of the model's provider, and what can be done.
fn given_up(last: Option<&FailedTry>, policy: RetryPolicy) -> Stop {
    let Some(FailedTry { error, .. }) = last else {
        let message = "no model is configured for this step; set one and start the run anew";
        return Stop::fail("no_model", message, false);
    };
    let told = error.retry_after_ms.map(Duration::from_millis);
    let is_too_long = told.is_some_and(|told| told > policy.longest_retry_after);
    let until = error.closed_until.filter(|_| is_too_long);
    let until = until.map(|until| {
        format!(
            "; the provider wants to be left alone until {}",
            until.format("%Y-%m-%d %H:%M UTC")
        )
    });
    let message = format!(
        "{}{}; {}",
        error.message,
        until.unwrap_or_default(),
        advice(&error.code)
    );
    let is_unreachable = error.code == ModelErrorKind::Unreachable.code();
    let is_final = is_too_long || (is_unreachable && policy.unreachable_tries.is_some());
    Stop::fail(MODEL_FAILED, &message, error.retryable && !is_final)
}

/// The error for a prompt that has no offline author; a further attempt would fail in the same way.
fn without_author(prompt: &str) -> Stop {
    let message = format!(
        "there is no model, and no offline author is registered for the prompt `{prompt}`: set a model ({MODEL_SETTINGS}), or \
         register an author for it where the program is put together"
    );
    Stop::fail("no_offline_author", &message, false)
}

/// What a person can do about a call that keeps failing, by its code.
fn advice(code: &str) -> &'static str {
    let kind = ModelErrorKind::ALL
        .into_iter()
        .find(|kind| kind.code() == code);
    let Some(kind) = kind else {
        return "resume the run later";
    };
    match kind {
        ModelErrorKind::Unreachable => {
            "check that OPENAI_BASE_URL is the provider's address and that it is up, then resume the run"
        }
        ModelErrorKind::Auth => "check OPENAI_API_KEY, then resume the run",
        ModelErrorKind::OutOfCredit => "see to the account at the provider, then resume the run",
        ModelErrorKind::NoModel => {
            "check the model's name (PALIMPSEST_MODEL) and that OPENAI_BASE_URL is the provider's address, which mostly ends in `/v1`; \
             `palimpsest models check` tries both. Then resume the run"
        }
        ModelErrorKind::NotAnAnswer => {
            "check OPENAI_BASE_URL: the address of the interface mostly ends in `/v1`. Then resume the run"
        }
        ModelErrorKind::TooLong => {
            "give less material, or choose a model with a larger context, then start the run anew"
        }
        ModelErrorKind::Filtered | ModelErrorKind::Refused => {
            "change what is asked for, or choose another model, then resume the run"
        }
        ModelErrorKind::Empty | ModelErrorKind::Loop => {
            "choose another model, or resume the run to ask once more"
        }
        ModelErrorKind::Length => {
            "allow the model more (`output_tokens` of its family) or let it think less (`reasoning_effort`), then resume the run"
        }
        ModelErrorKind::Rejected => {
            "check the model's name and what it takes (`palimpsest models check`), then resume the run"
        }
        ModelErrorKind::NotKept => "make room on the disk of the data folder, then resume the run",
        ModelErrorKind::Timeout
        | ModelErrorKind::RateLimited
        | ModelErrorKind::Server
        | ModelErrorKind::Cut
        | ModelErrorKind::Malformed
        | ModelErrorKind::Cancelled => "resume the run later",
    }
}

/// Calls a tool. The log says that the tool is called before it is called, so that clients see it; the result goes into the log with what
/// follows.
pub(crate) async fn call_tool(
    workshop: &Workshop,
    context: &StepContext<'_>,
    turn: &ToolTurn,
    work: &Work,
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
    context.persist_beginning(&id, command).await?;
    let registered = workshop.parts.tools.find(&turn.tool);
    let input = match registered {
        Some(tool) if tool.asks_outside() => &asking::hidden_input(work, &turn.input),
        Some(_) | None => &turn.input,
    };
    let collections = workshop.collections.within(&context.stream.session);
    let projects = workshop.projects.within(&context.stream.session);
    let context = ToolContext {
        turn: *context,
        collections: &collections,
        projects: &projects,
        clock: &workshop.parts.clock,
        spool: workshop.spool(),
        retry: workshop.parts.limits.retry,
        crash: workshop.parts.crash.as_ref(),
        reader: &workshop.reader,
        embedder: workshop.parts.embedder.as_ref(),
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
        (None, None) => tools::unknown(&turn.tool, &workshop.parts.tools),
        (None, Some(tool)) if tool.is_paid() => {
            spooled = Some(context.key());
            tools::called(tool, &context, input).await?
        }
        (None, Some(tool)) => tokio::select! {
            () = cancel.cancelled() => return Err(Stop::Over),
            outcome = tools::called(tool, &context, input) => outcome?,
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
            call: String::new(),
        },
    ))
}
