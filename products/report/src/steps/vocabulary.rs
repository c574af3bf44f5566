//! What people call the stages and sections of a report.

use std::sync::LazyLock;

use palimpsest::prelude::pipeline::understanding::rules::{Items, Learned, Vocabulary};

use crate::stages::SECTION;

/// From the messages that stand in `../../messages/`.
static LEARNED: LazyLock<Learned> = LazyLock::new(|| {
    Learned::of(
        include_bytes!("../../messages/intent.head"),
        include_str!("../../messages/synonyms.tsv"),
        include_str!("../../messages/stages.tsv"),
        include_str!("../../messages/items.tsv"),
    )
});

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
