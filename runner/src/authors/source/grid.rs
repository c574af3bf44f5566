//! A table of a source, and how it is divided where a page is too small for it: by rows, by columns, never within a cell.

use std::ops::Range;

use spec::limits as l;
use spec::source::{ColumnAlign, SourceTable};
use spec::text::em_width;

use super::Words;

/// Lines of rows below the head of a table, whose type is smaller, and em of all columns together.
const ROW_LINES: f32 = 11.0;
/// Lines of rows that are read from the back of a room.
const LARGE_ROW_LINES: f32 = 8.0;
const ROW_EM: f32 = 48.0;

/// A table with one line of headings at most.
#[derive(Clone, Debug, Default)]
pub struct Grid {
    pub caption: Option<String>,
    pub head: Vec<String>,
    pub rows: Vec<Vec<String>>,
    pub align: Vec<ColumnAlign>,
    /// The cells as slots of a page take them, with their bold words, links and formulas marked: the heads, if there are any, then the
    /// rows.
    slots: Vec<Vec<String>>,
    /// Which rows these are, if the source's table has more.
    pub part: Option<TablePart>,
}

/// Some rows of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct TablePart {
    /// The name of the whole table.
    name: String,
    /// The number of this part, from 0.
    number: usize,
    /// The first and the last row, from 1.
    first: usize,
    last: usize,
    of: usize,
}

impl TablePart {
    /// Adds the part of the same table that comes next, or other columns of the same rows; false if `next` is neither.
    pub fn joins(&mut self, next: &Self) -> bool {
        let is_same = self.name == next.name && self.of == next.of;
        let follows = is_same && (self.number..=self.number + 1).contains(&next.number);
        if follows {
            (self.number, self.last) = (next.number, next.last);
        }
        follows
    }

    /// The rows and the name of the table: `rows 12–30 of 200: Town | People`.
    pub fn named(&self, rows: &str, of: &str) -> String {
        let Self { first, last, .. } = self;
        format!("{rows}{first}–{last}{of}{}: {}", self.of, self.name)
    }
}

impl Grid {
    pub(super) fn of(table: &SourceTable) -> Self {
        let (mut rows, mut slots) = (vec![], vec![]);
        for row in &table.rows {
            let cells: Vec<Words> = row.iter().map(Words::of).collect();
            rows.push(cells.iter().map(Words::line).collect::<Vec<_>>());
            slots.push(cells.iter().map(Words::slot).collect());
        }
        let has_head = table.head_rows > 0 && rows.len() > 1;
        let head = if has_head { rows.remove(0) } else { vec![] };
        Self {
            caption: table.caption.clone(),
            head,
            rows,
            align: table.align.clone(),
            slots,
            part: None,
        }
    }

    /// The heads as slots of a page take them.
    pub fn head_slots(&self) -> &[String] {
        match self.slots.first() {
            Some(first) if !self.head.is_empty() => first,
            Some(_) | None => &[],
        }
    }

    /// Some rows as slots of a page take them.
    pub fn row_slots(&self, rows: &Range<usize>) -> &[Vec<String>] {
        let heads = usize::from(!self.head.is_empty());
        &self.slots[heads + rows.start..heads + rows.end]
    }

    /// Its caption, its heads or its first row.
    pub(super) fn name(&self) -> String {
        if let Some(part) = &self.part {
            return part.name.clone();
        }
        let mut rows = [&self.head].into_iter().chain(&self.rows);
        let row = rows.find(|row| !row.is_empty());
        let row = row.map(|row| row.join(" | "));
        self.caption.clone().or(row).unwrap_or_default()
    }

    /// The rows as pages hold them.
    pub fn pages(&self) -> Vec<Range<usize>> {
        runs(&self.heights())
    }

    /// The rows as pages hold them in large type; those of a part of a table stay together.
    pub fn large_pages(&self) -> Vec<Range<usize>> {
        match self.part {
            Some(_) => self.pages(),
            None => even_runs(&self.heights(), (self.rows.len(), LARGE_ROW_LINES)),
        }
    }

    fn width(&self) -> usize {
        let rows = self.rows.iter().chain([&self.head]);
        rows.map(Vec::len).max().unwrap_or(0)
    }

    /// How many lines each row has on a page.
    fn heights(&self) -> Vec<f32> {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(1);
        #[expect(clippy::cast_precision_loss, reason = "a table has few columns")]
        let em = ROW_EM / columns.max(1) as f32;
        let height = |row: &Vec<String>| {
            let heights = row.iter().map(|cell| (em_width(cell) / em).ceil());
            heights.fold(1.0, f32::max)
        };
        self.rows.iter().map(height).collect()
    }

    /// The rows that have a cell beyond every page: all of them, if a heading is.
    pub(super) fn too_long(&self) -> Vec<usize> {
        let is_long = |row: &Vec<String>| {
            let mut cells = row.iter();
            cells.any(|cell| f64::from(em_width(cell)) > f64::from(l::GRID_CELL_EM))
        };
        let all = is_long(&self.head);
        let rows = self.rows.iter().enumerate();
        let long = rows.filter(|(_, row)| all || is_long(row));
        long.map(|(at, _)| at).collect()
    }

    /// The table without these rows, as tables that are no wider than a page, each with the first column; if `by_pages`, also no longer.
    pub(super) fn fitting(self, without: &[usize], by_pages: bool) -> Vec<Self> {
        let width = self.width();
        let is_fit = without.is_empty() && width <= l::GRID_COLUMNS_MAX;
        if is_fit && (!by_pages || self.pages().len() < 2) {
            return vec![self];
        }
        let all = 0..self.rows.len();
        let rows: Vec<usize> = all
            .filter(|row| without.binary_search(row).is_err())
            .collect();
        if rows.is_empty() {
            return vec![];
        }
        let groups = groups(width);
        let tables = groups.iter().map(|columns| self.cut(&rows, columns));
        let tables: Vec<Self> = tables.collect();
        if !by_pages {
            return tables;
        }
        let heights: Vec<Vec<f32>> = tables.iter().map(Self::heights).collect();
        let highest = |row: usize| heights.iter().map(|table| table[row]).fold(1.0, f32::max);
        let heights: Vec<f32> = (0..rows.len()).map(highest).collect();
        let mut parts = vec![];
        for (number, run) in runs(&heights).into_iter().enumerate() {
            for (table, columns) in tables.iter().zip(&groups) {
                let part = TablePart {
                    name: table.name(),
                    number,
                    first: rows[run.start] + 1,
                    last: rows[run.end - 1] + 1,
                    of: self.rows.len(),
                };
                parts.push(Self {
                    part: Some(part),
                    ..self.cut(&rows[run.clone()], columns)
                });
            }
        }
        parts
    }

    /// Some rows and some columns.
    fn cut(&self, rows: &[usize], columns: &[usize]) -> Self {
        let of_row = |row: &Vec<String>| {
            let cells = columns.iter().map(|column| row.get(*column).cloned());
            cells.map(Option::unwrap_or_default).collect::<Vec<_>>()
        };
        let heads = usize::from(!self.head.is_empty());
        let slots = (0..heads).chain(rows.iter().map(|row| row + heads));
        let align = columns
            .iter()
            .map(|column| self.align.get(*column).copied());
        Self {
            caption: self.caption.clone(),
            head: if heads == 0 {
                vec![]
            } else {
                of_row(&self.head)
            },
            rows: rows.iter().map(|row| of_row(&self.rows[*row])).collect(),
            align: align.map(Option::unwrap_or_default).collect(),
            slots: slots.map(|row| of_row(&self.slots[row])).collect(),
            part: None,
        }
    }
}

/// The columns of tables that are no wider than a page. Each has the first column, which names the row.
fn groups(width: usize) -> Vec<Vec<usize>> {
    if width <= l::GRID_COLUMNS_MAX {
        return vec![(0..width).collect()];
    }
    let others: Vec<usize> = (1..width).collect();
    let groups = others.chunks(l::GRID_COLUMNS_MAX - 1);
    groups.map(|group| [&[0][..], group].concat()).collect()
}

/// Runs of rows of these heights, none of them higher than a page; a single row may be.
fn runs(heights: &[f32]) -> Vec<Range<usize>> {
    even_runs(heights, (heights.len(), ROW_LINES))
}

/// Runs of about the same size, as few as can be, each of at most so many and of at most this size in all; a single one may be larger.
pub(crate) fn even_runs(sizes: &[f32], (count_max, size_max): (usize, f32)) -> Vec<Range<usize>> {
    let runs = |most: f32| {
        let (mut runs, mut start, mut open) = (vec![], 0, 0.0);
        for (at, size) in sizes.iter().enumerate() {
            if at > start && (at - start == count_max || open + size > most) {
                runs.push(start..at);
                (start, open) = (at, 0.0);
            }
            open += size;
        }
        runs.push(start..sizes.len());
        runs
    };
    let full = runs(size_max);
    // The least size of each with which there are no more of them.
    let share = sizes.iter().sum::<f32>() / full.len() as f32;
    let steps =
        (0..=10_u8).map(|step| share + (size_max - share).max(0.0) * f32::from(step) / 10.0);
    let mut even = steps.map(runs);
    even.find(|runs| runs.len() <= full.len()).unwrap_or(full)
}
