use std::collections::BTreeSet;

use crate::story::routing::pattern::folded;
use crate::story::routing::words::{RULES, en, zh};

/// The names that rules write behind `@`.
fn named() -> BTreeSet<&'static str> {
    let rules = RULES.iter().flat_map(|(_, _, rules)| *rules);
    rules
        .flat_map(|rule| rule.split([' ', '|']))
        .filter_map(|word| word.strip_prefix('@'))
        .collect()
}

#[test]
fn each_class_that_a_rule_names_has_words_in_both_languages() {
    for words in [&zh::WORDS, &en::WORDS] {
        let known: BTreeSet<&str> = words.classes.iter().map(|(name, _)| *name).collect();
        assert_eq!(known, named());
        assert_eq!(known.len(), words.classes.len(), "a class is there twice");
    }
}

#[test]
fn each_word_of_a_class_is_folded_and_there_once() {
    for words in [&zh::WORDS, &en::WORDS] {
        for (name, class) in words.classes {
            assert!(!class.is_empty(), "{name}");
            let unique: BTreeSet<&str> = class.iter().copied().collect();
            assert_eq!(unique.len(), class.len(), "{name}");
            for word in *class {
                assert_eq!(word.trim(), *word, "{name}");
                let parts = word.split('…');
                assert!(
                    parts.into_iter().all(|part| folded(part) == part),
                    "{name}: {word}"
                );
            }
        }
    }
}
