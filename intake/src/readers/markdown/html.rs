//! A block of HTML in Markdown: its words, paragraph by paragraph.

use std::collections::HashMap;

use spec::source::{BlockContent, Location, RichText};

use super::entity::decoded;
use super::inline::Inline;
use super::tag::{Effect, Tag};

/// What a block of HTML has.
#[derive(Default)]
pub(super) struct Html {
    pub(super) blocks: Vec<(Location, BlockContent)>,
    pub(super) omitted: Vec<(Location, &'static str, String)>,
}

/// Where tags close for the last time in a text, looked for once for each name.
#[derive(Default)]
pub(super) struct Closings {
    last: HashMap<String, Option<usize>>,
}

impl Closings {
    pub(super) fn after(&mut self, text: &str, name: &str, at: usize) -> bool {
        let name = name.to_ascii_lowercase();
        let last = self.last.entry(name).or_insert_with_key(|name| {
            let upper = name.to_ascii_uppercase();
            text.rfind(&format!("</{name}>"))
                .max(text.rfind(&format!("</{upper}>")))
        });
        last.is_some_and(|last| last > at)
    }
}

struct Walk<'t> {
    text: &'t str,
    at: usize,
    first_line: usize,
    /// The line of `counted`.
    line: usize,
    counted: usize,
    inline: Inline,
    began: Option<usize>,
    heading: Option<u8>,
    closings: Closings,
    out: Html,
}

pub(super) fn read(text: &str, first_line: usize) -> Html {
    let mut walk = Walk {
        text,
        at: 0,
        first_line,
        line: 0,
        counted: 0,
        inline: Inline::default(),
        began: None,
        heading: None,
        closings: Closings::default(),
        out: Html::default(),
    };
    while walk.step() {}
    walk.flush();
    walk.inline.end_block();
    walk.out
}

impl Walk<'_> {
    fn step(&mut self) -> bool {
        let text = self.text;
        let rest = &text[self.at..];
        if rest.is_empty() {
            return false;
        }
        let Some(inner) = rest.strip_prefix('<') else {
            let end = rest.find('<').unwrap_or(rest.len());
            self.words(&rest[..end]);
            self.at += end;
            return true;
        };
        if inner.starts_with("!--") {
            let end = rest.find("-->").map_or(rest.len(), |end| end + 3);
            self.omit(
                "a comment that is not shown",
                &rest[4.min(end)..end.max(4).min(rest.len())],
            );
            self.at += end;
            return true;
        }
        // Without an end there is no tag, nor is there one in what follows.
        let Some(end) = rest.find('>') else {
            self.words(rest);
            self.at = text.len();
            return true;
        };
        let is_declaration = inner.starts_with(['!', '?']);
        match Tag::parse(&rest[..=end]) {
            _ if is_declaration => self.at += end + 1,
            Some(tag) => {
                self.at += end + 1;
                self.tag(&tag, &rest[..=end]);
            }
            None => {
                self.words("<");
                self.at += 1;
            }
        }
        true
    }

    fn tag(&mut self, tag: &Tag<'_>, source: &str) {
        match tag.effect() {
            Effect::Hidden if !tag.closing => self.hide(tag.name),
            Effect::Block => self.flush(),
            Effect::Heading(level) => {
                self.flush();
                self.heading = (!tag.closing).then_some(level);
            }
            Effect::Cell => self.inline.words(" "),
            Effect::Bold
            | Effect::Italic
            | Effect::Strike
            | Effect::Code
            | Effect::Superscript
            | Effect::Subscript
            | Effect::Break
            | Effect::Image
            | Effect::Link
            | Effect::Nothing
            | Effect::Hidden => {
                let (text, at, closings) = (self.text, self.at, &mut self.closings);
                if !self.inline.tag(tag, |name| closings.after(text, name, at)) {
                    self.words(source);
                }
            }
        }
    }

    fn hide(&mut self, name: &str) {
        let rest = &self.text[self.at..];
        let close = format!("</{}", name.to_ascii_lowercase());
        let end = rest.find(&close).unwrap_or(rest.len());
        self.omit("a script or a style of a page", &rest[..end]);
        self.at += end;
    }

    fn words(&mut self, words: &str) {
        if words.trim().is_empty() {
            if !words.is_empty() {
                self.inline.soft_break();
            }
            return;
        }
        if self.began.is_none() {
            self.began = Some(self.line());
        }
        if words.starts_with(char::is_whitespace) {
            self.inline.soft_break();
        }
        for (number, line) in words.split_whitespace().enumerate() {
            if number > 0 {
                self.inline.soft_break();
            }
            self.inline.words(&decoded(line));
        }
        if words.ends_with(char::is_whitespace) {
            self.inline.soft_break();
        }
    }

    fn line(&mut self) -> usize {
        let lines = self.text[self.counted..self.at].matches('\n').count();
        self.line += lines;
        self.counted = self.at;
        self.first_line + self.line
    }

    fn omit(&mut self, what: &'static str, content: &str) {
        let content = content.trim_end_matches("-->").trim();
        if !content.is_empty() {
            let location = Location::Line(self.line());
            self.out.omitted.push((location, what, content.to_owned()));
        }
    }

    fn flush(&mut self) {
        let text: RichText = self.inline.take_text();
        let line = self.began.take().unwrap_or_else(|| self.line());
        let location = Location::Line(line);
        if !text.is_blank() {
            let content = match self.heading {
                Some(level) => BlockContent::Heading { level, text },
                None => BlockContent::Paragraph(text),
            };
            self.out.blocks.push((location.clone(), content));
        }
        for picture in std::mem::take(&mut self.inline.pictures) {
            let content = BlockContent::Picture(picture);
            self.out.blocks.push((location.clone(), content));
        }
        for lost in std::mem::take(&mut self.inline.lost) {
            self.out.omitted.push((location.clone(), "", lost));
        }
    }
}
