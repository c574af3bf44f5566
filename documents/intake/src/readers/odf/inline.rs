//! The words of a paragraph.

use roxmltree::Node;
use spec::source::{BlockContent, NoteKind, RichText, SourceBlock, TextMarks};

use super::Odf;
use super::styles::Look;
use crate::Unreadable;
use crate::readers::office::flatten::{flatten, trimmed};
use crate::xml::Element as _;

/// The most spaces for which one element may stand.
const MOST_SPACES: usize = 1_000;

/// A paragraph after reading.
#[derive(Default)]
pub(super) struct Line {
    pub(super) text: RichText,
    /// Notes, pictures and text boxes that it refers to.
    pub(super) after: Vec<SourceBlock>,
}

impl Line {
    /// Adds words of the file. Of several white-space characters only one space counts, and at the beginning none.
    fn words(&mut self, words: &str, look: Look, link: Option<&str>) {
        let mut out = String::new();
        let last = self.text.pieces.last().map(|piece| piece.text.as_str());
        let mut after_space = last.is_none_or(|text| text.ends_with([' ', '\n', '\t']));
        for sign in words.chars() {
            let is_space = matches!(sign, ' ' | '\t' | '\n' | '\r');
            if is_space && after_space {
                continue;
            }
            out.push(if is_space { ' ' } else { sign });
            after_space = is_space;
        }
        self.text.push(out, look.marks, link);
    }
}

impl Odf<'_, '_> {
    pub(super) fn line(
        &mut self,
        paragraph: Node<'_, '_>,
        is_code: bool,
    ) -> Result<Line, Unreadable> {
        let mut line = Line::default();
        let mut look = self.styles.look("paragraph", paragraph.attr("style-name"));
        look.marks.code &= !is_code;
        if paragraph.name() == "h" {
            look.marks = TextMarks::default();
        }
        self.inline(paragraph, look, None, is_code, &mut line)?;
        Ok(line)
    }

    fn inline(
        &mut self,
        container: Node<'_, '_>,
        look: Look,
        link: Option<&str>,
        is_code: bool,
        line: &mut Line,
    ) -> Result<(), Unreadable> {
        for node in container.children() {
            if let Some(text) = node.text().filter(|_| node.is_text()) {
                if look.is_hidden {
                    self.hidden_chars += text.chars().count();
                } else {
                    line.words(text, look, link);
                }
                continue;
            }
            match node.name() {
                "s" => {
                    let count = node.attr("c").and_then(|count| count.parse().ok());
                    let spaces = " ".repeat(usize::min(count.unwrap_or(1), MOST_SPACES));
                    line.text.push(spaces, look.marks, link);
                }
                "tab" => line.text.push("\t", look.marks, link),
                "line-break" => line.text.push("\n", look.marks, link),
                "span" => {
                    let own = self.styles.look("text", node.attr("style-name"));
                    let mut look = joined(look, own);
                    look.marks.code &= !is_code;
                    self.inline(node, look, link, is_code, line)?;
                }
                "a" => {
                    let target = node.attr("href").filter(|target| !target.starts_with('#'));
                    self.inline(node, look, target.or(link), is_code, line)?;
                }
                "note" => self.note(node, line)?,
                "annotation" => self.comment(node, line)?,
                // Hidden words, and data that a program keeps for itself.
                "hidden-text" | "hidden-paragraph" | "script" | "annotation-end"
                | "soft-page-break" => {}
                name if is_drawn(name) => {
                    let mut drawn = Vec::new();
                    self.drawn(node, &mut drawn)?;
                    self.place_drawn(drawn, look, line);
                }
                // Fields, ruby text, bookmarks and all other elements that contain words.
                _ => self.inline(node, look, link, is_code, line)?,
            }
        }
        Ok(())
    }

    /// Puts formulas between the words, and everything else after the paragraph.
    fn place_drawn(&self, drawn: Vec<SourceBlock>, look: Look, line: &mut Line) {
        for block in drawn {
            if let BlockContent::Formula(formula) = block.content {
                let marks = TextMarks {
                    formula: true,
                    ..look.marks
                };
                line.text.push(formula, marks, None);
            } else {
                line.after.push(block);
            }
        }
    }

    fn note(&mut self, node: Node<'_, '_>, line: &mut Line) -> Result<(), Unreadable> {
        let label = node.child("note-citation").map(|citation| citation.words());
        let label = label.map(|label| label.trim().to_owned());
        let blocks = match node.child("note-body") {
            Some(body) => self.blocks(body)?,
            None => Vec::new(),
        };
        let (text, rest) = flatten(blocks);
        if let Some(label) = &label {
            let marks = TextMarks {
                superscript: true,
                ..TextMarks::default()
            };
            line.text.push(label.as_str(), marks, None);
        }
        line.after.push(self.block(BlockContent::Note {
            kind: NoteKind::Footnote,
            label: label.filter(|label| !label.is_empty()),
            text: trimmed(text),
        }));
        line.after.extend(rest);
        Ok(())
    }

    fn comment(&mut self, node: Node<'_, '_>, line: &mut Line) -> Result<(), Unreadable> {
        if let Some(block) = self.comment_block(node)? {
            line.after.push(block);
        }
        Ok(())
    }

    /// The author and date of a comment are not part of its text.
    pub(super) fn comment_block(
        &mut self,
        node: Node<'_, '_>,
    ) -> Result<Option<SourceBlock>, Unreadable> {
        let (text, _pictures) = flatten(self.blocks(node)?);
        if text.is_blank() {
            return Ok(None);
        }
        Ok(Some(self.block(BlockContent::Note {
            kind: NoteKind::Comment,
            label: None,
            text: trimmed(text),
        })))
    }
}

/// The formatting of words inside others; what the inner words leave open is taken from the outer ones.
fn joined(outer: Look, inner: Look) -> Look {
    let (a, b) = (outer.marks, inner.marks);
    Look {
        marks: TextMarks {
            bold: a.bold || b.bold,
            italic: a.italic || b.italic,
            strike: a.strike || b.strike,
            code: a.code || b.code,
            superscript: a.superscript || b.superscript,
            subscript: a.subscript || b.subscript,
            formula: false,
        },
        is_hidden: outer.is_hidden || inner.is_hidden,
    }
}

pub(super) fn is_drawn(name: &str) -> bool {
    matches!(
        name,
        "frame"
            | "g"
            | "custom-shape"
            | "rect"
            | "circle"
            | "ellipse"
            | "polygon"
            | "polyline"
            | "path"
            | "line"
            | "connector"
            | "caption"
            | "regular-polygon"
            | "measure"
            | "control"
    )
}
