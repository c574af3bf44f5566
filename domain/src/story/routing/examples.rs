//! What messages of each intent usually sound like, learned from examples: weak evidence that is used where no rule knows the words of a
//! message, and that decides where rules disagree.

use std::collections::{BTreeSet, HashMap};
use std::sync::LazyLock;

use super::pattern::folded;
use super::table::Intent;

/// A line for each example: the name of its intent, a tab, the message.
const EXAMPLES: &str = include_str!("words/examples.tsv");

const INTENTS: usize = Intent::ALL.len();
/// The number of messages in which each piece is assumed to occur for each intent beforehand, so that a piece from a single example counts
/// little.
const PRIOR: f64 = 0.05;
const PRIOR_OF_ALL: f64 = 18.0 * PRIOR;
/// The divisor for the weight of each piece: the pieces of a message overlap, so each counts less than one.
const TEMPER: f64 = 4.0;
/// The number of known pieces from which the examples say enough about a message; a single word has one to six.
const ENOUGH: u32 = 20;
/// The most ideographs that are taken together as one piece.
const IDEOGRAPHS_MAX: usize = 3;

/// How likely each intent is, in the order of the table.
pub(super) type Likelihoods = [f64; INTENTS];

/// How many examples of each intent have a piece.
type Counts = [u16; INTENTS];

struct Model {
    pieces: HashMap<String, Counts>,
    examples: Counts,
}

static MODEL: LazyLock<Model> = LazyLock::new(|| Model::of(taught()));

/// The examples, each with its intent.
pub(super) fn taught() -> impl Iterator<Item = (Intent, &'static str)> {
    EXAMPLES.lines().map(|line| {
        let (intent, message) = line.split_once('\t').expect("a tab in each line");
        let intent = Intent::named(intent).expect("the name of an intent before each tab");
        (intent, message)
    })
}

/// How likely each intent is by what the examples have in common with a message: the sum is one, or less where they have little in common.
/// `None` where they have no word in common.
pub(super) fn likelihoods(message: &str) -> Option<Likelihoods> {
    MODEL.likelihoods(message)
}

impl Model {
    fn of<'a>(examples: impl Iterator<Item = (Intent, &'a str)>) -> Self {
        let mut model = Self {
            pieces: HashMap::new(),
            examples: [0; INTENTS],
        };
        for (intent, message) in examples {
            let intent = intent as usize;
            model.examples[intent] += 1;
            for piece in pieces(message) {
                model.pieces.entry(piece).or_default()[intent] += 1;
            }
        }
        model
    }

    fn likelihoods(&self, message: &str) -> Option<Likelihoods> {
        let mut logs = [0.0; INTENTS];
        let mut known = 0_u32;
        for counts in pieces(message)
            .iter()
            .filter_map(|piece| self.pieces.get(piece))
        {
            known += 1;
            for (at, log) in logs.iter_mut().enumerate() {
                let among = f64::from(self.examples[at]) + PRIOR_OF_ALL;
                *log += ((f64::from(counts[at]) + PRIOR) / among).ln() / TEMPER;
            }
        }
        if known == 0 {
            return None;
        }
        let best = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let shares = logs.map(|log| (log - best).exp());
        let all: f64 = shares.iter().sum();
        let trust = f64::from(known.min(ENOUGH)) / f64::from(ENOUGH);
        Some(shares.map(|share| share / all * trust))
    }
}

/// The pieces of a message, each once and always in the same order, so that sums are always the same: ideographs alone and up to three
/// together, words of Latin letters alone and in pairs.
fn pieces(message: &str) -> BTreeSet<String> {
    let text = folded(message);
    let mut pieces = BTreeSet::new();
    for run in text.split(|c: char| !c.is_alphanumeric() || c.is_ascii()) {
        let chars: Vec<char> = run.chars().collect();
        for length in 1..=IDEOGRAPHS_MAX {
            pieces.extend(
                chars
                    .windows(length)
                    .map(|some| some.iter().collect::<String>()),
            );
        }
    }
    let words: Vec<&str> = text
        .split(|c: char| !c.is_ascii_alphabetic() && c != '\'')
        .filter(|word| !word.is_empty())
        .map(stem)
        .collect();
    pieces.extend(words.iter().map(|word| (*word).to_owned()));
    pieces.extend(words.windows(2).map(|pair| pair.join(" ")));
    pieces
}

/// A word without its ending for number or tense.
fn stem(word: &str) -> &str {
    const SHORTEST: usize = 3;
    ["ing", "ed", "es", "s"]
        .iter()
        .find_map(|ending| word.strip_suffix(ending))
        .filter(|stem| stem.len() >= SHORTEST)
        .unwrap_or(word)
}
