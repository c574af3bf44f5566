//! Patterns of words, and where they occur in a message.
//!
//! `a|b` is one of the two; `a … b` is `a` and then `b` in the same sentence, not far after it; `a …… b` may cross sentences. A word of
//! Latin letters occurs only as a whole word, or as the beginning of one where it ends in `*`.

use std::collections::HashMap;

use unicode_normalization::UnicodeNormalization;

use words::sentences::is_abbreviation;

use super::traditional::simplified;
use super::words::Class;

/// The greatest distance between the parts of a pattern, in characters: about a clause.
const GAP_ZH: usize = 14;
const GAP_EN: usize = 45;
/// The same across sentences: about two sentences.
const WIDE_GAP_ZH: usize = 40;
const WIDE_GAP_EN: usize = 120;

/// The most occurrences of a word that are looked at. More occurrences say nothing new, and the work grows with the square of their number.
const OCCURRENCES_MAX: usize = 8;

/// A language that messages are understood in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Language {
    Chinese,
    English,
}

/// A pattern, taken apart.
#[derive(Debug)]
pub(super) struct Pattern {
    parts: Vec<Part>,
}

#[derive(Debug)]
struct Part {
    words: Vec<&'static str>,
    /// The number of these words in a vocabulary.
    list: usize,
    /// The most characters between this part and the part before it.
    gap: usize,
    crosses_sentences: bool,
}

const IN_NO_VOCABULARY: usize = usize::MAX;

/// The words of many patterns. Rules share classes of words, so each word is looked for only once in a text, and each list of words is read
/// once, and not once for each rule.
#[derive(Debug, Default)]
pub(super) struct Vocabulary {
    words: Vec<&'static str>,
    numbers: HashMap<&'static str, usize>,
    /// Lists of the numbers of words.
    lists: Vec<Vec<usize>>,
    list_numbers: HashMap<Vec<usize>, usize>,
}

/// The words that a text may have, for each list of a vocabulary.
pub(super) struct Present(Vec<Vec<&'static str>>);

impl Vocabulary {
    /// Adds the words of a pattern to the vocabulary.
    pub(super) fn take_up(&mut self, pattern: &mut Pattern) {
        for part in &mut pattern.parts {
            let list: Vec<usize> = part.words.iter().map(|word| self.number(word)).collect();
            let next = self.lists.len();
            part.list = *self.list_numbers.entry(list.clone()).or_insert(next);
            if part.list == next {
                self.lists.push(list);
            }
        }
    }

    fn number(&mut self, word: &'static str) -> usize {
        let next = self.words.len();
        let number = *self.numbers.entry(word).or_insert(next);
        if number == next {
            self.words.push(word);
        }
        number
    }

    pub(super) fn present(&self, text: &str) -> Present {
        let may_have = |word: &&str| text.contains(word.trim_end_matches('*'));
        let is_present: Vec<bool> = self.words.iter().map(may_have).collect();
        let present = |list: &Vec<usize>| {
            let words = list.iter().filter(|number| is_present[**number]);
            words.map(|number| self.words[*number]).collect()
        };
        Present(self.lists.iter().map(present).collect())
    }
}

impl Present {
    /// The value for patterns that are in no vocabulary: nothing is known of their words.
    const UNKNOWN: Self = Self(vec![]);

    fn words_of<'a>(&'a self, part: &'a Part) -> &'a [&'static str] {
        self.0.get(part.list).unwrap_or(&part.words)
    }
}

/// Where a pattern occurs, in bytes of the read text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) start: usize,
    pub(super) end: usize,
}

impl Span {
    pub(super) const fn len(self) -> usize {
        self.end - self.start
    }

    pub(super) const fn contains(self, other: Self) -> bool {
        self.start <= other.start && other.end <= self.end
    }

    pub(super) const fn overlaps(self, other: Self) -> bool {
        self.start < other.end && other.start < self.end
    }
}

/// An occurrence of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Occurrence {
    pub(super) span: Span,
    /// The first of its words.
    pub(super) head: Span,
}

/// A text as patterns read it: in one width and case of letters, and in simplified ideographs.
pub(super) fn folded(text: &str) -> String {
    text.nfkc()
        .flat_map(char::to_lowercase)
        .map(|c| match c {
            '\u{2018}' | '\u{2019}' => '\'',
            '\u{201c}' | '\u{201d}' => '"',
            c => simplified(c),
        })
        .collect()
}

impl Pattern {
    pub(super) fn new(pattern: &'static str, language: Language) -> Self {
        Self::with_classes(pattern, language, &[])
    }

    /// The patterns of a rule, in which `@class` stands for the words of a class and `a & b` for `a … b` as well as `b … a`.
    pub(super) fn of_rule(rule: &'static str, language: Language, classes: &[Class]) -> Vec<Self> {
        if let Some((one, other)) = rule.split_once('&') {
            let parts = [one, other].map(|piece| words_of(piece.trim(), classes));
            let [one, other] = parts;
            return vec![
                Self::of_pair(one.clone(), other.clone(), language),
                Self::of_pair(other, one, language),
            ];
        }
        match rule.strip_prefix('@').and_then(|name| class(name, classes)) {
            Some(words) => words.iter().map(|word| Self::new(word, language)).collect(),
            None => vec![Self::with_classes(rule, language, classes)],
        }
    }

    fn of_pair(first: Vec<&'static str>, second: Vec<&'static str>, language: Language) -> Self {
        let (gap, _) = gaps(language);
        let part = |words| Part {
            words,
            list: IN_NO_VOCABULARY,
            gap,
            crosses_sentences: false,
        };
        Self {
            parts: vec![part(first), part(second)],
        }
    }

    fn with_classes(pattern: &'static str, language: Language, classes: &[Class]) -> Self {
        let (gap, wide) = gaps(language);
        let mut parts = vec![];
        let mut crosses_sentences = false;
        for piece in pattern.split('…').map(str::trim) {
            // The piece between the two dots of the wide gap is empty.
            if piece.is_empty() {
                crosses_sentences = true;
                continue;
            }
            parts.push(Part {
                words: words_of(piece, classes),
                list: IN_NO_VOCABULARY,
                gap: if crosses_sentences { wide } else { gap },
                crosses_sentences,
            });
            crosses_sentences = false;
        }
        Self { parts }
    }

    pub(super) fn occurs(&self, text: &str) -> bool {
        !self.occurrences(text).is_empty()
    }

    /// Where the pattern occurs in a folded text: for each word with which it may begin, the first places.
    pub(super) fn occurrences(&self, text: &str) -> Vec<Occurrence> {
        self.occurrences_among(text, &Present::UNKNOWN)
    }

    /// The same, for a pattern of a vocabulary whose words in this text are known.
    pub(super) fn occurrences_among(&self, text: &str, present: &Present) -> Vec<Occurrence> {
        let Some((first, rest)) = self.parts.split_first() else {
            return vec![];
        };
        let mut found = vec![];
        for word in present.words_of(first) {
            let mut from = 0;
            for _ in 0..OCCURRENCES_MAX {
                let Some(span) = word_at(text, word, from, text.len()) else {
                    break;
                };
                if let Some(end) = end_of(rest, text, span.end, present) {
                    found.push(Occurrence {
                        span: Span {
                            start: span.start,
                            end,
                        },
                        head: span,
                    });
                }
                from = span.end;
            }
        }
        found
    }
}

const fn gaps(language: Language) -> (usize, usize) {
    match language {
        Language::Chinese => (GAP_ZH, WIDE_GAP_ZH),
        Language::English => (GAP_EN, WIDE_GAP_EN),
    }
}

/// The words of `a|@b`: those that are named and those of the classes.
fn words_of(piece: &'static str, classes: &[Class]) -> Vec<&'static str> {
    let mut words = vec![];
    for word in piece.split('|') {
        match word.strip_prefix('@').and_then(|name| class(name, classes)) {
            Some(of_class) => words.extend(of_class.iter().filter(|word| !is_pattern(word))),
            None => words.push(word),
        }
    }
    words
}

/// Whether a word of a class is a pattern of its own, which cannot be a part of another one.
fn is_pattern(word: &str) -> bool {
    word.contains(['…', '|'])
}

fn class(name: &str, classes: &[Class]) -> Option<&'static [&'static str]> {
    let known = classes.iter().find(|(known, _)| *known == name);
    known.map(|(_, words)| *words)
}

/// Where the remaining parts end, if each follows the one before.
fn end_of(parts: &[Part], text: &str, from: usize, present: &Present) -> Option<usize> {
    let mut at = from;
    for part in parts {
        let until = window_end(text, at, part.gap, part.crosses_sentences);
        let next = present
            .words_of(part)
            .iter()
            .filter_map(|word| word_at(text, word, at, until))
            .min_by_key(|span| (span.start, usize::MAX - span.end))?;
        at = next.end;
    }
    Some(at)
}

/// The last place at which a part with this gap may begin.
fn window_end(text: &str, from: usize, gap: usize, crosses_sentences: bool) -> usize {
    let mut end = from;
    for (offset, c) in text[from..].char_indices().take(gap) {
        let at = from + offset;
        if !crosses_sentences && ends_sentence(text, at, c) {
            return at;
        }
        end = at + c.len_utf8();
    }
    end
}

/// Whether the character here ends a sentence.
pub(super) fn ends_sentence(text: &str, at: usize, c: char) -> bool {
    match c {
        '。' | '!' | '?' | ';' | '\n' => true,
        '.' => {
            let before = text[..at].rsplit(|c: char| !c.is_ascii_alphanumeric());
            let word = before.into_iter().next().unwrap_or_default();
            let after = text[at + 1..].chars().next();
            after.is_none_or(char::is_whitespace) && !is_abbreviation(word)
        }
        _ => false,
    }
}

/// The next place where a word occurs as a whole word, beginning at `until` at the latest.
fn word_at(text: &str, word: &str, from: usize, until: usize) -> Option<Span> {
    let (stem, is_open) = word
        .strip_suffix('*')
        .map_or((word, false), |stem| (stem, true));
    let limit = text.ceil_char_boundary(until.saturating_add(stem.len()));
    let mut at = from;
    while let Some(offset) = text.get(at..limit)?.find(stem) {
        let start = at + offset;
        if start > until {
            return None;
        }
        let mut end = start + stem.len();
        let before = text[..start].chars().next_back();
        let is_begun = stem.starts_with(is_latin) && before.is_some_and(is_latin);
        if is_open {
            let tail = text[end..].chars().take_while(|c| is_latin(*c));
            end += tail.map(char::len_utf8).sum::<usize>();
        }
        let after = text[end..].chars().next();
        let is_cut = stem.ends_with(is_latin) && after.is_some_and(is_latin);
        if !is_begun && !is_cut {
            return Some(Span { start, end });
        }
        at = start + text[start..].chars().next().map_or(1, char::len_utf8);
    }
    None
}

/// Letters and digits that words of Latin letters are made of.
fn is_latin(c: char) -> bool {
    c.is_ascii_alphanumeric()
}
