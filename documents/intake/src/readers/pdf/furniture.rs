//! Headers, footers and page numbers: lines that stand at the same place on several pages and are equal, or differ only in a number that
//! grows with the pages.

use std::collections::{BTreeMap, BTreeSet};

use super::segment::{PageText, Segment};

/// The part of a page, at its top and at its bottom, in which such lines stand.
const ZONE: f64 = 0.13;

/// Numbers of a line that are tried as its page number.
const MOST_NUMBERS: usize = 4;

/// A line of one page: where it stands, and its words.
type Line = (i64, String);

/// Takes these lines out of the pages. Returns, for each group of equal lines, the first page that has one, counted from 1, and the lines.
pub(super) fn take(pages: &mut [PageText]) -> Vec<(usize, Vec<String>)> {
    let repeated = repeated(pages);
    let mut found: BTreeMap<String, (usize, Vec<String>)> = BTreeMap::new();
    let mut seen = BTreeSet::new();
    for (number, page) in (1..).zip(pages) {
        let running: BTreeSet<i64> = lines(page)
            .into_iter()
            .filter(|(place, text)| {
                keys((place, text), number)
                    .iter()
                    .any(|key| repeated.contains(key))
            })
            .map(|(place, _)| place)
            .collect();
        let height = page.height;
        let mut taken: BTreeMap<i64, String> = BTreeMap::new();
        page.segments.retain(|segment| {
            let is_running =
                segment.artifact || in_zone(segment, height) && running.contains(&place(segment));
            if is_running {
                add(taken.entry(place(segment)).or_default(), segment);
            }
            !is_running
        });
        for text in taken.into_values().filter(|text| seen.insert(text.clone())) {
            let alike = found.entry(pattern(&text)).or_insert((number, Vec::new()));
            alike.1.push(text);
        }
    }
    let mut found: Vec<_> = found.into_values().collect();
    found.sort_by_key(|(page, _)| *page);
    found
}

fn repeated(pages: &[PageText]) -> BTreeSet<Line> {
    let mut counts: BTreeMap<Line, usize> = BTreeMap::new();
    for (number, page) in (1..).zip(pages) {
        for key in lines(page).iter().flat_map(|line| keys(line, number)) {
            *counts.entry(key).or_default() += 1;
        }
    }
    // Left and right pages may differ, and the first page often has no such lines.
    let enough = if pages.len() < 5 { 2 } else { 3 };
    let repeated = counts.into_iter().filter(|(_, count)| *count >= enough);
    repeated.map(|(key, _)| key).collect()
}

/// The lines of a page that may repeat on other pages.
fn lines(page: &PageText) -> BTreeMap<i64, String> {
    let mut lines: BTreeMap<i64, String> = BTreeMap::new();
    for segment in &page.segments {
        if in_zone(segment, page.height) {
            add(lines.entry(place(segment)).or_default(), segment);
        }
    }
    lines
}

fn add(line: &mut String, segment: &Segment) {
    if !line.is_empty() {
        line.push(' ');
    }
    line.push_str(segment.text.words().trim());
}

fn in_zone(segment: &Segment, height: f64) -> bool {
    let top = segment.y - segment.size;
    segment.turn == 0 && (top < ZONE * height || segment.y > (1.0 - ZONE) * height)
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "places are within a million points"
)]
fn place(segment: &Segment) -> i64 {
    (segment.y / 2.0).round() as i64
}

/// The line unchanged, and variants in which one of its numbers is given relative to the number of the page.
fn keys((place, text): (&i64, &String), page: usize) -> Vec<Line> {
    let mut keys = vec![(*place, text.clone())];
    let mut rest = 0;
    while let Some(start) = text[rest..].find(|sign: char| sign.is_ascii_digit()) {
        let start = rest + start;
        let length = text[start..].bytes().take_while(u8::is_ascii_digit).count();
        rest = start + length;
        if let Ok(number) = text[start..rest].parse::<i32>() {
            let offset = i64::from(number) - i64::try_from(page).unwrap_or(0);
            keys.push((
                *place,
                format!("{}\u{0}{offset}\u{0}{}", &text[..start], &text[rest..]),
            ));
        }
        if keys.len() > MOST_NUMBERS {
            break;
        }
    }
    keys
}

/// The words with all numbers replaced by the same sign.
fn pattern(text: &str) -> String {
    let mut pattern = String::new();
    for character in text.chars() {
        if !character.is_numeric() {
            pattern.push(character);
        } else if !pattern.ends_with('#') {
            pattern.push('#');
        }
    }
    pattern
}
