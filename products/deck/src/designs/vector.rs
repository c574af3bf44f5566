//! Vectors of texts without a model: words, pairs of neighbouring words and pieces of words are counted under their hashes. Texts that
//! share words, endings apart, are near each other; texts that mean the same in other words are not.

use std::collections::HashMap;

use palimpsest::prelude::resource::index_words;
use words::{is_han, is_stop_word};

/// Numbers of a vector: as many as the small models of sentences have.
const DIMENSIONS: usize = 384;

/// How much a pair of neighbours and a piece of a word count, compared with a whole word.
const PAIR_WEIGHT: f32 = 0.5;
const PIECE_WEIGHT: f32 = 0.3;

/// The letters in a piece of a word, and the length of the shortest word that is split into pieces.
const PIECE_CHARS: usize = 3;
const PIECED_CHARS_MIN: usize = 5;

/// The largest number of a vector as it is kept.
const SCALE: f32 = 127.0;

/// The direction of a text: 384 numbers of a byte, of length 127.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Vector(Box<[i8; DIMENSIONS]>);

impl Vector {
    /// The vector of texts, each with its weight.
    pub(super) fn of<'a>(texts: impl IntoIterator<Item = (&'a str, f32)>) -> Self {
        let mut features: HashMap<u64, f32> = HashMap::new();
        for (text, weight) in texts {
            let words = content_words(text);
            for word in &words {
                *features.entry(hash(word)).or_default() += weight;
                for piece in pieces(word) {
                    *features.entry(hash(&piece)).or_default() += PIECE_WEIGHT * weight;
                }
            }
            for pair in words.windows(2) {
                let pair = hash(&pair.join(" "));
                *features.entry(pair).or_default() += PAIR_WEIGHT * weight;
            }
        }
        // In the order of the hashes, so that sums are the same wherever they are made.
        let mut features: Vec<(u64, f32)> = features.into_iter().collect();
        features.sort_unstable_by_key(|(hash, _)| *hash);
        let mut sums = [0.0_f32; DIMENSIONS];
        for (hash, weight) in features {
            // A text that says a word ten times is not ten times as much about it.
            let weight = weight.sqrt();
            let sign = if hash >> 63 == 0 { 1.0 } else { -1.0 };
            let at = usize::try_from(hash % DIMENSIONS as u64).unwrap_or_default();
            sums[at] += sign * weight;
        }
        let length = sums.iter().map(|sum| sum * sum).sum::<f32>().sqrt();
        let mut numbers = Box::new([0_i8; DIMENSIONS]);
        if length > 0.0 {
            for (number, sum) in numbers.iter_mut().zip(sums) {
                #[expect(clippy::cast_possible_truncation, reason = "at most 127")]
                let rounded = (sum / length * SCALE).round() as i8;
                *number = rounded;
            }
        }
        Self(numbers)
    }

    /// How near two texts are, 0 to 1.
    pub(super) fn nearness(&self, other: &Self) -> f64 {
        let dot = |(a, b): (&i8, &i8)| i32::from(*a) * i32::from(*b);
        let dot: i32 = self.0.iter().zip(other.0.iter()).map(dot).sum();
        (f64::from(dot) / f64::from(SCALE * SCALE)).clamp(0.0, 1.0)
    }
}

/// Whether a character only joins words, so that a pair of characters that has it means nothing by itself.
fn joins(c: char) -> bool {
    is_han(c) && is_stop_word(c.encode_utf8(&mut [0; 4]))
}

/// The words that say what a text is about, in their order: singular and plural in one form, Chinese in pairs of characters.
pub(super) fn content_words(text: &str) -> Vec<String> {
    let words = index_words(text).into_iter();
    words
        .filter(|word| !is_stop_word(word) && !word.contains(joins))
        .map(|word| singular(&word).to_owned())
        .collect()
}

/// `metrics` and `metric` are one word.
fn singular(word: &str) -> &str {
    let plain = word.len() > PIECE_CHARS && word.is_ascii();
    match word.strip_suffix('s') {
        Some(one) if plain && !one.ends_with('s') && !one.ends_with('u') => one,
        _ => word,
    }
}

/// A number for a word that is the same in every process (FNV-1a).
pub(super) fn hash(word: &str) -> u64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3);
    let hash = word.bytes().fold(0xCBF2_9CE4_8422_2325, step);
    // The highest bit is used as the sign, so it has to depend on all letters.
    hash ^ (hash << 29)
}

fn pieces(word: &str) -> Vec<String> {
    let chars: Vec<char> = word.chars().collect();
    if chars.len() < PIECED_CHARS_MIN {
        return vec![];
    }
    let windows = chars.windows(PIECE_CHARS);
    windows
        .map(|piece| format!("~{}", piece.iter().collect::<String>()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(one: &str, other: &str) -> f64 {
        Vector::of([(one, 1.0)]).nearness(&Vector::of([(other, 1.0)]))
    }

    #[test]
    fn texts_that_share_words_are_near() {
        assert!((near("pipeline uptime", "Pipeline uptime") - 1.0).abs() < 0.02);
        let (same, other) = (
            near("quarterly revenue metrics", "revenue metric of the quarter"),
            near("quarterly revenue metrics", "hiring plan for the team"),
        );
        assert!(same > 0.4 && other < 0.15, "{same} {other}");
        assert!(near("云平台可用率", "平台可用率提升") > 0.4);
        assert!(near("云平台可用率", "招聘计划") < 0.15);
        assert!(near("", "anything").abs() < f64::EPSILON);
    }

    #[test]
    fn one_and_many_are_one_word_and_stop_words_none() {
        assert_eq!(content_words("Show me the metrics"), ["metric"]);
        assert_eq!(
            content_words("status of the business"),
            ["status", "business"]
        );
    }
}
