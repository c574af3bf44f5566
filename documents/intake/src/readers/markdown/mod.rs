//! Markdown, with the words exactly as they stand.
//!
//! `CommonMark` takes some signs for marks that a person meant as plain signs (a dollar before a price, stars of a power, a tilde between
//! two numbers). These signs stay; see [`prepare`].

mod around;
mod blocks;
mod depths;
mod entity;
mod front;
mod html;
mod inline;
mod masks;
mod math;
mod pieces;
mod prepare;
mod table;
mod tag;
#[cfg(test)]
mod tests;
mod words;

use std::collections::HashSet;
use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag as Start, TextMergeWithOffset};
use spec::source::{BlockContent, Location, RichText, SourceDocument, SourceFormat};

use crate::gather::Gathering;
use crate::{Reading, Unreadable};
use blocks::Blocks;
use front::Front;
pub(super) use inline::joins;
use prepare::Prepared;

/// Bytes that the parser takes for a sign that could be a mark: a node for it and one for the words after it.
const OF_SIGN: usize = 96;

/// Events between two looks at whether to stop.
const EVENTS_PER_LOOK: usize = 1_000;

pub(super) fn read(reading: &Reading<'_>) -> Result<SourceDocument, Unreadable> {
    let decoded = crate::encoding::lines(reading.bytes);
    decoded.check(SourceFormat::Markdown)?;
    let mut gathering = Gathering::new(reading);
    read_text(&decoded.text, &mut gathering)?;
    let mut document = gathering.finish();
    decoded.note(&mut document);
    Ok(document)
}

/// Reads Markdown whose bytes are decoded.
pub(super) fn read_text(text: &str, gathering: &mut Gathering<'_, '_>) -> Result<(), Unreadable> {
    let front = front::read(text);
    let start = front.as_ref().map_or(0, |front| front.end);
    let first_line = 1 + text[..start].matches('\n').count();
    let prepared = Prepared::new(&text[start..]);
    let mut blocks = Blocks::new(&prepared, first_line, gathering);
    if let Some(front) = front {
        put_front(front, &prepared, &mut blocks);
    }
    let signs = prepared.text.bytes().filter(u8::is_ascii_punctuation);
    let nodes = signs.count().saturating_mul(OF_SIGN);
    let reading = blocks.gathering.reading;
    let _tree = reading.budget.lend(nodes, reading.limits.memory_bytes)?;
    let events = Parser::new_ext(&prepared.text, options()).into_offset_iter();
    let mut unused: Vec<(String, Range<usize>)> = events
        .reference_definitions()
        .iter()
        .map(|(label, definition)| (label.to_lowercase(), definition.span.clone()))
        .collect();
    let mut used = HashSet::new();
    for (count, (event, range)) in TextMergeWithOffset::new(events).enumerate() {
        // Each piece of the words of a link has the whole address.
        let address = blocks.inline.address_bytes();
        if address > 0 || count.is_multiple_of(EVENTS_PER_LOOK) {
            blocks.gathering.reading.charge(address)?;
        }
        if let Event::Start(Start::Link { id, .. } | Start::Image { id, .. }) = &event
            && !id.is_empty()
        {
            used.insert(id.to_lowercase());
        }
        blocks.event(event, range);
    }
    unused.retain(|(label, _)| !used.contains(label));
    unused.sort_by_key(|(_, span)| span.start);
    blocks.finish(&unused);
    Ok(())
}

/// If the text has no title, the title of the front matter is used; all other fields are named as omissions.
fn put_front(front: Front, prepared: &Prepared, blocks: &mut Blocks<'_, '_, '_, '_>) {
    let location = Location::Line(1);
    blocks.gathering.written_by(front.author, front.date);
    if !front.others.is_empty() {
        let what = format!("the fields {} before the text", front.others.join(", "));
        let why = "fields are for programs; write into the text what readers are to know";
        blocks.gathering.omit(location.clone(), what, why);
    }
    if let Some(title) = front.title
        && !has_title(&prepared.text)
    {
        let text = RichText::plain(title);
        blocks.put(location, BlockContent::Heading { level: 1, text });
    }
}

fn options() -> Options {
    Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_MATH
}

/// Whether a text has a heading of the first level.
fn has_title(text: &str) -> bool {
    use pulldown_cmark::HeadingLevel::H1;
    Parser::new_ext(text, options())
        .any(|event| matches!(event, Event::Start(Start::Heading { level: H1, .. })))
}
