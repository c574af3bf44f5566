//! What benches and tests of the repository drive directly.

pub use crate::readings::book::{Book, ProseText};
pub use crate::readings::check::{Finding, Rule, Scope, check};
pub use crate::readings::context::{ContextRequest, StoryBlock, context};
pub use crate::readings::extract::facts;
pub use crate::readings::folder::{FolderRead, read};
pub use crate::readings::graph::graph;
pub use crate::readings::routing::Intent;
pub use crate::readings::search::{StoryFilter, StoryIndex};
pub use crate::readings::state::Evolution;
pub use crate::readings::timeline::timeline;
