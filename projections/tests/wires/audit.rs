//! How outputs came about, and what they cost.

use insta::assert_json_snapshot;
use projections::history::History;
use projections::trial::*;
use serde_json::{Value, json};

use crate::names::*;
use crate::native::one_of_each;
use crate::pages::*;
use crate::scenes::refined;

fn history(log: &LogFixture) -> History {
    let mut history = History::default();
    log.events
        .iter()
        .for_each(|recorded| history.push(recorded));
    history
}

#[test]
fn a_turn_is_one_row_with_all_its_tries() {
    let log = new_log()
        .message("光合作用", with_model(false))
        .stage(ANALYZE, 1)
        .request(ANALYZE, "", 1);
    let step = log.step(ANALYZE, "");
    let log = log.then(model_call(
        step.clone(),
        1,
        1,
        Some(call_error("rate_limited", true)),
    ));
    let log = log.then(model_call(step, 1, 2, None));
    let history = history(&log);
    assert_json_snapshot!(history.calls().collect::<Vec<_>>());
    let ledger: Value = serde_json::to_value(history.ledger().collect::<Vec<_>>()).unwrap();
    assert_eq!(
        ledger,
        json!([{
            "run": "r1", "model": "gpt-x", "calls": 2, "failed": 1, "input_tokens": 200, "output_tokens": 40,
            "cached_tokens": 0, "cost_micros": 14, "latency_ms": 500,
        }])
    );
}

#[test]
fn each_run_has_its_own_sum() {
    let history = history(&refined());
    let sums: Vec<_> = history
        .ledger()
        .map(|row| (row.run.0, row.sums.calls))
        .collect();
    assert_eq!(sums, [(1, 8), (2, 5)]);
    assert_eq!(history.calls().count(), 13);
}

#[test]
fn a_tool_call_is_a_row_with_what_was_asked() {
    let log = one_of_each();
    let mut history = History::default();
    log.events
        .iter()
        .take_while(|r| r.event.name() != "ModelCalled")
        .for_each(|r| history.push(r));
    assert_json_snapshot!(history.calls().collect::<Vec<_>>());
}
