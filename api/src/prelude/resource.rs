//! The layer of resources: what an owner keeps beside sessions. A collection has documents of one kind; a project has entries, and the
//! versions of its prose.

pub use domain::collection::{Collection, CollectionId, Entry, Kind, SearchWords};
pub use domain::event::Document;
pub use domain::ids::DocumentId;
/// The words of a text, as an index of searched documents has them.
pub use domain::tokens::index_words;

pub use commands::collection::{CollectionRefusal, check_document_id, check_document_name};
pub use runner::{Changed, CollectionError, Collections, DocumentHits, Imported, NewDocument};

/// What a project knows, and its limits.
pub use domain::project;

pub use commands::Refusal;
/// What can be asked of a project, with the refusals.
pub use commands::project as project_commands;
pub use domain::streams::{PROJECT, work_session};
pub use runner::{ProjectChanged, ProjectError, Projects, changes};

pub use crate::server::CuratedBy;

/// The documents of a kind over HTTP.
pub use crate::resource::{
    AnswerSchema, Documents, EntryFilter, Page, PageRequest, Resource, declared_type, key,
    read_bytes, read_json, refusal, write_json,
};
pub use utoipa;
