//! The words of a text that say what it is about.

use icu_segmenter::options::WordBreakInvariantOptions;
use icu_segmenter::{WordSegmenter, WordSegmenterBorrowed};
use std::sync::LazyLock;

use crate::fold::folded;
use crate::script::is_ideographic;
use crate::stop::is_stop_word;

/// Letters of a word from which on it is looked at; of one in ideographs, of which each says as much as two letters or three, two.
const LETTERS_MIN: [usize; 2] = [3, 2];

/// Words by dictionaries where a script has no spaces; the same on each machine.
pub(crate) static SEGMENTER: LazyLock<WordSegmenterBorrowed<'static>> =
    LazyLock::new(|| WordSegmenter::new_dictionary(WordBreakInvariantOptions::default()));

/// The words of a text, folded and in their order, without numbers, marks, and words that say nothing of what it is about.
pub fn content_words(text: &str) -> Vec<String> {
    let mut found = vec![];
    // Ideographs of which each would be a word are one that the dictionary has not.
    let mut joined = String::new();
    let mut begin = 0;
    for end in SEGMENTER.segment_str(text).skip(1) {
        let word = folded(&text[begin..end]);
        begin = end;
        let mut letters = word.chars();
        if letters.next().is_some_and(is_ideographic) && letters.next().is_none() {
            joined.push_str(&word);
            continue;
        }
        found.extend([std::mem::take(&mut joined), word]);
    }
    found.push(joined);
    found.retain(|word| {
        let letters = word.chars().filter(|c| c.is_alphabetic()).count();
        let least = LETTERS_MIN[usize::from(word.chars().any(is_ideographic))];
        letters >= least && !is_stop_word(word)
    });
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_grammar_and_numbers_are_left_out_in_any_script() {
        let of = |text| content_words(text).join(" ");
        assert_eq!(
            of("Make 8 slides about the safety of batteries"),
            "slides safety batteries"
        );
        assert_eq!(of("制作关于地球的演示"), "地球");
        assert_eq!(of("春游"), "春游");
    }
}
