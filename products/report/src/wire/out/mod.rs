//! The `report` protocol (WebSocket), outgoing: what is folded from the log. `frames.rs` has the shape of every frame,
//! `contents.rs` what frames hold of artifacts and calls.
//!
//! What the contract leaves open is fixed here:
//! - `seq` is the ordinal + 1 and `event_id` is `<session>-v<wire version>-<seq>`; `timestamp` is when the event was recorded.
//! - The metadata is the last field of a frame, so that a connection adds its `connection_id` to both without reading the
//!   frame ([`on_connection`]). A connection writes the frames of its own with [`Envelope`], without `seq` and `event_id`.
//! - The metadata of every frame about a run has `run_id`.
//! - The notice of an accepted control has `action`, `ok`, `task_id?` and `mode` in its metadata, and once more as `control`: the contract
//!   can be read both ways. The notice of a run that was taken up again has both, too, with `action: "resume"`. The other notices have one
//!   key of their own: `retry`, `confirm`, `budget`.
//! - `retry` has `stage` and, for a section, `task_id` in addition to the contract's fields. It is sent when the next attempt is asked for.
//!   Exchanges with a model that are repeated within an attempt are not sent, but are in the statistics.
//! - `confirm` is `{step_id, scope, status}`: `timed_out`, where the deadline gave the answer, or `superseded`, where what was asked about
//!   is made anew or the session was forked; a fork asks again under a new `step_id`. An answer that a person gave is not sent: what
//!   follows from it is sent. A gate that nobody is there to answer is not sent either.
//! - What begins also ends: after `solver.start` comes exactly one of `solver.completed`, `solver.failed` and
//!   `solver.cancelled`, and after `agent.tool_call` exactly one `agent.tool_result`, before the frame that ends the run. A
//!   call that was cut off has `content.system` and the error `cancelled`. The repetitions of a section that failed belong to
//!   its first `solver.start`.
//! - The output of a tool is beside the log, so that `agent.tool_result` has its summary as `output`.
//! - `agent.thinking` is sent once for each answer of a planner or solver that says something beside its calls of tools, or else has
//!   reasoning, which comes beside the text; it has the first 2,000 characters. `step` counts the answers of an attempt from 1, `streaming`
//!   is false. While it was being written, its text was sent as `agent.partial_answer`. Older logs have no thinking, and runs of given
//!   tasks (`user.solve_tasks`) send only frames of solvers and tools. `agent.llm_message` belongs to a connection.
//! - A section is named in `solver.failed` once no attempt is left.
//! - `solver_results` are `{task: {id, title}, result}`: the tasks themselves stand in `context.tasks` under the same ids. The
//!   context has no `raw_plan_output`: the tasks say the same.
//! - `output` and `aggregate_output` are the content of the `report` artifact, which names what is missing, too.
//! - The content of an artifact that is too large for a frame is `{url, size, media_type}` wherever it would stand.
//! - `statistics` are the exchanges with models: of the planning in `plan.completed` and `context.plan_statistics`, of the
//!   section in `solver.completed`, of the run in `pipeline.completed`; `metrics` are their sums. What a run took over was
//!   counted in the run that made it.
//! - `agent.final_answer` has `files` in its metadata, the artifacts that are files: Markdown, HTML, DOCX.
//! - A run that ends without a report (declined, stopped, a message that asked for none) gives no `pipeline.completed`.
//! - A run of another pipeline gives only the frame that ends it.
//! - `agent.session_created` is sent for every session, whichever protocol opened it.
//! - Texts that clients match on are English in every language of a run; `show_content` is in the run's.
//! - A session that was erased gives `agent.interrupted` for a run that had not ended and then `agent.session_end`, both
//!   without `seq` and `event_id`.

mod contents;
mod ends;
mod fold;
mod frames;
mod gates;
mod run;
mod solvers;
#[cfg(test)]
mod tests;
mod thinking;
mod words;

pub(crate) use fold::Report;
pub(crate) use frames::{Envelope, event_id, on_connection, rfc3339};
pub(crate) use gates::{confirmation_step_id, scope_of};
