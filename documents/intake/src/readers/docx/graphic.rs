//! Pictures, text boxes, charts and other things that are drawn.

use roxmltree::Node;
use spec::source::{BlockContent, SourceBlock, SourcePicture, TextMarks};

use super::Docx;
use super::paragraph::Line;
use crate::Unreadable;
use crate::readers::office::relations::Relations;
use crate::readers::office::{alternative, named};
use crate::xml::Element as _;

impl Docx<'_, '_> {
    /// The content of a drawing, which is put after the paragraph.
    pub(super) fn graphic(
        &mut self,
        node: Node<'_, '_>,
        relations: &Relations,
        line: &mut Line,
    ) -> Result<(), Unreadable> {
        let alt = node.below("docPr").map(alternative).unwrap_or_default();
        self.drawn(node, &alt, relations, line)
    }

    fn drawn(
        &mut self,
        node: Node<'_, '_>,
        alt: &str,
        relations: &Relations,
        line: &mut Line,
    ) -> Result<(), Unreadable> {
        match node.name() {
            "txbxContent" => line.after.extend(self.blocks(node, relations)?),
            "blip" => {
                let id = node.attr("embed").or_else(|| node.attr("link"));
                self.picture(id, alt, relations, line)?;
            }
            "imagedata" => {
                let of_shape = node.parent().map(alternative).unwrap_or_default();
                let alt = if of_shape.is_empty() { alt } else { &of_shape };
                self.picture(node.attr("id"), alt, relations, line)?;
            }
            // A watermark.
            "textpath" => {
                let words = node.attr("string").unwrap_or_default();
                line.text.push(words, TextMarks::default(), None);
            }
            "chart" => self.chart(node, alt, relations, line)?,
            "relIds" => self.smart_art(node, relations, line)?,
            "OLEObject" => {
                let program = node.attr("ProgID").unwrap_or("unknown program");
                self.omit(
                    format!("an embedded object ({program})"),
                    "what is embedded is not opened; give it as a file of its own",
                );
            }
            // Newer programs show this part; the part that older programs show instead has the same words.
            "AlternateContent" => {
                let branch = node.child("Choice").or_else(|| node.child("Fallback"));
                if let Some(branch) = branch {
                    self.drawn(branch, alt, relations, line)?;
                }
            }
            _ => {
                let own = node.child("nvPicPr").and_then(|names| names.child("cNvPr"));
                let own = own.map(alternative).filter(|alt| !alt.is_empty());
                let alt = own.as_deref().unwrap_or(alt);
                for child in node.elements() {
                    self.drawn(child, alt, relations, line)?;
                }
            }
        }
        Ok(())
    }

    fn picture(
        &mut self,
        id: Option<&str>,
        alt: &str,
        relations: &Relations,
        line: &mut Line,
    ) -> Result<(), Unreadable> {
        let Some(relation) = id.and_then(|id| relations.get(id)) else {
            return Ok(());
        };
        let picture = if relation.external {
            SourcePicture {
                alt: alt.to_owned(),
                reference: relation.target.clone(),
                embedded: None,
            }
        } else {
            self.office.picture(&relation.target, alt)?
        };
        self.after(line, BlockContent::Picture(picture));
        Ok(())
    }

    fn chart(
        &mut self,
        node: Node<'_, '_>,
        alt: &str,
        relations: &Relations,
        line: &mut Line,
    ) -> Result<(), Unreadable> {
        let relation = node.attr("id").and_then(|id| relations.get(id));
        let table = match relation {
            Some(relation) => self.office.chart(&relation.target)?,
            None => None,
        };
        match table {
            Some(table) => self.after(line, BlockContent::Table(table)),
            None => self.omit(
                named("a chart", alt),
                "the file does not keep its values; give them as a table",
            ),
        }
        Ok(())
    }

    fn smart_art(
        &mut self,
        node: Node<'_, '_>,
        relations: &Relations,
        line: &mut Line,
    ) -> Result<(), Unreadable> {
        let data = node.attr("dm").and_then(|id| relations.get(id));
        let items = match data {
            Some(data) => self.office.smart_art(&data.target)?,
            None => Vec::new(),
        };
        if !items.is_empty() {
            self.after(line, BlockContent::List(items));
        }
        Ok(())
    }

    fn after(&self, line: &mut Line, content: BlockContent) {
        line.after.push(SourceBlock {
            location: self.location(),
            content,
        });
    }
}
