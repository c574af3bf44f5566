//! Tables of slides.

use roxmltree::Node;
use spec::source::{BlockContent, RichText, SourceTable};

use super::Pptx;
use super::shapes::Around;
use crate::Unreadable;
use crate::readers::office::flatten::flatten;
use crate::xml::Element as _;

impl Pptx<'_, '_> {
    pub(super) fn table(
        &mut self,
        node: Node<'_, '_>,
        around: &Around<'_>,
    ) -> Result<(), Unreadable> {
        let mut rows: Vec<Vec<RichText>> = Vec::new();
        for row in node.elements().filter(|row| row.name() == "tr") {
            let cells = row.elements().filter(|cell| cell.name() == "tc");
            rows.push(cells.map(|cell| self.cell(cell, around)).collect());
        }
        let width = rows.iter().map(Vec::len).max().unwrap_or(0);
        self.office.reading.charge_cells(rows.len(), width)?;
        for row in &mut rows {
            row.resize(width, RichText::default());
        }
        if rows.iter().flatten().all(RichText::is_blank) {
            return Ok(());
        }
        let properties = node.child("tblPr");
        let has_head = properties.and_then(|properties| properties.attr("firstRow"));
        let has_head = matches!(has_head, Some("1" | "true")) && rows.len() > 1;
        self.push(BlockContent::Table(SourceTable {
            caption: None,
            head_rows: usize::from(has_head),
            rows,
            align: Vec::new(),
            chart: None,
        }));
        Ok(())
    }

    /// A cell that another one covers is in the file too, empty.
    fn cell(&mut self, cell: Node<'_, '_>, around: &Around<'_>) -> RichText {
        let is_covered = ["hMerge", "vMerge"]
            .iter()
            .any(|name| matches!(cell.attr(name), Some("1" | "true")));
        match cell.child("txBody") {
            Some(body) if !is_covered => flatten(self.text_blocks(body, None, around)).0,
            Some(_) | None => RichText::default(),
        }
    }
}
