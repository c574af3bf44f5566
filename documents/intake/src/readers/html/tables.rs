//! Tables.

use spec::source::{BlockContent, ColumnAlign, Location, RichText, SourceBlock, SourceTable};

use super::dom::{Handle, attr, is_hidden, name, number, style};
use super::flow::Flow;
use crate::readers::office::flatten::flatten;

/// Columns of a table; the span of a cell is cut off there.
const MOST_COLUMNS: usize = 1_000;

/// The words of blocks with line breaks between them, and the blocks that are not words.
pub(super) fn flat(blocks: Vec<BlockContent>) -> (Vec<BlockContent>, RichText) {
    let blocks = blocks.into_iter().map(|content| SourceBlock {
        location: Location::File,
        content,
    });
    let (text, rest) = flatten(blocks.collect());
    (rest.into_iter().map(|block| block.content).collect(), text)
}

/// The rows of a table, and its caption.
#[derive(Default)]
struct Parts<'a> {
    caption: Option<Handle<'a>>,
    /// The rows, and whether each is in the head or in the foot.
    rows: Vec<(Place, Handle<'a>)>,
    /// Content that has no place in a table.
    others: Vec<Handle<'a>>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Head,
    Body,
    Foot,
}

impl<'a> Parts<'a> {
    fn collect(&mut self, node: Handle<'a>, place: Place) {
        for child in node.children() {
            if is_hidden(child) {
                self.others.push(child);
                continue;
            }
            match name(child) {
                "caption" => self.caption = Some(child),
                "thead" => self.collect(child, Place::Head),
                "tfoot" => self.collect(child, Place::Foot),
                "tbody" => self.collect(child, place),
                "tr" => self.rows.push((place, child)),
                _ => self.others.push(child),
            }
        }
    }
}

pub(super) fn table(flow: &mut Flow, node: Handle<'_>) {
    flow.end();
    let mut parts = Parts::default();
    parts.collect(node, Place::Body);
    // The foot may be written before the body.
    parts.rows.sort_by_key(|(place, _)| *place);
    for other in parts.others.iter().copied() {
        let blocks = flow.apart_of(other);
        flow.blocks.extend(blocks);
    }
    let caption = parts.caption.map(|caption| flow.within(caption).1.words());
    if is_layout(node, &parts) {
        if let Some(caption) = caption {
            flow.blocks
                .push(BlockContent::Paragraph(RichText::plain(caption)));
        }
        for cell in parts.rows.iter().flat_map(|(_, row)| cells(*row)) {
            let blocks = flow.apart(cell);
            flow.blocks.extend(blocks);
        }
        return;
    }
    let mut grid = Grid::default();
    for (index, (place, row)) in parts.rows.iter().enumerate() {
        if grid.rows.len().saturating_mul(grid.width) >= flow.missing.cells_left {
            flow.missing.rows += parts.rows.len() - index;
            break;
        }
        grid.row(flow, *row, *place == Place::Head);
    }
    grid.finish(flow, caption);
}

fn cells(row: Handle<'_>) -> impl Iterator<Item = Handle<'_>> {
    let children = row.children();
    children.filter(|cell| matches!(name(*cell), "td" | "th") && !is_hidden(*cell))
}

/// Whether it is only used for layout, as in pages from before style sheets.
fn is_layout(node: Handle<'_>, parts: &Parts<'_>) -> bool {
    let is_said = attr(node, "role").is_some_and(|role| role == "presentation" || role == "none");
    is_said || (parts.rows.len() == 1 && parts.rows.iter().all(|(_, row)| cells(*row).count() <= 1))
}

#[derive(Default)]
struct Grid {
    rows: Vec<Vec<RichText>>,
    width: usize,
    heads: usize,
    /// For each column, how many more rows are covered by the cell above.
    covered: Vec<usize>,
    align: Vec<ColumnAlign>,
    /// Pictures and other blocks from cells.
    rest: Vec<BlockContent>,
    body: bool,
}

impl Grid {
    fn row(&mut self, flow: &mut Flow, node: Handle<'_>, in_head: bool) {
        let mut row = Vec::new();
        let mut all_heads = true;
        let mut align = Vec::new();
        for cell in cells(node) {
            self.skip_covered(&mut row);
            if row.len() >= MOST_COLUMNS {
                break;
            }
            all_heads &= name(cell) == "th";
            let place = row.len();
            let (rest, text) = flow.within(cell);
            self.rest.extend(rest);
            row.push(text);
            let span = number::<usize>(cell, "colspan").unwrap_or(1);
            let end = place.saturating_add(span.max(1)).min(MOST_COLUMNS);
            row.resize(end, RichText::default());
            align.resize(end, ColumnAlign::Unsaid);
            align[place] = alignment(cell);
            let rows = number::<usize>(cell, "rowspan").unwrap_or(1);
            if rows > 1 {
                self.covered.resize(self.covered.len().max(end), 0);
                self.covered[place..end].fill(rows);
            }
        }
        self.skip_covered(&mut row);
        self.covered
            .iter_mut()
            .for_each(|left| *left = left.saturating_sub(1));
        if row.is_empty() {
            return;
        }
        let is_head = in_head || (all_heads && !self.body);
        self.body |= !is_head;
        if is_head {
            self.heads += 1;
        }
        if self.align.len() < align.len() {
            self.align = align;
        }
        self.width = self.width.max(row.len());
        self.rows.push(row);
    }

    fn skip_covered(&self, row: &mut Vec<RichText>) {
        while self.covered.get(row.len()).is_some_and(|left| *left > 0) {
            row.push(RichText::default());
        }
    }

    fn finish(mut self, flow: &mut Flow, caption: Option<String>) {
        let most = flow.missing.cells_left / self.width.max(1);
        flow.missing.rows += self.rows.len().saturating_sub(most);
        self.rows.truncate(most);
        flow.missing.cells_left -= self.rows.len() * self.width;
        for row in &mut self.rows {
            row.resize(self.width, RichText::default());
        }
        if self.align.iter().all(|align| *align == ColumnAlign::Unsaid) {
            self.align.clear();
        }
        if self.rows.iter().flatten().any(|cell| !cell.is_blank()) || caption.is_some() {
            flow.blocks.push(BlockContent::Table(SourceTable {
                caption,
                head_rows: self.heads.min(self.rows.len()),
                rows: self.rows,
                align: self.align,
                chart: None,
            }));
        }
        flow.blocks.extend(self.rest);
    }
}

fn alignment(cell: Handle<'_>) -> ColumnAlign {
    let of_attribute = || attr(cell, "align").map(str::to_ascii_lowercase);
    let said = style(cell, "text-align").or_else(of_attribute);
    match said.unwrap_or_default().as_str() {
        "left" | "start" => ColumnAlign::Left,
        "center" => ColumnAlign::Center,
        "right" | "end" => ColumnAlign::Right,
        _ => ColumnAlign::Unsaid,
    }
}
