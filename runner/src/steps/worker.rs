//! Carries out one step: replays the turns that are in the log, makes those that are not, and reports the outcome as a
//! command.
//!
//! Hundreds of steps are carried out at once, each a task as large as the largest thing it may wait for. So what is rare, or
//! takes long anyway, is boxed: here, in the modules that make a turn, and below in deciding and appending.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use commands::{Command, FileChange, FinishStep, Finished, NewFile, RecordTurn};
use domain::carry::{Carry, Material, Output, TurnResult, Work};
use domain::event::FilePut;
use domain::hash::Blob;
use domain::material;
use domain::pipeline::Pipeline;
use domain::session::{Run, Session, Turn};
use domain::{Actor, StepId};
use smol_str::{SmolStr, format_smolstr};
use store::StreamId;
use tokio_util::sync::CancellationToken;

use super::unrecorded::UnrecordedTurn;
use super::{Workshop, answer, keep, loading, turn};
use crate::crash::Point;
use crate::error::SendError;
use crate::sessions::{Request, Sessions, StepContext, Stop, blobs, idempotency_key, persist};
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
    stream: &StreamId,
    step: &StepId,
    attempt: u32,
    due: DateTime<Utc>,
) {
    let begun = workshop
        .registry
        .begin(stream, step, attempt, &workshop.stop);
    let Some(cancel) = begun else {
        return;
    };
    let (workshop, stream, step) = (Arc::clone(workshop), stream.clone(), step.clone());
    let tasks = workshop.tasks.clone();
    // Boxed: a task moves what it is made of when it begins and when it ends.
    tasks.spawn(Box::pin(async move {
        let worker = Worker {
            workshop: &workshop,
            sessions: &sessions,
            stream: &stream,
            step: &step,
            attempt,
            cancel: &cancel,
        };
        // What panics while an outcome is reported is reported instead of it; what panics then has no other place to go.
        if let Err(message) = panics::caught("step", worker.carry_out(due)).await
            && let Err(message) = panics::caught("step", worker.panicked(message)).await
        {
            tracing::error!(%step, attempt, message, "the outcome of a step could not be reported");
        }
        workshop.registry.end(&stream, &step, attempt);
    }));
}

struct Worker<'a> {
    workshop: &'a Workshop,
    sessions: &'a dyn Sessions,
    stream: &'a StreamId,
    step: &'a StepId,
    attempt: u32,
    cancel: &'a CancellationToken,
}

impl Worker<'_> {
    async fn carry_out(&self, due: DateTime<Utc>) {
        let wait = (due - self.workshop.parts.clock.now())
            .to_std()
            .unwrap_or_default();
        if !wait.is_zero() {
            tokio::select! {
                () = self.cancel.cancelled() => return,
                () = tokio::time::sleep(wait) => {}
            }
        }
        let mut pending = None;
        // A fault of the program in one step ends the attempt, and nothing else.
        let worked = panics::caught("step", self.work(&mut pending)).await;
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
            Err(Stop::Over) => return Box::pin(self.audit(pending)).await,
        };
        self.report(finished, pending).await;
    }

    /// Reports that the attempt ended in a panic.
    async fn panicked(&self, message: String) {
        let finished = Finished::Failed {
            code: PANIC.to_owned(),
            message,
            retryable: true,
        };
        self.report((finished, vec![]), None).await;
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
        let session = self.sessions.session(self.stream).await?;
        let run = session.run(self.step.run).ok_or(Stop::Over)?;
        let state = run
            .step(&self.step.stage, &self.step.item)
            .ok_or(Stop::Over)?;
        if !state.is_open() || state.attempt != self.attempt {
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
        loading::load(log, &self.workshop.reader, self.stream, &mut work, wanted).await?;
        let mut results = vec![];
        let mut turn = 0;
        loop {
            match pipeline.carry(&work, &results) {
                Carry::Render(mut job) => {
                    // The picture that a card stands on may be what the turn before gave.
                    if loading::has_ground(&job)
                        && let Some(made) = pending.take()
                    {
                        Box::pin(self.record(made)).await?;
                    }
                    Box::pin(loading::ground(log, self.stream, &mut job)).await?;
                    Box::pin(loading::pictures(log, self.stream, &mut job)).await?;
                    Box::pin(loading::template(log, self.stream, &mut job)).await?;
                    let press = &self.workshop.press;
                    let typeset = Box::pin(press.typeset(*job, self.cancel)).await?;
                    results.push(TurnResult::Typeset(typeset));
                }
                Carry::Done(mut outputs) => {
                    outputs.extend(account(pipeline, run, &work));
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
                        Ok(result) => results.push(result),
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

    /// What the step leaves although its model gave no answer, once no further attempt is made; nothing where no model of the run
    /// can work until somebody sees to it, since the next step would only ask once more.
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
        let is_last = !retryable || work.attempt >= work.settings.attempts;
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

    /// A model or tool turn: out of the log if it is there, else made, after the one before is in the log.
    async fn paid(
        &self,
        turn: u32,
        wanted: &Carry,
        known: &Turn,
        (run, work): (&Run, &Work),
        results: &[TurnResult],
        pending: &mut Option<UnrecordedTurn>,
    ) -> Result<TurnResult, Stop> {
        let context = StepContext {
            sessions: self.sessions,
            log: self.workshop.parts.log.as_ref(),
            stream: self.stream,
            step: self.step,
            attempt: self.attempt,
            turn,
            cancel: self.cancel,
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
            return Box::pin(answer::replay(&context, answer, asked)).await;
        }
        if let Some(made) = pending.take() {
            Box::pin(self.record(made)).await?;
        }
        let (result, made) = match wanted {
            Carry::Model(asked) => {
                turn::ask_model(self.workshop, &context, run, known, asked, work, results).await?
            }
            Carry::Tool(asked) => Box::pin(turn::call_tool(self.workshop, &context, asked)).await?,
            Carry::Render(_) | Carry::Done(_) | Carry::Reject(_) | Carry::Fail { .. } => {
                return Err(Stop::Over);
            }
        };
        *pending = Some(made);
        Ok(result)
    }

    /// Puts a turn into the log by itself.
    async fn record(&self, made: UnrecordedTurn) -> Result<(), Stop> {
        let UnrecordedTurn {
            record,
            blobs,
            spooled,
        } = made;
        let id = turn_id(&record);
        let command = Command::RecordTurn(Box::new(record));
        let request = Request::own(self.stream, &id, command, Actor::system(), blobs);
        persist(self.sessions, self.stream, &request, self.cancel).await?;
        self.appended(spooled.as_deref());
        Ok(())
    }

    /// A turn that was paid for is in the log even when nobody needs it any longer.
    async fn audit(&self, pending: Option<UnrecordedTurn>) {
        let Some(made) = pending else { return };
        let id = turn_id(&made.record);
        let command = Command::RecordTurn(Box::new(made.record));
        let request = Request::own(self.stream, &id, command, Actor::system(), made.blobs);
        match self.sessions.process(self.stream, &request).await {
            Ok(_) => self.appended(made.spooled.as_deref()),
            // What is in the spool is recorded when the step is taken up again.
            Err(SendError::Stopped | SendError::Erased) => {}
            Err(error) => {
                tracing::error!(%error, step = %self.step, "a turn that was paid for could not be recorded")
            }
        }
    }

    /// Reports the outcome, together with the last turn.
    async fn report(
        &self,
        (finished, mut blobs): (Finished, Vec<Blob>),
        pending: Option<UnrecordedTurn>,
    ) {
        let (turn, spooled) = match pending {
            Some(made) => {
                blobs.extend(made.blobs);
                (Some(made.record), made.spooled)
            }
            None => (None, None),
        };
        self.reach(Point::Reporting);
        let id = format_smolstr!("finish:{}:{}", self.step, self.attempt);
        let finish = FinishStep {
            step: self.step.clone(),
            attempt: self.attempt,
            turn,
            finished,
        };
        let command = Command::FinishStep(Box::new(finish));
        let request = Request::own(self.stream, &id, command, Actor::system(), blobs);
        match persist(self.sessions, self.stream, &request, self.cancel).await {
            Ok(_) => self.appended(spooled.as_deref()),
            Err(Stop::Over) => {
                let Request { command, blobs, .. } = request;
                let made = turn_of(command).map(|record| UnrecordedTurn {
                    record,
                    blobs,
                    spooled,
                });
                Box::pin(self.audit(made)).await;
            }
            Err(Stop::Failed { message, .. }) => {
                tracing::error!(step = %self.step, message, "the outcome of a step could not be stored");
            }
        }
    }

    fn appended(&self, spooled: Option<&str>) {
        if spooled.is_some() {
            self.reach(Point::Appended);
        }
        if let (Some(key), Some(spool)) = (spooled, self.workshop.spool())
            && let Err(error) = spool.remove(key)
        {
            tracing::warn!(%error, "an answer that is in the log could not be removed from the spool");
        }
    }

    async fn done(&self, outputs: Vec<Output>) -> Result<(Finished, Vec<Blob>), Stop> {
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
                Output::Intent(found) => intent = Some(found),
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

/// Data that steps of the run put among its files, such as those of a knowledge base: material as well as what came with a
/// message.
fn put_by_steps(work: &Work, wanted: &Material, under: &str) -> Vec<FilePut> {
    let is_known = |file: &FilePut| wanted.files.iter().any(|known| known.path == file.path);
    let files = work
        .files
        .iter()
        .filter(|file| !under.is_empty() && file.path.starts_with(under) && !is_known(file));
    files.cloned().collect()
}

/// The account of the run's files: with the first step that is done and is about all of them, and in the last stage with what they
/// were used for.
fn account(pipeline: &dyn Pipeline, run: &Run, work: &Work) -> Option<Output> {
    let shown = pipeline.shown_chars();
    let account = if pipeline.stages().last().copied() == Some(work.step.stage.as_str()) {
        material::account_of_use(work, shown, &pipeline.made_parts(work))
    } else if work.step.item.is_empty() && run.artifact(material::MATERIAL).is_none() {
        material::account(work, shown)
    } else {
        None
    };
    account.map(|account| Output::Artifact(material::artifact(&account, work.is_chinese())))
}

/// The turn that an outcome brings along.
fn turn_of(command: Command) -> Option<RecordTurn> {
    if let Command::FinishStep(finish) = command {
        finish.turn
    } else {
        None
    }
}

fn turn_id(record: &RecordTurn) -> SmolStr {
    match record {
        RecordTurn::Model(e) => {
            format_smolstr!("turn:{}:{}:{}:{}", e.step, e.attempt, e.turn, e.try_number)
        }
        RecordTurn::ToolCalled(e) => format_smolstr!("tool:{}:{}:{}", e.step, e.attempt, e.turn),
        RecordTurn::ToolReturned(e) => {
            format_smolstr!("turn:{}:{}:{}:1", e.step, e.attempt, e.turn)
        }
    }
}

/// Removes what the spool holds of a session that is being erased.
pub(crate) fn clear_spool(workshop: &Workshop, stream: &StreamId, session: &Session) {
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
            let key = idempotency_key(
                stream,
                &step,
                state.attempt,
                u32::try_from(turn).unwrap_or(u32::MAX),
            );
            if let Err(error) = spool.remove(&key) {
                tracing::error!(%error, "a spooled answer of an erased session could not be removed");
            }
        }
    }
}
