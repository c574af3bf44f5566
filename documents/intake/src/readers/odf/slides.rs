//! Slides of presentations.

use roxmltree::Node;
use spec::source::{BlockContent, Location, NoteKind, RichText, SourceBlock};

use super::Odf;
use crate::Unreadable;
use crate::gather::Gathering;
use crate::readers::office::flatten::flatten;
use crate::xml::Element as _;

impl Odf<'_, '_> {
    pub(super) fn slides(
        &mut self,
        body: Node<'_, '_>,
        gathering: &mut Gathering<'_, '_>,
    ) -> Result<(), Unreadable> {
        let most = gathering.reading.limits.pages;
        let mut slides = 0;
        for page in body.elements().filter(|node| node.name() == "page") {
            slides += 1;
            if slides > most {
                continue;
            }
            self.location = Location::Slide(slides);
            self.slide(page, gathering)?;
        }
        self.location = Location::File;
        // Footers and dates are declared once and shown where a slide asks for them.
        for declared in body.elements() {
            if matches!(
                declared.name(),
                "footer-decl" | "header-decl" | "date-time-decl"
            ) {
                let text = RichText::plain(declared.words().trim());
                if !text.is_blank() {
                    gathering.push(Location::File, note(NoteKind::Furniture, text));
                }
            }
        }
        if slides > most {
            gathering.omit(
                Location::File,
                format!("{} slides after the first {most}", slides - most),
                "more slides are not read; give a part of the file",
            );
        }
        Ok(())
    }

    fn slide(
        &mut self,
        page: Node<'_, '_>,
        gathering: &mut Gathering<'_, '_>,
    ) -> Result<(), Unreadable> {
        if self.styles.is_off("drawing-page", page.attr("style-name")) {
            gathering.omit(
                self.location.clone(),
                "the mark that the slide is hidden",
                "hidden slides are read and used like the others",
            );
        }
        // The title is often drawn last, but it belongs before the rest.
        let is_title = |node: &Node<'_, '_>| node.attr("class") == Some("title");
        for title in page.elements().filter(is_title) {
            let mut drawn = Vec::new();
            self.drawn(title, &mut drawn)?;
            let (text, rest) = flatten(drawn);
            if !text.is_blank() {
                let heading = BlockContent::Heading { level: 2, text };
                gathering.push(self.location.clone(), heading);
            }
            gathering.extend(rest);
        }
        for node in page.elements().filter(|node| !is_title(node)) {
            match node.name() {
                "notes" => self.speaker_notes(node, gathering)?,
                "annotation" => {
                    let comment = self.comment_block(node)?;
                    gathering.extend(comment.into_iter().collect());
                }
                _ => {
                    let mut drawn: Vec<SourceBlock> = Vec::new();
                    self.drawn(node, &mut drawn)?;
                    gathering.extend(drawn);
                }
            }
        }
        Ok(())
    }

    fn speaker_notes(
        &mut self,
        notes: Node<'_, '_>,
        gathering: &mut Gathering<'_, '_>,
    ) -> Result<(), Unreadable> {
        for frame in notes.elements() {
            let is_said = !matches!(
                frame.attr("class"),
                Some("page" | "page-number" | "header" | "footer" | "date-time")
            );
            if !is_said {
                continue;
            }
            let mut drawn = Vec::new();
            self.drawn(frame, &mut drawn)?;
            let (text, _pictures) = flatten(drawn);
            if !text.is_blank() {
                gathering.push(self.location.clone(), note(NoteKind::Speaker, text));
            }
        }
        Ok(())
    }
}

fn note(kind: NoteKind, text: RichText) -> BlockContent {
    BlockContent::Note {
        kind,
        label: None,
        text,
    }
}
