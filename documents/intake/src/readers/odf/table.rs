//! Tables of texts and slides.

use roxmltree::Node;
use spec::source::{BlockContent, RichText, SourceBlock, SourceTable};

use super::Odf;
use crate::readers::office::flatten::flatten;
use crate::readers::office::story::Story;
use crate::xml::Element as _;
use crate::{Unreadable, budget};

/// The most cells or rows for which one repeated element may stand.
const MOST_REPEATED: usize = 1_000;

#[derive(Default)]
struct Rows {
    rows: Vec<Vec<RichText>>,
    heads: usize,
    rest: Vec<SourceBlock>,
}

impl Odf<'_, '_> {
    pub(super) fn table(
        &mut self,
        node: Node<'_, '_>,
        story: &mut Story,
    ) -> Result<(), Unreadable> {
        let mut rows = Rows::default();
        self.rows(node, false, &mut rows)?;
        // Empty columns at the end are what a program writes to fill the page.
        let filled = |row: &Vec<RichText>| row.iter().rposition(|cell| !cell.is_blank());
        let width = rows.rows.iter().filter_map(filled).max();
        let width = width.map_or(0, |last| last + 1);
        self.office.reading.charge_cells(rows.rows.len(), width)?;
        for row in &mut rows.rows {
            row.resize(width, RichText::default());
        }
        if width > 0 {
            let caption = story.take_caption();
            let described = node.child("title").map(|title| title.words());
            let uses_head = node.attr("use-first-row-styles") == Some("true");
            let head_rows = rows.heads.max(usize::from(uses_head));
            let table = SourceTable {
                caption: caption.or(described),
                head_rows: head_rows.min(rows.rows.len().saturating_sub(1)),
                rows: rows.rows,
                align: Vec::new(),
                chart: None,
            };
            story.emit(self.location.clone(), BlockContent::Table(table));
        }
        story.extend_after(rows.rest);
        Ok(())
    }

    fn rows(
        &mut self,
        container: Node<'_, '_>,
        is_head: bool,
        rows: &mut Rows,
    ) -> Result<(), Unreadable> {
        for node in container.elements() {
            match node.name() {
                "table-row" => {
                    self.office.reading.go_on()?;
                    let row = self.cells(node, &mut rows.rest)?;
                    // Empty rows that are repeated fill a page.
                    let is_blank = row.iter().all(RichText::is_blank);
                    let times = if is_blank {
                        1
                    } else {
                        repeated(node, "number-rows-repeated")
                    };
                    rows.heads += if is_head { times } else { 0 };
                    let weight: usize = row.iter().map(budget::weight).sum();
                    for _ in 1..times {
                        self.office.reading.charge(weight)?;
                        rows.rows.push(row.clone());
                    }
                    rows.rows.push(row);
                }
                "table-header-rows" => self.rows(node, true, rows)?,
                "table-rows" | "table-row-group" => self.rows(node, is_head, rows)?,
                _ => {}
            }
        }
        Ok(())
    }

    fn cells(
        &mut self,
        row: Node<'_, '_>,
        rest: &mut Vec<SourceBlock>,
    ) -> Result<Vec<RichText>, Unreadable> {
        let mut cells = Vec::new();
        for node in row.elements() {
            let text = match node.name() {
                "table-cell" => {
                    let (text, more) = flatten(self.blocks(node)?);
                    rest.extend(more);
                    text
                }
                "covered-table-cell" => RichText::default(),
                _ => continue,
            };
            let weight = budget::weight(&text);
            for _ in 0..repeated(node, "number-columns-repeated") {
                self.office.reading.charge(weight)?;
                cells.push(text.clone());
            }
        }
        Ok(cells)
    }
}

pub(super) fn repeated(node: Node<'_, '_>, name: &str) -> usize {
    let times = node.attr(name).and_then(|times| times.parse().ok());
    usize::clamp(times.unwrap_or(1), 1, MOST_REPEATED)
}
