//! The cells of a sheet, and the tables that they make.

use std::collections::{BTreeMap, BTreeSet};

use spec::source::{BlockContent, Location, RichText, SourceTable};

use crate::budget;
use crate::gather::Gathering;
use crate::{Reading, Unreadable};

/// Empty rows or columns that a table may have inside it. With wider gaps there are two tables; otherwise a name far to the right would
/// make a table of a million empty cells.
const WIDEST_GAP: u32 = 2;

/// Rows of text above values that are still a head.
const MOST_HEAD_ROWS: usize = 3;

/// The cells that have something.
#[derive(Default)]
pub(in crate::readers) struct Grid {
    cells: BTreeMap<(u32, u32), GridCell>,
    heads: BTreeSet<u32>,
    /// Rows with cells beyond the limit.
    beyond: BTreeSet<u32>,
}

pub(in crate::readers) struct GridCell {
    pub(in crate::readers) text: RichText,
    /// Whether it is text, and not a number, a date or another value that can be calculated with.
    pub(in crate::readers) is_words: bool,
}

impl Grid {
    /// Sets the rows that the sheet itself marks as the head of a table.
    pub(in crate::readers) fn heads(&mut self, heads: Vec<u32>) {
        self.heads.extend(heads);
    }

    /// Adds a cell unless `most` are there already.
    ///
    /// # Errors
    ///
    /// If the cells take too much memory or time.
    pub(in crate::readers) fn put(
        &mut self,
        (row, column): (u32, u32),
        cell: GridCell,
        most: usize,
        reading: &Reading<'_>,
    ) -> Result<(), Unreadable> {
        if cell.text.is_blank() {
            return Ok(());
        }
        if self.cells.len() >= most || self.beyond.contains(&row) {
            self.beyond.insert(row);
            return Ok(());
        }
        reading.charge(budget::weight(&cell.text))?;
        self.cells.insert((row, column), cell);
        Ok(())
    }

    pub(in crate::readers) fn is_full(&self, most: usize) -> bool {
        self.cells.len() >= most
    }

    pub(in crate::readers) fn get_mut(&mut self, row: u32, column: u32) -> Option<&mut GridCell> {
        self.cells.get_mut(&(row, column))
    }

    /// Only the first of merged cells is shown.
    pub(in crate::readers) fn merge(&mut self, first: (u32, u32), last: (u32, u32)) {
        let covered: Vec<(u32, u32)> = self
            .cells
            .range(first..=last)
            .map(|(place, _)| *place)
            .filter(|place| *place != first && (first.1..=last.1).contains(&place.1))
            .collect();
        for place in covered {
            self.cells.remove(&place);
        }
    }

    /// Adds the tables of the sheet to the document.
    pub(in crate::readers) fn give(mut self, sheet: &str, gathering: &mut Gathering<'_, '_>) {
        gathering.rows_beyond(self.beyond.len());
        let rows: BTreeSet<u32> = self.cells.keys().map(|(row, _)| *row).collect();
        for rows in with_gaps(&rows, true) {
            let Some((first, last)) = rows.first().zip(rows.last()) else {
                continue;
            };
            let columns: BTreeSet<u32> = self
                .cells
                .range((*first, 0)..=(*last, u32::MAX))
                .map(|((_, column), _)| *column)
                .collect();
            // Columns are never parted: a total may stand far from what it sums.
            let columns: Vec<u32> = with_gaps(&columns, false).concat();
            // Cells along a diagonal have a thousand times as many empty ones beside them, so rows are left out before there is a table.
            let fit = gathering.cells_left() / columns.len().max(1);
            let (rows, beyond) = rows.split_at(fit.min(rows.len()));
            gathering.rows_beyond(beyond.len());
            let table = self.table(sheet, rows, &columns);
            let location = Location::Sheet {
                name: sheet.to_owned(),
                row: usize::try_from(*first).unwrap_or(0) + 1,
            };
            gathering.push(location, BlockContent::Table(table));
        }
    }

    fn table(&mut self, sheet: &str, rows: &[u32], columns: &[u32]) -> SourceTable {
        let head_rows = self.head_rows(rows);
        let mut cell = |row: u32, column: u32| {
            let cell = self.cells.remove(&(row, column));
            cell.map(|cell| cell.text).unwrap_or_default()
        };
        SourceTable {
            caption: Some(sheet.to_owned()),
            head_rows,
            rows: rows
                .iter()
                .map(|row| columns.iter().map(|column| cell(*row, *column)).collect())
                .collect(),
            align: Vec::new(),
            chart: None,
        }
    }

    /// The number of rows at the top that have only words, above rows that do not.
    fn head_rows(&self, rows: &[u32]) -> usize {
        let named = rows.iter().take(MOST_HEAD_ROWS);
        if let Some(index) = named.clone().position(|row| self.heads.contains(row)) {
            return index + 1;
        }
        let first_values = rows.iter().position(|row| !self.is_words(*row));
        match first_values {
            None | Some(0) => 0,
            Some(1) => 1,
            // A title over the head.
            Some(index) if index <= MOST_HEAD_ROWS && self.width(rows[0]) == 1 => {
                let wide = named.clone().position(|row| self.width(*row) > 1);
                wide.map_or(1, |wide| (wide + 1).min(index))
            }
            Some(_) => 1,
        }
    }

    fn is_words(&self, row: u32) -> bool {
        self.row(row).all(|cell| cell.is_words)
    }

    fn width(&self, row: u32) -> usize {
        self.row(row).count()
    }

    fn row(&self, row: u32) -> impl Iterator<Item = &GridCell> {
        self.cells
            .range((row, 0)..=(row, u32::MAX))
            .map(|(_, cell)| cell)
    }
}

/// The indices with the gaps between them. A wider gap separates them or, where they must not be separated, is left out.
fn with_gaps(indices: &BTreeSet<u32>, parts: bool) -> Vec<Vec<u32>> {
    let mut groups: Vec<Vec<u32>> = Vec::new();
    for index in indices {
        match groups.last_mut() {
            Some(group) => {
                let last = group.last().copied().unwrap_or(0);
                if index - last - 1 <= WIDEST_GAP {
                    group.extend(last + 1..=*index);
                } else if parts {
                    groups.push(vec![*index]);
                } else {
                    group.push(*index);
                }
            }
            None => groups.push(vec![*index]),
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::IntakeLimits;
    use crate::budget::ReadingBudget;

    fn tables(cells: &[(u32, u32, &str)], limits: &IntakeLimits) -> Vec<SourceTable> {
        let reading = Reading {
            name: "a.xlsx",
            bytes: &[],
            limits,
            stop: &|| false,
            budget: ReadingBudget::default(),
        };
        let mut gathering = Gathering::new(&reading);
        let mut grid = Grid::default();
        for (row, column, text) in cells {
            let cell = GridCell {
                text: RichText::plain(*text),
                is_words: text.parse::<f64>().is_err(),
            };
            grid.put((*row, *column), cell, limits.cells, &reading)
                .unwrap();
        }
        grid.give("Sheet", &mut gathering);
        let blocks = gathering.finish().blocks.into_iter();
        blocks
            .filter_map(|block| {
                if let BlockContent::Table(table) = block.content {
                    Some(table)
                } else {
                    None
                }
            })
            .collect()
    }

    #[test]
    fn empty_edges_are_left_out_and_distant_cells_make_tables_of_their_own() {
        let cells = [
            (3, 2, "Name"),
            (3, 3, "Value"),
            (4, 2, "a"),
            (4, 3, "1"),
            (1_048_575, 16_383, "far"),
        ];
        let tables = tables(&cells, &IntakeLimits::default());
        assert_eq!(tables.len(), 2);
        assert_eq!(tables[0].rows.len(), 2);
        assert_eq!(tables[0].rows[0].len(), 2);
        assert_eq!(tables[0].head_rows, 1);
        assert_eq!(tables[1].rows, vec![vec![RichText::plain("far")]]);
    }

    #[test]
    fn a_title_over_the_head_is_part_of_the_head() {
        let cells = [
            (0, 0, "Sales"),
            (1, 0, "City"),
            (1, 1, "Sum"),
            (2, 0, "a"),
            (2, 1, "1"),
        ];
        assert_eq!(tables(&cells, &IntakeLimits::default())[0].head_rows, 2);
    }
}
