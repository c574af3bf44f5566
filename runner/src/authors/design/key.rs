//! The sentences that carry a text: where they stand, which words of the heading they have, whether they name a number, and whether they can
//! stand alone.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use spec::limits::SUBTITLE_EM;
use spec::text::em_width;
use words::sentences::is_quotation_mark;
use words::{folded, reading_words};

use super::form::Text;
use crate::authors::source::Words;
use crate::authors::wishes::terms;
use crate::authors::words::READING;

/// A sentence of a unit.
#[derive(Clone, Debug)]
pub(super) struct Sentence<'a> {
    pub(super) unit: usize,
    pub(super) source: &'a Words,
    pub(super) at: Range<usize>,
    /// Its words as a page counts them.
    pub(super) words: f32,
}

impl<'a> Sentence<'a> {
    pub(super) fn new(unit: usize, source: &'a Words, at: Range<usize>) -> Self {
        let words = reading_words(&source.text[at.clone()]);
        Self {
            unit,
            source,
            at,
            words,
        }
    }

    pub(super) fn plain(&self) -> &'a str {
        &self.source.text[self.at.clone()]
    }

    pub(super) fn text(&self) -> Text {
        Text::of(self.source, &self.at)
    }

    fn begins_unit(&self) -> bool {
        self.source.text[..self.at.start].trim().is_empty()
    }

    /// Whether it is a formula alone, which stands below what introduces it.
    pub(super) fn is_formula(&self) -> bool {
        let mut formulas = self.source.formulas.iter();
        formulas.any(|formula| formula == self.plain())
    }

    pub(super) fn has_formula(&self) -> bool {
        let text = self.plain();
        let mut formulas = self.source.formulas.iter();
        formulas.any(|formula| text.contains(formula))
    }
}

/// The sentences as a speaker says them.
pub(super) fn spoken(talk: &[Sentence<'_>]) -> Vec<String> {
    talk.iter().map(|said| said.plain().to_owned()).collect()
}

/// The words of these sentences.
pub(super) fn words_of(talk: &[Sentence<'_>]) -> f32 {
    talk.iter().map(|said| said.words).sum()
}

/// Most words of running text on a page.
pub(super) const SHOWN_WORDS: f32 = 60.0;
/// Up to so many words, a text is shown whole.
const WHOLE_WORDS: f32 = 56.0;
/// So many words are enough to carry a text, and no more are shown of a longer one, if its sentences allow it.
const CARRYING_WORDS: (f32, f32) = (32.0, 54.0);
/// Fewest words of a quotation.
const QUOTED_WORDS: f32 = 4.0;
/// How far a pronoun at the beginning reaches, with room for what comes after it.
const PRONOUN_CHARS: usize = 32;

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

/// Whether a sentence has somebody's words in quotation marks, and not only a name.
fn quotes(text: &str) -> bool {
    let mut parts = text.split(is_quotation_mark).skip(1).step_by(2);
    parts.any(|quoted| reading_words(quoted) >= QUOTED_WORDS)
}

/// How often each term stands in a text.
fn counts(talk: &[Sentence<'_>]) -> BTreeMap<String, f32> {
    let mut counts = BTreeMap::new();
    for term in talk.iter().flat_map(|said| terms(said.plain())) {
        *counts.entry(term).or_insert(0.0) += 1.0;
    }
    counts
}

/// What is asked of the sentences of a text.
struct Scorer {
    heading: Vec<String>,
    /// How often each term stands in the text.
    counts: BTreeMap<String, f32>,
}

/// The weights were set while looking at the pages of ten sources.
impl Scorer {
    fn new(talk: &[Sentence<'_>], heading: &str) -> Self {
        Self {
            heading: terms(heading),
            counts: counts(talk),
        }
    }

    /// What a sentence says: of the heading and of what the text repeats, a number, a formula.
    fn content(&self, sentence: &Sentence<'_>) -> f32 {
        let text = sentence.plain();
        let own: BTreeSet<String> = terms(text).into_iter().collect();
        let shared = self.heading.iter().filter(|term| own.contains(*term));
        let shared = shared.count() as f32 / self.heading.len().clamp(1, 4) as f32;
        let repeated = own
            .iter()
            .filter_map(|term| self.counts.get(term))
            .map(|count| (count - 1.0).min(4.0));
        let central = repeated.sum::<f32>() / (own.len() as f32).max(4.0);
        1.5 * shared.min(1.0)
            + 2.0 * central.min(1.5)
            + worth(text.contains(|c: char| c.is_numeric()), 0.8)
            + worth(sentence.has_formula(), 1.5)
            + worth(quotes(text), 1.0)
    }

    /// What sentences in succession are worth: what they say, where they stand, and whether the first can stand alone.
    fn score(&self, run: &[Sentence<'_>], is_first: bool) -> f32 {
        let Some(first) = run.first() else {
            return f32::NEG_INFINITY;
        };
        let said: f32 = run.iter().map(|said| self.content(said)).sum();
        let text = first.plain();
        said / run.len() as f32
            + worth(first.begins_unit(), 0.8)
            + worth(is_first, 0.8)
            + worth(run.iter().any(Sentence::is_formula), 4.0)
            - worth(refers(text), 2.0)
            - worth(first.words < 4.0, 1.0)
            - worth(run.len() == 1 && announces(text), 3.0)
            - (words_of(run) - CARRYING_WORDS.1).max(0.0) / 10.0
    }
}

fn worth(holds: bool, worth: f32) -> f32 {
    if holds { worth } else { 0.0 }
}

/// The sentences from the first one on that carry what they say: enough of them, with what the last of them announces.
fn run<'s, 'a>(talk: &'s [Sentence<'a>]) -> &'s [Sentence<'a>] {
    let (mut end, mut words) = (0, 0.0);
    while let Some(next) = talk.get(end) {
        let last = end.checked_sub(1).map(|last| &talk[last]);
        let is_open = last.is_some_and(|last| announces(last.plain())) || next.is_formula();
        let goes_on = words < CARRYING_WORDS.0;
        let most = if is_open {
            SHOWN_WORDS
        } else {
            CARRYING_WORDS.1
        };
        if end > 0 && (!(is_open || goes_on) || words + next.words > most) {
            break;
        }
        words += next.words;
        end += 1;
    }
    let is_open = end > 1 && announces(talk[end - 1].plain());
    &talk[..end - usize::from(is_open)]
}

/// The sentences that a page shows of a text: all of a short one, otherwise one after the other from the beginning of the paragraph that
/// carries it, so that none of them refers to what is not there. Of a text without a heading, it helps if the first could be one.
pub(super) fn shown<'s, 'a>(
    talk: &'s [Sentence<'a>],
    heading: Option<&str>,
    heading_em: f32,
) -> &'s [Sentence<'a>] {
    if words_of(talk) <= WHOLE_WORDS {
        return talk;
    }
    let scorer = Scorer::new(talk, heading.unwrap_or_default());
    let begins = |at: &usize| {
        let introduces = talk.get(at + 1).is_some_and(Sentence::is_formula);
        let is_new = *at == 0 || talk[*at].unit != talk[*at - 1].unit || introduces;
        is_new && (*at == 0 || !talk[*at].is_formula())
    };
    let runs = (0..talk.len())
        .filter(begins)
        .map(|at| (at, run(&talk[at..])));
    let scored = runs.map(|(at, run)| {
        let is_title = heading.is_none() && run.len() > 1 && em_width(run[0].plain()) <= heading_em;
        (scorer.score(run, at == 0) + worth(is_title, 1.0), run)
    });
    first_of_best(scored).unwrap_or(talk)
}

/// The sentence of a text that introduces what is shown below it, of at most this width: what the last announces, otherwise the one that
/// carries the text.
pub(super) fn lead(talk: &[Sentence<'_>], heading: &str, most_em: f32) -> Option<Text> {
    let fits = |sentence: &&Sentence<'_>| em_width(sentence.plain()) <= most_em;
    let last = talk.last().filter(|last| announces(last.plain()));
    let carries = |said: &&Sentence<'_>| fits(said) && !announces(said.plain());
    let best = || best(talk, heading).filter(carries);
    last.filter(fits).or_else(best).map(Sentence::text)
}

/// The sentence that carries most alone.
fn best<'s, 'a>(talk: &'s [Sentence<'a>], heading: &str) -> Option<&'s Sentence<'a>> {
    let scorer = Scorer::new(talk, heading);
    let alone = talk.iter().enumerate();
    let scored = alone.map(|(at, said)| {
        let long = (em_width(said.plain()) - 50.0).max(0.0) / 20.0;
        let run = std::slice::from_ref(said);
        (scorer.score(run, at == 0) - long, said)
    });
    first_of_best(scored)
}

/// What has the highest score; of several, the first.
fn first_of_best<T>(scored: impl Iterator<Item = (f32, T)>) -> Option<T> {
    let best = scored.reduce(|best, other| if other.0 > best.0 { other } else { best });
    best.map(|(_, it)| it)
}

/// The sentence that stands under the title, if one that carries the text fits there.
pub(super) fn subtitle(talk: &[Sentence<'_>]) -> Option<Text> {
    let fits = |said: &&Sentence<'_>| {
        let text = said.plain();
        em_width(text) <= SUBTITLE_EM as f32 && !refers(text) && !announces(text)
    };
    let fitting: Vec<Sentence<'_>> = talk.iter().filter(fits).cloned().collect();
    best(&fitting, "").map(Sentence::text)
}
