//! Which chapters a message speaks of.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use palimpsest::prelude::pipeline::language::OF_NUMERALS;
use serde::Serialize;
use words::{Value, WordTable, folded, is_ideographic, numerals, ordinal, whole};

/// The largest number that is read; a story has fewer chapters.
const NUMBER_MAX: u32 = 9_999;

/// The most chapters of one range; a longer range is cut to this length.
const RANGE_MAX: u32 = 200;

/// A chapter that is named by its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(tag = "kind", content = "count", rename_all = "SCREAMING_SNAKE_CASE")]
pub(crate) enum RelativeChapter {
    /// The one that is open.
    Current,
    /// The one before that.
    Previous,
    /// The one after it.
    Next,
    /// This number of the last chapters of the story.
    Last(u32),
}

/// The chapters that a message speaks of.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Mentioned {
    /// The chapters by number, from 1, in ascending order.
    pub chapters: Vec<u32>,
    pub relative: Vec<RelativeChapter>,
}

impl Mentioned {
    /// The numbers of all of them in a story whose last chapter has the number `last`, where `current` is open. Without an open chapter
    /// the last one counts as the current one. Chapters that the story does not have are left out, except the one after the last,
    /// which may be yet to be written.
    pub(crate) fn resolve(&self, current: Option<u32>, last: u32) -> Vec<u32> {
        let mut found: BTreeSet<u32> = self.chapters.iter().copied().collect();
        let open = current.unwrap_or(last);
        for relative in &self.relative {
            match relative {
                RelativeChapter::Current => found.extend([open]),
                RelativeChapter::Previous => found.extend(open.checked_sub(1)),
                RelativeChapter::Next => found.extend(open.checked_add(1)),
                RelativeChapter::Last(count) => {
                    found.extend((1..=last).rev().take(*count as usize));
                }
            }
        }
        let known = 1..=last.saturating_add(1);
        found.retain(|chapter| known.contains(chapter));
        found.into_iter().collect()
    }
}

/// Words for a chapter by its place; see the head of the file.
pub(super) static PLACES: LazyLock<WordTable> =
    LazyLock::new(|| WordTable::read(include_str!("places.tsv")));

/// What matches a class is not looked at for the next ones, since for example `最后一章` (the last chapter) contains `后一章` (the next
/// chapter).
const RELATIVE: [(RelativeChapter, &str); 4] = [
    (RelativeChapter::Last(1), "last"),
    (RelativeChapter::Current, "current"),
    (RelativeChapter::Previous, "previous"),
    (RelativeChapter::Next, "next"),
];

/// The chapters that a message speaks of, by number or by place.
pub(crate) fn mentioned(message: &str) -> Mentioned {
    let text = folded(message);
    let mut relative = BTreeSet::new();
    let mut rest = text.clone();
    for (place, class) in RELATIVE {
        let words = PLACES.list(class);
        if words.iter().any(|word| rest.contains(word)) {
            relative.insert(place);
        }
        for word in words {
            rest = rest.replace(word, " ");
        }
    }
    let mut chapters = by_number(&rest, &mut relative);
    let mut opening = PLACES.list("opening").iter();
    if opening.any(|word| text.contains(word)) {
        chapters.insert(1);
    }
    Mentioned {
        chapters: chapters.into_iter().collect(),
        relative: relative.into_iter().collect(),
    }
}

/// A number of a text; a range where it is one numeral, such as 三四.
#[derive(Clone, Copy, Debug)]
pub(super) struct Number {
    pub(super) low: u32,
    pub(super) high: u32,
    pub(super) begin: usize,
    pub(super) end: usize,
    pub(super) is_ordinal: bool,
}

/// The numbers of a text, in its order.
pub(super) fn numbers(text: &str) -> Vec<Number> {
    let is_letter = |c: char| c.is_alphanumeric() && !is_ideographic(c);
    let mut found: Vec<Number> = vec![];
    let mut at = 0;
    for word in text.split(|c| !is_letter(c)) {
        let begin = at + text[at..].find(word).unwrap_or(0);
        at = begin + word.len();
        found.extend(ordinal(word, &OF_NUMERALS).map(|value| Number {
            low: value,
            high: value,
            begin,
            end: at,
            is_ordinal: true,
        }));
    }
    for numeral in numerals(text) {
        let (low, high) = match numeral.value {
            Value::Number(value) => (value, value),
            Value::Between(low, high) => (low, high),
            Value::Vague => continue,
        };
        let (Some(low), Some(high)) = (whole(low), whole(high)) else {
            continue;
        };
        let is_new = |it: &Number| !(it.begin..it.end).contains(&numeral.begin);
        let mut of = numeral.languages.split(',');
        let is_known = numeral.languages.is_empty() || of.any(|it| OF_NUMERALS.contains(&it));
        if is_known && found.iter().all(is_new) {
            found.push(Number {
                low,
                high,
                begin: numeral.begin,
                end: numeral.end,
                is_ordinal: false,
            });
        }
    }
    found.retain(|number| (1..=NUMBER_MAX).contains(&number.low) && number.high <= NUMBER_MAX);
    found.sort_by_key(|number| number.begin);
    found
}

/// The chapters that are named by number: 第三、五章, chapters 3-5, the third chapter, 前三章. What names the last ones of the story goes to
/// the places.
fn by_number(text: &str, relative: &mut BTreeSet<RelativeChapter>) -> BTreeSet<u32> {
    let mut chapters = BTreeSet::new();
    let numbers = numbers(text);
    let mut at = 0;
    while let Some(first) = numbers.get(at).copied() {
        let before = text[..first.begin].trim_end();
        let is_behind_noun = ends_in(before.trim_end_matches(['#', ' ']), "chapter");
        let mut list = vec![(first.low, first)];
        while let Some((_, last)) = list.last()
            && let Some(next) = numbers.get(at + list.len())
            && let Some(is_range) = joint(&text[last.end..next.begin])
        {
            let low = if is_range {
                last.low.min(next.low)
            } else {
                next.low
            };
            list.push((low, *next));
        }
        // In a list before the noun, what follows the noun is of something else.
        let is_before_noun = |last: &Number| is_noun(&text[last.end..]);
        while !is_behind_noun && list.len() > 1 && !is_before_noun(&list[list.len() - 1].1) {
            list.pop();
        }
        at += list.len();
        let last = list[list.len() - 1].1;
        let is_chapter = is_before_noun(&last);
        let count = last.high.min(RANGE_MAX);
        if is_behind_noun || is_chapter && (before.ends_with('第') || first.is_ordinal) {
            let spans = list
                .iter()
                .map(|(low, it)| *low..=it.high.max(*low).min(low + RANGE_MAX));
            chapters.extend(spans.flatten());
        } else if is_chapter && ends_in(before, "first of") {
            chapters.extend(1..=count);
        } else if is_chapter && ends_in(before, "last of") {
            relative.insert(RelativeChapter::Last(count));
        }
    }
    chapters
}

/// Whether a text ends in a word of a class.
fn ends_in(text: &str, class: &str) -> bool {
    let mut words = PLACES.list(class).iter();
    words.any(|word| {
        text.strip_suffix(word).is_some_and(|before| {
            let is_joined = before.ends_with(|c: char| c.is_alphanumeric());
            !is_joined || word.starts_with(is_ideographic)
        })
    })
}

/// Whether a text begins with the noun for chapters. A round of a fight (`第三回合`) is not a chapter.
fn is_noun(text: &str) -> bool {
    let text = text.trim_start_matches([' ', '个', '-']);
    let words = PLACES.list("chapter").iter();
    let mut behind = words.filter_map(|word| Some((word, text.strip_prefix(word)?)));
    behind.any(|(word, behind)| {
        let mut others = PLACES.list("not behind").iter();
        let is_ideographic = word.starts_with(is_ideographic);
        let is_joined = !is_ideographic && behind.starts_with(|c: char| c.is_alphanumeric());
        !is_joined && (*word != "回" || !others.any(|other| behind.starts_with(other)))
    })
}

/// Whether what stands between two numbers joins them, and then whether it makes a range of them.
fn joint(between: &str) -> Option<bool> {
    let strip = |text: &str, class: &str| {
        let words = PLACES.list(class).iter();
        let longest = words
            .filter(|word| text.starts_with(**word))
            .map(|word| word.len());
        longest.max()
    };
    let mut rest = between.trim();
    rest = rest[strip(rest, "chapter").unwrap_or(0)..].trim_start();
    let (mut is_range, mut is_joined) = (false, false);
    loop {
        let (range, list) = (strip(rest, "up to"), strip(rest, "listed"));
        let Some(length) = range.max(list) else { break };
        is_range |= range >= list;
        is_joined = true;
        rest = rest[length..].trim_start();
    }
    rest = rest.strip_prefix('第').unwrap_or(rest);
    rest = rest[strip(rest, "chapter").unwrap_or(0)..].trim_start();
    (is_joined && rest.is_empty()).then_some(is_range)
}
