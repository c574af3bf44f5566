//! Paragraphs, headings and lists of a text without marks.

use spec::source::{BlockContent, ListItem, ListMarker, Location, RichText};

use super::lines::{has_columns, item, numbered_heading, numeral_sign, underline, width};
use crate::Unreadable;
use crate::gather::Gathering;
use crate::readers::markdown::joins;

/// If the widest line has at least this many columns, a paragraph may be wrapped by hand; verses and addresses are narrower.
const WRAPPED: usize = 50;

/// From this many columns on, a line that is not wrapped is a separate paragraph.
const LONG: usize = 60;

/// Lines in which the next item of a list is looked for.
const LINES_OF_ITEM: usize = 5;

/// A line with its number in the file.
type Line<'t> = (usize, &'t str);

pub(super) fn read(text: &str, gathering: &mut Gathering<'_, '_>) -> Result<(), Unreadable> {
    let mut group: Vec<Line<'_>> = Vec::new();
    let mut groups: Vec<Vec<Line<'_>>> = Vec::new();
    for (index, line) in text.split(['\n', '\u{C}', '\u{2029}']).enumerate() {
        if line.trim().is_empty() {
            if !group.is_empty() {
                groups.push(std::mem::take(&mut group));
            }
        } else {
            group.push((index + 1, line.trim_end()));
        }
    }
    if !group.is_empty() {
        groups.push(group);
    }
    for (index, lines) in groups.iter().enumerate() {
        gathering.reading.go_on()?;
        let is_row = |other: Option<&Vec<Line<'_>>>| {
            other.is_some_and(|other| other.len() == 1 && numeral_sign(other[0].1).is_some())
        };
        // Lines with numbers that follow each other directly, without text between them, are points and not headings.
        let before = index.checked_sub(1).and_then(|before| groups.get(before));
        let is_among_points = is_row(before) || is_row(groups.get(index + 1));
        put_group(lines, is_among_points, gathering);
    }
    Ok(())
}

fn put_group(lines: &[Line<'_>], is_among_points: bool, gathering: &mut Gathering<'_, '_>) {
    if let [(number, line)] = lines
        && let Some(level) = numbered_heading(line)
        && (!is_among_points || numeral_sign(line).is_none())
    {
        put_heading(*number, level, line, gathering);
        return;
    }
    let mut rest = lines;
    while let [first, more @ ..] = rest {
        if let Some(level) = more.first().and_then(|(_, line)| underline(line))
            && underline(first.1).is_none()
        {
            put_heading(first.0, level, first.1, gathering);
            rest = &more[1..];
            continue;
        }
        if underline(first.1).is_some() {
            rest = more;
            continue;
        }
        let end = piece(rest);
        put_piece(&rest[..end], gathering);
        rest = &rest[end..];
    }
}

/// How many lines belong together: a list, or a paragraph up to a list or a heading.
fn piece(lines: &[Line<'_>]) -> usize {
    let is_list = begins_list(lines, true);
    let mut end = 1;
    while end < lines.len() {
        let is_heading = lines
            .get(end + 1)
            .is_some_and(|(_, line)| underline(line).is_some());
        let is_rule = underline(lines[end].1).is_some();
        let is_announced = lines[end - 1].1.ends_with([':', '\u{FF1A}']);
        let is_other = !is_list && begins_list(&lines[end..], is_announced);
        if is_heading || is_rule || is_other {
            break;
        }
        end += 1;
    }
    end
}

/// Whether a list begins. Within a paragraph, a single line that looks like an item belongs to the paragraph, unless the paragraph
/// announces a list.
fn begins_list(lines: &[Line<'_>], is_expected: bool) -> bool {
    let Some((number, _)) = lines.first().and_then(|(_, line)| item(line)) else {
        return false;
    };
    let next = lines
        .iter()
        .skip(1)
        .take(LINES_OF_ITEM)
        .find_map(|(_, line)| item(line));
    let follows = match (number, next) {
        (Some(number), Some((Some(next), _))) => next == number + 1,
        (None, Some((None, _))) => true,
        _ => false,
    };
    is_expected || follows
}

fn put_piece(lines: &[Line<'_>], gathering: &mut Gathering<'_, '_>) {
    let Some((number, _)) = lines.first() else {
        return;
    };
    let location = Location::Line(*number);
    if begins_list(lines, true) {
        gathering.push(location, BlockContent::List(items(lines)));
        return;
    }
    let columns = lines.iter().filter(|(_, line)| has_columns(line)).count();
    if lines.len() > 1 && columns * 10 >= lines.len() * 6 {
        if let Some(rows) = rows(lines) {
            let table = crate::readers::csv::table(rows);
            gathering.push(location, BlockContent::Table(table));
            return;
        }
        let text: Vec<&str> = lines.iter().map(|(_, line)| *line).collect();
        let code = BlockContent::Code {
            language: None,
            text: text.join("\n"),
        };
        gathering.push(location, code);
        return;
    }
    for paragraph in paragraphs(lines) {
        put_paragraph(paragraph, gathering);
    }
}

/// The cells of lines that all have the same number of them, at least two; a line that begins with blanks may be without the first.
fn rows(lines: &[Line<'_>]) -> Option<Vec<Vec<String>>> {
    let cells = |(_, line): &Line<'_>| -> Vec<String> {
        let apart = line.replace("  ", "\t");
        let cells = apart.split('\t').map(str::trim);
        let cells = cells.filter(|cell| !cell.is_empty());
        cells.map(str::to_owned).collect()
    };
    let mut rows: Vec<Vec<String>> = lines.iter().map(cells).collect();
    let width = rows.iter().map(Vec::len).max().unwrap_or(0);
    for (row, (_, line)) in rows.iter_mut().zip(lines) {
        if row.len() + 1 == width && line.starts_with([' ', '\t']) {
            row.insert(0, String::new());
        }
    }
    let is_even = rows.iter().all(|row| row.len() == width);
    (is_even && width > 1).then_some(rows)
}

fn items(lines: &[Line<'_>]) -> Vec<ListItem> {
    let mut items: Vec<(ListItem, String)> = Vec::new();
    // The indents of the levels that are open.
    let mut indents: Vec<usize> = Vec::new();
    for (_, line) in lines {
        let indent = width(&line[..line.len() - line.trim_start().len()]);
        match (item(line), items.last_mut()) {
            (None, Some((_, text))) => join(text, line.trim()),
            (found, _) => {
                while indents.len() > 1 && indents.last().is_some_and(|last| *last > indent) {
                    indents.pop();
                }
                if indents.last().is_none_or(|last| *last + 1 < indent) {
                    indents.push(indent);
                }
                let (number, start) = found.unwrap_or((None, 0));
                let item = ListItem {
                    level: u8::try_from(indents.len() - 1).unwrap_or(u8::MAX),
                    marker: number.map_or(ListMarker::Bullet, ListMarker::Number),
                    text: RichText::default(),
                };
                items.push((item, line[start..].trim().to_owned()));
            }
        }
    }
    items
        .into_iter()
        .map(|(item, text)| ListItem {
            text: RichText::plain(text),
            ..item
        })
        .collect()
}

/// Lines that are indented more than the others begin paragraphs.
fn paragraphs<'l, 't>(lines: &'l [Line<'t>]) -> Vec<&'l [Line<'t>]> {
    let is_set_in = |line: &Line<'_>| line.1.starts_with("\u{3000}") || line.1.starts_with("  ");
    let set_in = lines.iter().filter(|line| is_set_in(line)).count();
    if set_in == lines.len() && !lines.iter().all(|(_, line)| line.starts_with('\u{3000}')) {
        return vec![lines];
    }
    let mut paragraphs = Vec::new();
    let mut start = 0;
    for at in 1..lines.len() {
        if is_set_in(&lines[at]) {
            paragraphs.push(&lines[start..at]);
            start = at;
        }
    }
    paragraphs.push(&lines[start..]);
    paragraphs
}

fn put_paragraph(lines: &[Line<'_>], gathering: &mut Gathering<'_, '_>) {
    let is_wrapped = is_wrapped(lines);
    let widest = lines.iter().map(|(_, line)| width(line)).max().unwrap_or(0);
    let sum: usize = lines.iter().map(|(_, line)| width(line)).sum();
    let is_each_its_own = !is_wrapped && widest > LONG && sum / lines.len().max(1) > LONG / 2;
    let mut text = String::new();
    for (number, line) in lines {
        if is_each_its_own {
            let content = BlockContent::Paragraph(RichText::plain(line.trim()));
            gathering.push(Location::Line(*number), content);
        } else if is_wrapped {
            join(&mut text, line.trim());
        } else {
            if !text.is_empty() {
                text.push('\n');
            }
            text.push_str(line.trim());
        }
    }
    if let Some((number, _)) = lines.first()
        && !text.is_empty()
    {
        let content = BlockContent::Paragraph(RichText::plain(text));
        gathering.push(Location::Line(*number), content);
    }
}

/// Whether lines end where there was no room for the next word, as a program or a person wraps them.
fn is_wrapped(lines: &[Line<'_>]) -> bool {
    let widest = lines.iter().map(|(_, line)| width(line)).max().unwrap_or(0);
    if widest < WRAPPED {
        return false;
    }
    let full = lines.windows(2).filter(|pair| {
        let next = pair[1].1.trim_start();
        let first = next.chars().next().unwrap_or(' ');
        // Between Chinese characters a line may end anywhere, but not before a comma.
        let word = if joins(first, first) {
            4
        } else {
            1 + width(next.split_whitespace().next().unwrap_or_default())
        };
        width(pair[0].1) + word > widest
    });
    full.count() * 10 >= (lines.len() - 1) * 8
}

/// Adds a line that continues a paragraph.
fn join(text: &mut String, line: &str) {
    let ends = (text.chars().next_back(), line.chars().next());
    if let (Some(last), Some(first)) = ends
        && !joins(last, first)
    {
        let before = text.chars().nth_back(1);
        let is_hyphen = last == '-' && before.is_some_and(char::is_alphabetic);
        if !(is_hyphen && first.is_lowercase()) {
            text.push(' ');
        }
    }
    text.push_str(line);
}

fn put_heading(number: usize, level: u8, line: &str, gathering: &mut Gathering<'_, '_>) {
    let text = RichText::plain(line.trim());
    gathering.push(
        Location::Line(number),
        BlockContent::Heading { level, text },
    );
}
