//! The forms that the prompt of the scripts prescribes, read from a script's lines and typeset where no designer made a page of them: rows
//! of a table, numbered steps, sides under 【headings】, terms with their explanations.

use palimpsest::prelude::author::design::card_rows;
use spec::limits::{COLUMN_HEADING_EM, STEPS_MAX, STEPS_MIN};
use spec::text::{clean, em_width};
use spec::{Part, PartColumn, PassageBlock, TimelineStep};

/// Most cards of a page: two rows of four.
const CARDS_MAX: usize = 8;

/// What stands before a point that no form numbers.
const POINT: &str = "•";

/// A line by its form.
enum Line<'a> {
    /// Cells of a table.
    Row(Vec<&'a str>, &'a str),
    /// The number of a step, and what is done.
    Step(u32, &'a str),
    /// The heading of a side, and what follows it on the same line.
    Side(&'a str, &'a str),
    /// A term and its explanation, and the line as it is written.
    Term([&'a str; 2], &'a str),
    Plain(&'a str),
}

/// The parts of a page with these lines, in their order; `None` where none of them has a form.
pub(super) fn parts(lines: &[&str]) -> Option<Vec<Part>> {
    let lines: Vec<Line<'_>> = lines.iter().map(|line| read(line.trim())).collect();
    let mut parts = vec![];
    let mut rest = &lines[..];
    let mut has_form = false;
    while let Some(first) = rest.first() {
        let alike =
            |is_it: fn(&Line<'_>) -> bool| rest.iter().take_while(|line| is_it(line)).count();
        let (len, made) = match first {
            Line::Row(..) => group(rest, alike(|line| matches!(line, Line::Row(..))), table),
            Line::Step(..) => group(rest, alike(|line| matches!(line, Line::Step(..))), steps),
            Line::Side(..) => group(rest, alike(|line| !matches!(line, Line::Row(..))), sides),
            Line::Term(..) => group(rest, alike(|line| matches!(line, Line::Term(..))), cards),
            Line::Plain(_) => (alike(|line| matches!(line, Line::Plain(_))), None),
        };
        match made {
            Some(made) => {
                has_form = true;
                parts.extend(made);
            }
            None => {
                let point = if len > 1 { POINT } else { "" };
                add_text(
                    &mut parts,
                    rest[..len].iter().map(|line| block(line, point)),
                );
            }
        }
        rest = &rest[len..];
    }
    has_form.then_some(parts)
}

/// Whether lines have marks of a form that nobody should see on a page: bars between cells, numbers of steps, brackets around headings.
pub(super) fn are_marked(lines: &[&str]) -> bool {
    lines.iter().any(|line| match read(line.trim()) {
        Line::Row(..) | Line::Step(..) | Line::Side(..) => true,
        Line::Term(..) | Line::Plain(_) => false,
    })
}

/// The lines at the beginning that make one form, and its parts; a line alone where they make none.
fn group(
    lines: &[Line<'_>],
    len: usize,
    form: fn(&[Line<'_>]) -> Option<Vec<Part>>,
) -> (usize, Option<Vec<Part>>) {
    match form(&lines[..len]) {
        Some(parts) => (len, Some(parts)),
        None => (1, None),
    }
}

fn read(line: &str) -> Line<'_> {
    if line.contains(" | ") || line.len() > 1 && line.starts_with('|') && line.ends_with('|') {
        let inside = line.strip_prefix('|').unwrap_or(line);
        let inside = inside.strip_suffix('|').unwrap_or(inside);
        return Line::Row(inside.split('|').map(str::trim).collect(), line);
    }
    if let Some((heading, after)) = line.strip_prefix('【').and_then(|it| it.split_once('】')) {
        return Line::Side(heading.trim(), after.trim_start_matches(['：', ':']).trim());
    }
    if let Some((number, words)) = numbered(line) {
        return Line::Step(number, words);
    }
    match explained(line) {
        Some((term, text)) if em_width(term) <= COLUMN_HEADING_EM as f32 => {
            Line::Term([term, text], line)
        }
        _ => Line::Plain(line),
    }
}

/// The number that a line begins with, and what comes after it.
fn numbered(line: &str) -> Option<(u32, &str)> {
    let digits = line.find(|c: char| !c.is_ascii_digit())?;
    let number = line[..digits].parse().ok()?;
    let after = line[digits..].strip_prefix(['.', '．', '、', ')', '）'])?;
    let is_fraction = after.starts_with(|c: char| c.is_ascii_digit());
    let words = after.trim();
    (!is_fraction && !words.is_empty()).then_some((number, words))
}

/// What stands before a colon, and what it is said to be.
fn explained(line: &str) -> Option<(&str, &str)> {
    let (term, text) = line.split_once('：').or_else(|| line.split_once(": "))?;
    let term = term.trim().trim_matches('*').trim();
    let text = text.trim().trim_start_matches("**").trim_start();
    (!term.is_empty() && !text.is_empty()).then_some((term, text))
}

/// Rows of a table; the first is the head, and cells that lack are empty.
fn table(rows: &[Line<'_>]) -> Option<Vec<Part>> {
    let is_ruled = |cell: &str| !cell.is_empty() && cell.chars().all(|c| matches!(c, '-' | ':'));
    let cells = rows.iter().filter_map(|row| match row {
        Line::Row(cells, _) if !cells.iter().all(|cell| is_ruled(cell)) => {
            Some(cells.iter().map(|cell| clean(cell)).collect())
        }
        Line::Row(..) | Line::Step(..) | Line::Side(..) | Line::Term(..) | Line::Plain(_) => None,
    });
    let mut rows: Vec<Vec<String>> = cells.collect();
    let width = rows.iter().map(Vec::len).max().unwrap_or(0);
    (rows.len() > 1 && width > 1).then(|| {
        for row in &mut rows {
            row.resize(width, String::new());
        }
        let columns = rows.remove(0);
        vec![Part::Table { columns, rows }]
    })
}

/// Steps that are numbered from 1 on: as stations where they are few and each has a name, otherwise as a list.
fn steps(lines: &[Line<'_>]) -> Option<Vec<Part>> {
    let steps: Vec<(u32, &str)> = lines
        .iter()
        .filter_map(|line| match line {
            Line::Step(number, words) => Some((*number, *words)),
            Line::Row(..) | Line::Side(..) | Line::Term(..) | Line::Plain(_) => None,
        })
        .collect();
    if steps.len() < 2
        || !(1..)
            .zip(&steps)
            .all(|(place, (number, _))| place == *number)
    {
        return None;
    }
    let station = |(number, words): &(u32, &str)| {
        let (name, text) = explained(words)?;
        Some(TimelineStep {
            label: number.to_string(),
            heading: clean(name),
            text: clean(text),
        })
    };
    let stations: Option<Vec<TimelineStep>> = steps.iter().map(station).collect();
    match stations.filter(|steps| (STEPS_MIN..=STEPS_MAX).contains(&steps.len())) {
        Some(steps) => Some(vec![Part::Steps { steps }]),
        None => Some(vec![Part::Text {
            blocks: lines.iter().map(|line| block(line, POINT)).collect(),
        }]),
    }
}

/// Sides beside each other, each with its lines.
fn sides(lines: &[Line<'_>]) -> Option<Vec<Part>> {
    let sides = lines.chunk_by(|_, next| !matches!(next, Line::Side(..)));
    let columns: Vec<PartColumn> = sides.map(side).collect();
    let is_filled = columns.iter().all(|column| !column.blocks.is_empty());
    is_filled.then(|| in_rows(&columns))
}

fn side(lines: &[Line<'_>]) -> PartColumn {
    let (heading, first) = match lines.first() {
        Some(Line::Side(heading, first)) => (clean(heading), *first),
        Some(Line::Row(..) | Line::Step(..) | Line::Term(..) | Line::Plain(_)) | None => {
            (String::new(), "")
        }
    };
    let first = (!first.is_empty()).then(|| block(&Line::Plain(first), POINT));
    let rest = lines.iter().skip(1).map(|line| block(line, POINT));
    PartColumn {
        heading: (!heading.is_empty()).then_some(heading),
        blocks: first.into_iter().chain(rest).collect(),
    }
}

/// Terms as cards, where there are several and all of them have room.
fn cards(terms: &[Line<'_>]) -> Option<Vec<Part>> {
    let columns: Vec<PartColumn> = terms
        .iter()
        .filter_map(|line| match line {
            Line::Term([term, text], _) => Some(PartColumn {
                heading: Some(clean(term)),
                blocks: vec![block(&Line::Plain(text), "")],
            }),
            Line::Row(..) | Line::Step(..) | Line::Side(..) | Line::Plain(_) => None,
        })
        .collect();
    let has_room = (2..=CARDS_MAX).contains(&columns.len());
    has_room.then(|| in_rows(&columns))
}

fn in_rows(columns: &[PartColumn]) -> Vec<Part> {
    let row = |columns: &[PartColumn]| Part::Columns {
        columns: columns.to_vec(),
    };
    card_rows(columns).map(row).collect()
}

/// A line of text; `point` stands before one that has no number of its own.
fn block(line: &Line<'_>, point: &str) -> PassageBlock {
    let (marker, text) = match line {
        // Two cells may as well be a condition, as in P(A | B).
        Line::Row(cells, _) if cells.len() > 2 => (point.to_owned(), cells.join(" · ")),
        Line::Step(number, words) => (format!("{number}."), (*words).to_owned()),
        Line::Side(heading, "") => (String::new(), format!("**{heading}**")),
        Line::Side(heading, words) => (point.to_owned(), format!("**{heading}** {words}")),
        Line::Row(_, line) | Line::Term(_, line) | Line::Plain(line) => {
            (point.to_owned(), (*line).to_owned())
        }
    };
    PassageBlock {
        text: clean(&text),
        level: 0,
        marker: (!marker.is_empty()).then_some(marker),
    }
}

/// Adds lines to the text at the end, or begins one.
fn add_text(parts: &mut Vec<Part>, blocks: impl Iterator<Item = PassageBlock>) {
    match parts.last_mut() {
        Some(Part::Text { blocks: text }) => text.extend(blocks),
        _ => parts.push(Part::Text {
            blocks: blocks.collect(),
        }),
    }
}
