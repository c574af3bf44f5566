//! Tables: lines that follow each other and stand in the same columns.
//!
//! A file draws a table row by row and a text in columns column by column, and this distinguishes the two: segments that stand beside each
//! other and are drawn one after the other are cells.

use spec::source::{RichText, SourceTable, TextMarks};

use super::labels::is_label;
use super::segment::{Segment, push_line};

/// The parts of a page, in the order in which they are drawn.
#[derive(Debug)]
pub(super) enum Part {
    Line(Segment),
    Table(SourceTable),
}

/// Segments that were drawn together and stand beside each other: a line, or a row of a table with all its lines.
#[derive(Debug)]
struct Band {
    segments: Vec<Segment>,
    y0: f64,
    y1: f64,
}

impl Band {
    fn is_row(&self) -> bool {
        columns(std::slice::from_ref(self)).len() > 1
    }

    fn is_bold(&self) -> bool {
        let last = self
            .segments
            .last()
            .and_then(|segment| segment.text.pieces.last());
        last.is_some_and(|piece| piece.marks.bold)
    }

    fn size(&self) -> f64 {
        self.segments
            .iter()
            .map(|segment| segment.size)
            .fold(1.0, f64::max)
    }
}

/// The most lines of one row of a table; if there are more, these are two texts side by side.
const MOST_LINES: usize = 12;

/// The most columns of a table.
const MOST_COLUMNS: usize = 64;

pub(super) fn parts(segments: Vec<Segment>) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut run = Run::default();
    for band in bands(with_labels(segments)) {
        let own = columns(std::slice::from_ref(&band));
        let Some(together) = run.with(&band, &own) else {
            std::mem::take(&mut run).close(&mut parts);
            run = Run {
                columns: own,
                bands: vec![band],
            };
            continue;
        };
        run.columns = together;
        run.bands.push(band);
    }
    run.close(&mut parts);
    parts
}

/// Joins markers of lists to the words that they mark: a list is not a table with two columns.
fn with_labels(segments: Vec<Segment>) -> Vec<Segment> {
    let mut joined: Vec<Segment> = Vec::new();
    for segment in segments {
        match joined.last_mut() {
            Some(last)
                if last.is_beside(&segment)
                    && segment.x0 >= last.x1
                    && segment.x0 - last.x1 < 4.0 * last.size
                    && is_label(&last.text.words()) =>
            {
                last.join(&segment);
                last.first_word = segment.first_word;
            }
            Some(_) | None => joined.push(segment),
        }
    }
    joined
}

/// Groups segments that are drawn together: a segment beside one of the last few belongs to that one and to all in between, unless the one
/// is of a table and the other of a text beside it.
fn bands(segments: Vec<Segment>) -> Vec<Band> {
    let mut bands: Vec<Band> = Vec::new();
    // The first band of the table or of the text.
    let mut start = 0;
    for (at, segment) in segments.iter().enumerate() {
        let segment = segment.clone();
        let back = bands.len().saturating_sub(MOST_LINES).max(start);
        let beside = bands[back..].iter().position(|band| {
            let mut others = band.segments.iter().rev().take(MOST_COLUMNS);
            others.any(|other| stands_beside(other, &segment))
        });
        let Some(beside) = beside else {
            bands.push(Band::from(segment));
            continue;
        };
        let first = back + beside;
        let is_after_table = bands[first + 1..].iter().any(Band::is_row);
        if is_after_table || is_before_table(&bands, first, &segments[at..]) {
            start = bands.len();
            bands.push(Band::from(segment));
            continue;
        }
        let mut later = bands.split_off(first + 1);
        if let Some(band) = bands.last_mut() {
            later.drain(..).for_each(|other| band.take(other));
            band.take(Band::from(segment));
        }
    }
    bands
}

/// Whether a table begins with these segments beside a text, the bands from `first` on: two rows in a row stand beside it, and neither
/// begins below it. Where a row stands above the text, the text is a cell of a table.
fn is_before_table(bands: &[Band], first: usize, segments: &[Segment]) -> bool {
    let (above, text) = bands.split_at(first);
    if text.len() < 2 || text.iter().any(Band::is_row) || above.last().is_some_and(Band::is_row) {
        return false;
    }
    let (upper, rest) = first_line(segments);
    let (lower, _) = first_line(rest);
    let stands_apart = |line: &[Segment]| {
        let mut text = text.iter().flat_map(|band| &band.segments);
        text.all(|of_text| {
            line.iter()
                .all(|cell| cell.x1 <= of_text.x0 || of_text.x1 <= cell.x0)
        })
    };
    let are_rows = upper.len() > 1 && lower.len() > 1;
    are_rows && lower[0].y > upper[0].y && stands_apart(upper) && stands_apart(lower)
}

/// The segments that stand beside the first, and the others.
fn first_line(segments: &[Segment]) -> (&[Segment], &[Segment]) {
    let Some(first) = segments.first() else {
        return (segments, segments);
    };
    let others = segments[1..]
        .iter()
        .take_while(|other| stands_beside(first, other));
    segments.split_at(1 + others.count())
}

fn stands_beside(one: &Segment, other: &Segment) -> bool {
    let apart = one.x1 <= other.x0 || other.x1 <= one.x0;
    one.is_beside(other) && apart
}

impl From<Segment> for Band {
    fn from(segment: Segment) -> Self {
        Self {
            y0: segment.y - segment.size,
            y1: segment.y,
            segments: vec![segment],
        }
    }
}

impl Band {
    fn take(&mut self, other: Self) {
        self.y0 = self.y0.min(other.y0);
        self.y1 = self.y1.max(other.y1);
        self.segments.extend(other.segments);
    }
}

/// The columns of bands: the widths that their segments cover, from left to right.
fn columns(bands: &[Band]) -> Vec<(f64, f64)> {
    let segments = bands.iter().flat_map(|band| &band.segments);
    merged(segments.map(|segment| (segment.x0, segment.x1)).collect())
}

/// Spans that overlap, made one.
fn merged(mut spans: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    spans.sort_by(|one, other| one.0.total_cmp(&other.0));
    let mut merged: Vec<(f64, f64)> = Vec::new();
    for (x0, x1) in spans {
        match merged.last_mut() {
            Some(last) if x0 <= last.1 => last.1 = last.1.max(x1),
            Some(_) | None => merged.push((x0, x1)),
        }
    }
    merged
}

/// Bands that follow each other and may be the rows of a table.
#[derive(Default)]
struct Run {
    bands: Vec<Band>,
    columns: Vec<(f64, f64)>,
}

impl Run {
    /// The columns including one more band, if the band can be a row below the others.
    fn with(&self, band: &Band, own: &[(f64, f64)]) -> Option<Vec<(f64, f64)>> {
        let last = self.bands.last()?;
        let space = 2.0 * band.size().max(last.size());
        let is_heading = own.len() < 2 && band.size() > 1.12 * last.size();
        let is_below = band.y0 > last.y0 && band.y0 - last.y1 < space && !is_heading;
        let fits = is_below && self.bands.first().is_some_and(Band::is_row);
        if !fits || own.len() > MOST_COLUMNS || !covers_one_each(&self.columns, band) {
            return None;
        }
        let together = merged(self.columns.iter().chain(own).copied().collect());
        let many = self.columns.len().max(own.len());
        let stay_apart = together.len() >= 2 && together.len() * 2 > many;
        (stay_apart && together.len() <= MOST_COLUMNS).then_some(together)
    }

    /// Ends the run: it becomes a table if it clearly is one, otherwise its lines.
    fn close(mut self, parts: &mut Vec<Part>) {
        let mut after = Vec::new();
        while self.bands.last().is_some_and(|band| !band.is_row()) {
            after.extend(self.bands.pop());
        }
        let rows = with_last_lines(self.bands);
        let columns = columns(&rows);
        let is_table = rows.len() >= 2 && columns.len() >= 2 && rows.len() + columns.len() >= 5;
        if is_table && columns.len() <= MOST_COLUMNS {
            parts.push(Part::Table(table(&rows, &columns)));
        } else {
            parts.extend(rows.into_iter().flat_map(lines));
        }
        parts.extend(after.into_iter().rev().flat_map(lines));
    }
}

/// Whether no segment extends over two columns that were separate.
fn covers_one_each(columns: &[(f64, f64)], band: &Band) -> bool {
    band.segments.iter().all(|segment| {
        let touched = columns
            .iter()
            .filter(|(x0, x1)| segment.x0 < *x1 && *x0 < segment.x1);
        touched.count() <= 1
    })
}

/// Joins to a row the further lines of its cells: lines that stand closer below it than rows stand to each other.
fn with_last_lines(run: Vec<Band>) -> Vec<Band> {
    let mut pitches: Vec<f64> = run
        .windows(2)
        .filter(|pair| pair[1].is_row())
        .map(|pair| pair[1].y0 - pair[0].y1)
        .collect();
    pitches.sort_by(f64::total_cmp);
    let Some(pitch) = pitches.get(pitches.len() / 2).copied() else {
        return run;
    };
    let mut rows: Vec<Band> = Vec::new();
    for band in run {
        match rows.last_mut() {
            Some(row)
                if !band.is_row()
                    && band.y0 - row.y1 < pitch - 0.1 * band.size()
                    && row.is_bold() == band.is_bold() =>
            {
                row.take(band);
            }
            Some(_) | None => rows.push(band),
        }
    }
    rows
}

/// The segments of a band as lines, in the order in which they are drawn.
fn lines(band: Band) -> Vec<Part> {
    let mut lines: Vec<Segment> = Vec::new();
    for segment in band.segments {
        match lines.last_mut() {
            Some(last) if last.is_beside(&segment) && segment.x0 >= last.x1 => last.join(&segment),
            Some(_) | None => lines.push(segment),
        }
    }
    lines.into_iter().map(Part::Line).collect()
}

fn table(bands: &[Band], columns: &[(f64, f64)]) -> SourceTable {
    let rows: Vec<Vec<RichText>> = bands.iter().map(|band| row(band, columns)).collect();
    SourceTable {
        head_rows: usize::from(has_head(&rows)),
        rows,
        ..SourceTable::default()
    }
}

fn row(band: &Band, columns: &[(f64, f64)]) -> Vec<RichText> {
    let mut cells: Vec<Vec<&Segment>> = vec![Vec::new(); columns.len()];
    for segment in &band.segments {
        let place = columns.iter().position(|(_, x1)| segment.x0 < *x1);
        if let Some(cell) = place.and_then(|place| cells.get_mut(place)) {
            cell.push(segment);
        }
    }
    cells.into_iter().map(cell).collect()
}

fn cell(segments: Vec<&Segment>) -> RichText {
    let mut text = RichText::default();
    let mut last: Option<&Segment> = None;
    for segment in segments {
        if last.is_some_and(|last| last.is_beside(segment)) {
            text.push(" ", TextMarks::default(), None);
            super::segment::push_all(&mut text, &segment.text);
        } else {
            push_line(&mut text, &segment.text);
        }
        last = Some(segment);
    }
    text
}

/// Whether the first row names the columns: it has words where the others have numbers, or is bold where they are not.
fn has_head(rows: &[Vec<RichText>]) -> bool {
    let Some((first, rest)) = rows.split_first() else {
        return false;
    };
    let is_number = |text: &RichText| {
        let words = text.words();
        let has_letters = words.chars().any(char::is_alphabetic);
        words.chars().any(char::is_numeric) && !has_letters
    };
    let is_bold = |row: &[RichText]| {
        let mut pieces = row.iter().flat_map(|cell| &cell.pieces).peekable();
        pieces.peek().is_some()
            && pieces.all(|piece| piece.marks.bold || piece.text.trim().is_empty())
    };
    let names = first.iter().any(|cell| !cell.is_blank()) && !first.iter().any(&is_number);
    let has_numbers = (0..first.len()).any(|column| {
        let mut cells = rest
            .iter()
            .filter_map(|row| row.get(column))
            .filter(|cell| !cell.is_blank());
        let mut count = 0;
        cells.all(|cell| {
            count += 1;
            is_number(cell)
        }) && count > 0
    });
    names && (has_numbers || is_bold(first) && !rest.iter().all(|row| is_bold(row)))
}
