//! A person answers a gate. The answer names the gate it answers; a second answer changes nothing.

use domain::decision::Decision;
use domain::event::{
    AnswerGiven, BUDGET_GATE, BudgetRaised, DecisionMade, PlanConfirmed, PlanDeclined, Violation,
};
use domain::ids::{ArtifactId, GateId, RunId, StepId};
use domain::session::Run;
use domain::settings::Budget;
use serde_json::Value;
use smol_str::SmolStr;

use crate::finish_step::produce;
use crate::{NewBody, PERSON, Refusal};

#[derive(Clone, Debug, PartialEq)]
pub struct AnswerGate {
    pub gate: GateId,
    pub answer: Value,
    /// The person's edits, where the answer has `edits`; the pipeline has checked them.
    pub edited: Option<Box<EditedBodies>>,
}

/// The result of a person's edits, with the contents where they will stay.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EditedBodies {
    /// The next version of what is asked about.
    pub subject: Option<NewBody>,
    /// Next versions of what other steps made, with the stage and the item of each.
    pub others: Vec<(String, String, NewBody)>,
    /// For each decision: what was decided, the choice, and the reason.
    pub decisions: Vec<(String, String, String)>,
    /// Stages that are done again.
    pub reopens: Vec<SmolStr>,
}

impl AnswerGate {
    pub(crate) fn decide(self, d: &mut Decision<'_>) -> Result<(), Refusal> {
        let run = open_gate(d, &self.gate)?;
        let name = {
            let gate = &d.session.runs[&run].gates[&self.gate];
            let problems = domain::schema::violations(&gate.opened.schema, &self.answer);
            if !problems.is_empty() {
                return Err(Refusal::BadAnswer {
                    problems: Violation::listed(&problems),
                });
            }
            gate.opened.name.clone()
        };
        let edited = self.edited.map(|edited| *edited).unwrap_or_default();
        let fallen = fallen(d, run, &edited);
        let edits = edit(d, run, &self.gate, edited.subject, &fallen)?;
        for (stage, item, body) in edited.others {
            edit_other(d, run, &stage, &item, body, &fallen);
        }
        for (what, choice, reason) in edited.decisions {
            d.record(DecisionMade {
                run,
                what,
                choice,
                reason,
                by: PERSON.to_owned(),
            });
        }
        answer(d, run, &self.gate, self.answer, edits, PERSON);
        if !edited.reopens.is_empty() {
            d.reopen(run, &edited.reopens, &[], None, EDITED);
        }
        if name == BUDGET_GATE {
            after_budget(d, run)
        } else {
            d.advance(run)
        }
        Ok(())
    }
}

/// The run of an open gate.
pub(crate) fn open_gate(d: &Decision<'_>, gate: &GateId) -> Result<RunId, Refusal> {
    let Some((run, state)) = d.session.gate(gate) else {
        return Err(Refusal::NoGate { gate: gate.clone() });
    };
    if state.answer.is_some() {
        return Err(Refusal::GateAnswered { gate: gate.clone() });
    }
    if !run.is_active() {
        return Err(Refusal::Ended { run: run.id });
    }
    Ok(run.id)
}

/// The artifacts that no longer count with these edits: those that the edits replace, and those of stages that are done again. A version
/// that a person makes is not made from any of these.
fn fallen(d: &Decision<'_>, run: RunId, edited: &EditedBodies) -> Vec<ArtifactId> {
    let replaced = |stage: &str, item: &str| {
        let others = edited.others.iter();
        let named = others.map(|(stage, item, _)| (stage.as_str(), item.as_str()));
        edited.reopens.iter().any(|again| again == stage)
            || named.into_iter().any(|other| other == (stage, item))
    };
    let made = d.session.run(run).into_iter().flat_map(Run::artifacts);
    made.filter(|made| replaced(&made.step.stage, &made.step.item))
        .map(|made| made.artifact.clone())
        .collect()
}

/// Records a person's version of the subject of a gate as its next version. It is made from what the subject was made from.
fn edit(
    d: &mut Decision<'_>,
    run: RunId,
    gate: &GateId,
    edited: Option<NewBody>,
    fallen: &[ArtifactId],
) -> Result<Option<ArtifactId>, Refusal> {
    let Some(edited) = edited else {
        return Ok(None);
    };
    let opened = &d.session.runs[&run].gates[gate].opened;
    let subject = opened.subject.as_ref();
    let Some(subject) = subject.and_then(|subject| d.session.artifacts.get(subject)) else {
        return Err(Refusal::BadEdits {
            problems: "the gate is about nothing that could be edited".to_owned(),
        });
    };
    let step = subject.step.of(run);
    let attempt = subject.attempt;
    let from = standing(&subject.from, fallen);
    let edited = NewBody { from, ..edited };
    Ok(Some(produce(d, &step, attempt, edited)))
}

fn standing(from: &[ArtifactId], fallen: &[ArtifactId]) -> Vec<ArtifactId> {
    from.iter()
        .filter(|id| !fallen.contains(id))
        .cloned()
        .collect()
}

/// The reason for doing stages again whose material a person changed.
const EDITED: &str = "edited by a person";

/// Records the next version of what another step made. If that step has made nothing yet, the version is made from nothing.
fn edit_other(
    d: &mut Decision<'_>,
    run: RunId,
    stage: &str,
    item: &str,
    edited: NewBody,
    fallen: &[ArtifactId],
) {
    let step = StepId::new(run, stage, item);
    let state = d.session.run(run);
    let before = state
        .and_then(|run| run.artifacts_of(&edited.kind).find(|(of, _)| *of == item))
        .map(|(_, artifact)| (artifact.attempt, standing(&artifact.from, fallen)));
    let (attempt, from) = before.unwrap_or_default();
    produce(d, &step, attempt, NewBody { from, ..edited });
}

/// Records an answer as the event of its kind: `{"confirm": true|false, "feedback"?}` confirms or declines a plan, anything else is
/// recorded as an answer unchanged.
pub(crate) fn answer(
    d: &mut Decision<'_>,
    run: RunId,
    gate: &GateId,
    answer: Value,
    edits: Option<ArtifactId>,
    by: &str,
) {
    let at = d.now();
    let (gate, by) = (gate.clone(), by.to_owned());
    match answer.get("confirm").and_then(Value::as_bool) {
        Some(true) => d.record(PlanConfirmed {
            run,
            gate,
            edits,
            by,
            at,
        }),
        Some(false) => {
            let feedback = answer
                .get("feedback")
                .and_then(Value::as_str)
                .map(str::to_owned);
            d.record(PlanDeclined {
                run,
                gate,
                feedback,
                by,
                at,
            });
        }
        None => d.record(AnswerGiven {
            run,
            gate,
            answer,
            by,
            at,
        }),
    }
}

/// A raised budget lets the run go on; any other answer ends it, with or without what it has.
pub(crate) fn after_budget(d: &mut Decision<'_>, run: RunId) {
    let Some(state) = d.session.run(run) else {
        return;
    };
    let last = state
        .gates
        .values()
        .rev()
        .find(|g| g.opened.name == BUDGET_GATE)
        .and_then(|g| g.answer.clone());
    let Some(domain::session::GateAnswer::Given { answer, .. }) = last else {
        return;
    };
    match answer.get("choice").and_then(Value::as_str) {
        Some("raise") => {
            let budget = raised(state.budget, answer.get("budget"));
            let at = d.now();
            d.record(BudgetRaised { run, budget, at });
            d.advance(run);
        }
        Some("finish_partial") => d.finish_partial(run),
        _ => d.fail(
            run,
            "budget",
            "the budget of this run is used up, and nobody raised it",
        ),
    }
}

/// The named limits as given. Limits that are not named are doubled, because a person who raises a budget wants the run to go on.
fn raised(now: Budget, wanted: Option<&Value>) -> Budget {
    let limit = |name: &str, now: u64| {
        wanted.map_or(now.saturating_mul(2), |wanted| {
            wanted.get(name).and_then(Value::as_u64).unwrap_or(now)
        })
    };
    Budget {
        calls: limit("calls", now.calls),
        tokens: limit("tokens", now.tokens),
        cost_micros: limit("cost_micros", now.cost_micros),
        working_ms: limit("working_ms", now.working_ms),
    }
}
