//! What stands around the content of a company's page, and what the page stands on.

use std::sync::Arc;

use spec::{Furniture, GivenPicture, PageGround, Rgb, Theme};

use super::page::{Ground, MEASURE, Page};
use super::picture::on_page;
use crate::palette::Palette;
use crate::scene::{MARGIN, Node, PAGE_W, PictureNode, Rect, Role, Text, as_px};
use crate::typeset::Face;

/// Type of the foot and of the exhibit's name.
const FOOT_PX: f32 = 14.0;
const FOOT_PX_MIN: f32 = 12.0;
pub(super) const EXHIBIT_PX: f32 = 15.0;
/// Type of source and footnotes.
pub(super) const NOTE_PX: f32 = 14.0;
pub(super) const NOTE_LINE: f32 = 1.4;
/// Space between the content and what is noted below it.
const NOTE_GAP: f32 = 8.0;
/// Top and height of the foot.
const FOOT_Y: f32 = 666.0;
const FOOT_H: f32 = 24.0;
/// Box of the logo.
const LOGO: (f32, f32) = (150.0, 40.0);
/// Share of black or white in the colour that a gradient ends with.
const GRADIENT_SHARE: f64 = 0.45;

/// The theme on a dark ground; `None` for the light one.
pub(super) fn grounded(theme: &Theme, ground: PageGround) -> Option<Theme> {
    match ground {
        PageGround::Light => return None,
        PageGround::Dark | PageGround::Gradient => {}
    }
    let palette = Palette::new(theme);
    let mut theme = theme.clone();
    let scheme = &mut theme.color_scheme;
    scheme.background = palette.field.hex();
    scheme.text = palette.on_field.hex();
    scheme.primary = palette.field.mix(palette.on_field, 0.55).hex();
    scheme.secondary = palette.secondary.mix(palette.on_field, 0.3).hex();
    scheme.accent = palette.field_accent.hex();
    Some(theme)
}

/// What the background turns into: away from the colour of the texts on it.
pub(super) fn gradient(palette: &Palette, ground: PageGround) -> Option<Rgb> {
    match ground {
        PageGround::Light | PageGround::Dark => None,
        PageGround::Gradient => {
            let away = if palette.text.luminance() > palette.bg.luminance() {
                Rgb::BLACK
            } else {
                Rgb::WHITE
            };
            Some(palette.bg.mix(away, GRADIENT_SHARE))
        }
    }
}

/// The lines below the content: footnotes with their numbers, then the source.
pub(super) fn notes(page: &Page<'_>, furniture: &Furniture) -> Vec<String> {
    let numbered = furniture.footnotes.iter().zip(1..);
    let mut notes: Vec<String> = numbered
        .map(|(note, number)| format!("{number}. {note}"))
        .collect();
    if let Some(source) = &furniture.source {
        let word = spec::source_word(&page.context.language);
        notes.push(format!("{word}{source}"));
    }
    notes
}

/// Keeps the room below the content that its notes take.
pub(super) fn reserve(page: &mut Page<'_>) {
    let Some(furniture) = page.context.furniture.as_ref() else {
        return;
    };
    let notes = notes(page, furniture);
    if !notes.is_empty() {
        let h = notes_height(page, &notes) + NOTE_GAP;
        page.raise_bottom(h);
    }
}

fn notes_height(page: &Page<'_>, notes: &[String]) -> f32 {
    notes
        .iter()
        .map(|note| page.height(note, MEASURE, NOTE_PX, NOTE_LINE, Face::Text))
        .sum()
}

/// Places everything that stands around the content.
pub(super) fn place(page: &mut Page<'_>, furniture: &Furniture) {
    let (on_left, on_right) = inks(page);
    if let Some(exhibit) = &furniture.exhibit {
        let rect = Rect::new(MARGIN, 36.0, MEASURE - LOGO.0 - 24.0, 26.0);
        let ink = on_left.1;
        page.text(
            Text::new(rect, exhibit, EXHIBIT_PX, ink)
                .whole()
                .bold()
                .middle(),
        );
    }
    let notes = notes(page, furniture);
    let mut y = page.bottom() + NOTE_GAP;
    for note in &notes {
        let h = page.height(note, MEASURE, NOTE_PX, NOTE_LINE, Face::Text);
        let mut text = Text::new(Rect::new(MARGIN, y, MEASURE, h), note, NOTE_PX, on_left.0);
        text.line = NOTE_LINE;
        page.text(text.whole());
        y += h;
    }
    foot(page, furniture, on_left.0, on_right.0);
    if let Some(logo) = &furniture.logo {
        put_logo(page, logo);
    }
}

/// Colours of quiet text and of marks on the left and on the right side of the page.
fn inks(page: &Page<'_>) -> ((Rgb, Rgb), (Rgb, Rgb)) {
    let p = &page.palette;
    let plain = (p.muted, p.primary_ink);
    let field = (p.on_field_muted, p.on_field_muted);
    match page.ground {
        Ground::Page => (plain, plain),
        Ground::Field => (field, field),
        Ground::FieldLeft => (field, plain),
        Ground::FieldRight => (plain, field),
    }
}

fn foot(page: &mut Page<'_>, furniture: &Furniture, left: Rgb, right: Rgb) {
    // On a section's page the foot stands beside the field, whose decoration reaches to the page's edge.
    let beside = page.ground == Ground::FieldLeft;
    let (x, w, ink) = match beside {
        true => (472.0, 300.0, right),
        false => (MARGIN, 480.0, left),
    };
    if let Some(footer) = &furniture.footer {
        // Without a note on confidentiality the foot has its room as well; a long foot takes two lines.
        let w = match furniture.confidentiality {
            Some(_) => w,
            None => w + 260.0,
        };
        let size = (w / page.width(footer, Face::Text).max(1.0)).clamp(FOOT_PX_MIN, FOOT_PX);
        let h = page.height(footer, w, size, NOTE_LINE, Face::Text);
        let rect = Rect::new(x, FOOT_Y + FOOT_H - h, w, h);
        let mut text = Text::new(rect, footer, size, ink)
            .role(Role::Chrome)
            .middle();
        text.line = NOTE_LINE;
        page.text(text);
    }
    if let Some(words) = &furniture.confidentiality {
        let rect = Rect::new(x + w + 20.0, FOOT_Y, 240.0, FOOT_H);
        page.text(Text::new(rect, words, FOOT_PX, ink).chrome().middle());
    }
    if furniture.page_number {
        let (number, count) = (page.context.page_number, page.context.page_count);
        let rect = Rect::new(PAGE_W - MARGIN - 160.0, FOOT_Y, 160.0, FOOT_H);
        let text = Text::new(rect, format!("{number} / {count}"), FOOT_PX, right);
        page.text(text.chrome().middle().end());
    }
}

fn put_logo(page: &mut Page<'_>, logo: &GivenPicture) {
    let Some(picture) = on_page(&logo.bytes.0) else {
        return;
    };
    let (w, h) = (as_side(picture.width), as_side(picture.height));
    let scale = (LOGO.0 / w).min(LOGO.1 / h);
    let (w, h) = (w * scale, h * scale);
    let rect = Rect::new(PAGE_W - MARGIN - w, 28.0 + (LOGO.1 - h) / 2.0, w, h);
    page.put(Node::Picture(PictureNode {
        rect,
        alt: logo.alt.clone(),
        picture: Arc::new(picture),
    }));
}

/// A side in pixels.
fn as_side(pixels: u32) -> f32 {
    as_px(usize::try_from(pixels).unwrap_or(usize::MAX)).max(1.0)
}
