//! What two lists have in common, in the same order.

use std::collections::HashSet;

use crate::readings::slice;
use similar::{Algorithm, DiffOp, capture_diff_slices};
use unicode_segmentation::UnicodeSegmentation as _;

/// The pairs of places at which two lists are the same, rising in both. It depends only on the lists. An entry that occurs in only one list
/// cannot match and is removed first, so that two texts with nothing in common are the fastest to compare, and not the slowest.
pub(super) fn matches(old: &[&str], new: &[&str]) -> Vec<(usize, usize)> {
    let (before, after) = common_ends(old, new);
    let mut pairs: Vec<(usize, usize)> = (0..before).map(|at| (at, at)).collect();
    let old_middle = &old[before..old.len() - after];
    let new_middle = &new[before..new.len() - after];
    let olds = known_in(old_middle, new_middle);
    let news = known_in(new_middle, old_middle);
    let old_known: Vec<&str> = olds.iter().map(|at| old_middle[*at]).collect();
    let new_known: Vec<&str> = news.iter().map(|at| new_middle[*at]).collect();
    let ops = capture_diff_slices(Algorithm::Myers, &old_known, &new_known);
    for op in ops {
        if let DiffOp::Equal {
            old_index,
            new_index,
            len,
        } = op
        {
            let same = (0..len).map(|n| (olds[old_index + n], news[new_index + n]));
            pairs.extend(same.map(|(one, other)| (before + one, before + other)));
        }
    }
    let ends = (0..after).rev();
    pairs.extend(ends.map(|n| (old.len() - 1 - n, new.len() - 1 - n)));
    pairs
}

/// How many entries are the same at the beginning, and how many of the rest at the end.
fn common_ends(old: &[&str], new: &[&str]) -> (usize, usize) {
    let pairs = old.iter().zip(new);
    let before = pairs.take_while(|(a, b)| a == b).count();
    let pairs = old[before..].iter().rev().zip(new[before..].iter().rev());
    (before, pairs.take_while(|(a, b)| a == b).count())
}

/// The places of a list whose entries the other list also has.
fn known_in(list: &[&str], other: &[&str]) -> Vec<usize> {
    let known: HashSet<&str> = other.iter().copied().collect();
    let places = (0..list.len()).filter(|at| known.contains(list[*at]));
    places.collect()
}

/// Runs of a text that belong together: its lines, each with the break that ends it.
pub(super) fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

/// The sentences of a text, each with the space after it. A line break always ends a sentence.
pub(super) fn sentences(text: &str) -> Vec<&str> {
    let mut parts = vec![];
    for line in lines(text) {
        let ranges = words::sentences::sentences(line);
        let starts = ranges.iter().skip(1).map(|range| range.start);
        let mut from = 0;
        for start in starts {
            parts.push(slice(line, from..start));
            from = start;
        }
        parts.push(slice(line, from..));
    }
    parts
}

/// The words of a text and what is between them, as Unicode divides them: each Chinese character and each mark by itself.
pub(super) fn words(text: &str) -> Vec<&str> {
    text.split_word_bounds().collect()
}
