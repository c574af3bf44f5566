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

pub use answer::{AnswerError, ModelAnswer, intents_for_prompt, merged, read_answer};
pub use capabilities::{
    AgentCapability, AgentCategory, AgentTool, CAPABILITIES, ExecutionMode, TOOLS, capability,
};
pub use mentioned::{Mentioned, RelativeChapter, mentioned};
pub use outlined::outlined;
pub use phase::{PhaseSource, PhaseWarning};
pub use route::{Alternative, FINAL_CONFIDENCE, ROUTED_CHARS_MAX, RouteSource, Routed, route};
pub use skills::{ActiveSkill, SKILLS, Skill, SkillSelection, SkillTrigger, skills};
pub use table::{Agent, Intent, Workflow};

pub use crate::project::Phase;
