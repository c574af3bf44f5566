//! What the readers of office formats share.

mod chart;
pub(super) mod flatten;
pub(super) mod grid;
pub(super) mod math;
mod math_signs;
pub(super) mod mathml;
pub(super) mod media;
pub(super) mod names;
pub(super) mod number;
pub(super) mod numerals;
pub(super) mod relations;
mod smart_art;
pub(super) mod story;
pub(super) mod untitled;

use roxmltree::Node;
use spec::source::{ListItem, SourceFormat, SourcePicture, SourceTable};

use self::media::Media;
use self::names::STYLES;
use self::relations::Relations;
use crate::package::{Package, PackagePart, PartText, damaged};
use crate::xml::{Element as _, XmlTree};
use crate::{Reading, Unreadable, xml};

/// A package that is read as a document.
pub(super) struct Office<'r, 'a> {
    pub(super) package: Package<'a>,
    pub(super) format: SourceFormat,
    pub(super) reading: &'r Reading<'a>,
    media: Media,
}

impl<'r, 'a> Office<'r, 'a> {
    pub(super) fn open(format: SourceFormat, reading: &'r Reading<'a>) -> Result<Self, Unreadable> {
        Ok(Self {
            package: Package::open(format, reading)?,
            format,
            reading,
            media: Media::default(),
        })
    }

    /// The XML of a part; `None` if there is no such part.
    pub(super) fn text(&mut self, part: &str) -> Result<Option<PartText>, Unreadable> {
        self.reading.go_on()?;
        Ok(self.package.part(part)?.map(PackagePart::into_text))
    }

    /// The XML of a part that every document must have.
    pub(super) fn required(&mut self, part: &str) -> Result<PartText, Unreadable> {
        Ok(self.package.required(part)?.into_text())
    }

    pub(super) fn parse<'t>(&self, text: &'t str, part: &str) -> Result<XmlTree<'t>, Unreadable> {
        xml::parse(text, part, self.format, self.reading)
    }

    pub(super) fn relations(&mut self, part: &str) -> Result<Relations, Unreadable> {
        Relations::of(part, &mut self.package, self.format, self.reading)
    }

    /// The main part of the package, such as `word/document.xml`.
    pub(super) fn main_part(&mut self) -> Result<String, Unreadable> {
        self.relations("")?
            .part("officeDocument")
            .ok_or_else(|| damaged(self.format, "the package does not name its main part"))
    }

    pub(super) fn picture(&mut self, part: &str, alt: &str) -> Result<SourcePicture, Unreadable> {
        self.media.picture(part, alt, &mut self.package)
    }

    /// The values from which a chart was drawn; `None` if it keeps none.
    pub(super) fn chart(&mut self, part: &str) -> Result<Option<SourceTable>, Unreadable> {
        let Some(text) = self.text(part)? else {
            return Ok(None);
        };
        let tree = self.parse(&text, part)?;
        Ok(chart::table(tree.root_element()))
    }

    /// The words of a `SmartArt` graphic.
    pub(super) fn smart_art(&mut self, part: &str) -> Result<Vec<ListItem>, Unreadable> {
        let Some(text) = self.text(part)? else {
            return Ok(Vec::new());
        };
        let tree = self.parse(&text, part)?;
        Ok(smart_art::items(tree.root_element()))
    }
}

/// Whether a font is one in which people set code.
pub(super) fn is_monospaced(font: &str) -> bool {
    let font = font.to_lowercase();
    // The word has to stand alone: `Monotype Corsiva` is not such a font.
    let mono = font
        .split([' ', '-'])
        .any(|word| matches!(word, "mono" | "monospace"));
    let mut known = STYLES.list("monospaced").iter();
    mono || known.any(|name| font.starts_with(name))
}

/// The alternative text of a shape.
pub(super) fn alternative(node: Node<'_, '_>) -> String {
    let said = ["descr", "alt", "title"]
        .iter()
        .filter_map(|name| node.attr(name))
        .find(|text| !text.trim().is_empty());
    said.map(|text| text.trim().to_owned()).unwrap_or_default()
}

pub(super) fn named(what: &str, alt: &str) -> String {
    if alt.trim().is_empty() {
        return what.to_owned();
    }
    format!("{what} ({alt})")
}
