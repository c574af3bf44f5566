//! JSON: arrays of similar objects as tables, other values under their names. Numbers are never parsed: each stays as it is written, digit
//! for digit.

mod notebook;
mod tables;
#[cfg(test)]
mod tests;
mod value;

use serde_json::Deserializer;
use serde_json::value::RawValue;
use spec::source::{
    BlockContent, ListItem, ListMarker, Location, RichText, SourceDocument, SourceFormat,
};

use crate::gather::Gathering;
use crate::{Reading, Unreadable};
use value::{Value, child, compact};

/// From this many characters on, a string is prose and not a value.
const PROSE: usize = 100;

/// Characters that are shown of a line that is not JSON.
const SHOWN: usize = 60;

pub(super) fn read(reading: &Reading<'_>) -> Result<SourceDocument, Unreadable> {
    let decoded = crate::encoding::lines(reading.bytes);
    decoded.check(SourceFormat::Json)?;
    let mut gathering = Gathering::new(reading);
    let is_notebook = crate::detect::extension(reading.name) == "ipynb";
    let notebook = is_notebook.then(|| notebook::parse(&decoded.text));
    match notebook.flatten() {
        Some(notebook) => notebook::read(&notebook, &mut gathering)?,
        None => {
            let mut writer = Json {
                gathering: &mut gathering,
            };
            writer.read(&decoded.text)?;
        }
    }
    let mut document = gathering.finish();
    decoded.note(&mut document);
    Ok(document)
}

struct Json<'g, 'r, 'a> {
    gathering: &'g mut Gathering<'r, 'a>,
}

impl Json<'_, '_, '_> {
    fn read(&mut self, text: &str) -> Result<(), Unreadable> {
        let values: Result<Vec<&RawValue>, serde_json::Error> =
            Deserializer::from_str(text).into_iter().collect();
        match values.as_deref() {
            Ok([value]) => return self.value(value, "", 1, 0),
            Ok(values) => return self.array(values, "", 1, 0),
            Err(_) => {}
        }
        let lines: Vec<(usize, &str)> = text
            .lines()
            .enumerate()
            .map(|(index, line)| (index + 1, line.trim()))
            .filter(|(_, line)| !line.is_empty())
            .collect();
        let (good, bad): (Vec<_>, Vec<_>) = lines
            .iter()
            .map(|(number, line)| (*number, *line, serde_json::from_str::<&RawValue>(line)))
            .partition(|(_, _, value)| value.is_ok());
        let is_lines = good.len() > 1 && good.len() > 2 * bad.len();
        if is_lines {
            for (number, line, _) in bad {
                let shown: String = line.chars().take(SHOWN).collect();
                let what = format!("a line that is no JSON: \"{shown}\"");
                let why = "each line of this file is a value of its own; mend the line";
                self.gathering.omit(Location::Line(number), what, why);
            }
            let values: Vec<&RawValue> = good
                .into_iter()
                .filter_map(|(_, _, value)| value.ok())
                .collect();
            return self.array(&values, "", 1, 0);
        }
        if let Err(error) = values {
            let line = Location::Line(error.line());
            let what = format!("the structure of the file, which is no JSON: {error}");
            self.gathering
                .omit(line, what, "its text is kept as it stands");
        }
        self.code(text.trim_end(), Location::Line(1));
        Ok(())
    }

    /// A value with the level of headings in it, and its depth.
    fn value(
        &mut self,
        raw: &RawValue,
        pointer: &str,
        level: u8,
        depth: usize,
    ) -> Result<(), Unreadable> {
        self.gathering.reading.go_on()?;
        if depth >= self.gathering.reading.limits.depth {
            self.code(raw.get(), at(pointer));
            return Ok(());
        }
        match Value::of(raw) {
            Value::Object(entries) => self.object(entries, pointer, level, depth),
            Value::Array(values) => self.array(&values, pointer, level, depth),
            Value::Text(text) => {
                self.prose(&text, pointer);
                Ok(())
            }
            Value::Other(text) => {
                self.prose(text, pointer);
                Ok(())
            }
        }
    }

    /// Simple values come first, and values with parts of their own after them: below a heading, a simple value would seem to belong to it.
    fn object(
        &mut self,
        entries: Vec<(String, &RawValue)>,
        pointer: &str,
        level: u8,
        depth: usize,
    ) -> Result<(), Unreadable> {
        let mut items = Vec::new();
        let mut parts = Vec::new();
        for (name, raw) in entries {
            match short(raw) {
                Some(value) => items.push(item(&format!("{name}: {value}"))),
                None => parts.push((name, raw)),
            }
        }
        if !items.is_empty() {
            self.gathering.push(at(pointer), BlockContent::List(items));
        }
        for (name, raw) in parts {
            let pointer = child(pointer, &name);
            if !name.trim().is_empty() {
                let text = RichText::plain(name);
                let heading = BlockContent::Heading { level, text };
                self.gathering.push(at(&pointer), heading);
            }
            self.value(raw, &pointer, (level + 1).min(6), depth + 1)?;
        }
        Ok(())
    }

    fn array(
        &mut self,
        values: &[&RawValue],
        pointer: &str,
        level: u8,
        depth: usize,
    ) -> Result<(), Unreadable> {
        if let Some(table) = tables::table(values, pointer, self.gathering)? {
            self.gathering.push(at(pointer), BlockContent::Table(table));
            return Ok(());
        }
        let mut items = Vec::new();
        let mut first = 0;
        for (index, raw) in values.iter().enumerate() {
            if let Some(value) = short(raw) {
                if items.is_empty() {
                    first = index;
                }
                items.push(item(&value));
                continue;
            }
            self.list(&mut items, pointer, first);
            self.value(raw, &child(pointer, &index.to_string()), level, depth + 1)?;
        }
        self.list(&mut items, pointer, first);
        Ok(())
    }

    fn list(&mut self, items: &mut Vec<ListItem>, pointer: &str, first: usize) {
        if !items.is_empty() {
            let location = at(&child(pointer, &first.to_string()));
            let list = BlockContent::List(std::mem::take(items));
            self.gathering.push(location, list);
        }
    }

    fn prose(&mut self, text: &str, pointer: &str) {
        for paragraph in text.replace("\r\n", "\n").split("\n\n") {
            let paragraph = paragraph.trim_matches('\n');
            if !paragraph.trim().is_empty() {
                let content = BlockContent::Paragraph(RichText::plain(paragraph));
                self.gathering.push(at(pointer), content);
            }
        }
    }

    fn code(&mut self, text: &str, location: Location) {
        let content = BlockContent::Code {
            language: Some("json".to_owned()),
            text: text.to_owned(),
        };
        self.gathering.push(location, content);
    }
}

/// A value that fits beside its name; `None` if it has parts or is prose.
fn short(raw: &RawValue) -> Option<String> {
    match Value::of(raw) {
        Value::Object(entries) => entries.is_empty().then(|| compact(raw.get())),
        Value::Array(values) => values.is_empty().then(|| compact(raw.get())),
        Value::Text(text) => {
            let is_prose = text.chars().nth(PROSE).is_some() || text.contains('\n');
            (!is_prose).then_some(text)
        }
        Value::Other(text) => Some(text.to_owned()),
    }
}

fn item(text: &str) -> ListItem {
    ListItem {
        level: 0,
        marker: ListMarker::Bullet,
        text: RichText::plain(text),
    }
}

fn at(pointer: &str) -> Location {
    if pointer.is_empty() {
        return Location::File;
    }
    Location::Pointer(pointer.to_owned())
}
