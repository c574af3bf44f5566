//! A block of HTML in Markdown: its words, paragraph by paragraph. Structures in it, such as tables, are read by the reader of pages.

use std::collections::HashMap;

use spec::source::{BlockContent, Location, RichText};

use super::entity::decoded;
use super::inline::Inline;
use super::tag::{self, Effect, Tag};
use crate::IntakeLimits;
use crate::readers::html::blocks_of;

/// Elements that are more than paragraphs of words.
const STRUCTURES: [&str; 5] = ["table", "ul", "ol", "dl", "pre"];

/// What a block of HTML has.
#[derive(Default)]
pub(super) struct Html {
    pub(super) blocks: Vec<(Location, BlockContent)>,
    pub(super) omitted: Vec<(Location, &'static str, String)>,
}

/// The last places at which tags are closed in a text. They are searched for once for each name.
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

/// HTML whose end has not come yet: a blank line ends a block of HTML in Markdown, but it does not end a table.
pub(super) struct Held {
    pub(super) line: usize,
    pub(super) text: String,
    /// How much of it was examined.
    at: usize,
    /// The structure that is open, and how many of them are nested.
    open: Option<(&'static str, usize)>,
}

impl Held {
    pub(super) fn new(line: usize) -> Self {
        Self {
            line,
            text: String::new(),
            at: 0,
            open: None,
        }
    }

    /// Whether a structure continues after the text so far.
    pub(super) fn is_open(&mut self) -> bool {
        while let Some(start) = self.text[self.at..].find('<') {
            let start = self.at + start;
            self.at = start + 1;
            let end = tag::end(&self.text[start..]);
            let tag = end.and_then(|end| Tag::parse(&self.text[start..=start + end]));
            let Some(tag) = tag else { continue };
            self.open = match self.open {
                None => structure(&tag).map(|name| (name, 1)),
                Some((name, depth)) if !name.eq_ignore_ascii_case(tag.name) => Some((name, depth)),
                Some((_, 1)) if tag.closing => None,
                Some((name, depth)) if tag.closing => Some((name, depth - 1)),
                Some((name, depth)) => Some((name, depth + 1)),
            };
        }
        self.at = self.text.len();
        self.open.is_some()
    }
}

/// The name of the structure that a tag opens.
fn structure(tag: &Tag<'_>) -> Option<&'static str> {
    let known = STRUCTURES
        .iter()
        .find(|name| name.eq_ignore_ascii_case(tag.name));
    known.copied().filter(|_| !tag.closing)
}

/// Where the element ends with which a text begins, by its name; `None` if it does not end.
fn closing(text: &str, name: &str) -> Option<usize> {
    let (mut at, mut depth) = (0, 0_usize);
    while let Some(start) = text[at..].find('<') {
        let start = at + start;
        at = start + 1;
        let Some(end) = tag::end(&text[start..]) else {
            continue;
        };
        let end = start + end + 1;
        let tag = Tag::parse(&text[start..end]);
        if let Some(tag) = tag.filter(|tag| tag.name.eq_ignore_ascii_case(name)) {
            at = end;
            depth = if tag.closing { depth - 1 } else { depth + 1 };
            if depth == 0 {
                return Some(end);
            }
        }
    }
    None
}

struct Walk<'t> {
    limits: &'t IntakeLimits,
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
    /// Whether a structure was refused; structures inside it would be refused, too.
    refused: bool,
    out: Html,
}

pub(super) fn read(text: &str, first_line: usize, limits: &IntakeLimits) -> Html {
    let mut walk = Walk {
        limits,
        text,
        at: 0,
        first_line,
        line: 0,
        counted: 0,
        inline: Inline::default(),
        began: None,
        heading: None,
        closings: Closings::default(),
        refused: false,
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
        let Some(end) = tag::end(rest) else {
            self.words("<");
            self.at += 1;
            return true;
        };
        let is_declaration = inner.starts_with(['!', '?']);
        match Tag::parse(&rest[..=end]) {
            _ if is_declaration => self.at += end + 1,
            Some(tag) if structure(&tag).is_some_and(|name| self.structure(name)) => {}
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

    /// Takes a structure as a whole. Returns whether this was done: a structure that is nested too deeply stays text.
    fn structure(&mut self, name: &str) -> bool {
        if self.refused {
            return false;
        }
        let rest = &self.text[self.at..];
        let end = closing(rest, name).unwrap_or(rest.len());
        let (source, comments) = without_comments(&rest[..end]);
        let Ok(fragment) = blocks_of(&source, self.limits) else {
            self.refused = true;
            return false;
        };
        self.flush();
        let location = Location::Line(self.line());
        for comment in comments {
            self.omit("a comment that is not shown", &comment);
        }
        for (what, _) in fragment.omissions {
            self.out.omitted.push((location.clone(), "", what));
        }
        let blocks = fragment.blocks.into_iter();
        self.out
            .blocks
            .extend(blocks.map(|block| (location.clone(), block)));
        self.at += end;
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

/// HTML without its comments, and the comments. A `<` that begins no tag stays a plain sign.
fn without_comments(source: &str) -> (String, Vec<String>) {
    let (mut out, mut comments) = (String::new(), Vec::new());
    let mut rest = source;
    while let Some(start) = rest.find('<') {
        out.push_str(&rest[..start]);
        rest = &rest[start..];
        if let Some(comment) = rest.strip_prefix("<!--") {
            let (comment, after) = comment.split_once("-->").unwrap_or((comment, ""));
            comments.push(comment.to_owned());
            rest = after;
            continue;
        }
        let is_tag = tag::end(rest).is_some_and(|end| Tag::parse(&rest[..=end]).is_some());
        out.push_str(if is_tag { "<" } else { "&lt;" });
        rest = &rest[1..];
    }
    out.push_str(rest);
    (out, comments)
}
