//! A book as a list of leaves, in reading order: volumes and chapters with what stands under their headings.

use std::borrow::Cow;

use pulldown_cmark::{Event, Tag, TagEnd};
use spec::book::{Book, BookChapter, TextForm, is_scene_break};
use spec::text::told;

use crate::document::text::{Text, one_line, plain};

/// A volume's page, or a chapter.
pub(in crate::document) struct Leaf<'b> {
    /// The title in one line; empty for a chapter without a heading.
    pub(in crate::document) title: String,
    /// The level of its heading: 1 for volumes and for chapters outside of volumes, 2 for chapters of a volume with a title.
    pub(in crate::document) level: u8,
    pub(in crate::document) is_volume: bool,
    pub(in crate::document) form: TextForm,
    /// The text with scene breaks and paragraphs that Markdown knows.
    pub(in crate::document) source: Cow<'b, str>,
}

impl Leaf<'_> {
    /// The text under the heading. If the text begins with the title again, that repetition is left out.
    pub(in crate::document) fn text(&self) -> Text<'_> {
        let mut text = match self.form {
            TextForm::Prose => Text::of_lines(&self.source),
            TextForm::Markdown => Text::of(&self.source),
        };
        mark(&mut text.events);
        let first = text
            .events
            .iter()
            .position(|event| matches!(event, Event::End(TagEnd::Heading(_) | TagEnd::Paragraph)));
        let begins = matches!(
            text.events.first(),
            Some(Event::Start(Tag::Heading { .. } | Tag::Paragraph))
        );
        if let (true, Some(end)) = (begins && !self.title.is_empty(), first)
            && plain(&text.events[..end]) == self.title
        {
            text.events.drain(..=end);
        }
        text
    }

    /// What a table of contents calls it.
    pub(in crate::document) fn name(&self, language: &str) -> &str {
        match self.title.as_str() {
            "" => told(language, ["（无题）", "Untitled"]),
            title => title,
        }
    }
}

pub(in crate::document) fn leaves(book: &Book) -> Vec<Leaf<'_>> {
    let mut leaves = Vec::new();
    for volume in &book.volumes {
        let title = volume.title.as_deref().map(one_line);
        let title = title.filter(|title| !title.is_empty());
        let level = if title.is_some() { 2 } else { 1 };
        leaves.extend(title.map(|title| Leaf {
            title,
            level: 1,
            is_volume: true,
            form: TextForm::Prose,
            source: Cow::Borrowed(""),
        }));
        leaves.extend(volume.chapters.iter().map(|chapter| Leaf {
            title: one_line(&chapter.title),
            level,
            is_volume: false,
            form: chapter.form,
            source: source(chapter),
        }));
    }
    leaves
}

fn source(chapter: &BookChapter) -> Cow<'_, str> {
    match chapter.form {
        TextForm::Prose => Cow::Borrowed(&chapter.text),
        TextForm::Markdown => Cow::Owned(without_surprises(&chapter.text)),
    }
}

/// How many events are searched for the end of a tag.
const TAG_EVENTS_MAX: usize = 1_000;

/// Turns HTML tags for emphasis into events: authors write tags where the signs of Markdown cannot stand. A tag that does not end in
/// the element in which it began is left as it is.
fn mark(events: &mut [Event<'_>]) {
    let tags = [
        (["<i>", "<em>"], ["</i>", "</em>"], Tag::Emphasis),
        (["<b>", "<strong>"], ["</b>", "</strong>"], Tag::Strong),
        (["<s>", "<del>"], ["</s>", "</del>"], Tag::Strikethrough),
    ];
    for at in 0..events.len() {
        let Event::InlineHtml(html) = &events[at] else {
            continue;
        };
        let Some((_, close, tag)) = tags.iter().find(|(open, ..)| open.contains(&&**html)) else {
            continue;
        };
        if let Some(end) = end_of_tag(&events[at + 1..], close) {
            events[at] = Event::Start(tag.clone());
            events[at + 1 + end] = Event::End(tag.to_end());
        }
    }
}

/// Where a tag ends, in the element in which it began.
fn end_of_tag(events: &[Event<'_>], close: &[&str]) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, event) in events.iter().take(TAG_EVENTS_MAX).enumerate() {
        match event {
            Event::Start(_) => depth += 1,
            Event::End(_) => depth = depth.checked_sub(1)?,
            Event::InlineHtml(html) if depth == 0 && close.contains(&&**html) => return Some(at),
            Event::Text(_)
            | Event::Code(_)
            | Event::InlineMath(_)
            | Event::DisplayMath(_)
            | Event::Html(_)
            | Event::InlineHtml(_)
            | Event::FootnoteReference(_)
            | Event::SoftBreak
            | Event::HardBreak
            | Event::Rule
            | Event::TaskListMarker(_) => {}
        }
    }
    None
}

/// Markdown in which lines mean what authors of stories mean by them: a line of signs between paragraphs is a scene break, and neither
/// underlines a heading nor opens code or a list; a line that is indented by an ideographic space begins a paragraph.
fn without_surprises(markdown: &str) -> String {
    let mut out = String::with_capacity(markdown.len() + 64);
    let mut is_code = false;
    for line in markdown.lines() {
        let bare = line.trim();
        if bare.starts_with("```") {
            is_code = !is_code;
        }
        if !is_code && is_scene_break(&bare.replace('\\', "")) {
            out.push_str("\n* * *\n\n");
            continue;
        }
        if !is_code && line.starts_with('\u{3000}') {
            out.push('\n');
            out.push_str(line.trim_start());
        } else {
            out.push_str(line);
        }
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(title: &str, form: TextForm, text: &str) -> String {
        let chapter = BookChapter {
            title: title.to_owned(),
            form,
            text: text.to_owned(),
        };
        let leaf = Leaf {
            title: title.to_owned(),
            level: 1,
            is_volume: false,
            form,
            source: source(&chapter),
        };
        let text = leaf.text();
        let mut shown = String::new();
        for event in &text.events {
            if let Event::Text(text) = event {
                shown.push_str(text);
            }
            let marks = [
                (Event::Start(Tag::Paragraph), "|p "),
                (Event::Rule, "|*"),
                (Event::SoftBreak, "/"),
            ];
            let mark = marks.iter().find(|(known, _)| known == event);
            shown.push_str(mark.map_or("", |(_, mark)| mark));
        }
        shown
    }

    #[test]
    fn lines_of_prose_are_paragraphs_and_nothing_in_them_is_a_mark() {
        let text = "　　第一章\n　　他说：*不*。\n\n# 1\n***\n　　完。";
        let prose = shown("第一章", TextForm::Prose, text);
        assert_eq!(prose, "|p 他说：*不*。|p # 1|*|p 完。");
    }

    #[test]
    fn tags_of_emphasis_are_emphasis_where_they_end() {
        let chapter = BookChapter {
            form: TextForm::Markdown,
            text: "a<i>b <b>c</i> d</b>\n\n<em>e\n".to_owned(),
            ..BookChapter::default()
        };
        let leaf = Leaf {
            title: String::new(),
            level: 1,
            is_volume: false,
            form: TextForm::Markdown,
            source: source(&chapter),
        };
        let text = leaf.text();
        let starts = |tag: &Tag<'_>| text.events.contains(&Event::Start(tag.clone()));
        assert!(text.events.contains(&Event::End(TagEnd::Emphasis)));
        assert!(starts(&Tag::Emphasis) && !starts(&Tag::Strong));
    }

    #[test]
    fn signs_between_paragraphs_are_scene_breaks_in_markdown_too() {
        for sign in ["---", "===", "~~~", "***", "* * *", "◇◇◇", "#", "\\*\\*\\*"] {
            let text = format!("# 开端\n\none\n{sign}\ntwo");
            let markdown = shown("开端", TextForm::Markdown, &text);
            assert_eq!(markdown, "|p one|*|p two", "{sign}");
        }
        assert_eq!(
            shown("", TextForm::Markdown, "　　甲\n　　乙\nc\nd"),
            "|p 甲|p 乙/c/d"
        );
    }
}
