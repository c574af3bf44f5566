//! How each stage is carried out: what it asks, what it checks, what it leaves.

pub(crate) mod aggregate;
pub(crate) mod ask;
pub(crate) mod check;
pub(crate) mod edits;
pub(crate) mod export;
pub(crate) mod files;
pub(crate) mod plan;
pub(crate) mod prepare;
pub(crate) mod section;
pub(crate) mod understand;
pub(crate) mod vocabulary;
pub(crate) mod write;
pub(crate) mod written;
