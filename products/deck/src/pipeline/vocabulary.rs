//! What people call the stages and slides of a deck.

use std::sync::LazyLock;

use palimpsest::prelude::pipeline::understanding::items::{Items, Unit};
use palimpsest::prelude::pipeline::understanding::rules::{Learned, Vocabulary};

use super::stage::DECK;

/// From the messages that stand in `messages/`.
static LEARNED: LazyLock<Learned> = palimpsest::prelude::pipeline::learned!("../../messages");

pub(super) const VOCABULARY: Vocabulary = Vocabulary {
    learned: &LEARNED,
    counted: None,
    added: "generate",
    language: "requirements",
    items: Some(Items {
        kind: DECK,
        things: Unit::Page,
        called: ("页", "slides"),
        by_title: false,
        can_be_ordered: true,
    }),
    item_stages: &["generate"],
};

#[cfg(test)]
mod tests {
    use palimpsest::prelude::pipeline::understanding::trial::hold_messages;

    use super::*;

    #[test]
    fn messages_are_understood_with_the_parts_they_name() {
        hold_messages(
            include_str!("../../tests/messages.json"),
            &VOCABULARY,
            |_| vec!["1", "2", "3", "4", "5", "6", "7", "8", "9", "10"],
        );
    }
}
