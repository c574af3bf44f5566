//! The pieces of a message, and what is known of each before its neighbours are looked at.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::LazyLock;

use crate::fold::unaccented;
use crate::numerals::place_number;
use crate::rows::{entries, rows};
use crate::sizes::{UNITS, Unit};
use crate::tokens::{Shape, Token, behind_clitics, tokens};

/// The nouns for things of a kind, by the texts of their tokens.
#[derive(Debug, Default)]
pub(crate) struct Nouns {
    forms: HashSet<Vec<String>>,
    longest: usize,
}

/// The rows of the table of units whose words name one of these things.
fn nouns(of: Unit) -> Nouns {
    let kinds: &[&str] = match of {
        Unit::Page => &["page", "page form", "sheet"],
        Unit::Picture => &["picture", "picture form", "sheet"],
        Unit::Section => &["section", "section form"],
        Unit::Sheet | Unit::Minute | Unit::Hour => &[],
    };
    let mut all = Nouns::default();
    let rows = rows(UNITS).filter(|[kind, _, _]| kinds.contains(kind));
    for form in rows.flat_map(|[_, _, forms]| entries(forms)) {
        let texts = tokens(form).into_iter().map(|token| token.text);
        let texts: Vec<String> = texts.collect();
        all.longest = all.longest.max(texts.len());
        // A short one without its accents is a word of another language.
        if form.chars().nth(STEM_MIN - 1).is_some() {
            all.forms
                .insert(texts.iter().map(|text| plain(text)).collect());
        }
        all.forms.insert(texts);
    }
    all
}

static PAGES: LazyLock<Nouns> = LazyLock::new(|| nouns(Unit::Page));
static PICTURES: LazyLock<Nouns> = LazyLock::new(|| nouns(Unit::Picture));
static SECTIONS: LazyLock<Nouns> = LazyLock::new(|| nouns(Unit::Section));

impl Nouns {
    /// Those of a unit that things can be counted in.
    pub(crate) fn of(things: Unit) -> &'static Self {
        match things {
            Unit::Picture => &PICTURES,
            Unit::Section => &SECTIONS,
            Unit::Page | Unit::Sheet | Unit::Minute | Unit::Hour => &PAGES,
        }
    }

    /// How many tokens the noun has that begins at a token; 0 where none does. A long noun may have an ending of its language.
    fn length_at(&self, tokens: &[Token], at: usize) -> usize {
        let most = self.longest.min(tokens.len() - at);
        let texts = tokens[at..at + most].iter().map(|token| token.text.clone());
        let texts: Vec<String> = texts.collect();
        let whole = (1..=most)
            .rev()
            .find(|length| self.forms.contains(&texts[..*length]));
        whole.unwrap_or_else(|| {
            let word = &plain(&texts[0]);
            let mut words = std::iter::once(word.as_str()).chain(behind_clitics(word));
            usize::from(words.any(|word| self.has_stem_of(word)))
        })
    }

    /// Whether a noun of one word is a word but for its ending.
    fn has_stem_of(&self, word: &str) -> bool {
        let ends = word
            .char_indices()
            .rev()
            .map(|(end, _)| end)
            .take(ENDING_MAX);
        let stems = ends.map(|end| &word[..end]);
        let stems = stems.filter(|stem| stem.chars().nth(STEM_MIN - 1).is_some());
        let is_whole = word.chars().nth(STEM_MIN - 1).is_some();
        let mut forms = stems.chain(is_whole.then_some(word));
        forms.any(|form| self.forms.contains(std::slice::from_ref(&form.to_owned())))
    }
}

/// The words that people name places with, and what they say is to become of them, by class; the head of the file says where they are from.
const WORDS: &str = include_str!("../../data/place_words.tsv");

/// The classes of words and phrases, by the texts of their tokens without accents. A word that ends in `*` stands for each that begins like it.
#[derive(Debug, Default)]
struct Classes {
    whole: HashMap<Vec<String>, Vec<&'static str>>,
    begun: HashMap<String, Vec<&'static str>>,
    longest: usize,
}

static CLASSES: LazyLock<Classes> = LazyLock::new(|| {
    let mut all = Classes::default();
    for [class, _, forms] in rows(WORDS) {
        for form in forms.split('|') {
            let texts = tokens(form.trim_end_matches('*'));
            let texts: Vec<String> = texts.into_iter().map(|token| plain(&token.text)).collect();
            let classes = match (&texts[..], form.ends_with('*')) {
                ([stem], true) => all.begun.entry(stem.clone()).or_default(),
                _ => {
                    all.longest = all.longest.max(texts.len());
                    all.whole.entry(texts).or_default()
                }
            };
            if !classes.contains(&class) {
                classes.push(class);
            }
        }
    }
    all
});

impl Classes {
    /// The longest form that begins at a token: how many tokens it has, and its classes.
    fn at(&self, texts: &[String], at: usize) -> (usize, &[&'static str]) {
        let most = self.longest.min(texts.len() - at);
        let whole = (1..=most).rev().find_map(|length| {
            let classes = self.whole.get(&texts[at..at + length])?;
            Some((length, classes.as_slice()))
        });
        let begun = || {
            let word = texts[at].as_str();
            let ends = word.char_indices().rev().map(|(end, _)| end);
            let mut stems = [word.len()].into_iter().chain(ends).map(|end| &word[..end]);
            stems.find_map(|stem| Some((1, self.begun.get(stem)?.as_slice())))
        };
        whole.or_else(begun).unwrap_or((0, &[]))
    }
}

/// Letters of the shortest noun that may have an ending, and of the longest ending.
const STEM_MIN: usize = 4;
const ENDING_MAX: usize = 6;

fn plain(text: &str) -> String {
    // A capital İ is folded to an i with a mark of its own.
    let accents = '\u{300}'..='\u{36f}';
    let plain = text.chars().filter(|c| !accents.contains(c));
    plain.map(unaccented).collect()
}

/// What is known of a piece before it is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shown {
    Word,
    Mark,
    Digits,
    /// A number in words or Han numerals, and an ordinal.
    Numeral,
    Ordinal,
    Noun,
}

/// A word, a number, a noun for the things that are there, or a character of a script without spaces.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    pub begin: usize,
    pub end: usize,
    /// As it is looked at: without accents, and the same for all digits and all nouns.
    pub text: String,
    pub shown: Shown,
    pub number: Option<u32>,
    /// Whether no space stands before it.
    pub is_joined: bool,
    /// Whether it is known to name the one with this number.
    pub is_title: bool,
    /// The classes of the word, or of the phrase that it belongs to.
    pub classes: &'static [&'static str],
}

/// The most pieces of a message that are looked at: the end of a longer one is pasted material.
const PIECES_MAX: usize = 160;

/// The pieces of a message. `titles` are the stretches, in bytes, in which a thing is called by its title, with its number.
pub(super) fn pieces(message: &str, nouns: &Nouns, titles: &[(Range<usize>, u32)]) -> Vec<Piece> {
    let tokens = tokens(message);
    let texts: Vec<String> = tokens.iter().map(|token| plain(&token.text)).collect();
    let classes = &*CLASSES;
    let mut of_phrase: (usize, &'static [&'static str]) = (0, &[]);
    let mut pieces = vec![];
    let mut at = 0;
    while at < tokens.len() && pieces.len() < PIECES_MAX {
        let token = &tokens[at];
        let title = titles.iter().find(|(of, _)| of.contains(&token.begin));
        let (length, shown, number) = if let Some((of, number)) = title {
            let inside = tokens[at..].iter().take_while(|it| it.begin < of.end);
            (inside.count(), Shown::Digits, Some(*number))
        } else if let length @ 1.. = nouns.length_at(&tokens, at) {
            (length, Shown::Noun, None)
        } else if let Some(found) = place_number(&tokens, &texts, at) {
            let shown = if token.shape == Shape::Digits {
                Shown::Digits
            } else if found.is_ordinal {
                Shown::Ordinal
            } else {
                Shown::Numeral
            };
            (found.length, shown, Some(found.value))
        } else if token.shape == Shape::Mark {
            (1, Shown::Mark, None)
        } else {
            (1, Shown::Word, None)
        };
        let text = match shown {
            Shown::Digits => "0".to_owned(),
            Shown::Noun => "noun".to_owned(),
            Shown::Word | Shown::Mark | Shown::Numeral | Shown::Ordinal => {
                texts[at..at + length].join(" ")
            }
        };
        let (phrase, of_word) = classes.at(&texts, at);
        if at + phrase > of_phrase.0 && phrase > 0 {
            of_phrase = (at + phrase, of_word);
        }
        pieces.push(Piece {
            classes: if at < of_phrase.0 { of_phrase.1 } else { &[] },
            begin: token.begin,
            end: tokens[at + length - 1].end,
            text,
            shown,
            number,
            is_joined: token.is_joined,
            is_title: title.is_some(),
        });
        at += length;
    }
    pieces
}
