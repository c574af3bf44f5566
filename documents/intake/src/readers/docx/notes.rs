//! Footnotes, endnotes and comments.

use std::collections::HashMap;

use spec::source::{BlockContent, Location, NoteKind, RichText, SourceBlock};

use super::Docx;
use crate::Unreadable;
use crate::readers::office::flatten::{flatten, trimmed};
use crate::readers::office::numerals::numeral;
use crate::readers::office::relations::Relations;
use crate::xml::Element as _;

#[derive(Default)]
pub(super) struct Notes {
    footnotes: HashMap<String, RichText>,
    endnotes: HashMap<String, RichText>,
    /// In the order of the file.
    comments: Vec<(String, RichText)>,
    last_footnote: u64,
    last_endnote: u64,
}

impl Docx<'_, '_> {
    pub(super) fn read_notes(&mut self, relations: &Relations) -> Result<(), Unreadable> {
        let footnotes = self.notes_of("footnotes", relations)?;
        let endnotes = self.notes_of("endnotes", relations)?;
        self.notes = Notes {
            footnotes: footnotes.into_iter().collect(),
            endnotes: endnotes.into_iter().collect(),
            comments: self.notes_of("comments", relations)?,
            ..Notes::default()
        };
        Ok(())
    }

    fn notes_of(
        &mut self,
        kind: &str,
        relations: &Relations,
    ) -> Result<Vec<(String, RichText)>, Unreadable> {
        let mut notes = Vec::new();
        let Some(part) = relations.part(kind) else {
            return Ok(notes);
        };
        let Some(text) = self.office.text(&part)? else {
            return Ok(notes);
        };
        let tree = self.office.parse(&text, &part)?;
        let own = self.office.relations(&part)?;
        for node in tree.root_element().elements() {
            // Separators between the text and its notes have a type.
            let is_note = matches!(node.attr("type"), None | Some("normal"));
            if let (true, Some(id)) = (is_note, node.attr("id")) {
                let (text, _pictures) = flatten(self.blocks(node, &own)?);
                notes.push((id.to_owned(), trimmed(text)));
            }
        }
        Ok(notes)
    }

    /// Comments on text that no longer exists, or to which nothing refers.
    pub(super) fn unreferenced_comments(&mut self) -> Vec<SourceBlock> {
        std::mem::take(&mut self.notes.comments)
            .into_iter()
            .map(|(_, text)| block(NoteKind::Comment, None, text))
            .filter(|block| !is_blank(block))
            .collect()
    }
}

impl Notes {
    /// The note that a text refers to, numbered in the order of references.
    pub(super) fn take(&mut self, kind: &str, id: &str, has_own_sign: bool) -> Option<SourceBlock> {
        if kind == "comment" {
            let index = self.comments.iter().position(|(other, _)| other == id)?;
            let (_, text) = self.comments.remove(index);
            return (!text.is_blank()).then(|| block(NoteKind::Comment, None, text));
        }
        let (texts, last, form) = if kind == "footnote" {
            (&mut self.footnotes, &mut self.last_footnote, "decimal")
        } else {
            // The same as in Word unless it is set otherwise, so that footnotes and endnotes are not confused.
            (&mut self.endnotes, &mut self.last_endnote, "lowerRoman")
        };
        let text = texts.remove(id)?;
        // A sign that the author chose stands in the text already.
        let label = (!has_own_sign).then(|| {
            *last += 1;
            numeral(form, *last)
        });
        Some(block(NoteKind::Footnote, label, text))
    }
}

pub(super) fn label(block: &SourceBlock) -> Option<&str> {
    if let BlockContent::Note { label, .. } = &block.content {
        return label.as_deref();
    }
    None
}

fn is_blank(block: &SourceBlock) -> bool {
    matches!(&block.content, BlockContent::Note { text, .. } if text.is_blank())
}

fn block(kind: NoteKind, label: Option<String>, text: RichText) -> SourceBlock {
    SourceBlock {
        location: Location::File,
        content: BlockContent::Note { kind, label, text },
    }
}
