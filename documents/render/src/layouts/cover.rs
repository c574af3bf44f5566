//! Pages that are mostly one sentence: opening, section, quotation, closing.

use spec::{GivenPicture, Icon};

use super::page::{Ground, Page, rows};
use super::points::Points;
use crate::fonts::SUBSTITUTE_SLACK;
use crate::palette::Motif;
use crate::scene::{BODY_LINE, MARGIN, PAGE_H, PAGE_W, Rect, Role, TITLE_LINE, Text};
use crate::typeset::Face;

/// Width of the text on an opening page.
const OPENING_W: f32 = 680.0;
/// Text of an opening page stands between these heights.
const OPENING_TOP: f32 = 120.0;
const OPENING_BOTTOM: f32 = 630.0;

pub(super) fn title(
    page: &mut Page<'_>,
    title: &str,
    subtitle: Option<&str>,
    kicker: Option<&str>,
    picture: Option<&GivenPicture>,
) {
    let p = page.palette.clone();
    let split = picture.is_some() || matches!(p.motif, Motif::Blocks | Motif::Dots);
    let (ink, quiet, mark) = if split {
        page.ground = Ground::FieldRight;
        let panel = Rect::new(840.0, 0.0, PAGE_W - 840.0, PAGE_H);
        page.fill(panel, p.field, 0.0);
        // The pattern or the picture leaves the lowest band free for the page number.
        let art = Rect::new(840.0, 0.0, panel.w, 640.0);
        match picture {
            Some(picture) => super::picture::filling(page, art, picture),
            None => {
                let colors = [
                    p.field_raised,
                    p.field.mix(p.secondary, 0.55),
                    p.field_accent,
                ];
                page.art(art, p.motif, colors, 0.0);
            }
        }
        (p.text, p.muted, p.primary_ink)
    } else {
        page.ground = Ground::Field;
        page.background(p.field);
        let art = Rect::new(760.0, 0.0, PAGE_W - 760.0, 640.0);
        page.art(
            art,
            p.motif,
            [
                p.field_raised,
                p.field.mix(p.secondary, 0.45),
                p.field_accent,
            ],
            0.0,
        );
        (p.on_field, p.on_field_muted, p.field_accent)
    };
    let size = page.fit(
        [title],
        (OPENING_W / SUBSTITUTE_SLACK, 270.0),
        page.title_px(62.0),
        TITLE_LINE,
        Face::Display,
    );
    let title_h = page.height(title, OPENING_W, size, TITLE_LINE, Face::Display);
    let sub_size = subtitle.map_or(0.0, |text| {
        page.fit(
            [text],
            (OPENING_W, 84.0),
            page.px(27.0),
            BODY_LINE,
            Face::Text,
        )
    });
    let sub_h = subtitle.map_or(0.0, |text| {
        page.height(text, OPENING_W, sub_size, BODY_LINE, Face::Text)
    });
    let kicker_size = kicker.map_or(0.0, |text| {
        page.fit(
            [text],
            (OPENING_W, 34.0),
            page.px(21.0),
            BODY_LINE,
            Face::Strong,
        )
    });
    let kicker_h = if kicker.is_some() { 34.0 + 18.0 } else { 0.0 };
    let rule = 38.0;
    let used = kicker_h
        + title_h
        + if subtitle.is_some() {
            rule + sub_h
        } else {
            rule
        };
    let mut y = OPENING_TOP + ((OPENING_BOTTOM - OPENING_TOP - used) * 0.46).max(0.0);
    if let Some(text) = kicker {
        let rect = Rect::new(MARGIN, y, OPENING_W, 34.0);
        page.text(
            Text::new(rect, text, kicker_size, mark_text(&p, split))
                .bold()
                .middle()
                .role(Role::Subtitle),
        );
        y += kicker_h;
    }
    page.text(
        Text::new(Rect::new(MARGIN, y, OPENING_W, title_h), title, size, ink)
            .heading(Role::Title)
            .low(),
    );
    y += title_h + 14.0;
    page.fill(
        Rect::new(MARGIN, y, 88.0, 7.0),
        if split { p.accent } else { mark },
        3.5,
    );
    if let Some(text) = subtitle {
        let rect = Rect::new(MARGIN, y + rule - 14.0, OPENING_W, sub_h);
        page.text(Text::new(rect, text, sub_size, quiet).role(Role::Subtitle));
    }
}

/// The kicker's colour: the field's accent may be too weak for text, so it is deepened there.
fn mark_text(p: &crate::palette::Palette, split: bool) -> spec::Rgb {
    if split {
        p.primary_ink
    } else {
        spec::readable(p.field_accent, p.field, spec::limits::TEXT_CONTRAST_MIN)
    }
}

pub(super) fn section(page: &mut Page<'_>, title: &str, number: Option<u32>, lead: Option<&str>) {
    let p = page.palette.clone();
    page.ground = Ground::FieldLeft;
    let field = Rect::new(0.0, 0.0, 400.0, PAGE_H);
    page.fill(field, p.field, 0.0);
    let art = Rect::new(0.0, 380.0, 400.0, 334.0);
    page.art(
        art,
        p.motif,
        [
            p.field_raised,
            p.field.mix(p.secondary, 0.45),
            p.field_accent,
        ],
        0.0,
    );
    if let Some(number) = number {
        let rect = Rect::new(MARGIN - 6.0, 120.0, 320.0, 240.0);
        let mut numeral =
            Text::new(rect, format!("{number:02}"), 180.0, p.on_field).heading(Role::Chrome);
        numeral.line = 1.2;
        page.text(numeral.middle());
    } else {
        page.icon(
            Rect::new(MARGIN, 160.0, 150.0, 150.0),
            Icon::Layers,
            p.on_field,
        );
    }
    let (x, w) = (472.0, PAGE_W - MARGIN - 472.0);
    let size = page.fit(
        [title],
        (w, 240.0),
        page.title_px(58.0),
        TITLE_LINE,
        Face::Display,
    );
    let title_h = page.height(title, w, size, TITLE_LINE, Face::Display);
    let lead_size = lead.map_or(0.0, |text| {
        page.fit([text], (w, 130.0), page.px(27.0), BODY_LINE, Face::Text)
    });
    let lead_h = lead.map_or(0.0, |text| {
        page.height(text, w, lead_size, BODY_LINE, Face::Text)
    });
    let mut y = 120.0 + ((500.0 - title_h - lead_h - 52.0) * 0.46).max(0.0);
    page.text(
        Text::new(Rect::new(x, y, w, title_h), title, size, p.text)
            .heading(Role::Title)
            .low(),
    );
    y += title_h + 16.0;
    page.fill(Rect::new(x, y, 88.0, 7.0), p.accent, 3.5);
    if let Some(text) = lead {
        let rect = Rect::new(x, y + 30.0, w, lead_h);
        page.text(Text::new(rect, text, lead_size, p.muted).role(Role::Subtitle));
    }
}

pub(super) fn quote(page: &mut Page<'_>, quote: &str, by: Option<&str>, context: Option<&str>) {
    let p = page.palette.clone();
    page.background(p.card);
    page.fill(Rect::new(0.0, 0.0, 24.0, PAGE_H), p.field, 0.0);
    let (x, w) = (214.0, 930.0);
    let size = page.fit(
        [quote],
        (w, 300.0),
        page.title_px(44.0),
        BODY_LINE,
        Face::Strong,
    );
    let quote_h = page.height(quote, w, size, BODY_LINE, Face::Strong);
    let by_h = if by.is_some() { 36.0 + 22.0 } else { 0.0 };
    let context_size = context.map_or(0.0, |text| {
        page.fit([text], (w, 70.0), page.px(22.0), BODY_LINE, Face::Text)
    });
    let context_h = context.map_or(0.0, |text| {
        page.height(text, w, context_size, BODY_LINE, Face::Text) + 18.0
    });
    let mut y = 100.0 + ((540.0 - quote_h - by_h - context_h) * 0.45).max(0.0);
    page.svg(
        Rect::new(MARGIN, y + 4.0, 104.0, 80.0),
        quotation_mark(p.accent.hex()),
    );
    let mut text = Text::new(Rect::new(x, y, w, quote_h), quote, size, p.text).heading(Role::Title);
    text.line = BODY_LINE;
    page.text(text.low());
    y += quote_h;
    if let Some(by) = by {
        y += 22.0;
        page.fill(Rect::new(x, y + 16.0, 44.0, 4.0), p.accent, 2.0);
        let size = page.fit(
            [by],
            (w - 60.0, 36.0),
            page.px(24.0),
            BODY_LINE,
            Face::Strong,
        );
        let rect = Rect::new(x + 60.0, y, w - 60.0, 36.0);
        page.text(
            Text::new(rect, by, size, p.primary_ink)
                .bold()
                .middle()
                .role(Role::Subtitle),
        );
        y += 36.0;
    }
    if let Some(context) = context {
        let rect = Rect::new(x, y + 18.0, w, context_h - 18.0);
        page.text(Text::new(rect, context, context_size, p.muted));
    }
}

/// Two commas of the old style, drawn so that no font is needed.
fn quotation_mark(ink: String) -> String {
    let comma = "a22 22 0 1 1 -22 22c0-34 12-56 40-70l6 9c-18 10-26 22-27 40z";
    format!("<path d=\"M24 32{comma}\" fill=\"{ink}\"/><path d=\"M78 32{comma}\" fill=\"{ink}\"/>")
}

pub(super) fn closing(
    page: &mut Page<'_>,
    title: &str,
    message: Option<&str>,
    points: &[String],
    action: Option<&str>,
) {
    let p = page.palette.clone();
    page.ground = Ground::Field;
    page.background(p.field);
    let alone = points.is_empty();
    if alone {
        let inks = [
            p.field_raised,
            p.field.mix(p.secondary, 0.45),
            p.field_accent,
        ];
        page.art(
            Rect::new(760.0, 0.0, PAGE_W - 760.0, 640.0),
            p.motif,
            inks,
            0.0,
        );
    }
    let w = if alone { 640.0 } else { 470.0 };
    let size = page.fit(
        [title],
        (w, 210.0),
        page.title_px(54.0),
        TITLE_LINE,
        Face::Display,
    );
    let title_h = page.height(title, w, size, TITLE_LINE, Face::Display);
    let message_size = message.map_or(0.0, |text| {
        page.fit([text], (w, 120.0), page.px(24.0), BODY_LINE, Face::Text)
    });
    let message_h = message.map_or(0.0, |text| {
        page.height(text, w, message_size, BODY_LINE, Face::Text) + 26.0
    });
    let action_w = w - 76.0;
    let action_size = action.map_or(0.0, |text| {
        page.fit(
            [text],
            (action_w, 70.0),
            page.px(22.0),
            BODY_LINE,
            Face::Strong,
        )
    });
    let action_h = action.map_or(0.0, |text| {
        page.height(text, action_w, action_size, BODY_LINE, Face::Strong) + 28.0
    });
    let action_gap = if action.is_some() { 34.0 } else { 0.0 };
    let mut y =
        100.0 + ((530.0 - title_h - 30.0 - message_h - action_h - action_gap) * 0.44).max(0.0);
    page.text(
        Text::new(Rect::new(MARGIN, y, w, title_h), title, size, p.on_field)
            .heading(Role::Title)
            .low(),
    );
    y += title_h + 14.0;
    page.fill(Rect::new(MARGIN, y, 88.0, 7.0), p.field_accent, 3.5);
    y += 7.0;
    if let Some(text) = message {
        let rect = Rect::new(MARGIN, y + 26.0, w, message_h - 26.0);
        page.text(Text::new(rect, text, message_size, p.on_field_muted).role(Role::Subtitle));
        y += message_h;
    }
    if let Some(text) = action {
        let rect = Rect::new(MARGIN, y + action_gap, w, action_h);
        page.fill(rect, p.accent, 16.0);
        page.icon(
            Rect::new(rect.x + 18.0, rect.y + rect.h / 2.0 - 14.0, 28.0, 28.0),
            Icon::Flag,
            p.on_accent,
        );
        let inside = Rect::new(rect.x + 58.0, rect.y + 14.0, action_w, action_h - 28.0);
        page.text(
            Text::new(inside, text, action_size, p.on_accent)
                .bold()
                .middle(),
        );
    }
    if !alone {
        closing_points(page, points);
    }
}

fn closing_points(page: &mut Page<'_>, points: &[String]) {
    let p = page.palette.clone();
    let area = Rect::new(606.0, 100.0, PAGE_W - MARGIN - 606.0, 530.0);
    let w = area.w - 82.0;
    let size = page.fit(
        points.iter().map(String::as_str),
        (w, 76.0),
        page.px(24.0),
        BODY_LINE,
        Face::Text,
    );
    let heights: Vec<f32> = points
        .iter()
        .map(|text| page.height(text, w, size, BODY_LINE, Face::Text).max(44.0) + page.gap(36.0))
        .collect();
    let mut list = Points::default();
    for (rect, text) in rows(area, &heights, page.gap(18.0), 20.0)
        .into_iter()
        .zip(points)
    {
        page.fill(rect, p.field_raised, 18.0);
        let h = page.height(text, w, size, BODY_LINE, Face::Text);
        let inside = Rect::new(rect.x + 58.0, rect.y + (rect.h - h) / 2.0, w, h);
        let text = Text::new(inside, text, size, p.on_field);
        list.bullet(page, text, rect.x + 30.0, p.on_field);
    }
    list.end(page);
}
