//! Carries out one step: replays the turns that are in the log, makes those that are not, and reports the outcome as a
//! command.
//!
//! Hundreds of steps are carried out at once, each a task as large as the largest thing it may wait for. So what is rare, or
//! takes long anyway, is boxed: here, in the modules that make a turn, and below in deciding and appending.

use std::collections::BTreeMap;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use commands::{Command, FileChange, FinishStep, Finished, NewFile};
use domain::by_hand;
use domain::carry::{Carry, Material, Output, TurnResult, Work};
use domain::event::FilePut;
use domain::hash::Blob;
use domain::material;
use domain::pipeline::Pipeline;
use domain::session::{Run, Session, Turn, TurnAnswer};
use domain::{Actor, StepId};
use smol_str::format_smolstr;
use store::{Claim, StreamId};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::registry::Begun;
use super::unrecorded::{UnrecordedTurn, given, turn_id};
use super::{Workshop, answer, keep, loading, turn};
use crate::crash::Point;
use crate::ports::{SAID_NOTHING, TurnPlace};
use crate::sessions::{
    Applied, Hold, Pauses, Request, Sessions, StepContext, Stop, Turns, blobs, persist,
};
use crate::waits::{WaitLine, WaitReason};
use store::panics;

/// Turns of one attempt: a loop of 24 rounds in which a model calls 8 tools in each has 216; one that has not come to its end
/// by then goes in circles.
const TURNS_MAX: u32 = 256;

/// The code of an attempt in which the program itself went wrong.
const PANIC: &str = "panic";

/// Begins to carry out an attempt, unless that is being done.
pub(crate) fn begin(
    workshop: &Arc<Workshop>,
    sessions: impl Sessions + 'static,
    begun: Begun,
    due: DateTime<Utc>,
) {
    let Workshop {
        registry,
        hand_over,
        draining,
        ..
    } = &**workshop;
    let Some(leave) = registry.begin(&begun, hand_over, draining) else {
        return;
    };
    let workshop = Arc::clone(workshop);
    let tasks = workshop.tasks.clone();
    // Boxed, because a task moves its future when it begins and when it ends.
    tasks.spawn(Box::pin(async move {
        let hold = hold(&workshop, &begun, leave.overtaken);
        let (step, attempt) = (&begun.step, begun.attempt);
        let worker = Worker {
            workshop: &workshop,
            sessions: &sessions,
            stream: &begun.stream,
            step,
            attempt,
            cancel: &leave.cancel,
            halt: &leave.halt,
            hold: hold.as_ref(),
            settles: false,
        };
        // A panic while an outcome is being reported is reported in its place; if that panics as well, it can only be logged.
        if let Err(message) = panics::caught("step", worker.carry_out(due)).await
            && let Err(message) = panics::caught("step", worker.panicked(message)).await
        {
            tracing::error!(%step, attempt, message, "the outcome of a step could not be reported");
        }
        workshop.registry.end(&begun);
        if let Some(hold) = &hold {
            release(&workshop, &begun.stream, hold).await;
        }
    }));
}

/// Gives a step that this process no longer carries out to the others, while other steps are still being ended here. The end of all of them
/// gives the rest.
async fn release(workshop: &Workshop, stream: &StreamId, hold: &Hold) {
    if workshop.draining.is_cancelled()
        && !workshop.hand_over.is_cancelled()
        && let Err(error) = workshop.parts.log.release(stream, &hold.claim).await
    {
        tracing::warn!(%error, step = %hold.claim.step, "a step could not be handed back yet");
    }
}

/// Records what the spool holds of an attempt that is over: a process had died with the answer. Returns whether this is done, or cannot be
/// done.
pub(crate) async fn settle(workshop: &Workshop, sessions: &dyn Sessions, begun: &Begun) -> bool {
    let (_, overtaken) = watch::channel(0);
    let hold = hold(workshop, begun, overtaken);
    let worker = Worker {
        workshop,
        sessions,
        stream: &begun.stream,
        step: &begun.step,
        attempt: begun.attempt,
        cancel: &workshop.hand_over,
        halt: &workshop.hand_over,
        hold: hold.as_ref(),
        settles: true,
    };
    match panics::caught("step", worker.settle(None)).await {
        Ok(is_settled) => is_settled,
        Err(message) => {
            tracing::error!(step = %begun.step, message, "an answer in the spool could not be recorded");
            true
        }
    }
}

/// The claim by which an attempt is carried out, where other processes may take the step.
fn hold(workshop: &Workshop, begun: &Begun, overtaken: watch::Receiver<Turns>) -> Option<Hold> {
    let parts = &workshop.parts;
    parts.shared.then(|| Hold {
        claim: Claim {
            step: begun.step.clone(),
            attempt: begun.attempt,
            node: parts.node.clone(),
            epoch: begun.epoch,
        },
        lease: parts.limits.lease,
        overtaken,
    })
}

/// How far a worker came.
enum Ended {
    /// An outcome is in the log, or nothing can be done about it here.
    Reported,
    /// The attempt no longer belongs to this process.
    Over,
    /// The log has moved on: the worker goes on from what is there now.
    Again,
    /// The log cannot be used just now.
    Later,
}

struct Worker<'a> {
    workshop: &'a Workshop,
    sessions: &'a dyn Sessions,
    stream: &'a StreamId,
    step: &'a StepId,
    attempt: u32,
    cancel: &'a CancellationToken,
    /// Cancelled where nothing further is begun for it here.
    halt: &'a CancellationToken,
    /// The claim on the step, where other processes may take it.
    hold: Option<&'a Hold>,
    /// Whether the attempt is over, so that only answers that were paid for are looked for.
    settles: bool,
}

impl Worker<'_> {
    async fn carry_out(&self, due: DateTime<Utc>) {
        let wait = (due - self.workshop.parts.clock.now())
            .to_std()
            .unwrap_or_default();
        if !wait.is_zero() {
            let _waiting = self.waits().begin(WaitReason::Retry);
            tokio::select! {
                () = self.halt.cancelled() => {
                    Box::pin(self.settle(None)).await;
                    return;
                }
                () = tokio::time::sleep(wait) => {}
            }
        }
        let mut pauses = Pauses::new();
        let mut pending = None;
        loop {
            match self.carry_on(&mut pending).await {
                Ended::Reported => return,
                Ended::Over => {
                    Box::pin(self.settle(pending)).await;
                    return;
                }
                Ended::Again => {}
                Ended::Later => {
                    let _waiting = self.waits().begin(WaitReason::Log);
                    // What was paid for is offered to the log until the end.
                    let until = match &pending {
                        Some(_) => self.cancel,
                        None => self.halt,
                    };
                    if pauses.rest(until).await.is_err() {
                        Box::pin(self.settle(pending)).await;
                        return;
                    }
                }
            }
        }
    }

    /// Works from what is in the log by now, and reports what comes of it.
    async fn carry_on(&self, pending: &mut Option<UnrecordedTurn>) -> Ended {
        // A fault of the program in one step ends the attempt, and nothing else.
        let worked = panics::caught("step", self.work(pending)).await;
        let worked = worked.unwrap_or_else(|message| Err(Stop::fail(PANIC, &message, true)));
        let finished = match worked {
            Ok(finished) => finished,
            Err(Stop::Failed {
                code,
                message,
                retryable,
            }) => {
                tracing::warn!(session.id = %self.stream.session, step = %self.step, attempt = self.attempt, code, message, "an attempt failed");
                (
                    Finished::Failed {
                        code,
                        message,
                        retryable,
                    },
                    vec![],
                )
            }
            Err(Stop::Over) => return Ended::Over,
            Err(Stop::Again) => return Ended::Again,
            Err(Stop::Later { cause }) => {
                tracing::warn!(session.id = %self.stream.session, step = %self.step, attempt = self.attempt, cause, "a step waits for the log");
                return Ended::Later;
            }
        };
        self.report(finished, pending.take()).await
    }

    /// Waits for files that are read, unless the attempt ends: they are read as long as somebody waits. What is looked for after that end
    /// is worth the time that it takes.
    async fn while_needed<T>(&self, loading: impl Future<Output = T>) -> Result<T, Stop> {
        tokio::select! {
            () = self.cancel.cancelled(), if !self.settles => Err(Stop::Over),
            loaded = loading => Ok(loaded),
        }
    }

    /// Reports that the attempt ended in a panic.
    async fn panicked(&self, message: String) {
        let finished = Finished::Failed {
            code: PANIC.to_owned(),
            message,
            retryable: true,
        };
        // There is nothing to begin anew after a panic, so the result is not needed.
        let _ = self.report((finished, vec![]), None).await;
    }

    /// Where the step says what it waits for.
    fn waits(&self) -> WaitLine<'_> {
        self.workshop.waits.line(self.stream, self.step)
    }

    fn reach(&self, point: Point) {
        if let Some(plan) = &self.workshop.parts.crash {
            plan.reach(point);
        }
    }

    /// The loop of turns.
    async fn work(
        &self,
        pending: &mut Option<UnrecordedTurn>,
    ) -> Result<(Finished, Vec<Blob>), Stop> {
        self.reach(Point::Working);
        Box::pin(self.record(pending)).await?;
        let session = self.sessions.session(self.stream).await?;
        let run = session.run(self.step.run).ok_or(Stop::Over)?;
        let state = run
            .step(&self.step.stage, &self.step.item)
            .ok_or(Stop::Over)?;
        if state.is_open() == self.settles || state.attempt != self.attempt {
            return Err(Stop::Over);
        }
        if self.settles && !self.has_spooled(&state.turns).await? {
            return Err(Stop::Over);
        }
        let pipeline = self
            .workshop
            .parts
            .pipelines
            .find(&run.pipeline)
            .ok_or(Stop::Over)?;
        let StepId { stage, item, .. } = self.step;
        let (sees, revises) = (pipeline.sees(stage, item), pipeline.revises(stage, item));
        let recalls = pipeline.recalls(stage, item);
        let (mut work, mut wanted) =
            Work::of(&session, run, self.step, sees, revises, recalls).ok_or(Stop::Over)?;
        let under = pipeline.describe(false).sources_under;
        wanted.files.extend(put_by_steps(&work, &wanted, under));
        wanted
            .files
            .retain(|file| !pipeline.uses_as_it_is(&work, &file.path));
        let log = self.workshop.parts.log.as_ref();
        let waiting = self.waits().begin(WaitReason::Blob);
        let reader = &self.workshop.reader;
        let loading = loading::load(log, reader, self.stream, &mut work, wanted);
        self.while_needed(Box::pin(loading)).await??;
        let instructions = self.workshop.instructions.get(pipeline.name());
        work.instructions = instructions.cloned().unwrap_or_default();
        if let Some(TurnAnswer::Model {
            response, model, ..
        }) = &state.rejected
        {
            let raw = blobs::blob(log, self.stream, &response.sha256).await?;
            work.rejected = answer::written(raw, model);
        }
        if let Some(wanted) = by_hand::written_for(&session, run, self.step, pipeline) {
            work.written = Some(loading::written(log, self.stream, wanted).await?);
        }
        drop(waiting);
        let (mut results, mut taken) = (vec![], BTreeMap::new());
        let mut turn = 0;
        loop {
            let carry = || by_hand::carry(pipeline, &work, &results);
            match self.workshop.computing.run(carry).await {
                // Drawing is not worth its cost for an answer that nobody uses.
                Carry::Render(_) if self.settles => return Err(Stop::Over),
                Carry::Render(mut job) => {
                    // The background picture of a card may be the result of the turn before.
                    if loading::has_ground(&job) {
                        Box::pin(self.record(pending)).await?;
                    }
                    let waiting = self.waits().begin(WaitReason::Blob);
                    Box::pin(loading::ground(log, self.stream, &mut job)).await?;
                    let reader = &self.workshop.reader;
                    let (stream, taken) = (self.stream, &mut taken);
                    let pictures = loading::pictures(log, reader, stream, &work, taken, &mut job);
                    self.while_needed(Box::pin(pictures)).await??;
                    Box::pin(loading::template(log, self.stream, &mut job)).await?;
                    drop(waiting);
                    let press = &self.workshop.press;
                    let typeset = Box::pin(press.typeset(*job, self.cancel)).await?;
                    results.push(TurnResult::Typeset(typeset));
                }
                Carry::Done(mut outputs) => {
                    let files = taken.into_iter();
                    outputs.extend(files.map(|(path, file)| Output::File { path, file }));
                    let account = || account(pipeline, run, &work);
                    outputs.extend(self.workshop.computing.run(account).await);
                    return self.done(outputs).await;
                }
                Carry::Reject(violations) => {
                    return Ok((Finished::Rejected { violations }, vec![]));
                }
                Carry::Fail {
                    code,
                    message,
                    retryable,
                } => {
                    return Err(Stop::Failed {
                        code,
                        message,
                        retryable,
                    });
                }
                paid @ (Carry::Model(_) | Carry::Tool(_)) => {
                    if turn >= TURNS_MAX {
                        return Err(Stop::fail(
                            "too_many_turns",
                            "the step goes round in circles",
                            false,
                        ));
                    }
                    let known = state.turns.get(turn as usize).cloned().unwrap_or_default();
                    match self
                        .paid(turn, &paid, &known, (run, &work), &results, pending)
                        .await
                    {
                        Ok(Some(result)) => results.push(result),
                        Ok(None) => return Ok((Finished::Outdated, vec![])),
                        Err(stop) => {
                            let outputs = self.without_model(&stop, &paid, pipeline, run, &work);
                            return self.done(outputs.ok_or(stop)?).await;
                        }
                    }
                    turn += 1;
                }
            }
        }
    }

    /// The outputs of the step although its model gave no answer, once no further attempt is made. `None` where no model of the run can
    /// work until somebody corrects the cause, because the next step would only ask in vain again.
    fn without_model(
        &self,
        stop: &Stop,
        asked: &Carry,
        pipeline: &dyn Pipeline,
        run: &Run,
        work: &Work,
    ) -> Option<Vec<Output>> {
        let Stop::Failed {
            retryable, message, ..
        } = stop
        else {
            return None;
        };
        // A step that can do without its model does so where the model has nothing to say.
        let (stage, item) = (work.step.stage.as_str(), work.step.item.as_str());
        let row = pipeline.row(stage, item).filter(|row| row.is_dispensable);
        let of_row = row.map_or(u32::MAX, |row| row.attempts);
        let is_last = !retryable
            || work.attempt >= work.settings.attempts.min(of_row)
            || message.starts_with(SAID_NOTHING);
        if !is_last || !matches!(asked, Carry::Model(_)) {
            return None;
        }
        let now = self.workshop.parts.clock.now();
        let mut models = run.settings.writing_models();
        if !retryable && models.all(|model| self.workshop.closed.cannot_work(model, now)) {
            return None;
        }
        let outputs = pipeline.without_model(work)?;
        tracing::warn!(step = %work.step, message, "a step goes on without its model");
        Some(outputs)
    }

    /// A model or tool turn: read from the log if it is there, otherwise made once the turn before is in the log. `None` where the turn in
    /// the log was asked by another version of the program, so that its answer does not belong to what is asked now.
    async fn paid(
        &self,
        turn: u32,
        wanted: &Carry,
        known: &Turn,
        (run, work): (&Run, &Work),
        results: &[TurnResult],
        pending: &mut Option<UnrecordedTurn>,
    ) -> Result<Option<TurnResult>, Stop> {
        let context = StepContext {
            sessions: self.sessions,
            log: self.workshop.parts.log.as_ref(),
            stream: self.stream,
            step: self.step,
            attempt: self.attempt,
            turn,
            cancel: self.cancel,
            halt: self.halt,
            hold: self.hold,
            waits: self.waits(),
        };
        let asked = match wanted {
            Carry::Model(asked) => Some(asked.as_ref()),
            Carry::Tool(_)
            | Carry::Render(_)
            | Carry::Done(_)
            | Carry::Reject(_)
            | Carry::Fail { .. } => None,
        };
        if let Some(answer) = &known.answer {
            let prompts = &self.workshop.parts.prompts;
            if !Box::pin(answer::is_to(&context, prompts, known, answer, wanted)).await? {
                tracing::warn!(step = %self.step, attempt = self.attempt, turn, "another version of the program asked something else here; the step begins anew");
                return Ok(None);
            }
            return Box::pin(answer::replay(&context, answer, asked))
                .await
                .map(Some);
        }
        if self.settles {
            if let Carry::Model(asked) = wanted {
                *pending =
                    Box::pin(turn::spooled(self.workshop, &context, run, known, asked)).await?;
            }
            return Err(Stop::Over);
        }
        Box::pin(self.record(pending)).await?;
        if self.halt.is_cancelled() {
            return Err(Stop::Over);
        }
        let (result, made) = match wanted {
            Carry::Model(asked) => {
                turn::ask_model(self.workshop, &context, run, known, asked, work, results).await?
            }
            Carry::Tool(asked) => {
                Box::pin(turn::call_tool(self.workshop, &context, asked, work)).await?
            }
            Carry::Render(_) | Carry::Done(_) | Carry::Reject(_) | Carry::Fail { .. } => {
                return Err(Stop::Over);
            }
        };
        *pending = Some(made);
        Ok(Some(result))
    }

    /// Records the turn that is not in the log yet, without an outcome. If the log already has an answer to this turn, that answer counts
    /// and the step goes on from it. A turn that the log did not take before the attempt was over stays pending.
    async fn record(&self, pending: &mut Option<UnrecordedTurn>) -> Result<(), Stop> {
        let Some(made) = pending.take() else {
            return Ok(());
        };
        let (number, given) = (made.record.number(), given(&made.record).cloned());
        let call = made.call.clone();
        let (request, spooled) = self.recording(made);
        if let Err(stop) = self.persist(&request).await {
            if !matches!(stop, Stop::Again) {
                *pending = unrecorded(request, spooled, call);
            }
            return Err(stop);
        }
        self.appended(spooled.as_deref()).await;
        if self.hold.is_none() || given.is_none() {
            return Ok(());
        }
        let session = self.sessions.session(self.stream).await?;
        let run = session.run(self.step.run).ok_or(Stop::Over)?;
        let state = run.step(&self.step.stage, &self.step.item);
        let state = state.filter(|state| state.attempt == self.attempt);
        let turn = state.ok_or(Stop::Over)?.turns.get(number as usize);
        let counts = turn.and_then(|turn| turn.answer.as_ref());
        if counts.map(|answer| answer.body()) == given.as_ref() {
            Ok(())
        } else {
            Err(Stop::Again)
        }
    }

    /// Whether the spool holds an answer to the turn after those that the log has answers to.
    async fn has_spooled(&self, turns: &[Turn]) -> Result<bool, Stop> {
        let Some(spool) = self.workshop.spool() else {
            return Ok(false);
        };
        let answered = turns
            .iter()
            .take_while(|turn| turn.answer.is_some())
            .count();
        let place = place(self.stream, self.step.clone(), self.attempt, answered);
        let found = spool.find(self.stream, &place.key()).await;
        let found = found.map_err(|error| Stop::fail("spool", &error.to_string(), true))?;
        Ok(found.is_some())
    }

    /// Records what was paid for in an attempt that is over: the pending turn, or an answer in the spool whose process died. Returns
    /// whether nothing is left to be done.
    async fn settle(&self, pending: Option<UnrecordedTurn>) -> bool {
        if pending.is_some() || self.workshop.spool().is_none() {
            return self.audit(pending).await;
        }
        let worker = Worker {
            settles: true,
            ..*self
        };
        let mut found = None;
        let looked = Box::pin(worker.work(&mut found)).await;
        if let Err(Stop::Failed { message, .. } | Stop::Later { cause: message }) = looked {
            tracing::warn!(step = %self.step, message, "whether the spool holds a turn that was paid for is not known");
            return false;
        }
        self.audit(found).await
    }

    /// Records a turn that was paid for, even when nobody needs it any longer. Returns whether it is recorded, or there is none.
    async fn audit(&self, pending: Option<UnrecordedTurn>) -> bool {
        let Some(made) = pending else { return true };
        let (request, spooled) = self.recording(made);
        let until = &self.workshop.hand_over;
        match persist(self.sessions, self.stream, &request, until).await {
            Ok(_) => {
                self.appended(spooled.as_deref()).await;
                true
            }
            // The session is gone, or this process ends: what is in the spool is recorded when the step is taken up again, or when
            // somebody looks there for steps that are over.
            Err(Stop::Over | Stop::Again) => false,
            Err(Stop::Later { cause: message } | Stop::Failed { message, .. }) => {
                tracing::error!(message, step = %self.step, "a turn that was paid for could not be recorded");
                false
            }
        }
    }

    /// Sends a request until it is in the log.
    async fn persist(&self, request: &Request) -> Result<Applied, Stop> {
        let _waiting = self.waits().begin(WaitReason::Log);
        persist(self.sessions, self.stream, request, self.cancel).await
    }

    /// The request that records a turn without an outcome. It needs no claim.
    fn recording(&self, made: UnrecordedTurn) -> (Request, Option<String>) {
        let id = turn_id(&made.record, &made.call, self.hold);
        let command = Command::RecordTurn(Box::new(made.record));
        let request = Request::own(self.stream, &id, command, Actor::system(), made.blobs);
        (request, made.spooled)
    }

    /// Reports the outcome, together with the last turn.
    async fn report(
        &self,
        (finished, mut blobs): (Finished, Vec<Blob>),
        pending: Option<UnrecordedTurn>,
    ) -> Ended {
        let (turn, spooled, call) = match pending {
            Some(made) => {
                blobs.extend(made.blobs);
                (Some(made.record), made.spooled, made.call)
            }
            None => (None, None, String::new()),
        };
        self.reach(Point::Reporting);
        let is_failure = matches!(finished, Finished::Failed { .. });
        // The name of a turn that comes along is the name of the request, so that the turn is recorded once, by itself or with the outcome,
        // whichever comes first.
        let id = match &turn {
            Some(record) => turn_id(record, &call, self.hold),
            None => {
                let epoch = self.hold.map_or(0, |hold| hold.claim.epoch);
                format_smolstr!("finish:{}:{}:{epoch}", self.step, self.attempt)
            }
        };
        let finish = FinishStep {
            step: self.step.clone(),
            attempt: self.attempt,
            turn,
            finished,
        };
        let command = Command::FinishStep(Box::new(finish));
        let request = Request::own(self.stream, &id, command, Actor::system(), blobs);
        let request = request.by(self.hold);
        let stop = match self.persist(&request).await {
            Ok(_) => {
                self.appended(spooled.as_deref()).await;
                return Ended::Reported;
            }
            Err(stop) => stop,
        };
        Box::pin(self.audit(unrecorded(request, spooled, call))).await;
        match stop {
            Stop::Over => Ended::Reported,
            Stop::Again => Ended::Again,
            Stop::Later { .. } => Ended::Later,
            // If an outcome cannot be recorded, this failure becomes the outcome.
            Stop::Failed { code, message, .. } if !is_failure => {
                tracing::error!(step = %self.step, message, "the outcome of a step cannot be stored");
                let finished = Finished::Failed {
                    code,
                    message,
                    retryable: true,
                };
                Box::pin(self.report((finished, vec![]), None)).await
            }
            Stop::Failed { message, .. } => {
                tracing::error!(step = %self.step, message, "the failure of a step could not be stored");
                Ended::Reported
            }
        }
    }

    async fn appended(&self, spooled: Option<&str>) {
        if spooled.is_some() {
            self.reach(Point::Appended);
        }
        if let (Some(key), Some(spool)) = (spooled, self.workshop.spool())
            && let Err(error) = spool.remove_all(self.stream, key).await
        {
            tracing::warn!(%error, "an answer that is in the log could not be removed from the spool");
        }
    }

    async fn done(&self, outputs: Vec<Output>) -> Result<(Finished, Vec<Blob>), Stop> {
        // Large contents are put beside the log.
        let _waiting = self.waits().begin(WaitReason::Blob);
        let log = self.workshop.parts.log.as_ref();
        let mut blobs = vec![];
        let mut artifacts = Vec::with_capacity(outputs.len());
        let mut files = vec![];
        let (mut intent, mut decisions) = (None, vec![]);
        for output in outputs {
            match output {
                Output::Artifact(new) => {
                    artifacts.push(keep::artifact(log, self.stream, new, &mut blobs).await?);
                }
                Output::Intent(found) => intent = Some(Box::new(found)),
                Output::File { path, file } => {
                    let kept = blobs::keep(log, self.stream, file.bytes, &mut blobs);
                    let blob = kept.await?;
                    let media_type = file.media_type.to_owned();
                    files.push(FileChange::Put(NewFile {
                        path,
                        blob,
                        media_type,
                    }));
                }
                Output::FileRemoved { path } => files.push(FileChange::Removed { path }),
                Output::Decision {
                    what,
                    choice,
                    reason,
                    by,
                } => decisions.push((what, choice, reason, by)),
            }
        }
        Ok((
            Finished::Done {
                artifacts,
                files,
                intent,
                decisions,
            },
            blobs,
        ))
    }
}

/// Data that steps of the run put among its files, such as those of a knowledge base. They are material like the files that came with a
/// message.
fn put_by_steps(work: &Work, wanted: &Material, under: &str) -> Vec<FilePut> {
    let is_known = |file: &FilePut| wanted.files.iter().any(|known| known.path == file.path);
    let files = work
        .files
        .iter()
        .filter(|file| !under.is_empty() && file.path.starts_with(under) && !is_known(file));
    files.cloned().collect()
}

/// The account of the run's files. It comes with the first step that is done and is about all of them; in the last stage it also says what
/// the files were used for.
fn account(pipeline: &dyn Pipeline, run: &Run, work: &Work) -> Option<Output> {
    let shown = pipeline.shown_chars();
    let account = if pipeline
        .stages()
        .last()
        .is_some_and(|last| last.name == work.step.stage)
    {
        material::account_of_use(work, shown, &pipeline.made_parts(work))
    } else if work.step.item.is_empty() && run.artifact(material::MATERIAL).is_none() {
        material::account(work, shown)
    } else {
        None
    };
    account.map(|account| Output::Artifact(material::artifact(&account, work)))
}

/// The turn that the log did not take, by itself or with an outcome.
fn unrecorded(request: Request, spooled: Option<String>, call: String) -> Option<UnrecordedTurn> {
    let Request { command, blobs, .. } = request;
    let record = if let Command::RecordTurn(record) = command {
        Some(*record)
    } else if let Command::FinishStep(finish) = command {
        finish.turn
    } else {
        None
    };
    record.map(|record| UnrecordedTurn {
        record,
        blobs,
        spooled,
        call,
    })
}

/// The turn of an attempt that comes after this many turns.
fn place(stream: &StreamId, step: StepId, attempt: u32, turns: usize) -> TurnPlace {
    TurnPlace {
        owner: stream.owner.clone(),
        session: stream.session.clone(),
        step,
        attempt,
        turn: u32::try_from(turns).unwrap_or(u32::MAX),
    }
}

/// Removes what the spool holds of a session that is being erased.
pub(crate) async fn clear_spool(workshop: &Workshop, stream: &StreamId, session: &Session) {
    let Some(spool) = workshop.spool() else {
        return;
    };
    for run in session.runs.values() {
        for (stage, item, state) in run.open_steps() {
            let turn = state
                .turns
                .iter()
                .take_while(|turn| turn.answer.is_some())
                .count();
            let step = StepId::new(run.id, stage, item);
            let key = place(stream, step, state.attempt, turn).key();
            let removed = spool.remove_all(stream, &key).await;
            if let Err(error) = removed.and_then(|()| spool.remove_unfinished(&key)) {
                tracing::error!(%error, "a spooled answer of an erased session could not be removed");
            }
        }
    }
}
