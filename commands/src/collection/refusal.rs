//! Why a command to a collection is refused.

/// Why a collection does not do what it is asked. Nothing has happened then.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CollectionRefusal {
    #[error("the collection was erased")]
    Erased,
    #[error(
        "`{id}` is not an id: 1 to 128 bytes without spaces, control characters, / ? # % and \\"
    )]
    BadId { id: String },
    #[error(
        "`{name}` is not a name: 1 to 200 characters, not all blank, without control characters"
    )]
    BadName { name: String },
    #[error("`{media_type}` is not a media type such as text/markdown")]
    BadMediaType { media_type: String },
    #[error("document `{id}` has {bytes} bytes, at most {most} are taken; split it")]
    TooLarge { id: String, bytes: u64, most: u64 },
    #[error("what document `{id}` says about itself is longer than {most} bytes")]
    FactsTooLarge { id: String, most: usize },
    #[error(
        "{documents} documents would be in the collection, at most {most} may; remove some first"
    )]
    TooMany { documents: usize, most: usize },
    #[error("{documents} documents come together, at most {most} may; send them in several parts")]
    BatchTooLarge { documents: usize, most: usize },
    #[error("`{id}` comes twice; give each an id of its own")]
    Twice { id: String },
}

impl CollectionRefusal {
    /// For programs; stable.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Erased => "erased",
            Self::BadId { .. } => "bad_id",
            Self::BadName { .. } => "bad_name",
            Self::BadMediaType { .. } => "bad_media_type",
            Self::TooLarge { .. } => "document_too_large",
            Self::FactsTooLarge { .. } => "facts_too_large",
            Self::TooMany { .. } => "too_many_documents",
            Self::BatchTooLarge { .. } => "batch_too_large",
            Self::Twice { .. } => "id_twice",
        }
    }
}
