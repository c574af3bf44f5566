//! Where words belong: to an item, a quotation, a note, or to a paragraph of their own.

use std::ops::Range;

use spec::source::{BlockContent, ListItem, ListMarker, Location, RichText};

use super::around::Around;
use super::blocks::{Blocks, Pending};
use super::html::Closings;
use crate::readers::office::flatten::add_line;

impl Blocks<'_, '_, '_, '_> {
    pub(super) fn has_words(&self) -> bool {
        self.in_heading || !self.inline.is_blank()
    }

    pub(super) fn begin_words(&mut self, range: Range<usize>) {
        self.end_words();
        self.words = range;
        self.closings = Closings::default();
    }

    pub(super) fn start_item(&mut self, range: Range<usize>) {
        let text = &self.prepared.text[range.clone()];
        self.begin_words(range.clone());
        let level = self.level();
        let written = number(text);
        let marker = match self.around.innermost_mut() {
            Some(Around::List(Some(last))) => {
                // In a list that has 1 before each item, the items are meant to be counted.
                let next = last.saturating_add(1);
                *last = written.filter(|written| *written > next).unwrap_or(next);
                ListMarker::Number(*last)
            }
            Some(_) | None => ListMarker::Bullet,
        };
        self.around.enter(Around::Item);
        if self.around.note().is_some() {
            return;
        }
        let item = ListItem {
            level,
            marker,
            text: RichText::default(),
        };
        if let Some((_, Pending::List(items))) = &mut self.pending {
            items.push(item);
        } else {
            self.flush();
            let location = self.location(range.start);
            self.pending = Some((location, Pending::List(vec![item])));
        }
    }

    /// The level of the list that is open.
    fn level(&self) -> u8 {
        let level = self.around.lists().saturating_sub(1);
        u8::try_from(level.min(self.gathering.reading.limits.depth)).unwrap_or(u8::MAX)
    }

    /// Puts the words that are gathered where they belong.
    pub(super) fn end_words(&mut self) {
        let text = self.inline.take_text();
        self.inline.end_block();
        let location = self.location(self.words.start);
        self.put_words(location, text);
    }

    pub(super) fn put_words(&mut self, location: Location, text: RichText) {
        if text.is_blank() {
            return;
        }
        if let Some(label) = self.around.note().map(str::to_owned) {
            if let Some((_, Pending::Note(_, note))) = &mut self.pending {
                add_line(note, text);
            } else {
                self.flush();
                self.pending = Some((location, Pending::Note(label, text)));
            }
            return;
        }
        match self.around.innermost() {
            Some(Around::Item) => self.put_in_item(location, text),
            Some(Around::Quotation) => {
                if let Some((_, Pending::Quotation(lines))) = &mut self.pending {
                    lines.push(text);
                } else {
                    self.flush();
                    self.pending = Some((location, Pending::Quotation(vec![text])));
                }
            }
            Some(Around::List(_) | Around::Note) | None => {
                self.put(location, BlockContent::Paragraph(text));
            }
        }
    }

    /// Words after a list within an item, or after a table, are put where they stand and not before it.
    fn put_in_item(&mut self, location: Location, text: RichText) {
        let level = self.level();
        if let Some((_, Pending::List(items))) = &mut self.pending
            && let Some(item) = items.last_mut()
            && item.level == level
        {
            add_line(&mut item.text, text);
            return;
        }
        self.put(location, BlockContent::Paragraph(text));
    }
}

/// The number that stands before an item.
fn number(item: &str) -> Option<u64> {
    let item = item.trim_start();
    let end = item.find(|char: char| !char.is_ascii_digit())?;
    item[..end].parse().ok()
}
