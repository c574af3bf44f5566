//! The stages in their order: what each makes, what it works from, what it is called.

use palimpsest::prelude::pipeline::StageSpec;

use super::ask::{self, INPUT_TOKENS, LIST_TOKENS, REVIEWER, ROUTER};
use super::talk::RECALLED;
use super::{act, check, deliver, keep, prepare, route};

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

/// The route is asked for once, and so is each task: where an answer cannot be used, rules have decided.
const ONCE: u32 = 1;

palimpsest::prelude::pipeline::stages! {
    pub enum Stage {
        Route = StageSpec::new("route", ["理解意图", "Routing"], route::carry)
            .makes(&[ROUTING, PASSAGE])
            .recalls(&RECALLED)
            .asks(ROUTER, "story/route", ask::ROUTE_TOKENS, LIST_TOKENS)
            .without_model(route::without_model)
            .attempts(ONCE),
        Prepare = StageSpec::new("prepare", ["准备上下文", "Preparation"], prepare::carry)
            .makes(&[PREPARED])
            .sees(&[ROUTING, PASSAGE])
            .attempts(ONCE)
            .optional(),
        Act = StageSpec::new("first_agent", ["创作", "Work"], act::carry)
            .makes(&[OUTCOME, OUTLINE_PART, SHOWN])
            .sees(&[ROUTING, PASSAGE, PREPARED, OUTLINE_PART])
            .recalls(&RECALLED)
            .revises(&[OUTCOME])
            .reserve(|run, _| ask::reserve_agent(run, 0))
            .width(1),
        Write = StageSpec::new("second_agent", ["写作", "Writing"], act::carry)
            .makes(&[WRITTEN, SHOWN])
            .sees(&[ROUTING, PREPARED, OUTCOME])
            .recalls(&RECALLED)
            .revises(&[WRITTEN])
            .reserve(|run, _| ask::reserve_agent(run, 1)),
        Check = StageSpec::new("consistency", ["检查", "Check"], check::carry)
            .makes(&[CHECK])
            .sees(&[ROUTING, PREPARED, OUTCOME, WRITTEN])
            .asks(REVIEWER, "story/check", INPUT_TOKENS, LIST_TOKENS)
            .optional(),
        Keep = StageSpec::new("propose", ["记入设定", "Into the bible"], keep::carry)
            .makes(&[PROPOSED])
            .sees(&[ROUTING, PREPARED, OUTCOME])
            .optional(),
        Deliver = StageSpec::new("hand_over", ["交付", "Delivery"], |work, _| deliver::carry(work))
            .makes(&[ANSWER])
            .sees(&[ROUTING, OUTCOME, WRITTEN, CHECK, PROPOSED]),
    }
}

impl Stage {
    /// The place in the route of the agent that works in it.
    pub(crate) fn place_of_agent(self) -> Option<usize> {
        match self {
            Self::Act => Some(0),
            Self::Write => Some(1),
            Self::Route | Self::Prepare | Self::Check | Self::Keep | Self::Deliver => None,
        }
    }
}
