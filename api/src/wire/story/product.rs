//! The product `story`: everything that a program which makes stories registers.

use domain::pipelines::reader::StoryReader;
use domain::pipelines::story::Story;
use domain::project::CURATED;
use domain::story::STORY_VECTORS;
use include_dir::{Dir, include_dir};

use super::StoryProtocol;
use super::verbs::StoryVerb;
use crate::server::{Builder, CuratedBy};
use crate::wire::story_resources::StoryResources;

/// The pipeline that reads the accepted chapters of stories after each of them.
const STORY_READER: CuratedBy = CuratedBy {
    pipeline: "reader",
    covers_all: true,
};

static PROMPTS: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/../prompts/story");
static READER_PROMPTS: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/../prompts/reader");

/// Adds the product to a program.
pub fn add(builder: Builder) -> Builder {
    builder
        .pipeline(&Story)
        .pipeline(&StoryReader)
        .prompts("story", &PROMPTS)
        .prompts("reader", &READER_PROMPTS)
        .authors(offline::story::authors())
        .tools(|_| Ok(tools::story::tools().into()))
        .kind(STORY_VECTORS)
        .tag(
            "stories",
            "fiction: projects, their chapters and bible, and what follows from both",
        )
        .curator(CURATED, STORY_READER)
        .protocol(&StoryProtocol)
        .protocol(&StoryResources)
        .console(super::console::FOLDER)
        .verb(&StoryVerb)
}
