//! Pages made of cards: icons with a sentence, and big numbers.

use spec::{Figure, Icon, IconRow};

use super::page::Page;
use crate::fonts::SUBSTITUTE_SLACK;
use crate::scene::{BODY_LINE, GUTTER, Rect, Role, TITLE_LINE, Text};
use crate::typeset::Face;

/// Space inside a card.
const PAD: f32 = 26.0;
/// At most this share of a card's height is for the label, which says what the figure counts.
const LABEL_SHARE: f32 = 0.22;
/// Type of a figure and of what is said of it, where many cards stand on a page.
const FIGURE_PX_LEAST: f32 = 44.0;
const FIGURE_TEXT_PX_LEAST: f32 = 16.0;

pub(super) fn icon_rows(page: &mut Page<'_>, title: &str, rows: &[IconRow]) {
    let area = page.heading(title);
    if rows.len() <= 3 {
        tall_cards(page, area, rows);
    } else {
        card_grid(page, area, rows);
    }
}

/// Two or three columns: icon, heading, sentence, one above the other.
fn tall_cards(page: &mut Page<'_>, area: Rect, rows: &[IconRow]) {
    let p = page.palette.clone();
    let (pad, tile) = (32.0, 84.0);
    let w = area.column(0, rows.len(), GUTTER).w - 2.0 * pad;
    let head_size = page.fit(
        rows.iter().map(|row| row.heading.as_str()),
        (w, 88.0),
        page.px(31.0),
        TITLE_LINE,
        Face::Display,
    );
    let head_h = rows
        .iter()
        .map(|row| page.height(&row.heading, w, head_size, TITLE_LINE, Face::Display))
        .fold(0.0, f32::max);
    let above = tile + 26.0 + head_h + 12.0;
    let text_room = area.h - above - 2.0 * pad;
    let text_size = page.fit(
        rows.iter().map(|row| row.text.as_str()),
        (w, text_room),
        page.px(26.0),
        BODY_LINE,
        Face::Text,
    );
    let text_h = rows
        .iter()
        .map(|row| page.height(&row.text, w, text_size, BODY_LINE, Face::Text))
        .fold(0.0, f32::max);
    let top = pad + (text_room - text_h).max(0.0) * 0.42;
    for (index, row) in rows.iter().enumerate() {
        let card = area.column(index, rows.len(), GUTTER);
        page.card(card);
        page.fill(
            Rect::new(card.x + pad, card.y, tile, 6.0),
            p.series[index % 3],
            0.0,
        );
        let (x, y) = (card.x + pad, card.y + top);
        page.tile(Rect::new(x, y, tile, tile), row.icon, p.field, p.on_field);
        let y = y + tile + 26.0;
        let heading = Text::new(Rect::new(x, y, w, head_h), &row.heading, head_size, p.text);
        page.text(heading.heading(Role::Subtitle));
        let y = y + head_h + 12.0;
        page.text(Text::new(
            Rect::new(x, y, w, text_h),
            &row.text,
            text_size,
            p.text,
        ));
    }
}

/// Two rows of two or three cards: icon beside the heading, the sentence below.
fn card_grid(page: &mut Page<'_>, area: Rect, rows: &[IconRow]) {
    let p = page.palette.clone();
    let first = rows.len().div_ceil(2);
    let narrow = area.column(0, first, GUTTER).w - 2.0 * PAD;
    let tile = 54.0;
    let gap = 20.0;
    let h = (area.h - gap) / 2.0;
    let head_w = narrow - tile - 16.0;
    let head_size = page.fit(
        rows.iter().map(|row| row.heading.as_str()),
        (head_w, 66.0),
        page.px(27.0),
        TITLE_LINE,
        Face::Display,
    );
    let head_h = rows
        .iter()
        .map(|row| page.height(&row.heading, head_w, head_size, TITLE_LINE, Face::Display))
        .fold(tile, f32::max);
    let text_room = h - 2.0 * PAD - head_h - 12.0;
    let text_size = page.fit(
        rows.iter().map(|row| row.text.as_str()),
        (narrow, text_room),
        page.px(25.0),
        BODY_LINE,
        Face::Text,
    );
    let text_h = rows
        .iter()
        .map(|row| page.height(&row.text, narrow, text_size, BODY_LINE, Face::Text))
        .fold(0.0, f32::max);
    let top = PAD + (text_room - text_h).max(0.0) * 0.42;
    for (index, row) in rows.iter().enumerate() {
        // Five cards stand three above two; the lower ones are wider.
        let (line, at, count) = if index < first {
            (0.0, index, first)
        } else {
            (1.0, index - first, rows.len() - first)
        };
        let card =
            Rect::new(area.x, area.y + line * (h + gap), area.w, h).column(at, count, GUTTER);
        page.card(card);
        let (x, y) = (card.x + PAD, card.y + top);
        let strong = (index + usize::from(line > 0.0)) % 2 == 0;
        let (ground, ink) = if strong {
            (p.field, p.on_field)
        } else {
            (p.tint, p.primary_ink)
        };
        page.tile(
            Rect::new(x, y + (head_h - tile) / 2.0, tile, tile),
            row.icon,
            ground,
            ink,
        );
        let w = card.w - 2.0 * PAD;
        let heading = Rect::new(x + tile + 16.0, y, w - tile - 16.0, head_h);
        page.text(
            Text::new(heading, &row.heading, head_size, p.text)
                .heading(Role::Subtitle)
                .middle(),
        );
        let text = Rect::new(x, y + head_h + 12.0, w, text_h);
        page.text(Text::new(text, &row.text, text_size, p.text));
    }
}

pub(super) fn figures(
    page: &mut Page<'_>,
    title: &str,
    figures: &[Figure],
    takeaway: Option<&str>,
) {
    let area = page.heading(title);
    let band = if takeaway.is_some() {
        92.0 + GUTTER
    } else {
        0.0
    };
    let room = Rect::new(area.x, area.y, area.w, area.h - band);
    figure_cards(page, room, figures);
    if let Some(text) = takeaway {
        takeaway_band(
            page,
            Rect::new(area.x, area.bottom() - 92.0, area.w, 92.0),
            text,
        );
    }
}

/// The least height that the cards need in this width, at the smallest type of each of their texts.
pub(super) fn figures_least(page: &Page<'_>, figures: &[Figure], w: f32) -> f32 {
    let inside = Rect::new(0.0, 0.0, w, 0.0)
        .column(0, figures.len(), GUTTER)
        .w
        - 2.0 * PAD;
    let size = FIGURE_TEXT_PX_LEAST;
    let labels = figures
        .iter()
        .map(|figure| page.height(&figure.label, inside, size, TITLE_LINE, Face::Strong));
    let notes = figures.iter().filter_map(|figure| figure.note.as_deref());
    let notes = notes.map(|note| 34.0 + page.height(note, inside, size, BODY_LINE, Face::Text));
    let value = FIGURE_PX_LEAST * 1.25;
    2.0 * PAD + value + 10.0 + labels.fold(0.0, f32::max) + notes.fold(0.0, f32::max)
}

pub(super) fn figure_cards(page: &mut Page<'_>, area: Rect, figures: &[Figure]) {
    let p = page.palette.clone();
    let pad = 26.0;
    let w = area.column(0, figures.len(), GUTTER).w - 2.0 * pad;
    let widest = figures
        .iter()
        .map(|figure| page.width(&figure.value, Face::Display))
        .fold(1.0, f32::max);
    // Where cards are low, the figure has what the texts below it leave.
    let others = figures_least(page, figures, area.w) - FIGURE_PX_LEAST * 1.25;
    let room_for_value = ((area.h - others) / 1.25).max(FIGURE_PX_LEAST);
    let value_size = page.largest(
        figures.iter().map(|figure| figure.value.as_str()),
        page.title_px(92.0).min(room_for_value),
        Face::Display,
        |size| widest * size * SUBSTITUTE_SLACK <= w,
    );
    let value_h = (value_size * 1.25).ceil();
    let label_size = page.fit(
        figures.iter().map(|figure| figure.label.as_str()),
        (w, (area.h * LABEL_SHARE).min(70.0)),
        page.px(25.0),
        TITLE_LINE,
        Face::Strong,
    );
    let label_h = figures
        .iter()
        .map(|figure| page.height(&figure.label, w, label_size, TITLE_LINE, Face::Strong))
        .fold(0.0, f32::max);
    let notes = || figures.iter().filter_map(|figure| figure.note.as_deref());
    let above = value_h + 10.0 + label_h;
    let note_room = area.h - 2.0 * pad - above - 34.0;
    let note_size = page.fit(
        notes(),
        (w, note_room),
        page.px(20.0),
        BODY_LINE,
        Face::Text,
    );
    let note_h = notes()
        .map(|note| page.height(note, w, note_size, BODY_LINE, Face::Text))
        .fold(0.0, f32::max);
    let used = above + if note_h > 0.0 { 34.0 + note_h } else { 0.0 };
    let top = ((area.h - used) / 2.0).max(pad);
    for (index, figure) in figures.iter().enumerate() {
        let card = area.column(index, figures.len(), GUTTER);
        let first = index == 0;
        if first {
            page.fill(card, p.field, 18.0);
        } else {
            page.card(card);
        }
        let (ink, strong, quiet, rule) = if first {
            (p.on_field, p.on_field, p.on_field_muted, p.field_accent)
        } else {
            (p.primary_ink, p.text, p.muted, p.accent)
        };
        let (x, y) = (card.x + pad, card.y + top);
        // The box reaches into the card's padding: in a viewer with a wider font the number must not break in two.
        let place = Rect::new(x, y, w + pad * 0.75, value_h);
        let mut value = Text::new(place, &figure.value, value_size, ink).heading(Role::Subtitle);
        value.line = 1.25;
        page.text(value.middle());
        let y = y + value_h + 10.0;
        let label = Text::new(
            Rect::new(x, y, w, label_h),
            &figure.label,
            label_size,
            strong,
        )
        .bold();
        let mut label = label;
        label.line = TITLE_LINE;
        page.text(label);
        if let Some(note) = &figure.note {
            let y = y + label_h + 16.0;
            page.fill(Rect::new(x, y, 36.0, 4.0), rule, 2.0);
            page.text(Text::new(
                Rect::new(x, y + 18.0, w, note_h),
                note,
                note_size,
                quiet,
            ));
        }
    }
}

/// A sentence across the page, set off by a mark.
pub(super) fn takeaway_band(page: &mut Page<'_>, rect: Rect, text: &str) {
    let p = page.palette.clone();
    page.fill(rect, p.tint, 18.0);
    let tile = Rect::new(rect.x + 22.0, rect.y + rect.h / 2.0 - 24.0, 48.0, 48.0);
    page.tile(tile, Icon::Lightbulb, p.accent, p.on_accent);
    let inside = Rect::new(rect.x + 92.0, rect.y + 8.0, rect.w - 118.0, rect.h - 16.0);
    let size = page.fit(
        [text],
        (inside.w, inside.h),
        page.px(25.0),
        BODY_LINE,
        Face::Strong,
    );
    page.text(Text::new(inside, text, size, p.text).bold().middle());
}
