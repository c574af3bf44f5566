//! A section: what the template says there with its placeholders filled, and the parts of the data that belong there.

use domain::carry::Work;
use domain::pipelines::report::shape::SectionTask;
use serde_json::{Value, json};
use spec::source::ColumnAlign;

use super::data::{Data, Part};
use crate::source::{Grid, Item, Unit};
use crate::words::{FROM_GIVEN, NO_DATA, UNFILLED};

/// What is handed in.
pub(crate) fn section(work: &Work, task: &SectionTask, titles: &[String], data: &Data) -> Value {
    let (mut own, mut missing, mut tables) = (own_text(task), vec![], vec![]);
    let names: Vec<String> = placeholders(&own).into_iter().map(str::to_owned).collect();
    for name in &names {
        match data.value(name) {
            Some(value) => own = own.replace(&format!("{{{{{name}}}}}"), &plain(value)),
            None => missing.push(name.trim()),
        }
    }
    let mut blocks = vec![own.trim().to_owned()];
    for Part(path, _, unit) in data.of_section(titles, &task.title) {
        let gap = ["\n\n", " "][usize::from(matches!(unit, Unit::Para(_)))];
        blocks.push(format!("{}{gap}[{path}]", markdown(unit)));
        if let Unit::Grid(grid) = unit {
            let (name, head, rows) = (&grid.caption, &grid.head, &grid.rows);
            tables.push(json!({ "name": name, "source": path, "columns": head, "rows": rows }));
        }
    }
    let has_data = blocks.len() > 1 || missing.len() < names.len();
    if !has_data {
        blocks.push(NO_DATA.of(work).to_owned());
    } else if !missing.is_empty() {
        blocks.push(format!("{}{}", UNFILLED.of(work), missing.join(", ")));
    }
    blocks.retain(|block| !block.is_empty());
    let summary = if has_data { FROM_GIVEN } else { NO_DATA };
    let content = blocks.join("\n\n");
    json!({ "id": task.id, "content": content, "tables": tables, "summary": summary.of(work) })
}

/// What the template says below the heading. A paragraph in brackets says how to write and is no text.
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

/// What stands in double braces.
pub(crate) fn placeholders(text: &str) -> Vec<&str> {
    let begins = text.split("{{").skip(1);
    let inner = begins.filter_map(|rest| rest.split_once("}}"));
    inner.map(|(name, _)| name).collect()
}

/// Words as words where Markdown would take signs for marks.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for c in text.chars() {
        let begins = plain.trim_end_matches(|c: char| c.is_ascii_digit());
        let is_first = begins.is_empty() || begins.ends_with('\n');
        if "\\`*_[]<|~".contains(c) || (is_first && "#>-+=.)".contains(c)) {
            plain.push('\\');
        }
        plain.push(c);
    }
    plain
}

fn markdown(unit: &Unit) -> String {
    match unit {
        Unit::Grid(grid) => table(grid),
        Unit::List(items) => items.iter().map(line).collect::<Vec<_>>().join("\n"),
        Unit::Code(language, lines) => {
            let (code, language) = (lines.join("\n"), language.as_deref().unwrap_or_default());
            let fence = "`".repeat(3 + code.matches("```").count());
            format!("{fence}{language}\n{code}\n{fence}")
        }
        Unit::Heading(_, words) | Unit::Para(words) => plain(&words.text),
    }
}

fn table(grid: &Grid) -> String {
    let row = |cells: &Vec<String>| {
        let cells: Vec<String> = cells.iter().map(|cell| plain(cell)).collect();
        format!("| {} |", cells.join(" | "))
    };
    let columns = grid.rows.first().map_or(grid.head.len(), Vec::len);
    let rule = (0..columns).map(|at| match grid.align.get(at) {
        Some(ColumnAlign::Left) => ":--",
        Some(ColumnAlign::Center) => ":-:",
        Some(ColumnAlign::Right) => "--:",
        Some(ColumnAlign::Unsaid) | None => "---",
    });
    let mut head = grid.head.clone();
    head.resize(columns, String::new());
    let mut lines: Vec<String> = grid.caption.iter().map(|name| plain(name) + "\n").collect();
    lines.push(row(&head));
    lines.push(format!("| {} |", rule.collect::<Vec<_>>().join(" | ")));
    lines.extend(grid.rows.iter().map(row));
    lines.join("\n")
}

fn line(Item(level, sign, words): &Item) -> String {
    let sign = match sign.as_deref() {
        None => "-".to_owned(),
        Some(number) if number.ends_with('.') => number.to_owned(),
        Some(sign) => format!("- {}", plain(sign)),
    };
    let indent = "    ".repeat((*level).into());
    let text = plain(&words.text).replace('\n', &format!("\n{indent}    "));
    format!("{indent}{sign} {text}")
}
