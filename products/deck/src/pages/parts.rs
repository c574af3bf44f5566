//! The contents of a slide as parts of a page.

use sdsl::{Bullet, Column, Prose, ProseBlock};
use spec::{Figure, IconLine, Part, PartColumn, PassageBlock, TimelineStep};

use super::icons::icon;

/// The levels of a list that look different on a page.
pub(super) const LEVELS: u32 = 4;
/// The most key figures, and the most stations, in one row.
const FIGURES_IN_A_ROW: usize = 4;
const STEPS_IN_A_ROW: usize = 6;
/// Marks of the levels.
const MARKS: [&str; 4] = ["•", "–", "▪", "·"];

/// A text in the form that a slot takes: two asterisks between blanks do not mark bold text.
pub(super) fn shown(text: impl AsRef<str>) -> String {
    let text = text.as_ref();
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("**") {
        let (before, after) = (&rest[..at], &rest[at + 2..]);
        let blank_before = before.chars().next_back().is_none_or(char::is_whitespace);
        let blank_after = after.chars().next().is_none_or(char::is_whitespace);
        shown.push_str(before);
        shown.push_str(if blank_before && blank_after {
            "\\**"
        } else {
            "**"
        });
        rest = after;
    }
    shown.push_str(rest);
    shown
}

/// A text alone.
pub(super) fn text(text: String) -> Part {
    Part::Text {
        blocks: vec![paragraph(text)],
    }
}

/// A paragraph.
fn paragraph(text: String) -> PassageBlock {
    PassageBlock {
        text,
        level: 0,
        marker: None,
    }
}

fn point(bullet: &Bullet) -> PassageBlock {
    let level = bullet.level.min(LEVELS - 1);
    let mark = usize::try_from(level).map_or(MARKS[0], |at| MARKS[at]);
    PassageBlock {
        text: shown(&bullet.text),
        level,
        marker: Some(mark.to_owned()),
    }
}

/// The paragraphs of a text; code is a part of its own.
pub(super) fn prose(text: &Prose) -> Vec<Part> {
    let mut parts = Vec::new();
    for block in text.blocks() {
        match block {
            ProseBlock::Paragraph(lines) => {
                let block = paragraph(shown(lines.join("\n")));
                match parts.last_mut() {
                    Some(Part::Text { blocks }) => blocks.push(block),
                    _ => parts.push(Part::Text {
                        blocks: vec![block],
                    }),
                }
            }
            ProseBlock::Code { info, lines } => parts.push(Part::Code {
                language: (!info.is_empty()).then(|| info.to_owned()),
                code: lines.join("\n"),
            }),
        }
    }
    parts
}

/// A list; with icons where it has some.
pub(super) fn list(bullets: &[Bullet], icons: bool) -> Vec<Part> {
    if bullets.is_empty() {
        return Vec::new();
    }
    if !icons {
        return vec![Part::Text {
            blocks: bullets.iter().map(point).collect(),
        }];
    }
    let line = |bullet: &Bullet| IconLine {
        icon: bullet.icon.as_ref().and_then(|name| icon(name.as_str())),
        text: shown(&bullet.text),
    };
    vec![Part::IconLines {
        lines: bullets.iter().map(line).collect(),
    }]
}

/// Columns side by side; a block of code in a column becomes lines of text.
pub(super) fn columns(columns: &[Column]) -> Vec<Part> {
    if columns.is_empty() {
        return Vec::new();
    }
    let column = |column: &Column| {
        let text = column.body.iter().flat_map(Prose::blocks);
        let text = text.map(|block| match block {
            ProseBlock::Paragraph(lines) => paragraph(shown(lines.join("\n"))),
            // Set in the type of the text, with the blanks of the code.
            ProseBlock::Code { lines, info: _ } => {
                let code = spec::text::literal(&lines.join("\n"));
                paragraph(code.replace(' ', "\u{a0}"))
            }
        });
        PartColumn {
            heading: column.title.as_ref().map(shown),
            blocks: text.chain(column.bullets.iter().map(point)).collect(),
        }
    };
    vec![Part::Columns {
        columns: columns.iter().map(column).collect(),
    }]
}

pub(super) fn figure(stat: &sdsl::Stat) -> Figure {
    Figure {
        value: shown(&stat.value),
        label: shown(&stat.label),
        note: stat.description.as_ref().map(shown),
    }
}

pub(super) fn station(step: &sdsl::Step) -> TimelineStep {
    TimelineStep {
        label: shown(&step.time),
        heading: shown(&step.title),
        text: step.description.as_ref().map_or_else(String::new, shown),
    }
}

/// Key figures in rows of about the same length.
pub(super) fn figures(stats: &[sdsl::Stat]) -> Vec<Part> {
    let rows = even(stats, FIGURES_IN_A_ROW);
    rows.map(|row| Part::Figures {
        figures: row.iter().map(figure).collect(),
    })
    .collect()
}

/// Stations in rows of about the same length.
pub(super) fn steps(steps: &[sdsl::Step]) -> Vec<Part> {
    let rows = even(steps, STEPS_IN_A_ROW);
    rows.map(|row| Part::Steps {
        steps: row.iter().map(station).collect(),
    })
    .collect()
}

/// Rows of at most this many entries, as equal in length as possible.
fn even<T>(list: &[T], most: usize) -> impl Iterator<Item = &[T]> {
    let rows = list.len().div_ceil(most).max(1);
    list.chunks(list.len().div_ceil(rows).max(1))
}
