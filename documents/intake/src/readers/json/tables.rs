//! Turns arrays into tables.

use std::collections::HashMap;

use serde_json::value::RawValue;
use spec::source::{Location, RichText, SourceTable, TextMarks};

use super::value::{Value, compact};
use crate::Unreadable;
use crate::gather::Gathering;
use crate::readers::csv::omit_rows;

/// Values by which an array is recognised as a table.
const SAMPLE: usize = 200;

/// Columns of a table; objects with more names in all are not similar.
const MOST_COLUMNS: usize = 200;

/// Rows between two looks at whether to stop.
const ROWS_PER_LOOK: usize = 1_000;

/// The array as a table; `None` if its values are not similar.
pub(super) fn table(
    values: &[&RawValue],
    pointer: &str,
    gathering: &mut Gathering<'_, '_>,
) -> Result<Option<SourceTable>, Unreadable> {
    let all_are =
        |sign: char| !values.is_empty() && values.iter().all(|raw| raw.get().starts_with(sign));
    let mut rows = Rows::default();
    if all_are('{') && are_alike(values) {
        rows.names = Some(HashMap::new());
    } else if !(all_are('[') && are_rows(values)) {
        return Ok(None);
    }
    let limits = gathering.reading.limits;
    let mut beyond = 0;
    for (index, raw) in values.iter().enumerate() {
        if index.is_multiple_of(ROWS_PER_LOOK) {
            gathering.reading.go_on()?;
        }
        let cells = (rows.rows.len() + 2).saturating_mul(rows.width());
        if cells > gathering.cells_left() || rows.chars > limits.chars {
            beyond = values.len() - index;
            break;
        }
        rows.add(raw);
    }
    if beyond > 0 {
        let location = Location::Pointer(pointer.to_owned());
        omit_rows(location, beyond, rows.rows.len(), gathering);
    }
    let mut table = rows.finish();
    let names = pointer.split('/').filter(|name| !name.is_empty());
    let names: Vec<String> = names
        .map(|name| name.replace("~1", "/").replace("~0", "~"))
        .collect();
    table.caption = (!names.is_empty()).then(|| names.join(" / "));
    Ok(Some(table))
}

/// Whether the objects have most names in common and mostly values without parts.
fn are_alike(values: &[&RawValue]) -> bool {
    let mut names: HashMap<String, usize> = HashMap::new();
    let (mut entries, mut parts) = (0, 0);
    let sample = &values[..values.len().min(SAMPLE)];
    for raw in sample {
        let Value::Object(object) = Value::of(raw) else {
            return false;
        };
        for (name, value) in object {
            entries += 1;
            parts += usize::from(is_object(value));
            *names.entry(name).or_default() += 1;
        }
    }
    let common = names
        .values()
        .filter(|count| **count * 2 >= sample.len())
        .count();
    !names.is_empty()
        && names.len() <= MOST_COLUMNS
        && common * 2 >= names.len()
        && parts * 2 <= entries
        && (values.len() > 1 || parts == 0)
}

/// An object, or an array that has one.
fn is_object(raw: &RawValue) -> bool {
    let text = raw.get();
    text.starts_with('{') || (text.starts_with('[') && text.contains('{'))
}

/// Arrays of values without parts, more than one of them.
fn are_rows(values: &[&RawValue]) -> bool {
    values.len() > 1
        && values.iter().take(SAMPLE).all(|raw| match Value::of(raw) {
            Value::Array(cells) => cells.iter().all(|cell| !cell.get().starts_with(['{', '['])),
            Value::Object(_) | Value::Text(_) | Value::Other(_) => false,
        })
}

#[derive(Default)]
struct Rows {
    /// The column of each name; `None` if rows are arrays.
    names: Option<HashMap<String, usize>>,
    columns: Vec<String>,
    rows: Vec<Vec<RichText>>,
    widest: usize,
    chars: usize,
}

impl Rows {
    fn width(&self) -> usize {
        self.columns.len().max(self.widest)
    }

    fn add(&mut self, raw: &RawValue) {
        let mut row: Vec<RichText> = Vec::new();
        match Value::of(raw) {
            Value::Object(entries) => {
                for (name, value) in entries {
                    let column = self.column(name);
                    if row.len() <= column {
                        row.resize(column + 1, RichText::default());
                    }
                    // A name that comes twice: both values, one below the other.
                    let cell = self.cell(value);
                    if row[column].pieces.is_empty() {
                        row[column] = cell;
                    } else {
                        row[column].push("\n", TextMarks::default(), None);
                        for piece in cell.pieces {
                            row[column].push(piece.text, piece.marks, None);
                        }
                    }
                }
            }
            Value::Array(values) => row.extend(values.into_iter().map(|value| self.cell(value))),
            Value::Text(text) => row.push(RichText::plain(text)),
            Value::Other(text) => row.push(RichText::plain(text)),
        }
        self.widest = self.widest.max(row.len());
        self.rows.push(row);
    }

    fn column(&mut self, name: String) -> usize {
        let next = self.columns.len();
        let names = self.names.get_or_insert_default();
        *names.entry(name).or_insert_with_key(|name| {
            self.columns.push(name.clone());
            next
        })
    }

    fn cell(&mut self, raw: &RawValue) -> RichText {
        let mut cell = RichText::default();
        match Value::of(raw) {
            Value::Object(_) | Value::Array(_) => {
                let code = TextMarks {
                    code: true,
                    ..TextMarks::default()
                };
                cell.push(compact(raw.get()), code, None);
            }
            Value::Text(text) => cell = RichText::plain(text),
            Value::Other(text) => cell = RichText::plain(text),
        }
        self.chars += cell
            .pieces
            .iter()
            .map(|piece| piece.text.chars().count())
            .sum::<usize>();
        cell
    }

    fn finish(self) -> SourceTable {
        let width = self.width();
        let mut rows = Vec::with_capacity(self.rows.len() + 1);
        let head_rows = usize::from(self.names.is_some());
        if self.names.is_some() {
            rows.push(self.columns.into_iter().map(RichText::plain).collect());
        }
        rows.extend(self.rows);
        for row in &mut rows {
            row.resize(width, RichText::default());
        }
        SourceTable {
            head_rows,
            rows,
            ..SourceTable::default()
        }
    }
}
