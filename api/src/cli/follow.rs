//! Follows a run to its end, wherever it is carried out.

use domain::RunId;
use serde_json::Value;

use super::asking::{address, text};
use super::client::Client;
use super::exit::Failure;
use super::out;
use super::progress::Progress;
use super::serve::signal;

/// Seconds to wait for something new before it is asked whether the log still takes what is made. A model that thinks is
/// silent for longer; a full disk should be told sooner.
const WAIT_SECONDS: u64 = 5;

/// What the protocol of reports puts before the cause; here it is said in other words.
const ERROR_PREFIX: &str = "Agent execution error: ";

/// Which run is followed, and from where it is new to whoever looks on.
pub(super) struct Followed<'a> {
    pub(super) client: &'a Client,
    pub(super) session: &'a str,
    pub(super) run: RunId,
    /// The pipeline, whose wire has the words for people; the native wire where it has none.
    pub(super) pipeline: &'a str,
    /// What is shown begins after this version.
    pub(super) after: u64,
    /// Frames as they are instead of words.
    pub(super) json: bool,
}

/// How it ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum End {
    Completed,
    Failed(String),
    Interrupted,
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
        let wire = self.wire();
        let events = format!(
            "{}/events?wire={wire}&wait={WAIT_SECONDS}&after=",
            address(self.session)
        );
        let mut cursor = "start".to_owned();
        loop {
            let page = self.client.get(&format!("{events}{cursor}")).await?;
            cursor = text(&page, "cursor");
            if page["events"].as_array().is_none_or(Vec::is_empty) {
                self.check_log().await?;
            }
            for frame in page["events"].as_array().into_iter().flatten() {
                if frame["version"]
                    .as_u64()
                    .is_some_and(|version| version > self.after)
                {
                    if self.json {
                        out::line(&frame.to_string())?;
                    } else {
                        progress.show(frame);
                    }
                }
                if let Some(end) = self.end(frame) {
                    return Ok(end);
                }
            }
        }
    }

    /// Nothing happened for a while: either something is being made, or it cannot be kept.
    async fn check_log(&self) -> Result<(), Failure> {
        self.client
            .get("/readyz")
            .await
            .map(drop)
            .map_err(|failure| {
                let go_on = format!("then go on with `palimpsest run --resume {}`", self.session);
                Failure::unusable(format!(
                    "{}; make room on the disk or see to the database, {go_on}",
                    failure.message
                ))
            })
    }

    fn wire(&self) -> &str {
        let known = projections::AnyFold::WIRES
            .iter()
            .any(|(name, _)| *name == self.pipeline);
        if known { self.pipeline } else { "native" }
    }

    /// The end of this run, on whichever wire.
    fn end(&self, frame: &Value) -> Option<End> {
        let data = &frame["data"];
        let run = self.run.to_string();
        let named = [&data["runId"], &data["run"], &data["metadata"]["run_id"]];
        if !named.into_iter().any(|named| named.as_str() == Some(&run)) {
            return None;
        }
        match frame["type"].as_str()? {
            "completion" if data["success"].as_bool() == Some(true) => Some(End::Completed),
            "completion" => Some(End::Failed(text(data, "error"))),
            "run_completed" | "workflow_complete" => Some(End::Completed),
            "workflow_failed" => Some(End::Failed(text(data, "errorMessage"))),
            "workflow_cancelled" => Some(End::Failed(text(data, "content"))),
            "run_failed" => Some(End::Failed(text(data, "message"))),
            "agent.final_answer" => Some(End::Completed),
            "agent.error" | "agent.interrupted" => {
                let said = text(data, "content");
                let cause = said.strip_prefix(ERROR_PREFIX).unwrap_or(&said);
                Some(End::Failed(cause.to_owned()))
            }
            // Given tasks have no answer; the notice of their end stands for it.
            "system.notice" if solved(&data["metadata"]["control"]) => Some(End::Completed),
            "run_cancelled" => Some(End::Failed(format!("cancelled: {}", text(data, "reason")))),
            _ => None,
        }
    }
}

/// Whether this tells that the tasks that were given are solved.
fn solved(control: &Value) -> bool {
    control["action"] == "solve_tasks" && control["done"] == true
}
