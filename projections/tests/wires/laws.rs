//! What holds for every log: the laws of all wires, and what its readings say.

use std::collections::{BTreeMap, BTreeSet};

use domain::Event;
use domain::event::StepEvent;
use projections::cause::Causes;
use projections::history::History;
use projections::ledger::Ledger;
use projections::trial::*;
use projections::wire::native::{Lean, Native};
use proptest::prelude::*;
use serde_json::Value;

use crate::generator::logs;

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_laws_of_all_wires_hold(log in logs()) {
        wire_laws::<Native>(&log.events);
        wire_laws::<Lean>(&log.events);
    }

    #[test]
    fn a_lean_frame_is_the_native_one_without_its_body(log in logs()) {
        let (native, lean) = (log.frames_of::<Native>(), log.frames_of::<Lean>());
        prop_assert_eq!(native.len(), lean.len());
        for (native, lean) in native.iter().zip(&lean) {
            let mut data: Value = serde_json::from_str(native.data.get()).unwrap();
            if native.name == "artifact_produced" {
                data.as_object_mut().unwrap().remove("body");
            }
            prop_assert_eq!(data, serde_json::from_str::<Value>(lean.data.get()).unwrap());
            prop_assert_eq!((native.cursor, native.name, native.ordinal), (lean.cursor, lean.name, lean.ordinal));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Every event follows from an earlier one, however the events were appended; and what a step did follows from its own request.
    #[test]
    fn causes_come_before(log in logs(), cuts in any::<u64>()) {
        let mut causes = Causes::default();
        let mut requested = BTreeMap::new();
        let mut first = 1;
        for recorded in &log.events {
            if cuts >> (recorded.version % 64) & 1 == 1 {
                first = recorded.version;
            }
            causes.push(recorded);
            let cause = causes.of(recorded.version, first);
            prop_assert!(cause.is_none_or(|cause| (1..recorded.version).contains(&cause)), "{cause:?} {recorded:?}");
            if let Event::Step(StepEvent::StepRequested(e)) = &recorded.event {
                requested.insert((e.step.clone(), e.attempt), recorded.version);
            }
            if let Event::Step(StepEvent::StepSucceeded(e)) = &recorded.event
                && let Some(request) = requested.get(&(e.step.clone(), e.attempt))
            {
                prop_assert_eq!(cause, Some(*request));
            }
        }
    }

    /// The sums over all sessions are the sums of what the audit of each says.
    #[test]
    fn the_ledger_is_the_sum_of_the_audits(log in logs()) {
        let mut ledger = Ledger::default();
        let mut history = History::default();
        for recorded in &log.events {
            ledger.push(&session(), recorded);
            history.push(recorded);
        }
        let costs = ledger.costs(&session().owner);
        let models: BTreeSet<_> = history.ledger().map(|row| row.model).collect();
        let of_models = costs.iter().filter(|row| models.contains(&row.model));
        let sums = of_models.fold((0, 0, 0), |(calls, tokens, cost), row| {
            (calls + row.sums.calls, tokens + row.sums.input_tokens, cost + row.sums.cost_micros)
        });
        let audited = history.ledger().fold((0, 0, 0), |(calls, tokens, cost), row| {
            (calls + row.sums.calls, tokens + row.sums.input_tokens, cost + row.sums.cost_micros)
        });
        prop_assert_eq!(sums, audited);
        let total: u64 = costs.iter().map(|row| row.sums.cost_micros).sum();
        prop_assert_eq!(ledger.spent(&session()), total);
    }
}
