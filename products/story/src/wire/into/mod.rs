//! The `story` protocol's incoming half: agents that work on a story, over server-sent events that begin with a POST. The frames
//! that are folded from the log, with what this server adds to the contract, are in `products/story/src/wire/out`; `docs/protocols/story.md`
//! describes both.
//!
//! | Call | Answer |
//! |---|---|
//! | `POST /api/v2/agent/chat` | a stream: the run that the message starts, or what follows from the choice that it makes |
//! | `GET /api/v2/agent/chat/{session}` | the stream again, after `Last-Event-ID` |
//! | `POST /api/v2/agent/chat/simple` | `{content, sessionId, phase}` once the run has ended |
//! | `POST /api/v2/agent/route` | where a message would go |
//! | `POST /api/v2/agent/cancel` | `{status, sessionId, runId}` |
//! | `GET /api/v2/agent/capabilities`, `/tools`, `/lazy-agents`, ... | the agents, what they can do, and their tools |
//! | `GET /api/v1/sessions/resume/{project}` | whether a project has a session that can be continued |
//!
//! What the contract leaves open is fixed here:
//! - A stream is `id`, `event` and one line of `data` a frame; a comment `: keep-alive <ms>` at once, and whenever nothing was sent for ten
//!   seconds. It has the frames of one run until the run ends or waits for a choice: `done` is the last frame, and then the stream closes.
//!   A stream never ends without `done`: on an error it is broken off, and the client comes back with its place.
//! - A client's session has lanes, each a session of the log (`lanes.rs`): a chain that waits keeps its lane, and the next message starts a
//!   run in another one, which begins with what was said before the pause. One run works at a time: a message that comes in the meantime
//!   cancels it, even if the message answers a pause.
//! - A message answers a pause if it names one of the pause's options and says nothing else (`choosing.rs`); of several such pauses the
//!   latest. `metadata.chainContext` answers the pause that it names, or the latest one, also in free words. It is refused with 404 if
//!   there is no such pause in the session or the project, and with 409 if the pause is over.
//! - The `id` of a piece of text says how much of the text was sent, so that a client that reconnects gets the rest. A piece begins
//!   `offset` characters after the beginning of the text of its `step`, and replaces everything that was sent from there on.
//! - A repetition under the same `Idempotency-Key` gets the stream of the first one, or the part after its `Last-Event-ID`. A POST with
//!   `Last-Event-ID` and another key, or none, is treated as a GET: it starts nothing.
//! - A GET without `Last-Event-ID` gets the session's latest run from its beginning. The answer is 204 if the run at the place is over
//!   or waits, and everything was sent.
//! - Closing a connection cancels nothing.
//! - A project, chapter or character that does not exist, or belongs to another owner, gives 404; a value that is not valid gives 400; a
//!   request that the pipeline refuses (too long a message, too many words) gives 422.

mod agents;
mod begin;
mod cancel;
mod capabilities;
mod chat;
mod choosing;
mod errors;
mod lanes;
mod limits;
mod pieces;
mod place;
mod rate;
mod request;
mod route;
mod selecting;
pub(crate) mod session;
mod simple;
mod statistics;
mod teller;
#[cfg(test)]
pub(crate) mod tests;

use axum::Extension;
use axum::extract::DefaultBodyLimit;
use palimpsest::prelude::wire::{App, Protocol, Wires};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use limits::BODY_BYTES_MAX;
use rate::RequestRate;

/// The pipeline that this protocol starts.
const PIPELINE: &str = "story";

/// The `story` protocol.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StoryProtocol;

impl Protocol for StoryProtocol {
    fn wires(&self, wires: Wires) -> Wires {
        wires.with::<crate::wire::out::Story>()
    }

    fn answers(&self) -> OpenApiRouter<App> {
        OpenApiRouter::default()
            .routes(routes!(route::route))
            .routes(routes!(cancel::cancel))
            .routes(routes!(capabilities::capabilities))
            .routes(routes!(capabilities::capabilities_of_phase))
            .routes(routes!(capabilities::tools))
            .routes(routes!(capabilities::tools_of_phase))
            .routes(routes!(statistics::statistics))
            .routes(routes!(agents::list))
            .routes(routes!(session::resumable))
            .layer(DefaultBodyLimit::max(BODY_BYTES_MAX))
            // This rate is separate, so that an owner who routes many messages can still send some.
            .layer(Extension(RequestRate::default()))
    }

    fn streams(&self) -> OpenApiRouter<App> {
        OpenApiRouter::default()
            .routes(routes!(chat::chat))
            .routes(routes!(chat::rejoin))
            // These answers take as long as their run.
            .routes(routes!(simple::simple))
            .routes(routes!(agents::execute))
            .layer(DefaultBodyLimit::max(BODY_BYTES_MAX))
            .layer(Extension(RequestRate::default()))
    }
}
