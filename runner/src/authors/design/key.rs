//! The sentences that carry a text: where they stand, which words of the heading they have, whether they name a number, and whether they can
//! stand alone.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use spec::limits::SUBTITLE_EM;
use spec::text::em_width;
use words::{folded, is_ideographic};

use super::form::Text;
use crate::authors::source::Words;
use crate::authors::wishes::terms;
use crate::authors::words::READING;

/// A sentence of a unit.
#[derive(Clone, Debug)]
pub struct Sentence<'a> {
    pub(super) unit: usize,
    pub(super) words: &'a Words,
    pub(super) at: Range<usize>,
}

impl<'a> Sentence<'a> {
    pub(super) fn plain(&self) -> &'a str {
        &self.words.text[self.at.clone()]
    }

    pub(super) fn text(&self) -> Text {
        Text::of(self.words, &self.at)
    }

    pub(super) fn words(&self) -> f32 {
        reading_words(self.plain())
    }

    fn begins_unit(&self) -> bool {
        self.words.text[..self.at.start].trim().is_empty()
    }
}

/// Words as a page counts them: of scripts without spaces, two characters are a word.
pub fn reading_words(text: &str) -> f32 {
    let (mut words, mut inside) = (0.0, false);
    for c in text.chars() {
        if is_ideographic(c) {
            (words, inside) = (words + 0.5, false);
        } else if c.is_alphanumeric() {
            words += f32::from(u8::from(!inside));
            inside = true;
        } else if c.is_whitespace() {
            inside = false;
        }
    }
    words
}

/// Most words of running text on a page.
pub(super) const SHOWN_WORDS: f32 = 60.0;
/// Up to so many words, a text is shown whole.
const WHOLE_WORDS: f32 = 34.0;
/// From so many words on, a text is carried by more than one sentence.
const MORE_WORDS: f32 = 70.0;
/// How far a pronoun at the beginning reaches, with room for what comes after it.
const PRONOUN_CHARS: usize = 32;
/// Widest sentence under a heading.
const LEAD_EM: f32 = 62.0;

/// Whether a sentence is a question or an announcement, which is followed by what it is about.
fn announces(text: &str) -> bool {
    text.trim_end()
        .ends_with([':', '：', '?', '？', '؟', ';', '；'])
}

/// Whether a sentence begins with a pronoun, which stands for what is in another sentence.
fn refers(text: &str) -> bool {
    let beginning: String = text.chars().take(PRONOUN_CHARS).collect();
    let first = READING.first(&folded(&beginning), "nobody");
    first.is_some_and(|word| word.begin == 0)
}

/// How often each term stands in a text.
fn counts(talk: &[Sentence<'_>]) -> BTreeMap<String, f32> {
    let mut counts = BTreeMap::new();
    for term in talk.iter().flat_map(|said| terms(said.plain())) {
        *counts.entry(term).or_insert(0.0) += 1.0;
    }
    counts
}

/// What a sentence is worth: where it stands, what it has of the heading and of what the text repeats, a number, and whether it stands alone.
/// The weights were set while looking at the pages of ten sources.
fn score(
    sentence: &Sentence<'_>,
    is_first: bool,
    heading: &[String],
    counts: &BTreeMap<String, f32>,
) -> f32 {
    let text = sentence.plain();
    let own: BTreeSet<String> = terms(text).into_iter().collect();
    let shared = heading.iter().filter(|term| own.contains(*term)).count();
    let shared = shared as f32 / heading.len().clamp(1, 4) as f32;
    let repeated = own
        .iter()
        .filter_map(|term| counts.get(term))
        .map(|count| (count - 1.0).min(4.0));
    let central = repeated.sum::<f32>() / (own.len() as f32).max(4.0);
    let long = (em_width(text) - 50.0).max(0.0) / 20.0;
    let words = reading_words(text);
    let yes = |holds: bool, worth: f32| if holds { worth } else { 0.0 };
    yes(sentence.begins_unit(), 0.8)
        + yes(is_first, 0.6)
        + 1.5 * shared.min(1.0)
        + 2.0 * central.min(1.5)
        + yes(text.contains(|c: char| c.is_numeric()), 0.8)
        - long
        - yes(words < 7.0, 1.0)
        - yes(words < 4.0, 1.5)
        - yes(refers(text), 1.5)
        - yes(announces(text), 3.0)
}

/// The places of the sentences, the one that carries most first.
fn ranked(talk: &[Sentence<'_>], heading: &str) -> Vec<usize> {
    let (heading, counts) = (terms(heading), counts(talk));
    let scores: Vec<f32> = (0..talk.len())
        .map(|at| score(&talk[at], at == 0, &heading, &counts))
        .collect();
    let mut order: Vec<usize> = (0..talk.len()).collect();
    order.sort_by(|one, other| scores[*other].total_cmp(&scores[*one]));
    order
}

/// The sentences that a page shows of a text, in the order of the source.
pub(super) fn shown<'a>(talk: &[Sentence<'a>], heading: &str) -> Vec<Sentence<'a>> {
    let all: f32 = talk.iter().map(Sentence::words).sum();
    if all <= WHOLE_WORDS {
        return talk.to_vec();
    }
    let count = 1 + usize::from(all > MORE_WORDS) + usize::from(all > 2.0 * MORE_WORDS);
    let (mut kept, mut words): (Vec<usize>, f32) = (vec![], 0.0);
    for at in ranked(talk, heading) {
        let more = words + talk[at].words();
        if kept.is_empty() || (kept.len() < count && more <= SHOWN_WORDS * 0.75) {
            kept.push(at);
            words = more;
        }
    }
    kept.sort_unstable();
    kept.into_iter().map(|at| talk[at].clone()).collect()
}

/// The sentence under a heading, if one that carries the text fits there.
pub(super) fn lead(talk: &[Sentence<'_>], heading: &str) -> Option<Text> {
    let best = talk.get(*ranked(talk, heading).first()?)?.clone();
    let fits = em_width(best.plain()) <= LEAD_EM && !announces(best.plain());
    fits.then(|| best.text())
}

/// The first sentence that fits under the title.
pub(super) fn subtitle(talk: &[Sentence<'_>]) -> Option<Text> {
    let fits = |sentence: &&Sentence<'_>| {
        let text = sentence.plain();
        em_width(text) <= SUBTITLE_EM as f32 && !refers(text) && !announces(text)
    };
    ranked(talk, "")
        .into_iter()
        .map(|at| &talk[at])
        .find(fits)
        .map(Sentence::text)
}

/// A sentence that can be the heading of a page that has none.
pub(super) fn title(talk: &[Sentence<'_>], most_em: f32) -> Option<usize> {
    let fits = |at: &usize| em_width(talk[*at].plain()) <= most_em;
    ranked(talk, "").into_iter().find(fits)
}
