//! The cells of a sheet.

use calamine::{DataRef, ExcelDateTime, Hyperlink, Style};
use spec::source::{Location, RichText};

use super::{Workbook, broken};
use crate::Unreadable;
use crate::gather::Gathering;
use crate::readers::office::grid::{Grid, GridCell};
use crate::readers::office::number;

/// The most merged areas, and the most cells with links, that are taken into account.
const MOST_AREAS: usize = 20_000;

/// The most cells without a result that are named one by one.
const MOST_NAMED: usize = 12;

pub(super) fn read(
    sheet: &str,
    heads: Vec<u32>,
    workbook: &mut Workbook<'_>,
    gathering: &mut Gathering<'_, '_>,
) -> Result<(), Unreadable> {
    let most = gathering.cells_left();
    let is_1904 = workbook.has_1904_epoch();
    let mut grid = Grid::default();
    grid.heads(heads);
    let mut last_row = None;
    let mut cells = workbook
        .worksheet_cells_reader(sheet)
        .map_err(|error| broken(&error))?;
    let styles = cells.styles().to_vec();
    while let Some((cell, style)) = cells
        .next_cell_with_style_id()
        .map_err(|error| broken(&error))?
    {
        let (row, column) = cell.get_position();
        if last_row != Some(row) {
            gathering.reading.go_on()?;
            last_row = Some(row);
        }
        if let Some(cell) = shown(cell.get_value(), styles.get(style), is_1904) {
            grid.put((row, column), cell, most, gathering.reading)?;
        }
    }
    drop(cells);
    if !grid.is_full(most) {
        areas(sheet, workbook, &mut grid)?;
    }
    say_uncalculated(sheet, workbook, gathering)?;
    grid.give(sheet, gathering);
    Ok(())
}

/// Names the cells whose formula has no stored result: programs that write workbooks often do not calculate.
fn say_uncalculated(
    sheet: &str,
    workbook: &mut Workbook<'_>,
    gathering: &mut Gathering<'_, '_>,
) -> Result<(), Unreadable> {
    let cells = workbook.worksheet_cells_reader(sheet);
    let mut cells = cells.map_err(|error| broken(&error))?;
    let (mut count, mut first_row) = (0_usize, None);
    let mut names: Vec<String> = Vec::new();
    let mut last_row = None;
    while let Some(cell) = cells
        .next_cell_with_formula_metadata()
        .map_err(|error| broken(&error))?
    {
        let (row, column) = cell.pos;
        if last_row != Some(row) {
            gathering.reading.go_on()?;
            last_row = Some(row);
        }
        // An empty text is a result, too.
        if cell.formula.is_none() || !matches!(cell.value, DataRef::Empty) {
            continue;
        }
        count += 1;
        first_row.get_or_insert(row);
        if names.len() < MOST_NAMED {
            names.push(format!("{}{}", letters(column), row + 1));
        }
    }
    if let Some(row) = first_row {
        let more = if count > names.len() { " …" } else { "" };
        let what = format!(
            "the results of {count} formulas: {}{more}",
            names.join(", ")
        );
        let location = Location::Sheet {
            name: sheet.to_owned(),
            row: usize::try_from(row).unwrap_or(usize::MAX).saturating_add(1),
        };
        let why = "the file does not store them; open it in Excel, save it, and give that";
        gathering.omit(location, what, why);
    }
    Ok(())
}

/// The letters of a column, as in `AB12`.
fn letters(column: u32) -> String {
    let mut letters = Vec::new();
    let mut rest = column + 1;
    while rest > 0 {
        let letter = (rest - 1) % 26;
        letters.push(char::from_u32(u32::from(b'A') + letter).unwrap_or('?'));
        rest = (rest - 1) / 26;
    }
    letters.iter().rev().collect()
}

/// Merged cells and links.
fn areas(sheet: &str, workbook: &mut Workbook<'_>, grid: &mut Grid) -> Result<(), Unreadable> {
    let merged = workbook.merge_cells_by_sheet_name(sheet);
    let merged = merged.map_err(|error| broken(&error))?;
    for area in merged.iter().take(MOST_AREAS) {
        grid.merge(area.start, area.end);
    }
    // Links are additional: if the library cannot read the links of a sheet, its cells are still read.
    let links = workbook.hyperlinks_by_sheet_name(sheet).unwrap_or_default();
    for link in links.iter().take(MOST_AREAS) {
        add_link(link, grid);
    }
    Ok(())
}

fn add_link(link: &Hyperlink, grid: &mut Grid) {
    let Some(target) = &link.target else { return };
    let (row, column) = link.range.start;
    if let Some(cell) = grid.get_mut(row, column) {
        for piece in &mut cell.text.pieces {
            piece.link = Some(target.clone());
        }
    }
}

fn shown(value: &DataRef<'_>, style: Option<&Style>, is_1904: bool) -> Option<GridCell> {
    let code = style
        .and_then(|style| style.number_format.as_ref())
        .map(|format| format.format_code.as_str());
    let (text, is_words) = match value {
        DataRef::Empty => return None,
        DataRef::String(text) => (text.clone(), true),
        DataRef::SharedString(text) => ((*text).to_owned(), true),
        DataRef::Bool(value) => (if *value { "TRUE" } else { "FALSE" }.to_owned(), false),
        DataRef::Error(error) => (error.to_string(), false),
        DataRef::DateTimeIso(text) | DataRef::DurationIso(text) => (text.clone(), false),
        DataRef::DateTime(date) => (date_shown(date, code, is_1904), false),
        DataRef::Float(value) => (number::shown(*value, code, is_1904), false),
        #[expect(
            clippy::cast_precision_loss,
            reason = "Excel keeps every number as a float"
        )]
        DataRef::Int(value) => (number::shown(*value as f64, code, is_1904), false),
    };
    Some(GridCell {
        text: RichText::plain(text.replace("\r\n", "\n").trim()),
        is_words,
    })
}

fn date_shown(date: &ExcelDateTime, code: Option<&str>, is_1904: bool) -> String {
    if code.is_some_and(|code| number::date_kind(code).is_some()) {
        return number::shown(date.as_f64(), code, is_1904);
    }
    let kind = if date.is_duration() {
        number::DateKind::Duration
    } else {
        number::DateKind::Date
    };
    number::date(date.as_f64(), kind, is_1904)
}
