//! Lines made into paragraphs, headings, lists and code.

use spec::source::{
    BlockContent, EmbeddedPicture, ListItem, ListMarker, Location, NoteKind, RichText, SourceBlock,
    SourcePicture,
};

use super::labels::{label, strip};
use super::lines::{Edges, Measures, Step};
use super::pictures::PlacedPicture;
use super::segment::{PageText, Segment, push_line};
use super::tables::{Part, parts};
use crate::{Reading, Unreadable};

/// Longer texts in large letters are not headings.
const LONGEST_HEADING: usize = 200;

/// `notes` are the lines that repeat on several pages, with the first page that has them.
pub(super) fn blocks(
    pages: &mut [PageText],
    notes: Vec<(usize, Vec<String>)>,
    reading: &Reading<'_>,
) -> Result<Vec<SourceBlock>, Unreadable> {
    let mut builder = Builder {
        measures: Measures::of(pages),
        blocks: Vec::new(),
        open: None,
        indents: Vec::new(),
        later: Vec::new(),
    };
    let mut notes = notes.into_iter().peekable();
    for (number, page) in (1..).zip(pages) {
        reading.go_on()?;
        builder.page(number, page);
        while let Some((_, lines)) = notes.next_if(|(page, _)| *page <= number) {
            builder.later.push(note(number, &lines));
        }
    }
    builder.end();
    Ok(builder.blocks)
}

fn note(page: usize, lines: &[String]) -> SourceBlock {
    SourceBlock {
        location: Location::Page(page),
        content: BlockContent::Note {
            kind: NoteKind::Furniture,
            label: None,
            text: RichText::plain(lines.join("\n")),
        },
    }
}

/// A picture as a block, named by its page and its number there.
fn picture(page: usize, count: usize, embedded: EmbeddedPicture) -> SourceBlock {
    SourceBlock {
        location: Location::Page(page),
        content: BlockContent::Picture(SourcePicture {
            alt: String::new(),
            reference: format!("page-{page}-picture-{count}"),
            embedded: Some(embedded),
        }),
    }
}

/// A paragraph that may go on.
struct Open {
    page: usize,
    /// The page of its last line.
    last_page: usize,
    lines: Vec<Segment>,
    marker: Option<ListMarker>,
}

struct Builder {
    measures: Measures,
    blocks: Vec<SourceBlock>,
    open: Option<Open>,
    /// The places at which the levels of the current list begin.
    indents: Vec<f64>,
    /// Blocks from between pages that must not interrupt a paragraph that continues over them.
    later: Vec<SourceBlock>,
}

impl Builder {
    fn page(&mut self, number: usize, page: &mut PageText) {
        let pictures = std::mem::take(&mut page.pictures).into_iter();
        let mut pictures: Vec<_> = pictures.zip(1..).collect();
        let segments = page.segments.iter().cloned();
        let (upright, turned): (Vec<_>, Vec<_>) = segments.partition(|segment| segment.turn == 0);
        let edges = Edges::of(&page.segments);
        for part in parts(upright).into_iter().chain(parts(turned)) {
            match part {
                Part::Line(line) => {
                    // A picture is put before the first line below it, but does not interrupt a paragraph that continues around it.
                    let is_above = |(placed, _): &mut (PlacedPicture, usize)| {
                        let is_beside = placed.x0 >= line.x1 || line.x0 >= placed.x1;
                        line.turn == 0 && placed.y <= line.y && !is_beside
                    };
                    for (placed, count) in pictures.extract_if(.., is_above) {
                        self.later.push(picture(number, count, placed.picture));
                    }
                    self.line(line, number, &edges);
                }
                Part::Table(table) => {
                    self.end();
                    self.push(number, BlockContent::Table(table));
                }
            }
        }
        for (placed, count) in pictures {
            self.later.push(picture(number, count, placed.picture));
        }
    }

    fn line(&mut self, line: Segment, page: usize, edges: &Edges) {
        let marker = label(&line.text.words()).map(|(marker, _)| marker);
        if let Some(open) = &mut self.open
            && let (Some(first), Some(last)) = (open.lines.first(), open.lines.last())
        {
            let step = Step {
                first,
                last,
                next: &line,
                is_item: open.marker.is_some(),
                has_label: marker.is_some(),
                same_page: open.last_page == page,
            };
            if step.continues(edges, &self.measures) {
                open.lines.push(line);
                open.last_page = page;
                return;
            }
        }
        self.end();
        self.open = Some(Open {
            page,
            last_page: page,
            lines: vec![line],
            marker,
        });
    }

    /// Ends the paragraph that is open.
    fn end(&mut self) {
        if let Some(open) = self.open.take() {
            self.close(open);
        }
        self.blocks.append(&mut self.later);
    }

    fn close(&mut self, open: Open) {
        let Some(first) = open.lines.first() else {
            return;
        };
        let (size, indent) = (first.size, first.x0);
        if first.mono && !self.measures.mono && open.marker.is_none() {
            let code = code(&open.lines);
            return self.push(open.page, code);
        }
        let mut text = RichText::default();
        for line in &open.lines {
            push_line(&mut text, &line.text);
        }
        let words = text.words();
        let length = words.chars().count();
        let heading = self.measures.heading(size);
        let found = open.marker.and_then(|_| label(&words));
        match (heading, found) {
            (Some(level), _) if (2..LONGEST_HEADING).contains(&length) => {
                self.push(open.page, BlockContent::Heading { level, text });
            }
            (_, Some((marker, bytes))) => {
                strip(&mut text, bytes);
                self.item(open.page, indent, marker, text);
            }
            (_, None) => self.push(open.page, paragraph(text)),
        }
    }

    fn item(&mut self, page: usize, indent: f64, marker: ListMarker, text: RichText) {
        let goes_on = matches!(
            self.blocks.last(),
            Some(SourceBlock {
                content: BlockContent::List(_),
                ..
            })
        );
        let is_far = self
            .indents
            .last()
            .is_some_and(|last| (indent - last).abs() > 150.0);
        if !goes_on || is_far {
            self.indents.clear();
        }
        while self.indents.last().is_some_and(|last| indent < last - 3.0) {
            self.indents.pop();
        }
        if self.indents.last().is_none_or(|last| indent > last + 3.0) {
            self.indents.push(indent);
        }
        let level = u8::try_from(self.indents.len() - 1).unwrap_or(u8::MAX);
        let item = ListItem {
            level,
            marker,
            text,
        };
        match self.blocks.last_mut() {
            Some(SourceBlock {
                content: BlockContent::List(items),
                ..
            }) => items.push(item),
            Some(_) | None => self.push(page, BlockContent::List(vec![item])),
        }
    }

    fn push(&mut self, page: usize, content: BlockContent) {
        self.blocks.push(SourceBlock {
            location: Location::Page(page),
            content,
        });
    }
}

/// A paragraph, or a footnote if it begins with a raised number.
fn paragraph(mut text: RichText) -> BlockContent {
    let sign = text.pieces.first().filter(|piece| piece.marks.superscript);
    let label = sign.map(|piece| piece.text.trim().to_owned());
    match label {
        Some(label) if label.len() <= 3 && text.pieces.len() > 1 => {
            text.pieces.remove(0);
            let blanks = text
                .pieces
                .first()
                .map_or(0, |piece| piece.text.len() - piece.text.trim_start().len());
            strip(&mut text, blanks);
            BlockContent::Note {
                kind: NoteKind::Footnote,
                label: Some(label),
                text,
            }
        }
        Some(_) | None => BlockContent::Paragraph(text),
    }
}

/// Lines with their indentation, and with an empty line where there is space for one.
fn code(lines: &[Segment]) -> BlockContent {
    let left = lines
        .iter()
        .map(|line| line.x0)
        .fold(f64::INFINITY, f64::min);
    let mut text = String::new();
    let mut last: Option<&Segment> = None;
    for line in lines {
        if let Some(last) = last {
            let space = line.y - last.y > 1.9 * line.size;
            text.push_str(if space { "\n\n" } else { "\n" });
        }
        // Letters of monospaced fonts are as wide as three fifths of their size.
        let indent = ((line.x0 - left) / (0.6 * line.size))
            .round()
            .clamp(0.0, 80.0);
        text.extend(
            (0..80)
                .take_while(|count| f64::from(*count) < indent)
                .map(|_| ' '),
        );
        text.push_str(&line.text.words());
        last = Some(line);
    }
    BlockContent::Code {
        language: None,
        text,
    }
}
