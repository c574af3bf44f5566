//! What an agent planned enters the bible as proposed; a person makes it fact.

use palimpsest::prelude::pipeline::{Carry, Content, NewArtifact, TurnResult, Work, fail_step};
use serde_json::json;

use super::ask;
use super::shape::Outcome;
use super::stage::{OUTCOME, PROPOSED};

/// The tool that proposes.
const PROPOSE: &str = "storyPropose";

pub(super) fn carry(work: &Work, turns: &[TurnResult]) -> Carry {
    let input = match ask::input(work) {
        Ok(input) => input,
        Err(carry) => return *carry,
    };
    let made: Outcome = match work.read(OUTCOME) {
        Ok(made) => made,
        Err(carry) => return *carry,
    };
    let Some(output) = turns.iter().find_map(TurnResult::output) else {
        let asked = json!({ "project": input.project, "agent": made.agent, "data": made.data });
        return Carry::tool(PROPOSE, asked);
    };
    if let Some(error) = output["error"].as_str() {
        return fail_step("not_kept", error);
    }
    let title = if work.is_chinese() {
        "建议的设定"
    } else {
        "Proposed"
    };
    Carry::from(NewArtifact {
        facts: json!({ "agent": made.agent, "entries": output["entries"].as_array().map_or(0, Vec::len) }),
        ..NewArtifact::new(
            PROPOSED,
            "art_prop_",
            title,
            Content::Json(output.clone()),
            work.lineage(),
        )
    })
}
