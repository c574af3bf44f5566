//! Blocks that the parser gives in pieces: code, HTML, formulas, rows, pictures.

use std::ops::Range;

use pulldown_cmark::CodeBlockKind;
use spec::source::{BlockContent, ListMarker, Location, NoteKind, RichText};

use super::blocks::{Blocks, Pending};
use super::html::{self, Held};
use super::tag::{Effect, Tag};

/// Characters that are shown of an omission.
const SHOWN: usize = 80;

impl Blocks<'_, '_, '_, '_> {
    /// Adds a block after everything that came before it.
    pub(super) fn put(&mut self, location: Location, content: BlockContent) {
        self.flush();
        self.gathering.push(location, content);
    }

    /// Adds the list, quotation or note whose parts came so far.
    pub(super) fn flush(&mut self) {
        let Some((location, pending)) = self.pending.take() else {
            return;
        };
        let content = match pending {
            Pending::List(mut items) => {
                items.retain(|item| !item.text.is_blank() || item.marker != ListMarker::Bullet);
                if items.is_empty() {
                    return;
                }
                BlockContent::List(items)
            }
            Pending::Quotation(lines) => BlockContent::Quotation(lines),
            Pending::Note(label, text) => BlockContent::Note {
                kind: NoteKind::Footnote,
                label: Some(label),
                text,
            },
        };
        self.gathering.push(location, content);
    }

    /// Adds what stood between the words: pictures, and content that there is no place for.
    pub(super) fn put_pictures(&mut self, at: usize) {
        for lost in std::mem::take(&mut self.inline.lost) {
            let why = "it is not seen on the page; write it into the text if it matters";
            let location = self.location(at);
            self.gathering.omit(location, lost, why);
        }
        for picture in std::mem::take(&mut self.inline.pictures) {
            let location = self.location(at);
            self.put(location, BlockContent::Picture(picture));
        }
    }

    pub(super) fn text(&mut self, text: &str) {
        if self.code.is_none()
            && let Some([begins, ends]) = self.prepared.bold_signs()
            && text.contains([begins, ends])
        {
            for part in text.split_inclusive([begins, ends]) {
                let words = part.trim_end_matches([begins, ends]);
                let words = self.restored(words);
                self.inline.words(&words);
                match part.ends_with(begins) {
                    true => self.inline.open(Effect::Bold),
                    false if part.ends_with(ends) => drop(self.inline.close(Effect::Bold)),
                    false => {}
                }
            }
            return;
        }
        let text = self.restored(text);
        match &mut self.code {
            Some((_, _, code)) => code.push_str(&text),
            None => self.inline.words(&text),
        }
    }

    /// A formula that stands alone, or in a place that can only have words.
    pub(super) fn display_math(&mut self, text: &str, range: &Range<usize>) {
        let latex = self.restored(text);
        let is_alone = self.around.is_empty() && self.table.is_none() && !self.in_heading;
        if !is_alone {
            self.inline.formula(&latex);
            return;
        }
        let words = self.inline.take_text();
        if !words.is_blank() {
            let location = self.location(self.words.start);
            self.put(location, BlockContent::Paragraph(words));
        }
        self.words.start = range.end;
        let location = self.location(range.start);
        self.put(location, BlockContent::Formula(latex.trim().to_owned()));
    }

    pub(super) fn inline_html(&mut self, text: &str, range: &Range<usize>) {
        let source = self.restored(text);
        if let Some(comment) = source.strip_prefix("<!--") {
            let comment = comment.trim_end_matches("-->");
            let location = self.location(range.start);
            self.omit_hidden(location, "a comment that is not shown", comment);
            return;
        }
        let block = self.words.start..self.words.end.max(range.end);
        let (all, at) = (&self.prepared.text[block.clone()], range.end - block.start);
        let closings = &mut self.closings;
        let is_done = Tag::parse(&source)
            .is_some_and(|tag| self.inline.tag(&tag, |name| closings.after(all, name, at)));
        if !is_done {
            self.inline.words(&source);
        }
    }

    fn omit_hidden(&mut self, location: Location, what: &str, content: &str) {
        let content = content.trim();
        if content.is_empty() {
            return;
        }
        let shown: String = content.chars().take(SHOWN).collect();
        let rest = if shown.len() < content.len() {
            "…"
        } else {
            ""
        };
        let what = format!("{what}: \"{shown}{rest}\"");
        self.gathering
            .omit(location, what, "readers of the page do not see it, either");
    }

    pub(super) fn start_code(&mut self, kind: &CodeBlockKind<'_>, at: usize) {
        self.end_words();
        let language = match kind {
            CodeBlockKind::Fenced(info) => language(&self.restored(info)),
            CodeBlockKind::Indented => None,
        };
        self.code = Some((self.location(at), language, String::new()));
    }

    pub(super) fn end_code(&mut self) {
        let Some((location, language, mut text)) = self.code.take() else {
            return;
        };
        if text.ends_with('\n') {
            text.pop();
        }
        let content = match language.as_deref() {
            Some("math") => BlockContent::Formula(text),
            Some(_) | None => BlockContent::Code { language, text },
        };
        self.put(location, content);
    }

    /// Puts the content of a block of HTML, including blocks before it that it continues.
    pub(super) fn put_html(&mut self) {
        let Some(Held { line, text, .. }) = self.html.take() else {
            return;
        };
        let html = html::read(&text, line, self.gathering.reading.limits);
        for (location, what, content) in html.omitted {
            self.omit_hidden(location, what, &content);
        }
        for (location, content) in html.blocks {
            if let BlockContent::Paragraph(text) = content {
                self.put_words(location, text);
            } else {
                self.put(location, content);
            }
        }
    }

    /// Adds what is left, and definitions to which no link refers: these are text, such as a list of sources.
    pub(super) fn finish(mut self, unused: &[(String, Range<usize>)]) {
        self.put_html();
        self.end_words();
        self.flush();
        self.put_pictures(self.words.start);
        for (_, span) in unused {
            let text = self.restored(&self.prepared.text[span.clone()]);
            let location = self.location(span.start);
            let text = RichText::plain(text.trim());
            self.put(location, BlockContent::Paragraph(text));
        }
    }
}

/// The language that a fence names: `python`, or `{.python .numberLines}` as Pandoc writes.
fn language(info: &str) -> Option<String> {
    let info = info.trim().trim_start_matches(['{', '.']);
    let word = info
        .split(|char: char| char.is_whitespace() || matches!(char, '}' | ',' | '{'))
        .next()?;
    (!word.is_empty()).then(|| word.to_owned())
}

/// A heading without the name that is the target of links: `{#name}` at its end, as Pandoc and PHP Markdown write it.
pub(super) fn without_anchor(mut text: RichText) -> RichText {
    let Some(last) = text.pieces.last_mut().filter(|last| last.marks.is_plain()) else {
        return text;
    };
    let anchor = last.text.rfind(" {#").filter(|at| {
        let inner = last.text[at + 3..].strip_suffix('}');
        inner.is_some_and(|inner| {
            let is_name = |char: char| char.is_alphanumeric() || "-_.: #".contains(char);
            !inner.is_empty() && inner.chars().all(is_name)
        })
    });
    if let Some(at) = anchor {
        last.text.truncate(last.text[..at].trim_end().len());
    }
    text.pieces.retain(|piece| !piece.text.is_empty());
    text
}
