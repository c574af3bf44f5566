//! A section: the text of the template with its placeholders filled, and the parts of the data that belong to the section.

use palimpsest::prelude::author::source::{Grid, Item, Unit, Words};
use palimpsest::prelude::author::words::FROM_GIVEN;
use palimpsest::prelude::pipeline::Work;
use serde_json::{Value, json};
use spec::source::{
    BlockContent, ListItem, ListMarker, Location, RichText, SourceBlock, SourceDocument,
    SourceTable,
};

use super::data::{Data, Part, form};
use super::words::{NO_DATA, UNFILLED};
use crate::shapes::SectionTask;
use crate::shapes::placeholders::placeholders;

/// What is handed in.
pub(crate) fn section(work: &Work, task: &SectionTask, titles: &[String], data: &Data) -> Value {
    let (mut own, mut missing, mut tables) = (own_text(task), vec![], vec![]);
    let names: Vec<String> = placeholders(&own).into_iter().map(str::to_owned).collect();
    for name in &names {
        match data.value(name) {
            Some((_, value)) => own = own.replace(&format!("{{{{{name}}}}}"), &plain(value)),
            None => missing.push(name.trim()),
        }
    }
    let (mut blocks, mut filled, mut given) = (vec![], vec![], 0);
    let mut put = |path: &str, grid: &Grid| {
        let (name, head, rows) = (&grid.caption, &grid.head, &grid.rows);
        tables.push(json!({ "name": name, "source": path, "columns": head, "rows": rows }));
    };
    for block in own.trim().split("\n\n") {
        let form = form(block).and_then(|form| data.filled(&form));
        let Some((part @ Part(path, _, unit), grid)) = form else {
            blocks.push(block.to_owned());
            continue;
        };
        put(path, &grid);
        given += 1;
        let is_whole = |whole: &Grid| {
            grid.head.len() == whole.head.len() && grid.rows.len() == whole.rows.len()
        };
        if matches!(unit, Unit::Grid(whole) if is_whole(whole)) {
            filled.push(std::ptr::from_ref(part));
        }
        blocks.push(format!("{}\n\n[{path}]", markdown(&Unit::Grid(grid))));
    }
    let parts = data.of_section(titles, &task.title).into_iter();
    for part in parts.filter(|part| !filled.contains(&std::ptr::from_ref(*part))) {
        let Part(path, _, unit) = part;
        let gap = ["\n\n", " "][usize::from(matches!(unit, Unit::Para(_)))];
        blocks.push(format!("{}{gap}[{path}]", markdown(unit)));
        if let Unit::Grid(grid) = unit {
            put(path, grid);
        }
        given += 1;
    }
    let has_data = given > 0 || missing.len() < names.len();
    if !missing.is_empty() {
        blocks.push(format!("{}{}", UNFILLED.of(work), missing.join(", ")));
    } else if !has_data {
        blocks.push(NO_DATA.of(work).to_owned());
    }
    blocks.retain(|block| !block.is_empty());
    let summary = if has_data { FROM_GIVEN } else { NO_DATA };
    let content = blocks.join("\n\n");
    json!({ "id": task.id, "content": content, "tables": tables, "summary": summary.of(work) })
}

/// The template's text below the heading. A paragraph in brackets is an instruction for writing and not part of the text.
fn own_text(task: &SectionTask) -> String {
    let template = task.template.as_deref().unwrap_or_default();
    let is_heading = |text: &str| text.starts_with('#') && text.ends_with(&task.title);
    let is_hint = |text: &str| text.starts_with(['（', '(']) && text.ends_with(['）', ')']);
    let blocks = template.split("\n\n").map(str::trim_end);
    blocks
        .filter(|text| !is_heading(text) && !is_hint(text))
        .collect::<Vec<_>>()
        .join("\n\n")
}

/// Words with escapes where Markdown would take their signs for marks.
pub(crate) fn plain(text: &str) -> String {
    markdown(&Unit::Para(Words::of(&RichText::plain(text))))
}

fn markdown(unit: &Unit) -> String {
    let plain = |words: &str| RichText::plain(words);
    let content = match unit {
        Unit::Heading(_, words) | Unit::Para(words) => BlockContent::Paragraph(plain(&words.text)),
        Unit::Picture(alt, _) => BlockContent::Paragraph(plain(alt)),
        Unit::Code(language, lines) => BlockContent::Code {
            language: language.clone(),
            text: lines.join("\n"),
        },
        Unit::List(items) => {
            let item = |Item(level, sign, words): &Item| {
                let sign = sign.as_deref().unwrap_or_default();
                let number = sign.strip_suffix('.').and_then(|sign| sign.parse().ok());
                let done = ["☐", "☑"].iter().position(|known| *known == sign);
                let marker = number.map(ListMarker::Number);
                let marker = marker.or(done.map(|at| ListMarker::Task { done: at == 1 }));
                let before = if marker.is_none() { sign } else { "" };
                ListItem {
                    level: *level,
                    marker: marker.unwrap_or(ListMarker::Bullet),
                    text: plain(format!("{before} {}", words.text).trim_start()),
                }
            };
            BlockContent::List(items.iter().map(item).collect())
        }
        Unit::Grid(grid) => {
            let rows = [&grid.head].into_iter().chain(&grid.rows);
            let rows = rows.map(|row| row.iter().map(|cell| plain(cell)).collect());
            BlockContent::Table(SourceTable {
                caption: grid.caption.clone(),
                head_rows: 1,
                rows: rows.collect(),
                align: grid.align.clone(),
                chart: None,
            })
        }
    };
    let block = SourceBlock {
        location: Location::File,
        content,
    };
    let document = SourceDocument {
        blocks: vec![block],
        ..SourceDocument::default()
    };
    intake::markdown(&document).trim_end().to_owned()
}
