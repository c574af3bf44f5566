//! Why a command to a project is refused.

/// Why a project does not do what it is asked. Nothing has happened then.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProjectRefusal {
    #[error("there is no such project; see the list of projects for those that there are")]
    NoProject,
    #[error("there is a project of this id already; give the new one another id")]
    ProjectExists,
    #[error("the project was erased")]
    Erased,
    #[error(
        "`{id}` is not an id: 1 to 128 bytes without spaces, control characters, / ? # % and \\"
    )]
    BadId { id: String },
    #[error(
        "{what} `{name}` is no name: 1 to 200 characters, not all blank, without control characters"
    )]
    BadName { what: &'static str, name: String },
    #[error("{what} has {characters} characters, at most {most} are taken; shorten it")]
    TooLong {
        what: &'static str,
        characters: usize,
        most: usize,
    },
    #[error("`{value}` is not {expected}")]
    BadValue {
        value: String,
        expected: &'static str,
    },
    #[error("entry `{id}` has {bytes} bytes, at most {most} are taken; split it")]
    EntryTooLarge {
        id: String,
        bytes: usize,
        most: usize,
    },
    #[error("{entries} entries would be in the project, at most {most} may; remove some first")]
    TooMany { entries: usize, most: usize },
    #[error("{entries} entries come together, at most {most} may; send them in several parts")]
    BatchTooLarge { entries: usize, most: usize },
    #[error("`{id}` comes twice; give each an id of its own")]
    Twice { id: String },
    #[error("there is no {what} `{id}` in this project")]
    NoEntry { what: &'static str, id: String },
    #[error("`{id}` is a {is}, and cannot become a {wanted}; give the new one an id of its own")]
    OtherKind {
        id: String,
        is: &'static str,
        wanted: &'static str,
    },
    #[error(
        "`{id}` was changed by somebody else meanwhile; look at what it is now, and change that"
    )]
    Changed {
        id: String,
        /// The version of the project that gave it its present state; 0 where it was removed.
        is: u64,
    },
    #[error(
        "the text was changed by somebody else meanwhile: version {is} is newer than {base}; put both together"
    )]
    StaleText { chapter: String, base: u32, is: u32 },
    #[error("the chapter is locked; unlock it first")]
    Locked { chapter: String },
    #[error("the text has {bytes} bytes, at most {most} are taken; split the chapter")]
    TextTooLarge { bytes: u64, most: u64 },
    #[error("the chapter has no version {version}")]
    NoVersion { chapter: String, version: u32 },
    #[error("version {version} is {why}, and stays")]
    VersionInUse { version: u32, why: &'static str },
    #[error(
        "version {version} is not the accepted one any longer, so that what it says does not hold"
    )]
    NotAccepted { chapter: String, version: u32 },
    #[error("{facts} facts of one chapter, at most {most} are kept")]
    TooManyFacts { facts: usize, most: usize },
    #[error("there is no fact `{id}` in this project")]
    NoFact { id: String },
    #[error("a finding is waived with a reason; say why it is right as it stands")]
    NoReason,
}

impl ProjectRefusal {
    /// For programs; stable.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NoProject => "no_project",
            Self::ProjectExists => "project_exists",
            Self::Erased => "erased",
            Self::BadId { .. } => "bad_id",
            Self::BadName { .. } => "bad_name",
            Self::TooLong { .. } => "too_long",
            Self::BadValue { .. } => "bad_value",
            Self::EntryTooLarge { .. } => "entry_too_large",
            Self::TooMany { .. } => "too_many_entries",
            Self::BatchTooLarge { .. } => "batch_too_large",
            Self::Twice { .. } => "id_twice",
            Self::NoEntry { .. } => "no_entry",
            Self::OtherKind { .. } => "other_kind",
            Self::Changed { .. } => "changed",
            Self::StaleText { .. } => "stale_text",
            Self::Locked { .. } => "locked",
            Self::TextTooLarge { .. } => "text_too_large",
            Self::NoVersion { .. } => "no_version",
            Self::VersionInUse { .. } => "version_in_use",
            Self::NotAccepted { .. } => "not_accepted",
            Self::TooManyFacts { .. } => "too_many_facts",
            Self::NoFact { .. } => "no_fact",
            Self::NoReason => "no_reason",
        }
    }
}
