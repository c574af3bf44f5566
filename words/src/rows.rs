//! Data files of rows and cells.

/// The rows of a table whose cells have tabs between them. Rows that begin with `#` are remarks.
///
/// # Panics
///
/// Where a row has another number of cells: tables are part of the program, and a test reads each.
pub fn rows<const N: usize>(table: &str) -> impl Iterator<Item = [&str; N]> {
    let rows = table.lines().filter(|row| !row.starts_with('#'));
    rows.map(|row| {
        let cells: Vec<&str> = row.split('\t').collect();
        let cells = cells.try_into();
        cells.unwrap_or_else(|_| panic!("not {N} cells in the row `{row}`"))
    })
}

/// The entries of a cell that have commas between them; none where it is empty.
pub fn entries(cell: &'static str) -> Vec<&'static str> {
    let entries = cell.split(',');
    entries.filter(|entry| !entry.is_empty()).collect()
}
