//! Measures of the lines of a document, by which the ends of paragraphs are recognised.

use std::collections::HashMap;

use super::segment::{PageText, Segment};

/// Sizes and distances are counted in half points.
type Halves = i32;

/// Places at which lines begin are counted in steps of this many points.
const STEP: f64 = 8.0;

#[derive(Debug, Default)]
pub(super) struct Measures {
    /// Sizes of headings, the largest first.
    headings: Vec<Halves>,
    /// The distance from line to line, by size.
    leadings: HashMap<Halves, Halves>,
    /// The text itself is set like code.
    pub(super) mono: bool,
}

impl Measures {
    pub(super) fn of(pages: &[PageText]) -> Self {
        let mut sizes: HashMap<Halves, usize> = HashMap::new();
        let mut steps: HashMap<Halves, HashMap<Halves, usize>> = HashMap::new();
        let (mut all, mut mono) = (0, 0);
        for page in pages {
            for segment in &page.segments {
                let count: usize = segment
                    .text
                    .pieces
                    .iter()
                    .map(|piece| piece.text.len())
                    .sum();
                *sizes.entry(halves(segment.size)).or_default() += count;
                all += count;
                mono += if segment.mono { count } else { 0 };
            }
            for pair in page.segments.windows(2) {
                let step = pair[1].y - pair[0].y;
                let size = pair[1].size;
                if halves(size) == halves(pair[0].size) && step > 0.8 * size && step < 2.2 * size {
                    *steps
                        .entry(halves(size))
                        .or_default()
                        .entry(halves(step))
                        .or_default() += 1;
                }
            }
        }
        let body = most(&sizes).unwrap_or(20);
        let mut headings: Vec<Halves> = sizes
            .into_keys()
            .filter(|size| f64::from(*size) > 1.12 * f64::from(body))
            .collect();
        headings.sort_by(|one, other| other.cmp(one));
        let leading = |(size, steps): (Halves, HashMap<Halves, usize>)| Some((size, most(&steps)?));
        Self {
            headings,
            leadings: steps.into_iter().filter_map(leading).collect(),
            mono: mono * 2 > all,
        }
    }

    /// The level of the heading if a line has this size.
    pub(super) fn heading(&self, size: f64) -> Option<u8> {
        let rank = self
            .headings
            .iter()
            .position(|other| *other == halves(size))?;
        Some(u8::try_from(rank).unwrap_or(u8::MAX).min(5) + 1)
    }

    /// The largest distance from a line to the next of its paragraph.
    fn most_step(&self, size: f64) -> f64 {
        let leading = self.leadings.get(&halves(size));
        leading.map_or(1.7 * size, |leading| {
            // Signs that are set slightly too low in a line must not make lines seem close together.
            (1.2 * f64::from(*leading) / 2.0 + 0.5).max(1.35 * size)
        })
    }
}

/// The most frequent value; of two equally frequent ones, the smaller.
fn most(counts: &HashMap<Halves, usize>) -> Option<Halves> {
    let best = counts
        .iter()
        .max_by_key(|(value, count)| (**count, std::cmp::Reverse(**value)));
    best.map(|(value, _)| *value)
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "sizes are within a million points"
)]
fn halves(points: f64) -> Halves {
    (2.0 * points).round() as Halves
}

/// The right ends of lines that begin near a place and have the same size.
#[derive(Debug, Default)]
pub(super) struct Edges(HashMap<(Halves, Halves), f64>);

impl Edges {
    pub(super) fn of(segments: &[Segment]) -> Self {
        let mut edges = HashMap::new();
        for segment in segments {
            let edge = edges.entry(key(segment, 0)).or_insert(segment.x1);
            *edge = edge.max(segment.x1);
        }
        Self(edges)
    }

    /// Whether there was no room for the first word of the next line at the end of this one.
    fn is_full(&self, line: &Segment, next: &Segment) -> bool {
        let near = [-1, 0, 1].into_iter();
        let edge = near
            .filter_map(|step| self.0.get(&key(line, step)))
            .fold(line.x1, |most, edge| most.max(*edge));
        line.x1 + 0.2 * line.size + next.word_width() > edge - 0.3 * line.size
    }
}

fn key(segment: &Segment, step: Halves) -> (Halves, Halves) {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "places are within a million points"
    )]
    let place = (segment.x0 / STEP).floor() as Halves;
    (halves(segment.size), place + step)
}

/// A paragraph that may go on, and the line that may belong to it.
pub(super) struct Step<'a> {
    pub(super) first: &'a Segment,
    pub(super) last: &'a Segment,
    pub(super) next: &'a Segment,
    pub(super) is_item: bool,
    /// The next line begins with the marker of an item.
    pub(super) has_label: bool,
    pub(super) same_page: bool,
}

impl Step<'_> {
    /// Whether the line continues the paragraph.
    pub(super) fn continues(&self, edges: &Edges, measures: &Measures) -> bool {
        let (last, next) = (self.last, self.next);
        let size = last.size;
        let alike = last.turn == next.turn && (size - next.size).abs() < 0.08 * size;
        if !alike || last.mono != next.mono {
            return false;
        }
        let step = next.y - last.y;
        let is_below = self.same_page && step > 0.0;
        if last.mono && !measures.mono {
            return is_below && step < 3.5 * size;
        }
        if measures.heading(size).is_some() {
            return is_below && step < 1.6 * size;
        }
        let is_full = edges.is_full(last, next);
        if !is_below || step > 4.0 * size {
            return is_full
                && !self.has_label
                && !ends_sentence(last)
                && (!self.same_page || step < 0.0);
        }
        let marks_item = self.has_label && (self.is_item || !is_full || next.x0 - last.x0 > 0.5);
        is_full && step <= measures.most_step(size) && !marks_item && self.is_aligned()
    }

    fn is_aligned(&self) -> bool {
        let size = self.last.size;
        let shift = self.next.x0 - self.last.x0;
        let is_first = std::ptr::eq(self.first, self.last);
        if self.is_item && is_first {
            // The lines of an item begin below its words, or below its marker if they continue a sentence.
            let is_under = shift > -0.5 && shift < 6.0 * size;
            return is_under && (shift > 0.5 || !ends_sentence(self.last));
        }
        let is_centred = (self.next.x0 + self.next.x1 - self.last.x0 - self.last.x1).abs() < size;
        let left = if is_first { -4.5 } else { -0.8 };
        is_centred || shift > left * size && shift < 0.8 * size
    }
}

fn ends_sentence(line: &Segment) -> bool {
    let words = line.text.pieces.last().map(|piece| piece.text.trim_end());
    words.is_some_and(|words| words.ends_with(['.', '!', '?', ':', '。', '！', '？', '：', '；']))
}
