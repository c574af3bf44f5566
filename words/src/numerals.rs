//! Numbers as people write them: digits of every script, numerals of thirty languages with their compounds, and Han numerals.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::fold::unaccented;
use crate::quantities::wholes;
use crate::rows::{entries, rows};
use crate::table::Table;
use crate::tokens::{Shape, Token, behind_clitics, tokens};

/// See the head of the file.
const ROWS: &str = include_str!("../data/numerals.tsv");

/// A word that means a number, or a part of one.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Word {
    part: Part,
    value: f64,
    /// The tags of its languages, with commas between them.
    languages: &'static str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Cardinal,
    Ordinal,
    /// Makes an ordinal of digits.
    Ending,
    /// Only in compounds.
    Inner,
    Group,
    Vague,
    And,
}

static WORDS: LazyLock<Table<Word>> = LazyLock::new(|| {
    Table::read(ROWS, |cells| {
        let [kind, value, languages] = *cells.first_chunk::<3>()?;
        let part = match kind {
            "cardinal" => Part::Cardinal,
            "ordinal" => Part::Ordinal,
            "ending" => Part::Ending,
            "part" => Part::Inner,
            "group" => Part::Group,
            "vague" => Part::Vague,
            "and" => Part::And,
            _ => return None,
        };
        Some(Word {
            part,
            value: value.parse().ok()?,
            languages,
        })
    })
});

/// The values of single characters: of Han numerals, or the noughts of scripts.
fn chars(kind: &'static str) -> Table<f64> {
    Table::read(ROWS, |cells| {
        let value = cells.get(1)?.parse().ok()?;
        (cells.first() == Some(&kind)).then_some(value)
    })
}

static HAN: LazyLock<Table<f64>> = LazyLock::new(|| chars("han"));

static ZEROS: LazyLock<Vec<u32>> = LazyLock::new(|| {
    let zeros = rows(ROWS).filter(|[kind, _, _, _]| *kind == "zero");
    let forms = zeros.flat_map(|[_, _, _, forms]| entries(forms));
    let digits = forms.filter_map(|form| form.chars().next());
    digits.map(u32::from).collect()
});

/// A number in a text.
#[derive(Clone, Debug, PartialEq)]
pub struct Numeral {
    /// In bytes.
    pub begin: usize,
    pub end: usize,
    pub value: Value,
    /// Tags with commas between them of the languages of which it is a numeral; empty for digits, which belong to all.
    pub languages: &'static str,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    Number(f64),
    /// A range that is one numeral, such as 五六.
    Between(f64, f64),
    /// A numeral without a value, such as "several".
    Vague,
}

impl Value {
    /// The number, where it is one.
    pub fn number(self) -> Option<f64> {
        match self {
            Self::Number(value) => Some(value),
            Self::Between(..) | Self::Vague => None,
        }
    }
}

/// A numeral by its tokens.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub first: usize,
    /// Behind its last token.
    pub end: usize,
    pub value: Value,
    pub languages: &'static str,
}

impl Found {
    pub(crate) fn is_digits(&self) -> bool {
        self.languages.is_empty()
    }
}

/// The numbers of a text, in its order. Ordinal words are none.
pub fn numerals(text: &str) -> Vec<Numeral> {
    let tokens = tokens(text);
    let numeral = |found: Found| Numeral {
        begin: tokens[found.first].begin,
        end: tokens[found.end - 1].end,
        value: found.value,
        languages: found.languages,
    };
    numerals_of(&tokens).into_iter().map(numeral).collect()
}

/// The number of a text that is nothing but a whole number, in digits, Han numerals or words of these languages. A Han numeral without
/// units is read digit by digit.
pub fn numeral(text: &str, languages: &[&str]) -> Option<u32> {
    let tokens = tokens(text);
    let found = at(&tokens, 0)?;
    let is_known = |language: &&str| has(found.languages, language);
    let is_alone = found.end == tokens.len();
    let value = match found.value {
        Value::Number(value) => value,
        Value::Between(low, high) if tokens.len() == 2 => low * 10.0 + high,
        Value::Between(..) | Value::Vague => return None,
    };
    let fits = is_alone && (found.is_digits() || languages.iter().any(is_known));
    fits.then(|| whole(value)).flatten()
}

/// Whether a folded word behind digits makes an ordinal of them.
pub(crate) fn is_ending(word: &str) -> bool {
    WORDS
        .word(word)
        .iter()
        .any(|word| word.part == Part::Ending)
}

/// The number of a text that is nothing but an ordinal of these languages: "third", "3rd".
pub fn ordinal(text: &str, languages: &[&str]) -> Option<u32> {
    let tokens = tokens(text);
    let (last, before) = tokens.split_last()?;
    let is_known = |word: &&Word| {
        languages
            .iter()
            .any(|language| has(word.languages, language))
    };
    let mut words = WORDS.word(&last.text).iter().filter(is_known);
    match before {
        [] => words
            .find(|word| word.part == Part::Ordinal)
            .and_then(|word| whole(word.value)),
        [number] if words.any(|word| word.part == Part::Ending) => numeral(&number.text, &[]),
        _ => None,
    }
}

/// A whole number; one beyond all bounds is the largest.
pub fn whole(value: f64) -> Option<u32> {
    let is_whole = value >= 0.0 && libm::trunc(value) == value;
    is_whole.then_some(if value > f64::from(u32::MAX) {
        u32::MAX
    } else {
        value as u32
    })
}

fn has(languages: &str, language: &str) -> bool {
    languages.split(',').any(|known| known == language)
}

/// A number, or an ordinal, that may name a place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlaceNumber {
    /// In tokens.
    pub length: usize,
    pub value: u32,
    pub is_ordinal: bool,
}

/// The cardinals and ordinals that are one word, without their accents.
static PLAIN: LazyLock<HashMap<String, Word>> = LazyLock::new(|| {
    let is_whole = |word: &&Word| matches!(word.part, Part::Cardinal | Part::Ordinal);
    let words = WORDS.words().filter_map(|(text, words)| {
        let text: String = text.chars().map(unaccented).collect();
        Some((text, *words.iter().find(is_whole)?))
    });
    words.collect()
});

/// Letters of the shortest numeral that may have an ending, and of the longest ending.
const STEM_MIN: usize = 5;
const ENDING_MAX: usize = 4;

/// The number that begins at a token, in digits, in Han numerals or in words of any language, with or without their accents (`texts` are
/// those of the tokens without them). A mark between digits divides numbers, as in "2,3".
pub(crate) fn place_number(tokens: &[Token], texts: &[String], at: usize) -> Option<PlaceNumber> {
    let number = |length: usize, value: f64, is_ordinal: bool| {
        let value = whole(value).filter(|value| *value > 0)?;
        Some(PlaceNumber {
            length,
            value,
            is_ordinal,
        })
    };
    let token = &tokens[at];
    if token.shape == Shape::Digits {
        let digits = token.text.chars().filter_map(digit);
        let value = digits.fold(0.0, |value, digit| value * 10.0 + f64::from(digit));
        return number(1, value, false);
    }
    let found = [han(tokens, at), words(tokens, at)].into_iter().flatten();
    let cardinal = found
        .filter_map(|found| number(found.end - at, found.value.number()?, false))
        .max_by_key(|found| found.length);
    let ordinal = WORDS.longest(tokens, at).and_then(|(length, words)| {
        let word = words.iter().find(|word| word.part == Part::Ordinal)?;
        number(length, word.value, true)
    });
    let plain = || {
        let text = &texts[at];
        // An ending of the language stands behind the word: "harmadiktól".
        let ends = text.char_indices().rev().map(|(end, _)| end);
        let stems = ends.take(ENDING_MAX).map(|end| &text[..end]);
        let is_long = |stem: &&str| stem.chars().nth(STEM_MIN - 1).is_some();
        let forms = std::iter::once(text.as_str()).chain(stems.filter(is_long));
        let mut forms = forms.chain(behind_clitics(text));
        let word = forms.find_map(|form| PLAIN.get(form))?;
        number(1, word.value, word.part == Part::Ordinal)
    };
    let found = cardinal.into_iter().chain(ordinal);
    found.max_by_key(|found| found.length).or_else(plain)
}

/// Whether two lists of languages have one in common.
pub(crate) fn share(one: &str, other: &str) -> bool {
    one.split(',').any(|language| has(other, language))
}

pub(crate) fn numerals_of(tokens: &[Token]) -> Vec<Found> {
    let mut found: Vec<Found> = vec![];
    let mut next = 0;
    while next < tokens.len() {
        match at(tokens, next) {
            Some(numeral) => {
                next = numeral.end;
                found.push(numeral);
            }
            None => next += 1,
        }
    }
    found
}

/// The longest number that begins at a token.
fn at(tokens: &[Token], first: usize) -> Option<Found> {
    let readings = [
        digits(tokens, first),
        han(tokens, first),
        words(tokens, first),
    ];
    readings.into_iter().flatten().max_by_key(|found| found.end)
}

/// The value of groups of digits; of two readings that of a whole number, since sizes and places are whole.
fn value_of(groups: &[String], marks: &[char]) -> Option<f64> {
    let readings = wholes(groups, marks);
    let whole = readings.iter().find(|it| it.decimal.is_none());
    whole.or(readings.first())?.digits.parse().ok()
}

/// The value of a digit of any script.
pub(crate) fn digit(c: char) -> Option<u32> {
    let of_zero = |zero: &u32| u32::from(c).checked_sub(*zero).filter(|digit| *digit < 10);
    c.to_digit(10).or_else(|| ZEROS.iter().find_map(of_zero))
}

/// Digits with the marks between them that can stand in one number.
fn digits(tokens: &[Token], first: usize) -> Option<Found> {
    let run = |at: usize| -> Option<String> {
        let token = tokens
            .get(at)
            .filter(|token| token.shape == Shape::Digits)?;
        let digits = token.text.chars();
        digits.map(|c| char::from_digit(digit(c)?, 10)).collect()
    };
    let mark = |at: usize| {
        let mark = tokens.get(at).filter(|token| token.is_joined)?;
        let is_next = tokens.get(at + 1).is_some_and(|token| token.is_joined);
        let mark = mark.text.chars().next().filter(|_| is_next)?;
        matches!(mark, ',' | '.' | '\'').then_some(mark)
    };
    let (mut groups, mut marks) = (vec![run(first)?], vec![]);
    while let (Some(mark), Some(more)) = (
        mark(first + 2 * marks.len() + 1),
        run(first + 2 * groups.len()),
    ) {
        marks.push(mark);
        groups.push(more);
    }
    let value = value_of(&groups, &marks);
    // What is no number in one piece begins with one.
    let (mut value, mut end) = match value {
        Some(value) => (value, first + 2 * groups.len() - 1),
        None => (groups[0].parse().ok()?, first + 1),
    };
    // A group behind digits: 8万.
    let unit = tokens
        .get(end)
        .and_then(|token| HAN.word(&token.text).first());
    if let Some(unit) = unit.filter(|unit| **unit >= 100.0) {
        value *= unit;
        end += 1;
    }
    Some(Found {
        first,
        end,
        value: Value::Number(value),
        languages: "",
    })
}

/// A Han numeral; one without units is read digit by digit, and two digits that follow each other are a range.
fn han(tokens: &[Token], first: usize) -> Option<Found> {
    let values = tokens[first..].iter().enumerate().map_while(|(at, token)| {
        let value = HAN.word(&token.text).first()?;
        (at == 0 || token.is_joined).then_some(*value)
    });
    let values: Vec<f64> = values.collect();
    let (mut total, mut section, mut last, mut range): (f64, f64, Option<f64>, Option<f64>) =
        (0.0, 0.0, None, None);
    let has_units = values.iter().any(|value| *value >= 10.0);
    for value in &values {
        if *value >= 10_000.0 {
            let before = section + last.take().unwrap_or(0.0);
            // 三万亿 multiplies all that stands before 亿, as 三亿五千万 does not.
            if before == 0.0 && total > 0.0 {
                total *= value;
            } else {
                total += before.max(1.0) * value;
            }
            section = 0.0;
        } else if *value == 20.0 || *value == 30.0 {
            section += value;
        } else if *value >= 10.0 {
            section += last.take().unwrap_or(1.0) * value;
        } else {
            last = match last {
                Some(before)
                    if before + 1.0 == *value
                        && before > 0.0
                        && *value < 10.0
                        && has_range(&values) =>
                {
                    range = Some(before);
                    Some(*value)
                }
                Some(before) if !has_units => Some(before * 10.0 + value),
                Some(_) | None => Some(*value),
            };
        }
    }
    let base = total + section;
    let value = base + last.unwrap_or(0.0);
    let value = match range {
        Some(low) => Value::Between(base + low, value),
        None => Value::Number(value),
    };
    (!values.is_empty()).then_some(Found {
        first,
        end: first + values.len(),
        value,
        languages: "zh,ja",
    })
}

/// Whether the digits at the end of a Han numeral are two that follow each other, and stand for a range.
fn has_range(values: &[f64]) -> bool {
    match values {
        [.., before, low, high] => *before >= 10.0 && *low < 10.0 && *high < 10.0,
        [low, high] => *low < 10.0 && *high < 10.0,
        _ => false,
    }
}

/// Numerals in words, as far as they make one number.
fn words(tokens: &[Token], first: usize) -> Option<Found> {
    let mut best: Option<Found> = None;
    for (length, word) in parts(tokens, first) {
        let mut found = Found {
            first,
            end: first + length,
            value: Value::Number(word.value),
            languages: word.languages,
        };
        if word.part == Part::Vague {
            found.value = Value::Vague;
        } else {
            let mut value = word.value;
            let mut is_whole = matches!(word.part, Part::Cardinal | Part::Group);
            while let Some((length, joined)) = compound(tokens, found.end, value, word.languages) {
                (value, is_whole) = (joined, true);
                found.end += length;
            }
            if !is_whole {
                continue;
            }
            found.value = Value::Number(value);
        }
        if best.as_ref().is_none_or(|best| found.end > best.end) {
            best = Some(found);
        }
    }
    best
}

/// The numeral words that begin at a token, with how many tokens each is long. One word may be a compound.
fn parts(tokens: &[Token], first: usize) -> Vec<(usize, Word)> {
    if let Some((length, words)) = WORDS.longest(tokens, first) {
        let words = words
            .iter()
            .filter(|word| !matches!(word.part, Part::And | Part::Ordinal | Part::Ending));
        return words.map(|word| (length, *word)).collect();
    }
    let Some(token) = tokens.get(first) else {
        return vec![];
    };
    let is_word = token.shape == Shape::Word;
    let closed = is_word.then(|| closed(&token.text)).flatten();
    closed.into_iter().map(|word| (1, word)).collect()
}

/// How many tokens more belong to a number with this value, and its value with them.
fn compound(tokens: &[Token], end: usize, value: f64, languages: &str) -> Option<(usize, f64)> {
    let mut at = end;
    // "twenty-one" and "twenty one", but not a number behind a mark.
    if tokens
        .get(at)
        .is_some_and(|token| token.text == "-" && token.is_joined)
    {
        at += 1;
    }
    let is_and = |word: &Word| {
        word.part == Part::And && share(word.languages, languages) && value >= word.value
    };
    let and = WORDS.longest(tokens, at);
    let and = and.filter(|(_, words)| words.iter().any(is_and));
    at += and.map_or(0, |(length, _)| length);
    if at >= tokens.len() {
        return None;
    }
    parts(tokens, at).into_iter().find_map(|(length, word)| {
        let is_near = share(word.languages, languages);
        let value = joined(value, word, and.is_some()).filter(|_| is_near)?;
        Some((at + length - end, value))
    })
}

/// The value of two parts of a compound.
fn joined(value: f64, next: Word, has_and: bool) -> Option<f64> {
    let is_tens = |value: f64| (10.0..100.0).contains(&value) && value % 10.0 == 0.0;
    let adds = |to: f64, more: f64| {
        is_tens(to) && (1.0..10.0).contains(&more)
            // soixante-dix, quatre-vingt-onze
            || (to == 60.0 || to == 80.0) && (10.0..20.0).contains(&more)
            || to >= 100.0 && to % 100.0 == 0.0 && more < 100.0
    };
    match next.part {
        Part::Group if value < next.value && value >= 1.0 && !has_and => Some(value * next.value),
        Part::Cardinal | Part::Inner if adds(value, next.value) => Some(value + next.value),
        // einundzwanzig
        Part::Cardinal if has_and && value < 10.0 && is_tens(next.value) => {
            Some(value + next.value)
        }
        Part::Cardinal
        | Part::Inner
        | Part::Group
        | Part::Ordinal
        | Part::Ending
        | Part::Vague
        | Part::And => None,
    }
}

/// A compound that is written as one word, such as "fünfundzwanzig".
fn closed(text: &str) -> Option<Word> {
    /// Letters of the shortest compound.
    const CHARS_MIN: usize = 6;
    if text.chars().count() < CHARS_MIN {
        return None;
    }
    let cuts = text.char_indices().map(|(at, _)| at).skip(1);
    cuts.filter_map(|cut| {
        let (head, rest) = text.split_at(cut);
        let firsts = WORDS.word(head).iter();
        let firsts = firsts.filter(|word| matches!(word.part, Part::Cardinal | Part::Inner));
        firsts.filter_map(|first| behind(*first, rest)).next()
    })
    .next()
}

/// The numeral whose first part is known, and whose other part is the rest of its word.
fn behind(first: Word, rest: &str) -> Option<Word> {
    let of_first = |word: &&Word| share(word.languages, first.languages);
    let whole = |text: &str, has_and: bool| {
        let mut words = WORDS.word(text).iter().filter(of_first);
        let value = words.find_map(|word| joined(first.value, *word, has_and))?;
        Some(Word {
            part: Part::Cardinal,
            value,
            languages: first.languages,
        })
    };
    let cuts = rest.char_indices().map(|(at, _)| at).skip(1);
    let with_and = cuts.filter_map(|cut| {
        let (and, last) = rest.split_at(cut);
        let is_and = WORDS.word(and).iter().any(|word| word.part == Part::And);
        is_and.then(|| whole(last, true)).flatten()
    });
    let mut readings = whole(rest, false).into_iter().chain(with_and);
    readings.next()
}
