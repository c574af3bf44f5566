//! Picture cards: the same grounds, marks and type as slides, in the upright shapes of posts.

use spec::text::told;
use spec::{CardRole, CardShape, CardSpec, Icon, Theme};

use super::boxes::{POINT_GAP, SMALL_PX, boxes, have_room, versus};
use super::page::Page;
use super::words::{held, labelled};
use crate::PageContext;
use crate::fonts::Fonts;
use crate::palette::Motif;
use crate::scene::{BODY_LINE, Rect, Role, Scene, TITLE_LINE, Text};
use crate::typeset::{Face, Typesetter};

/// Left and right margin; platforms round the corners and lay marks over the edges.
const MARGIN: f32 = 90.0;
/// Text stands between these distances from top and foot.
const TOP: f32 = 96.0;
const FOOT: f32 = 96.0;
/// Type is seen on a telephone, a third as wide as the card: the least of slides, doubled.
const FLOOR_SCALE: f32 = 2.0;
/// Largest type of a cover's title, of another card's.
const COVER_PX: f32 = 136.0;
const TITLE_PX: f32 = 84.0;
/// Below this a cover's title is a little small, and its lines are set tighter for it.
const COVER_PX_LEAST: f32 = 104.0;
/// From a cover's title to the lines under it, with the rule between.
const COVER_RULE: f32 = 66.0;
/// Largest type of a line under a cover's title.
const LINE_PX: f32 = 50.0;
/// A line under a cover's title is made smaller down to this size so that it stays on one line.
const LINE_PX_LEAST: f32 = 40.0;
/// The picture of a card that is not a cover.
const TILE: f32 = 112.0;

/// Places a card. `drawn_offline` labels it as made without an image model.
#[must_use]
pub fn card(
    card: &CardSpec,
    shape: CardShape,
    theme: &Theme,
    language: &str,
    drawn_offline: bool,
    fonts: &Fonts,
) -> Scene {
    let setter = Typesetter::new(fonts, theme, language).floors(FLOOR_SCALE);
    let context = PageContext {
        title: card.title.clone(),
        page_number: 1,
        page_count: 1,
        language: language.to_owned(),
        offline: drawn_offline,
        furniture: None,
    };
    let size = shape.size();
    super::roomiest(|spacing| {
        let mut page = Page::new(theme, &context, &setter, spacing);
        match card.role {
            CardRole::Cover | CardRole::Result => cover(&mut page, card, size),
            CardRole::Step | CardRole::Detail | CardRole::Comparison => {
                points(&mut page, card, size);
            }
        }
        if drawn_offline {
            label(&mut page, size);
        }
        page.scene(size)
    })
}

/// A field with the motif, the picture, and the title in large type.
fn cover(page: &mut Page<'_>, card: &CardSpec, (w, h): (f32, f32)) {
    let p = page.palette.clone();
    page.background(p.field);
    let picture_h = h * 0.4;
    let motif = if p.motif == Motif::Dots {
        Motif::Arcs
    } else {
        p.motif
    };
    let inks = [
        p.field_raised,
        p.field.mix(p.secondary, 0.45),
        p.field_accent,
    ];
    page.art(Rect::new(0.0, 0.0, w, picture_h), motif, inks, 0.0);
    let d = picture_h * 0.6;
    let disc = Rect::new(MARGIN, (picture_h - d) / 2.0 + 20.0, d, d);
    page.fill(disc, p.bg, d / 2.0);
    let icon = card.visual.unwrap_or(Icon::Star);
    page.icon(disc.inset(d * 0.24, d * 0.24), icon, p.primary_ink);
    let inside = Rect::new(
        MARGIN,
        picture_h + 48.0,
        w - 2.0 * MARGIN,
        h - picture_h - 48.0 - FOOT - 40.0,
    );
    let kicker_h = if card.kicker.is_some() { 72.0 } else { 0.0 };
    let points_h = if card.points.is_empty() {
        0.0
    } else {
        inside.h * 0.34
    };
    let room = inside.h - kicker_h - points_h - COVER_RULE;
    let title = held(&card.title);
    let size = page.setter.fit(
        [title.as_str()],
        (inside.w, room),
        page.title_px(COVER_PX),
        TITLE_LINE,
        Face::Display,
    );
    let size = if size < page.title_px(COVER_PX_LEAST) {
        let most = page.title_px(COVER_PX_LEAST);
        page.fit(
            [title.as_str()],
            (inside.w, room),
            most,
            TITLE_LINE,
            Face::Display,
        )
    } else {
        size
    };
    let title_h = page.height(&title, inside.w, size, TITLE_LINE, Face::Display);
    let lines_room = inside.h - kicker_h - title_h - COVER_RULE;
    let each = lines_room / crate::scene::as_px(card.points.len().max(1));
    let said = card.points.iter().map(String::as_str);
    // A little smaller type on one line is better than a second line with a single word.
    let widest = card
        .points
        .iter()
        .map(|point| page.width(point, Face::Text))
        .fold(1.0, f32::max);
    let one_line = (inside.w / widest).floor();
    let designed = if one_line >= page.px(LINE_PX_LEAST) {
        one_line.min(page.px(LINE_PX))
    } else {
        page.px(LINE_PX)
    };
    let line_px = page.fit(
        said,
        (inside.w, each - 8.0),
        designed,
        BODY_LINE,
        Face::Text,
    );
    let heights: Vec<f32> = card
        .points
        .iter()
        .map(|point| page.height(point, inside.w, line_px, BODY_LINE, Face::Text))
        .collect();
    let used = kicker_h + title_h + COVER_RULE + heights.iter().map(|h| h + 8.0).sum::<f32>();
    // What is left stands above and below, more of it below.
    let mut y = inside.y + ((inside.h - used) * 0.4).max(0.0);
    if let Some(kicker) = &card.kicker {
        let rect = Rect::new(inside.x, y, inside.w, 60.0);
        y += small(page, kicker, rect, p.field_accent);
    }
    let rect = Rect::new(inside.x, y, inside.w, title_h);
    page.text(Text::new(rect, &title, size, p.on_field).heading(Role::Title));
    y += title_h + 26.0;
    page.fill(Rect::new(inside.x, y, 132.0, 10.0), p.field_accent, 5.0);
    y += COVER_RULE - 26.0;
    for (point, h) in card.points.iter().zip(heights) {
        let rect = Rect::new(inside.x, y, inside.w, h);
        page.text(Text::new(rect, point, line_px, p.on_field_muted).role(Role::Subtitle));
        y += h + 8.0;
    }
    footer(page, card, (w, h), p.on_field_muted);
}

/// A heading and its points, each in a box.
fn points(page: &mut Page<'_>, card: &CardSpec, (w, h): (f32, f32)) {
    let p = page.palette.clone();
    page.fill(Rect::new(0.0, 0.0, w, 18.0), p.field, 0.0);
    let y = heading(page, card, (w, h));
    let mut area = Rect::new(MARGIN, y, w - 2.0 * MARGIN, h - y - FOOT - 60.0);
    let mut points = &card.points[..];
    if card.role == CardRole::Comparison
        && let [one, other, rest @ ..] = points
        && let (Some(one), Some(other)) = (labelled(one), labelled(other))
    {
        let most = area.h * if rest.is_empty() { 0.8 } else { 0.56 };
        let sides = Rect { h: most, ..area };
        let gap = page.gap(POINT_GAP);
        let below = Rect {
            h: area.h - most - gap,
            ..area
        };
        // The two stand beside each other only if everything has room then.
        if have_room(page, rest, below)
            && let Some(taken) = versus(page, [one, other], sides)
        {
            area.y += taken + gap;
            area.h -= taken + gap;
            points = rest;
        }
    }
    if !points.is_empty() {
        boxes(page, points, area, card.role == CardRole::Step);
    }
    footer(page, card, (w, h), p.muted);
}

/// Picture, small line and title of a card that is not a cover; gives where its points begin.
fn heading(page: &mut Page<'_>, card: &CardSpec, (w, h): (f32, f32)) -> f32 {
    let p = page.palette.clone();
    let inside = w - 2.0 * MARGIN;
    let mut y = page.gap(TOP);
    // Above the heading where there is height for it, else beside it.
    let mut heading_w = inside;
    if let Some(icon) = card.visual {
        let upright = h > w;
        let x = if upright { MARGIN } else { w - MARGIN - TILE };
        page.tile(Rect::new(x, y, TILE, TILE), icon, p.field, p.on_field);
        if upright {
            y += TILE + page.gap(34.0);
        } else {
            heading_w -= TILE + 40.0;
        }
    }
    if let Some(kicker) = &card.kicker {
        let rect = Rect::new(MARGIN, y, heading_w, 56.0);
        y += small(page, kicker, rect, p.primary_ink);
    }
    let title = held(&card.title);
    let (most, room) = (page.title_px(TITLE_PX), h * 0.22);
    let size = page.fit(
        [title.as_str()],
        (heading_w, room),
        most,
        TITLE_LINE,
        Face::Display,
    );
    let title_h = page.height(&title, heading_w, size, TITLE_LINE, Face::Display);
    let rect = Rect::new(MARGIN, y, heading_w, title_h);
    page.text(Text::new(rect, &title, size, p.text).heading(Role::Title));
    y += title_h + 16.0;
    page.fill(Rect::new(MARGIN, y, 120.0, 9.0), p.accent, 4.5);
    y + page.gap(56.0)
}

/// A small line; gives the height it takes.
fn small(page: &mut Page<'_>, text: &str, rect: Rect, ink: spec::Rgb) -> f32 {
    let designed = page.px(SMALL_PX);
    let size = page.fit([text], (rect.w, rect.h), designed, TITLE_LINE, Face::Strong);
    let ground = page.ground_color();
    let ink = spec::readable(ink, ground, spec::limits::TEXT_CONTRAST_MIN);
    page.text(Text::new(rect, text, size, ink).bold().role(Role::Subtitle));
    rect.h + 12.0
}

fn footer(page: &mut Page<'_>, card: &CardSpec, (w, h): (f32, f32), ink: spec::Rgb) {
    let Some(text) = &card.footer else { return };
    let rect = Rect::new(MARGIN, h - FOOT - 10.0, w - 2.0 * MARGIN - 220.0, 50.0);
    let size = page.fit(
        [text.as_str()],
        (rect.w, rect.h),
        30.0,
        TITLE_LINE,
        Face::Text,
    );
    page.text(Text::new(rect, text, size, ink).middle());
}

/// The label that says that no image model made the picture.
fn label(page: &mut Page<'_>, (w, h): (f32, f32)) {
    let words = told(&page.context.language, ["离线绘制", "Drawn offline"]);
    let (p, size) = (page.palette.clone(), 28.0);
    let on_field = page.ground_color() == p.field;
    let (ground, ink) = if on_field {
        (p.field_raised, p.on_field_muted)
    } else {
        (p.tint, p.muted)
    };
    let text_w = (page.width(words, Face::Text) * size + 48.0).ceil();
    let rect = Rect::new(w - MARGIN - text_w, h - FOOT - 12.0, text_w, 54.0);
    page.fill(rect, ground, 27.0);
    page.text(Text::new(rect, words, size, ink).chrome().middle().center());
}

#[cfg(test)]
mod tests {
    use spec::limits as l;

    use super::*;
    use crate::scene::texts_of;

    /// A card whose every slot is as long as it may be.
    fn full(role: CardRole, word: &str) -> CardSpec {
        let said = |em: u32| {
            let mut text = String::new();
            while spec::text::em_width(&text) + spec::text::em_width(word) <= em_px(em) {
                text.push_str(word);
            }
            text.trim().to_owned()
        };
        CardSpec {
            role,
            title: said(l::CARD_TITLE_EM),
            kicker: Some(said(l::CARD_KICKER_EM)),
            points: vec![said(l::CARD_POINT_EM); role.points_max()],
            footer: Some(said(l::CARD_FOOTER_EM)),
            visual: Some(Icon::Leaf),
        }
    }

    fn em_px(em: u32) -> f32 {
        crate::scene::as_px(usize::try_from(em).expect("a small number"))
    }

    #[test]
    fn a_card_full_to_its_limits_keeps_every_text_in_its_box_and_on_the_card() {
        let fonts = Fonts::embedded();
        for theme in spec::builtin_themes() {
            for shape in [CardShape::Portrait, CardShape::Square] {
                for (role, word) in [
                    (CardRole::Cover, "春游攻略"),
                    (CardRole::Step, "春游攻略"),
                    (CardRole::Detail, "Cherry blossoms "),
                ] {
                    let spec = full(role, word);
                    assert_eq!(spec.check(), []);
                    let scene = card(&spec, shape, &theme, "zh-CN", true, &fonts);
                    let page = Rect::new(0.0, 0.0, scene.size.0, scene.size.1);
                    for text in texts_of(&scene.nodes) {
                        assert!(page.holds(text.rect), "{shape:?} {role:?}: {text:?}");
                        assert!(
                            text.height() <= text.rect.h + 0.5,
                            "{shape:?} {role:?}: {text:?}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn a_comparison_sets_two_named_things_side_by_side() {
        let fonts = Fonts::embedded();
        let long = full(CardRole::Comparison, "春游攻略");
        let mut named = long.clone();
        for (point, name) in named.points.iter_mut().zip(["手冲", "意式"]) {
            let rest: String = point.chars().skip(name.chars().count() + 1).collect();
            *point = format!("{name}：{rest}");
        }
        for theme in spec::builtin_themes() {
            for shape in [CardShape::Portrait, CardShape::Square] {
                let scene = card(&named, shape, &theme, "zh-CN", true, &fonts);
                let (w, h) = scene.size;
                for text in texts_of(&scene.nodes) {
                    assert!(Rect::new(0.0, 0.0, w, h).holds(text.rect), "{text:?}");
                    assert!(text.height() <= text.rect.h + 0.5, "{shape:?}: {text:?}");
                }
                let column = |said: &str| {
                    let text = texts_of(&scene.nodes).find(|text| text.text == said);
                    text.map(|text| text.rect)
                };
                // A square card has no room for so much text side by side.
                match (shape, column("手冲"), column("意式")) {
                    (CardShape::Portrait, Some(one), Some(other)) => {
                        assert!(one.right() < w / 2.0 && other.x > w / 2.0 && one.y == other.y);
                    }
                    (CardShape::Square, None, None) => {}
                    found => panic!("{found:?}"),
                }
                let plain = card(&long, shape, &theme, "zh-CN", true, &fonts);
                assert!(!texts_of(&plain.nodes).any(|text| text.text == "VS"));
            }
        }
    }

    #[test]
    fn only_a_card_drawn_offline_says_so() {
        let spec = full(CardRole::Cover, "春游攻略");
        let theme = spec::default_theme();
        let says = |offline: bool| {
            let fonts = Fonts::embedded();
            let scene = card(&spec, CardShape::Square, &theme, "zh-CN", offline, &fonts);
            texts_of(&scene.nodes).any(|text| text.text == "离线绘制")
        };
        assert!(says(true) && !says(false));
    }
}
