//! What an operator looks at: open steps, timers, costs, leases and the verification of the log.

use std::collections::BTreeMap;

use axum::Json;
use axum::extract::{FromRequestParts, State};
use axum::http::StatusCode;
use axum::http::request::Parts;
use chrono::DateTime;
use domain::StepId;
use projections::ledger::CostRow;
use runner::{StepWait, WaitReason};
use serde::{Deserialize, Serialize};
use store::{Deadline, Node, NodeId, OpenStep, Steps, StreamId};
use ts_rs::TS;
use utoipa::ToSchema;

use super::schemas::CostRowDoc;
use crate::app::App;
use crate::error::{ApiError, ErrorAnswer};
use crate::keys::{Owner, bearer};
use crate::operations::Verification;
use projections::rfc3339;

/// The most open steps and timers that are listed: some screenfuls.
const LISTED_MAX: usize = 500;

/// A limit above any number of timers; databases use signed numbers.
const ALL_TIMERS: usize = usize::MAX >> 1;

/// How the server does.
#[serde_with::skip_serializing_none]
#[derive(Debug, Serialize, ToSchema, TS)]
#[ts(optional_fields)]
pub(super) struct OperationsAnswer {
    /// Of this process; the program's version.
    node: String,
    program: &'static str,
    started_at: String,
    /// The position of the log's last event, over all owners. For the operator.
    head: Option<u64>,
    /// Whether the chain is being verified now. For the operator.
    verifying: Option<bool>,
    /// What came of it last in this process. For the operator: what differs names sessions of any owner.
    verified: Option<Verified>,
    /// For the operator.
    projections: Option<Vec<Lag>>,
    /// Processes that carry out steps, by their leases. For the operator.
    nodes: Option<Vec<Lease>>,
    /// Of this owner, or of all owners for the operator; the first 500.
    open_steps: Vec<OpenStepRow>,
    /// Gates of this owner that answer themselves at a time, the first 500.
    timers: Vec<Timer>,
    /// What this owner's sessions spent.
    #[schema(value_type = Vec<CostRowDoc>)]
    costs: Vec<CostRow>,
}

/// What a verification of the log found.
#[serde_with::skip_serializing_none]
#[derive(Debug, Serialize, ToSchema, TS)]
#[ts(optional_fields)]
struct Verified {
    at: String,
    sound: bool,
    /// The chain was computed again up to this position.
    to: u64,
    events: u64,
    /// Where the chain is first broken.
    broken: Option<BrokenAt>,
    /// In what way what is kept beside the events differs from them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<_>", optional)]
    differences: Vec<String>,
    /// What was not looked at, and why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<_>", optional)]
    unseen: Vec<String>,
    /// Why it could not be verified.
    error: Option<String>,
}

/// Where the chain is broken, and how.
#[derive(Debug, Serialize, ToSchema, TS)]
struct BrokenAt {
    position: u64,
    what: String,
}

/// How far a reading of the whole log is behind it.
#[derive(Debug, Serialize, ToSchema, TS)]
struct Lag {
    name: &'static str,
    /// Events.
    behind: u64,
}

/// A process that carries out steps.
#[derive(Debug, Serialize, ToSchema, TS)]
#[ts(optional_fields)]
struct Lease {
    node: String,
    /// Absent where the log belongs to this process alone, so that nobody could take its steps over.
    #[serde(skip_serializing_if = "Option::is_none")]
    lease_until: Option<String>,
    /// Whether it is this process.
    own: bool,
}

/// A step without an outcome.
#[serde_with::skip_serializing_none]
#[derive(Debug, PartialEq, Serialize, Deserialize, ToSchema, TS)]
#[ts(optional_fields)]
pub(crate) struct OpenStepRow {
    /// Whose session it is. For the operator.
    pub(crate) owner: Option<String>,
    pub(crate) session: String,
    pub(crate) step: String,
    pub(crate) attempt: u32,
    /// Not to be started before.
    pub(crate) due: String,
    /// Who carries it out.
    pub(crate) node: Option<String>,
    /// What it waits for just now; absent while it is at work, and where another process carries it out.
    pub(crate) waiting_for: Option<WaitingFor>,
    /// Since when it waits for this.
    pub(crate) since: Option<String>,
}

/// What a step waits for: the time of its next attempt or try (`retry`); the end of a pause after its provider had too many calls
/// (`pause`); what its provider takes in a minute (`rate`); a place among the calls to its provider (`seat`); the first byte of an answer
/// (`first_byte`); a person who answers a gate (`gate`); the log (`log`); contents beside the log (`blob`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema, TS)]
#[serde(rename_all = "snake_case")]
pub(crate) enum WaitingFor {
    Retry,
    Pause,
    Rate,
    Seat,
    FirstByte,
    Gate,
    Log,
    Blob,
}

/// A gate that answers itself at a time.
#[derive(Debug, Serialize, ToSchema, TS)]
struct Timer {
    session: String,
    run: String,
    gate: String,
    due: String,
}

/// Who asks: an owner, the operator, or, where there are no keys, somebody who is both.
pub(super) struct Looker {
    owner: Option<Owner>,
    is_operator: bool,
}

impl FromRequestParts<App> for Looker {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, ApiError> {
        let is_operator = app.keys.is_operator(bearer(parts));
        let owner = if is_operator && app.keys.are_wanted() {
            None
        } else {
            Some(Owner::from_request_parts(parts, app).await?)
        };
        Ok(Self { owner, is_operator })
    }
}

/// Open steps, timers and costs of an owner; leases, lag and verification for the operator
///
/// What belongs to an owner is shown to that owner, and what is of the whole server to whoever runs it: an owner's key shows the one,
/// the operator's key the other. Without keys, both are shown. The operator also sees the open steps of all owners and what they wait
/// for, and nothing of their content.
#[utoipa::path(get, path = "/v1/operations", operation_id = "show_operations", tag = "server",
    responses(
        (status = 200, description = "how the server does", body = OperationsAnswer)))]
pub(super) async fn show(
    State(app): State<App>,
    Looker { owner, is_operator }: Looker,
) -> Result<Json<OperationsAnswer>, ApiError> {
    let log = app.engine.log();
    let operations = &app.operations;
    let behind = operations.behind().await;
    let own = app.engine.node();
    let mut answer = OperationsAnswer {
        node: own.to_string(),
        program: env!("CARGO_PKG_VERSION"),
        started_at: rfc3339(operations.started_at),
        head: None,
        verifying: None,
        verified: None,
        projections: None,
        nodes: None,
        open_steps: vec![],
        timers: vec![],
        costs: vec![],
    };
    if is_operator {
        let (verifying, verified) = operations.verification();
        answer.head = Some(operations.head());
        answer.verifying = Some(verifying);
        answer.verified = verified.map(Verified::of);
        answer.projections = Some(vec![Lag {
            name: "costs",
            behind,
        }]);
        let nodes = log.nodes().await?;
        answer.nodes = Some(leases(own, &nodes));
    }
    let steps = log.open_steps(Steps::All).await?.into_iter();
    let is_of = |step: &OpenStep, owner: &Owner| step.stream.owner == owner.0;
    let seen = steps
        .filter(|step| is_operator || owner.as_ref().is_some_and(|owner| is_of(step, owner)))
        .take(LISTED_MAX);
    let waits = app.engine.waits();
    let row = |step| OpenStepRow::of(step, is_operator, &waits);
    answer.open_steps = seen.map(row).collect();
    if let Some(owner) = owner {
        let timers = log.due_deadlines(DateTime::<chrono::Utc>::MAX_UTC, ALL_TIMERS);
        let timers = timers.await?.into_iter();
        let mine = timers.filter(|timer| timer.stream.owner == owner.0);
        answer.timers = mine.take(LISTED_MAX).map(Timer::of).collect();
        answer.costs = operations.costs(&owner.0);
    }
    Ok(Json(answer))
}

impl OpenStepRow {
    fn of(
        open: OpenStep,
        is_operator: bool,
        waits: &BTreeMap<(StreamId, StepId), StepWait>,
    ) -> Self {
        let key = (open.stream, open.step);
        let wait = waits.get(&key);
        let (stream, step) = &key;
        Self {
            owner: is_operator.then(|| stream.owner.to_string()),
            session: stream.session.to_string(),
            step: step.to_string(),
            attempt: open.attempt,
            due: rfc3339(open.due),
            node: open.node.map(|node| node.to_string()),
            waiting_for: wait.map(|wait| wait.reason.into()),
            since: wait.map(|wait| rfc3339(wait.since)),
        }
    }
}

impl From<WaitReason> for WaitingFor {
    fn from(reason: WaitReason) -> Self {
        match reason {
            WaitReason::Retry => Self::Retry,
            WaitReason::Pause => Self::Pause,
            WaitReason::Rate => Self::Rate,
            WaitReason::Seat => Self::Seat,
            WaitReason::FirstByte => Self::FirstByte,
            WaitReason::Gate => Self::Gate,
            WaitReason::Log => Self::Log,
            WaitReason::Blob => Self::Blob,
        }
    }
}

impl Timer {
    fn of(deadline: Deadline) -> Self {
        Self {
            session: deadline.stream.session.to_string(),
            run: deadline.run.to_string(),
            gate: deadline.gate.to_string(),
            due: rfc3339(deadline.due),
        }
    }
}

/// The leases of this process first, then those of the others.
fn leases(own: &NodeId, nodes: &[Node]) -> Vec<Lease> {
    let is_own = |node: &&Node| node.node == *own;
    let until = |node: &Node| rfc3339(node.lease_until);
    let this = Lease {
        node: own.to_string(),
        lease_until: nodes.iter().find(is_own).map(until),
        own: true,
    };
    let others = nodes.iter().filter(|node| !is_own(node));
    let others = others.map(|node| Lease {
        node: node.node.to_string(),
        lease_until: Some(until(node)),
        own: false,
    });
    std::iter::once(this).chain(others).collect()
}

impl Verified {
    fn of(verification: Verification) -> Self {
        let at = rfc3339(verification.at);
        match verification.found {
            Ok(report) => Self {
                at,
                sound: report.is_sound(),
                to: report.head,
                events: report.events,
                broken: report.first_broken.map(|broken| BrokenAt {
                    position: broken.position,
                    what: broken.what,
                }),
                differences: report.differences,
                unseen: report.unseen,
                error: None,
            },
            Err(error) => Self {
                at,
                sound: false,
                to: 0,
                events: 0,
                broken: None,
                differences: vec![],
                unseen: vec![],
                error: Some(error),
            },
        }
    }
}

/// That a verification is under way.
#[derive(Debug, Serialize, ToSchema, TS)]
pub(super) struct Verifying {
    /// Whether this request began it, and not an earlier one.
    began: bool,
}

/// Verify the log in the background
///
/// The chain is computed again from the beginning, and what is kept beside the events is made again and compared. What came of
/// it is in `GET /v1/operations`. For the operator, since it reads what is of all owners.
#[utoipa::path(post, path = "/v1/operations/verify", tag = "server",
    responses(
        (status = 202, description = "under way", body = Verifying),
        (status = 403, description = "not the operator's key", body = ErrorAnswer)))]
pub(super) async fn verify(
    State(app): State<App>,
    looker: Looker,
) -> Result<(StatusCode, Json<Verifying>), ApiError> {
    if !looker.is_operator {
        let message = "the log of all owners is verified for the operator of the server alone";
        return Err(
            ApiError::new(StatusCode::FORBIDDEN, "operator_only", message)
                .hint("send the operator's key, or run `verify` beside the server"),
        );
    }
    let began = app.operations.verify();
    Ok((StatusCode::ACCEPTED, Json(Verifying { began })))
}

#[cfg(test)]
mod tests {
    use domain::RunId;
    use serde_json::json;

    use super::*;

    fn time(seconds: i64) -> DateTime<chrono::Utc> {
        DateTime::from_timestamp(seconds, 0).expect("a time")
    }

    fn open(item: &str) -> OpenStep {
        OpenStep {
            stream: StreamId::new("ann", "s".into()),
            step: StepId::new(RunId(1), "draft", item),
            attempt: 2,
            due: time(0),
            node: Some(NodeId::new("n")),
            epoch: 1,
        }
    }

    #[test]
    fn an_open_step_says_what_it_waits_for_and_to_the_operator_whose_it_is() {
        let waiting = open("1");
        let wait = StepWait {
            reason: WaitReason::FirstByte,
            since: time(60),
        };
        let key = (waiting.stream.clone(), waiting.step.clone());
        let waits = BTreeMap::from([(key, wait)]);
        let row = |step, is_operator| json!(OpenStepRow::of(step, is_operator, &waits));
        let shown = row(waiting, true);
        assert_eq!(shown["owner"], "ann");
        assert_eq!(shown["waiting_for"], "first_byte");
        assert_eq!(shown["since"], rfc3339(time(60)));
        let works = row(open("2"), false);
        for field in ["owner", "waiting_for", "since"] {
            assert_eq!(works.get(field), None, "{field}: {works}");
        }
        assert_eq!(works["step"], "r1/draft/2");
    }
}
