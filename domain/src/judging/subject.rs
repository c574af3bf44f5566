//! Whether a text is about what was asked for.

use std::collections::{BTreeMap, BTreeSet};

use words::languages::{Written, named, written};
use words::sentences::sentences;
use words::{content_words, folded, is_ideographic};

use super::SubjectShare;
use crate::language::SURE;

/// Frequent words of what was given that are looked for, and how many of them a text about it has.
const FREQUENT: usize = 12;
const FREQUENT_MIN: usize = 3;

/// Letters of a word that its other forms have too: all but two, and four at least.
const ENDING: usize = 2;
const STEM_MIN: usize = 4;
/// Letters of a part of a compound, such as the "Stadt" of "Stadtwald".
const COMPOUNDED_MIN: usize = 3;

/// The words of a short request: a subject, or a demand in a sentence.
const SHORT: usize = 6;

/// The languages in which every noun begins with a capital.
const NOUNS_WITH_CAPITALS: [&str; 2] = ["de", "lb"];

/// Words of a request from which on a narrative of it has one of them: "something scary" names nothing that stands in one.
const NAMED_MIN: usize = 4;

/// A text in which words are looked for, in whatever form.
pub(super) struct Searched {
    folded: String,
    pub(super) words: BTreeSet<String>,
}

impl Searched {
    pub(super) fn of(text: &str) -> Self {
        Self {
            folded: folded(text),
            words: content_words(text).into_iter().collect(),
        }
    }

    /// Whether the text has a word: a form of it, a compound with it, or a part of it where it is a compound.
    pub(super) fn has(&self, word: &str) -> bool {
        let letters = word.chars().count();
        let stem = letters.saturating_sub(ENDING).max(STEM_MIN.min(letters));
        let stem: String = word.chars().take(stem).collect();
        // Few letters stand in words that have nothing to do with them, such as "use" in "house".
        let is_short = stem.chars().count() < STEM_MIN && !stem.chars().any(is_ideographic);
        let begins = |at: usize| !self.folded[..at].ends_with(char::is_alphanumeric);
        let mut places = self.folded.match_indices(&stem);
        places.any(|(at, _)| !is_short || begins(at))
            || self.words.iter().any(|own| is_part(own, word))
    }

    /// How many of these words the text has.
    fn count(&self, words: &[String]) -> usize {
        words.iter().filter(|word| self.has(word)).count()
    }
}

/// Whether a word is the last part of a compound, or its beginning and half of it.
fn is_part(part: &str, compound: &str) -> bool {
    let (letters, all) = (part.chars().count(), compound.chars().count());
    if letters < STEM_MIN {
        return false;
    }
    let place = compound.find(part).map(|at| compound[..at].chars().count());
    place.is_some_and(|before| match before {
        0 => 2 * letters >= all,
        _ => before >= COMPOUNDED_MIN && before + letters + ENDING >= all,
    })
}

/// Whether a text is about one of the things that were asked for, or about what was given. A text in another language than the request can
/// be about it without a word of it.
pub(super) fn is_about<T: AsRef<str>>(
    text: &str,
    share: SubjectShare,
    asked: &[T],
    given: &[T],
) -> bool {
    let text = Searched::of(text);
    let asked: Vec<&str> = asked.iter().map(AsRef::as_ref).collect();
    // Together they tell their language, and one word alone does not.
    if is_other(&text.folded, &asked.join("\n")) {
        return true;
    }
    let mut is_asked = false;
    for request in &asked {
        let subject = words::subject(request).map(|subject| &request[subject.begin..subject.end]);
        for of in subject.into_iter().chain([*request]) {
            let words = content_words(of);
            if words.is_empty() {
                continue;
            }
            let (least, enough) = match share {
                SubjectShare::Half => (1, enough_of(words.len())),
                SubjectShare::Any => (NAMED_MIN, 1),
                SubjectShare::Trace => (1, 1),
            };
            is_asked |= words.len() >= least;
            if text.count(&words) >= enough {
                return true;
            }
        }
    }
    // Whoever asked for nothing by name gets anything.
    !is_asked
        || match share {
            SubjectShare::Half => text.count(&frequent_words(given, &asked)) >= FREQUENT_MIN,
            SubjectShare::Any => text.count(&frequent_words(given, &asked)) >= 1,
            SubjectShare::Trace => {
                let mut given = given.iter().flat_map(|text| content_words(text.as_ref()));
                given.any(|word| text.has(&word))
            }
        }
}

/// How many of so many words of a request a text about it has: half of a short one, and a quarter of a long one.
fn enough_of(words: usize) -> usize {
    match words {
        0..=1 => words,
        2..=SHORT => words / 2,
        _ => words.div_ceil(4).max(SHORT / 2),
    }
}

/// Whether a text has enough words of a demand and one of each name in it, or the demand has none to look for, or is in another language: a
/// few words in Latin letters may be in any.
pub(super) fn meets(text: &Searched, demand: &str) -> bool {
    let words = content_words(demand);
    let has_enough = text.count(&words) >= enough_of(words.len());
    has_enough && missing_name(text, demand).is_none()
        || (words.len() > SHORT || written(demand).is_none_or(|written| !written.is_latin))
            && is_other(&text.folded, demand)
}

/// Whether a demand is in the words of a request: a planner that understood it may have said it in others.
pub(super) fn is_of_request(demand: &str, request: &Searched) -> bool {
    let words = content_words(demand);
    let has_name = || missing_name(&Searched::of(""), demand).is_some();
    (words.len() >= SHORT / 2 || has_name()) && words.iter().all(|word| request.has(word))
}

/// The first name in a request of which no word stands in a text: words with a capital that do not begin a sentence, and not those of
/// languages. Nothing in a language that writes every noun so.
pub(super) fn missing_name(text: &Searched, request: &str) -> Option<String> {
    let written = written(request)?;
    if NOUNS_WITH_CAPITALS.contains(&written.tag) {
        return None;
    }
    let languages: Vec<&str> = named(request)
        .iter()
        .map(|name| &request[name.begin..name.end])
        .collect();
    for range in sentences(request) {
        let words = request[range].split_whitespace().skip(1);
        let words: Vec<&str> = words
            .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()))
            .collect();
        let is_name = |word: &&str| {
            let mut letters = word.chars();
            letters.next().is_some_and(char::is_uppercase)
                && letters.any(char::is_lowercase)
                && !languages.contains(word)
        };
        for name in words.chunk_by(|a, b| is_name(a) && is_name(b)) {
            let stands = |word: &&str| text.folded.contains(&folded(word));
            if name.iter().all(is_name) && !name.iter().any(stands) {
                return Some(name.join(" "));
            }
        }
    }
    None
}

/// Whether a request is surely in another language than a text; a short one in Latin letters may be in any.
fn is_other(text: &str, request: &str) -> bool {
    let sure = |written: &Written| !written.is_latin || written.likelihood >= SURE;
    let request = written(request).filter(sure);
    request.is_some_and(|request| written(text).is_some_and(|own| own.tag != request.tag))
}

/// The words that texts beside the requests have most often, more than once; all of them in which hardly any does, such as a small table. A
/// request says the words of its subject again wherever it is repeated.
fn frequent_words<T: AsRef<str>>(texts: &[T], requests: &[&str]) -> Vec<String> {
    let beside = texts.iter().map(AsRef::as_ref);
    let beside = beside.filter(|text| !requests.contains(text));
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for word in beside.flat_map(content_words) {
        *counts.entry(word).or_default() += 1;
    }
    let mut often: Vec<_> = counts.iter().filter(|(_, count)| **count > 1).collect();
    if often.len() < FREQUENT_MIN {
        return counts.into_keys().collect();
    }
    often.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    let often = often.into_iter().take(FREQUENT);
    often.map(|(word, _)| word.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn informs(text: &str, brief: &str, given: &[&str]) -> bool {
        let mut given = given.to_vec();
        given.push(brief);
        is_about(text, SubjectShare::Half, &[brief], &given)
    }

    #[test]
    fn a_text_is_about_its_subject_in_whatever_form_of_its_words() {
        let brief = "Six pages about battery safety for new staff in our workshop";
        assert!(informs(
            "Batteries burn. Safely stored cells do not.",
            brief,
            &[]
        ));
        assert!(!informs(
            "Newton's first law: a body at rest stays at rest.",
            brief,
            &[]
        ));
        let brief = "做一份关于光合作用的课件";
        assert!(informs("光合作用把光能变成化学能。", brief, &[]));
        assert!(!informs("牛顿第一定律说明物体的惯性。", brief, &[]));
    }

    #[test]
    fn a_text_of_what_was_given_need_not_repeat_the_request() {
        let brief = "Please summarise the attached paper";
        let paper = "Coral reefs bleach. Reefs of coral need cool water. Water warms, and bleaching of coral reefs follows in warm water.";
        assert!(informs(
            "Warm water bleaches reefs of coral.",
            brief,
            &[paper]
        ));
        assert!(!informs(
            "Steam drives the turbine of a plant.",
            brief,
            &[paper]
        ));
    }

    #[test]
    fn a_small_table_has_each_of_its_words_once() {
        let brief = "Bericht über den Zustand des Stadtwaldes";
        let table = "art,gesund,geschädigt\nBuche,640,210\nEiche,480,95\nFichte,150,390\n";
        let text = "Am besten stehen die Eichen da, am schlechtesten geht es Fichten: 390 sind geschädigt.";
        assert!(informs(text, brief, &[table]));
        assert!(!informs(text, brief, &[]));
        let template =
            "# Zustand des Stadtwaldes\n\n## Überblick\n\n(das Wichtigste zum Zustand)\n";
        assert!(informs(text, brief, &[table, template]));
    }

    #[test]
    fn a_word_stands_in_its_forms_and_compounds_and_not_in_other_words() {
        let has = |text, word| Searched::of(text).has(word);
        assert!(has("Der Wald leidet.", "stadtwaldes"));
        assert!(has("Im Stadtwald stehen Eichen.", "wald"));
        assert!(has("Who may park here?", "parking"));
        assert!(!has("The house is empty.", "use"));
        assert!(!has("A key for the lock", "clocks"));
        assert!(!has("Photos of trees", "photosynthesis"));
    }

    #[test]
    fn a_narrative_has_a_word_of_what_it_was_asked_for_or_of_its_bible() {
        let about =
            |text, brief: &str, bible: &str| is_about(text, SubjectShare::Any, &[brief], &[bible]);
        assert!(about("Rain fell all night.", "Write something scary", ""));
        assert!(about(
            "Anna ran.",
            "Go on with the second chapter",
            "Anna is a nurse. Anna lives in Bergen."
        ));
        assert!(!about(
            "Rain fell.",
            "A lighthouse keeper finds a letter in a bottle",
            ""
        ));
    }
}
