//! Tables.

use roxmltree::Node;
use spec::source::{BlockContent, ColumnAlign, RichText, SourceBlock, SourceTable};

use super::Docx;
use crate::Unreadable;
use crate::readers::office::flatten::flatten;
use crate::readers::office::relations::Relations;
use crate::readers::office::story::Story;
use crate::xml::Element as _;

/// Columns of a table: Word has no more than 63.
const MOST_COLUMNS: usize = 1_000;

/// A row as it is gathered.
struct Row {
    cells: Vec<RichText>,
    align: Vec<ColumnAlign>,
    is_head: bool,
}

impl Docx<'_, '_> {
    pub(super) fn table(
        &mut self,
        node: Node<'_, '_>,
        relations: &Relations,
        story: &mut Story,
    ) -> Result<(), Unreadable> {
        let mut rows = Vec::new();
        let mut rest = Vec::new();
        self.rows(node, relations, &mut rows, &mut rest)?;
        let width = rows.iter().map(|row| row.cells.len()).max().unwrap_or(0);
        self.office.reading.charge_cells(rows.len(), width)?;
        let head_rows = head_rows(node, &rows);
        let align = align(&rows, head_rows, width);
        let mut rows: Vec<Vec<RichText>> = rows.into_iter().map(|row| row.cells).collect();
        for row in &mut rows {
            row.resize(width, RichText::default());
        }
        if rows.iter().flatten().any(|cell| !cell.is_blank()) {
            let caption = story.take_caption();
            let properties = node.child("tblPr");
            let described = properties.and_then(|properties| properties.val("tblCaption"));
            let table = SourceTable {
                caption: caption.or_else(|| described.map(str::to_owned)),
                head_rows,
                rows,
                align,
                chart: None,
            };
            story.emit(self.location(), BlockContent::Table(table));
        }
        story.extend_after(rest);
        Ok(())
    }

    fn rows(
        &mut self,
        container: Node<'_, '_>,
        relations: &Relations,
        rows: &mut Vec<Row>,
        rest: &mut Vec<SourceBlock>,
    ) -> Result<(), Unreadable> {
        for node in container.elements() {
            match node.name() {
                "tr" => {
                    self.office.reading.go_on()?;
                    let properties = node.child("trPr");
                    let is_deleted = properties.is_some_and(|row| row.child("del").is_some());
                    if is_deleted {
                        self.omitted.deleted_chars += node.words().chars().count();
                        continue;
                    }
                    let before = span(properties, "gridBefore");
                    self.office.reading.charge_cells(1, before)?;
                    let mut row = Row {
                        cells: vec![RichText::default(); before],
                        align: vec![ColumnAlign::Unsaid; before],
                        is_head: properties.and_then(|row| row.toggle("tblHeader")) == Some(true),
                    };
                    self.cells(node, relations, &mut row, rest)?;
                    rows.push(row);
                }
                "sdt" | "sdtContent" | "ins" | "customXml" => {
                    self.rows(node, relations, rows, rest)?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn cells(
        &mut self,
        container: Node<'_, '_>,
        relations: &Relations,
        row: &mut Row,
        rest: &mut Vec<SourceBlock>,
    ) -> Result<(), Unreadable> {
        for node in container.elements() {
            match node.name() {
                "tc" => {
                    let properties = node.child("tcPr");
                    let merge = properties.and_then(|cell| cell.child("vMerge"));
                    // A cell that continues the one above it has no content of its own.
                    let is_covered =
                        merge.is_some_and(|merge| merge.attr("val") != Some("restart"));
                    let (text, more) = flatten(self.blocks(node, relations)?);
                    rest.extend(more);
                    row.align.push(cell_align(node));
                    row.cells.push(if is_covered {
                        RichText::default()
                    } else {
                        text
                    });
                    let span = span(properties, "gridSpan");
                    self.office.reading.charge_cells(1, span)?;
                    for _ in 1..span {
                        row.cells.push(RichText::default());
                        row.align.push(ColumnAlign::Unsaid);
                    }
                }
                "sdt" | "sdtContent" | "ins" | "customXml" => {
                    self.cells(node, relations, row, rest)?;
                }
                _ => {}
            }
        }
        Ok(())
    }
}

fn span(properties: Option<Node<'_, '_>>, name: &str) -> usize {
    let span = properties.and_then(|properties| properties.val(name));
    let span: usize = span.and_then(|span| span.parse().ok()).unwrap_or(0);
    span.min(MOST_COLUMNS)
}

/// Rows that repeat on each page, or the first row if the table formats it differently.
fn head_rows(table: Node<'_, '_>, rows: &[Row]) -> usize {
    let repeated = rows.iter().take_while(|row| row.is_head).count();
    if repeated > 0 {
        return repeated.min(rows.len().saturating_sub(1));
    }
    let look = table
        .child("tblPr")
        .and_then(|properties| properties.child("tblLook"));
    let sets_off = look.is_some_and(|look| match look.attr("firstRow") {
        Some(value) => matches!(value, "1" | "true" | "on"),
        // The older way: bits of a number.
        None => look
            .attr("val")
            .and_then(|bits| u32::from_str_radix(bits, 16).ok())
            .is_some_and(|bits| bits & 0x20 != 0),
    });
    usize::from(sets_off && rows.len() > 1)
}

fn cell_align(cell: Node<'_, '_>) -> ColumnAlign {
    let paragraph = cell.child("p").and_then(|paragraph| paragraph.child("pPr"));
    match paragraph.and_then(|properties| properties.val("jc")) {
        Some("center") => ColumnAlign::Center,
        Some("right" | "end") => ColumnAlign::Right,
        Some("left" | "start") => ColumnAlign::Left,
        Some(_) | None => ColumnAlign::Unsaid,
    }
}

/// How each column is aligned, where all its cells below the head agree.
fn align(rows: &[Row], head_rows: usize, width: usize) -> Vec<ColumnAlign> {
    let mut align: Vec<ColumnAlign> = (0..width)
        .map(|column| {
            let mut cells = rows
                .iter()
                .skip(head_rows)
                .filter_map(|row| row.align.get(column));
            match cells.next() {
                Some(first) if cells.all(|cell| cell == first) => *first,
                Some(_) | None => ColumnAlign::Unsaid,
            }
        })
        .collect();
    while align.last() == Some(&ColumnAlign::Unsaid) {
        align.pop();
    }
    align
}
