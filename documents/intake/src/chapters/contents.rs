//! Lists of contents: lines above chapters that follow one another directly and occur again later, each above its chapter.

use std::collections::HashMap;

use super::split::Found;

/// From this many lines in a row on, they may be a list.
const ENTRIES_MIN: usize = 3;

/// Removes the entries of a list of contents. `is_text_between` says whether anything stands between two lines.
pub(super) fn without_contents(
    found: Vec<Found>,
    is_text_between: impl Fn(usize, usize) -> bool,
) -> Vec<Found> {
    let mut is_entry = vec![false; found.len()];
    let mut start = 0;
    for at in 1..=found.len() {
        let goes_on = at < found.len() && !is_text_between(found[at - 1].line, found[at].line);
        if goes_on {
            continue;
        }
        if at - start >= ENTRIES_MIN {
            mark(&found, start, at, &mut is_entry);
        }
        start = at;
    }
    let mut entries = is_entry.into_iter();
    let mut kept = found;
    kept.retain(|_| !entries.next().unwrap_or_default());
    kept
}

/// Marks the lines of a row that occur again later.
fn mark(found: &[Found], start: usize, end: usize, is_entry: &mut [bool]) {
    // The last of each label, with its names.
    let mut later: HashMap<&str, Vec<(usize, &str)>> = HashMap::new();
    for (at, other) in found.iter().enumerate().skip(start) {
        let names = later.entry(&other.headline.label).or_default();
        names.push((at, &other.headline.name));
    }
    let comes_again = |at: usize| {
        let name = found[at].headline.name.as_str();
        later[found[at].headline.label.as_str()]
            .iter()
            .rev()
            .take_while(|(other, _)| *other > at)
            .any(|(_, other)| name == *other || name.is_empty() || other.is_empty())
    };
    let entries: Vec<usize> = (start..end).filter(|at| comes_again(*at)).collect();
    if entries.len() >= ENTRIES_MIN {
        for at in entries {
            is_entry[at] = true;
        }
    }
}
