//! The paragraphs of a body, a cell, a note, a text box or a header.

use roxmltree::Node;
use spec::source::{BlockContent, ListItem, RichText, SourceBlock, TextMarks};

use super::Docx;
use super::numbering::Number;
use super::paragraph::Line;
use super::styles::numbering;
use crate::Unreadable;
use crate::readers::office::flatten::add;
use crate::readers::office::relations::Relations;
use crate::readers::office::story::{Kind, Story};
use crate::xml::Element as _;

impl Docx<'_, '_> {
    /// The body, whose paragraphs and tables are counted.
    pub(super) fn body(
        &mut self,
        body: Node<'_, '_>,
        relations: &Relations,
    ) -> Result<Vec<SourceBlock>, Unreadable> {
        let mut story = Story::default();
        self.children(body, relations, &mut story, true)?;
        Ok(story.finish())
    }

    /// Any story other than the body.
    pub(super) fn blocks(
        &mut self,
        container: Node<'_, '_>,
        relations: &Relations,
    ) -> Result<Vec<SourceBlock>, Unreadable> {
        let mut story = Story::default();
        self.children(container, relations, &mut story, false)?;
        Ok(story.finish())
    }

    fn children(
        &mut self,
        container: Node<'_, '_>,
        relations: &Relations,
        story: &mut Story,
        counts: bool,
    ) -> Result<(), Unreadable> {
        for node in container.elements() {
            self.office.reading.go_on()?;
            match node.name() {
                "p" => {
                    self.place += usize::from(counts);
                    self.paragraph(node, relations, story)?;
                }
                "tbl" => {
                    self.place += usize::from(counts);
                    self.table(node, relations, story)?;
                }
                "sdt" | "sdtContent" | "ins" | "moveTo" | "customXml" | "smartTag" => {
                    self.children(node, relations, story, counts)?;
                }
                "AlternateContent" => {
                    let branch = node.child("Choice").or_else(|| node.child("Fallback"));
                    if let Some(branch) = branch {
                        self.children(branch, relations, story, counts)?;
                    }
                }
                "del" | "moveFrom" => self.omitted.deleted_chars += node.words().chars().count(),
                "oMathPara" | "oMath" => {
                    let formula = crate::readers::office::math::latex(node);
                    story.emit(self.location(), BlockContent::Formula(formula));
                }
                "altChunk" => self.omit(
                    "a document of another format within this one",
                    "it is not opened; open the file in Word, save it again and give that",
                ),
                _ => {}
            }
        }
        Ok(())
    }

    fn paragraph(
        &mut self,
        node: Node<'_, '_>,
        relations: &Relations,
        story: &mut Story,
    ) -> Result<(), Unreadable> {
        let properties = node.child("pPr");
        let style = properties.and_then(|properties| properties.val("pStyle"));
        let outline = properties
            .and_then(|properties| properties.val("outlineLvl"))
            .and_then(|level| level.parse().ok());
        let kind = self.styles.kind(style, outline);
        let line = self.line(node, relations, kind == Kind::Code)?;
        let number = self.number(properties, style, &line);
        self.place_line(story, kind, number, line.text);
        for formula in line.formulas {
            story.emit(self.location(), BlockContent::Formula(formula));
        }
        story.extend_after(line.after);
        Ok(())
    }

    /// Counts the paragraph if it belongs to a list. Word also counts paragraphs that have only a number.
    fn number(
        &mut self,
        properties: Option<Node<'_, '_>>,
        style: Option<&str>,
        line: &Line,
    ) -> Option<(String, Number)> {
        let own = properties.and_then(numbering);
        let of_style = self.styles.numbering(style);
        let (list, level) = match (own, of_style) {
            (Some((list, level)), _) => (list, level),
            (None, Some((list, level))) => (list.to_owned(), level),
            (None, None) => return None,
        };
        if list == "0" || (line.text.is_blank() && !line.after.is_empty()) {
            return None;
        }
        let number = self.numbering.next(&list, level, style)?;
        Some((list, number))
    }

    fn place_line(
        &mut self,
        story: &mut Story,
        kind: Kind,
        number: Option<(String, Number)>,
        text: RichText,
    ) {
        let at = self.location();
        match (kind, number) {
            (Kind::Code, _) | (_, None) => story.line(at, kind, text),
            (Kind::Heading(_), Some((_, number))) => {
                story.line(at, kind, labelled(&number.label, text));
            }
            // A marker has room for a number, not for the words around it, as in `第三条`.
            (Kind::Quotation | Kind::Caption | Kind::Body, Some((_, number)))
                if number.has_words =>
            {
                story.line(at, Kind::Body, labelled(&number.label, text));
            }
            (Kind::Quotation | Kind::Caption | Kind::Body, Some((list, number))) => {
                let item = ListItem {
                    level: number.level,
                    marker: number.marker,
                    text,
                };
                story.item(at, &list, item);
            }
        }
    }
}

fn labelled(label: &str, text: RichText) -> RichText {
    if label.is_empty() || text.is_blank() {
        return text;
    }
    let mut labelled = RichText::default();
    let marks = text.pieces.first().map(|piece| piece.marks);
    labelled.push(format!("{label} "), marks.unwrap_or_default(), None);
    add(&mut labelled, text);
    labelled
}

/// A sign that stands for a note.
pub(super) fn raised() -> TextMarks {
    TextMarks {
        superscript: true,
        ..TextMarks::default()
    }
}
