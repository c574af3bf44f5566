//! The detectors of `detectors.toml`: which parts of a text are secrets.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;
use regex_syntax::hir::{Class, Hir, HirKind};
use serde::Deserialize;

use super::checks::Check;
use super::folded::Folded;

/// What is kept from a model, by its place in [`Detectors::kinds`].
pub(super) type Kind = usize;

/// A kind of secret, with the word of its placeholders and what people call it.
#[derive(Debug, Deserialize)]
pub(super) struct KindNames {
    pub(super) name: String,
    /// One, and several.
    pub(super) english: [String; 2],
    pub(super) chinese: String,
}

#[derive(Deserialize)]
struct Data {
    kind: Vec<KindNames>,
    words: BTreeMap<String, Vec<String>>,
    parts: BTreeMap<String, String>,
    detector: Vec<Row>,
}

#[derive(Deserialize)]
struct Row {
    kind: String,
    pattern: String,
    #[serde(default)]
    checks: Vec<Check>,
    #[serde(default)]
    within: bool,
    #[serde(default)]
    alone: bool,
    #[serde(default)]
    apart: bool,
    #[serde(default)]
    shortens: bool,
    #[cfg(test)]
    examples: Vec<String>,
    #[cfg(test)]
    #[serde(default)]
    not: Vec<String>,
}

/// Everything that is known of secrets.
pub(super) struct Detectors {
    pub(super) kinds: Vec<KindNames>,
    no_secret: Regex,
    all: Vec<Detector>,
}

struct Detector {
    kind: Kind,
    pattern: Regex,
    /// Every match has at least so many digits: a text with fewer need not be looked through.
    least_digits: usize,
    checks: Vec<Check>,
    within: bool,
    alone: bool,
    apart: bool,
    shortens: bool,
}

/// A secret in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) kind: Kind,
    /// Bytes of the text.
    pub(super) at: Range<usize>,
}

/// Bytes at the end of a match that was none, which are looked through again. It bounds the work for texts that were made to be looked
/// through often; no number and hardly a key is longer.
const AGAIN: usize = 256;

const DATA: &str = include_str!("detectors.toml");

pub(super) static DETECTORS: LazyLock<Detectors> =
    LazyLock::new(|| Detectors::read(DATA).expect("a test reads the data"));

impl Detectors {
    fn read(data: &str) -> Result<Self, String> {
        let mut data: Data = toml::from_str(data).map_err(|error| error.to_string())?;
        let rows = std::mem::take(&mut data.detector);
        let pieces = data.pieces();
        let regex = |pattern: &str| Regex::new(pattern).map_err(|error| error.to_string());
        let no_secret = data.words.get("no_secret").ok_or("no words `no_secret`")?;
        let no_secret = regex(&format!("(?i)^(?:{})$", no_secret.join("|")))?;
        let detector = |row: Row| {
            let kind = data.kind.iter().position(|kind| kind.name == row.kind);
            let pattern = filled(&row.pattern, &pieces);
            let parsed = regex_syntax::parse(&pattern).map_err(|error| error.to_string())?;
            Ok(Detector {
                kind: kind.ok_or_else(|| format!("no kind `{}`", row.kind))?,
                pattern: regex(&pattern)?,
                least_digits: least_digits(&parsed),
                checks: row.checks,
                within: row.within,
                alone: row.alone,
                apart: row.apart,
                shortens: row.shortens,
            })
        };
        let all: Result<_, String> = rows.into_iter().map(detector).collect();
        Ok(Self {
            kinds: data.kind,
            no_secret,
            all: all?,
        })
    }

    /// The secrets of a text in their order. No two overlap: where matches do, all of them together are one secret, of the kind of the
    /// longest.
    pub(super) fn find(&self, original: &str) -> Vec<Found> {
        let folded = Folded::of(original);
        let mut found = vec![];
        let digits = folded.text.bytes().filter(u8::is_ascii_digit).count();
        for detector in self.all.iter().filter(|it| it.least_digits <= digits) {
            detector.find(&folded, &self.no_secret, &mut found);
        }
        found.sort_by_key(|one: &Found| (one.at.start, one.at.end));
        let mut joined: Vec<(Found, usize)> = vec![];
        for one in found {
            let length = one.at.len();
            match joined.last_mut() {
                Some((last, longest)) if one.at.start < last.at.end => {
                    last.at.end = last.at.end.max(one.at.end);
                    if length > *longest {
                        (last.kind, *longest) = (one.kind, length);
                    }
                }
                _ => joined.push((one, length)),
            }
        }
        let originals = joined.into_iter().map(|(one, _)| Found {
            at: folded.original(one.at),
            ..one
        });
        originals.collect()
    }
}

/// How many digits a text has at least in which a pattern matches.
fn least_digits(pattern: &Hir) -> usize {
    match pattern.kind() {
        HirKind::Literal(literal) => literal.0.iter().filter(|it| it.is_ascii_digit()).count(),
        HirKind::Class(Class::Unicode(class)) => {
            let mut ranges = class.ranges().iter();
            usize::from(ranges.all(|it| it.start().is_ascii_digit() && it.end().is_ascii_digit()))
        }
        HirKind::Repetition(repeated) => repeated.min as usize * least_digits(&repeated.sub),
        HirKind::Capture(group) => least_digits(&group.sub),
        HirKind::Concat(all) => all.iter().map(least_digits).sum(),
        HirKind::Alternation(all) => all.iter().map(least_digits).min().unwrap_or(0),
        HirKind::Class(Class::Bytes(_)) | HirKind::Empty | HirKind::Look(_) => 0,
    }
}

/// The rows of the data with their detectors, for tests.
#[cfg(test)]
pub(super) fn rows() -> Vec<TestRow> {
    let data: Data = toml::from_str(DATA).expect("the data can be read");
    let detectors = Detectors::read(DATA).expect("the data can be read");
    let rows = data.detector.into_iter().zip(detectors.all);
    rows.map(|(row, detector)| TestRow {
        pattern: row.pattern,
        examples: row.examples,
        not: row.not,
        detector,
    })
    .collect()
}

#[cfg(test)]
pub(super) struct TestRow {
    pub(super) pattern: String,
    pub(super) examples: Vec<String>,
    pub(super) not: Vec<String>,
    detector: Detector,
}

#[cfg(test)]
impl TestRow {
    /// What this detector finds, as bytes of the text.
    pub(super) fn found(&self, text: &str) -> Vec<Range<usize>> {
        let (folded, mut found) = (Folded::of(text), vec![]);
        self.detector
            .find(&folded, &DETECTORS.no_secret, &mut found);
        let places = found.into_iter();
        places.map(|one| folded.original(one.at)).collect()
    }
}

impl Data {
    /// What may stand in a pattern between braces: each part, and each list of words as alternatives, the longest first.
    fn pieces(&self) -> BTreeMap<&str, String> {
        let alternatives = |words: &Vec<String>| {
            let mut words: Vec<String> = words
                .iter()
                .map(|word| regex::escape(word).replace(' ', "[ _-]?"))
                .collect();
            words.sort_by_key(|word| std::cmp::Reverse(word.chars().count()));
            words.join("|")
        };
        let words = self.words.iter();
        let mut pieces: BTreeMap<&str, String> = words
            .map(|(name, words)| (name.as_str(), alternatives(words)))
            .collect();
        let parts: Vec<_> = self
            .parts
            .iter()
            .map(|(name, part)| (name.as_str(), filled(part, &pieces)))
            .collect();
        pieces.extend(parts);
        pieces
    }
}

/// The pattern with the pieces in their places. Classes of ASCII are a hundredth of those of Unicode, which the text does not need.
fn filled(pattern: &str, pieces: &BTreeMap<&str, String>) -> String {
    let ascii = pattern
        .replace("\\d", "[0-9]")
        .replace("\\w", "[0-9A-Za-z_]");
    pieces.iter().fold(ascii, |pattern, (name, piece)| {
        pattern.replace(&format!("{{{name}}}"), piece)
    })
}

impl Detector {
    fn find(&self, folded: &Folded<'_>, no_secret: &Regex, found: &mut Vec<Found>) {
        let text = folded.text.as_ref();
        let mut from = 0;
        while let Some(place) = self.pattern.find_at(text, from) {
            let secret = self.secret(folded, place.start());
            match secret.and_then(|at| self.checked(folded, at, no_secret)) {
                Some(at) => {
                    from = at.end;
                    found.push(Found {
                        kind: self.kind,
                        at,
                    });
                }
                // The next match may begin inside of this one.
                None => {
                    let next = (place.start() + 1).max(place.end().saturating_sub(AGAIN));
                    from = text.ceil_char_boundary(next);
                }
            }
        }
    }

    /// What is masked of the match that begins here, if it may begin here.
    fn secret(&self, folded: &Folded<'_>, start: usize) -> Option<Range<usize>> {
        let groups = self.pattern.captures_at(&folded.text, start)?;
        let first = groups.iter().skip(1).flatten().next();
        let at = first.or_else(|| groups.get(0))?.range();
        let begins = self.within || folded.begins(start);
        (begins && (!self.alone || folded.begins(at.start))).then_some(at)
    }

    /// As much of it as may end there and the checks hold of.
    fn checked(
        &self,
        folded: &Folded<'_>,
        at: Range<usize>,
        no_secret: &Regex,
    ) -> Option<Range<usize>> {
        let mut secret = &folded.text[at.clone()];
        while !secret.is_empty() {
            let found = at.start..at.start + secret.len();
            let holds = |check: &Check| check.holds(secret, |text| no_secret.is_match(text));
            if folded.begins(found.end)
                && !(self.apart && folded.is_part_of_number(&found))
                && self.checks.iter().all(holds)
            {
                return Some(found);
            }
            if !self.shortens {
                break;
            }
            let cut = secret.trim_end_matches(char::is_alphanumeric);
            secret = cut.trim_end_matches(|c: char| !c.is_alphanumeric());
        }
        None
    }
}
