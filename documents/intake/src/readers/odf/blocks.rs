//! The paragraphs of a body, a cell, a note, a text box or a header.

use roxmltree::Node;
use spec::source::{BlockContent, ListItem, Location, RichText, SourceBlock, TextMarks};

use super::Odf;
use super::inline::is_drawn;
use super::lists::{LEVELS, OpenList};
use crate::Unreadable;
use crate::readers::office::flatten::add;
use crate::readers::office::story::{Kind, Story};
use crate::xml::Element as _;

/// How blocks are counted.
#[derive(Clone, Copy)]
enum Counting {
    /// In the body, whose paragraphs and tables are counted.
    Body,
    Elsewhere,
}

impl Odf<'_, '_> {
    /// The body of a text.
    pub(super) fn body(&mut self, body: Node<'_, '_>) -> Result<Vec<SourceBlock>, Unreadable> {
        let mut story = Story::default();
        self.location = Location::Paragraph(0);
        self.children(body, &mut story, Counting::Body)?;
        self.location = Location::File;
        Ok(story.finish())
    }

    /// Any story other than the body.
    pub(super) fn blocks(
        &mut self,
        container: Node<'_, '_>,
    ) -> Result<Vec<SourceBlock>, Unreadable> {
        let mut story = Story::default();
        self.children(container, &mut story, Counting::Elsewhere)?;
        Ok(story.finish())
    }

    fn children(
        &mut self,
        container: Node<'_, '_>,
        story: &mut Story,
        counting: Counting,
    ) -> Result<(), Unreadable> {
        for node in container.elements() {
            self.office.reading.go_on()?;
            match node.name() {
                "p" => {
                    self.count(counting);
                    self.paragraph(node, story)?;
                }
                "h" => {
                    self.count(counting);
                    self.heading(node, story, None)?;
                }
                "list" => {
                    let mut list = self.lists.begin(node, None);
                    self.list(node, 0, &mut list, story, counting)?;
                    self.lists.end(list);
                }
                "table" => {
                    self.count(counting);
                    self.table(node, story)?;
                }
                "section" | "index-body" | "index-title" | "table-of-content"
                | "illustration-index" | "table-index" | "object-index" | "user-index"
                | "alphabetical-index" | "bibliography" | "numbered-paragraph"
                    if node.attr("display") != Some("none") =>
                {
                    self.children(node, story, counting)?;
                }
                "tracked-changes" => self.count_deleted(node),
                name if is_drawn(name) => {
                    let mut drawn = Vec::new();
                    self.drawn(node, &mut drawn)?;
                    story.extend_after(drawn);
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn count(&mut self, counting: Counting) {
        if let (Counting::Body, Location::Paragraph(place)) = (counting, &mut self.location) {
            *place += 1;
        }
    }

    fn count_deleted(&mut self, changes: Node<'_, '_>) {
        for deletion in changes
            .descendants()
            .filter(|node| node.name() == "deletion")
        {
            for paragraph in deletion
                .elements()
                .filter(|node| node.name() != "change-info")
            {
                self.deleted_chars += paragraph.words().chars().count();
            }
        }
    }

    fn paragraph(&mut self, node: Node<'_, '_>, story: &mut Story) -> Result<(), Unreadable> {
        let style = node.attr("style-name");
        let kind = self.styles.kind(style);
        let line = self.line(node, kind == Kind::Code)?;
        let at = self.location.clone();
        match only_formula(&line.text) {
            Some(formula) => story.emit(at, BlockContent::Formula(formula)),
            None => story.line(at, kind, line.text),
        }
        story.extend_after(line.after);
        Ok(())
    }

    /// Adds a heading. `label` is that of the list in which the heading is an item.
    fn heading(
        &mut self,
        node: Node<'_, '_>,
        story: &mut Story,
        label: Option<String>,
    ) -> Result<(), Unreadable> {
        let line = self.line(node, false)?;
        let at = self.location.clone();
        if !line.text.is_blank() {
            let level = node
                .attr("outline-level")
                .and_then(|level| level.parse().ok());
            let level: u8 = level.unwrap_or(1);
            let label = label.unwrap_or_else(|| self.lists.heading(node, level));
            let text = labelled(&label, line.text);
            // A title is a heading above the first level.
            let kind = match self.styles.kind(node.attr("style-name")) {
                Kind::Heading(1) => Kind::Heading(1),
                Kind::Heading(_) | Kind::Code | Kind::Quotation | Kind::Caption | Kind::Body => {
                    Kind::Heading(level.clamp(1, 9))
                }
            };
            story.line(at, kind, text);
        }
        story.extend_after(line.after);
        Ok(())
    }

    fn list(
        &mut self,
        node: Node<'_, '_>,
        level: usize,
        list: &mut OpenList,
        story: &mut Story,
        counting: Counting,
    ) -> Result<(), Unreadable> {
        // A list inside another one may have a style of its own, and then has its own numbers.
        let outer = list.style.clone();
        if let Some(style) = node.attr("style-name") {
            list.style = Some(style.to_owned());
        }
        for item in node.elements() {
            let has_number = item.name() == "list-item";
            if has_number || item.name() == "list-header" {
                self.list_item(item, level, has_number, list, story, counting)?;
            }
        }
        if level > 0 {
            list.style = outer;
        }
        Ok(())
    }

    fn list_item(
        &mut self,
        item: Node<'_, '_>,
        level: usize,
        has_number: bool,
        list: &mut OpenList,
        story: &mut Story,
        counting: Counting,
    ) -> Result<(), Unreadable> {
        let mut is_first = has_number;
        for node in item.elements() {
            match node.name() {
                "list" => self.list(node, level + 1, list, story, counting)?,
                "p" | "h" => {
                    self.count(counting);
                    let start = item
                        .attr("start-value")
                        .and_then(|start| start.parse().ok());
                    let start = start.filter(|_| is_first);
                    self.item_line(node, level, is_first, start, list, story)?;
                    is_first = false;
                }
                _ => {
                    let rest = self.blocks_of(node)?;
                    story.extend_after(rest);
                }
            }
        }
        Ok(())
    }

    fn item_line(
        &mut self,
        node: Node<'_, '_>,
        level: usize,
        is_first: bool,
        start: Option<u64>,
        list: &mut OpenList,
        story: &mut Story,
    ) -> Result<(), Unreadable> {
        let style = node.attr("style-name");
        let kind = self.styles.kind(style);
        let design = list.style.clone().or_else(|| self.styles.list(style));
        let design = design.as_deref();
        let level = level.min(LEVELS - 1);
        let at = self.location.clone();
        if !is_first {
            let line = self.line(node, false)?;
            story.continue_item(at, line.text);
            story.extend_after(line.after);
            return Ok(());
        }
        let number = self.lists.next(design, level, start, &mut list.counters);
        if node.name() == "h" {
            return self.heading(node, story, Some(number.label));
        }
        let line = self.line(node, kind == Kind::Code)?;
        match number.marker {
            Some(marker) if !number.has_words && !matches!(kind, Kind::Heading(_)) => {
                let item = ListItem {
                    level: u8::try_from(level).unwrap_or(u8::MAX),
                    marker,
                    text: line.text,
                };
                story.item(at, list.id.as_deref().or(design).unwrap_or_default(), item);
            }
            // A marker has room for a number, not for the words around it.
            Some(_) | None => story.line(at, kind, labelled(&number.label, line.text)),
        }
        story.extend_after(line.after);
        Ok(())
    }

    /// A block that stands in an item without being a paragraph.
    fn blocks_of(&mut self, node: Node<'_, '_>) -> Result<Vec<SourceBlock>, Unreadable> {
        let mut story = Story::default();
        match node.name() {
            "table" => self.table(node, &mut story)?,
            name if is_drawn(name) => {
                let mut drawn = Vec::new();
                self.drawn(node, &mut drawn)?;
                story.extend_after(drawn);
            }
            _ => {}
        }
        Ok(story.finish())
    }
}

pub(super) fn only_formula(text: &RichText) -> Option<String> {
    match text.pieces.as_slice() {
        [piece] if piece.marks.formula => Some(piece.text.clone()),
        _ => None,
    }
}

fn labelled(label: &str, text: RichText) -> RichText {
    if label.is_empty() || text.is_blank() {
        return text;
    }
    let mut labelled = RichText::default();
    labelled.push(format!("{label} "), TextMarks::default(), None);
    add(&mut labelled, text);
    labelled
}
