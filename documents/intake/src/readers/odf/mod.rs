//! `OpenDocument`: texts, presentations and spreadsheets.
//!
//! No library in Rust reads the texts and presentations with their marks, lists and notes, so the XML is read here. `calamine` reads the
//! spreadsheets, but repeats a cell as often as a file says; here they are read in the same way as the other two, and the words of a cell
//! are those that the file itself gives as shown.
//!
//! Of tracked changes, insertions are kept and deletions are dropped, and an omission says so.

mod blocks;
mod frame;
mod inline;
mod lists;
mod sheet;
mod slides;
mod styles;
mod table;

use roxmltree::Node;
use spec::source::{
    BlockContent, Location, NoteKind, RichText, SourceBlock, SourceDocument, SourceFormat,
};

use self::lists::Lists;
use self::styles::Styles;
use super::office::Office;
use super::office::flatten::flatten;
use super::office::untitled::name_untitled;
use crate::gather::Gathering;
use crate::package::damaged;
use crate::xml::Element as _;
use crate::{Reading, Unreadable};

/// What all parts of a document share while they are read.
struct Odf<'r, 'a> {
    office: Office<'r, 'a>,
    styles: Styles,
    lists: Lists,
    location: Location,
    omitted: Vec<(Location, String, String)>,
    deleted_chars: usize,
    hidden_chars: usize,
}

impl Odf<'_, '_> {
    fn omit(&mut self, what: impl Into<String>, why: impl Into<String>) {
        let location = self.location.clone();
        self.omitted.push((location, what.into(), why.into()));
    }

    fn block(&self, content: BlockContent) -> SourceBlock {
        SourceBlock {
            location: self.location.clone(),
            content,
        }
    }
}

pub(super) fn read(
    format: SourceFormat,
    reading: &Reading<'_>,
) -> Result<SourceDocument, Unreadable> {
    let mut office = Office::open(format, reading)?;
    check_password(&mut office)?;
    let style_text = office.text("styles.xml")?.unwrap_or_default();
    let text = office.required("content.xml")?;
    let tree = office.parse(&text, "content.xml")?;
    let root = tree.root_element();
    let mut odf = Odf {
        office,
        styles: Styles::default(),
        lists: Lists::default(),
        location: Location::File,
        omitted: Vec::new(),
        deleted_chars: 0,
        hidden_chars: 0,
    };
    let mut furniture = Vec::new();
    if !style_text.is_empty() {
        let styles = odf.office.parse(&style_text, "styles.xml")?;
        odf.add_styles(styles.root_element());
        if format == SourceFormat::Odt {
            furniture = odf.furniture(styles.root_element())?;
        }
    }
    odf.add_styles(root);
    let mut gathering = Gathering::new(reading);
    let body = root
        .child("body")
        .and_then(|body| body.elements().next())
        .ok_or_else(|| damaged(format, "content.xml has no body"))?;
    match body.name() {
        "presentation" => odf.slides(body, &mut gathering)?,
        "spreadsheet" => odf.sheets(body, &mut gathering)?,
        _ => gathering.extend(odf.body(body)?),
    }
    gathering.extend(furniture);
    odf.say_omissions(&mut gathering);
    let mut document = gathering.finish();
    name_untitled(&mut document);
    Ok(document)
}

/// The parts of a document with a password are encrypted separately, and the manifest says so.
fn check_password(office: &mut Office<'_, '_>) -> Result<(), Unreadable> {
    let part = "META-INF/manifest.xml";
    let Some(text) = office.text(part)? else {
        return Ok(());
    };
    // Old manifests have a document type, so they are not parsed but only searched.
    let is_encrypted = text.contains("encryption-data");
    if is_encrypted {
        return Err(Unreadable::Encrypted {
            format: office.format.title(),
        });
    }
    Ok(())
}

impl Odf<'_, '_> {
    fn add_styles(&mut self, root: Node<'_, '_>) {
        for part in root.elements() {
            if matches!(
                part.name(),
                "styles" | "automatic-styles" | "font-face-decls"
            ) {
                self.styles.add(part);
                self.lists.add_designs(part);
            }
        }
    }

    /// Headers and footers of a text, each text once.
    fn furniture(&mut self, root: Node<'_, '_>) -> Result<Vec<SourceBlock>, Unreadable> {
        let mut furniture: Vec<SourceBlock> = Vec::new();
        let mut seen: Vec<RichText> = Vec::new();
        let pages = root.child("master-styles").into_iter();
        for page in pages.flat_map(|styles| styles.children()) {
            for part in page.elements() {
                if !part.name().starts_with("header") && !part.name().starts_with("footer") {
                    continue;
                }
                let (text, rest) = flatten(self.blocks(part)?);
                furniture.extend(rest);
                if !text.is_blank() && !seen.contains(&text) {
                    seen.push(text.clone());
                    furniture.push(self.block(BlockContent::Note {
                        kind: NoteKind::Furniture,
                        label: None,
                        text,
                    }));
                }
            }
        }
        Ok(furniture)
    }

    fn say_omissions(self, gathering: &mut Gathering<'_, '_>) {
        if self.deleted_chars > 0 {
            gathering.omit(
                Location::File,
                format!("tracked deletions of {} characters", self.deleted_chars),
                "the text is read as it is with all changes accepted",
            );
        }
        if self.hidden_chars > 0 {
            gathering.omit(
                Location::File,
                format!("hidden text of {} characters", self.hidden_chars),
                "it is not shown; unhide it if it is part of the text",
            );
        }
        for (location, what, why) in self.omitted {
            gathering.omit(location, what, why);
        }
    }
}
