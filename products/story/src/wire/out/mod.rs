//! The `story` protocol (server-sent events), outgoing: what is folded from the log. `frames.rs` has the shape of every frame, and
//! `docs/protocols/story.md` explains the frames with examples.
//!
//! What the contract leaves open is fixed here:
//! - Every frame has `type`, which is its event name, `runId`, and `timestamp`, when the event was recorded, in milliseconds. Only
//!   `content` has a top-level `content`, and no frame has a top-level `data`: clients add both to the chapter.
//! - The first thought is that of the stage `routing`. A run that takes its route over from an earlier one sends the route again.
//! - Preprocessing: `workflow_preprocessing`, then for each task `preprocessing_task_completed` with its time and status; a task that
//!   failed is a `warning` too. Utilities have none, also where they read a chapter.
//! - `preflight_result` has what the front end reads (`passed`, `warnings`) beside the contract's fields.
//! - An agent works between the thoughts `agent_started` and `agent_completed`. Before the first one, `skills_activated` names the
//!   skills that the writer is given; a skill that there is not is a `warning`. A further attempt is the thought `attempt_started`.
//! - `content` is whole. `attempt` and `offset` (in characters) say where a piece of it stands, so that a piece that is sent while
//!   it is written is known to be one. A text with a greater `attempt` takes the place of the one before it of the same `step`.
//! - `tool_start` is followed by exactly one `tool_end` of the same `toolCallId` before its step ends.
//! - `processing_check` begins the check of what was written, `check_result` ends it, with `not_checked` where it failed. The agent of
//!   checks gives its report as `check_result`, too.
//! - What enters the bible as proposed is told by `relationship_update` (characters, relationships), `structure_update` (volumes,
//!   chapters, plot loops) and `knowledge_update` (the world), one frame each.
//! - `user_input_required` has the pause's id in `pause`, and is followed by `done` with the status `paused` once nothing else is at
//!   work. The answer is told by the thought `selection`.
//! - A chain gives `chain_summary` before its last `done`, with every output whole, also where it failed.
//! - Every end of a run gives exactly one `done` of another status than `paused`, which is its last frame. `latencyMs` is the time
//!   in which the run was at work, without what it waited for a person; tokens are those of all its calls.
//! - A run of another pipeline gives only its `done`. A session that was erased gives `done` with `cancelled` for a run that had not
//!   ended.
//! - A client's session is one or several sessions of the log, its lanes (`lanes.rs`); `sessionId` is the client's.

mod ends;
mod fold;
mod frames;
mod lanes;
mod made;
mod run;
#[cfg(test)]
mod tests;
mod words;

pub(crate) use fold::Story;
pub(crate) use lanes::{
    LANES_MAX, client_session, is_lane_name, lane, lane_number, lanes_prefix, run_name,
};
