//! Contrast of texts and icons against what is really under them.
//!
//! The grounds of a text are searched from the front to the back: a filled box that holds all of the text ends the search, and one that
//! holds a part of it counts as well. The ground with the worst contrast decides. Decoration is drawn and its pixels are read: each
//! colour that covers enough of the letters' boxes counts. Rounded corners of filled boxes count as square.

use std::collections::BTreeMap;

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg;
use spec::{Finding, FindingCategory, Rgb, Severity, both, limits};

use super::page::{Checked, Kind, Piece, shared};
use crate::scene::{Art, Rect, Role, Text};

/// Type from this size in CSS pixels is large for WCAG 2.2: 18 points.
const LARGE_PX: f32 = 24.0;
/// Bold type from this size is large: 14 points.
const LARGE_BOLD_PX: f32 = 18.66;
/// A ratio that is this little below what is needed comes from rounding colours to whole bytes.
const ROUNDING: f64 = 0.005;
/// Decoration is drawn at this scale: its shapes are tens of pixels large, and a quarter of the pixels show them as well.
const SAMPLE_SCALE: f32 = 0.5;
/// Largest side of a decoration that is drawn, in CSS pixels; larger than any page. For a larger decoration, every colour that its SVG
/// names counts.
const SAMPLE_SIDE_PX: f32 = 4000.0;
/// A colour of the decoration counts from this share of the letters' boxes: less is a sliver at the end of a line, or the soft
/// edge between two shapes.
const SAMPLE_SHARE: f32 = 0.01;
/// Least alpha, of 255, from which a pixel of the decoration counts: half opaque.
const OPAQUE: u8 = 128;

pub(super) fn contrast(page: &Checked<'_>, found: &mut Vec<Finding>) {
    for (at, piece) in page.pieces.iter().enumerate() {
        let (inks, needed, chrome) = match &piece.kind {
            Kind::Text(text) => (inks(text), needed(text), text.role == Role::Chrome),
            Kind::Icon(icon) => (vec![icon.color], limits::LARGE_CONTRAST_MIN, true),
            Kind::Ground(..) | Kind::Art(_) | Kind::Chart(_) | Kind::Block(_) => continue,
        };
        let grounds = grounds(page, at, piece);
        let each = inks.into_iter().filter_map(|ink| {
            let (ratio, ground) = worst(ink, &grounds)?;
            Some((ratio, ground, ink))
        });
        let Some((ratio, ground, ink)) = each.min_by(|a, b| a.0.total_cmp(&b.0)) else {
            continue;
        };
        if ratio + ROUNDING >= needed {
            continue;
        }
        // Below the ratio of large type a text cannot be made out from the back of a room.
        let severity = if ratio < limits::LARGE_CONTRAST_MIN && !chrome {
            Severity::Critical
        } else {
            Severity::Warning
        };
        let (name, ink, ground) = (piece.says(page), ink.hex(), ground.hex());
        found.push(page.finding(
            &piece.element,
            FindingCategory::Contrast,
            severity,
            both!(
                "{name}的颜色 {ink} 与底色 {ground} 的对比度为 {ratio:.2}，至少需要 {needed}。" =>
                "{name} in {ink} on {ground} has a contrast of {ratio:.2}; {needed} is needed."
            ),
            both!("换成与底色差别更大的颜色，或单独加底色" => "take a colour further from its ground, or give it a ground of its own"),
        ));
    }
}

/// The colours of a text: its own and those of its parts.
fn inks(text: &Text) -> Vec<Rgb> {
    let tints = text.tints.iter().map(|tint| tint.color);
    let mut inks = vec![text.color];
    inks.extend(tints);
    inks.dedup();
    inks
}

/// The contrast a text needs by WCAG 2.2 AA.
fn needed(text: &Text) -> f64 {
    let lines = || text.lines.iter().flat_map(|line| &line.runs);
    // A text with bold marks is only as bold as its lightest run.
    let bold = text.weight >= 600 || (lines().next().is_some() && lines().all(|run| run.bold));
    if text.size >= LARGE_PX || (bold && text.size >= LARGE_BOLD_PX) {
        limits::LARGE_CONTRAST_MIN
    } else {
        limits::TEXT_CONTRAST_MIN
    }
}

fn worst(ink: Rgb, grounds: &[Rgb]) -> Option<(f64, Rgb)> {
    grounds
        .iter()
        .map(|ground| (spec::contrast(ink, *ground), *ground))
        .min_by(|a, b| a.0.total_cmp(&b.0))
}

/// The colours under a piece.
fn grounds(page: &Checked<'_>, at: usize, piece: &Piece<'_>) -> Vec<Rgb> {
    let extent = piece.extent();
    let mut grounds = Vec::new();
    for below in page.pieces[..at].iter().rev() {
        if !piece
            .ink
            .iter()
            .any(|ink| shared(*ink, below.rect).is_some())
        {
            continue;
        }
        match &below.kind {
            Kind::Ground(Some(color), _) => {
                grounds.push(*color);
                if below.rect.holds(extent) {
                    return grounds;
                }
            }
            Kind::Art(art) => grounds.extend(painted(art, &piece.ink)),
            Kind::Ground(None, _)
            | Kind::Icon(_)
            | Kind::Text(_)
            | Kind::Chart(_)
            | Kind::Block(_) => {}
        }
    }
    grounds.push(page.page.scene.background);
    grounds
}

/// The colours that a decoration has under these boxes. One that cannot be drawn counts with every colour that it names.
fn painted(art: &Art, boxes: &[Rect]) -> Vec<Rgb> {
    let Some(pixels) = drawn(art) else {
        return named(&art.svg);
    };
    let mut counts: BTreeMap<(u8, u8, u8), u32> = BTreeMap::new();
    for pixel in boxes.iter().flat_map(|rect| under(&pixels, art, *rect)) {
        *counts.entry(pixel).or_default() += 1;
    }
    let area: f32 = boxes.iter().map(|rect| rect.w * rect.h).sum();
    let least = area * SAMPLE_SCALE * SAMPLE_SCALE * SAMPLE_SHARE;
    #[expect(clippy::cast_precision_loss, reason = "a count of pixels on a page")]
    let enough = |count: u32| count as f32 >= least;
    counts
        .into_iter()
        .filter(|(_, count)| enough(*count))
        .map(|((r, g, b), _)| Rgb(r, g, b))
        .collect()
}

/// The decoration in pixels, small.
fn drawn(art: &Art) -> Option<Pixmap> {
    let (w, h) = (art.rect.w, art.rect.h);
    if !(w <= SAMPLE_SIDE_PX && h <= SAMPLE_SIDE_PX) {
        return None;
    }
    let svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w}\" height=\"{h}\" viewBox=\"0 0 {w} {h}\">{}</svg>",
        art.svg
    );
    let tree = usvg::Tree::from_str(&svg, &usvg::Options::default()).ok()?;
    let side = |length: f32| whole((length * SAMPLE_SCALE).ceil());
    let mut pixels = Pixmap::new(side(w), side(h))?;
    let scale = Transform::from_scale(SAMPLE_SCALE, SAMPLE_SCALE);
    resvg::render(&tree, scale, &mut pixels.as_mut());
    Some(pixels)
}

/// The opaque pixels of a drawn decoration in a box of the page.
fn under(pixels: &Pixmap, art: &Art, rect: Rect) -> Vec<(u8, u8, u8)> {
    let place = |at: f32, from: f32, most: u32| whole((at - from) * SAMPLE_SCALE).min(most);
    let (left, right) = (
        place(rect.x, art.rect.x, pixels.width()),
        place(rect.right(), art.rect.x, pixels.width()),
    );
    let (top, bottom) = (
        place(rect.y, art.rect.y, pixels.height()),
        place(rect.bottom(), art.rect.y, pixels.height()),
    );
    (top..bottom)
        .flat_map(|y| (left..right).filter_map(move |x| pixels.pixel(x, y)))
        .filter(|pixel| pixel.alpha() >= OPAQUE)
        .map(|pixel| {
            let color = pixel.demultiply();
            (color.red(), color.green(), color.blue())
        })
        .collect()
}

/// A length in whole pixels, 0 for a negative one.
fn whole(px: f32) -> u32 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "saturates, and lengths on a page are small"
    )]
    let whole = px as u32;
    whole
}

/// The colours that an SVG names as `#rrggbb`, once each.
fn named(svg: &str) -> Vec<Rgb> {
    let mut colors = Vec::new();
    for (at, _) in svg.match_indices('#') {
        if let Some(hex) = svg.get(at..at + 7)
            && let Ok(color) = Rgb::parse(hex)
            && !colors.contains(&color)
        {
            colors.push(color);
        }
    }
    colors
}
