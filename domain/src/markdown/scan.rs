//! The headings of a text and where they stand.

use std::ops::Range;

use pulldown_cmark::{Event, LinkType, Options, Parser, Tag, TagEnd};

/// The extensions to `CommonMark` that are read. They are the same as where a document is drawn, so that both find the same headings.
pub(super) fn options() -> Options {
    Options::ENABLE_TABLES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_TASKLISTS
}

/// A heading of the document itself, not in a quote, a list or a note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Heading {
    pub(super) level: u8,
    /// Plain text in one line.
    pub(super) title: String,
    /// Whole lines, with the line end of the last.
    pub(super) range: Range<usize>,
    /// Its text as it is written, without marks and underline; empty for a heading without text.
    pub(super) inner: Range<usize>,
}

/// A text's headings, and the definitions elsewhere in the text that give them their words.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Scan {
    pub(super) headings: Vec<Heading>,
    /// Definitions of links and notes that headings name, in order.
    pub(super) definitions: Vec<Range<usize>>,
    /// How deeply blocks and marks are nested.
    pub(super) deepest: usize,
    /// Cells over all tables, with those that short rows are filled up with.
    pub(super) cells: usize,
}

/// The headings of a Markdown text with their levels, in order: those of the document itself, not those in quotes, lists or
/// code. Front matter is not known here; see [`super::Tree`].
#[must_use]
pub fn headings(source: &str) -> Vec<(u8, String)> {
    let headings = scan(source).headings.into_iter();
    headings
        .map(|heading| (heading.level, heading.title))
        .collect()
}

pub(super) fn scan(text: &str) -> Scan {
    let mut scan = Scan::default();
    let mut depth = 0_usize;
    let mut open: Option<Heading> = None;
    let (mut links, mut notes) = (Vec::new(), Vec::new());
    let mut note_ranges = Vec::new();
    let mut events = Parser::new_ext(text, options()).into_offset_iter();
    for (event, range) in events.by_ref() {
        if let Event::Start(Tag::FootnoteDefinition(label)) = &event {
            note_ranges.push((label.to_string(), range.clone()));
        }
        scan.cells += usize::from(matches!(event, Event::Start(Tag::TableCell)));
        if let Some(heading) = &mut open {
            if let Event::End(TagEnd::Heading(_)) = event {
                heading.title = one_line(&heading.title);
                scan.headings.extend(open.take());
                continue;
            }
            add(heading, &event, &range);
            if let Event::Start(Tag::Link { link_type, id, .. } | Tag::Image { link_type, id, .. }) =
                &event
                && by_reference(*link_type)
            {
                links.push(id.to_string());
            } else if let Event::FootnoteReference(label) = &event {
                notes.push(label.to_string());
            }
        } else if let Event::Start(Tag::Heading { level, .. }) = &event
            && depth == 0
        {
            let lines = whole_lines(text, &range);
            open = Some(Heading {
                level: *level as u8,
                title: String::new(),
                inner: lines.start..lines.start,
                range: lines,
            });
        } else if let Event::Start(_) = event {
            depth += 1;
            scan.deepest = scan.deepest.max(depth);
        } else if let Event::End(_) = event {
            depth -= 1;
        }
    }
    let mut above = 0;
    for heading in &mut scan.headings {
        heading.range.start = beginning(text, &heading.range, above);
        above = heading.range.end;
    }
    let known = events.reference_definitions();
    for label in links {
        scan.definitions
            .extend(known.get(&label).map(|link| link.span.clone()));
    }
    for (label, range) in note_ranges {
        if notes.contains(&label) {
            scan.definitions.push(range);
        }
    }
    scan.definitions.sort_by_key(|range| range.start);
    scan.definitions.dedup();
    scan
}

/// Where a heading begins, together with the lines above it without which it would not be a heading: definitions that form one paragraph
/// with it, above a line that would begin something else by itself. `above` is the end of the heading before.
fn beginning(text: &str, range: &Range<usize>, above: usize) -> usize {
    let mut start = range.start;
    while !is_heading(&text[start..range.end]) {
        let before = text[above..start].trim_end_matches(['\n', '\r']);
        let line = before.rfind(['\n', '\r']).map_or(0, |at| at + 1) + above;
        if line == start || text[line..start].trim().is_empty() {
            return range.start;
        }
        start = line;
    }
    start
}

/// Whether these lines are one heading by themselves, and nothing else.
fn is_heading(lines: &str) -> bool {
    blocks(lines) == [Block::Heading]
}

/// A block of the document itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Block {
    Heading,
    /// A block that continues in indented lines: a list or a note.
    Indented,
    Other,
}

/// The blocks of a text, in order, without the blocks inside them.
pub(super) fn blocks(text: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut depth = 0_usize;
    for event in Parser::new_ext(text, options()) {
        if let Event::End(_) = event {
            depth -= 1;
            continue;
        }
        let tag = if let Event::Start(tag) = event {
            Some(tag)
        } else {
            None
        };
        if depth == 0 {
            blocks.push(match tag {
                Some(Tag::Heading { .. }) => Block::Heading,
                Some(Tag::List(_) | Tag::FootnoteDefinition(_)) => Block::Indented,
                Some(_) | None => Block::Other,
            });
        }
        depth += usize::from(tag.is_some());
    }
    blocks
}

/// Whether a link's address is written elsewhere in the text.
pub(super) fn by_reference(link: LinkType) -> bool {
    matches!(
        link,
        LinkType::Reference | LinkType::Collapsed | LinkType::Shortcut
    )
}

fn add(heading: &mut Heading, event: &Event<'_>, range: &Range<usize>) {
    if heading.inner.is_empty() {
        heading.inner = range.clone();
    }
    heading.inner.end = heading.inner.end.max(range.end);
    // Marks around words, notes and raw HTML are not words of the title.
    if let Event::Text(text) | Event::Code(text) = event {
        heading.title.push_str(text);
    } else if let Event::SoftBreak | Event::HardBreak = event {
        heading.title.push(' ');
    }
}

/// The lines that a range touches.
pub(super) fn whole_lines(text: &str, range: &Range<usize>) -> Range<usize> {
    let is_end = |c: char| matches!(c, '\n' | '\r');
    let start = text[..range.start].rfind(is_end).map_or(0, |at| at + 1);
    // A range may or may not have the line end in it.
    let said = text[range.clone()].trim_end_matches(is_end);
    let from = range.start + said.len();
    let end = match text[from..].find(is_end) {
        None => text.len(),
        Some(at) if text[from + at..].starts_with("\r\n") => from + at + 2,
        Some(at) => from + at + 1,
    };
    start..end
}

/// Words with one blank between them.
pub(super) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
