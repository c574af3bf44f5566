//! The program of this crate: everything that is built in.

use domain::designs::{DESIGN_REMARKS, DESIGN_VECTORS, DESIGN_VOTES, DESIGNS};
use domain::notes::NOTES;
use domain::pipelines::post::POST_TEMPLATES;
use domain::pipelines::report::{DATABASES, TEMPLATES};
use domain::project::CURATED;
use domain::story::STORY_VECTORS;
use runner::prompts;

use crate::server::{Builder, CuratedBy, Server};
use crate::start::built_in_tools;
use crate::wire::deck::DeckProtocol;
use crate::wire::post::{Notes, PostProtocol};
use crate::wire::report::{Databases, ReportProtocol, Templates};
use crate::wire::socketio::CourseProtocol;
use crate::wire::story::StoryProtocol;
use crate::wire::story_resources::StoryResources;

/// The pipeline that summarises the decks of the design index after each change of the index.
const DESIGN_CURATOR: CuratedBy = CuratedBy {
    pipeline: "curator",
    covers_all: true,
};

/// The pipeline that reads the accepted chapters of stories after each of them.
const STORY_READER: CuratedBy = CuratedBy {
    pipeline: "reader",
    covers_all: true,
};

impl Server {
    /// The parts of the program `palimpsest`: its pipelines with their prompts, tools and offline authors, and the protocols of their
    /// clients. A program that serves further pipelines beside them starts from here.
    pub fn built_in() -> Builder {
        let mut server = Self::builder()
            .pipelines(&domain::pipelines::all())
            .authors(offline::authors())
            .tools(built_in_tools)
            .kind(TEMPLATES)
            .kind(DATABASES)
            .resource::<Templates>()
            .resource::<Databases>()
            .kind(NOTES)
            .kind(POST_TEMPLATES)
            .resource::<Notes>()
            .kind(DESIGNS)
            .kind(DESIGN_VOTES)
            .kind(DESIGN_REMARKS)
            .kind(DESIGN_VECTORS)
            .kind(STORY_VECTORS)
            .curator(DESIGNS.name, DESIGN_CURATOR)
            .curator(CURATED, STORY_READER)
            .protocol(&CourseProtocol)
            .protocol(&ReportProtocol)
            .protocol(&PostProtocol)
            .protocol(&DeckProtocol)
            .protocol(&StoryProtocol)
            .protocol(&StoryResources);
        for (id, text) in prompts::embedded() {
            server = server.prompt(&id, text);
        }
        server
    }
}

/// The same, put together.
#[cfg(test)]
pub(crate) fn built_in() -> Server {
    Server::built_in().build().expect("it goes together")
}
