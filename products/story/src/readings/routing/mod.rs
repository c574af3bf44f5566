//! Which workflow a message asks for: the intent that its words show, the phase of the work, the skills that it needs and the chapters that
//! it speaks of. A layer that was trained on examples decides, without a model; where it is not sure, a model may be asked as well.

mod answer;
mod capabilities;
mod heard;
mod mentioned;
mod outlined;
mod phase;
mod route;
mod skills;
mod table;

#[cfg(test)]
mod tests;

pub(crate) use answer::{AnswerError, ModelAnswer, intents_for_prompt, merged, read_answer};
pub(crate) use capabilities::{AgentCapability, AgentTool, CAPABILITIES, ExecutionMode, TOOLS};
pub(crate) use mentioned::mentioned;
pub(crate) use outlined::outlined;
pub(crate) use palimpsest::prelude::resource::project::Phase;
pub(crate) use phase::PhaseWarning;
pub(crate) use route::{Routed, route};
pub(crate) use skills::{SkillTrigger, skills};
pub use table::Intent;
pub(crate) use table::{Agent, Workflow};
