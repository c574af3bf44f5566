//! Decks over plain HTTP: made from a sentence, checked and drawn from a text, and kept in the design index. Behind it are the pipeline
//! `deck` and ordinary sessions; a client that wants to watch a deck being made follows the session's feed.
//!
//! | Call | Answer |
//! |---|---|
//! | `POST /api/decks:generate` | the deck when it is done, or `202` with the session for `Prefer: respond-async` |
//! | `GET /api/decks/{session}` | the same answer of a session, however far it is |
//! | `GET /api/decks/{session}.sdsl`, `.pptx`, `.pdf`, `.handout.pdf`, `.html`, `.without_notes.html` | a file of the accepted deck |
//! | `GET /api/decks/{session}/thumbnails/{n}` | a page as a picture, from 1 |
//! | `POST /api/decks:check` | what is wrong with a text, and how it was read |
//! | `POST /api/decks:render` | a text, with its pictures and template where they are sent with it, as a file, or what was found while it was drawn |
//! | `/api/index/decks` | decks of the design index: put in, listed, shown, taken out |
//! | `GET /api/index/search` | what of the index is like a query |
//! | `POST /api/index/feedback` | what somebody made of a design |

pub(crate) mod assets;
mod check;
mod files;
mod form;
mod generate;
mod index;
mod limits;
#[cfg(test)]
mod prompts_tests;
mod render;
mod result;

use axum::Extension;
use axum::extract::DefaultBodyLimit;
use palimpsest::prelude::wire::{App, Protocol, Wires};
use utoipa_axum::router::{OpenApiRouter, UtoipaMethodRouterExt};
use utoipa_axum::routes;

use crate::index::Designs;
use limits::{BODY_BYTES_MAX, FILE_BYTES_MAX, FORM_BYTES_MAX};

/// The pipeline that makes the decks.
const PIPELINE: &str = "deck";

/// Decks over plain HTTP.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DeckProtocol;

impl Protocol for DeckProtocol {
    fn wires(&self, wires: Wires) -> Wires {
        wires
    }

    fn answers(&self) -> OpenApiRouter<App> {
        let file = DefaultBodyLimit::max(FILE_BYTES_MAX);
        OpenApiRouter::default()
            .routes(routes!(files::show))
            .routes(routes!(files::thumbnail))
            .routes(routes!(check::check))
            .routes(routes!(index::list))
            .routes(routes!(index::show, index::delete))
            .routes(routes!(index::search))
            .routes(routes!(index::feedback))
            .layer(DefaultBodyLimit::max(BODY_BYTES_MAX))
            .routes(routes!(index::put).layer(file))
            .routes(routes!(render::render).layer(DefaultBodyLimit::max(FORM_BYTES_MAX)))
            .layer(Extension(Designs::default()))
            .layer(Extension(render::Press::default()))
    }

    /// Making a deck takes as long as its models need, so that it has no time limit.
    fn streams(&self) -> OpenApiRouter<App> {
        OpenApiRouter::default()
            .routes(routes!(generate::generate))
            .layer(DefaultBodyLimit::max(BODY_BYTES_MAX))
    }
}
