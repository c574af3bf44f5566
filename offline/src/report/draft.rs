//! A section out of data: what the files say about its subject, each statement with its file.

use std::collections::BTreeSet;

use domain::carry::Work;
use domain::pipelines::report::shape::SectionTask;
use serde_json::{Value, json};

use super::data::{self, Data, Table};
use super::relevance::{shared, words};

/// Statements of one section: what a reader takes in at a time.
const STATEMENTS_MAX: usize = 8;
/// Tables of one section.
const TABLES_MAX: usize = 2;

/// Words in the titles of sections that are about the whole.
const OVERVIEWS: [&str; 10] = [
    "总体",
    "概述",
    "概况",
    "摘要",
    "背景",
    "引言",
    "前言",
    "overview",
    "summary",
    "introduction",
];

type Read<'a> = Vec<(&'a str, Data)>;

/// What is handed in; without data, that there is nothing to say it from.
pub(super) fn section(work: &Work, task: &SectionTask, files: &[(&str, &str)]) -> Value {
    let template = task.template.as_deref().unwrap_or_default();
    let subject = words(&format!(
        "{} {template} {}",
        task.title,
        task.hints.join(" ")
    ));
    let read: Read<'_> = files
        .iter()
        .map(|(path, text)| (*path, data::read(path, text)))
        .collect();
    let said = statements(&read, &subject, is_overview(task));
    let tables = tables(&read, &subject);
    let zh = work.is_chinese();
    let mut content = String::new();
    if said.is_empty() && tables.is_empty() {
        content.push_str(if zh {
            "给定的数据中没有可用于本节的内容，请补充数据后重新撰写。"
        } else {
            "The given data has nothing for this section; add data and have it written again."
        });
    }
    for (path, text) in &said {
        content.push_str(&format!("- {} [{path}]\n", plain(text)));
    }
    for (path, table) in &tables {
        if !content.is_empty() {
            content.push('\n');
        }
        let name = if table.name.is_empty() {
            let file = path.rsplit('/').next().unwrap_or(path);
            file.rsplit_once('.').map_or(file, |(stem, _)| stem)
        } else {
            &table.name
        };
        let cut = match (table.cut, zh) {
            (false, _) => "",
            (true, true) => "（节选）",
            (true, false) => " (excerpt)",
        };
        content.push_str(&format!("{}{cut} [{path}]\n\n", plain(name)));
        content.push_str(&markdown(table));
    }
    let tables_given: Vec<_> = tables
        .iter()
        .map(|(path, table)| {
            json!({ "name": table.name, "source": path, "columns": table.head, "rows": table.rows })
        })
        .collect();
    json!({
        "id": task.id,
        "title": task.title,
        "content": content.trim_end(),
        "tables": tables_given,
        "summary": summary(zh, &task.title, said.is_empty() && tables.is_empty()),
    })
}

fn summary(zh: bool, title: &str, nothing: bool) -> String {
    match (zh, nothing) {
        (true, true) => format!("“{title}”没有可用的数据（离线作者）"),
        (true, false) => format!("“{title}”由离线作者依据数据整理"),
        (false, true) => format!("no data for \"{title}\" (offline author)"),
        (false, false) => {
            format!("\"{title}\" put together from the data by the offline author")
        }
    }
}

/// Whether a section is about the whole, so that whatever stands first in the data belongs to it.
fn is_overview(task: &SectionTask) -> bool {
    let title = task.title.to_lowercase();
    OVERVIEWS.iter().any(|word| title.contains(word))
}

/// The statements that have most to do with the subject, in the order in which they stand; where none has, none, and in an
/// overview the first.
fn statements<'a>(
    read: &Read<'a>,
    subject: &BTreeSet<String>,
    overview: bool,
) -> Vec<(&'a str, String)> {
    let all = read.iter().flat_map(|(path, data)| {
        let statements = data.statements.iter();
        statements.map(move |text| (*path, text))
    });
    let mut rated: Vec<_> = all
        .enumerate()
        .map(|(place, (path, text))| (shared(text, subject), place, path, text))
        .collect();
    rated.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
    if !overview || rated.first().is_some_and(|best| best.0 > 0) {
        rated.retain(|rated| rated.0 > 0);
    }
    rated.truncate(STATEMENTS_MAX);
    rated.sort_by_key(|rated| rated.1);
    let rated = rated.into_iter();
    rated
        .map(|(_, _, path, text)| (path, text.clone()))
        .collect()
}

fn tables<'r, 'a>(read: &'r Read<'a>, subject: &BTreeSet<String>) -> Vec<(&'a str, &'r Table)> {
    let all = read
        .iter()
        .flat_map(|(path, data)| data.tables.iter().map(move |table| (*path, table)));
    let text = |path: &str, table: &Table| {
        let (head, rows) = (table.head.join(" "), table.rows.concat().join(" "));
        // What the file is called says something of a table only where nothing else does.
        let name = if table.name.is_empty() {
            path
        } else {
            &table.name
        };
        format!("{name} {head} {rows}")
    };
    let mut rated: Vec<_> = all
        .map(|(path, table)| (shared(&text(path, table), subject), path, table))
        .collect();
    rated.sort_by_key(|rated| std::cmp::Reverse(rated.0));
    let best = rated.first().map_or(0, |best| best.0);
    // One that has less than half as much to do with the subject is about something else.
    rated.retain(|rated| rated.0 > 0 && rated.0 * 2 >= best);
    let rated = rated.into_iter().take(TABLES_MAX);
    rated.map(|(_, path, table)| (path, table)).collect()
}

/// Text out of a file that is text in Markdown too.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for c in text.chars() {
        if "\\`*_[]<>|#".contains(c) {
            plain.push('\\');
        }
        plain.push(c);
    }
    plain
}

fn markdown(table: &Table) -> String {
    let row = |cells: &[String]| {
        let cells: Vec<_> = cells.iter().map(|cell| plain(cell)).collect();
        format!("| {} |\n", cells.join(" | "))
    };
    let mut text = row(&table.head);
    text.push_str(&format!("|{}\n", " --- |".repeat(table.head.len())));
    for cells in &table.rows {
        text.push_str(&row(cells));
    }
    text
}
