//! The incoming half of the `post` protocol: server-sent events that begin with a POST, and tasks. The frames that are folded from the log,
//! with what this server adds to the contract, are in `out`.
//!
//! | Call | Answer |
//! |---|---|
//! | `POST /api/agent/stream` | a stream; a message starts a run, without one the running thread is joined |
//! | `GET /api/agent/stream/{threadId}` | a stream, after `Last-Event-ID` or `?after=` |
//! | `POST /api/agent/confirm` | a stream: `agent_start` of the supervisor, then what follows from the answer |
//! | `POST /api/agent/cancel` | `{status, threadId, runId}` |
//! | `/api/tasks` | runs without an open stream |
//! | `GET /api/assets/{number}` | a picture |
//!
//! A stream is `id: <cursor>` and `data: <frame>`; a comment `: keep-alive <ms>` at once, and whenever nothing was sent for five seconds
//! (tasks: fifteen); `data: [DONE]` once everything was sent and nothing is at work, or an answer is waited for. A stream never ends
//! without `[DONE]`: on an error it is broken off, and the client comes back with its cursor.
//!
//! What the contract leaves open is fixed here:
//! - A refusal is `{error, code, hint?, retryable}` with its status: 400 for a missing field or a value that is not valid, 422 for a value
//!   that does not fit. Unknown fields are ignored.
//! - The stream of a message begins with what the message caused: the end of a run that it interrupts, or the frames of a run that it has
//!   to wait for. `[DONE]` comes after the message's own run. If the thread waits for an answer, the stream sends that question again and
//!   ends. A repetition (`Idempotency-Key`, else `messageId`) gets the stream from where the first one began, or after its `Last-Event-ID`.
//! - A message to a thread that does not exist opens it under that name. A POST without a message gets everything from the beginning of the
//!   thread, or after its `Last-Event-ID`; it is refused with 400 if nothing is at work in the thread.
//! - A cursor of another version of this wire, or ahead of the log, gets everything from the beginning; a text that is no cursor is refused
//!   with 400.
//! - `onDisconnect: "abort"` cancels the run, also one that waits for its turn, when the last stream of the thread in this process closes.
//!   A stream that ended with `[DONE]`, and a server that stops, cancel nothing. A `confirm` has to say it again for its own stream.
//! - `confirm` without a `gateId` answers the waiting question, if a stream of the thread in this process has shown it or has come to its
//!   end since. Otherwise nothing is answered, and the client gets the stream from the previous answer on: so a confirmation that is sent
//!   twice does not answer the next question. If there is no previous answer, it is refused with 409 `question_not_read`. If no question
//!   waits, it is refused with 409 if the last run has asked one, else with 404. `approve` with `modifiedData` is `modify`. `userResponse`
//!   to a question of approval is read as the action that it selects, with `customInput` as feedback and `modifiedContext` as the change.
//!   The budget question takes `raise`, `finish_partial` and `end`, and `approve` and `reject` for the first and the last of these. A
//!   repetition under the same `Idempotency-Key` gets the stream again.
//! - `cancel` means the run at work, or the one that `runId` names. A run that waits for its turn is `cancelled` from then on; its stream
//!   says so when its turn comes, so that the runs of a thread end in their order. For a run that was cancelled before, the first answer is
//!   given again. It is refused with 409 if the run has ended in another way, or if nothing is at work.
//! - A task is `<thread>:<run>`. Its events are numbered from 0 and have the number as `id`; `fromIndex` is the first that is wanted. Its
//!   stream also ends when its run has ended or waits. `DELETE` erases the thread with all its runs. The status `cancelled` is that of a
//!   task whose run was cancelled. `sourceTaskId` sends a further message to the thread of that task.
//! - `referenceInputs`, `referenceImages` and `referenceImageUrl` are one list in that order, each address once. A `data:` address becomes
//!   the file `references/<n>.<ending>` of the thread.

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
use palimpsest::prelude::wire::{App, Protocol, Wires};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use limits::BODY_BYTES_MAX;
use presence::Presence;

/// The `post` protocol.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PostProtocol;

impl Protocol for PostProtocol {
    fn wires(&self, wires: Wires) -> Wires {
        wires.with::<crate::wire::out::Post>()
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
