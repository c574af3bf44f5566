//! The product `story`: everything that a program which makes stories registers.

use domain::pipelines::reader::StoryReader;
use domain::pipelines::story::Story;
use domain::project::CURATED;
use domain::story::STORY_VECTORS;

use super::StoryProtocol;
use crate::server::{Builder, CuratedBy};
use crate::wire::story_resources::StoryResources;

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
        .authors(offline::story::authors())
        .kind(STORY_VECTORS)
        .curator(CURATED, STORY_READER)
        .protocol(&StoryProtocol)
        .protocol(&StoryResources)
        .console(super::console::FOLDER)
}
