//! The tools that serve one product each, behind the runner's [`Tool`](runner::tools::Tool). A pipeline names them by name only; a product
//! registers its own where it is put together.

pub mod designs;
pub mod notes;
pub mod post_templates;
pub mod story;
mod web_search;

use std::sync::Arc;

use runner::tools::{Searches, Tool};

use crate::post_templates::{ManagePrompt, RecommendTemplates};
use crate::web_search::SearchForPosts;

/// The tools of posts.
pub fn of_posts(searches: Arc<Searches>) -> Vec<Arc<dyn Tool>> {
    let mut tools: Vec<Arc<dyn Tool>> = vec![
        Arc::new(RecommendTemplates),
        Arc::new(ManagePrompt),
        Arc::new(SearchForPosts(searches)),
    ];
    tools.extend(notes::tools());
    tools
}

#[cfg(test)]
mod tests {
    use runner::tools::{Outside, Tools};
    use serde_json::json;

    use super::*;
    use crate::designs::Designs;

    #[test]
    fn no_two_tools_have_one_name_and_each_says_what_it_takes() {
        let outside = Outside::nothing();
        let mut all = of_posts(Arc::clone(&outside.searches));
        all.extend(designs::tools(&Designs::default()));
        all.extend(story::tools());
        for tool in &all {
            let schema = tool.schema();
            assert_eq!(schema["type"], "object", "{}", tool.name());
            // A model that leaves out a required field is told so; additional fields are allowed.
            let problems = domain::schema::violations(&schema, &json!({ "more": 1 }));
            let required = schema["required"].as_array().map_or(0, Vec::len);
            assert_eq!(problems.len(), required, "{}: {problems:?}", tool.name());
        }
        Tools::general(outside).with(all).expect("names differ");
    }
}
