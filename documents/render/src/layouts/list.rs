//! Pages made of points: bullets, and two lists side by side.

use spec::{Column, Icon, Item, both};

use super::page::{Page, rows};
use super::points::{Points, middle_of_number};
use crate::palette::Motif;
use crate::scene::{BODY_LINE, GUTTER, Rect, Role, Text, as_px};
use crate::typeset::Face;

/// Width of the panel that carries a bullet page's lead.
const LEAD_W: f32 = 330.0;
/// Height of the motif at that panel's foot.
const LEAD_ART_H: f32 = 112.0;
/// Numeral and the space after it.
const NUMERAL_W: f32 = 66.0;
/// Type of a numeral.
const NUMBER_PX: f32 = 20.0;
/// A detail is this much smaller than its point.
const DETAIL_SHARE: f32 = 0.8;

/// Below this size of its points a page gives up the panel and sets the lead as a strip above them.
const PANEL_POINT_PX: f32 = 22.0;
/// Height of that strip.
const STRIP_H: f32 = 62.0;
/// Details are not set smaller than this while their points are larger.
const DETAIL_PX: f32 = 16.0;
/// Space left and right of a point, above and below it, and between two of them.
const POINT_INSIDE: f32 = 22.0;
const POINT_PAD: f32 = 9.0;
const POINT_GAP: f32 = 11.0;

pub(super) fn bullets(page: &mut Page<'_>, title: &str, lead: Option<&str>, items: &[Item]) {
    let area = page.heading(title);
    let Some(lead) = lead else {
        let size = point_size(page, area, items);
        point_list(page, area, items, size);
        return;
    };
    let beside = Rect::new(
        area.x + LEAD_W + 40.0,
        area.y,
        area.w - LEAD_W - 40.0,
        area.h,
    );
    let size = point_size(page, beside, items);
    if size >= PANEL_POINT_PX {
        lead_panel(
            page,
            Rect::new(area.x, area.y, LEAD_W, area.h),
            Icon::Lightbulb,
            lead,
        );
        point_list(page, beside, items, size);
    } else {
        page.reflow(both!("导语放在要点上方，没有放在旁边" => "the lead stands above the points instead of beside them"));
        let strip = Rect::new(area.x, area.y, area.w, STRIP_H);
        lead_strip(page, strip, lead);
        let below = Rect::new(
            area.x,
            strip.bottom() + POINT_GAP,
            area.w,
            area.h - STRIP_H - POINT_GAP,
        );
        let size = point_size(page, below, items);
        point_list(page, below, items, size);
    }
}

/// Width of a point's text in a list of this width.
fn point_w(list: Rect) -> f32 {
    list.w - NUMERAL_W - 2.0 * POINT_INSIDE
}

fn point_heights(page: &Page<'_>, items: &[Item], list: Rect, size: f32) -> Vec<f32> {
    items
        .iter()
        .map(|item| {
            item_height(page, item, point_w(list), size).max(44.0) + 2.0 * page.gap(POINT_PAD)
        })
        .collect()
}

fn point_size(page: &Page<'_>, list: Rect, items: &[Item]) -> f32 {
    let most = page.px(if items.len() <= 3 { 30.0 } else { 27.0 });
    let texts = items
        .iter()
        .flat_map(|item| [Some(item.text.as_str()), item.detail.as_deref()]);
    page.largest(texts.flatten(), most, Face::Strong, |size| {
        let used: f32 = point_heights(page, items, list, size).iter().sum();
        used + page.gap(POINT_GAP) * (as_px(items.len()) - 1.0) <= list.h
    })
}

fn point_list(page: &mut Page<'_>, list: Rect, items: &[Item], size: f32) {
    let p = page.palette.clone();
    let w = point_w(list);
    let heights = point_heights(page, items, list, size);
    // Where some points have words in bold, the rest of the list is regular, or the marks would not show.
    let marked = items.iter().any(|item| spec::text::is_marked(&item.text));
    let mut points = Points::default();
    for (index, (rect, item)) in rows(list, &heights, page.gap(POINT_GAP), 60.0)
        .into_iter()
        .zip(items)
        .enumerate()
    {
        page.card(rect);
        let text_h = page.height(&item.text, w, size, BODY_LINE, Face::Strong);
        let total = item_height(page, item, w, size);
        let x = rect.x + POINT_INSIDE + NUMERAL_W;
        let y = rect.y + (rect.h - total) / 2.0;
        let line = page.setter.pitch(&item.text, BODY_LINE, Face::Strong);
        let badge = Rect::new(
            rect.x + POINT_INSIDE,
            y + middle_of_number((size, line), NUMBER_PX) - 21.0,
            42.0,
            42.0,
        );
        page.fill(badge, if index == 0 { p.field } else { p.tint }, 21.0);
        let ink = if index == 0 {
            p.on_field
        } else {
            p.primary_ink
        };
        let text = Text::new(Rect::new(x, y, w, text_h), &item.text, size, p.text);
        let text = if marked { text } else { text.bold() };
        points.number(page, text, index + 1, (badge, NUMBER_PX, ink));
        if let Some(detail) = &item.detail {
            let rect = Rect::new(x, y + text_h + 2.0, w, total - text_h - 2.0);
            points.plain(page, Text::new(rect, detail, detail_px(size), p.muted), 1);
        }
    }
    points.end(page);
}

fn detail_px(size: f32) -> f32 {
    (size * DETAIL_SHARE).max(size.min(DETAIL_PX))
}

fn item_height(page: &Page<'_>, item: &Item, w: f32, size: f32) -> f32 {
    let detail = |text: &String| page.height(text, w, detail_px(size), BODY_LINE, Face::Text) + 2.0;
    page.height(&item.text, w, size, BODY_LINE, Face::Strong)
        + item.detail.as_ref().map_or(0.0, detail)
}

fn lead_strip(page: &mut Page<'_>, rect: Rect, lead: &str) {
    let p = page.palette.clone();
    page.fill(rect, p.field, 18.0);
    page.icon(
        Rect::new(rect.x + 28.0, rect.y + rect.h / 2.0 - 15.0, 30.0, 30.0),
        Icon::Lightbulb,
        p.field_accent,
    );
    let text = Rect::new(
        rect.x + POINT_INSIDE + NUMERAL_W,
        rect.y + 6.0,
        point_w(rect),
        rect.h - 12.0,
    );
    let size = page.fit(
        [lead],
        (text.w, text.h),
        page.px(25.0),
        BODY_LINE,
        Face::Strong,
    );
    page.text(
        Text::new(text, lead, size, p.on_field)
            .bold()
            .middle()
            .role(Role::Subtitle),
    );
}

/// A field with an icon, a sentence in large type, and the motif below it.
pub(super) fn lead_panel(page: &mut Page<'_>, rect: Rect, icon: Icon, lead: &str) {
    let p = page.palette.clone();
    page.fill(rect, p.field, 20.0);
    let motif = if p.motif == Motif::Dots {
        Motif::Arcs
    } else {
        p.motif
    };
    page.art_at_foot(
        rect,
        LEAD_ART_H,
        motif,
        [
            p.field_raised,
            p.field_raised,
            p.field.mix(p.secondary, 0.5),
        ],
        20.0,
    );
    let inside = Rect::new(rect.x + 28.0, rect.y + 30.0, rect.w - 56.0, rect.h - 154.0);
    page.icon(
        Rect::new(inside.x, inside.y, 40.0, 40.0),
        icon,
        p.field_accent,
    );
    let text = Rect::new(inside.x, inside.y + 54.0, inside.w, inside.h - 54.0);
    let size = page.fit(
        [lead],
        (text.w, text.h),
        page.px(28.0),
        BODY_LINE,
        Face::Strong,
    );
    page.text(
        Text::new(text, lead, size, p.on_field)
            .bold()
            .role(Role::Subtitle),
    );
}

pub(super) fn two_columns(page: &mut Page<'_>, title: &str, left: &Column, right: &Column) {
    let area = page.heading(title);
    let p = page.palette.clone();
    let head = 66.0;
    let (inside, mark) = (32.0, 38.0);
    let w = area.column(0, 2, GUTTER).w - 2.0 * inside - mark;
    let room = area.h - head - 40.0;
    let gap = page.gap(12.0);
    let used = |column: &Column, size: f32| {
        let text: f32 = column
            .items
            .iter()
            .map(|item| page.height(item, w, size, BODY_LINE, Face::Text))
            .sum();
        text + gap * (as_px(column.items.len()) - 1.0)
    };
    let texts = left.items.iter().chain(&right.items).map(String::as_str);
    let size = page.largest(texts, page.px(28.0), Face::Text, |size| {
        used(left, size).max(used(right, size)) <= room
    });
    let head_size = page.fit(
        [left.heading.as_str(), right.heading.as_str()],
        (w + mark, head - 20.0),
        page.px(26.0),
        crate::scene::TITLE_LINE,
        Face::Display,
    );
    let spare = (room - used(left, size).max(used(right, size)))
        / as_px(left.items.len().max(right.items.len()));
    let grounds = [(p.field, p.on_field), (p.field2, p.on_field2)];
    for (index, (column, (ground, ink))) in [left, right].into_iter().zip(grounds).enumerate() {
        let rect = area.column(index, 2, GUTTER);
        page.card(rect);
        let band = Rect::new(rect.x, rect.y, rect.w, head);
        page.fill(band, ground, 18.0);
        page.text(
            Text::new(band.inset(inside, 10.0), &column.heading, head_size, ink)
                .heading(Role::Subtitle)
                .middle(),
        );
        let heights: Vec<f32> = column
            .items
            .iter()
            .map(|item| page.height(item, w, size, BODY_LINE, Face::Text))
            .collect();
        let list = Rect::new(
            rect.x + inside,
            rect.y + head + 20.0,
            rect.w - 2.0 * inside,
            room,
        );
        // Both columns begin at the top and use the same step, so that their rows correspond.
        let step = gap + spare.clamp(0.0, 60.0);
        let mut y = list.y;
        let mut points = Points::default();
        for (item, h) in column.items.iter().zip(heights) {
            let text = Text::new(Rect::new(list.x + mark, y, w, h), item, size, p.text);
            points.bullet(page, text, list.x, p.primary_ink);
            y += h + step;
        }
        points.end(page);
    }
}
