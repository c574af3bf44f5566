//! Word documents.
//!
//! Of the libraries that read them, `docx-rs` drops formulas, fields and symbols, and `undoc` drops formulas, comments
//! and symbols, so the XML is read here.
//!
//! The words are those that Word shows: numbers that Word counts before headings are part of their text, and results of fields stand for
//! the fields. Of tracked changes, insertions are kept and deletions are dropped, and an omission says so. Footnotes, comments, text boxes
//! and pictures follow the paragraph or table that refers to them.

mod field;
mod graphic;
mod notes;
mod numbering;
mod paragraph;
mod run;
mod story;
mod styles;
mod table;

use spec::source::{
    BlockContent, Location, NoteKind, RichText, SourceBlock, SourceDocument, SourceFormat,
};

use self::field::Fields;
use self::notes::Notes;
use self::numbering::Numbering;
use self::styles::Styles;
use super::office::Office;
use super::office::flatten::flatten;
use super::office::relations::Relations;
use crate::gather::Gathering;
use crate::xml::Element as _;
use crate::{Reading, Unreadable};

/// What all parts of a document share while they are read.
struct Docx<'r, 'a> {
    office: Office<'r, 'a>,
    styles: Styles,
    numbering: Numbering,
    notes: Notes,
    fields: Fields,
    /// The paragraph or table of the body that is read.
    place: usize,
    omitted: Omitted,
}

/// What is left out, to be said at the end.
#[derive(Default)]
struct Omitted {
    named: Vec<(Location, String, String)>,
    deleted_chars: usize,
    hidden_chars: usize,
}

impl Docx<'_, '_> {
    fn location(&self) -> Location {
        match self.place {
            0 => Location::File,
            place => Location::Paragraph(place),
        }
    }

    fn omit(&mut self, what: impl Into<String>, why: impl Into<String>) {
        let location = self.location();
        self.omitted.named.push((location, what.into(), why.into()));
    }
}

pub(super) fn read(reading: &Reading<'_>) -> Result<SourceDocument, Unreadable> {
    let mut office = Office::open(SourceFormat::Docx, reading)?;
    let main = office.main_part()?;
    let relations = office.relations(&main)?;
    let styles = of_part(&mut office, &relations, "styles", Styles::of)?;
    let numbering = of_part(&mut office, &relations, "numbering", Numbering::of)?;
    let mut docx = Docx {
        office,
        styles,
        numbering,
        notes: Notes::default(),
        fields: Fields::default(),
        place: 0,
        omitted: Omitted::default(),
    };
    docx.read_notes(&relations)?;
    let text = docx.office.required(&main)?;
    let tree = docx.office.parse(&text, &main)?;
    let mut gathering = Gathering::new(reading);
    if let Some(body) = tree.root_element().child("body") {
        gathering.extend(docx.body(body, &relations)?);
    }
    drop(tree);
    docx.place = 0;
    gathering.extend(docx.unreferenced_comments());
    for block in docx.furniture(&relations)? {
        gathering.push(block.location, block.content);
    }
    docx.say_omissions(&mut gathering);
    Ok(gathering.finish())
}

fn of_part<T: Default>(
    office: &mut Office<'_, '_>,
    relations: &Relations,
    kind: &str,
    read: impl FnOnce(roxmltree::Node<'_, '_>) -> T,
) -> Result<T, Unreadable> {
    let Some(part) = relations.part(kind) else {
        return Ok(T::default());
    };
    let Some(text) = office.text(&part)? else {
        return Ok(T::default());
    };
    let tree = office.parse(&text, &part)?;
    Ok(read(tree.root_element()))
}

impl Docx<'_, '_> {
    /// Headers and footers, each text once: a section has up to six of them, most of them alike.
    fn furniture(&mut self, relations: &Relations) -> Result<Vec<SourceBlock>, Unreadable> {
        let mut furniture: Vec<SourceBlock> = Vec::new();
        let mut seen: Vec<RichText> = Vec::new();
        for kind in ["header", "footer"] {
            for part in relations.parts(kind) {
                let Some(text) = self.office.text(&part)? else {
                    continue;
                };
                let tree = self.office.parse(&text, &part)?;
                let own = self.office.relations(&part)?;
                let (text, rest) = flatten(self.blocks(tree.root_element(), &own)?);
                furniture.extend(rest);
                if text.is_blank() || seen.contains(&text) {
                    continue;
                }
                seen.push(text.clone());
                furniture.push(SourceBlock {
                    location: Location::File,
                    content: BlockContent::Note {
                        kind: NoteKind::Furniture,
                        label: None,
                        text,
                    },
                });
            }
        }
        Ok(furniture)
    }

    fn say_omissions(self, gathering: &mut Gathering<'_, '_>) {
        let omitted = self.omitted;
        if omitted.deleted_chars > 0 {
            gathering.omit(
                Location::File,
                format!("tracked deletions of {} characters", omitted.deleted_chars),
                "the text is read as it is with all changes accepted",
            );
        }
        if omitted.hidden_chars > 0 {
            gathering.omit(
                Location::File,
                format!("hidden text of {} characters", omitted.hidden_chars),
                "Word does not show it; unhide it if it is part of the text",
            );
        }
        for (location, what, why) in omitted.named {
            gathering.omit(location, what, why);
        }
    }
}

#[cfg(test)]
mod tests;
