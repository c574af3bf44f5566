//! Tables with a sign between their cells, each cell as it is written.

mod dialect;
mod pieces;
mod preamble;
#[cfg(test)]
mod tests;

use csv::StringRecord;
use spec::source::{BlockContent, Location, RichText, SourceDocument, SourceFormat, SourceTable};

use crate::gather::Gathering;
use crate::{Reading, Unreadable};
use dialect::Dialect;

/// Rows between two looks at whether to stop.
const ROWS_PER_LOOK: usize = 1_000;

pub(super) fn read(reading: &Reading<'_>) -> Result<SourceDocument, Unreadable> {
    let decoded = crate::encoding::decode(reading.bytes);
    decoded.check(SourceFormat::Csv)?;
    let mut gathering = Gathering::new(reading);
    let (said, text) = dialect::said(&decoded.text);
    let first_line = if said.is_some() { 2 } else { 1 };
    let extension = crate::detect::extension(reading.name);
    let dialect = dialect::find(text, said, &extension);
    let mut rows = rows(text, dialect, first_line, &mut gathering)?;
    let sign = char::from(dialect.sign);
    for row in rows.drain(..preamble::len(&rows)) {
        let words = row.cells.join(sign.to_string().as_str());
        let words = words.trim_end_matches(sign).trim();
        if !words.is_empty() {
            let text = BlockContent::Paragraph(RichText::plain(words));
            gathering.push(Location::Line(row.line), text);
        }
    }
    if let Some(first) = rows.first() {
        let line = first.line;
        let table = table(rows.into_iter().map(|row| row.cells).collect());
        gathering.push(Location::Line(line), BlockContent::Table(table));
    }
    let mut document = gathering.finish();
    decoded.note(&mut document);
    Ok(document)
}

/// A row as it is written.
struct Row {
    /// The line on which it begins.
    line: usize,
    cells: Vec<String>,
}

fn rows(
    text: &str,
    dialect: Dialect,
    first_line: usize,
    gathering: &mut Gathering<'_, '_>,
) -> Result<Vec<Row>, Unreadable> {
    let limits = gathering.reading.limits;
    let mut rows: Vec<Row> = Vec::new();
    let (mut width, mut chars, mut beyond) = (0_usize, 0_usize, 0_usize);
    let (mut first_beyond, mut before) = (first_line, first_line - 1);
    for piece in pieces::pieces(text, dialect) {
        gathering.reading.go_on()?;
        if piece.is_open {
            gathering.omit(
                Location::Line(before + 1),
                format!(
                    "the end of the quotation that begins in line {}",
                    before + 1
                ),
                "its quotation mark is never closed, so the line was read as it stands; correct it",
            );
        }
        let mut reader = piece.dialect.reader(piece.text);
        let mut record = StringRecord::new();
        while reader
            .read_record(&mut record)
            .map_err(|error| crate::package::damaged(SourceFormat::Csv, &error.to_string()))?
        {
            if (rows.len() + beyond).is_multiple_of(ROWS_PER_LOOK) {
                gathering.reading.go_on()?;
            }
            let line = record.position().map_or(1, csv::Position::line);
            let line = before.saturating_add(usize::try_from(line).unwrap_or(usize::MAX));
            // All rows get the length of the longest row, so one long row costs as much as making all the others longer.
            let wide = width.max(record.len());
            let cells = (rows.len() + 1).saturating_mul(wide);
            let more: usize = record.iter().map(|cell| cell.chars().count()).sum();
            if beyond > 0 || cells > gathering.cells_left() || chars + more > limits.chars {
                if beyond == 0 {
                    first_beyond = line;
                }
                beyond += 1;
                continue;
            }
            width = wide;
            chars += more;
            let cells = record.iter().map(str::to_owned).collect();
            rows.push(Row { line, cells });
        }
        before += piece.text.matches('\n').count();
    }
    if beyond > 0 {
        omit_rows(Location::Line(first_beyond), beyond, rows.len(), gathering);
    }
    Ok(rows)
}

/// Notes how many rows are beyond the limits.
pub(super) fn omit_rows(
    location: Location,
    beyond: usize,
    read: usize,
    gathering: &mut Gathering<'_, '_>,
) {
    let limits = gathering.reading.limits;
    let what = format!("{beyond} rows after the first {read}");
    let why = format!(
        "at most {} cells and {} characters are read; give a part of the file",
        limits.cells, limits.chars
    );
    gathering.omit(location, what, why);
}

/// Rows of cells as a table, with its head if the first row looks like one.
pub(super) fn table(rows: Vec<Vec<String>>) -> SourceTable {
    let width = rows.iter().map(Vec::len).max().unwrap_or(0);
    let head_rows = usize::from(has_head(&rows));
    let rows = rows
        .into_iter()
        .map(|row| {
            let mut row: Vec<RichText> = row
                .into_iter()
                .map(|cell| RichText::plain(cell.replace("\r\n", "\n").replace('\r', "\n")))
                .collect();
            row.resize(width, RichText::default());
            row
        })
        .collect();
    SourceTable {
        head_rows,
        rows,
        ..SourceTable::default()
    }
}

/// Whether the first row names the columns: each with a different word, and none with a value. Years count as names, too.
fn has_head(rows: &[Vec<String>]) -> bool {
    let [first, _, ..] = rows else {
        return false;
    };
    let names: Vec<&str> = first.iter().map(|cell| cell.trim()).collect();
    let mut distinct = names.clone();
    distinct.sort_unstable();
    distinct.dedup();
    let blank = names.iter().skip(1).filter(|name| name.is_empty()).count();
    if distinct.len() < names.len() - blank || blank * 2 > names.len() {
        return false;
    }
    let is_year =
        |name: &&str| name.len() == 4 && (name.starts_with("19") || name.starts_with("20"));
    if names.len() > 2
        && names
            .iter()
            .skip(1)
            .all(|name| is_year(name) && is_value(name))
    {
        return !is_value(names[0]);
    }
    !names.iter().any(|name| is_value(name))
}

/// A number, an amount, a date or a time.
fn is_value(cell: &str) -> bool {
    let digits = cell.chars().filter(char::is_ascii_digit).count();
    let others = cell.chars().filter(|char| char.is_alphabetic()).count();
    digits > 0 && (others == 0 || (digits > 3 && others < 3))
}
