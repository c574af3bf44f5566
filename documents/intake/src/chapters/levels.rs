//! Finds the chapters of a document whose headings have no numbers, by the levels of its headings.

use std::collections::BTreeMap;

use super::headline::{Headline, Rank};
use super::split::{Found, Line};

/// The headings that are chapters and volumes. The highest level with at least two headings is that of the chapters, unless each heading of
/// this level is directly followed by one of the next level: then it is that of the volumes. Empty if there are no such headings.
pub(super) fn by_level(lines: &[Line<'_>]) -> Vec<Found> {
    let headings: Vec<(usize, u8)> = lines
        .iter()
        .enumerate()
        .filter_map(|(at, line)| line.level.map(|level| (at, level)))
        .collect();
    let mut counts: BTreeMap<u8, usize> = BTreeMap::new();
    for (_, level) in &headings {
        *counts.entry(*level).or_default() += 1;
    }
    let mut levels = counts.iter().filter(|(_, count)| **count > 1);
    let Some((first, _)) = levels.next() else {
        return Vec::new();
    };
    let holds = |at: usize| {
        let next = headings.iter().find(|(other, _)| *other > at);
        let is_text = |line: &Line<'_>| line.is_text;
        next.is_some_and(|(next, level)| level > first && !lines[at + 1..*next].iter().any(is_text))
    };
    let is_of_volumes = headings
        .iter()
        .filter(|(_, level)| level == first)
        .all(|(at, _)| holds(*at));
    let chapters = if is_of_volumes {
        levels.next().map_or(first, |(second, _)| second)
    } else {
        first
    };
    let is_volume = |level: u8| chapters != first && level == *first;
    headings
        .iter()
        .filter(|(_, level)| level == chapters || is_volume(*level))
        .map(|(at, level)| {
            let rank = if is_volume(*level) {
                Rank::Volume
            } else {
                Rank::Chapter
            };
            found(lines, *at, rank)
        })
        .collect()
}

/// The headings on the level of a heading that is known to be a chapter, such as a foreword among numbered chapters.
pub(super) fn beside(lines: &[Line<'_>], known: &[Found]) -> Vec<Found> {
    let level = known
        .iter()
        .filter(|found| found.headline.rank == Rank::Chapter)
        .find_map(|found| lines[found.line].level);
    let Some(level) = level else {
        return Vec::new();
    };
    let first = known.first().map_or(0, |found| found.line);
    lines
        .iter()
        .enumerate()
        .filter(|(at, line)| line.level == Some(level) && *at > first)
        .filter(|(at, _)| !known.iter().any(|found| found.line == *at))
        .map(|(at, _)| found(lines, at, Rank::Chapter))
        .collect()
}

fn found(lines: &[Line<'_>], at: usize, rank: Rank) -> Found {
    Found {
        line: at,
        headline: Headline {
            rank,
            label: lines[at].text.to_lowercase(),
            name: String::new(),
            inner: None,
        },
    }
}
