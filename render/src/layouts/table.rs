//! A table with a header band.

use spec::TableRow;

use super::page::{Page, rows as stack};
use crate::measure::{fit, height, largest};
use crate::scene::{BODY_LINE, Rect, Role, TITLE_LINE, Text, as_px};

/// Space left and right of a cell's text.
const CELL_PAD: f32 = 18.0;
/// Space above and below a cell's text.
const ROW_PAD: f32 = 7.0;
/// Space between rows.
const GAP: f32 = 6.0;

pub(super) fn comparison(
    page: &mut Page<'_>,
    title: &str,
    columns: &[String],
    rows: &[TableRow],
    highlight: Option<u32>,
) {
    let area = page.heading(title);
    let p = page.palette.clone();
    let label_w = if columns.len() <= 2 { 230.0 } else { 196.0 };
    let cell_w = (area.w - label_w) / as_px(columns.len().max(1));
    let (label_in, cell_in) = (label_w - 2.0 * CELL_PAD, cell_w - 2.0 * CELL_PAD);
    let head_size = fit(
        columns.iter().map(String::as_str),
        cell_in,
        54.0,
        page.px(24.0),
        TITLE_LINE,
        true,
    );
    let head_h = columns
        .iter()
        .map(|text| height(text, cell_in, head_size, TITLE_LINE, true))
        .fold(36.0, f32::max)
        + 20.0;
    let row_h = |row: &TableRow, size: f32| {
        let cells = row
            .cells
            .iter()
            .map(|cell| height(cell, cell_in, size, BODY_LINE, false));
        cells.fold(
            height(&row.label, label_in, size, BODY_LINE, true),
            f32::max,
        ) + 2.0 * ROW_PAD
    };
    let room = Rect::new(
        area.x,
        area.y + head_h + GAP,
        area.w,
        area.h - head_h - GAP - 4.0,
    );
    let size = largest(page.px(25.0), |size| {
        rows.iter().map(|row| row_h(row, size) + GAP).sum::<f32>() <= room.h
    });
    let heights: Vec<f32> = rows.iter().map(|row| row_h(row, size)).collect();
    // Rows hang from the header: what is left over stays below them.
    let mut placed = stack(room, &heights, GAP, 48.0);
    let rise = placed.first().map_or(0.0, |first| first.y - room.y);
    placed.iter_mut().for_each(|rect| rect.y -= rise);
    let end = placed.last().map_or(room.y, |last| last.bottom());
    let stressed = highlight
        .and_then(|at| usize::try_from(at).ok())
        .filter(|at| *at < columns.len());

    let cell_x = |index: usize| area.x + label_w + cell_w * as_px(index);
    let head = Rect::new(area.x, area.y, area.w, head_h);
    page.fill(head, p.field, 14.0);
    if let Some(at) = stressed {
        page.fill(
            Rect::new(cell_x(at), head.y, cell_w, head_h),
            p.accent,
            14.0,
        );
    }
    for (index, column) in columns.iter().enumerate() {
        let ink = if stressed == Some(index) {
            p.on_accent
        } else {
            p.on_field
        };
        let rect = Rect::new(
            cell_x(index) + CELL_PAD,
            head.y + 10.0,
            cell_in,
            head_h - 20.0,
        );
        page.text(
            Text::new(rect, column, head_size, ink)
                .heading(Role::Subtitle)
                .middle(),
        );
    }
    for (index, (row, rect)) in rows.iter().zip(placed).enumerate() {
        page.fill(rect, if index % 2 == 0 { p.card } else { p.tint }, 12.0);
        let label = Rect::new(
            rect.x + CELL_PAD,
            rect.y + ROW_PAD,
            label_in,
            rect.h - 2.0 * ROW_PAD,
        );
        page.text(
            Text::new(label, &row.label, size, p.primary_ink)
                .bold()
                .middle(),
        );
        for (at, cell) in row.cells.iter().enumerate().take(columns.len()) {
            let inside = Rect::new(
                cell_x(at) + CELL_PAD,
                rect.y + ROW_PAD,
                cell_in,
                rect.h - 2.0 * ROW_PAD,
            );
            page.text(Text::new(inside, cell, size, p.text).middle());
        }
    }
    if let Some(at) = stressed {
        page.frame(
            Rect::new(cell_x(at), area.y, cell_w, end - area.y),
            p.accent,
            3.0,
            14.0,
        );
    }
}
