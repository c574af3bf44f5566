//! The tools of posts, behind the trait [`Tool`]. The pipeline names them by name only.

pub(crate) mod notes;
pub(crate) mod templates;
mod web_search;

use std::sync::Arc;

use palimpsest::prelude::tool::{Searches, Tool};

use templates::{ManagePrompt, RecommendTemplates};
use web_search::SearchForPosts;

/// The tools of posts.
pub(crate) fn tools(searches: &Arc<Searches>) -> Vec<Arc<dyn Tool>> {
    let mut tools: Vec<Arc<dyn Tool>> = vec![
        Arc::new(RecommendTemplates),
        Arc::new(ManagePrompt),
        Arc::new(SearchForPosts(Arc::clone(searches))),
    ];
    tools.extend(notes::tools());
    tools
}
