//! The rules: which words of a message are hits, which hits are negated, and what score the rest gives.

use std::sync::LazyLock;

use super::pattern::{Language, Pattern, Span, Vocabulary, ends_sentence, folded};
use super::table::Intent;
use super::words::{RULES, Strength, Words, en, zh};
use crate::project::Phase;

/// What the second and third hit of an intent add to the first.
const SECOND_HIT: f64 = 0.4;
const THIRD_HIT: f64 = 0.2;
/// What each character of a hit adds to it, and the most that all of them add.
const CHAR_WEIGHT: f64 = 0.02;
const CHARS_WEIGHT_MAX: f64 = 0.3;
/// A hit at the beginning of a message is more likely to be what is wanted.
const AT_START: f64 = 1.1;
/// A hit after a colon counts less, since it may belong to a text that is to be worked on, and not to the request.
const BEHIND_COLON: f64 = 0.5;
/// The weight of a question for a fact, where the message only names a thing.
const FACT_WEIGHT: f64 = 2.4;
/// The number of quoted characters from which a quotation counts as material.
const QUOTED_CHARS: usize = 20;

/// What an entry of the lexicon stands for.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Meaning {
    Wanted(Intent, Strength),
    Negator,
    Turn,
    Neutral,
}

struct Entry {
    meaning: Meaning,
    pattern: Pattern,
}

/// The words of both languages. People mix them in a sentence, so every message is read with the words of both.
struct Lexicon {
    vocabulary: Vocabulary,
    entries: Vec<Entry>,
    questions: Vec<Pattern>,
    facts: Vec<Pattern>,
    requests: Vec<Pattern>,
    personal: Vec<Pattern>,
    phases: Vec<(Phase, Pattern)>,
}

static LEXICON: LazyLock<Lexicon> = LazyLock::new(|| {
    let mut lexicon = Lexicon {
        vocabulary: Vocabulary::default(),
        entries: vec![],
        questions: vec![],
        facts: vec![],
        requests: vec![],
        personal: vec![],
        phases: vec![],
    };
    lexicon.add(&zh::WORDS, Language::Chinese);
    lexicon.add(&en::WORDS, Language::English);
    for entry in &mut lexicon.entries {
        lexicon.vocabulary.take_up(&mut entry.pattern);
    }
    lexicon
});

impl Lexicon {
    fn add(&mut self, words: &Words, language: Language) {
        let read = |pattern: &&'static str| Pattern::new(pattern, language);
        for (intent, strength, rules) in words.intents.iter().chain(RULES) {
            let meaning = Meaning::Wanted(*intent, *strength);
            for rule in *rules {
                let patterns = Pattern::of_rule(rule, language, words.classes);
                self.entries.extend(
                    patterns
                        .into_iter()
                        .map(|pattern| Entry { meaning, pattern }),
                );
            }
        }
        self.add_entries(Meaning::Neutral, words.neutral, language);
        self.add_entries(Meaning::Negator, words.negators, language);
        self.add_entries(Meaning::Turn, words.turns, language);
        self.questions.extend(words.questions.iter().map(read));
        self.facts.extend(words.facts.iter().map(read));
        self.requests.extend(words.requests.iter().map(read));
        self.personal.extend(words.personal.iter().map(read));
        for (phase, patterns) in words.phases {
            let patterns = patterns.iter().map(read);
            self.phases
                .extend(patterns.map(|pattern| (*phase, pattern)));
        }
    }

    fn add_entries(&mut self, meaning: Meaning, patterns: &[&'static str], language: Language) {
        self.entries.extend(patterns.iter().map(|pattern| Entry {
            meaning,
            pattern: Pattern::new(pattern, language),
        }));
    }
}

/// A place where an entry occurs.
#[derive(Clone, Copy, Debug)]
struct KeywordHit {
    meaning: Meaning,
    span: Span,
    /// The first of its words.
    head: Span,
    /// Whether there is nothing between its words.
    is_solid: bool,
}

impl KeywordHit {
    fn weight(&self) -> f64 {
        match self.meaning {
            Meaning::Wanted(_, strength) => strength.weight(),
            Meaning::Neutral => Strength::Decisive.weight(),
            Meaning::Negator | Meaning::Turn => 0.0,
        }
    }
}

/// What the rules see in a message.
#[derive(Debug, Default)]
pub(super) struct Understanding {
    /// The intents for which there were hits, the strongest first.
    pub(super) scores: Vec<(Intent, f64)>,
    /// The message without what it explicitly does not want, and without what it only quotes.
    pub(super) wanted: String,
    /// Whether something was named only to say that it is not wanted.
    pub(super) is_negated: bool,
    pub(super) is_question: bool,
    /// Whether the message is about the person or the assistant and asks for no work.
    pub(super) is_personal: bool,
}

/// What the words of a message say.
pub(super) fn understand(message: &str) -> Understanding {
    let text = without_quotations(&folded(message));
    let all = all_hits(&text);
    let all = without_neutral(all);
    let denied = denied_clauses(&text, &all);
    let (wanted, is_negated) = wanted_hits(all, &denied);
    let hits = longest(nearest(&text, wanted));
    let has = |patterns: &[Pattern]| patterns.iter().any(|pattern| pattern.occurs(&text));
    let is_question = has(&LEXICON.questions);
    let is_request = has(&LEXICON.requests);
    let asks_fact = is_question && !is_request && has(&LEXICON.facts);
    Understanding {
        scores: scores(&text, &hits, asks_fact),
        wanted: without_clauses(&text, &denied),
        is_negated,
        is_question,
        is_personal: !is_request && has(&LEXICON.personal),
    }
}

/// The phase that most words of a message belong to; where two have as many, the earlier one.
pub(super) fn phase_spoken_of(message: &str) -> Option<Phase> {
    let text = folded(message);
    let mut counts = [0_usize; Phase::ALL.len()];
    for (phase, pattern) in &LEXICON.phases {
        counts[*phase as usize] += pattern.occurrences(&text).len();
    }
    let best = counts.into_iter().max().filter(|count| *count > 0)?;
    Phase::ALL
        .into_iter()
        .find(|phase| counts[*phase as usize] == best)
}

/// The text with spaces in place of long quotations: a quoted text is not what the message itself says.
fn without_quotations(text: &str) -> String {
    let mut rest = text;
    let mut out = String::with_capacity(text.len());
    while let Some((before, open, behind)) = split_at_any(rest, &['"', '「', '『', '《']) {
        let close = match open {
            '「' => '」',
            '『' => '』',
            '《' => '》',
            _ => '"',
        };
        out.push_str(before);
        let Some((quoted, after)) = behind.split_once(close) else {
            out.push(open);
            rest = behind;
            continue;
        };
        if quoted.chars().count() < QUOTED_CHARS {
            out.push(open);
            out.push_str(quoted);
            out.push(close);
        } else {
            out.push(' ');
        }
        rest = after;
    }
    out.push_str(rest);
    out
}

fn split_at_any<'a>(text: &'a str, marks: &[char]) -> Option<(&'a str, char, &'a str)> {
    let at = text.find(marks)?;
    let mark = text[at..].chars().next()?;
    Some((&text[..at], mark, &text[at + mark.len_utf8()..]))
}

fn all_hits(text: &str) -> Vec<KeywordHit> {
    let mut hits = vec![];
    let present = LEXICON.vocabulary.present(text);
    for entry in &LEXICON.entries {
        for occurrence in entry.pattern.occurrences_among(text, &present) {
            hits.push(KeywordHit {
                meaning: entry.meaning,
                span: occurrence.span,
                head: occurrence.head,
                is_solid: occurrence.span == occurrence.head,
            });
        }
    }
    hits
}

/// The hits that do not begin inside a neutral word: the `写` of `我写的` asks for nothing.
fn without_neutral(mut hits: Vec<KeywordHit>) -> Vec<KeywordHit> {
    let neutral: Vec<Span> = hits
        .iter()
        .filter(|hit| hit.meaning == Meaning::Neutral)
        .map(|hit| hit.span)
        .collect();
    hits.retain(|hit| {
        let is_inside = |word: &Span| word.contains(hit.head) && word.len() > hit.head.len();
        hit.meaning != Meaning::Neutral && !neutral.iter().any(is_inside)
    });
    hits
}

/// The hits without those whose object is farther from the same English act than another object: in "draft an outline for the first
/// chapters" it is the outline that is drafted. In Chinese the last noun is the object, and the nouns before it qualify it.
fn nearest(text: &str, hits: Vec<KeywordHit>) -> Vec<KeywordHit> {
    let is_pair = |hit: &KeywordHit| !hit.is_solid && text[hit.head.start..hit.head.end].is_ascii();
    let is_farther = |hit: &KeywordHit| {
        hits.iter().any(|other| {
            is_pair(other)
                && other.head.start == hit.head.start
                && other.span.end < hit.span.end
                && other.weight().total_cmp(&hit.weight()).is_eq()
        })
    };
    let far: Vec<bool> = hits
        .iter()
        .map(|hit| is_pair(hit) && is_farther(hit))
        .collect();
    let kept = hits.into_iter().zip(far).filter(|(_, far)| !far);
    kept.map(|(hit, _)| hit).collect()
}

/// The hits that are not covered by a longer and stronger one.
fn longest(mut hits: Vec<KeywordHit>) -> Vec<KeywordHit> {
    hits.sort_by(|a, b| {
        let by_weight = b.weight().total_cmp(&a.weight());
        b.span.len().cmp(&a.span.len()).then(by_weight)
    });
    let mut kept: Vec<KeywordHit> = vec![];
    for hit in hits {
        let is_covered = kept.iter().any(|longer| covers(longer, &hit));
        if !is_covered {
            kept.push(hit);
        }
    }
    kept
}

fn covers(longer: &KeywordHit, hit: &KeywordHit) -> bool {
    let is_within = longer.span.contains(hit.span);
    let is_beside = longer.is_solid && hit.is_solid && longer.span.overlaps(hit.span);
    longer.weight() >= hit.weight() && (is_within || is_beside)
}

/// The parts of a message that are not wanted: from each negation to the end of its clause.
fn denied_clauses(text: &str, hits: &[KeywordHit]) -> Vec<Span> {
    // The `别` (do not) in `识别` (recognise) is not a negation.
    let is_word = |hit: &KeywordHit| {
        !hits.iter().any(|other| {
            other.is_solid && other.span.len() > hit.span.len() && other.span.contains(hit.span)
        })
    };
    let places = |meaning: Meaning| {
        let found = hits.iter().filter(move |hit| hit.meaning == meaning);
        found.filter(|hit| is_word(hit))
    };
    let turns: Vec<usize> = places(Meaning::Turn).map(|hit| hit.span.start).collect();
    let clause = |negator: &KeywordHit| Span {
        start: negator.span.start,
        end: clause_end(text, negator.span.end, &turns),
    };
    places(Meaning::Negator).map(clause).collect()
}

/// The hits that are wanted, and whether some others are explicitly not wanted.
fn wanted_hits(hits: Vec<KeywordHit>, denied: &[Span]) -> (Vec<KeywordHit>, bool) {
    let mut is_negated = false;
    let mut wanted = vec![];
    for hit in hits {
        if !matches!(hit.meaning, Meaning::Wanted(..)) {
            continue;
        }
        let is_denied = denied.iter().any(|clause| clause.contains(hit.head));
        // "写正文，不要写大纲" (write the text, do not write an outline) does not ask for an outline, however near the words are to each
        // other.
        let is_interrupted = denied.iter().any(|clause| {
            let is_inside = hit.span.start <= clause.start && clause.start < hit.span.end;
            !hit.is_solid && is_inside
        });
        is_negated |= is_denied;
        if !is_denied && !is_interrupted {
            wanted.push(hit);
        }
    }
    (wanted, is_negated)
}

/// The text with a space in place of each of these clauses.
fn without_clauses(text: &str, clauses: &[Span]) -> String {
    let is_in = |at: usize| clauses.iter().any(|span| span.start <= at && at < span.end);
    text.char_indices()
        .map(|(at, c)| if is_in(at) { ' ' } else { c })
        .collect()
}

/// Where the clause that begins here ends, or where it goes over to what is wanted.
fn clause_end(text: &str, from: usize, turns: &[usize]) -> usize {
    let stop = text[from..]
        .char_indices()
        .map(|(offset, c)| (from + offset, c))
        .find(|(at, c)| matches!(c, ',' | '、' | ':') || ends_sentence(text, *at, *c))
        .map_or(text.len(), |(at, _)| at);
    let turn = turns.iter().copied().filter(|turn| *turn >= from).min();
    stop.min(turn.unwrap_or(stop))
}

fn scores(text: &str, hits: &[KeywordHit], asks_fact: bool) -> Vec<(Intent, f64)> {
    let colon = colon_behind_request(text, hits);
    let mut weights: Vec<(Intent, Vec<f64>)> = Intent::ALL.map(|intent| (intent, vec![])).into();
    let mut is_only_named = true;
    for hit in hits {
        let Meaning::Wanted(intent, strength) = hit.meaning else {
            continue;
        };
        is_only_named &= strength <= Strength::Topic;
        let mut weight = hit.weight() + length_bonus(&text[hit.span.start..hit.span.end]);
        if text[..hit.span.start].trim().is_empty() {
            weight *= AT_START;
        }
        if colon.is_some_and(|colon| hit.span.start > colon) {
            weight *= BEHIND_COLON;
        }
        weights[intent as usize].1.push(weight);
    }
    if asks_fact && is_only_named {
        weights[Intent::GeneralChat as usize].1.push(FACT_WEIGHT);
    }
    let mut scores: Vec<(Intent, f64)> = weights
        .into_iter()
        .filter(|(_, weights)| !weights.is_empty())
        .map(|(intent, weights)| (intent, together(weights)))
        .collect();
    // The order of the table decides where two are equal, so that the result is always the same.
    scores.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    scores
}

fn length_bonus(words: &str) -> f64 {
    let chars = u32::try_from(words.chars().count()).unwrap_or(u32::MAX);
    (f64::from(chars) * CHAR_WEIGHT).min(CHARS_WEIGHT_MAX)
}

fn together(mut weights: Vec<f64>) -> f64 {
    weights.sort_by(|a, b| b.total_cmp(a));
    let factors = [1.0, SECOND_HIT, THIRD_HIT];
    weights
        .iter()
        .zip(factors)
        .map(|(weight, factor)| weight * factor)
        .sum()
}

/// The first colon after words that already say what is to be done.
fn colon_behind_request(text: &str, hits: &[KeywordHit]) -> Option<usize> {
    let colon = text
        .char_indices()
        .find(|(at, c)| {
            let next = text[at + c.len_utf8()..].chars().next();
            *c == ':' && !next.is_some_and(|next| next.is_ascii_digit())
        })?
        .0;
    let says = |hit: &KeywordHit| {
        matches!(hit.meaning, Meaning::Wanted(intent, strength)
            if intent != Intent::GeneralChat && strength >= Strength::Act && hit.span.end <= colon)
    };
    hits.iter().any(says).then_some(colon)
}
