//! The world as the runner sees it: models, pictures, vectors and web search, each behind a port with time limits, rate limits and errors that
//! say whether trying again makes sense.
//!
//! A port makes one exchange. How often an exchange is tried again is decided by the runner from the log, with the policy
//! in [`backoff`], so that a restart between two tries changes nothing.

pub mod answer;
pub mod backoff;
mod complaint;
pub mod embeddings;
pub mod exchange;
pub mod fetch;
pub mod habits;
pub mod images;
pub mod known;
mod lessons;
pub mod limits;
pub mod model;
pub mod openai;
pub mod openai_embeddings;
pub mod openai_images;
pub mod references;
mod repeating;
pub mod schema;
pub mod sealing;
pub mod search;
pub mod search_engines;
pub mod secret;
pub mod spool;
pub mod sse;
pub mod structured;
mod surrogates;
pub mod thinking;
mod tolerant;
pub mod typesetter;
pub mod wrappers;

pub use answer::parse_sse;
pub use backoff::RetryPolicy;
pub use embeddings::{Embedded, EmbeddingRequest, Embeddings};
pub use fetch::{FetchError, FetchLimits, Fetched, Fetcher, Origin, Policy};
pub use habits::{Capability, Habits, LimitName, ListPrice};
pub use images::{DrawnPicture, ImageRequest, Images, PictureFault, Reference};
pub use known::{Family, KnownModels};
pub use limits::{Limiter, ProviderLimits};
pub use model::{
    AnswerSink, Message, MessagePicture, Model, ModelAnswer, ModelError, ModelErrorKind,
    ModelRequest, NamedSchema, Role, SAID_NOTHING, ToolSpec, Usage,
};
pub use openai::{OpenAiConfig, OpenAiModel, TimeLimits};
pub use openai_embeddings::{OpenAiEmbeddings, OpenAiEmbeddingsConfig};
pub use openai_images::{OpenAiImages, OpenAiImagesConfig};
pub use references::References;
pub(crate) use repeating::ends_in_loop;
pub use schema::strict_schema;
pub use search::{Search, SearchError, SearchResult};
pub use search_engines::{SearchConfig, SearchKind, WebSearch};
pub use secret::Secret;
pub use spool::{Spool, SpoolError, SpoolWriter, Spooled, TurnPlace};
pub use structured::{Parsed, StructuredError, parse_structured};
pub use thinking::strip_think;
pub use typesetter::{TypesetError, Typesetter};
pub use wrappers::unwrapped;

#[cfg(test)]
pub(crate) mod testing;
