//! What people call the stages and slides of a deck.

use std::sync::LazyLock;

use super::stage::DECK;
use crate::understanding::rules::{Items, Learned, Vocabulary};

/// From the messages that stand in `messages/`.
static LEARNED: LazyLock<Learned> = LazyLock::new(|| {
    Learned::of(
        include_bytes!("messages/intent.head"),
        include_str!("messages/synonyms.tsv"),
        include_str!("messages/stages.tsv"),
        include_str!("messages/items.tsv"),
    )
});

pub(super) const VOCABULARY: Vocabulary = Vocabulary {
    learned: &LEARNED,
    counted: None,
    added: "generate",
    language: "requirements",
    items: Some(Items {
        kind: DECK,
        by_title: false,
        can_be_ordered: true,
    }),
    item_stages: &["generate"],
};
