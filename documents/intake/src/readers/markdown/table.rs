//! Tables, row by row.

use std::ops::Range;

use pulldown_cmark::Alignment;
use spec::source::{BlockContent, ColumnAlign, RichText, SourceTable};

use super::blocks::Blocks;

/// Cells that a row may have beyond those of the head: all other rows become as long.
const MOST_MORE: usize = 100;

impl Blocks<'_, '_, '_, '_> {
    pub(super) fn start_table(&mut self, align: &[Alignment], at: usize) {
        self.end_words();
        let table = SourceTable {
            head_rows: 1,
            align: columns(align),
            ..SourceTable::default()
        };
        self.table = Some((self.location(at), table));
    }

    pub(super) fn start_row(&mut self) {
        if let Some((_, table)) = &mut self.table {
            table.rows.push(Vec::new());
        }
    }

    pub(super) fn end_cell(&mut self) {
        let cell = self.inline.take_text();
        self.inline.end_block();
        let table = self.table.as_mut();
        if let Some(row) = table.and_then(|(_, table)| table.rows.last_mut()) {
            row.push(cell);
        }
    }

    /// Adds the table; its rows get the length of the longest. Rows beyond the limit are counted before the others are made longer.
    pub(super) fn end_table(&mut self) {
        let Some((location, mut table)) = self.table.take() else {
            return;
        };
        let width = table.rows.iter().map(Vec::len).max().unwrap_or(0);
        let fit = self.gathering.cells_left() / width.max(1);
        if table.rows.len() > fit {
            self.gathering.rows_beyond(table.rows.len() - fit);
            table.rows.truncate(fit);
            table.head_rows = table.head_rows.min(fit);
        }
        for row in &mut table.rows {
            row.resize(width, RichText::default());
        }
        if !table.rows.is_empty() {
            self.put(location, BlockContent::Table(table));
        }
    }

    /// Adds cells beyond those of the head. The rules of Markdown do not allow them in a table, but people write them.
    pub(super) fn end_row(&mut self, range: &Range<usize>) {
        let row = &self.prepared.text[range.clone()];
        let cells = cells(
            row,
            self.table
                .as_ref()
                .map_or(0, |(_, table)| table.align.len()),
        );
        let Some((_, table)) = &mut self.table else {
            return;
        };
        let width = table.align.len();
        if let Some(last) = table.rows.last_mut() {
            for cell in cells.iter().skip(width) {
                let text = self.prepared.restored(cell).trim().to_owned();
                last.push(RichText::plain(text));
            }
        }
    }
}

/// The pieces of a row between its bars. If a row has many more than the head, its last cells stay in one piece.
fn cells(row: &str, width: usize) -> Vec<&str> {
    let row = row.trim();
    let row = row.strip_prefix('|').unwrap_or(row);
    let mut cells = Vec::new();
    let mut start = 0;
    let mut is_escaped = false;
    for (at, char) in row.char_indices() {
        if char == '|' && !is_escaped && cells.len() < width + MOST_MORE {
            cells.push(&row[start..at]);
            start = at + 1;
        }
        is_escaped = char == '\\' && !is_escaped;
    }
    if start < row.len() {
        cells.push(&row[start..]);
    }
    cells
}

fn columns(align: &[Alignment]) -> Vec<ColumnAlign> {
    align
        .iter()
        .map(|align| match align {
            Alignment::None => ColumnAlign::Unsaid,
            Alignment::Left => ColumnAlign::Left,
            Alignment::Center => ColumnAlign::Center,
            Alignment::Right => ColumnAlign::Right,
        })
        .collect()
}
