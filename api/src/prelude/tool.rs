//! The layer of tools: what a step asks of the world beside models. A tool has a name, a schema and a call; the call is given its step and
//! what that may reach. What needs the configuration of the program is in [`Surroundings`].

pub use async_trait::async_trait;

pub use domain::carry::ToolOutcome;

pub use runner::clock::{Clock, fresh_id, fresh_seed};
pub use runner::crash::Point;
pub use runner::tools::{
    CALL_LIMIT, Embedder, Outside, Painter, QueryVector, SEARCH_OFF, Searches, Stop, Tool,
    ToolContext, ToolError, Tools, embedding, indexes, input,
};

// What the world outside is reached through, each with its limits.
pub use runner::ports::images::{Picture as CheckedPicture, PictureError, at_most};
pub use runner::ports::spool::SpoolWriter;
pub use runner::ports::{
    AnswerSink, DrawnPicture, FetchError, FetchLimits, Fetcher, ImageRequest, Images, Limiter,
    ModelError, ModelErrorKind, Origin, PictureFault, Policy, ProviderLimits, Reference,
    References, Typesetter,
};
pub use runner::{FontTypesetter, WaitLine};

pub use runner::ports::{Fetched, SearchError, SearchResult, Secret};

// What a tool is made of when a process starts: what it may reach, and the settings of its product.
pub use crate::config::{Config, Draft, ProductSettings};
pub use crate::server::{MakeTools, Surroundings};
pub use anyhow;
