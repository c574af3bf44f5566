//! What a person wrote for a step to leave; what becomes of it is told in `by_hand`.

use std::sync::Arc;

use serde_json::Value;

use crate::event::{ArtifactProduced, Body};

/// What a person wrote for a step to leave.
#[derive(Clone, Debug)]
pub struct Written {
    /// The version that it was made of; of what is kept, itself.
    pub before: Arc<ArtifactProduced>,
    /// The content of that version.
    pub was: Arc<Value>,
    /// What the person wrote.
    pub body: Arc<Value>,
    /// Why it is kept although its step is done again; nothing where it was written for this run.
    pub kept: Option<Kept>,
}

/// Why something is kept that a person wrote in an earlier run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// The change is about something else.
    NotMeant,
    /// The change is about it, and the offline author cannot work on what a person wrote.
    NobodyCan,
    /// The change is into another language, so that it cannot be kept.
    OtherLanguage,
}

/// The same before the contents are loaded.
#[derive(Clone, Debug)]
pub struct WrittenBody {
    pub before: Arc<ArtifactProduced>,
    pub body: Body,
    pub kept: Option<Kept>,
}
