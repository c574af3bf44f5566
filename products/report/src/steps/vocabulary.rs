//! What people call the stages and sections of a report.

use std::sync::LazyLock;

use palimpsest::prelude::pipeline::understanding::rules::{Items, Learned, Vocabulary};

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
        by_title: true,
        can_be_ordered: false,
    }),
    item_stages: &[],
};
