//! The product `story`: chapters of a novel, its bible, and what follows from both. The folder has all of it: the pipelines that write and
//! read, readings of a project, offline authors, tools, the protocol, the resources over HTTP, the verb, and its views in the console.

mod authors;
mod pipeline;
mod reader;
mod readings;
mod resources;
mod tools;
pub mod trial;
mod verbs;
mod wire;

use palimpsest::embedded_folder;
use palimpsest::prelude::Builder;
use palimpsest::prelude::resource::CuratedBy;
use palimpsest::prelude::resource::project::CURATED;

pub use pipeline::Story;
use reader::StoryReader;
use readings::STORY_VECTORS;
use resources::{StoryResources, describe};
use verbs::StoryVerb;
use wire::into::StoryProtocol;

/// The pipeline that reads the accepted chapters of stories after each of them.
const STORY_READER: CuratedBy = CuratedBy {
    pipeline: "reader",
    covers_all: true,
};

/// Adds the product to a program.
pub fn add(builder: Builder) -> Builder {
    builder
        .pipeline(&Story)
        .pipeline(&StoryReader)
        .prompts("story", &embedded_folder!("../../prompts/story/"))
        .prompts("reader", &embedded_folder!("../../prompts/reader/"))
        .authors(authors::authors())
        .tools(|_| Ok(tools::tools().into()))
        .kind(STORY_VECTORS)
        .tag(
            "stories",
            "fiction: projects, their chapters and bible, and what follows from both",
        )
        .curator(CURATED, STORY_READER)
        .protocol(&StoryProtocol)
        .protocol(&StoryResources)
        .add(describe)
        .console(palimpsest::console_folder!("story", ["stories"]))
        .verb(&StoryVerb)
}
