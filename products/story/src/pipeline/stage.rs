//! The stages in their order: what each makes, what it works from, what it is called.

use super::talk::RECALLED;

/// Where the message went.
pub(crate) const ROUTING: &str = "story_route";
/// The passage that the message is about, with what stands around it.
pub(crate) const PASSAGE: &str = "story_passage";
/// What a task of the preprocessing found.
pub(crate) const PREPARED: &str = "story_context";
/// What an agent was shown: its instructions, skills and context.
pub(crate) const SHOWN: &str = "agent_prompt";
/// A range of a long outline, until all of them are there.
pub(crate) const OUTLINE_PART: &str = "outline_part";
/// What an agent made; in a chain that of the first one.
pub(crate) const OUTCOME: &str = "story_outcome";
/// What the second agent of a chain made.
pub(crate) const WRITTEN: &str = "story_text";
/// What was found wrong with what an agent wrote.
pub(crate) const CHECK: &str = "story_check";
/// What entered the bible as proposed.
pub(crate) const PROPOSED: &str = "story_proposals";
/// The answer to the person, as a text.
pub(crate) const ANSWER: &str = "story_answer";

/// The gate where a person chooses among the options that the first agent of a chain found.
pub(crate) const CHOOSE: &str = "choose";

// What the macro derives with.
use strum as _;

palimpsest::prelude::pipeline::stages! {
    pub enum Stage {
        Route,
        Prepare,
        #[strum(serialize = "first_agent")]
        Act,
        #[strum(serialize = "second_agent")]
        Write,
        #[strum(serialize = "consistency")]
        Check,
        #[strum(serialize = "propose")]
        Keep,
        #[strum(serialize = "hand_over")]
        Deliver,
    }
}

impl Stage {
    pub fn title(self, chinese: bool) -> &'static str {
        let words = |zh, en| if chinese { zh } else { en };
        match self {
            Self::Route => words("理解意图", "Routing"),
            Self::Prepare => words("准备上下文", "Preparation"),
            Self::Act => words("创作", "Work"),
            Self::Write => words("写作", "Writing"),
            Self::Check => words("检查", "Check"),
            Self::Keep => words("记入设定", "Into the bible"),
            Self::Deliver => words("交付", "Delivery"),
        }
    }

    /// What it makes, the main kind first.
    pub fn kinds(self) -> &'static [&'static str] {
        match self {
            Self::Route => &[ROUTING, PASSAGE],
            Self::Prepare => &[PREPARED],
            Self::Act => &[OUTCOME, OUTLINE_PART, SHOWN],
            Self::Write => &[WRITTEN, SHOWN],
            Self::Check => &[CHECK],
            Self::Keep => &[PROPOSED],
            Self::Deliver => &[ANSWER],
        }
    }

    /// What its steps work from.
    pub(super) fn sees(self) -> &'static [&'static str] {
        match self {
            Self::Route => &[],
            Self::Prepare => &[ROUTING, PASSAGE],
            Self::Act => &[ROUTING, PASSAGE, PREPARED, OUTLINE_PART],
            Self::Write | Self::Keep => &[ROUTING, PREPARED, OUTCOME],
            Self::Check => &[ROUTING, PREPARED, OUTCOME, WRITTEN],
            Self::Deliver => &[ROUTING, OUTCOME, WRITTEN, CHECK, PROPOSED],
        }
    }

    /// The kinds of earlier runs of the session that its steps are shown.
    pub(super) fn recalls(self) -> &'static [&'static str] {
        match self {
            Self::Route | Self::Act | Self::Write => &RECALLED,
            Self::Prepare | Self::Check | Self::Keep | Self::Deliver => &[],
        }
    }

    /// The kinds whose artifacts from before a change its steps are shown.
    pub(super) fn revises(self) -> &'static [&'static str] {
        match self {
            Self::Act => &[OUTCOME],
            Self::Write => &[WRITTEN],
            Self::Route | Self::Prepare | Self::Check | Self::Keep | Self::Deliver => &[],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_stage_has_its_name() {
        for (stage, name) in Stage::ALL.into_iter().zip(NAMES.iter().copied()) {
            assert_eq!((stage.name(), Stage::named(name)), (name, Some(stage)));
        }
    }
}
