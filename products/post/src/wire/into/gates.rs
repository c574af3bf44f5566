//! Which question is answered, and how the answer is translated for the pipeline.

use palimpsest::prelude::pipeline::Gate;
use palimpsest::prelude::pipeline::event::BUDGET_GATE;
use palimpsest::prelude::wire::{GateId, Session};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::errors::PostRefusal;

/// The option of a question that continues without any choice.
const DEFAULT: &str = "continue_default";

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Action {
    Approve,
    Reject,
    Modify,
}

impl Action {
    pub(super) fn named(name: &str) -> Result<Self, PostRefusal> {
        match name {
            "approve" => Ok(Self::Approve),
            "reject" => Ok(Self::Reject),
            "modify" => Ok(Self::Modify),
            _ => Err(PostRefusal::bad_request(
                "`action` is approve, reject or modify",
            )),
        }
    }
}

/// What was chosen at a question.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct UserResponse {
    pub(super) selected_ids: Option<Vec<String>>,
    pub(super) custom_input: Option<String>,
    #[schema(value_type = Object)]
    pub(super) modified_context: Option<Value>,
}

impl UserResponse {
    fn selected(&self) -> Option<&str> {
        self.selected_ids.as_ref()?.first().map(String::as_str)
    }

    fn said(&self) -> Option<&str> {
        self.custom_input
            .as_deref()
            .filter(|said| !said.trim().is_empty())
    }
}

/// An answer as a client gives it.
#[derive(Clone, Debug, Default)]
pub(super) struct Answer {
    pub(super) action: Option<Action>,
    pub(super) feedback: Option<String>,
    pub(super) modified: Option<Value>,
    pub(super) response: Option<UserResponse>,
}

/// The gate that is answered: the named one, else the one that waits.
pub(super) fn gate<'a>(session: &'a Session, named: Option<&str>) -> Result<&'a Gate, PostRefusal> {
    let answered = || PostRefusal::conflict("gate_answered", "this question was answered already");
    if let Some(named) = named {
        let found = session.gate(&GateId::new(named));
        let (run, gate) = found.ok_or_else(|| {
            PostRefusal::not_found("no_gate", "there is no such question in this thread")
        })?;
        if gate.answer.is_some() {
            return Err(answered());
        }
        if !run.is_active() {
            return Err(PostRefusal::conflict("ended", "the run has ended"));
        }
        return Ok(gate);
    }
    if let Some(gate) = session.active_run().and_then(|run| run.open_gates().next()) {
        return Ok(gate);
    }
    let last = session.active_run().or(session.runs.values().next_back());
    if last.is_some_and(|run| !run.gates.is_empty()) {
        return Err(answered());
    }
    let message = "nothing in this thread waits for an answer";
    Err(PostRefusal::not_found("no_gate", message))
}

impl Answer {
    /// Checks everything that does not depend on the question.
    pub(super) fn check(&self) -> Result<(), PostRefusal> {
        if self.response.is_some() {
            return Ok(());
        }
        match self.action {
            None => Err(PostRefusal::bad_request(
                "`action` is required unless `userResponse` is given",
            )),
            Some(Action::Reject) if self.feedback().is_none() => Err(PostRefusal::bad_request(
                "`userFeedback` is required to reject: say what is to be different",
            )),
            Some(Action::Modify) if self.modified.is_none() => Err(PostRefusal::bad_request(
                "`modifiedData` is required to modify",
            )),
            Some(_) => Ok(()),
        }
    }

    fn feedback(&self) -> Option<&str> {
        self.feedback
            .as_deref()
            .filter(|said| !said.trim().is_empty())
    }

    /// The answer in the form that the pipeline expects.
    pub(super) fn to(&self, gate: &Gate) -> Result<Value, PostRefusal> {
        if gate.opened.name == BUDGET_GATE {
            return self.to_budget();
        }
        if gate.opened.subject.is_none() {
            return self.to_question(gate);
        }
        match &self.response {
            None => self.to_approval(gate),
            Some(response) => Self::chosen(response)?.to_approval(gate),
        }
    }

    /// The action that was chosen at a question of approval.
    fn chosen(response: &UserResponse) -> Result<Self, PostRefusal> {
        let action = match (response.selected(), response.said()) {
            (Some(selected), _) => Action::named(selected)?,
            // If there are only words, they say what is to be different.
            (None, Some(_)) => Action::Reject,
            (None, None) if response.modified_context.is_some() => Action::Modify,
            (None, None) => return Err(PostRefusal::bad_request("`userResponse` selects nothing")),
        };
        let chosen = Self {
            action: Some(action),
            feedback: response.custom_input.clone(),
            modified: response.modified_context.clone(),
            response: None,
        };
        chosen.check()?;
        Ok(chosen)
    }

    fn to_approval(&self, gate: &Gate) -> Result<Value, PostRefusal> {
        match (self.action, &self.modified) {
            (Some(Action::Reject), _) => {
                let options = &gate.opened.options;
                if !options.is_empty() && !options.iter().any(|option| option == "reject") {
                    let message = "it was made anew as often as it may be; approve it or modify it";
                    return Err(PostRefusal::conflict("regeneration_limit", message));
                }
                Ok(json!({ "confirm": false, "feedback": self.feedback() }))
            }
            (Some(Action::Approve | Action::Modify), Some(modified)) => {
                let edits = if modified.is_array() {
                    json!({ "imagePlans": modified })
                } else {
                    modified.clone()
                };
                Ok(json!({ "confirm": true, "edits": edits }))
            }
            (Some(Action::Approve), None) => Ok(json!({ "confirm": true })),
            (Some(Action::Modify), None) | (None, _) => {
                Err(PostRefusal::bad_request("`action` is required"))
            }
        }
    }

    fn to_question(&self, gate: &Gate) -> Result<Value, PostRefusal> {
        if let Some(response) = &self.response {
            let mut answer =
                json!({ "selectedIds": response.selected_ids.as_deref().unwrap_or_default() });
            if let Some(said) = response.said() {
                answer["customInput"] = json!(said);
            }
            if let Some(context) = &response.modified_context {
                answer["modifiedContext"] = context.clone();
            }
            return Ok(answer);
        }
        let takes_default = gate.opened.options.iter().any(|option| option == DEFAULT);
        if self.action == Some(Action::Approve) && takes_default {
            return Ok(json!({ "selectedIds": [DEFAULT] }));
        }
        Err(PostRefusal::bad_request(
            "this question is answered by `userResponse`",
        ))
    }

    fn to_budget(&self) -> Result<Value, PostRefusal> {
        let response = self.response.as_ref();
        let chosen = response.and_then(UserResponse::selected);
        let choice = match (chosen, self.action) {
            (Some(chosen), _) => chosen,
            (None, Some(Action::Approve)) => "raise",
            (None, Some(Action::Reject)) => "end",
            (None, Some(Action::Modify) | None) => {
                return Err(PostRefusal::bad_request(
                    "the budget is answered by raise, finish_partial or end",
                ));
            }
        };
        let mut answer = json!({ "choice": choice });
        let limits = response.and_then(|response| response.modified_context.as_ref());
        if let Some(budget) = limits.and_then(|limits| limits.get("budget")) {
            answer["budget"] = budget.clone();
        }
        Ok(answer)
    }
}
