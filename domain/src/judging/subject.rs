//! Whether a text is about what was asked for.

use std::collections::BTreeMap;

use words::languages::{Written, written};
use words::sentences::sentences;
use words::{content_words, folded};

use super::SubjectShare;
use crate::language::SURE;

/// Frequent words of what was given that are looked for, and how many of them a text about it has.
const FREQUENT: usize = 12;
const FREQUENT_MIN: usize = 3;

/// Letters of a word that its other forms have too: all but two, and four at least.
const ENDING: usize = 2;
const STEM_MIN: usize = 4;

/// The words of a short request: a subject, or a demand in a sentence.
const SHORT: usize = 6;

/// The languages in which every noun begins with a capital.
const NOUNS_WITH_CAPITALS: [&str; 2] = ["de", "lb"];

/// Words of a request from which on a narrative of it has one of them: "something scary" names nothing that stands in one.
const NAMED_MIN: usize = 4;

/// Whether a text is about one of the things that were asked for, or about what was given. A text in another language than the request can
/// be about it without a word of it.
pub(super) fn is_about<T: AsRef<str>>(
    text: &str,
    share: SubjectShare,
    asked: &[T],
    given: &[T],
) -> bool {
    let text = folded(text);
    let count = |words: &[String]| words.iter().filter(|word| has_word(&text, word)).count();
    let mut is_asked = false;
    for request in asked.iter().map(AsRef::as_ref) {
        if is_other(&text, request) {
            return true;
        }
        let subject = words::subject(request).map(|subject| &request[subject.begin..subject.end]);
        for of in subject.into_iter().chain([request]) {
            let words = content_words(of);
            if words.is_empty() {
                continue;
            }
            is_asked |= match share {
                SubjectShare::Half => true,
                SubjectShare::Any => words.len() >= NAMED_MIN,
            };
            let enough = match share {
                SubjectShare::Half => enough_of(words.len()),
                SubjectShare::Any => 1,
            };
            if count(&words) >= enough {
                return true;
            }
        }
    }
    let frequent = frequent_words(given);
    let enough = match share {
        SubjectShare::Half => FREQUENT_MIN,
        SubjectShare::Any => 1,
    };
    // Whoever asked for nothing by name gets anything.
    !is_asked || count(&frequent) >= enough
}

/// How many of so many words of a request a text about it has: half of a short one, and a quarter of a long one.
fn enough_of(words: usize) -> usize {
    match words {
        0..=1 => words,
        2..=SHORT => words / 2,
        _ => words.div_ceil(4).max(SHORT / 2),
    }
}

/// Whether a folded text has enough words of a demand, or the demand has none to look for, or is in another language.
pub(super) fn meets(text: &str, demand: &str) -> bool {
    let words = content_words(demand);
    let found = words.iter().filter(|word| has_word(text, word)).count();
    found >= enough_of(words.len()) || is_other(text, demand)
}

/// The first name in a request of which no word stands in a folded text: words with a capital that do not begin a sentence. Nothing in a
/// language that writes every noun so.
pub(super) fn missing_name(text: &str, request: &str) -> Option<String> {
    let written = written(request)?;
    if NOUNS_WITH_CAPITALS.contains(&written.tag) {
        return None;
    }
    for range in sentences(request) {
        let words = request[range].split_whitespace().skip(1);
        let words: Vec<&str> = words
            .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()))
            .collect();
        let is_name = |word: &&str| {
            let mut letters = word.chars();
            letters.next().is_some_and(char::is_uppercase) && letters.any(char::is_lowercase)
        };
        for name in words.chunk_by(|a, b| is_name(a) && is_name(b)) {
            let stands = |word: &&str| text.contains(&folded(word));
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

/// The words that texts have most often, more than once.
fn frequent_words<T: AsRef<str>>(texts: &[T]) -> Vec<String> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for word in texts.iter().flat_map(|text| content_words(text.as_ref())) {
        *counts.entry(word).or_default() += 1;
    }
    let mut often: Vec<_> = counts.into_iter().filter(|(_, count)| *count > 1).collect();
    often.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let often = often.into_iter().take(FREQUENT);
    often.map(|(word, _)| word).collect()
}

/// Whether a folded text has a word, in whatever form, also as a part of another word.
fn has_word(text: &str, word: &str) -> bool {
    let letters = word.chars().count();
    let stem = letters.saturating_sub(ENDING).max(STEM_MIN.min(letters));
    let stem: String = word.chars().take(stem).collect();
    text.contains(&stem)
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
