//! Documents that belong to an owner and not to a session.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::hash::BlobRef;
use crate::ids::DocumentId;

family! {
    /// What happened to a collection.
    CollectionEvent in Collection {
        CollectionOpened = 1,
        DocumentsImported = 1,
        DocumentsRemoved = 1,
    }
}

/// A collection begins, with its first documents.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CollectionOpened {
    /// What its documents are, such as `templates`.
    pub kind: String,
    /// The name that tells this collection from others of its kind; empty where an owner has a single one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
}

/// What is known of a document without its content.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Document {
    /// Unique within its collection.
    pub id: DocumentId,
    /// What people call it; several may have the same.
    pub name: String,
    pub media_type: String,
    pub blob: BlobRef,
    /// A few numbers and names that lists show.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub facts: Value,
}

/// Documents came in together. A document whose id the collection already has replaces the one with that id.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DocumentsImported {
    /// The name of the import that they came with; empty where one document was put by itself.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub batch: String,
    pub documents: Vec<Document>,
    #[serde(with = "chrono::serde::ts_microseconds")]
    #[schemars(with = "i64")]
    pub at: DateTime<Utc>,
}

/// Documents are not wanted any longer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DocumentsRemoved {
    pub ids: Vec<DocumentId>,
    #[serde(with = "chrono::serde::ts_microseconds")]
    #[schemars(with = "i64")]
    pub at: DateTime<Utc>,
}
