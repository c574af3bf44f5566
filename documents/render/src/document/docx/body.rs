//! The paragraphs and tables of a document.

use docx_rs::{
    BreakType, Hyperlink, HyperlinkData, HyperlinkType, IndentLevel, LevelOverride, Numbering,
    NumberingId, Paragraph, ParagraphBorder, ParagraphBorderPosition, ParagraphBorders, Run, Table,
    VertAlignType,
};
use pulldown_cmark::{CodeBlockKind, Event, Tag, TagEnd};

use super::direction;
use super::runs::Marks;
use super::styles::{
    BODY_FIRST, BODY_TEXT, BULLETS, INDENT, LINE, LINK, LIST_LEVELS, NUMBERS, SCENE_BREAK,
};
use super::table::{Rows, space};
use super::tick;
use crate::code::{language_of, parts, pieces};
use crate::document::formulas::Formulas;
use crate::document::text::{Note, Text, clean, plain, words};

pub(super) enum Block {
    Paragraph(Box<Paragraph>),
    Table(Box<Table>),
}

/// How a text is set that has no marks of its own.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Setting {
    /// Paragraphs with space between them.
    Report,
    /// Paragraphs whose first line is indented.
    Book {
        /// Levels of headings that stand above the text's own.
        above: u8,
        /// Whether the first paragraph after a heading or a scene break is indented too.
        is_first_set_in: bool,
    },
}

pub(super) struct Body<'t, 'a> {
    text: &'t Text<'a>,
    setting: Setting,
    /// Whether its paragraphs are read from right to left.
    rtl: bool,
    /// Whether the next paragraph is the first after a heading or a scene break.
    is_first: bool,
    pub(super) blocks: Vec<Block>,
    pub(super) numberings: Vec<Numbering>,
    pub(super) formulas: Formulas,
    /// The first heading of level 1 with these words is the title.
    pub(super) title: Option<String>,
    /// Said below the first heading.
    pub(super) note: Option<String>,
    open: Option<Paragraph>,
    links: Vec<Option<Hyperlink>>,
    link_count: usize,
    marks: Marks,
    lists: Vec<usize>,
    /// Whether the list item has no paragraph yet, so that the next paragraph gets the item's number.
    fresh: bool,
    quotes: usize,
    style: Option<String>,
    table: Option<Rows>,
    chars: usize,
    /// The character that was written last in this paragraph.
    last: Option<char>,
    /// Raw HTML while it is read.
    html: Option<String>,
    /// A block of code while it is read: its language and what it says.
    program: Option<(String, String)>,
}

impl<'t, 'a> Body<'t, 'a> {
    pub(super) fn new(text: &'t Text<'a>, setting: Setting, language: &str) -> Self {
        Self {
            text,
            setting,
            rtl: spec::text::is_right_to_left(language),
            is_first: true,
            blocks: Vec::new(),
            numberings: vec![Numbering::new(BULLETS, BULLETS)],
            formulas: Formulas::default(),
            title: None,
            note: None,
            open: None,
            links: Vec::new(),
            link_count: 0,
            marks: Marks::default(),
            lists: Vec::new(),
            fresh: false,
            quotes: 0,
            style: None,
            table: None,
            chars: 0,
            last: None,
            html: None,
            program: None,
        }
    }

    /// Goes on with another text, whose notes have numbers of their own.
    pub(super) fn go_on(&mut self, text: &'t Text<'a>, setting: Setting) {
        self.text = text;
        self.setting = setting;
        self.is_first = true;
    }

    /// A paragraph with a style of its own, outside of the text.
    pub(super) fn put_line(&mut self, line: &str, style: &str, look: fn(Paragraph) -> Paragraph) {
        let parts = direction::parts(&clean(line), self.rtl).into_iter();
        let runs = parts.map(|part| Run::new().add_text(part));
        let paragraph = runs.fold(Paragraph::new().style(style), Paragraph::add_run);
        self.blocks
            .push(Block::Paragraph(Box::new(look(paragraph))));
    }

    /// The document's title, where no heading says it, and the note.
    pub(super) fn put_title(&mut self, title: &str) {
        self.style = Some("Title".to_owned());
        self.say(title);
        self.flush();
        self.put_note();
    }

    fn put_note(&mut self) {
        if let Some(note) = self.note.take() {
            self.style = Some("Subtitle".to_owned());
            self.say(&note);
            self.flush();
        }
    }

    pub(super) fn events(&mut self, events: &[Event<'_>]) {
        for (at, event) in events.iter().enumerate() {
            match event {
                Event::Start(tag) => self.start(tag, &events[at + 1..]),
                Event::End(tag) => self.end(*tag),
                Event::Text(text) => self.text_or_html(text),
                Event::InlineMath(latex) => self.formula(latex, false),
                Event::DisplayMath(latex) => self.formula(latex, true),
                Event::Code(text) => self.say_as_code(text),
                Event::Html(html) => self.text_or_html(html),
                Event::InlineHtml(html) => {
                    if html.to_lowercase().starts_with("<br") {
                        self.line_break();
                    }
                }
                Event::FootnoteReference(label) => self.reference(self.text.number(label)),
                Event::SoftBreak => self.soft_break(),
                Event::HardBreak => self.line_break(),
                Event::Rule => self.rule(),
                Event::TaskListMarker(done) => self.say(tick(*done)),
            }
        }
        self.flush();
    }

    /// The notes, below a line.
    pub(super) fn notes(&mut self, notes: &[Note<'_>]) {
        if !notes.is_empty() {
            self.line();
        }
        for note in notes {
            self.reference(note.number);
            self.say(" ");
            if let Some(open) = self.open.take() {
                self.open = Some(open.style("FootnoteText"));
            }
            // The first paragraph of the note stands on the line of its number.
            let events = match note.events.first() {
                Some(Event::Start(Tag::Paragraph)) => &note.events[1..],
                Some(_) | None => &note.events[..],
            };
            self.style = Some("FootnoteText".to_owned());
            self.events(events);
            self.style = None;
        }
    }

    fn start(&mut self, tag: &Tag<'_>, rest: &[Event<'_>]) {
        match tag {
            Tag::Paragraph => self.flush(),
            Tag::Heading { level, .. } => {
                self.flush();
                if self.lists.is_empty() && self.quotes == 0 {
                    let end = rest
                        .iter()
                        .position(|event| matches!(event, Event::End(TagEnd::Heading(_))));
                    let words = plain(&rest[..end.unwrap_or_default()]);
                    let is_title =
                        *level as u8 == 1 && self.title.as_deref() == Some(words.as_str());
                    let style = if is_title {
                        "Title".to_owned()
                    } else {
                        format!("Heading{}", self.level(*level as u8))
                    };
                    self.style = Some(style);
                } else {
                    self.marks.bold += 1;
                }
            }
            Tag::BlockQuote(_) => {
                self.flush();
                self.quotes += 1;
            }
            Tag::CodeBlock(kind) => {
                self.flush();
                self.style = Some("Code".to_owned());
                let language = match kind {
                    CodeBlockKind::Fenced(said) => language_of(said),
                    CodeBlockKind::Indented => "",
                };
                self.program = Some((language.to_owned(), String::new()));
            }
            Tag::HtmlBlock => {
                self.flush();
                self.html = Some(String::new());
            }
            Tag::List(start) => {
                self.flush();
                self.list(*start);
            }
            Tag::Item => {
                self.flush();
                self.fresh = true;
            }
            Tag::Table(alignments) => {
                self.flush();
                self.table = Some(Rows {
                    alignments: alignments.clone(),
                    rows: Vec::new(),
                });
            }
            Tag::TableHead | Tag::TableRow => {
                if let Some(table) = &mut self.table {
                    table.rows.push(Vec::new());
                }
                self.marks.bold += usize::from(matches!(tag, Tag::TableHead));
            }
            Tag::TableCell => self.chars = 0,
            Tag::Emphasis => self.marks.italic += 1,
            Tag::Strong => self.marks.bold += 1,
            Tag::Strikethrough => self.marks.strike += 1,
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => {
                let link = self.link(dest_url);
                self.links.push(link);
            }
            Tag::FootnoteDefinition(_)
            | Tag::DefinitionList
            | Tag::DefinitionListTitle
            | Tag::DefinitionListDefinition
            | Tag::Superscript
            | Tag::Subscript
            | Tag::MetadataBlock(_) => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph => self.flush(),
            TagEnd::Heading(_) => {
                let whole = self.style.is_some();
                self.flush();
                self.style = None;
                self.is_first = true;
                if whole {
                    self.put_note();
                    self.style = None;
                } else {
                    self.marks.bold -= 1;
                }
            }
            TagEnd::BlockQuote(_) => {
                self.flush();
                self.quotes -= 1;
            }
            TagEnd::CodeBlock => {
                let (language, program) = self.program.take().unwrap_or_default();
                self.code(&language, &program);
                self.flush();
                self.style = None;
            }
            TagEnd::HtmlBlock => {
                let html = self.html.take().unwrap_or_default();
                self.say(&words(&html));
                self.flush();
            }
            TagEnd::List(_) => {
                self.flush();
                self.lists.pop();
            }
            TagEnd::Item => {
                if self.fresh && self.open.is_none() {
                    self.open = Some(self.paragraph());
                }
                self.flush();
                self.fresh = false;
            }
            TagEnd::Table => {
                if let Some(table) = self.table.take() {
                    self.blocks.push(Block::Table(Box::new(table.table())));
                    self.blocks.push(Block::Paragraph(Box::new(space())));
                }
            }
            TagEnd::TableHead => self.marks.bold -= 1,
            TagEnd::TableCell => {
                let open = self.open.take();
                let chars = self.chars;
                if let Some(table) = &mut self.table {
                    let paragraph = open.unwrap_or_else(|| table.paragraph());
                    if let Some(row) = table.rows.last_mut() {
                        row.push((paragraph, chars));
                    }
                }
            }
            TagEnd::Emphasis => self.marks.italic -= 1,
            TagEnd::Strong => self.marks.bold -= 1,
            TagEnd::Strikethrough => self.marks.strike -= 1,
            TagEnd::Link | TagEnd::Image => {
                if let Some(Some(link)) = self.links.pop() {
                    let open = self.open.take().unwrap_or_else(|| self.paragraph());
                    self.open = Some(open.add_hyperlink(link));
                }
            }
            TagEnd::TableRow
            | TagEnd::FootnoteDefinition
            | TagEnd::DefinitionList
            | TagEnd::DefinitionListTitle
            | TagEnd::DefinitionListDefinition
            | TagEnd::Superscript
            | TagEnd::Subscript
            | TagEnd::MetadataBlock(_) => {}
        }
    }

    /// A list, each with numbers of its own.
    fn list(&mut self, start: Option<u64>) {
        let Some(start) = start else {
            self.lists.push(BULLETS);
            return;
        };
        let id = NUMBERS + self.numberings.len();
        let level = self.lists.len().min(LIST_LEVELS - 1);
        // Word processors count with 32 bits.
        let start = usize::try_from(start.min(1_000_000)).unwrap_or(1);
        let begin = LevelOverride::new(level).start(start);
        self.numberings
            .push(Numbering::new(id, NUMBERS).add_override(begin));
        self.lists.push(id);
    }

    /// A link to the web; nothing inside of another link. The number in its id counts the links from the beginning of the document.
    fn link(&mut self, url: &str) -> Option<Hyperlink> {
        let lower = url.to_lowercase();
        let known = ["http://", "https://", "mailto:"]
            .iter()
            .any(|scheme| lower.starts_with(scheme));
        if !known || self.links.iter().any(Option::is_some) {
            return None;
        }
        self.link_count += 1;
        let mut link = Hyperlink::new(clean(url), HyperlinkType::External);
        if let HyperlinkData::External { rid, .. } = &mut link.link {
            *rid = format!("rIdLink{}", self.link_count);
        }
        Some(link)
    }

    /// The level that a heading of the text has in the document.
    fn level(&self, level: u8) -> u8 {
        match self.setting {
            Setting::Report => level,
            Setting::Book { above, .. } => (above + level).min(6),
        }
    }

    /// The style of a plain paragraph, which is no part of a list, a quote or a note.
    fn prose_style(&self) -> &'static str {
        match self.setting {
            Setting::Report => "Normal",
            Setting::Book {
                is_first_set_in, ..
            } if self.is_first && !is_first_set_in => BODY_TEXT,
            Setting::Book { .. } => BODY_FIRST,
        }
    }

    /// A new paragraph with the style of the current place: of a table, a list, a quote or plain text.
    fn paragraph(&mut self) -> Paragraph {
        if let Some(table) = &self.table {
            return table.paragraph();
        }
        let quoted = self.quotes > 0;
        let style = match &self.style {
            Some(style) => style.as_str(),
            None if !self.lists.is_empty() => "ListParagraph",
            None if quoted => "Quote",
            None => self.prose_style(),
        };
        let mut paragraph = Paragraph::new().style(style);
        let depth = self.lists.len();
        if let (true, Some(&list)) = (self.fresh, self.lists.last()) {
            self.fresh = false;
            let level = IndentLevel::new((depth - 1).min(LIST_LEVELS - 1));
            return paragraph.numbering(NumberingId::new(list), level);
        }
        let steps = i32::try_from(depth + self.quotes).unwrap_or(1).min(12);
        if steps > 0 {
            paragraph = paragraph.indent(Some(INDENT * steps), None, None, None);
        }
        paragraph
    }

    fn put(&mut self, run: Run) {
        let mut links = self.links.iter_mut();
        if let Some(slot) = links.find(|link| link.is_some()) {
            let run = run.color(LINK).underline("single");
            *slot = slot.take().map(|link| link.add_run(run));
            return;
        }
        let open = self.open.take().unwrap_or_else(|| self.paragraph());
        self.open = Some(open.add_run(run));
    }

    /// A formula; one that cannot be written stands as code.
    fn formula(&mut self, latex: &str, display: bool) {
        if let Some(mark) = self.formulas.mark(latex, display) {
            self.put(Run::new().add_text(mark));
            return;
        }
        self.say_as_code(latex);
    }

    /// Code inside of a paragraph.
    fn say_as_code(&mut self, text: &str) {
        self.marks.code += 1;
        self.say(text);
        self.marks.code -= 1;
    }

    fn say(&mut self, text: &str) {
        let text = clean(text);
        if !text.is_empty() {
            self.chars += text
                .chars()
                .map(|c| if c > '\u{2e80}' { 2 } else { 1 })
                .sum::<usize>();
            self.last = text.chars().last();
            let is_code = self.marks.code > 0 || self.style.as_deref() == Some("Code");
            for part in direction::parts(&text, self.rtl && !is_code) {
                self.put(self.marks.run().add_text(part));
            }
        }
    }

    fn text_or_html(&mut self, text: &str) {
        if let Some(html) = &mut self.html {
            html.push_str(text);
        } else if let Some((_, program)) = &mut self.program {
            program.push_str(text);
        } else {
            self.say(text);
        }
    }

    /// Lines of code in one paragraph, so that they stand on one ground.
    fn code(&mut self, language: &str, program: &str) {
        let lines: Vec<&str> = program.trim_end_matches('\n').split('\n').collect();
        for (at, (line, parts)) in lines.iter().zip(parts(language, &lines)).enumerate() {
            if at > 0 {
                self.line_break();
            }
            for (words, part) in pieces(line, parts) {
                self.marks.part = part;
                self.say(words);
            }
        }
    }

    fn line_break(&mut self) {
        self.put(Run::new().add_break(BreakType::TextWrapping));
    }

    /// A line break in the source between two Chinese characters is nothing, elsewhere a blank. What comes next is not known
    /// here; a blank between Latin and Chinese text does no harm.
    fn soft_break(&mut self) {
        if self.last.is_none_or(|last| last <= '\u{2e80}') {
            self.say(" ");
        }
    }

    fn reference(&mut self, number: usize) {
        let mut run = Run::new().add_text(number.to_string());
        run.run_property = run.run_property.vert_align(VertAlignType::SuperScript);
        self.put(run);
    }

    fn rule(&mut self) {
        if self.setting == Setting::Report {
            return self.line();
        }
        self.flush();
        self.put_line("* * *", SCENE_BREAK, |paragraph| paragraph);
        self.is_first = true;
    }

    fn line(&mut self) {
        self.flush();
        let line = ParagraphBorder::new(ParagraphBorderPosition::Bottom)
            .size(6)
            .color(LINE);
        let mut rule = Paragraph::new();
        rule.property = rule
            .property
            .set_borders(ParagraphBorders::with_empty().set(line));
        self.blocks.push(Block::Paragraph(Box::new(rule)));
    }

    fn flush(&mut self) {
        self.last = None;
        if self.table.is_none()
            && let Some(open) = self.open.take()
        {
            self.is_first = false;
            self.blocks.push(Block::Paragraph(Box::new(open)));
        }
    }
}
