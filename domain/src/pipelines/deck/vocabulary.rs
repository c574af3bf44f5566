//! What people call the stages and slides of a deck.

use std::sync::LazyLock;

use super::stage::DECK;
use crate::understanding::rules::{Items, Learned, Vocabulary};

/// From the messages that stand in `messages/`.
static LEARNED: LazyLock<Learned> = learned!("messages");

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
