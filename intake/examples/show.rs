//! Prints what is read out of files, to be compared with what a program shows of them.

use std::fmt::Write as _;
use std::io::Write as _;

use palimpsest_intake::{IntakeLimits, read};
use spec::source::{BlockContent, ListMarker, RichText, SourceDocument};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for path in std::env::args().skip(1) {
        let bytes = std::fs::read(&path)?;
        let outcome = read(&path, &bytes, &IntakeLimits::default(), &|| false);
        let text = match outcome {
            Ok(document) => shown(&document)?,
            Err(refusal) => format!("not read: {refusal}\n"),
        };
        writeln!(std::io::stdout(), "==== {path}\n{text}")?;
    }
    Ok(())
}

fn shown(document: &SourceDocument) -> Result<String, std::fmt::Error> {
    let mut out = String::new();
    for block in &document.blocks {
        writeln!(out, "[{}] {}", block.location, content(&block.content)?)?;
    }
    for omission in &document.omissions {
        let (at, what, why) = (&omission.location, &omission.what, &omission.why);
        writeln!(out, "OMITTED [{at}] {what}: {why}")?;
    }
    Ok(out)
}

fn content(content: &BlockContent) -> Result<String, std::fmt::Error> {
    let mut out = String::new();
    match content {
        BlockContent::Heading { level, text } => {
            let sign = "#".repeat(usize::from(*level));
            write!(out, "{sign} {}", marked(text))?;
        }
        BlockContent::Paragraph(text) => out = marked(text),
        BlockContent::List(items) => {
            for item in items {
                let indent = "  ".repeat(usize::from(item.level) + 1);
                let sign = match item.marker {
                    ListMarker::Bullet => "-".to_owned(),
                    ListMarker::Number(number) => format!("{number}."),
                    ListMarker::Task { done } => format!("[{}]", if done { "x" } else { " " }),
                };
                write!(out, "\n{indent}{sign} {}", marked(&item.text))?;
            }
        }
        BlockContent::Table(table) => {
            let caption = table.caption.as_deref().unwrap_or_default();
            write!(out, "table \"{caption}\", head {}", table.head_rows)?;
            for row in &table.rows {
                let cells: Vec<String> = row.iter().map(marked).collect();
                write!(out, "\n  | {}", cells.join(" | ").replace('\n', "⏎"))?;
            }
        }
        BlockContent::Code { language, text } => {
            write!(
                out,
                "code {}\n{text}",
                language.as_deref().unwrap_or_default()
            )?;
        }
        BlockContent::Formula(latex) => write!(out, "$$ {latex} $$")?,
        BlockContent::Quotation(lines) => {
            for line in lines {
                write!(out, "\n  > {}", marked(line))?;
            }
        }
        BlockContent::Picture(picture) => {
            write!(out, "picture {} \"{}\"", picture.reference, picture.alt)?;
            if let Some(embedded) = &picture.embedded {
                let (width, height) = (embedded.width, embedded.height);
                write!(out, " {} {width}x{height}", embedded.media_type)?;
            }
        }
        BlockContent::Note { kind, label, text } => {
            let label = label.as_deref().unwrap_or_default();
            write!(out, "{kind:?} {label}: {}", marked(text))?;
        }
    }
    Ok(out)
}

fn marked(text: &RichText) -> String {
    text.pieces
        .iter()
        .map(|piece| {
            let marks = piece.marks;
            let signs = [
                (marks.bold, "**"),
                (marks.italic, "_"),
                (marks.strike, "~~"),
                (marks.code, "`"),
                (marks.superscript, "^"),
                (marks.subscript, "~"),
                (marks.formula, "$"),
            ];
            let signs: String = signs
                .iter()
                .filter(|(is_set, _)| *is_set)
                .map(|(_, sign)| *sign)
                .collect();
            let back: String = signs.chars().rev().collect();
            let words = format!("{signs}{}{back}", piece.text);
            match &piece.link {
                Some(link) => format!("[{words}]({link})"),
                None => words,
            }
        })
        .collect()
}
