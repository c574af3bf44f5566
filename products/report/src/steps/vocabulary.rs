//! What people call the stages and sections of a report.

use std::sync::LazyLock;

use palimpsest::prelude::pipeline::understanding::items::{Items, Unit};
use palimpsest::prelude::pipeline::understanding::rules::{Learned, Vocabulary};

use crate::stages::SECTION;

/// From the messages that stand in `../../messages/`.
static LEARNED: LazyLock<Learned> = palimpsest::prelude::pipeline::learned!("../../messages");

pub(crate) const VOCABULARY: Vocabulary = Vocabulary {
    learned: &LEARNED,
    counted: None,
    added: "plan",
    language: "sections",
    items: Some(Items {
        kind: SECTION,
        things: Unit::Section,
        called: ("节", "sections"),
        by_title: true,
        can_be_ordered: false,
    }),
    item_stages: &[],
};
