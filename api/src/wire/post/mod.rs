//! The `post` protocol's incoming half: server-sent events that begin with a POST, and tasks. The frames that are folded from
//! the log, and what is ours in them, are in `projections/src/wire/post`.
//!
//! | Call | Answer |
//! |---|---|
//! | `POST /api/agent/stream` | a stream; a message starts a run, without one the running thread is joined |
//! | `GET /api/agent/stream/{threadId}` | a stream, after `Last-Event-ID` or `?after=` |
//! | `POST /api/agent/confirm` | a stream: `agent_start` of the supervisor, then what follows from the answer |
//! | `POST /api/agent/cancel` | `{status, threadId, runId}` |
//! | `/api/tasks` | runs that nobody holds a stream for |
//! | `GET /api/assets/{number}` | a picture |
//!
//! A stream is `id: <cursor>` and `data: <frame>`; a comment `: keep-alive <ms>` at once, and whenever nothing was said for five
//! seconds (tasks: fifteen); `data: [DONE]` once everything was sent and nothing is at work or an answer is waited for. A
//! stream never just ends: where something fails it is broken off, and the client comes back to its cursor.
//!
//! What the contract leaves open is fixed here:
//! - A refusal is `{error, code, hint?, retryable}` with its status: 400 for what is missing or no value of its field, 422 for
//!   what does not fit. Fields that are not known are passed over.
//! - A stream that begins with a message begins with what the message caused: a run that it interrupts ends before, one that it
//!   waits behind comes first, and `[DONE]` after its own run; behind a question, the stream says that question again and ends. A repetition (`Idempotency-Key`, else `messageId`) gets the
//!   stream from where the first one began, or after its `Last-Event-ID`.
//! - A message to a thread that is not there opens it under that name. A POST without a message gets everything from the
//!   beginning of the thread, or after its `Last-Event-ID`; 400 where nothing is at work in the thread.
//! - A cursor of another version of this wire, or ahead of the log, gets everything from the beginning; what is no cursor, 400.
//! - `onDisconnect: "abort"` cancels the run, also one that waits for its turn, when a stream of the thread is left that is the
//!   last one in this process. One that ended with `[DONE]`, and a server that stops, cancel nothing; a `confirm` says it anew
//!   for its own stream.
//! - `confirm` without a `gateId` means the question that waits, if a stream of the thread in this process has told it or has come to
//!   its end since. Else it answers nothing, and gets the stream from the answer before on: so a confirmation that is sent twice is none
//!   of the next question. 409 `question_not_read` where there is no answer before. Where no question waits it is 409 if the last run
//!   has asked one, else 404. `approve` with `modifiedData` is `modify`. `userResponse` at a question of approval is read as the action that it
//!   selects, with `customInput` as feedback and `modifiedContext` as the change; the budget takes `raise`, `finish_partial`
//!   and `end`, and `approve` and `reject` for the first and the last. A repetition under the same `Idempotency-Key` gets the
//!   stream again.
//! - `cancel` means the run at work, or the one that `runId` names. One that waits for its turn is `cancelled` from then on; its
//!   stream says so when its turn comes, so that the runs of a thread end in their order. One that was cancelled before is
//!   answered as it was then; 409 where it has ended otherwise, and where nothing is at work.
//! - A task is `<thread>:<run>`. Its events are numbered from 0 and have the number as `id`; `fromIndex` is the first that is
//!   wanted. Its stream ends when its run has ended or waits, too. `DELETE` erases the thread with all its runs. The status
//!   `cancelled` is said of a task whose run was. `sourceTaskId` says something more in the thread of that task.
//! - `referenceInputs`, `referenceImages` and `referenceImageUrl` are one list in that order, each address once. A `data:` address
//!   becomes the file `references/<n>.<ending>` of the thread.

mod assets;
mod cancel;
mod confirm;
mod errors;
mod gates;
mod limits;
mod presence;
mod references;
mod request;
mod shown;
mod stream;
mod tasks;
mod teller;
#[cfg(test)]
mod tests;

use axum::Extension;
use axum::extract::DefaultBodyLimit;
use projections::Wires;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::App;
use crate::protocol::Protocol;
use limits::BODY_BYTES_MAX;
use presence::Presence;

/// The `post` protocol.
#[derive(Clone, Copy, Debug)]
pub struct PostProtocol;

impl Protocol for PostProtocol {
    fn wires(&self, wires: Wires) -> Wires {
        wires.with::<projections::wire::post::Post>()
    }

    fn answers(&self) -> OpenApiRouter<App> {
        answers()
    }

    fn streams(&self) -> OpenApiRouter<App> {
        streams()
    }
}

fn answers() -> OpenApiRouter<App> {
    OpenApiRouter::default()
        .routes(routes!(assets::asset))
        .routes(routes!(cancel::cancel))
        .routes(routes!(tasks::list::list, tasks::start))
        .routes(routes!(tasks::delete_many))
        .routes(routes!(tasks::show, tasks::delete))
        .routes(routes!(tasks::respond))
        .layer(DefaultBodyLimit::max(BODY_BYTES_MAX))
}

fn streams() -> OpenApiRouter<App> {
    OpenApiRouter::default()
        .routes(routes!(stream::start))
        .routes(routes!(stream::resume))
        .routes(routes!(confirm::confirm))
        .routes(routes!(tasks::events))
        .layer(DefaultBodyLimit::max(BODY_BYTES_MAX))
        .layer(Extension(Presence::default()))
}
