//! Follows a run to its end, wherever it is carried out.

use domain::RunId;
use domain::flow::{MODEL_FAILED, STAGE_FAILED};
use domain::material::MATERIAL;
use projections::wire::Wire as _;
use projections::wire::native::{Lean, NativeEvent};

use super::frames::FramePage;
use super::progress::Progress;
use super::serve::signal;
use crate::verb::{Client, Failure, out};

/// Seconds to wait for something new before the log is checked for whether it can still be written. A thinking model may be silent for
/// longer, but a full disk should be reported sooner.
const WAIT_SECONDS: u64 = 5;

/// The run to follow, and what of it to show.
pub(super) struct Followed<'a> {
    pub(super) client: &'a Client,
    pub(super) session: &'a str,
    pub(super) run: RunId,
    /// Only what is after this version is shown.
    pub(super) after: u64,
    /// Whether frames are written as JSON instead of words.
    pub(super) json: bool,
}

/// How following the run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum End {
    Completed,
    Failed {
        reason: String,
        /// Whether the same work may succeed when it is tried again.
        can_resume: bool,
    },
    Interrupted,
}

/// The last failure of a run, as far as it says whether the same may succeed later.
#[derive(Debug, Default)]
struct LastFailure {
    is_passing: bool,
    is_model_passing: bool,
}

impl LastFailure {
    fn note(&mut self, event: &NativeEvent) {
        if let NativeEvent::ModelCalled(call) = event {
            self.is_model_passing = call.error.as_ref().is_some_and(|error| error.retryable);
        } else if let NativeEvent::StepFailed(step) = event {
            // A model that cannot be asked now ends its step for good, and can be asked later all the same.
            let is_of_model = step.code == MODEL_FAILED && self.is_model_passing;
            self.is_passing = is_of_model || step.retryable;
        } else if let NativeEvent::OutputRejected(_) = event {
            self.is_passing = true;
        }
    }
}

impl Followed<'_> {
    /// Shows what happens until the run has ended or somebody interrupts.
    pub(super) async fn to_the_end(&self, progress: &mut Progress) -> Result<End, Failure> {
        tokio::select! {
            biased;
            () = signal() => Ok(End::Interrupted),
            end = self.follow(progress) => end,
        }
    }

    async fn follow(&self, progress: &mut Progress) -> Result<End, Failure> {
        let query = format!("wire={}&wait={WAIT_SECONDS}", Lean::NAME);
        let mut cursor = "start".to_owned();
        let mut silent_seconds = 0;
        let mut failure = LastFailure::default();
        loop {
            let page = FramePage::read_after(&cursor, self.client, self.session, &query).await?;
            cursor = page.cursor;
            if page.events.is_empty() {
                self.check_log().await?;
                silent_seconds += WAIT_SECONDS;
                if !self.json {
                    progress.silent(silent_seconds);
                }
            } else {
                silent_seconds = 0;
            }
            for frame in page.events {
                let is_new = frame.version > self.after;
                if self.json && is_new {
                    out::line(&frame.json.to_string())?;
                }
                let Some(event) = frame.event else { continue };
                if is_new && !self.json {
                    self.show_event(&event, progress).await?;
                }
                failure.note(&event);
                if let Some(end) = self.end(&event, &failure) {
                    return Ok(end);
                }
            }
        }
    }

    /// Shows what an event says; of the account of given files, its content.
    async fn show_event(
        &self,
        event: &NativeEvent,
        progress: &mut Progress,
    ) -> Result<(), Failure> {
        if let NativeEvent::ArtifactProduced(made) = event
            && made.kind == MATERIAL
        {
            progress.material(&self.client.get(&made.content).await?);
        } else {
            progress.show(event);
        }
        Ok(())
    }

    /// Called when nothing happened for a while: either something is being made, or the log cannot be written. Fails in the second case.
    async fn check_log(&self) -> Result<(), Failure> {
        self.client
            .get("/readyz")
            .await
            .map(drop)
            .map_err(|failure| {
                let (program, session) = (out::program(), self.session);
                let go_on = format!("then go on with `{program} run --resume {session}`");
                Failure::unusable(format!(
                    "{}; make room on the disk or see to the database, {go_on}",
                    failure.message
                ))
            })
    }

    /// How this run ended, if this event says so.
    fn end(&self, event: &NativeEvent, failure: &LastFailure) -> Option<End> {
        let (run, end) = if let NativeEvent::RunCompleted(ended) = event {
            (ended.run, End::Completed)
        } else if let NativeEvent::RunFailed(ended) = event {
            let reason = ended.message.clone();
            let can_resume = ended.code == STAGE_FAILED && failure.is_passing;
            (ended.run, End::Failed { reason, can_resume })
        } else if let NativeEvent::RunCancelled(ended) = event {
            let reason = format!("cancelled: {}", ended.reason);
            let can_resume = false;
            (ended.run, End::Failed { reason, can_resume })
        } else {
            return None;
        };
        (run == self.run).then_some(end)
    }
}
