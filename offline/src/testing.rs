//! What the tests of all pipelines share: a step to work on, and the answer of whoever is registered for its prompt.

use std::collections::BTreeMap;
use std::sync::Arc;

use domain::StepId;
use domain::carry::{Answer, Call, ModelTurn, TurnResult, Work};
use domain::event::Guidance;
use runner::authors::Author;
use serde_json::Value;

/// A step of a run of which nothing is known yet.
pub(crate) fn work(step: StepId) -> Work {
    Work {
        step,
        attempt: 1,
        brief: String::new(),
        input: Value::Null,
        changes: vec![],
        settings: Arc::default(),
        guidance: Guidance::default(),
        refines: false,
        inputs: BTreeMap::new(),
        previous: BTreeMap::new(),
        made_before: vec![],
        sources: vec![],
        files: vec![],
        history: vec![],
        refinable: None,
        resumable: false,
        answers: BTreeMap::new(),
        asked: vec![],
        decisions: BTreeMap::new(),
        left_before: vec![],
    }
}

/// What the offline author answers, as it is recorded.
pub(crate) fn answer(turn: &ModelTurn, work: &Work, turns: &[TurnResult]) -> TurnResult {
    let answer = match crate::authors().of(turn.prompt) {
        Some(Author::Structure(answer)) => Answer::Json(answer(work)),
        Some(Author::Calls(next)) => {
            let wanted = next(work, turns).into_iter().zip(1..);
            let calls = wanted.map(|((name, arguments), id)| {
                Call::new(format!("c{id}"), name.to_owned(), arguments.to_string())
            });
            Answer::calls(calls.collect())
        }
        None => panic!("nobody answers {}", turn.prompt),
    };
    TurnResult::Model {
        model: "offline".into(),
        answer,
    }
}
