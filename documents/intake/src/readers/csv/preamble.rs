//! What stands above the head of a table: its title, and remarks of the program that wrote it.

use super::{Row, is_value};

/// Rows by which the usual number of cells is found out.
const ROWS: usize = 200;

/// From this many cells on, a row with words in the first cell alone is a title that a program filled up with empty cells.
const FILLED_UP: usize = 3;

/// How many rows stand above the table.
pub(super) fn len(rows: &[Row]) -> usize {
    let usual = usual_width(rows);
    if usual < 2 {
        return 0;
    }
    let above = rows.windows(2);
    above
        .take_while(|pair| is_above(&pair[0].cells, &pair[1].cells, usual))
        .count()
}

/// The most frequent number of cells.
fn usual_width(rows: &[Row]) -> usize {
    let mut widths: Vec<usize> = rows.iter().take(ROWS).map(|row| row.cells.len()).collect();
    widths.sort_unstable();
    let runs = widths.chunk_by(|one, other| one == other);
    runs.max_by_key(|run| run.len()).map_or(0, |run| run[0])
}

fn is_above(cells: &[String], next: &[String], usual: usize) -> bool {
    let first = cells.first().map_or("", |cell| cell.trim());
    let has_others = cells.iter().skip(1).any(|cell| !cell.trim().is_empty());
    if !has_others && (cells.len() == 1 || cells.len() >= FILLED_UP) {
        return true;
    }
    let is_remark = first.starts_with('#') && first != "#";
    // Some programs write the head itself as a remark; values come after it.
    let has_values = next.iter().any(|cell| is_value(cell.trim()));
    is_remark && (cells.len() != usual || (first.starts_with("# ") && !has_values))
}
