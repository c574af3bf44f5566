//! The `story` protocol's incoming half: agents that work on a story, over server-sent events that begin with a POST. The frames
//! that are folded from the log, and what is ours in them, are in `projections/src/wire/story`; `docs/protocols/story.md` tells both.
//!
//! | Call | Answer |
//! |---|---|
//! | `POST /api/v2/agent/chat` | a stream: the run that the message starts, or what follows from the choice that it makes |
//! | `GET /api/v2/agent/chat/{session}` | the stream again, after `Last-Event-ID` |
//! | `POST /api/v2/agent/chat/simple` | `{content, sessionId, phase}` once the run has ended |
//! | `POST /api/v2/agent/route` | where a message would go |
//! | `POST /api/v2/agent/cancel` | `{status, sessionId, runId}` |
//! | `GET /api/v2/agent/capabilities`, `/tools`, `/lazy-agents`, ... | what there is |
//! | `GET /api/v1/sessions/resume/{project}` | whether a project has a session to go on with |
//!
//! What the contract leaves open is fixed here:
//! - A stream is `id`, `event` and one line of `data` a frame; a comment `: keep-alive <ms>` at once, and whenever nothing was said for
//!   ten seconds. It tells one run until that ends or waits for a choice: `done` is its last frame, and then the stream closes. A
//!   stream never just ends: where something fails it is broken off, and the client comes back to its place.
//! - A client's session has lanes, each a session of the log (`lanes.rs`): a chain that waits keeps its lane, and the next message
//!   starts a run in another one, which begins with what was said before the pause. One run works at a time: a message that comes
//!   meanwhile cancels it, also where it answers a pause.
//! - A message answers the latest pause of which it names an option and nothing else (`choosing.rs`). `metadata.chainContext` answers
//!   the pause that it names, or the latest one, also in words of one's own: 404 where there is no such pause in the session or the
//!   project, 409 where it is over.
//! - The `id` of a piece of text says how much of the text was sent, so that a client that comes back gets the rest. A piece stands
//!   `offset` characters behind the beginning of the text of its `step`; what was sent from there on does not count any longer.
//! - A repetition under the same `Idempotency-Key` gets the stream of the first one, or after its `Last-Event-ID`. A POST with
//!   `Last-Event-ID` and another key, or none, is a GET: it starts nothing.
//! - A GET without `Last-Event-ID` gets the session's latest run from its beginning. 204 where the run at that place is over, or
//!   waits, and everything was sent.
//! - Closing a connection cancels nothing.
//! - A project, chapter or character that there is not, or that is somebody else's, is 404; a value that is none of its field is 400;
//!   what the pipeline does not take (too long a message, too many words) is 422.

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
mod tests;

use axum::Extension;
use axum::extract::DefaultBodyLimit;
use projections::Wires;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::App;
use crate::protocol::Protocol;
use limits::BODY_BYTES_MAX;
use rate::RequestRate;

/// The pipeline that this protocol starts.
const PIPELINE: &str = "story";

/// The `story` protocol.
#[derive(Clone, Copy, Debug)]
pub struct StoryProtocol;

impl Protocol for StoryProtocol {
    fn wires(&self, wires: Wires) -> Wires {
        wires.with::<projections::wire::story::Story>()
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
            // A measure of its own: whoever routes much still gets to speak.
            .layer(Extension(RequestRate::default()))
    }

    fn streams(&self) -> OpenApiRouter<App> {
        OpenApiRouter::default()
            .routes(routes!(chat::chat))
            .routes(routes!(chat::rejoin))
            // They take as long as the run takes.
            .routes(routes!(simple::simple))
            .routes(routes!(agents::execute))
            .layer(DefaultBodyLimit::max(BODY_BYTES_MAX))
            .layer(Extension(RequestRate::default()))
    }
}
