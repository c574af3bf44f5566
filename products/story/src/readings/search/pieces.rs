//! Divides a text into pieces. A piece ends where a paragraph ends, or otherwise a sentence, or otherwise a clause. Where none of these
//! ends within reach, the text is still cut, so that the lengths always stay within the limits.

use std::ops::Range;

use words::is_ideographic;
use words::sentences::sentences;

/// The fewest characters of a small piece; a shorter text is one piece.
pub(crate) const CHILD_CHARS_MIN: usize = 100;
pub(crate) const CHILD_CHARS_MAX: usize = 400;
const CHILD_CHARS: usize = 250;

/// Characters of a larger one.
pub(crate) const PARENT_CHARS_MIN: usize = 150;
pub(crate) const PARENT_CHARS_MAX: usize = 1500;
const PARENT_CHARS: usize = 1000;

/// How many characters nearer to the wanted length a worse end has to be in order to be preferred to a better one.
const PARAGRAPH_GAIN: usize = 150;
const SENTENCE_GAIN: usize = 110;
const CLAUSE_GAIN: usize = 30;

/// A larger passage with its small pieces, in characters of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Passage {
    pub(super) range: Range<usize>,
    pub(super) pieces: Vec<Range<usize>>,
}

/// The passages of a text. Together they are the whole text; a blank text has none.
pub(super) fn passages(text: &str) -> Vec<Passage> {
    if text.trim().is_empty() {
        return vec![];
    }
    let gains = gains(text);
    let all = 0..gains.len();
    let pieces = cut(&gains, all, CHILD_CHARS_MIN, CHILD_CHARS, CHILD_CHARS_MAX);
    // A passage ends only where a piece does.
    let mut ends = vec![None; gains.len()];
    for piece in &pieces {
        if let Some(last) = piece.end.checked_sub(1) {
            ends[last] = gains[last].or(Some(0));
        }
    }
    let parents = cut(
        &ends,
        0..gains.len(),
        PARENT_CHARS_MIN,
        PARENT_CHARS,
        PARENT_CHARS_MAX,
    );
    let mut rest = pieces.into_iter().peekable();
    let passage = |range: Range<usize>| {
        let mut pieces = vec![];
        while let Some(piece) = rest.next_if(|piece| piece.start < range.end) {
            pieces.push(piece);
        }
        Passage { range, pieces }
    };
    parents.into_iter().map(passage).collect()
}

/// For each character, the value of a cut after it.
fn gains(text: &str) -> Vec<Option<usize>> {
    let ends: Vec<usize> = sentences(text).into_iter().map(|it| it.end).collect();
    let mut ends = ends.into_iter().peekable();
    let mut gains = Vec::with_capacity(text.len() / 2);
    let mut inside = false;
    for (at, c) in text.char_indices() {
        let end = at + c.len_utf8();
        while ends.next_if(|known| *known < end).is_some() {}
        let is_end = ends.next_if_eq(&end).is_some();
        let gain = if c == '\n' {
            PARAGRAPH_GAIN
        } else if is_end {
            SENTENCE_GAIN
        } else if is_pause(c) {
            CLAUSE_GAIN
        } else {
            0
        };
        // A cut inside a word is the worst possible cut.
        let is_letter = c.is_alphanumeric() && !is_ideographic(c);
        if inside
            && is_letter
            && let Some(before) = gains.last_mut()
        {
            *before = None;
        }
        inside = is_letter;
        gains.push(Some(gain));
    }
    gains
}

fn is_pause(c: char) -> bool {
    c.is_whitespace() || "，、；：,;:—”」』）)".contains(c)
}

/// Cuts a range so that every part has at least `min` and at most `max` characters, as near to `wanted` as possible; a range that is
/// shorter than `min` is one part. Where no good cut is within reach, it is cut at the limit.
fn cut(
    gains: &[Option<usize>],
    range: Range<usize>,
    min: usize,
    wanted: usize,
    max: usize,
) -> Vec<Range<usize>> {
    let mut parts = vec![];
    let mut start = range.start;
    while range.end - start > max {
        let last = (start + max).min(range.end - min);
        let worth = |end: usize| {
            let gain = gains[end - 1]?;
            // The addition comes before the subtraction, so that the number does not fall below zero.
            Some(gain + max - (end - start).abs_diff(wanted))
        };
        let ends = (start + min..=last).rev();
        let best = ends.filter_map(|end| Some((worth(end)?, end)));
        let end = best.max_by_key(|it| it.0).map_or(last, |it| it.1);
        parts.push(start..end);
        start = end;
    }
    if start < range.end {
        parts.push(start..range.end);
    }
    parts
}
