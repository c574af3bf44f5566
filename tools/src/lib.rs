//! The tools that serve one of the pipelines of this program, each behind the runner's [`Tool`]. A pipeline names them by name
//! only; they are registered where the program is put together.

pub mod designs;
mod embedding;
pub mod notes;
mod pictures;
pub mod post_templates;
pub mod resources;
pub mod story;
#[cfg(test)]
mod testing;
mod web_search;

use std::sync::Arc;

use runner::ports::{Images, ProviderLimits, References};
use runner::tools::{Searches, Tool};

use crate::designs::Designs;
use crate::pictures::{LookAtReference, Painter, PictureTool};
use crate::post_templates::{ManagePrompt, RecommendTemplates};
use crate::resources::{LoadResources, Resources};
use crate::web_search::SearchForPosts;

/// What these tools need from outside. A step that asks for something that is missing is refused.
pub struct Outside {
    pub searches: Arc<Searches>,
    /// The provider of pictures; without it, pictures are drawn here.
    pub images: Option<Arc<dyn Images>>,
    /// Of the provider of pictures.
    pub image_limits: ProviderLimits,
    /// Where reference pictures are fetched from; without it none are fetched.
    pub references: Option<Arc<References>>,
    /// Where templates and knowledge bases come from.
    pub resources: Option<Arc<dyn Resources>>,
}

impl Outside {
    /// Nothing but web search, as far as a search engine is configured.
    pub fn new(searches: Arc<Searches>) -> Self {
        Self {
            searches,
            images: None,
            image_limits: ProviderLimits::default(),
            references: None,
            resources: None,
        }
    }
}

/// All of them.
pub fn all(outside: Outside) -> Vec<Arc<dyn Tool>> {
    let Outside {
        searches,
        images,
        image_limits,
        references,
        resources,
    } = outside;
    let painter = images.map(|images| Arc::new(Painter::new(images, image_limits)));
    let mut tools: Vec<Arc<dyn Tool>> = vec![
        Arc::new(PictureTool::from_words(painter.clone())),
        Arc::new(PictureTool::from_reference(painter)),
        Arc::new(LookAtReference(references)),
        Arc::new(RecommendTemplates),
        Arc::new(ManagePrompt),
        Arc::new(LoadResources(resources)),
        Arc::new(SearchForPosts(searches)),
    ];
    tools.extend(notes::tools());
    tools.extend(designs::tools(&Designs::default()));
    tools.extend(story::tools());
    tools
}

#[cfg(test)]
mod tests {
    use runner::clock::Clock;
    use runner::tools::Tools;
    use serde_json::json;

    use super::*;

    #[test]
    fn no_two_tools_have_one_name_and_each_says_what_it_takes() {
        let searches = Arc::new(Searches::new(None, Clock::system()));
        let all = all(Outside::new(Arc::clone(&searches)));
        for tool in &all {
            let schema = tool.schema();
            assert_eq!(schema["type"], "object", "{}", tool.name());
            // A model that leaves out a required field is told so; additional fields are allowed.
            let problems = domain::schema::violations(&schema, &json!({ "more": 1 }));
            let required = schema["required"].as_array().map_or(0, Vec::len);
            assert_eq!(problems.len(), required, "{}: {problems:?}", tool.name());
        }
        Tools::general(searches).with(all).expect("names differ");
    }
}
