//! A document as Markdown, for models: all its blocks, with the words exactly as they are.
//!
//! Words that would be taken for marks of Markdown are escaped, so that reading the Markdown gives the same words again.

mod escape;
mod inline;
#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::fmt::Write as _;

use spec::source::{
    BlockContent, ColumnAlign, ListItem, ListMarker, NoteKind, RichText, SourceDocument,
    SourceTable,
};

use inline::{Place, Writer};

/// Stands between two lists that would otherwise become one.
const APART: &str = "<!-- -->";

/// Writes a document as Markdown.
#[must_use]
pub fn markdown(document: &SourceDocument) -> String {
    let labels = labels(document);
    let writer = Writer { labels: &labels };
    let mut out = String::new();
    let mut said: HashSet<&str> = HashSet::new();
    let mut was_list = false;
    for block in &document.blocks {
        let is_list = matches!(block.content, BlockContent::List(_));
        if was_list && is_list {
            out.push_str(APART);
            out.push_str("\n\n");
        }
        was_list = is_list;
        let footnote = footnote(&block.content)
            .filter(|(label, _)| labels.contains(label) && said.insert(label));
        let text = match footnote {
            Some((label, text)) => {
                let lines = writer.text(text, Place::Lines);
                format!("[^{label}]: {}", indented(&lines, "    "))
            }
            None => block_text(&block.content, &writer),
        };
        if !text.is_empty() {
            out.push_str(&text);
            out.push_str("\n\n");
        }
    }
    out.truncate(out.trim_end_matches('\n').len());
    if !out.is_empty() {
        out.push('\n');
    }
    out
}

/// Labels of footnotes that Markdown can write.
fn labels(document: &SourceDocument) -> HashSet<&str> {
    let notes = document.blocks.iter();
    let labels = notes.filter_map(|block| footnote(&block.content));
    let is_plain = |label: &&str| {
        !label.is_empty()
            && label
                .chars()
                .all(|char| char.is_alphanumeric() || char == '-')
    };
    labels.map(|(label, _)| label).filter(is_plain).collect()
}

/// The label and the words of a footnote.
fn footnote(content: &BlockContent) -> Option<(&str, &RichText)> {
    let BlockContent::Note { kind, label, text } = content else {
        return None;
    };
    let label = label.as_deref()?;
    (*kind == NoteKind::Footnote).then_some((label, text))
}

fn block_text(content: &BlockContent, writer: &Writer<'_>) -> String {
    match content {
        BlockContent::Heading { level, text } => {
            let sign = "#".repeat(usize::from(*level).clamp(1, 6));
            format!("{sign} {}", writer.text(text, Place::Heading))
        }
        BlockContent::Paragraph(text) => writer.text(text, Place::Lines),
        BlockContent::List(items) => list(items, writer),
        BlockContent::Table(table) => self::table(table, writer),
        BlockContent::Code { language, text } => {
            let fence = "`".repeat(longest_run(text, '`').max(2) + 1);
            let language = language.as_deref().unwrap_or_default();
            format!("{fence}{language}\n{text}\n{fence}")
        }
        BlockContent::Formula(latex) => {
            let lines: Vec<&str> = latex
                .lines()
                .filter(|line| !line.trim().is_empty())
                .collect();
            format!("$$\n{}\n$$", lines.join("\n"))
        }
        BlockContent::Quotation(paragraphs) => quotation(paragraphs.iter(), writer),
        BlockContent::Picture(picture) => {
            let alt = escape::alt(&picture.alt);
            format!("![{alt}]({})", escape::address(&picture.reference))
        }
        BlockContent::Note { text, .. } => {
            let mut note = RichText::plain("Note: ");
            for piece in &text.pieces {
                note.push(piece.text.as_str(), piece.marks, piece.link.as_deref());
            }
            quotation(std::iter::once(&note), writer)
        }
    }
}

fn quotation<'q>(paragraphs: impl Iterator<Item = &'q RichText>, writer: &Writer<'_>) -> String {
    let paragraphs: Vec<String> = paragraphs
        .map(|paragraph| writer.text(paragraph, Place::Lines))
        .filter(|text| !text.is_empty())
        .map(|text| format!("> {}", text.replace('\n', "\n> ")))
        .collect();
    paragraphs.join("\n>\n")
}

fn list(items: &[ListItem], writer: &Writer<'_>) -> String {
    let mut out = String::new();
    // Where the words of the item at each level begin.
    let mut columns: Vec<usize> = Vec::new();
    let mut last = None;
    let mut was_blank = false;
    for item in items {
        let is_deeper = columns.len() <= usize::from(item.level) && !columns.is_empty();
        columns.truncate(usize::from(item.level));
        // Directly below a line, a list is recognised only if it begins with 1.
        let is_first = matches!(
            item.marker,
            ListMarker::Number(1) | ListMarker::Bullet | ListMarker::Label(_)
        );
        if is_deeper && !was_blank && (item.text.is_blank() || !is_first) {
            out.push('\n');
        }
        if columns.is_empty() {
            // A list that counts from the beginning again is another list.
            if let (Some(ListMarker::Number(last)), ListMarker::Number(this)) =
                (&last, &item.marker)
                && this <= last
            {
                out.push_str(&format!("\n{APART}\n\n"));
            }
            last = Some(item.marker.clone());
        }
        let sign = sign(&item.marker);
        let indent = columns.last().copied().unwrap_or(0);
        let column = match item.marker {
            ListMarker::Task { .. } | ListMarker::Label(_) => indent + 2,
            ListMarker::Bullet | ListMarker::Number(_) => indent + sign.len(),
        };
        let text = writer.text(&item.text, Place::Lines);
        let text = indented(&text, &" ".repeat(column));
        out.push_str(&" ".repeat(indent));
        out.push_str(format!("{sign}{text}").trim_end());
        out.push('\n');
        columns.push(column);
        was_blank = item.text.is_blank();
    }
    out.truncate(out.trim_end().len());
    out
}

fn sign(marker: &ListMarker) -> String {
    match marker {
        ListMarker::Bullet => "- ".to_owned(),
        ListMarker::Number(number) => format!("{number}. "),
        ListMarker::Label(label) => format!("- {label} "),
        ListMarker::Task { done: true } => "- [x] ".to_owned(),
        ListMarker::Task { done: false } => "- [ ] ".to_owned(),
    }
}

fn indented(text: &str, indent: &str) -> String {
    text.replace('\n', &format!("\n{indent}"))
}

fn table(table: &SourceTable, writer: &Writer<'_>) -> String {
    let mut out = String::new();
    if let Some(caption) = &table.caption {
        out = writer.text(&RichText::plain(caption.as_str()), Place::Lines);
        out.push_str("\n\n");
    }
    let width = table.rows.iter().map(Vec::len).max().unwrap_or(0);
    if width == 0 {
        return out.trim_end().to_owned();
    }
    let (head, body) = table.rows.split_at(table.head_rows.min(1));
    row(
        &mut out,
        head.first().map_or(&[], Vec::as_slice),
        width,
        writer,
    );
    out.push('|');
    for column in 0..width {
        out.push_str(match table.align.get(column).copied().unwrap_or_default() {
            ColumnAlign::Unsaid => " --- |",
            ColumnAlign::Left => " :-- |",
            ColumnAlign::Center => " :-: |",
            ColumnAlign::Right => " --: |",
        });
    }
    out.push('\n');
    for cells in body {
        row(&mut out, cells, width, writer);
    }
    out.truncate(out.trim_end().len());
    out
}

fn row(out: &mut String, cells: &[RichText], width: usize, writer: &Writer<'_>) {
    out.push('|');
    for column in 0..width {
        let text = cells.get(column).map(|cell| writer.text(cell, Place::Cell));
        // Writing into a string cannot fail.
        let _ = write!(out, " {} |", text.unwrap_or_default());
    }
    out.push('\n');
}

fn longest_run(text: &str, sign: char) -> usize {
    text.split(|char| char != sign)
        .map(str::len)
        .max()
        .unwrap_or(0)
}
