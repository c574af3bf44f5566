//! What a text says again and again: a model of few parameters falls into it, and a larger one where it loses its thread.

use std::collections::BTreeMap;
use std::ops::Range;

use words::sentences::sentences;

use crate::wording::{Token, tokens, weight, weight_of};

/// The longest piece, in words, that is looked for behind itself.
const PERIOD_MAX: usize = 40;
/// How often a piece stands behind itself in a loop. People say a thing three times.
const PERIODS_MIN: usize = 4;
/// What a loop weighs at least: eight words. "Ha ha ha ha" is none.
const LOOP_WEIGHT_MIN: usize = 16;
/// One letter or digit so often behind itself is a loop: the largest number that is written out has fewer zeros.
const SAME_CHARS_MIN: usize = 16;
/// How often a sentence of six words makes a loop, and how often it does where it makes up this part of the text: a refrain comes back, too.
const SENTENCES_MAX: usize = 6;
const SENTENCES_MIN: usize = 3;
const LOOP_PARTS: usize = 3;
const SENTENCE_OF_LOOP_WEIGHT_MIN: usize = 12;
/// A sentence of eight words is not said twice by chance.
const SENTENCE_WEIGHT_MIN: usize = 16;

/// A piece of the text that stands behind itself again and again, or a sentence that comes back.
pub(super) fn find_loop(text: &str) -> Option<String> {
    let tokens = tokens(text);
    let piece = |range: Range<usize>| {
        let (first, last) = (&tokens[range.start], &tokens[range.end - 1]);
        text[first.begin..last.end].to_owned()
    };
    same_chars(text)
        .or_else(|| period(&tokens).map(piece))
        .or_else(|| {
            let all = weight(&tokens);
            let is_loop = |range: &Range<usize>, times: usize| {
                let share = times * weight_of(&text[range.clone()]);
                times >= SENTENCES_MAX || times >= SENTENCES_MIN && LOOP_PARTS * share >= all
            };
            let found = said(text, SENTENCE_OF_LOOP_WEIGHT_MIN).into_values();
            let mut often = found.filter(|(range, times)| is_loop(range, *times));
            often.next().map(|(range, _)| text[range].to_owned())
        })
}

/// A long sentence that stands twice in the text.
pub(super) fn find_twice(text: &str) -> Option<String> {
    let mut found = said(text, SENTENCE_WEIGHT_MIN).into_values();
    let (range, _) = found.find(|(_, times)| *times > 1)?;
    Some(text[range].to_owned())
}

/// The texts of which at least half says what a text before it says, by their places, each with a sentence of it.
pub(super) fn find_repeated_parts<T: AsRef<str>>(texts: &[T]) -> Vec<(usize, String)> {
    let all: Vec<_> = texts
        .iter()
        .map(|text| said(text.as_ref(), SENTENCE_WEIGHT_MIN))
        .collect();
    let mut found = vec![];
    for (at, own) in all.iter().enumerate() {
        let of_both = |before: &BTreeMap<Vec<String>, (Range<usize>, usize)>| {
            let mut both = own.iter().filter(|(words, _)| before.contains_key(*words));
            let first = both.next().map(|(_, (range, _))| range.clone())?;
            (2 * (1 + both.count()) >= own.len()).then_some(first)
        };
        if let Some(range) = all[..at].iter().find_map(of_both) {
            found.push((at, texts[at].as_ref()[range].to_owned()));
        }
    }
    found
}

/// The sentences of this weight and more, by their words: where each stands first, and how often. Rows of tables are none.
fn said(text: &str, least: usize) -> BTreeMap<Vec<String>, (Range<usize>, usize)> {
    let mut found: BTreeMap<Vec<String>, (Range<usize>, usize)> = BTreeMap::new();
    for range in sentences(text) {
        let sentence = &text[range.clone()];
        let words = tokens(sentence);
        if sentence.contains('|') || weight(&words) < least {
            continue;
        }
        let words = words.into_iter().map(|token| token.text).collect();
        found.entry(words).or_insert((range, 0)).1 += 1;
    }
    found
}

/// The first round of the first loop, as a range of words.
fn period(tokens: &[Token]) -> Option<Range<usize>> {
    for period in 1..=PERIOD_MAX.min(tokens.len() / PERIODS_MIN) {
        let mut same = 0;
        for at in period..tokens.len() {
            if tokens[at].text != tokens[at - period].text {
                same = 0;
                continue;
            }
            same += 1;
            let begin = at + 1 - same - period;
            let whole = &tokens[begin..=at];
            // A row of a table may have the same number in each cell.
            let is_long = whole.len() >= PERIODS_MIN * period
                && whole[..period].iter().any(Token::has_letter);
            if is_long && weight(whole) >= LOOP_WEIGHT_MIN {
                return Some(begin..begin + period);
            }
        }
    }
    None
}

fn same_chars(text: &str) -> Option<String> {
    let mut begin = 0;
    let mut count = 0;
    let mut last = None;
    for (at, c) in text.char_indices() {
        if last != Some(c) {
            (begin, count, last) = (at, 0, Some(c));
        }
        count += 1;
        if count >= SAME_CHARS_MIN && c.is_alphanumeric() {
            return Some(text[begin..at].to_owned());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loop_is_found_and_a_word_said_three_times_is_none() {
        let loops = [
            "the cell is the cell is the cell is the cell is the cell is",
            "电池很安全电池很安全电池很安全电池很安全",
            "a number of 10000000000000000000000 watts",
            "Wash your hands with warm soap. Eat. Wash your hands with warm soap. Sleep. Wash your hands with warm soap.",
        ];
        for text in loops {
            assert!(find_loop(text).is_some(), "{text}");
        }
        let sound = [
            "very, very, very good",
            "哈哈哈，太好笑了",
            "| 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 |",
            "No. No. No. He said no, and no again.",
            "________________________",
        ];
        for text in sound {
            assert_eq!(find_loop(text), None, "{text}");
        }
    }

    #[test]
    fn a_long_sentence_is_said_once_and_a_short_one_as_often_as_one_likes() {
        let long = "The light reactions take place in the membranes of the thylakoid.";
        assert!(find_twice(&format!("{long}\nAnd then.\n{long}")).is_some());
        assert_eq!(find_twice("Look here. Then look here."), None);
        assert_eq!(find_twice(long), None);
    }

    #[test]
    fn a_page_that_says_what_another_page_says_is_found() {
        let first = "Plants take up water through their roots in spring and in summer.";
        let second = "Light falls on the leaves and is taken up by green pigments there.";
        let pages = [first, second, first];
        let found = find_repeated_parts(&pages);
        assert_eq!(found, [(2, first.to_owned())]);
        assert!(weight_of(first) >= SENTENCE_WEIGHT_MIN);
    }
}
