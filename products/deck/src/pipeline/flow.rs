//! What is needed next: what is asked for, earlier designs, the deck, its pages, an inspection of them, a better deck up to twice, its
//! files, and its place in the design index.

use palimpsest::prelude::pipeline::{
    Flow, GateAnswer, GateSpec, Run, StageSpec, by_hand, complete_run, need, need_understanding,
    pass_gate, reopen_stages,
};
use serde_json::{Value, json};

use super::shape::Input;
use super::stage::{DECK, INSPECTION, REQUIREMENTS, STAGES};

/// The gates, off unless the input asks for them.
const CONFIRM_REQUIREMENTS: &str = "requirements";
const CONFIRM_DECK: &str = "accept";

/// In the facts of a deck: whether something of the answer could not be kept.
pub(super) const PARTIAL: &str = "partial";
/// In the facts of an inspection: whether a better deck is asked for.
pub(super) const TO_MEND: &str = "to_mend";
/// In the facts of a mended deck: whether anything changed.
pub(super) const CHANGED: &str = "changed";

pub(super) fn flow(run: &Run) -> Flow {
    let [require, retrieve, generate, cycles @ .., accept, ingest] = &STAGES;
    let input = Input::read(&run.input).unwrap_or_default();
    need_understanding(run)?;
    need(run, require)?;
    if input.confirm_requirements {
        confirm(run, CONFIRM_REQUIREMENTS, REQUIREMENTS, require)?;
    }
    need(run, retrieve)?;
    need(run, generate)?;
    // Render, inspect and fix; the last time there is nothing after the inspection.
    for cycle in cycles.chunks(3) {
        need(run, &cycle[0])?;
        // What is wrong with a deck that a person wrote is reported, and the deck stays; where the person kept what follows from the deck,
        // it is not inspected again.
        let by_hand = run
            .artifact(DECK)
            .is_some_and(|deck| by_hand::is_by_hand(deck));
        if by_hand && run.artifact(INSPECTION).is_some() {
            break;
        }
        need(run, &cycle[1])?;
        let wanted = fact(run, INSPECTION, TO_MEND) && !by_hand;
        let Some(fix) = cycle.get(2).filter(|_| wanted) else {
            break;
        };
        need(run, fix)?;
        if !fact(run, DECK, CHANGED) {
            break;
        }
    }
    if input.confirm_deck {
        confirm(run, CONFIRM_DECK, DECK, generate)?;
    }
    need(run, accept)?;
    need(run, ingest)?;
    if fact(run, DECK, PARTIAL) {
        return complete_run(true);
    }
    Flow::Continue(())
}

fn fact(run: &Run, kind: &str, name: &str) -> bool {
    run.facts(kind).is_some_and(|facts| facts[name] == true)
}

/// Asks a person whether what a stage made is good enough; what the person declines is made again with the reason given.
fn confirm(run: &Run, name: &str, kind: &str, again: &StageSpec) -> Flow {
    let Some(made) = run.artifact(kind).filter(|_| run.settings.attended) else {
        return Flow::Continue(());
    };
    let subject = Some(made.artifact.clone());
    let chinese = run.settings.language.starts_with("zh");
    let question = match (name == CONFIRM_DECK, chinese) {
        (false, true) => "需求理解是否正确？",
        (false, false) => "Is this what is wanted?",
        (true, true) => "幻灯片是否可以定稿？",
        (true, false) => "Will the deck do?",
    };
    let spec = || GateSpec {
        schema: answer_schema(),
        options: vec!["confirm".to_owned(), "decline".to_owned()],
        default: json!({ "confirm": true }),
        ..GateSpec::confirm(name, subject.clone(), question)
    };
    match pass_gate(run, &spec, name, subject.as_ref())? {
        GateAnswer::Confirmed { .. } | GateAnswer::Given { .. } => Flow::Continue(()),
        GateAnswer::Declined { feedback, .. } => {
            let names = STAGES.iter().map(|stage| stage.name);
            let stages: Vec<&str> = names.skip_while(|name| *name != again.name).collect();
            reopen_stages(&stages, feedback.clone(), "rejected by the person")
        }
    }
}

fn answer_schema() -> Value {
    json!({
        "type": "object",
        "properties": { "confirm": { "type": "boolean" }, "feedback": { "type": "string" } },
        "required": ["confirm"],
        "additionalProperties": false
    })
}
