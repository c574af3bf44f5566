//! A text as events, with its notes apart.

use std::collections::HashMap;

use pulldown_cmark::{CowStr, Event, Options, Parser, Tag, TagEnd};
use spec::book::is_scene_break;

/// Elements of raw HTML whose content is not text of the document.
pub(super) const SILENT: [&str; 6] = ["script", "style", "iframe", "noscript", "template", "title"];

/// A note, which stands at the end.
pub(super) struct Note<'a> {
    pub(super) number: usize,
    pub(super) events: Vec<Event<'a>>,
}

/// What a report or a chapter says, in order.
#[derive(Default)]
pub(super) struct Text<'a> {
    pub(super) events: Vec<Event<'a>>,
    pub(super) notes: Vec<Note<'a>>,
    /// The numbers of notes by their labels, in the order in which they are referred to.
    numbers: HashMap<String, usize>,
}

impl<'a> Text<'a> {
    /// Markdown with formulas. The text between the dollar signs of two sums of money is not a formula.
    pub(super) fn of(markdown: &'a str) -> Self {
        let options = Options::ENABLE_TABLES
            | Options::ENABLE_STRIKETHROUGH
            | Options::ENABLE_FOOTNOTES
            | Options::ENABLE_TASKLISTS
            | Options::ENABLE_MATH;
        let mut text = Self::default();
        let mut open: Vec<Note<'a>> = Vec::new();
        for event in Parser::new_ext(markdown.trim_start_matches('\u{feff}'), options) {
            if let Event::Start(Tag::FootnoteDefinition(label)) = &event {
                let number = text.take_number(label);
                open.push(Note {
                    number,
                    events: Vec::new(),
                });
                continue;
            }
            if let Event::End(TagEnd::FootnoteDefinition) = event {
                text.notes.extend(open.pop());
                continue;
            }
            if let Event::FootnoteReference(label) = &event {
                text.take_number(label);
            }
            let event = if let Event::InlineMath(latex) = &event
                && !spec::formula::is_formula(latex)
            {
                Event::Text(format!("${latex}$").into())
            } else {
                event
            };
            match open.last_mut() {
                Some(note) => note.events.push(event),
                None => text.events.push(event),
            }
        }
        text.notes.sort_by_key(|note| note.number);
        text
    }

    /// A text without marks: each line that is not empty is a paragraph or a scene break.
    pub(super) fn of_lines(lines: &'a str) -> Self {
        let mut text = Self::default();
        let lines = lines.trim_start_matches('\u{feff}').lines().map(str::trim);
        for line in lines.filter(|line| !line.is_empty()) {
            if is_scene_break(line) {
                text.events.push(Event::Rule);
                continue;
            }
            text.events.extend([
                Event::Start(Tag::Paragraph),
                Event::Text(CowStr::Borrowed(line)),
                Event::End(TagEnd::Paragraph),
            ]);
        }
        text
    }

    fn take_number(&mut self, label: &str) -> usize {
        let next = self.numbers.len() + 1;
        *self.numbers.entry(label.to_owned()).or_insert(next)
    }

    /// The number of a note; 0 for a label that nobody used.
    pub(super) fn number(&self, label: &str) -> usize {
        self.numbers.get(label).copied().unwrap_or_default()
    }

    /// The headings of the document itself, with their plain words.
    pub(super) fn headings(&self) -> Vec<(u8, String)> {
        let mut headings = Vec::new();
        for part in parts(&self.events) {
            headings.extend(part.heading.map(|(level, words)| (level, plain(words))));
        }
        headings
    }
}

/// A heading of the document itself, without its start and end, and what follows up to the next.
pub(super) struct Part<'e, 'a> {
    pub(super) heading: Option<(u8, &'e [Event<'a>])>,
    pub(super) events: &'e [Event<'a>],
}

pub(super) fn parts<'e, 'a>(events: &'e [Event<'a>]) -> Vec<Part<'e, 'a>> {
    let mut parts = vec![Part {
        heading: None,
        events: &events[..0],
    }];
    let (mut depth, mut began, mut heading) = (0_usize, 0, None);
    for (at, event) in events.iter().enumerate() {
        if let Event::Start(tag) = event {
            if let (0, Tag::Heading { level, .. }) = (depth, tag) {
                close(&mut parts, &events[began..at]);
                heading = Some((*level as u8, at + 1));
            }
            depth += 1;
        } else if let Event::End(_) = event {
            depth -= 1;
            if depth == 0
                && let Some((level, from)) = heading.take()
            {
                parts.push(Part {
                    heading: Some((level, &events[from..at])),
                    events: &events[..0],
                });
                began = at + 1;
            }
        }
    }
    close(&mut parts, &events[began..]);
    parts
}

fn close<'e, 'a>(parts: &mut [Part<'e, 'a>], events: &'e [Event<'a>]) {
    if let Some(part) = parts.last_mut() {
        part.events = events;
    }
}

/// The words of events, in one line.
pub(super) fn plain(events: &[Event<'_>]) -> String {
    let mut words = String::new();
    for event in events {
        if let Event::Text(text) | Event::Code(text) = event {
            words.push_str(text);
        } else if let Event::InlineMath(latex) | Event::DisplayMath(latex) = event {
            words.push_str(&spec::formula::as_text(latex));
        } else if let Event::SoftBreak | Event::HardBreak = event {
            words.push(' ');
        }
    }
    one_line(&words)
}

pub(super) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The words of raw HTML.
pub(super) fn words(html: &str) -> String {
    let mut stripper = ammonia::Builder::empty();
    stripper.clean_content_tags(SILENT.into_iter().collect());
    let text = stripper.clean(html).to_string();
    let text = [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&nbsp;", " "),
        ("&amp;", "&"),
    ]
    .into_iter()
    .fold(text, |text, (entity, is)| text.replace(entity, is));
    one_line(&text)
}

/// Text without the characters that XML forbids.
pub(super) fn clean(text: &str) -> String {
    let allowed =
        |c: &char| (!c.is_control() || *c == '\t') && !matches!(c, '\u{fffe}' | '\u{ffff}');
    text.chars().filter(allowed).collect()
}
