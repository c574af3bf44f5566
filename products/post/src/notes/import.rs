//! Files of notes: tables with a line of headings (CSV), or one object on each line (JSON Lines). A file is taken only as a whole and only
//! without errors; each error is reported with its line.

use std::collections::{BTreeMap, HashMap};
use std::fmt;

use serde_json::Value;

use super::Note;
use super::fields::{Draft, Field, Given, field};

/// The most wrong lines that are reported; the others are counted. Where there are more, they mostly have the same cause.
pub(crate) const PROBLEMS_MAX: usize = 20;

/// How a file of notes is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// Headings, then one note in each record; RFC 4180.
    Csv,
    /// One JSON object on each line.
    JsonLines,
}

/// What is wrong with a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BadLine {
    /// Counted from 1 in the file.
    pub(crate) line: u64,
    pub(crate) what: String,
}

/// Why a file was not taken.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct BadNotes {
    /// The first wrong lines.
    pub(crate) lines: Vec<BadLine>,
    /// How many more wrong lines there are.
    pub(crate) more: usize,
}

impl BadNotes {
    fn one(line: u64, what: impl Into<String>) -> Self {
        let mut bad = Self::default();
        bad.add(line, what.into());
        bad
    }

    fn add(&mut self, line: u64, what: String) {
        if self.lines.len() < PROBLEMS_MAX {
            self.lines.push(BadLine { line, what });
        } else {
            self.more += 1;
        }
    }
}

impl fmt::Display for BadNotes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, bad) in self.lines.iter().enumerate() {
            let between = if n > 0 { "; " } else { "" };
            write!(f, "{between}line {}: {}", bad.line, bad.what)?;
        }
        if self.more > 0 {
            write!(f, "; and {} more", self.more)?;
        }
        Ok(())
    }
}

impl std::error::Error for BadNotes {}

/// The notes of a file, each id once: of several notes with the same id, the last one, in the place of the first.
///
/// # Errors
///
/// What is wrong, and in which lines. In this case no note of the file may be taken.
pub(crate) fn read(format: Format, bytes: &[u8]) -> Result<Vec<Note>, BadNotes> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let before = &bytes[..error.valid_up_to()];
        let line = before.iter().filter(|byte| **byte == b'\n').count() as u64 + 1;
        BadNotes::one(
            line,
            "the file is not UTF-8; save it as UTF-8 and try again",
        )
    })?;
    let mut reading = Reading::default();
    match format {
        Format::Csv => reading.csv(text)?,
        Format::JsonLines => reading.json_lines(text),
    }
    if reading.bad.lines.is_empty() {
        Ok(reading.notes)
    } else {
        Err(reading.bad)
    }
}

#[derive(Default)]
struct Reading {
    notes: Vec<Note>,
    places: HashMap<String, usize>,
    bad: BadNotes,
}

impl Reading {
    fn take(&mut self, line: u64, note: Result<Note, String>) {
        match note {
            Ok(note) => match self.places.get(&note.id) {
                Some(place) => self.notes[*place] = note,
                None => {
                    self.places.insert(note.id.clone(), self.notes.len());
                    self.notes.push(note);
                }
            },
            Err(what) => self.bad.add(line, what),
        }
    }

    fn csv(&mut self, text: &str) -> Result<(), BadNotes> {
        let mut reader = csv::ReaderBuilder::new()
            .flexible(true)
            .from_reader(text.as_bytes());
        let headings = match reader.headers() {
            Ok(headings) => headings.clone(),
            Err(error) => return Err(BadNotes::one(1, format!("not CSV: {error}"))),
        };
        let columns = columns(&headings)?;
        let mut record = csv::StringRecord::new();
        loop {
            let line = reader.position().line();
            match reader.read_record(&mut record) {
                Ok(false) => return Ok(()),
                Ok(true) => {}
                Err(error) => {
                    self.bad.add(line, format!("not CSV: {error}"));
                    return Ok(());
                }
            }
            let line = record.position().map_or(line, csv::Position::line);
            if record.iter().all(|cell| cell.trim().is_empty()) {
                continue;
            }
            let note = if record.len() > headings.len() {
                let (cells, most) = (record.len(), headings.len());
                Err(format!(
                    "{cells} cells where there are {most} headings; a text with commas or line breaks stands in double quotes"
                ))
            } else {
                of_record(&columns, &record)
            };
            self.take(line, note);
        }
    }

    fn json_lines(&mut self, text: &str) {
        for (line, text) in (1..).zip(text.lines()) {
            if !text.trim().is_empty() {
                self.take(line, of_json(text));
            }
        }
    }
}

/// Which column each field is in.
fn columns(headings: &csv::StringRecord) -> Result<BTreeMap<Field, usize>, BadNotes> {
    let mut columns = BTreeMap::new();
    for (column, heading) in headings.iter().enumerate() {
        // Columns that are not fields of a note are ignored.
        if let Some(field) = field(heading)
            && columns.insert(field, column).is_some()
        {
            let what = format!("the heading `{heading}` means the same as another one");
            return Err(BadNotes::one(1, what));
        }
    }
    for (field, names) in [
        (Field::Title, "title (标题)"),
        (Field::Body, "body (正文, 内容)"),
    ] {
        if !columns.contains_key(&field) {
            let what = format!("there is no heading {names}; the first line names the columns");
            return Err(BadNotes::one(1, what));
        }
    }
    Ok(columns)
}

fn of_record(columns: &BTreeMap<Field, usize>, record: &csv::StringRecord) -> Result<Note, String> {
    let mut draft = Draft::default();
    for (field, column) in columns {
        if let Some(cell) = record.get(*column) {
            draft.take(*field, Given::Text(cell.to_owned()))?;
        }
    }
    draft.finish()
}

fn of_json(text: &str) -> Result<Note, String> {
    let value: Value = serde_json::from_str(text).map_err(|error| format!("not JSON: {error}"))?;
    let Value::Object(object) = value else {
        return Err("not an object".to_owned());
    };
    let mut draft = Draft::default();
    let mut seen = vec![];
    for (name, value) in object {
        let Some(field) = field(&name) else { continue };
        if seen.contains(&field) {
            return Err(format!("`{name}` means the same as another name in it"));
        }
        seen.push(field);
        if let Some(given) = given(value).map_err(|what| format!("{name} {what}"))? {
            draft.take(field, given)?;
        }
    }
    draft.finish()
}

fn given(value: Value) -> Result<Option<Given>, String> {
    match value {
        Value::Null => Ok(None),
        Value::String(text) => Ok(Some(Given::Text(text))),
        Value::Number(number) => match number.as_u64() {
            Some(number) => Ok(Some(Given::Number(number))),
            None => Err(format!("`{number}` is no count")),
        },
        Value::Array(items) => {
            let texts = items.into_iter().map(|item| match item.as_str() {
                Some(text) => Ok(text.to_owned()),
                None => Err(format!("has `{item}` in its list, which is no text")),
            });
            texts.collect::<Result<_, _>>().map(Given::List).map(Some)
        }
        Value::Bool(_) | Value::Object(_) => Err("is neither text, number nor list".to_owned()),
    }
}
