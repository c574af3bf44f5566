//! Tables with a head and borders.

use docx_rs::{
    AlignmentType, BorderType, Paragraph, Run, Shading, Table, TableBorder, TableBorderPosition,
    TableBorders, TableCell, TableCellMargins, TableLayoutType, TableRow, VAlignType, WidthType,
};
use pulldown_cmark::Alignment;

use super::TEXT_W;
use super::styles::{LINE, SHADE};

/// Characters of a cell that count for the width of its column: longer ones are broken anyway.
const COUNTED: usize = 36;
/// Characters that a column has room for at least.
const NARROWEST: usize = 5;
/// Most cells of a row: a page has no room in which more of them could be read.
const COLUMNS_MAX: usize = 63;

/// A table while it is read.
#[derive(Default)]
pub(super) struct Rows {
    pub(super) alignments: Vec<Alignment>,
    /// The first is the head.
    pub(super) rows: Vec<Vec<(Paragraph, usize)>>,
}

impl Rows {
    /// The paragraph of the next cell.
    pub(super) fn paragraph(&self) -> Paragraph {
        let column = self.rows.last().map_or(0, Vec::len);
        let paragraph = Paragraph::new().style("TableText");
        match self.alignments.get(column) {
            Some(Alignment::Center) => paragraph.align(AlignmentType::Center),
            Some(Alignment::Right) => paragraph.align(AlignmentType::Right),
            Some(Alignment::Left | Alignment::None) | None => paragraph,
        }
    }

    pub(super) fn table(self) -> Table {
        let widths = self.widths();
        let mut rows = Vec::new();
        for (at, cells) in self.rows.into_iter().enumerate() {
            let cells = cells
                .into_iter()
                .zip(&widths)
                .map(|((paragraph, _), &width)| {
                    let cell = TableCell::new()
                        .width(width, WidthType::Dxa)
                        .vertical_align(VAlignType::Center)
                        .add_paragraph(paragraph);
                    if at == 0 {
                        cell.shading(Shading::new().fill(SHADE))
                    } else {
                        cell
                    }
                });
            let row = TableRow::new(cells.collect());
            // Where the package is written, this mark gets a second one beside it, by which the row is repeated on each page.
            rows.push(if at == 0 { row.cant_split() } else { row });
        }
        Table::without_borders(rows)
            .set_grid(widths.clone())
            .width(widths.iter().sum(), WidthType::Dxa)
            .layout(TableLayoutType::Fixed)
            .margins(TableCellMargins::new().margin(30, 100, 30, 100))
            .set_borders(borders())
    }

    /// Widths of columns by what stands in them, together the width of the text.
    fn widths(&self) -> Vec<usize> {
        let columns = self
            .rows
            .iter()
            .map(Vec::len)
            .max()
            .unwrap_or(1)
            .clamp(1, COLUMNS_MAX);
        let mut wants = vec![NARROWEST; columns];
        for row in &self.rows {
            for (want, (_, chars)) in wants.iter_mut().zip(row) {
                *want = (*want).max((*chars).min(COUNTED));
            }
        }
        let all: usize = wants.iter().sum();
        let room = usize::try_from(TEXT_W).unwrap_or_default();
        wants.into_iter().map(|want| want * room / all).collect()
    }
}

fn borders() -> TableBorders {
    let mut borders = TableBorders::with_empty();
    for position in [
        TableBorderPosition::Top,
        TableBorderPosition::Left,
        TableBorderPosition::Bottom,
        TableBorderPosition::Right,
        TableBorderPosition::InsideH,
        TableBorderPosition::InsideV,
    ] {
        let border = TableBorder::new(position)
            .border_type(BorderType::Single)
            .size(4)
            .color(LINE);
        borders = borders.set(border);
    }
    borders
}

/// A little space below a table: a table has none by itself, unlike a paragraph.
pub(super) fn space() -> Paragraph {
    Paragraph::new().style("TableText").add_run(Run::new())
}
