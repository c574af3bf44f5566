//! The `post` protocol (server-sent events), outgoing: what is folded from the log. `frames.rs` has the shape of every frame.
//!
//! What the contract leaves open is fixed here:
//! - `timestamp` is when the event was recorded, in milliseconds. `threadId` is the session, in a fork the fork.
//! - `agent_start` and `agent_end` come with the stage of a node, in pairs; a node that is still open when a run ends is closed before the
//!   last frame of the run. The first `agent_start` of a run that somebody attends has `conversationId`, which is the thread. `supervisor`
//!   is the node that reads the requirement, and the one in which a model chooses what is next; decisions by rules have no node around
//!   them.
//! - Within a node: `agent_start`, `workflow_progress`, calls of tools, `message`, what was made (`brief_ready`, `content_update`, ...),
//!   `quality_score`, `state_update`, `agent_end`, then `ask_user` and `workflow_paused`.
//! - `message` is whole and comes from what was made: the text of the writer, one line of every other node. Nothing is streamed in pieces.
//!   `progress` reports repeated attempts, going back, and the round that is delivered.
//! - Every version that was made gives exactly one frame: a version that a person edited gives `content_update`, `layout_spec_ready` or
//!   `alignment_map_ready` without a node around it. `intent_detected` and `content_type_detected` come once in a run.
//! - `image_progress`: `taskId` is the number of the picture in its plan, from 1, and never changes. `queued` when the node begins,
//!   `generating` when the picture is asked for first, `complete` with its address, `failed` once no attempt is left. A picture that is
//!   made anew begins again. A run that is cut off sends no last frame for pictures that are still being made.
//! - `image_prompt_ready` has `taskId`; hash and preview are of the prompt as it is sent, with the words of the style; `finalPromptPath` is
//!   the address of the plan, with the place of the prompt after `#`.
//! - `tool_call` is followed by exactly one `tool_result` of the same `toolCallId` before its node ends; a call that was cut off has
//!   `{error, code: "cancelled", retryable}`. `toolOutput` is the output of the tool, or a line about it where the output is large. The
//!   pictures of a plan stand between a call of `generate_images_batch` when their node begins and its result before `state_update`,
//!   whoever makes them; calls for which a provider is paid (`generateImage`, `generate_with_reference`) are in between. The calls with
//!   which a model hands over its answer (`submit_...`) are not sent: what was made is sent.
//! - `supervisor_decision` has `by`: `rules`, `person` or the model. `decision` is a node or `END`. Where a supervisor gave the node
//!   instructions, it has `context_from_previous` and `focus_areas`.
//! - `workflow_progress` comes after `agent_start`: `phase` is the stage, `progress` the share of the stages before it. It goes back when
//!   the run goes back, and is 1 once the post is put together.
//! - `quality_score` has, in addition to `qualityScores`, `review` (`passed`, `failed`, `not_checked`), `approved` and `checkedBy`. A score
//!   that nobody gave is null, and this is said there.
//! - `ask_user` has `gateId` at its top and in `context`, which has the `kind` of every question: `content`, `image_plans`, `clarification`
//!   or `budget`. `regenerationCount` counts what was rejected at this gate in the run. A question that nobody is there to answer is not
//!   sent, and neither is an answer: what follows from an answer is sent.
//! - A model that asks while its step is at work (`askUser`) has its question between `tool_call` and `tool_result`: an `ask_user` of its
//!   node with the options in the model's own words; `selectionType` may be `none`, and what the model adds is in `context`.
//! - A fork asks its open questions anew, under new gates.
//! - The last frame of a run has `runId`.
//! - Every end of a run gives exactly one of `workflow_complete`, `workflow_failed` and `workflow_cancelled`.
//!   `workflow_complete` has `review`, `passed`, and, where something is missing, `missing` (task ids) and `partial`. A message
//!   that asks for no post is answered in `message` and in `content`, and the other fields tell the post that the session has: that of
//!   the latest run that left one, or of the run that somebody went back to. `creativeId` is the session's number; it is absent where the
//!   session has no post, so that nothing is overwritten.
//! - A run of another pipeline gives only the frame that ends it.
//! - A session that was erased gives `workflow_cancelled` for a run that had not ended.

mod ends;
mod fold;
mod frames;
mod images;
mod made;
mod questions;
mod run;
#[cfg(test)]
mod tests;
mod tools;
mod words;

pub(crate) use fold::Post;
