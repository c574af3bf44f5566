//! Paragraphs, points and rows of a shape, put back into the lists of a slide.

use sdsl::{Bullet, Cell, Cells, Line, Prose, ProseBlock, Table};
use spec::drawn::DrawnParagraph;
use spec::source::RichText;
use spec::text::plain;

use super::super::import::line;
use super::super::parts::{LEVELS, shown};
use super::words::{Pair, aligned, bare, collapsed, edited, lines};

/// A paragraph of a shape that has text.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Said {
    pub(super) text: RichText,
    pub(super) level: u8,
}

/// The paragraphs that have text.
pub(super) fn said(paragraphs: &[DrawnParagraph]) -> Vec<Said> {
    let said = paragraphs.iter().filter(|one| !one.text.is_blank());
    said.map(|one| Said {
        text: one.text.clone(),
        level: one.level,
    })
    .collect()
}

/// The paragraphs of several boxes. A paragraph that was split between two pages is in two boxes, and becomes one again.
pub(super) fn joined(boxes: Vec<Vec<Said>>, drawn: &[String]) -> Vec<Said> {
    let mut all: Vec<Said> = Vec::new();
    for mut next in boxes {
        if let (Some(last), Some(first)) = (all.last(), next.first()) {
            let (last, first) = (bare(&last.text.words()), bare(&first.text.words()));
            let whole = |words: &str| drawn.iter().any(|text| bare(text) == words);
            let cut = drawn.iter().map(|text| bare(text)).any(|text| {
                let begins = text.starts_with(&last) && text.len() > last.len();
                let ends = text.ends_with(&first) && text.len() > first.len();
                begins || ends
            });
            if cut && !whole(&last) && !whole(&first) {
                let first = next.remove(0);
                let blank = drawn.iter().any(|text| {
                    let words = collapsed(&first.text.words());
                    collapsed(text).ends_with(&format!(" {words}"))
                });
                if let Some(last) = all.last_mut() {
                    if blank {
                        last.text.push(" ", Default::default(), None);
                    }
                    for piece in &first.text.pieces {
                        let link = piece.link.as_deref();
                        last.text.push(piece.text.as_str(), piece.marks, link);
                    }
                }
            }
        }
        all.extend(next);
    }
    all
}

fn words(said: &[Said]) -> Vec<String> {
    said.iter().map(|one| lines(&one.text.words())).collect()
}

fn drawn(written: &str) -> String {
    lines(&plain(&shown(written)))
}

/// A text of one line; empty where nothing is left of it.
pub(super) fn cell(text: &str) -> Cell {
    line(text).map(Cell::from).unwrap_or_default()
}

/// The level of a point after an edit: it stays as it was written unless the page shows a different level.
fn level(written: u32, on_page: u8) -> u32 {
    if written.min(LEVELS - 1) == u32::from(on_page) {
        written
    } else {
        u32::from(on_page)
    }
}

/// The points of a list as a box has them now.
pub(super) fn points(written: &[Bullet], said: &[Said]) -> Vec<Bullet> {
    let old: Vec<String> = written
        .iter()
        .map(|bullet| drawn(bullet.text.as_str()))
        .collect();
    let mut points = Vec::new();
    // A point without words is drawn as nothing, so nobody can have removed it.
    let silent = |at: &usize| old[*at].is_empty();
    for pair in aligned(&old, &words(said)) {
        match pair {
            (Some(at), Some(to)) => {
                let bullet = &written[at];
                let text = edited(bullet.text.as_str(), &said[to].text, false);
                points.push(Bullet {
                    text: text.map_or_else(|| bullet.text.clone(), |text| cell(&text)),
                    level: level(bullet.level, said[to].level),
                    icon: bullet.icon.clone(),
                });
            }
            (None, Some(to)) => points.push(point(&said[to])),
            (Some(at), None) if silent(&at) => points.push(written[at].clone()),
            (Some(_) | None, None) => {}
        }
    }
    points
}

fn point(said: &Said) -> Bullet {
    Bullet {
        text: cell(&edited("", &said.text, false).unwrap_or_default()),
        level: u32::from(said.level),
        icon: None,
    }
}

/// The parts of a text: each paragraph and each block of code, as it is written.
pub(super) fn blocks_of(prose: Option<&Prose>) -> Vec<Block> {
    let blocks = prose.map(Prose::blocks).unwrap_or_default();
    let blocks = blocks.into_iter().map(|block| match block {
        ProseBlock::Paragraph(lines) => Block::Text(lines.join("\n")),
        ProseBlock::Code { info, lines } => Block::Code(info.to_owned(), lines.join("\n")),
    });
    blocks.collect()
}

/// A paragraph, or the code between two fences, with the words after the opening fence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Block {
    Text(String),
    Code(String, String),
}

/// The blocks as a text.
pub(super) fn prose(blocks: &[Block]) -> Option<Prose> {
    let written = blocks.iter().map(|block| match block {
        Block::Text(text) => text.clone(),
        Block::Code(info, code) => {
            let longest = code
                .split(|c| c != '`')
                .map(str::len)
                .max()
                .unwrap_or_default();
            let fence = "`".repeat((longest + 1).max(3));
            format!("{fence}{info}\n{code}\n{fence}")
        }
    });
    Prose::new(&written.collect::<Vec<_>>().join("\n\n"))
}

/// Paragraphs as a box has them now.
pub(super) fn paragraphs(written: &[Block], said: &[Said]) -> Vec<Block> {
    let old: Vec<String> = written
        .iter()
        .map(|block| match block {
            Block::Text(text) => drawn(text),
            Block::Code(_, code) => lines(code),
        })
        .collect();
    let mut blocks = Vec::new();
    for pair in aligned(&old, &words(said)) {
        match pair {
            (Some(at), Some(to)) => blocks.push(paragraph(&written[at], &said[to])),
            (None, Some(to)) => {
                let text = edited("", &said[to].text, true);
                blocks.extend(text.map(Block::Text));
            }
            (_, None) => {}
        }
    }
    blocks
}

fn paragraph(written: &Block, said: &Said) -> Block {
    match written {
        Block::Text(text) => match edited(text, &said.text, true) {
            Some(text) => Block::Text(text),
            None => written.clone(),
        },
        Block::Code(info, code) => {
            let new = said.text.words().replace('\u{a0}', " ");
            if bare(&new) == bare(code) {
                written.clone()
            } else {
                Block::Code(info.clone(), new)
            }
        }
    }
}

/// Code as a box has it now: one line for each paragraph.
pub(super) fn code(written: &str, paragraphs: &[DrawnParagraph]) -> String {
    let new: Vec<String> = paragraphs
        .iter()
        .map(|line| {
            let words = line.text.words().replace('\u{a0}', " ");
            words.replace(['\n', '\u{b}'], "").trim_end().to_owned()
        })
        .collect();
    if bare(&new.concat()) == bare(written) {
        return written.to_owned();
    }
    let old: Vec<&str> = written.split('\n').collect();
    let each = |lines: &[&str]| lines.iter().map(|line| bare(line)).collect::<Vec<_>>();
    let pairs = aligned(
        &each(&old),
        &each(&new.iter().map(String::as_str).collect::<Vec<_>>()),
    );
    let lines = pairs.into_iter().filter_map(|pair: Pair| match pair {
        // Where a program only lost blanks, the old line is kept with its blanks.
        (Some(at), Some(to)) if bare(old[at]) == bare(&new[to]) => Some(old[at].to_owned()),
        (_, Some(to)) => Some(new[to].clone()),
        (_, None) => None,
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// The notes of a slide, line by line; empty lines stay where they were.
pub(super) fn notes(written: Option<&Prose>, said: &[String]) -> Option<Prose> {
    let old: Vec<&str> = written.map_or(Vec::new(), |prose| prose.as_str().split('\n').collect());
    let full: Vec<usize> = (0..old.len())
        .filter(|at| !old[*at].trim().is_empty())
        .collect();
    let of = |line: &str| collapsed(line);
    let before: Vec<String> = full.iter().map(|at| of(old[*at])).collect();
    let new_full: Vec<usize> = (0..said.len())
        .filter(|at| !said[*at].trim().is_empty())
        .collect();
    let after: Vec<String> = new_full.iter().map(|at| of(&said[*at])).collect();
    if before == after {
        return written.cloned();
    }
    let mut lines: Vec<&str> = Vec::new();
    for pair in aligned(&before, &after) {
        match pair {
            (Some(at), Some(to)) => {
                let line = full[at];
                let empty = old[..line].iter().rev();
                let empty = empty.take_while(|line| line.trim().is_empty()).count();
                lines.extend(std::iter::repeat_n("", empty));
                let same = before[at] == after[to];
                lines.push(if same {
                    old[line]
                } else {
                    said[new_full[to]].trim()
                });
            }
            (None, Some(to)) => {
                let line = new_full[to];
                if line > 0 && said[line - 1].trim().is_empty() {
                    lines.push("");
                }
                lines.push(said[line].trim());
            }
            (_, None) => {}
        }
    }
    Prose::new(&lines.join("\n"))
}

/// A table as its shape has it now. `written` are its rows as they stand in the deck.
pub(super) fn rows(written: &[Vec<String>], said: &[Vec<RichText>]) -> Vec<Vec<String>> {
    let width = written.iter().map(Vec::len).max().unwrap_or(0);
    let new_width = said.iter().map(Vec::len).max().unwrap_or(0);
    let old_cell = |row: usize, column: usize| {
        written[row]
            .get(column)
            .map_or(String::new(), |text| drawn(text))
    };
    let new_cell = |row: usize, column: usize| {
        let text = said[row].get(column);
        text.map_or(String::new(), |text| lines(&text.words()))
    };
    let whole = |cells: Vec<String>| cells.join("\n");
    let columns: Vec<Pair> = if width == new_width {
        (0..width).map(|at| (Some(at), Some(at))).collect()
    } else {
        let old = (0..width).map(|column| {
            whole(
                (0..written.len())
                    .map(|row| old_cell(row, column))
                    .collect(),
            )
        });
        let new = (0..new_width)
            .map(|column| whole((0..said.len()).map(|row| new_cell(row, column)).collect()));
        aligned(&old.collect::<Vec<_>>(), &new.collect::<Vec<_>>())
    };
    let old = (0..written.len()).map(|row| whole((0..width).map(|at| old_cell(row, at)).collect()));
    let new =
        (0..said.len()).map(|row| whole((0..new_width).map(|at| new_cell(row, at)).collect()));
    let rows = aligned(&old.collect::<Vec<_>>(), &new.collect::<Vec<_>>());
    let rows = rows.into_iter().filter_map(|(at, to)| {
        let to = to?;
        let mut row: Vec<String> = Vec::with_capacity(new_width);
        for column in &columns {
            let (from, Some(column)) = column else {
                continue;
            };
            let empty = RichText::default();
            let new = said[to].get(*column).unwrap_or(&empty);
            let old = at.zip(*from);
            let old = old.and_then(|(at, from)| written[at].get(from));
            let old = old.map_or("", String::as_str);
            row.push(edited(old, new, false).unwrap_or_else(|| old.to_owned()));
        }
        // The missing cells of a short row are drawn as empty cells.
        let least = at.map_or(1, |at| written[at].len()).max(1);
        while row.len() > least && row.last().is_some_and(String::is_empty) {
            row.pop();
        }
        Some(row)
    });
    rows.collect()
}

/// The rows of a table, its head first.
pub(super) fn rows_of(table: &Table) -> Vec<Vec<String>> {
    let cells =
        |cells: &Cells| -> Vec<String> { cells.as_slice().iter().map(Cell::to_string).collect() };
    table.headers.iter().chain(&table.rows).map(cells).collect()
}

/// The rows as a table, with or without a head.
pub(super) fn table_of(rows: Vec<Vec<String>>, has_head: bool) -> Table {
    let mut rows = rows
        .into_iter()
        .map(|row| Cells::new(row.iter().map(|text| cell(text)).collect()));
    let headers = if has_head {
        rows.next().flatten()
    } else {
        None
    };
    Table {
        headers,
        rows: rows.flatten().collect(),
    }
}

/// A line after an edit.
pub(super) fn edited_line(written: Option<&Line>, text: &RichText) -> Option<Line> {
    let old = written.map_or("", Line::as_str);
    match edited(old, text, false) {
        Some(new) => line(&new),
        None => written.cloned(),
    }
}
