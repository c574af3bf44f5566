//! Turns blocks into words for places that have room only for words: a cell, a note, a header.

use spec::source::{BlockContent, ListItem, ListMarker, RichText, SourceBlock, TextMarks};

/// The words of `blocks`, one line for each paragraph, and the blocks that cannot be words: pictures and notes. A table inside becomes
/// lines with a tab between its cells.
pub(in crate::readers) fn flatten(blocks: Vec<SourceBlock>) -> (RichText, Vec<SourceBlock>) {
    let mut text = RichText::default();
    let mut rest = Vec::new();
    for SourceBlock { location, content } in blocks {
        match content {
            BlockContent::Heading { text: line, .. } | BlockContent::Paragraph(line) => {
                add_line(&mut text, line);
            }
            BlockContent::List(items) => {
                for item in items {
                    add_line(&mut text, with_number(item));
                }
            }
            BlockContent::Table(table) => {
                for row in table.rows {
                    add_line(&mut text, joined(row, "\t"));
                }
            }
            BlockContent::Code { text: code, .. } => add_line(&mut text, marked(code, true)),
            BlockContent::Formula(formula) => add_line(&mut text, marked(formula, false)),
            BlockContent::Quotation(lines) => {
                for line in lines {
                    add_line(&mut text, line);
                }
            }
            BlockContent::Picture(_) | BlockContent::Note { .. } => {
                rest.push(SourceBlock { location, content });
            }
        }
    }
    (text, rest)
}

/// Adds a paragraph after the ones that are there.
pub(in crate::readers) fn add_line(text: &mut RichText, line: RichText) {
    if line.is_blank() {
        return;
    }
    if !text.pieces.is_empty() {
        text.push("\n", TextMarks::default(), None);
    }
    add(text, line);
}

/// Adds words directly after those that are there.
pub(in crate::readers) fn add(text: &mut RichText, more: RichText) {
    for piece in more.pieces {
        text.push(piece.text, piece.marks, piece.link.as_deref());
    }
}

/// The text without white space at its ends: files keep a space or a tab where nobody sees it.
pub(in crate::readers) fn trimmed(mut text: RichText) -> RichText {
    while let Some(first) = text.pieces.first_mut() {
        first.text = first.text.trim_start().to_owned();
        if !first.text.is_empty() {
            break;
        }
        text.pieces.remove(0);
    }
    while let Some(last) = text.pieces.last_mut() {
        last.text.truncate(last.text.trim_end().len());
        if !last.text.is_empty() {
            break;
        }
        text.pieces.pop();
    }
    text
}

fn with_number(item: ListItem) -> RichText {
    match item.marker {
        ListMarker::Number(_) | ListMarker::Label(_) => {
            let sign = item.marker.sign().unwrap_or_default();
            let mut line = RichText::plain(format!("{sign} "));
            add(&mut line, item.text);
            line
        }
        ListMarker::Bullet | ListMarker::Task { .. } => item.text,
    }
}

fn joined(cells: Vec<RichText>, between: &str) -> RichText {
    let mut line = RichText::default();
    for (index, cell) in cells.into_iter().enumerate() {
        if index > 0 {
            line.push(between, TextMarks::default(), None);
        }
        add(&mut line, cell);
    }
    line
}

fn marked(words: String, code: bool) -> RichText {
    let mut line = RichText::default();
    let marks = TextMarks {
        code,
        formula: !code,
        ..TextMarks::default()
    };
    line.push(words, marks, None);
    line
}
