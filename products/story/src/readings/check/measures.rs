//! How the prose is written, in numbers. These numbers are for information; they are not errors.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::readings::slice;
use palimpsest::prelude::pipeline::EntryId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use words::is_han;

use super::Desk;
use crate::readings::book::Placed;
use crate::readings::told::Told;
use crate::readings::told::cues::Cues;

/// The measures of a chapter.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ChapterMeasures {
    pub chapter: EntryId,
    pub number: usize,
    /// Chinese characters and words of other scripts.
    pub words: usize,
    pub sentences: usize,
    /// Words of a sentence, on average.
    pub sentence_mean: f64,
    /// The standard deviation of the words of a sentence: prose in which all sentences have the same length is monotonous.
    pub sentence_deviation: f64,
    /// The share of the characters that are in quotation marks, from 0 to 1.
    pub dialogue_ratio: f64,
    /// How many of a thousand words name a feeling instead of showing it.
    pub telling_per_thousand: f64,
}

/// A passage that occurs several times.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Repeated {
    pub text: String,
    pub times: usize,
    /// The numbers of the chapters, each once.
    pub chapters: Vec<usize>,
}

/// The measures of a book.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Measures {
    pub chapters: Vec<ChapterMeasures>,
    /// The most frequent first.
    pub repeated: Vec<Repeated>,
}

/// The length of a passage whose repetition is counted: characters of Chinese, words of other languages.
const PASSAGE_HAN: usize = 8;
const PASSAGE_WORDS: usize = 6;
/// How often a passage has to occur, and how many passages are reported.
const REPEATED_MIN: usize = 3;
const REPEATED_MAX: usize = 20;

#[derive(Debug, Default)]
pub(super) struct Measuring<'a> {
    chapters: Vec<ChapterMeasures>,
    texts: Vec<(usize, &'a str)>,
}

impl<'a> Measuring<'a> {
    pub(super) fn read(&mut self, chapter: &Placed<'a>, told: &Told<'a>) {
        if chapter.text.is_empty() {
            return;
        }
        let lengths: Vec<f64> = told
            .sentences
            .iter()
            .map(|it| words(told.words(it)) as f64)
            .filter(|length| *length > 0.0)
            .collect();
        let count = lengths.len().max(1) as f64;
        let total: f64 = lengths.iter().sum();
        let mean = total / count;
        let variance = lengths.iter().map(|it| (it - mean).powi(2)).sum::<f64>() / count;
        let telling: usize = told
            .sentences
            .iter()
            .map(|it| told.told_hits(it, Cues::TELLING).count())
            .sum();
        self.chapters.push(ChapterMeasures {
            chapter: chapter.id.clone(),
            number: chapter.number,
            words: total as usize,
            sentences: lengths.len(),
            sentence_mean: rounded(mean),
            sentence_deviation: rounded(variance.sqrt()),
            dialogue_ratio: rounded(told.spoken_chars as f64 / told.chars.max(1) as f64),
            telling_per_thousand: rounded(telling as f64 * 1000.0 / total.max(1.0)),
        });
        self.texts.push((chapter.number, chapter.text));
    }

    pub(super) fn close(self, desk: &Desk<'_>) -> Measures {
        Measures {
            repeated: repeated(&self.texts, desk),
            chapters: self.chapters,
        }
    }
}

/// Rounds to two digits after the decimal point, which are easy to compare.
fn rounded(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

/// Chinese characters and words of other scripts.
fn words(text: &str) -> usize {
    let mut count = 0;
    let mut in_word = false;
    for c in text.chars() {
        let is_letter = c.is_alphanumeric();
        let is_han = is_han(c);
        count += usize::from(is_han || (is_letter && !in_word));
        in_word = is_letter && !is_han || in_word && (c == '\'' || c == '’');
    }
    count
}

/// The passages that occur at least three times, without those that consist mostly of a name.
fn repeated(texts: &[(usize, &str)], desk: &Desk<'_>) -> Vec<Repeated> {
    let mut all: Vec<u64> = vec![];
    for (_, text) in texts {
        passages(text, |hash, _, _| all.push(hash));
    }
    all.sort_unstable();
    let mut often: BTreeMap<u64, usize> = BTreeMap::new();
    for same in all
        .chunk_by(|a, b| a == b)
        .filter(|same| same.len() >= REPEATED_MIN)
    {
        often.insert(same[0], same.len());
    }
    let mut found: BTreeMap<u64, Repeated> = BTreeMap::new();
    if often.is_empty() {
        return vec![];
    }
    for (number, text) in texts {
        passages(text, |hash, from, to| {
            if let Some(times) = often.get(&hash) {
                let it = found.entry(hash).or_insert_with(|| Repeated {
                    text: slice(text, from..to).to_owned(),
                    times: *times,
                    chapters: vec![],
                });
                if it.chapters.last() != Some(number) {
                    it.chapters.push(*number);
                }
            }
        });
    }
    let mut found: Vec<Repeated> = found.into_values().collect();
    found.sort_by(|a, b| b.times.cmp(&a.times).then_with(|| a.text.cmp(&b.text)));
    let mut shown: Vec<Repeated> = vec![];
    let mut parts: BTreeSet<String> = BTreeSet::new();
    for it in found {
        // If a long passage is repeated, so are all its parts; one of them is enough.
        let overlaps =
            half(&it.text).is_some_and(|half| parts.iter().any(|known| known.contains(half)));
        if !overlaps
            && desk
                .names
                .find(&it.text)
                .iter()
                .all(|name| name.at.len() * 2 < it.text.len())
        {
            parts.insert(it.text.clone());
            shown.push(it);
        }
        if shown.len() == REPEATED_MAX {
            break;
        }
    }
    shown
}

/// The second half of a text.
fn half(text: &str) -> Option<&str> {
    let middle = text.char_indices().nth(text.chars().count() / 2)?.0;
    text.get(middle..)
}

/// Calls `take` for each passage of a text without punctuation inside, with its hash and its bytes.
fn passages(text: &str, mut take: impl FnMut(u64, usize, usize)) {
    // The beginnings of the last words, and their hashes.
    let mut window: Vec<(u64, usize)> = vec![];
    let mut word: Option<usize> = None;
    let mut is_han_window = false;
    for (at, c) in text
        .char_indices()
        .chain(std::iter::once((text.len(), '\n')))
    {
        let han = is_han(c);
        let is_letter = c.is_alphanumeric() && !han;
        if is_letter || (word.is_some() && (c == '\'' || c == '’')) {
            word.get_or_insert(at);
            continue;
        }
        if let Some(start) = word.take() {
            push(
                &mut window,
                &mut is_han_window,
                false,
                hash(slice(text, start..at)),
                start,
                at,
                &mut take,
            );
        }
        if han {
            push(
                &mut window,
                &mut is_han_window,
                true,
                u64::from(u32::from(c)),
                at,
                at + c.len_utf8(),
                &mut take,
            );
        } else if c != ' ' {
            window.clear();
        }
    }
}

fn push(
    window: &mut Vec<(u64, usize)>,
    was_han: &mut bool,
    han: bool,
    hash: u64,
    start: usize,
    end: usize,
    take: &mut impl FnMut(u64, usize, usize),
) {
    if *was_han != han {
        window.clear();
        *was_han = han;
    }
    window.push((hash, start));
    let length = if han { PASSAGE_HAN } else { PASSAGE_WORDS };
    if window.len() > length {
        window.remove(0);
    }
    if window.len() == length {
        // A polynomial of the parts, which is cheaper than hashing the parts again.
        let whole = window.iter().fold(0u64, |all, (part, _)| {
            all.wrapping_mul(0x0100_0000_01b3)
                .wrapping_add(part.wrapping_mul(0x9e37_79b9_7f4a_7c15))
        });
        take(whole, window[0].1, end);
    }
}

fn hash(word: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    word.hash(&mut hasher);
    hasher.finish()
}
