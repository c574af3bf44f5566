//! What a person wrote for a step to leave; the module `by_hand` says what becomes of it.

use std::sync::Arc;

use serde_json::Value;

use crate::event::{ArtifactProduced, Body};

/// What a person wrote for a step to leave.
#[derive(Clone, Debug)]
pub struct Written {
    /// The version that the person edited; where an edited version is kept, that version itself.
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
    /// The change is about this text, but the offline author cannot rework what a person wrote.
    NobodyCan,
    /// The change is into another language, so that the text cannot be kept.
    OtherLanguage,
}

/// What a person wrote for a step to leave, before the contents are loaded.
#[derive(Clone, Debug)]
pub struct WrittenBody {
    pub before: Arc<ArtifactProduced>,
    pub body: Body,
    pub kept: Option<Kept>,
}
