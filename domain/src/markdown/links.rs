//! Links and notes of a section, changed so that they have no effect outside of it.
//!
//! A definition of a link applies to the whole document: in a section it would turn `[words]` in another heading into a link. Two notes
//! with the same label in two sections would become one note.

use std::ops::Range;

use pulldown_cmark::{Event, LinkType, Parser, Tag, TagEnd};

use super::scan::{by_reference, options};

/// A replacement of a range of a text.
pub(super) type Edit = (Range<usize>, String);

/// The text with its edits made; none of them overlap.
pub(super) fn edited(text: &str, mut edits: Vec<Edit>) -> String {
    edits.sort_by_key(|(range, _)| range.start);
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for (range, new) in edits {
        if range.start < at {
            continue;
        }
        out.push_str(&text[at..range.start]);
        out.push_str(&new);
        at = range.end;
    }
    out.push_str(&text[at..]);
    out
}

/// The text with the addresses of its links written into the links, without definitions, and with the leaf's number added to the labels of
/// its notes.
///
/// Of several definitions with the same label the parser knows only the first; it finds the next one after the first is removed.
pub(super) fn inlined(text: &str, leaf: u32) -> String {
    let mut edits: Vec<Edit> = Vec::new();
    /// An open link: where it begins, how far its words go, and its address.
    struct Open {
        start: usize,
        inner: usize,
        target: Option<String>,
        /// The brackets after the words, which the parser does not count as a part of the link.
        tail: &'static str,
    }
    let mut open: Vec<Open> = Vec::new();
    let mut events = Parser::new_ext(text, options()).into_offset_iter();
    for (event, range) in events.by_ref() {
        if let Event::Start(
            Tag::Link {
                link_type,
                dest_url,
                title,
                ..
            }
            | Tag::Image {
                link_type,
                dest_url,
                title,
                ..
            },
        ) = &event
        {
            let target = by_reference(*link_type).then(|| target(dest_url, title));
            let image = usize::from(text[range.start..].starts_with('!'));
            let start = range.start + image + 1;
            let tail = if *link_type == LinkType::Collapsed {
                "[]"
            } else {
                ""
            };
            open.push(Open {
                start,
                inner: start,
                target,
                tail,
            });
        } else if let Event::End(TagEnd::Link | TagEnd::Image) = event
            && let Some(Open {
                inner,
                target,
                tail,
                ..
            }) = open.pop()
        {
            if let Some(target) = target {
                // The words end at the closing bracket after the last part that was parsed.
                let rest = &text[range.end..];
                let end = range.end
                    + if rest.starts_with(tail) {
                        tail.len()
                    } else {
                        0
                    };
                edits.push((inner..end, format!("]({target})")));
            }
            if let Some(outer) = open.last_mut() {
                outer.inner = range.end;
            }
        } else if let Some(link) = open.last_mut() {
            link.inner = link.inner.max(range.end).max(link.start);
        }
        let label = match &event {
            Event::FootnoteReference(label) | Event::Start(Tag::FootnoteDefinition(label)) => label,
            Event::Start(_)
            | Event::End(_)
            | Event::Text(_)
            | Event::Code(_)
            | Event::InlineMath(_)
            | Event::DisplayMath(_)
            | Event::Html(_)
            | Event::InlineHtml(_)
            | Event::SoftBreak
            | Event::HardBreak
            | Event::Rule
            | Event::TaskListMarker(_) => continue,
        };
        let own = format!("{leaf}-");
        let at = range.start + 2;
        if text[range.start..].starts_with("[^") && !label.starts_with(&own) {
            edits.push((at..at, own));
        }
    }
    for (_, link) in events.reference_definitions().iter() {
        edits.push((link.span.clone(), String::new()));
    }
    edited(text, edits)
}

/// An address and a title in the form that they have in the round brackets of a link, which also works in tables.
fn target(url: &str, title: &str) -> String {
    let mut target = "<".to_owned();
    for c in url.chars() {
        match c {
            '<' => target.push_str("%3C"),
            '>' => target.push_str("%3E"),
            '\\' => target.push_str("%5C"),
            '|' => target.push_str("%7C"),
            '&' => target.push_str("&amp;"),
            '\n' | '\r' => target.push_str("%0A"),
            other => target.push(other),
        }
    }
    target.push('>');
    if !title.is_empty() {
        target.push_str(" \"");
        for c in title.chars() {
            match c {
                '"' => target.push_str("&quot;"),
                '\\' => target.push_str("&#92;"),
                '|' => target.push_str("&#124;"),
                '&' => target.push_str("&amp;"),
                '\n' | '\r' => target.push(' '),
                other => target.push(other),
            }
        }
        target.push('"');
    }
    target
}
