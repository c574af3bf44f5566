//! What the stages that ask a model share.

use palimpsest::prelude::pipeline::tool_loop::Limits;

pub(crate) use palimpsest::prelude::pipeline::asking::json_of;
pub(crate) use palimpsest::prelude::pipeline::{fail_step, prompt_vars};

/// The role of the model that says in one line what a file contains.
pub(crate) const SUMMARIZER: &str = "summarizer";

/// The limits that the contract gives to planner and solvers.
pub(crate) const PLANNER_LIMITS: Limits = Limits {
    rounds: 18,
    observed_chars: 1_200,
};
pub(crate) const SOLVER_LIMITS: Limits = Limits {
    rounds: 24,
    observed_chars: 1_800,
};

/// Tokens of the last question of a loop: 24 results of 1,800 characters at 0.7 tokens a character, the section's
/// template and the instructions.
pub(crate) const INPUT_TOKENS: u64 = 40_000;
/// Tokens of a plan's summary, of three sentences, and of the call around it.
const PLAN_FRAME_TOKENS: u32 = 300;
/// Tokens of what a plan says of one section: a few paths, hints and a note, some 280 characters at 0.7 tokens.
const TASK_TOKENS: u32 = 200;
/// The most sections that one plan says something about: in a template with more sections, some have no hints, which a plan may do.
const PLANNED_MAX: u32 = 40;
/// Tokens of one answer of a solver: a section of two pages of 1,500 characters, its tables and a summary, at 0.7 tokens a character. The
/// code that asks a model which reasons allows more, here as for a plan.
pub(crate) const SECTION_TOKENS: u32 = 3_000;

/// The most tokens of one answer of the planner.
pub(crate) const PLAN_TOKENS_MAX: u32 = PLAN_FRAME_TOKENS + PLANNED_MAX * TASK_TOKENS;

/// Tokens of one answer of the planner for this number of sections.
pub(crate) fn plan_tokens(leaves: usize) -> u32 {
    let planned = u32::try_from(leaves).unwrap_or(u32::MAX).min(PLANNED_MAX);
    PLAN_FRAME_TOKENS + planned * TASK_TOKENS
}
/// Tokens of a line about a file.
pub(crate) const LINE_TOKENS: u32 = 1_000;
