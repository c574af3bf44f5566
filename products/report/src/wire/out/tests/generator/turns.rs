//! What interrupts the straight course of a run: tasks that are left out or done again, new plans, forks.

use std::collections::BTreeSet;

use palimpsest::prelude::wire::event::*;
use serde_json::Value;

use super::World;
use crate::wire::out::tests::log::*;

impl World {
    /// Cancels open steps for a reason; all of them where no tasks are named.
    pub(crate) fn cancel_steps(&mut self, reason: &str, tasks: Option<&BTreeSet<u32>>) {
        let falls =
            |item: &str| tasks.is_none_or(|tasks| item.parse().is_ok_and(|id| tasks.contains(&id)));
        let (gone, left): (Vec<_>, Vec<_>) = std::mem::take(&mut self.steps)
            .into_iter()
            .partition(|(_, item, _)| falls(item));
        self.steps = left;
        for (stage, item, attempt) in gone {
            self.tools
                .retain(|tool| (tool.0, &tool.1) != (stage, &item));
            self.go(|log| log.cancel_step(stage, &item, attempt, reason));
        }
    }

    pub(crate) fn skip(&mut self, which: usize) {
        let id = 1 + which as u32 % self.tasks.max(1);
        if !self.own
            || !self.done.contains(PLAN)
            || self.solved.contains(&id)
            || !self.skipped.insert(id)
        {
            return;
        }
        self.go(|log| log.decides(id, "skip"));
        self.cancel_steps("skipped", Some(&[id].into()));
    }

    pub(crate) fn restart(&mut self, which: usize) {
        let id = 1 + which as u32 % self.tasks.max(1);
        let known = self.tried.contains(&(SECTIONS, id.to_string())) || self.solved.contains(&id);
        if !self.own || !(known || self.skipped.contains(&id)) || !self.done.contains(PLAN) {
            return;
        }
        if self.skipped.remove(&id) {
            self.go(|log| log.decides(id, "do"));
        }
        self.cancel_steps("reopened", Some(&[id].into()));
        self.reopen(vec![(SECTIONS, id.to_string())], None);
    }

    pub(crate) fn replan(&mut self, which: usize) {
        if !self.own || self.solves_only || !(self.open.contains(PLAN) || self.done.contains(PLAN))
        {
            return;
        }
        self.cancel_steps("reopened", None);
        if let Some((gate, _)) = self.gate.take() {
            self.go(|log| log.answered(&gate, Value::Null, "superseded"));
        }
        let sections: Vec<_> = self
            .solved
            .iter()
            .map(|id| (SECTIONS, id.to_string()))
            .collect();
        let steps = std::iter::once((PLAN, String::new()))
            .chain(sections)
            .collect();
        self.reopen(steps, which.is_multiple_of(2).then_some("换个思路"));
        for id in std::mem::take(&mut self.skipped) {
            self.go(|log| log.decides(id, "do"));
        }
        (self.done, self.confirmed) = (BTreeSet::new(), false);
    }

    pub(crate) fn reopen(
        &mut self,
        mut steps: Vec<(&'static str, String)>,
        feedback: Option<&str>,
    ) {
        if self.current.iter().any(|(stage, _, _)| *stage == REPORT) {
            steps.push((REPORT, String::new()));
        }
        for stage in std::mem::take(&mut self.open) {
            self.go(|log| log.close(stage, StageOutcome::Reopened));
        }
        let named: Vec<_> = steps
            .iter()
            .map(|(stage, item)| (*stage, item.as_str()))
            .collect();
        self.go(|log| log.reopens(&named, feedback));
        self.current
            .retain(|(stage, item, _)| !steps.contains(&(*stage, item.clone())));
        for (_, item) in &steps {
            if let Ok(id) = item.parse() {
                self.solved.remove(&id);
                self.failed.remove(&id);
            }
        }
    }

    /// A fork closes what was open and asks again.
    pub(crate) fn fork(&mut self) {
        self.go(Log::forks);
        let open = self.steps.clone();
        self.cancel_steps("forked", None);
        for (stage, item, _) in open {
            self.request(stage, &item);
        }
        if let Some((_, is_budget)) = self.gate.take() {
            let gate = self.fresh_gate(is_budget);
            if is_budget {
                self.go(|log| log.asks_for_budget(&gate));
            } else {
                let subject = self.log.latest("plan");
                self.go(|log| log.asks_to_confirm_about(&gate, subject));
            }
        }
    }
}
