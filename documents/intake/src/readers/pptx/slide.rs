//! A slide: its title first, then its shapes in their order, then its speaker notes and comments.

use roxmltree::Node;
use spec::source::{BlockContent, Location, NoteKind, RichText};

use super::Pptx;
use super::bullets::Place;
use super::shapes::Around;
use crate::Unreadable;
use crate::readers::office::flatten::{add_line, flatten};
use crate::readers::office::relations::Relations;
use crate::xml::Element as _;

impl Pptx<'_, '_> {
    pub(super) fn read_slide(&mut self, part: &str) -> Result<(), Unreadable> {
        let Some(text) = self.office.text(part)? else {
            return Ok(());
        };
        let relations = self.office.relations(part)?;
        let layout = relations.part("slideLayout");
        if let Some(layout) = &layout {
            self.read_layout(layout)?;
        }
        let tree = self.office.parse(&text, part)?;
        let root = tree.root_element();
        if matches!(root.attr("show"), Some("0" | "false")) {
            self.gathering.omit(
                self.location(),
                "the mark that the slide is hidden",
                "hidden slides are read and used like the others",
            );
        }
        let around = Around {
            relations: &relations,
            layout: layout.as_deref(),
        };
        let shapes = root.child("cSld").and_then(|slide| slide.child("spTree"));
        if let Some(shapes) = shapes {
            // The title is often drawn last, but it belongs before the rest.
            for title in shapes.elements().filter(is_title) {
                self.shape(title, &around)?;
            }
            for shape in shapes.elements().filter(|shape| !is_title(shape)) {
                self.shape(shape, &around)?;
            }
        }
        self.speaker_notes(&relations)?;
        self.comments(&relations)
    }

    pub(super) fn location(&self) -> Location {
        Location::Slide(self.slide)
    }

    pub(super) fn push(&mut self, content: BlockContent) {
        self.gathering.push(self.location(), content);
    }

    pub(super) fn push_note(&mut self, kind: NoteKind, text: RichText) {
        if !text.is_blank() {
            self.push(BlockContent::Note {
                kind,
                label: None,
                text,
            });
        }
    }

    fn speaker_notes(&mut self, relations: &Relations) -> Result<(), Unreadable> {
        let Some(part) = relations.part("notesSlide") else {
            return Ok(());
        };
        let Some(text) = self.office.text(&part)? else {
            return Ok(());
        };
        let own = self.office.relations(&part)?;
        let around = Around {
            relations: &own,
            layout: None,
        };
        let tree = self.office.parse(&text, &part)?;
        let mut said = RichText::default();
        for shape in tree.root().descendants().filter(|node| node.name() == "sp") {
            let kind = Place::of(shape).map(|place| place.kind);
            if matches!(
                kind.as_deref(),
                Some("sldImg" | "sldNum" | "hdr" | "ftr" | "dt")
            ) {
                continue;
            }
            if let Some(body) = shape.child("txBody") {
                self.draw_notes(body, &around);
                let (lines, _pictures) = flatten(self.text_blocks(body, None, &around));
                add_line(&mut said, lines);
            }
        }
        self.push_note(NoteKind::Speaker, said);
        Ok(())
    }

    /// Comments of both kinds: older ones with one text each, and newer threads.
    fn comments(&mut self, relations: &Relations) -> Result<(), Unreadable> {
        for part in relations.parts("comments") {
            let Some(text) = self.office.text(&part)? else {
                continue;
            };
            let tree = self.office.parse(&text, &part)?;
            for comment in tree.root().descendants() {
                match comment.name() {
                    "cm" | "reply" => {
                        let text = comment_text(comment);
                        self.push_note(NoteKind::Comment, text);
                    }
                    _ => {}
                }
            }
        }
        Ok(())
    }
}

fn is_title(shape: &Node<'_, '_>) -> bool {
    Place::of(*shape).is_some_and(|place| place.is_title())
}

/// The text of a comment without that of its replies.
fn comment_text(comment: Node<'_, '_>) -> RichText {
    let mut text = RichText::default();
    if let Some(line) = comment.child("text") {
        add_line(&mut text, RichText::plain(line.words()));
    }
    let paragraphs = comment.child("txBody").into_iter();
    for paragraph in paragraphs.flat_map(|body| body.children()) {
        let words: String = paragraph
            .descendants()
            .filter(|node| node.name() == "t")
            .map(|node| node.words())
            .collect();
        add_line(&mut text, RichText::plain(words));
    }
    text
}
