//! Follows a run to its end, wherever it is carried out.

use domain::RunId;
use domain::flow::{MODEL_FAILED, STAGE_FAILED};
use domain::material::MATERIAL;
use projections::content_path;
use projections::wire::Wire as _;
use projections::wire::native::Lean;
use serde_json::Value;

use super::asking::{address, text};
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

/// The address of the account of given files, if this frame is about one.
fn material(frame: &Value) -> Option<String> {
    let data = &frame["data"];
    let is_it = frame["type"] == "artifact_produced" && data["kind"] == MATERIAL;
    let artifact = data["artifact"].as_str().filter(|_| is_it)?;
    Some(content_path(&artifact.into()))
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
    fn note(&mut self, frame: &Value) {
        let data = &frame["data"];
        match frame["type"].as_str().unwrap_or_default() {
            "model_called" => self.is_model_passing = data["error"]["retryable"] == true,
            // A model that cannot be asked now ends its step for good, and can be asked later all the same.
            "step_failed" => {
                let is_of_model = data["code"] == MODEL_FAILED && self.is_model_passing;
                self.is_passing = is_of_model || data["retryable"] == true;
            }
            "output_rejected" => self.is_passing = true,
            _ => {}
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
        let events = format!(
            "{}/events?wire={}&wait={WAIT_SECONDS}&after=",
            address(self.session),
            Lean::NAME
        );
        let mut cursor = "start".to_owned();
        let mut silent_seconds = 0;
        let mut failure = LastFailure::default();
        loop {
            let page = self.client.get(&format!("{events}{cursor}")).await?;
            cursor = text(&page, "cursor");
            if page["events"].as_array().is_none_or(Vec::is_empty) {
                self.check_log().await?;
                silent_seconds += WAIT_SECONDS;
                if !self.json {
                    progress.silent(silent_seconds);
                }
            } else {
                silent_seconds = 0;
            }
            for frame in page["events"].as_array().into_iter().flatten() {
                if frame["version"]
                    .as_u64()
                    .is_some_and(|version| version > self.after)
                {
                    if self.json {
                        out::line(&frame.to_string())?;
                    } else if let Some(content) = material(frame) {
                        progress.material(&self.client.get(&content).await?);
                    } else {
                        progress.show(frame);
                    }
                }
                failure.note(frame);
                if let Some(end) = self.end(frame, &failure) {
                    return Ok(end);
                }
            }
        }
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

    /// How this run ended, if this frame says so.
    fn end(&self, frame: &Value, failure: &LastFailure) -> Option<End> {
        let data = &frame["data"];
        if data["run"].as_str() != Some(self.run.to_string().as_str()) {
            return None;
        }
        match frame["type"].as_str()? {
            "run_completed" => Some(End::Completed),
            "run_failed" => Some(End::Failed {
                reason: text(data, "message"),
                can_resume: data["code"] == STAGE_FAILED && failure.is_passing,
            }),
            "run_cancelled" => Some(End::Failed {
                reason: format!("cancelled: {}", text(data, "reason")),
                can_resume: false,
            }),
            _ => None,
        }
    }
}
