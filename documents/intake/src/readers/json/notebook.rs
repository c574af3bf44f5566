//! Notebooks of Jupyter: cells of Markdown and of code, and what the code wrote when it was run last.

use serde::Deserialize;
use serde_json::Value;
use spec::source::{BlockContent, Location, SourceDocument};

use crate::Unreadable;
use crate::gather::Gathering;
use crate::readers::markdown;

#[derive(Deserialize)]
pub(super) struct Notebook {
    cells: Vec<Cell>,
    #[serde(default)]
    metadata: Value,
}

#[derive(Deserialize)]
struct Cell {
    cell_type: String,
    #[serde(default)]
    source: Text,
    #[serde(default)]
    outputs: Vec<CellOutput>,
}

#[derive(Deserialize)]
struct CellOutput {
    /// What was written.
    #[serde(default)]
    text: Text,
    /// What was shown, in several forms.
    #[serde(default)]
    data: DataForms,
    /// The message of an error.
    #[serde(default)]
    evalue: String,
}

#[derive(Default, Deserialize)]
struct DataForms {
    #[serde(default, rename = "text/plain")]
    plain: Text,
    #[serde(flatten)]
    others: serde_json::Map<String, Value>,
}

/// A text, or its lines.
#[derive(Default, Deserialize)]
#[serde(from = "Value")]
struct Text(String);

impl From<Value> for Text {
    fn from(value: Value) -> Self {
        Self(match value {
            Value::String(text) => text,
            Value::Array(lines) => lines.iter().filter_map(Value::as_str).collect(),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => String::new(),
        })
    }
}

/// The notebook that a text is; `None` if it is other JSON.
pub(super) fn parse(text: &str) -> Option<Notebook> {
    serde_json::from_str(text).ok()
}

pub(super) fn read(
    notebook: &Notebook,
    gathering: &mut Gathering<'_, '_>,
) -> Result<(), Unreadable> {
    let metadata = &notebook.metadata;
    let names = [
        &metadata["language_info"]["name"],
        &metadata["kernelspec"]["language"],
    ];
    let language = names.into_iter().find_map(Value::as_str);
    for (number, cell) in notebook.cells.iter().enumerate() {
        gathering.reading.go_on()?;
        let at = Location::Pointer(format!("/cells/{number}"));
        match cell.cell_type.as_str() {
            "markdown" => put_markdown(&cell.source.0, &at, gathering)?,
            "code" => put_code(&cell.source.0, language, &at, gathering),
            _ => put_code(&cell.source.0, None, &at, gathering),
        }
        for output in &cell.outputs {
            put_output(output, &at, gathering);
        }
    }
    Ok(())
}

/// Markdown is read like a file of its own, and each block is placed at the cell.
fn put_markdown(
    text: &str,
    at: &Location,
    gathering: &mut Gathering<'_, '_>,
) -> Result<(), Unreadable> {
    let mut own = Gathering::new(gathering.reading);
    markdown::read_text(text, &mut own)?;
    let SourceDocument {
        blocks, omissions, ..
    } = own.finish();
    for block in blocks {
        gathering.push(at.clone(), block.content);
    }
    for omission in omissions {
        gathering.omit(at.clone(), omission.what, omission.why);
    }
    Ok(())
}

fn put_code(text: &str, language: Option<&str>, at: &Location, gathering: &mut Gathering<'_, '_>) {
    let text = text.trim_end();
    if !text.trim().is_empty() {
        let code = BlockContent::Code {
            language: language.map(str::to_owned),
            text: text.to_owned(),
        };
        gathering.push(at.clone(), code);
    }
}

fn put_output(output: &CellOutput, at: &Location, gathering: &mut Gathering<'_, '_>) {
    let CellOutput { text, data, evalue } = output;
    for text in [&text.0, &data.plain.0, evalue] {
        put_code(text, None, at, gathering);
    }
    if data.others.keys().any(|kind| kind.starts_with("image/")) {
        let why =
            "pictures in the outputs of a notebook are not read; give those that matter as files";
        gathering.omit(at.clone(), "a picture", why);
    }
}
