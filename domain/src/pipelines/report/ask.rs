//! What the stages that ask a model share.

use super::stage::Stage;
use crate::asking;
pub(super) use crate::asking::{json_of, vars};
use crate::carry::Carry;
use crate::event::Reserve;
use crate::session::Run;
use crate::tool_loop::Limits;

/// Who plans, writes, and says in a line what a file holds.
pub(super) const PLANNER: &str = "planner";
pub(super) const SOLVER: &str = "solver";
pub(super) const SUMMARIZER: &str = "summarizer";

/// What the contract gives planner and solvers.
pub(super) const PLANNER_LIMITS: Limits = Limits {
    rounds: 18,
    observed_chars: 1_200,
};
pub(super) const SOLVER_LIMITS: Limits = Limits {
    rounds: 24,
    observed_chars: 1_800,
};

/// Tokens of the last question of a loop: 24 results of 1,800 characters at 0.7 tokens a character, the section's
/// template and the instructions.
const INPUT_TOKENS: u64 = 40_000;
/// Tokens of one answer of the planner: the plan of a template of thirty sections, each with a few paths, hints and a note, some 200
/// characters at 0.7 tokens. A larger one leaves sections without hints, as a plan may. A model that thinks is given more by
/// whoever asks it.
pub(super) const PLAN_TOKENS: u32 = 4_500;
/// Tokens of one answer of a solver: a section of two pages of 2,000 characters, its tables and a summary, at 0.7 tokens a
/// character.
pub(super) const SECTION_TOKENS: u32 = 4_000;
/// Tokens of a line about a file.
pub(super) const LINE_TOKENS: u32 = 1_000;

/// The worst that one turn of this stage may use; the offline author uses nothing, and neither do stages without a model.
pub(super) fn reserve(run: &Run, stage: &str) -> Reserve {
    let (role, tokens) = match Stage::named(stage) {
        Some(Stage::Plan) => (PLANNER, PLAN_TOKENS),
        Some(Stage::Sections) => (SOLVER, SECTION_TOKENS),
        None | Some(Stage::Prepare | Stage::Report | Stage::Export) => return Reserve::default(),
    };
    asking::reserve(&run.settings, role, INPUT_TOKENS, tokens)
}

/// A step that fails for good.
pub(super) fn fail(code: &str, message: impl Into<String>) -> Carry {
    Carry::Fail {
        code: code.to_owned(),
        message: message.into(),
        retryable: false,
    }
}
