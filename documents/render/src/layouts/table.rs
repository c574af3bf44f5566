//! A table with a header band.

use spec::{Rgb, TableRow};

use super::page::Page;
use crate::scene::{
    BODY_LINE, Node, Rect, Role, TITLE_LINE, TableCell, TableLine, TableNode, Text, as_px,
};
use crate::typeset::Face;

/// Space left and right of a cell's text.
const CELL_PAD: f32 = 18.0;
/// Space above and below a cell's text.
const ROW_PAD: f32 = 10.0;
/// A row is made at most so much higher to fill the page.
const STRETCH: f32 = 48.0;

pub(super) fn comparison(
    page: &mut Page<'_>,
    title: &str,
    columns: &[String],
    rows: &[TableRow],
    highlight: Option<u32>,
) {
    let area = page.heading(title);
    let p = page.palette.clone();
    let row_pad = page.gap(ROW_PAD);
    let label_w = if columns.len() <= 2 { 230.0 } else { 196.0 };
    let cell_w = (area.w - label_w) / as_px(columns.len().max(1));
    let (label_in, cell_in) = (label_w - 2.0 * CELL_PAD, cell_w - 2.0 * CELL_PAD);
    let head_size = page.fit(
        columns.iter().map(String::as_str),
        (cell_in, 54.0),
        page.px(24.0),
        TITLE_LINE,
        Face::Display,
    );
    let head_h = columns
        .iter()
        .map(|text| page.height(text, cell_in, head_size, TITLE_LINE, Face::Display))
        .fold(36.0, f32::max)
        + 20.0;
    let row_h = |row: &TableRow, size: f32| {
        let cells = row
            .cells
            .iter()
            .map(|cell| page.height(cell, cell_in, size, BODY_LINE, Face::Text));
        cells.fold(
            page.height(&row.label, label_in, size, BODY_LINE, Face::Strong),
            f32::max,
        ) + 2.0 * row_pad
    };
    let room = area.h - head_h - 4.0;
    let texts = rows
        .iter()
        .flat_map(|row| row.cells.iter().chain([&row.label]))
        .map(String::as_str);
    let size = page.largest(texts, page.px(25.0), Face::Text, |size| {
        rows.iter().map(|row| row_h(row, size)).sum::<f32>() <= room
    });
    let heights: Vec<f32> = rows.iter().map(|row| row_h(row, size)).collect();
    let extra = (room - heights.iter().sum::<f32>()) / as_px(rows.len().max(1));
    let extra = extra.clamp(0.0, STRETCH);
    let stressed = highlight
        .and_then(|at| usize::try_from(at).ok())
        .filter(|at| *at < columns.len());

    let widths: Vec<f32> = std::iter::once(label_w)
        .chain(columns.iter().map(|_| cell_w))
        .collect();
    let mut table = TableNode {
        rect: area,
        columns: widths,
        rows: Vec::new(),
        heads: true,
        labels: true,
        rule: p.line,
        mirrored: false,
    };
    let inside = |rect: Rect| rect.inset(CELL_PAD, row_pad);
    let mut top = area.y;
    let mut line = |h: f32, cells: Vec<(&str, Rgb, Style)>| {
        let mut x = area.x;
        let cells = cells
            .into_iter()
            .zip(&table.columns)
            .map(|((text, ground, style), w)| {
                let rect = inside(Rect::new(x, top, *w, h));
                x += w;
                let text = match style {
                    Style::Head(ink) => {
                        Text::new(rect, text, head_size, ink).heading(Role::Subtitle)
                    }
                    Style::Label => Text::new(rect, text, size, p.primary_ink).bold(),
                    Style::Cell => Text::new(rect, text, size, p.text),
                };
                TableCell {
                    ground,
                    text: page.set(text.middle()),
                }
            });
        let cells = cells.collect();
        top += h;
        table.rows.push(TableLine { h, cells });
    };
    let head = columns.iter().enumerate().map(|(at, column)| {
        if stressed == Some(at) {
            (column.as_str(), p.accent, Style::Head(p.on_accent))
        } else {
            (column.as_str(), p.field, Style::Head(p.on_field))
        }
    });
    line(
        head_h,
        std::iter::once(("", p.field, Style::Head(p.on_field)))
            .chain(head)
            .collect(),
    );
    for (index, (row, h)) in rows.iter().zip(heights).enumerate() {
        let ground = if index % 2 == 0 { p.card } else { p.tint };
        let cells = row.cells.iter().take(columns.len());
        line(
            h + extra,
            std::iter::once((row.label.as_str(), ground, Style::Label))
                .chain(cells.map(|cell| (cell.as_str(), ground, Style::Cell)))
                .collect(),
        );
    }
    table.rect.h = top - area.y;
    let frame = stressed.map(|at| {
        let x = area.x + label_w + cell_w * as_px(at);
        Rect::new(x, area.y, cell_w, table.rect.h)
    });
    page.put(Node::Table(table));
    if let Some(frame) = frame {
        page.frame(frame, p.accent, 3.0, 0.0);
    }
}

/// How a cell is set.
enum Style {
    Head(Rgb),
    Label,
    Cell,
}
