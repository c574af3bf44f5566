//! What is drawn: pictures, text boxes, shapes, formulas, charts.

use roxmltree::Node;
use spec::source::{BlockContent, SourceBlock, SourcePicture, SourceTable};

use super::Odf;
use super::inline::is_drawn;
use crate::Unreadable;
use crate::package::resolve;
use crate::readers::office::story::Story;
use crate::readers::office::{mathml, named};
use crate::xml::Element as _;

/// The kind of an embedded object.
enum Object {
    Block(BlockContent),
    Unknown,
}

impl Odf<'_, '_> {
    pub(super) fn drawn(
        &mut self,
        node: Node<'_, '_>,
        out: &mut Vec<SourceBlock>,
    ) -> Result<(), Unreadable> {
        match node.name() {
            "frame" => self.frame(node, out),
            "g" => {
                for child in node.elements() {
                    self.drawn(child, out)?;
                }
                Ok(())
            }
            name if is_drawn(name) => {
                out.extend(self.blocks(node)?);
                Ok(())
            }
            // A link around a shape.
            "a" => {
                for child in node.elements() {
                    self.drawn(child, out)?;
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// A frame has one object in several forms, the best first; its words may be in more than one of them.
    fn frame(&mut self, frame: Node<'_, '_>, out: &mut Vec<SourceBlock>) -> Result<(), Unreadable> {
        let alt = alternative(frame);
        let mut is_done = false;
        for node in frame.elements() {
            match node.name() {
                "text-box" => {
                    out.extend(self.blocks(node)?);
                    is_done = true;
                }
                "table" => {
                    let mut story = Story::default();
                    self.table(node, &mut story)?;
                    out.extend(story.finish());
                    is_done = true;
                }
                "object" | "object-ole" if !is_done => match self.object(node)? {
                    Object::Block(content) => {
                        out.push(self.block(content));
                        is_done = true;
                    }
                    Object::Unknown => self.omit(
                        named("an embedded object", &alt),
                        "what is embedded is not opened; give it as a file of its own",
                    ),
                },
                "plugin" => self.omit(
                    named("a video or a sound", &alt),
                    "only text and pictures are read; give what it says as text",
                ),
                "image" if !is_done => {
                    // A picture may be there once more in a form that other programs know.
                    is_done = true;
                    if let Some(picture) = self.picture(node, &alt)? {
                        out.push(self.block(BlockContent::Picture(picture)));
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn picture(
        &mut self,
        image: Node<'_, '_>,
        alt: &str,
    ) -> Result<Option<SourcePicture>, Unreadable> {
        let Some(reference) = image.attr("href").filter(|reference| !reference.is_empty()) else {
            return Ok(None);
        };
        // This is an address, or a file outside the package.
        if reference.contains("://") || reference.starts_with("../") {
            return Ok(Some(SourcePicture {
                alt: alt.to_owned(),
                reference: reference.to_owned(),
                embedded: None,
            }));
        }
        let part = resolve("content.xml", reference);
        self.office.picture(&part, alt).map(Some)
    }

    fn object(&mut self, node: Node<'_, '_>) -> Result<Object, Unreadable> {
        // A formula may stand in the text itself.
        if let Some(math) = node.child("math") {
            return Ok(Object::Block(BlockContent::Formula(mathml::latex(math))));
        }
        let folder = resolve("content.xml", node.attr("href").unwrap_or_default());
        let part = format!("{folder}/content.xml");
        let Some(text) = self.office.text(&part)? else {
            return Ok(Object::Unknown);
        };
        // Formulas of old programs have a document type, and are then not read.
        let tree = self.office.parse(&text, &part)?;
        let root = tree.root_element();
        if root.name() == "math" {
            return Ok(Object::Block(BlockContent::Formula(mathml::latex(root))));
        }
        let Some(chart) = root.below("chart") else {
            return Ok(Object::Unknown);
        };
        Ok(match self.chart(chart)? {
            Some(table) => Object::Block(BlockContent::Table(table)),
            None => Object::Unknown,
        })
    }

    /// The table that a chart keeps of its values.
    fn chart(&mut self, node: Node<'_, '_>) -> Result<Option<SourceTable>, Unreadable> {
        let chart = node.descendants().find(|node| node.attr("class").is_some());
        let chart = chart.unwrap_or(node);
        let Some(values) = chart.child("table") else {
            return Ok(None);
        };
        let mut story = Story::default();
        self.table(values, &mut story)?;
        let titles = chart.descendants().filter(|node| node.name() == "title");
        let titles: Vec<String> = titles
            .map(|title| title.words().trim().to_owned())
            .filter(|title| !title.is_empty())
            .collect();
        let table = story
            .finish()
            .into_iter()
            .find_map(|block| match block.content {
                BlockContent::Table(table) => Some(table),
                BlockContent::Heading { .. }
                | BlockContent::Paragraph(_)
                | BlockContent::List(_)
                | BlockContent::Code { .. }
                | BlockContent::Formula(_)
                | BlockContent::Quotation(_)
                | BlockContent::Picture(_)
                | BlockContent::Note { .. } => None,
            });
        Ok(table.map(|table| SourceTable {
            caption: (!titles.is_empty()).then(|| titles.join("; ")),
            ..table
        }))
    }
}

/// The alternative text of a frame.
fn alternative(frame: Node<'_, '_>) -> String {
    let said = ["desc", "title"]
        .iter()
        .filter_map(|name| frame.child(name))
        .map(|node| node.words().trim().to_owned())
        .find(|text| !text.is_empty());
    said.unwrap_or_default()
}
