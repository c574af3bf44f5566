//! What stands in boxes on a picture card: points below each other, and two things beside each other.

use super::page::{Page, rows};
use super::words::emphasised;
use crate::scene::{BODY_LINE, Rect, Text};
use crate::typeset::Face;

/// Small type: numerals, and the line above a title.
pub(super) const SMALL_PX: f32 = 34.0;
/// Type of a point as designed, and as large as it becomes where there are few.
const POINT_PX: f32 = 44.0;
const POINT_PX_MAX: f32 = 60.0;
/// Space inside a point's box.
const POINT_PAD: f32 = 26.0;
const NUMERAL_W: f32 = 84.0;
const BADGE: f32 = 64.0;
/// A mark in the place of a numeral.
const MARK: (f32, f32) = (10.0, 44.0);
const MARK_W: f32 = 34.0;
/// Space between two points.
pub(super) const POINT_GAP: f32 = 24.0;
/// How much taller than its text a point's box becomes where there is room.
const POINT_STRETCH: f32 = 120.0;
/// Between the name of a side and what is said of it.
const LABEL_GAP: f32 = 10.0;
/// Diameter of the badge between two things that are compared.
const VERSUS: f32 = 84.0;

/// Two things side by side, each under its name; gives the height they take. Where that is too much, nothing is placed.
pub(super) fn versus(page: &mut Page<'_>, sides: [(&str, &str); 2], area: Rect) -> Option<f32> {
    let p = page.palette.clone();
    let pad = page.gap(36.0);
    let columns = [0, 1].map(|at| area.column(at, 2, POINT_GAP));
    let text_w = columns[0].w - 2.0 * pad;
    let label_px = page.fit(
        sides.map(|(label, _)| label),
        (text_w, area.h * 0.3),
        page.px(54.0),
        BODY_LINE,
        Face::Strong,
    );
    let label_h = sides
        .iter()
        .map(|(label, _)| page.height(label, text_w, label_px, BODY_LINE, Face::Strong))
        .fold(0.0, f32::max);
    let top = pad + VERSUS / 2.0 - 12.0;
    let room = area.h - top - label_h - LABEL_GAP - pad;
    let said = sides.map(|(_, said)| said);
    let heights = |size: f32| {
        let each = said.map(|said| page.height(said, text_w, size, BODY_LINE, Face::Text));
        each[0].max(each[1])
    };
    let fits = |size: f32| heights(size) <= room;
    let large = page.setter.largest(page.px(POINT_PX_MAX), Face::Text, fits);
    let size = if large > page.px(POINT_PX) {
        large
    } else {
        page.largest(said, page.px(POINT_PX), Face::Text, fits)
    };
    if !fits(size) {
        return None;
    }
    let natural = top + label_h + LABEL_GAP + heights(size) + pad;
    let h = (natural + 2.0 * POINT_STRETCH).min(area.h);
    let (grounds, inks) = (
        [p.field, p.card],
        [(p.on_field, p.on_field), (p.primary_ink, p.text)],
    );
    for (at, (label, said)) in sides.into_iter().enumerate() {
        let column = Rect { h, ..columns[at] };
        if at == 0 {
            page.fill(column, grounds[at], 18.0);
        } else {
            page.card(column);
        }
        let mut rect = Rect::new(column.x + pad, column.y + top, text_w, label_h);
        page.text(Text::new(rect, label, label_px, inks[at].0).bold());
        rect.y += label_h + LABEL_GAP;
        rect.h = column.bottom() - pad - rect.y;
        page.text(Text::new(rect, said, size, inks[at].1));
    }
    let badge = Rect::new(
        area.x + (area.w - VERSUS) / 2.0,
        area.y - VERSUS / 2.0 + 22.0,
        VERSUS,
        VERSUS,
    );
    page.fill(badge, p.accent, VERSUS / 2.0);
    let text = Text::new(badge, "VS", SMALL_PX, p.on_accent);
    page.text(text.bold().chrome().center().middle());
    Some(h)
}

/// Height of the box of each point at a size of type.
fn heights(page: &Page<'_>, said: &[String], w: f32, numbered: bool, size: f32) -> Vec<f32> {
    let pad = page.gap(POINT_PAD);
    let text_w = w - beside(numbered) - 2.0 * pad;
    let each = said.iter().map(|point| {
        let h = page.height(point, text_w, size, BODY_LINE, Face::Text);
        h.max(BADGE) + 2.0 * pad
    });
    each.collect()
}

fn fits(page: &Page<'_>, said: &[String], area: Rect, numbered: bool, size: f32) -> bool {
    let gaps = page.gap(POINT_GAP) * (crate::scene::as_px(said.len()) - 1.0).max(0.0);
    let heights = heights(page, said, area.w, numbered, size);
    heights.iter().sum::<f32>() + gaps <= area.h
}

/// Width of what stands before a point's text.
fn beside(numbered: bool) -> f32 {
    if numbered { NUMERAL_W } else { MARK_W }
}

/// Whether [`boxes`] has room for these points.
pub(super) fn have_room(page: &Page<'_>, points: &[String], area: Rect) -> bool {
    let said: Vec<String> = points.iter().map(|point| emphasised(point)).collect();
    let fit = |size: f32| fits(page, &said, area, false, size);
    fit(page.setter.largest(page.px(POINT_PX), Face::Text, fit))
}

/// Points below each other, with numerals or marks.
pub(super) fn boxes(page: &mut Page<'_>, points: &[String], area: Rect, numbered: bool) {
    let p = page.palette.clone();
    let said: Vec<String> = points.iter().map(|point| emphasised(point)).collect();
    let fits = |size: f32| fits(page, &said, area, numbered, size);
    // Few points are set larger than designed.
    let large = page.setter.largest(page.px(POINT_PX_MAX), Face::Text, fits);
    let size = if large > page.px(POINT_PX) {
        large
    } else {
        let texts = said.iter().map(String::as_str);
        page.largest(texts, page.px(POINT_PX), Face::Text, fits)
    };
    let heights = heights(page, &said, area.w, numbered, size);
    let (pad, beside) = (page.gap(POINT_PAD), beside(numbered));
    let text_w = area.w - beside - 2.0 * pad;
    let placed = rows(area, &heights, page.gap(POINT_GAP), POINT_STRETCH);
    for (at, (rect, point)) in placed.into_iter().zip(&said).enumerate() {
        page.card(rect);
        if numbered {
            numeral(page, rect, pad, at);
        } else {
            let (mark_w, mark_h) = MARK;
            let y = rect.y + (rect.h - mark_h) / 2.0;
            let mark = Rect::new(rect.x + pad, y, mark_w, mark_h);
            page.fill(mark, p.accent, mark_w / 2.0);
        }
        let x = rect.x + pad + beside;
        let inside = Rect::new(x, rect.y + pad, text_w, rect.h - 2.0 * pad);
        page.text(Text::new(inside, point, size, p.text).middle());
    }
}

fn numeral(page: &mut Page<'_>, rect: Rect, pad: f32, at: usize) {
    let p = page.palette.clone();
    let y = rect.y + (rect.h - BADGE) / 2.0;
    let badge = Rect::new(rect.x + pad, y, BADGE, BADGE);
    page.fill(badge, if at == 0 { p.field } else { p.tint }, 32.0);
    let ink = if at == 0 { p.on_field } else { p.primary_ink };
    let numeral = Text::new(badge, (at + 1).to_string(), SMALL_PX, ink);
    page.text(numeral.bold().chrome().center().middle());
}
