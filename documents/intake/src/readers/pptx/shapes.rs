//! Shapes of a slide.

use roxmltree::Node;
use spec::drawn::DrawnKind;
use spec::source::{BlockContent, NoteKind, SourcePicture};

use super::Pptx;
use super::bullets::Place;
use crate::Unreadable;
use crate::readers::office::flatten::flatten;
use crate::readers::office::relations::Relations;
use crate::readers::office::{alternative, named};
use crate::xml::Element as _;

/// What shapes of a slide refer to.
pub(super) struct Around<'s> {
    pub(super) relations: &'s Relations,
    pub(super) layout: Option<&'s str>,
}

impl Pptx<'_, '_> {
    pub(super) fn shape(
        &mut self,
        shape: Node<'_, '_>,
        around: &Around<'_>,
    ) -> Result<(), Unreadable> {
        let from = self.gathering.len();
        match shape.name() {
            "sp" => {
                self.text_shape(shape, around);
                self.draw_text(shape, around, from);
            }
            "pic" => {
                self.picture(shape, around)?;
                self.draw(shape, DrawnKind::Picture, from);
            }
            "graphicFrame" => {
                self.frame(shape, around)?;
                self.draw(shape, DrawnKind::Frame, from);
            }
            "grpSp" => {
                for child in shape.elements() {
                    self.shape(child, around)?;
                }
            }
            "AlternateContent" => {
                let branch = shape.child("Choice").or_else(|| shape.child("Fallback"));
                let children = branch.into_iter().flat_map(|branch| branch.children());
                for child in children.filter(Node::is_element) {
                    self.shape(child, around)?;
                }
            }
            "contentPart" => self.gathering.omit(
                self.location(),
                "a drawing by hand",
                "ink has no text; type what it says",
            ),
            _ => {}
        }
        Ok(())
    }

    fn text_shape(&mut self, shape: Node<'_, '_>, around: &Around<'_>) {
        let Some(body) = shape.child("txBody") else {
            return;
        };
        let place = Place::of(shape);
        let kind = place.as_ref().map(|place| place.kind.as_str());
        // A number that PowerPoint counts.
        if kind == Some("sldNum") {
            return;
        }
        let blocks = self.text_blocks(body, place.as_ref(), around);
        match kind {
            Some("title" | "ctrTitle") => {
                let (text, rest) = flatten(blocks);
                if !text.is_blank() {
                    // The title of a presentation stands above those of its slides.
                    let level = if kind == Some("ctrTitle") { 1 } else { 2 };
                    self.push(BlockContent::Heading { level, text });
                }
                self.gathering.extend(rest);
            }
            Some("ftr" | "dt" | "hdr") => {
                let (text, _) = flatten(blocks);
                if self.footers.insert(text.words()) {
                    self.push_note(NoteKind::Furniture, text);
                }
            }
            Some(_) | None => self.gathering.extend(blocks),
        }
    }

    fn picture(&mut self, shape: Node<'_, '_>, around: &Around<'_>) -> Result<(), Unreadable> {
        let names = shape.child("nvPicPr");
        let alt = names
            .and_then(|names| names.child("cNvPr"))
            .map(alternative);
        let alt = alt.unwrap_or_default();
        let properties = names.and_then(|names| names.child("nvPr"));
        let media = properties
            .into_iter()
            .flat_map(|properties| properties.children());
        for node in media.filter(Node::is_element) {
            let what = match node.name() {
                "videoFile" => "a video",
                "audioFile" | "wavAudioFile" | "audioCd" => "a sound",
                _ => continue,
            };
            self.gathering.omit(
                self.location(),
                named(what, &alt),
                "only text and pictures are read; give what it says as text",
            );
        }
        let Some(blip) = shape.below("blip") else {
            return Ok(());
        };
        let id = blip.attr("embed").or_else(|| blip.attr("link"));
        let Some(relation) = id.and_then(|id| around.relations.get(id)) else {
            return Ok(());
        };
        let picture = if relation.external {
            SourcePicture {
                alt,
                reference: relation.target.clone(),
                embedded: None,
            }
        } else {
            self.office.picture(&relation.target, &alt)?
        };
        self.push(BlockContent::Picture(picture));
        Ok(())
    }

    fn frame(&mut self, frame: Node<'_, '_>, around: &Around<'_>) -> Result<(), Unreadable> {
        let names = frame.child("nvGraphicFramePr");
        let alt = names
            .and_then(|names| names.child("cNvPr"))
            .map(alternative);
        let alt = alt.unwrap_or_default();
        let Some(data) = frame
            .child("graphic")
            .and_then(|graphic| graphic.child("graphicData"))
        else {
            return Ok(());
        };
        let target = |node: Node<'_, '_>, name: &str| {
            let relation = node.attr(name).and_then(|id| around.relations.get(id));
            relation.map(|relation| relation.target.clone())
        };
        for node in data.elements() {
            match node.name() {
                "tbl" => self.table(node, around)?,
                "chart" => {
                    let part = target(node, "id");
                    self.chart(part.as_deref(), &alt)?;
                }
                "relIds" => {
                    let items = match target(node, "dm") {
                        Some(part) => self.office.smart_art(&part)?,
                        None => Vec::new(),
                    };
                    if !items.is_empty() {
                        self.push(BlockContent::List(items));
                    }
                }
                _ => self.embedded(node, around)?,
            }
        }
        Ok(())
    }

    fn chart(&mut self, part: Option<&str>, alt: &str) -> Result<(), Unreadable> {
        let table = match part {
            Some(part) => self.office.chart(part)?,
            None => None,
        };
        match table {
            Some(table) => self.push(BlockContent::Table(table)),
            None => self.gathering.omit(
                self.location(),
                named("a chart", alt),
                "the file does not keep its values; give them as a table",
            ),
        }
        Ok(())
    }

    /// An object of another program, and the picture that stands for it.
    fn embedded(&mut self, node: Node<'_, '_>, around: &Around<'_>) -> Result<(), Unreadable> {
        let object = node
            .descendants()
            .find(|node| node.name() == "oleObj")
            .and_then(|object| object.attr("progId"));
        let what = object.map_or_else(
            || "an embedded object".to_owned(),
            |program| format!("an embedded object ({program})"),
        );
        self.gathering.omit(
            self.location(),
            what,
            "what is embedded is not opened; give it as a file of its own",
        );
        if let Some(picture) = node.below("pic") {
            self.picture(picture, around)?;
        }
        Ok(())
    }
}
