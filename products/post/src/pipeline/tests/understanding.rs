//! Messages about posts, of many kinds of people, with what is expected of each.

use palimpsest::prelude::pipeline::understanding::items::named;
use palimpsest::prelude::pipeline::understanding::trial::hold_messages;

use crate::pipeline::vocabulary::VOCABULARY;

#[test]
fn messages_are_understood_with_the_pictures_they_name() {
    hold_messages(include_str!("messages.json"), &VOCABULARY, |_| {
        vec!["封面", "2", "3"]
    });
}

#[test]
fn pictures_are_named_in_languages_beyond_two() {
    let titles = ["Intro", "A", "B", "C", "D", "End"].map(str::to_owned);
    let items = VOCABULARY.items.expect("items");
    for (text, places) in [
        ("Bild 2 heller", &[2][..]),
        ("la dernière photo est floue", &[6]),
        ("Cambia la imagen 3", &[3]),
        ("Картинка 2 слишком тёмная", &[2]),
    ] {
        assert_eq!(named(text, &items, &titles).places, places, "{text}");
    }
}
