//! Makes blocks of the parser's events.

use std::ops::Range;

use pulldown_cmark::{Event, LinkType, Tag as Start, TagEnd};
use spec::source::{BlockContent, ListItem, ListMarker, Location, RichText, SourceTable};

use super::around::{Around, Surroundings};
use super::html::{Closings, Held};
use super::inline::Inline;
use super::pieces::without_anchor;
use super::prepare::Prepared;
use super::tag::Effect;
use crate::gather::Gathering;

/// A block that is not complete yet.
pub(super) enum Pending {
    List(Vec<ListItem>),
    Quotation(Vec<RichText>),
    Note(String, RichText),
}

pub(super) struct Blocks<'p, 'g, 'r, 'a> {
    pub(super) prepared: &'p Prepared,
    pub(super) gathering: &'g mut Gathering<'r, 'a>,
    pub(super) first_line: usize,
    pub(super) line_starts: Vec<usize>,
    pub(super) around: Surroundings,
    pub(super) pending: Option<(Location, Pending)>,
    pub(super) inline: Inline,
    /// The place in the source where the block whose words came begins, and where it ends.
    pub(super) words: Range<usize>,
    pub(super) closings: Closings,
    pub(super) table: Option<(Location, SourceTable)>,
    pub(super) code: Option<(Location, Option<String>, String)>,
    pub(super) html: Option<Held>,
    pub(super) in_heading: bool,
}

impl<'p, 'g, 'r, 'a> Blocks<'p, 'g, 'r, 'a> {
    pub(super) fn new(
        prepared: &'p Prepared,
        first_line: usize,
        gathering: &'g mut Gathering<'r, 'a>,
    ) -> Self {
        let line_starts = prepared
            .text
            .match_indices('\n')
            .map(|(at, _)| at + 1)
            .collect();
        Self {
            prepared,
            gathering,
            first_line,
            line_starts,
            around: Surroundings::default(),
            pending: None,
            inline: Inline::default(),
            words: 0..0,
            closings: Closings::default(),
            table: None,
            code: None,
            html: None,
            in_heading: false,
        }
    }

    pub(super) fn line(&self, at: usize) -> usize {
        self.first_line + self.line_starts.partition_point(|start| *start <= at)
    }

    pub(super) fn location(&self, at: usize) -> Location {
        Location::Line(self.line(at))
    }

    pub(super) fn restored(&self, text: &str) -> String {
        self.prepared.restored(text).into_owned()
    }

    pub(super) fn event(&mut self, event: Event<'_>, range: Range<usize>) {
        match event {
            Event::Start(start) => self.start(start, range),
            Event::End(end) => self.end(end, range),
            Event::Text(text) => self.text(&text),
            Event::Code(text) => self.inline.code(&self.prepared.restored(&text)),
            Event::InlineMath(text) => self.inline.formula(&self.prepared.restored(&text)),
            Event::DisplayMath(text) => self.display_math(&text, &range),
            Event::Html(text) => {
                let text = self.restored(&text);
                if let Some(html) = &mut self.html {
                    html.text.push_str(&text);
                }
            }
            Event::InlineHtml(text) => self.inline_html(&text, &range),
            Event::FootnoteReference(label) => {
                self.inline.note_sign(&self.prepared.restored(&label));
            }
            Event::SoftBreak => self.inline.soft_break(),
            Event::HardBreak => self.inline.hard_break(),
            Event::Rule => self.flush(),
            Event::TaskListMarker(done) => {
                if let Some((_, Pending::List(items))) = &mut self.pending
                    && let Some(item) = items.last_mut()
                {
                    item.marker = ListMarker::Task { done };
                }
            }
        }
    }

    fn start(&mut self, start: Start<'_>, range: Range<usize>) {
        if !matches!(start, Start::HtmlBlock) {
            self.put_html();
        }
        match start {
            Start::Paragraph | Start::TableCell => self.begin_words(range),
            Start::Heading { .. } => {
                self.begin_words(range);
                self.in_heading = true;
            }
            Start::BlockQuote(_) => self.enter(Around::Quotation),
            Start::CodeBlock(kind) => self.start_code(&kind, range.start),
            Start::HtmlBlock => {
                self.end_words();
                match &mut self.html {
                    Some(html) => html.text.push('\n'),
                    None => self.html = Some(Held::new(self.line(range.start))),
                }
            }
            Start::List(first) => {
                self.enter(Around::List(first.map(|first| first.saturating_sub(1))));
            }
            Start::Item => self.start_item(range),
            Start::FootnoteDefinition(label) => {
                self.end_words();
                self.around.enter_note(self.restored(&label));
                self.flush();
            }
            Start::Table(align) => self.start_table(&align, range.start),
            Start::TableHead | Start::TableRow => self.start_row(),
            Start::Emphasis => self.inline.open(Effect::Italic),
            Start::Strong => self.inline.open(Effect::Bold),
            Start::Strikethrough => self.inline.open(Effect::Strike),
            Start::Link { .. } | Start::Image { .. } => self.start_link(&start),
            // Events of options that are switched off.
            Start::DefinitionList
            | Start::DefinitionListTitle
            | Start::DefinitionListDefinition
            | Start::Superscript
            | Start::Subscript
            | Start::MetadataBlock(_) => {}
        }
    }

    fn enter(&mut self, around: Around) {
        self.end_words();
        self.around.enter(around);
    }

    fn start_link(&mut self, start: &Start<'_>) {
        if let Start::Link {
            link_type,
            dest_url,
            title,
            ..
        } = start
        {
            let is_email = matches!(link_type, LinkType::Email);
            let scheme = if is_email { "mailto:" } else { "" };
            let address = format!("{scheme}{}", self.restored(dest_url));
            let title = self.restored(title);
            self.inline.open_link(address, &title);
        }
        if let Start::Image {
            dest_url, title, ..
        } = start
        {
            let address = self.restored(dest_url);
            let title = self.restored(title);
            self.inline.open_image(address, &title);
        }
    }

    fn end(&mut self, end: TagEnd, range: Range<usize>) {
        match end {
            TagEnd::Paragraph => self.end_words(),
            TagEnd::Heading(level) => self.end_heading(level as u8, range.start),
            TagEnd::BlockQuote(_) | TagEnd::List(_) | TagEnd::Item => {
                self.end_words();
                self.around.leave();
            }
            TagEnd::FootnoteDefinition => {
                self.end_words();
                self.around.leave();
                self.flush();
            }
            TagEnd::CodeBlock => self.end_code(),
            TagEnd::HtmlBlock => {
                if !self.html.as_mut().is_some_and(Held::is_open) {
                    self.put_html();
                }
            }
            TagEnd::Table => self.end_table(),
            TagEnd::TableHead | TagEnd::TableRow => self.end_row(&range),
            TagEnd::TableCell => self.end_cell(),
            TagEnd::Emphasis => drop(self.inline.close(Effect::Italic)),
            TagEnd::Strong => drop(self.inline.close(Effect::Bold)),
            TagEnd::Strikethrough => drop(self.inline.close(Effect::Strike)),
            TagEnd::Link => self.inline.close_link(),
            TagEnd::Image => self.inline.close_image(),
            TagEnd::DefinitionList
            | TagEnd::DefinitionListTitle
            | TagEnd::DefinitionListDefinition
            | TagEnd::Superscript
            | TagEnd::Subscript
            | TagEnd::MetadataBlock(_) => {}
        }
        if self.around.is_empty() && self.table.is_none() && !self.has_words() {
            self.flush();
            self.put_pictures(range.start);
        }
    }

    fn end_heading(&mut self, level: u8, at: usize) {
        let text = without_anchor(self.inline.take_text());
        self.inline.end_block();
        self.in_heading = false;
        if !text.is_blank() {
            let location = self.location(at);
            self.put(location, BlockContent::Heading { level, text });
        }
    }
}
