//! The collections from which reports are made.

use palimpsest::prelude::resource::Kind;

const MIB: u64 = 1024 * 1024;

/// Templates of reports, in Markdown or HTML. A megabyte is a book of five hundred pages; a person keeps tens of templates, a department
/// hundreds, and nobody looks through a list of more than a thousand.
pub(crate) const TEMPLATES: Kind = Kind {
    name: "templates",
    documents_max: 1_000,
    document_bytes_max: MIB,
    searched: None,
};

/// Knowledge bases of reports, each with all its files. What the sections of one report are written from is read by models
/// piece by piece; sixteen megabytes of JSON are more than they ever get through, and fit into memory a few times.
pub(crate) const DATABASES: Kind = Kind {
    name: "databases",
    documents_max: 1_000,
    document_bytes_max: 16 * MIB,
    searched: None,
};

/// Files of one knowledge base. The planner's prompt lists all of them; two hundred names are about 4,000 tokens.
pub(crate) const DATABASE_FILES_MAX: usize = 200;
