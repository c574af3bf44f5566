//! The offline author as a model: no key, no network, the same answer every time. It gets the rendered request and the
//! stage's typed inputs, and is recorded like any other model.

use bytes::Bytes;
use domain::carry::{Call, ModelTurn, Offline, TurnResult, Work};
use serde::{Deserialize, Serialize};

use crate::ports::{ModelAnswer, ToolCall};

/// How it is recorded.
pub(crate) const OFFLINE: &str = "offline";

/// How an answer with calls of tools is kept.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Kept {
    tool_calls: Vec<Call>,
}

pub(crate) fn answer(turn: &ModelTurn, work: &Work, turns: &[TurnResult]) -> ModelAnswer {
    let kept = match turn.offline {
        Offline::Answers(answer) => answer(work).to_string(),
        Offline::Acts(act) => {
            let calls = act(work, turns).into_iter().zip(1..);
            let calls = calls.map(|((name, arguments), number)| Call {
                id: format!("call_{}_{number}", turns.len()),
                name: name.to_owned(),
                arguments: arguments.to_string(),
            });
            let tool_calls = calls.collect();
            serde_json::to_string(&Kept { tool_calls }).expect("calls have only text keys")
        }
    };
    read(Bytes::from(kept))
}

/// An answer as it was kept.
pub(crate) fn read(raw: Bytes) -> ModelAnswer {
    let (text, calls) = match serde_json::from_slice(&raw) {
        Ok(Kept { tool_calls }) => (String::new(), tool_calls),
        Err(_) => (String::from_utf8_lossy(&raw).into_owned(), vec![]),
    };
    let finish_reason = if calls.is_empty() {
        "stop"
    } else {
        "tool_calls"
    };
    let tool_calls = calls.into_iter().map(|call| ToolCall {
        id: call.id,
        name: call.name,
        arguments: call.arguments,
    });
    ModelAnswer {
        text,
        reasoning: String::new(),
        tool_calls: tool_calls.collect(),
        model: OFFLINE.to_owned(),
        finish_reason: Some(finish_reason.to_owned()),
        usage: None,
        raw,
    }
}
