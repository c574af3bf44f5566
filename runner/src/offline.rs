//! The offline author as a model: no key, no network, the same answer every time. It gets the rendered request and the
//! stage's typed inputs, and is recorded like any other model.

use bytes::Bytes;
use domain::carry::{ModelTurn, Work};

use crate::ports::ModelAnswer;

/// How it is recorded.
pub(crate) const OFFLINE: &str = "offline";

pub(crate) fn answer(turn: &ModelTurn, work: &Work) -> ModelAnswer {
    let text = (turn.offline)(work).to_string();
    ModelAnswer {
        raw: Bytes::from(text.clone()),
        text,
        tool_calls: vec![],
        model: OFFLINE.to_owned(),
        finish_reason: Some("stop".to_owned()),
        usage: None,
    }
}
