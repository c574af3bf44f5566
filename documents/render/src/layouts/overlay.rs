//! The words of a card on a picture, and the panel that they stand on.

use spec::{CardShape, CardSpec, Placement, Rgb, Theme};

use super::page::Page;
use crate::PageContext;
use crate::fonts::Fonts;
use crate::palette::Palette;
use crate::scene::{BODY_LINE, Rect, Role, Scene, TITLE_LINE, Text};
use crate::typeset::{Face, Typesetter};

/// Between the panel and the card's edge: platforms round the corners and lay marks over the edges.
const MARGIN: f32 = 64.0;
/// Between the panel's edge and its words.
const PAD_X: f32 = 56.0;
const PAD_Y: f32 = 48.0;
const RADIUS: f32 = 36.0;
/// The panel takes at most this share of the card's height, so that most of the picture stays free.
const SHARE_MAX: f32 = 0.46;
/// Largest type; seen on a telephone, a third as wide.
const TITLE_PX: f32 = 92.0;
const BODY_PX: f32 = 44.0;
const FLOOR_SCALE: f32 = 2.0;
const GAP: f32 = 26.0;
/// Between two lines of text.
const POINT_GAP: f32 = 12.0;
/// The small line above the title, with the space under it.
const KICKER_H: f32 = 62.0;
const KICKER_PX: f32 = 34.0;
/// The mark between title and body.
const MARK: (f32, f32) = (112.0, 9.0);

/// The words as a scene of the card's size, and the panel under them. The panel is no part of the scene, because its density depends on
/// the picture.
#[derive(Debug, Clone)]
pub(crate) struct OverlayScene {
    pub(crate) scene: Scene,
    pub(crate) panel: Rect,
    pub(crate) radius: f32,
    pub(crate) ground: Rgb,
    /// The colours of the texts.
    pub(crate) inks: Vec<Rgb>,
}

/// Places the words, on a panel of the theme's ground or, `dark`, of its field; nothing where nothing is said.
pub(crate) fn overlay_scene(
    card: &CardSpec,
    placement: Placement,
    shape: CardShape,
    theme: &Theme,
    context: &PageContext,
    dark: bool,
    fonts: &Fonts,
) -> Option<OverlayScene> {
    let setter = Typesetter::new(fonts, theme, &context.language).floors(FLOOR_SCALE);
    let mut page = Page::new(theme, context, &setter, 1.0);
    let (ground, ink, mark) = colors(&page.palette, dark);
    page.background(ground);
    let (w, h) = shape.size();
    let inside = w - 2.0 * (MARGIN + PAD_X);
    let title = super::words::held(card.title.trim());
    let points: Vec<&str> = card
        .points
        .iter()
        .map(|point| point.trim())
        .filter(|point| !point.is_empty())
        .collect();
    if title.is_empty() && points.is_empty() {
        return None;
    }
    let kicker = card.kicker.as_deref().filter(|_| !title.is_empty());
    let rule = if title.is_empty() || points.is_empty() {
        0.0
    } else {
        2.0 * GAP + MARK.1
    };
    let kicker_h = if kicker.is_some() { KICKER_H } else { 0.0 };
    let room = h * SHARE_MAX - 2.0 * PAD_Y - rule - kicker_h;
    let (mut title_h, mut title_px) = (0.0, 0.0);
    if !title.is_empty() {
        let share = if points.is_empty() { 1.0 } else { 0.62 };
        let most = page.title_px(TITLE_PX);
        let all = [title.as_str()];
        title_px = page.fit(all, (inside, room * share), most, TITLE_LINE, Face::Display);
        title_h = page.height(&title, inside, title_px, TITLE_LINE, Face::Display);
    }
    let heights = |size: f32| -> Vec<f32> {
        let each = points.iter();
        each.map(|point| page.height(point, inside, size, BODY_LINE, Face::Text))
            .collect()
    };
    let gaps = POINT_GAP * (crate::scene::as_px(points.len()) - 1.0).max(0.0);
    let left = room - title_h - gaps;
    let size = page.largest(
        points.iter().copied(),
        page.px(BODY_PX),
        Face::Text,
        |size| heights(size).iter().sum::<f32>() <= left,
    );
    let heights = heights(size);
    let said_h = heights.iter().sum::<f32>() + gaps;
    let panel_h = kicker_h + title_h + rule + said_h + 2.0 * PAD_Y;
    let y = match placement {
        Placement::Top => MARGIN,
        Placement::Center => (h - panel_h) / 2.0,
        Placement::Bottom => h - panel_h - MARGIN,
    };
    let panel = Rect::new(MARGIN, y, w - 2.0 * MARGIN, panel_h);
    let (x, mut y) = (MARGIN + PAD_X, y + PAD_Y);
    if let Some(kicker) = kicker {
        let rect = Rect::new(x, y, inside, KICKER_H - 14.0);
        let size = page.fit(
            [kicker],
            (rect.w, rect.h),
            page.px(KICKER_PX),
            TITLE_LINE,
            Face::Strong,
        );
        page.text(
            Text::new(rect, kicker, size, ink)
                .bold()
                .role(Role::Subtitle),
        );
        y += KICKER_H;
    }
    if !title.is_empty() {
        let rect = Rect::new(x, y, inside, title_h);
        page.text(Text::new(rect, &title, title_px, ink).heading(Role::Title));
        y += title_h;
    }
    if rule > 0.0 {
        y += GAP;
        page.fill(Rect::new(x, y, MARK.0, MARK.1), mark, MARK.1 / 2.0);
        y += MARK.1 + GAP;
    }
    for (point, h) in points.iter().zip(heights) {
        let rect = Rect::new(x, y, inside, h);
        page.text(Text::new(rect, *point, size, ink).role(Role::Subtitle));
        y += h + POINT_GAP;
    }
    Some(OverlayScene {
        scene: page.scene((w, h)),
        panel,
        radius: RADIUS,
        ground,
        inks: vec![ink],
    })
}

/// Colours of ground, text and mark. All words have the full colour of text: on a picture, the quieter one would need a denser panel.
fn colors(p: &Palette, dark: bool) -> (Rgb, Rgb, Rgb) {
    if dark == p.dark {
        (p.bg, p.text, p.accent)
    } else if dark {
        (p.field.mix(Rgb::BLACK, 0.25), Rgb::WHITE, p.field_accent)
    } else {
        (Rgb::WHITE, Rgb(24, 24, 24), p.accent)
    }
}
