//! The lanes of a client's session: the sessions of the log behind it, their pauses, and where the next message goes.

use std::sync::Arc;

use axum::http::StatusCode;
use chrono::{DateTime, Utc};
use palimpsest::prelude::pipeline::event::BUDGET_GATE;
use palimpsest::prelude::pipeline::{Gate, Run};
use palimpsest::prelude::wire::{ApiError, App, Owner, RunId, SendError, Session, SessionId};
use serde_json::{Value, json};

use super::PIPELINE;
use super::errors::StoryRefusal;
use crate::pipeline::stage::OUTCOME;
use crate::wire::out::{LANES_MAX, client_session, lane, lane_number, lanes_prefix};

/// One lane, as it is now.
#[derive(Clone, Debug)]
pub(super) struct Lane {
    /// From 1.
    pub(super) number: u32,
    pub(super) session: SessionId,
    pub(super) state: Arc<Session>,
    /// When its last event was recorded; `None` if it is the only lane.
    touched: Option<DateTime<Utc>>,
}

/// A gate at which a chain waits for a choice.
#[derive(Clone, Debug)]
pub(super) struct Pause<'a> {
    pub(super) lane: &'a Lane,
    pub(super) run: &'a Run,
    pub(super) gate: &'a Gate,
}

/// An option of a pause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Choice {
    pub(super) id: String,
    pub(super) title: String,
}

/// All lanes of a client's session, in order; none if nothing was said in the session yet.
///
/// # Errors
///
/// The session belongs to another pipeline or was erased, or the log cannot be read.
pub(super) async fn lanes(
    app: &App,
    owner: &Owner,
    client: &str,
) -> Result<Vec<Lane>, StoryRefusal> {
    let log = app.engine.log();
    let further = log.streams(&owner.0, &lanes_prefix(client)).await?;
    let further = further
        .into_iter()
        .filter(|session| client_session(session.as_str()) == client);
    let mut found = vec![];
    for session in std::iter::once(SessionId::new(client)).chain(further) {
        let number = lane_number(session.as_str());
        match app.engine.session(&owner.stream(&session)).await {
            Ok(state) if state.pipeline != PIPELINE => {
                let message = "there is a session of this name that is of no story";
                return Err(StoryRefusal::conflict("other_pipeline", message));
            }
            Ok(state) => found.push(Lane {
                number,
                session,
                state,
                touched: None,
            }),
            Err(SendError::NoSession { .. }) => {}
            // Lanes other than the first may be erased on their own.
            Err(SendError::Erased) if number > 1 => {}
            Err(error) => return Err(error.into()),
        }
    }
    found.sort_by_key(|lane| lane.number);
    if found.len() > 1 {
        for lane in &mut found {
            let stream = owner.stream(&lane.session);
            let before = lane.state.version.saturating_sub(1);
            let last = log.read(&stream, before, 1).await?;
            lane.touched = last.last().map(|recorded| recorded.recorded_at);
        }
    }
    Ok(found)
}

impl Lane {
    /// The active run, unless it waits for a choice.
    pub(super) fn working(&self) -> Option<RunId> {
        let run = self.state.active_run();
        run.filter(|run| !run.is_waiting()).map(|run| run.id)
    }

    fn is_paused(&self) -> bool {
        self.state.active_run().is_some_and(Run::is_waiting)
    }

    /// The run that began last.
    pub(super) fn last_run(&self) -> Option<&Run> {
        self.state.runs.values().next_back()
    }
}

/// The pauses of a session, the latest first.
pub(super) fn pauses(lanes: &[Lane]) -> Vec<Pause<'_>> {
    let mut all: Vec<Pause<'_>> = lanes
        .iter()
        .filter_map(|lane| Some((lane, lane.state.active_run()?)))
        .flat_map(|(lane, run)| run.open_gates().map(move |gate| Pause { lane, run, gate }))
        .collect();
    all.sort_by_key(|pause| std::cmp::Reverse(pause.gate.opened.at));
    all
}

/// The lane with an active run, if there is one; of several, the one with the latest event.
pub(super) fn working(lanes: &[Lane]) -> Option<(&Lane, RunId)> {
    let working = lanes
        .iter()
        .filter_map(|lane| Some((lane, lane.working()?)));
    working.max_by_key(|(lane, _)| lane.touched)
}

/// The lane of the latest work: one with an active run, else the one with the latest event.
pub(super) fn latest(lanes: &[Lane]) -> Option<&Lane> {
    let by_work = working(lanes).map(|(lane, _)| lane);
    by_work.or_else(|| lanes.iter().max_by_key(|lane| lane.touched))
}

/// The lane for a message that starts a run.
#[derive(Clone, Copy, Debug)]
pub(super) enum Target<'a> {
    /// A lane in which nothing waits for a choice.
    Known(&'a Lane),
    /// A new lane with this number. It begins with what was said before the pause of the lane `after`.
    New {
        number: u32,
        after: Option<&'a Lane>,
    },
}

/// # Errors
///
/// All lanes that a session may have wait for a choice.
pub(super) fn target(lanes: &[Lane]) -> Result<Target<'_>, StoryRefusal> {
    if let Some((lane, _)) = working(lanes) {
        return Ok(Target::Known(lane));
    }
    if let Some(lane) = lanes
        .iter()
        .filter(|lane| !lane.is_paused())
        .max_by_key(|lane| lane.touched)
    {
        return Ok(Target::Known(lane));
    }
    let number = (1..=LANES_MAX).find(|number| lanes.iter().all(|lane| lane.number != *number));
    let Some(number) = number else {
        let message = format!("{LANES_MAX} chains of this session wait for a choice");
        let refused = ApiError::new(StatusCode::CONFLICT, "too_many_pauses", message);
        let hint = "choose in one of them, or cancel it";
        return Err(refused.hint(hint).into());
    };
    let after = lanes.iter().max_by_key(|lane| lane.touched);
    Ok(Target::New { number, after })
}

impl Target<'_> {
    pub(super) fn session(&self, client: &str) -> SessionId {
        match self {
            Self::Known(lane) => lane.session.clone(),
            Self::New { number, .. } => SessionId::new(lane(client, *number)),
        }
    }
}

impl Pause<'_> {
    fn is_budget(&self) -> bool {
        self.gate.opened.name == BUDGET_GATE
    }

    /// The options, in the order of their numbers.
    pub(super) fn choices(&self) -> Vec<Choice> {
        let named = self.run.facts(OUTCOME).map(|facts| &facts["options"]);
        let named = named.and_then(Value::as_array).into_iter().flatten();
        let text =
            |option: &Value, field: &str| option[field].as_str().unwrap_or_default().to_owned();
        let known: Vec<Choice> = named
            .map(|option| Choice {
                id: text(option, "id"),
                title: text(option, "title"),
            })
            .collect();
        let options = self.gate.opened.options.iter();
        let plain = options.map(|id| {
            let found = known.iter().find(|choice| choice.id == *id);
            let title = found.filter(|_| !self.is_budget());
            Choice {
                id: id.clone(),
                title: title.map_or_else(|| id.clone(), |choice| choice.title.clone()),
            }
        });
        plain.collect()
    }

    /// The answer to the pipeline's gate for this choice.
    pub(super) fn answer(&self, selection: &str) -> Value {
        let choices = self.choices();
        let chosen = super::choosing::chosen(&choices, selection);
        let chosen = chosen
            .map_or(selection, |choice| choice.id.as_str())
            .to_owned();
        if self.is_budget() {
            json!({ "choice": chosen })
        } else {
            json!({ "selection": chosen })
        }
    }
}
