//! A supervisor says what is next. It leaves a wish; what becomes of it is decided by the flow.

use serde_json::{Value, json};

use super::route::{END, WISH};
use super::stage::{SUPERVISE, Stage};
use crate::carry::{Answer, Carry, ModelTurn, Offline, Output, TurnResult, Work};
use crate::event::Violation;
use crate::text::fenced;

/// Who decides what is next.
pub(super) const ROLE: &str = "supervisor";

/// Tokens of a decision: two sentences, and a thinking model.
pub(super) const ANSWER_TOKENS: u32 = 2_000;

/// Characters of what a supervisor tells the next agent; the contract's number.
const GUIDANCE_CHARS: usize = 200;

pub(super) fn carry(work: &Work, turns: &[TurnResult]) -> Carry {
    let Some(TurnResult::Model { model, answer }) = turns.first() else {
        return Carry::Model(Box::new(question(work)));
    };
    let wish = match answer {
        Answer::Json(wish) => wish,
        Answer::Unreadable(message) => {
            return Carry::Reject(vec![Violation::new("", message.clone())]);
        }
        Answer::Text(_) | Answer::Calls { .. } => {
            return Carry::Reject(vec![Violation::new(
                "",
                "is not the JSON object that was asked for",
            )]);
        }
    };
    let said = |name: &str| wish[name].as_str().unwrap_or_default().trim();
    let wanted = said("next_agent");
    let choice = stage_of(wanted);
    let Some(choice) = choice else {
        let message = format!("`{wanted}` is no agent; there are {}", agents().join(", "));
        return Carry::Reject(vec![Violation::new("/next_agent", message)]);
    };
    let guidance = said("guidance").chars().take(GUIDANCE_CHARS).collect();
    Carry::Done(vec![wish_of(work, choice, guidance, model.clone())])
}

/// Without a supervisor the order decides.
pub(super) fn without_model() -> Vec<Output> {
    vec![]
}

fn wish_of(work: &Work, choice: &str, reason: String, by: String) -> Output {
    let number = work.step.stage.strip_prefix(SUPERVISE).unwrap_or_default();
    Output::Decision {
        what: format!("{WISH}{number}"),
        choice: choice.to_owned(),
        reason,
        by,
    }
}

/// The stage of an agent, by the names of the contract or by its own.
fn stage_of(agent: &str) -> Option<&'static str> {
    if agent.eq_ignore_ascii_case(END) {
        return Some(END);
    }
    let stages = || Stage::ALL[1..9].iter();
    let named = stages().find(|stage| stage.agent() == agent || stage.name() == agent);
    named.map(|stage| stage.name())
}

fn agents() -> Vec<&'static str> {
    let agents = Stage::ALL[1..9].iter().map(|stage| stage.agent());
    agents.chain([END]).collect()
}

fn question(work: &Work) -> ModelTurn {
    let made: Vec<Value> = work
        .inputs
        .values()
        .flatten()
        .map(|input| json!({ "kind": input.artifact.kind, "content": input.body }))
        .collect();
    let routes = work.decisions.iter();
    let routes = routes.filter(|(what, _)| what.starts_with(super::route::ROUTE));
    let vars = json!({
        "made": fenced(json!(made)),
        "routes": routes.map(|(_, choice)| choice).collect::<Vec<_>>(),
        "agents": agents(),
    });
    ModelTurn {
        role: ROLE,
        prompt: "post/supervise",
        vars: super::ask::vars(work, vars),
        schema: Some((
            "supervisor_decision",
            json!({
                "type": "object",
                "properties": {
                    "guidance": { "type": "string", "description": "why; where you go back, for that agent. At most 200 characters" },
                    "next_agent": { "type": "string", "enum": agents() }
                },
                "required": ["guidance", "next_agent"],
                "additionalProperties": false
            }),
        )),
        max_output_tokens: ANSWER_TOKENS,
        tools: vec![],
        talk: vec![],
        pictures: vec![],
        // Nobody asks the offline author: without a model the order decides.
        offline: Offline::Answers(|_| json!({ "guidance": "", "next_agent": END })),
    }
}
