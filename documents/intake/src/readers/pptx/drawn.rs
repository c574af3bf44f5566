//! The shapes of slides: their names, their paragraphs, and the blocks that were made of them.

use data_encoding::BASE64;
use roxmltree::Node;
use spec::drawn::{DrawnKind, DrawnParagraph, DrawnShape};

use super::Pptx;
use super::bullets::Place;
use super::shapes::Around;
use super::text::level_of;
use crate::Unreadable;
use crate::readers::office::Office;
use crate::xml::Element as _;

/// The root of the part that carries the text of a deck.
const NAMESPACE: &str = "urn:palimpsest:deck";

impl Pptx<'_, '_> {
    /// Notes a shape whose blocks begin at `from`.
    pub(super) fn draw(&mut self, shape: Node<'_, '_>, kind: DrawnKind, from: usize) {
        self.draw_with(shape, kind, from, Vec::new());
    }

    /// Notes a shape that has a text.
    pub(super) fn draw_text(&mut self, shape: Node<'_, '_>, around: &Around<'_>, from: usize) {
        if let Some(body) = shape.child("txBody") {
            let paragraphs = self.paragraphs(body, around);
            self.draw_with(shape, DrawnKind::Text, from, paragraphs);
        }
    }

    fn draw_with(
        &mut self,
        shape: Node<'_, '_>,
        kind: DrawnKind,
        from: usize,
        paragraphs: Vec<DrawnParagraph>,
    ) {
        let properties = shape
            .elements()
            .next()
            .and_then(|names| names.child("cNvPr"));
        let name = properties.and_then(|properties| properties.attr("name"));
        self.shapes.push(DrawnShape {
            slide: self.slide,
            name: name.unwrap_or_default().to_owned(),
            kind,
            holder: Place::of(shape).map(|place| place.kind),
            paragraphs,
            blocks: from..self.gathering.len(),
        });
    }

    /// Notes the speaker notes of the slide.
    pub(super) fn draw_notes(&mut self, body: Node<'_, '_>, around: &Around<'_>) {
        let end = self.gathering.len();
        let paragraphs = self.paragraphs(body, around);
        self.shapes.push(DrawnShape {
            slide: self.slide,
            kind: DrawnKind::Notes,
            paragraphs,
            blocks: end..end,
            ..DrawnShape::default()
        });
    }

    fn paragraphs(&self, body: Node<'_, '_>, around: &Around<'_>) -> Vec<DrawnParagraph> {
        let paragraphs = body.elements().filter(|node| node.name() == "p");
        paragraphs
            .map(|paragraph| DrawnParagraph {
                text: self.line(paragraph, around),
                level: u8::try_from(level_of(paragraph)).unwrap_or(u8::MAX),
            })
            .collect()
    }
}

/// The text of the deck that a file was made of.
pub(super) fn written(office: &mut Office<'_, '_>) -> Result<Option<String>, Unreadable> {
    // Programs that save the file again give its parts other numbers.
    let mut parts: Vec<String> = office
        .package
        .names()
        .filter(|name| name.starts_with("customXml/item") && name.ends_with(".xml"))
        .map(str::to_owned)
        .collect();
    parts.sort();
    for part in parts {
        let Some(text) = office.text(&part)? else {
            continue;
        };
        // A part of other programs with the same name is ignored.
        if !text.contains(NAMESPACE) {
            continue;
        }
        let tree = office.parse(&text, &part)?;
        let root = tree.root_element();
        if root.tag_name().namespace() != Some(NAMESPACE) {
            continue;
        }
        let letters: String = root.words().split_whitespace().collect();
        let bytes = BASE64.decode(letters.as_bytes()).ok();
        if let Some(text) = bytes.and_then(|bytes| String::from_utf8(bytes).ok()) {
            return Ok(Some(text));
        }
    }
    Ok(None)
}
