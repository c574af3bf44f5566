//! Stations on a line.

use spec::TimelineStep;

use super::page::Page;
use crate::scene::{BODY_LINE, Rect, Role, TITLE_LINE, Text};
use crate::typeset::Face;

/// Space between the columns of stations.
const GAP: f32 = 20.0;

pub(super) fn timeline(page: &mut Page<'_>, title: &str, steps: &[TimelineStep]) {
    let area = page.heading(title);
    stations(page, area, steps);
}

/// The stations in an area.
pub(super) fn stations(page: &mut Page<'_>, area: Rect, steps: &[TimelineStep]) {
    let p = page.palette.clone();
    let count = steps.len();
    let pad = if count <= 4 { 24.0 } else { 14.0 };
    let column_w = area.column(0, count, GAP).w;
    let w = column_w - 2.0 * pad;
    let label_h = 40.0;
    let label_size = page.fit(
        steps.iter().map(|step| step.label.as_str()),
        (column_w, label_h),
        page.px(27.0),
        TITLE_LINE,
        Face::Display,
    );
    let head_size = page.fit(
        steps.iter().map(|step| step.heading.as_str()),
        (w, 92.0),
        page.px(if count <= 4 { 28.0 } else { 23.0 }),
        TITLE_LINE,
        Face::Display,
    );
    let head_h = steps
        .iter()
        .filter(|step| !step.heading.trim().is_empty())
        .map(|step| page.height(&step.heading, w, head_size, TITLE_LINE, Face::Display))
        .fold(0.0, f32::max);
    let above = label_h + 52.0;
    let text_room = area.h - above - 2.0 * 22.0 - head_h - 10.0;
    let text_size = page.fit(
        steps.iter().map(|step| step.text.as_str()),
        (w, text_room),
        page.px(if count <= 4 { 25.0 } else { 21.0 }),
        BODY_LINE,
        Face::Text,
    );
    let text_h = steps
        .iter()
        .map(|step| page.height(&step.text, w, text_size, BODY_LINE, Face::Text))
        .fold(0.0, f32::max);
    let card_h = (2.0 * 22.0 + head_h + 10.0 + text_h)
        .max((area.h - above) * 0.68)
        .min(area.h - above);
    let top = area.y + (area.h - above - card_h) * 0.4;
    let line_y = top + label_h + 20.0;
    page.fill(
        Rect::new(area.x, line_y - 3.0, area.w - 14.0, 6.0),
        p.line,
        3.0,
    );
    let arrow = Rect::new(area.right() - 22.0, line_y - 12.0, 22.0, 24.0);
    page.svg(
        arrow,
        format!("<path d=\"M2 2L20 12L2 22Z\" fill=\"{}\"/>", p.line.hex()),
    );
    for (index, step) in steps.iter().enumerate() {
        let column = area.column(index, count, GAP);
        let last = index + 1 == count;
        let signal = if last { p.accent } else { p.field };
        page.text(
            Text::new(
                Rect::new(column.x, top, column_w, label_h),
                &step.label,
                label_size,
                p.primary_ink,
            )
            .heading(Role::Subtitle)
            .middle(),
        );
        let ring = Rect::new(column.x + pad, line_y - 14.0, 28.0, 28.0);
        page.fill(ring, p.bg, 14.0);
        page.fill(ring.inset(3.0, 3.0), signal, 11.0);
        page.fill(ring.inset(10.0, 10.0), p.bg, 4.0);
        let card = Rect::new(column.x, line_y + 32.0, column_w, card_h);
        page.card(card);
        page.fill(Rect::new(column.x + pad, card.y, 28.0, 5.0), signal, 0.0);
        let (x, y) = (column.x + pad, card.y + 22.0);
        let heading = Text::new(Rect::new(x, y, w, head_h), &step.heading, head_size, p.text);
        page.text(heading.heading(Role::Subtitle));
        let y = y + head_h + 10.0;
        page.text(Text::new(
            Rect::new(x, y, w, card.bottom() - 22.0 - y),
            &step.text,
            text_size,
            p.text,
        ));
    }
}
