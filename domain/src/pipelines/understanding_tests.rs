//! Messages of many kinds of people, with what is expected of each.

use super::deck;
use crate::understanding::trial::hold_messages;

#[test]
fn messages_are_understood_with_the_parts_they_name() {
    let messages = include_str!("understanding_tests/deck.json");
    hold_messages(messages, deck::vocabulary(), |_| {
        vec!["1", "2", "3", "4", "5", "6", "7", "8", "9", "10"]
    });
}
