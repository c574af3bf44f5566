//! Elements that stand on one another, in both orders: what is drawn later hides what was there, what was there earlier shows
//! through what is drawn later.

use spec::{Finding, FindingCategory, Severity, both};

use super::page::{Checked, Kind, Piece, shared};
use crate::scene::{Rect, Role};

/// Boxes that share less than this are not seen to touch, in square CSS pixels: a corner of 4 by 4, less than a full stop in
/// the smallest type.
const OVERLAP_PX2: f32 = 16.0;
/// An overlap that is less deep than this is the air inside the letters' box.
const OVERLAP_DEPTH_PX: f32 = 2.0;

/// How two pieces disturb one another.
struct Clash {
    severity: Severity,
    what: [String; 2],
    fix: [String; 2],
}

pub(super) fn overlap(page: &Checked<'_>, found: &mut Vec<Finding>) {
    for (at, above) in page.pieces.iter().enumerate() {
        for below in &page.pieces[..at] {
            if let Some(clash) = clash(below, above)
                && let Some((w, h)) = depth(below, above)
            {
                let (first, second) = (below.says(page), above.says(page));
                let [chinese, english] = clash.what;
                let subject = if above.is_content() { above } else { below };
                found.push(page.finding(
                    &subject.element,
                    FindingCategory::Overlap,
                    clash.severity,
                    both!(
                        "{first}和{second}重叠 {w:.1} × {h:.1} 像素：{chinese}。" =>
                        "{first} and {second} share {w:.1} x {h:.1} px: {english}."
                    ),
                    clash.fix,
                ));
            }
        }
    }
}

/// What it would mean if these two met; `None` where one may stand on the other.
fn clash(below: &Piece<'_>, above: &Piece<'_>) -> Option<Clash> {
    let clash = |severity, what| {
        Some(Clash {
            severity,
            what,
            fix: both!("移开其中一个，或把它缩小" => "move one of them, or make it smaller"),
        })
    };
    if below.node == above.node {
        // A table and its cells belong together, as a chart and its texts do; a text that leaves its cell is too large for it.
        // But the texts of a chart are placed by its values, and may meet.
        let label =
            |piece: &Piece<'_>| matches!(piece.kind, Kind::Text(text) if text.role == Role::Chrome);
        return if label(below) && label(above) {
            clash(
                Severity::Warning,
                both!("两个标签在重叠处都看不清" => "neither label can be read there"),
            )
        } else {
            None
        };
    }
    match (&below.kind, &above.kind) {
        // A column of a table or a part of a chart may have a frame around it; their texts are checked one by one.
        (Kind::Chart(_) | Kind::Block(_), Kind::Ground(None, _)) => None,
        (Kind::Icon(_), Kind::Icon(_)) => clash(
            Severity::Warning,
            both!("一个图标遮住了另一个" => "one icon hides the other"),
        ),
        (
            Kind::Icon(_) | Kind::Text(_) | Kind::Chart(_) | Kind::Block(_),
            Kind::Icon(_) | Kind::Text(_) | Kind::Chart(_) | Kind::Block(_),
        ) => clash(
            Severity::Critical,
            both!("两者都是内容，重叠处都看不清" => "both are content, and neither can be read there"),
        ),
        (
            Kind::Icon(_) | Kind::Text(_) | Kind::Chart(_) | Kind::Block(_),
            Kind::Ground(Some(_), _),
        ) => clash(
            Severity::Critical,
            both!("色块在前面，遮住了它" => "the box is in front and hides it"),
        ),
        (
            Kind::Icon(_) | Kind::Text(_) | Kind::Chart(_) | Kind::Block(_),
            Kind::Ground(None, _) | Kind::Art(_),
        ) => clash(
            Severity::Critical,
            both!("前面的图形穿过了它" => "what is drawn in front runs through it"),
        ),
        // Content may stand on a ground that holds all of it; any other ground has an edge that runs under the content.
        (Kind::Ground(..), Kind::Icon(_) | Kind::Text(_) | Kind::Chart(_) | Kind::Block(_)) => {
            clash(
                Severity::Warning,
                both!("色块的边缘穿过了它" => "the edge of the box runs through it"),
            )
        }
        (Kind::Ground(Some(_), _), Kind::Ground(Some(_), _)) if below.holds && above.holds => {
            clash(
                Severity::Warning,
                both!("两个有内容的色块交叉" => "two boxes with content cross"),
            )
        }
        // Decoration below content only changes its ground, which is the business of contrast.
        (Kind::Art(_), _) | (Kind::Ground(..), Kind::Ground(..) | Kind::Art(_)) => None,
    }
}

/// Width and height of the largest part that the two share, if its area is large enough to be seen.
fn depth(below: &Piece<'_>, above: &Piece<'_>) -> Option<(f32, f32)> {
    let parts = parts(below, above)
        .into_iter()
        .filter(|(w, h)| *w > OVERLAP_DEPTH_PX && *h > OVERLAP_DEPTH_PX);
    let largest = parts.max_by(|a, b| (a.0 * a.1).total_cmp(&(b.0 * b.1)))?;
    (largest.0 * largest.1 > OVERLAP_PX2).then_some(largest)
}

fn parts(below: &Piece<'_>, above: &Piece<'_>) -> Vec<(f32, f32)> {
    match (&below.kind, &above.kind) {
        (Kind::Ground(Some(_), _), Kind::Ground(Some(_), _)) => {
            let inside = below.rect.holds(above.rect) || above.rect.holds(below.rect);
            if inside {
                vec![]
            } else {
                shared(below.rect, above.rect).into_iter().collect()
            }
        }
        (Kind::Ground(Some(_), _), _) => across(below.rect, &above.ink),
        (Kind::Ground(None, border), _) => through(below.rect, *border, &above.ink),
        (_, Kind::Ground(None, border)) => through(above.rect, *border, &below.ink),
        (
            Kind::Art(_) | Kind::Icon(_) | Kind::Text(_) | Kind::Chart(_) | Kind::Block(_),
            Kind::Ground(Some(_), _)
            | Kind::Art(_)
            | Kind::Icon(_)
            | Kind::Text(_)
            | Kind::Chart(_)
            | Kind::Block(_),
        ) => {
            let pairs = below
                .ink
                .iter()
                .flat_map(|a| above.ink.iter().map(|b| shared(*a, *b)));
            pairs.flatten().collect()
        }
    }
}

/// Width and height of the parts of lines that overlap with a ground; nothing if the ground holds all of the lines.
fn across(ground: Rect, lines: &[Rect]) -> Vec<(f32, f32)> {
    // A line that reaches over the edge by less than what counts as overlap counts as inside.
    let roomy = ground.inset(-OVERLAP_DEPTH_PX, -OVERLAP_DEPTH_PX);
    if lines.iter().all(|line| roomy.holds(*line)) {
        return vec![];
    }
    lines
        .iter()
        .filter_map(|line| shared(ground, *line))
        .collect()
}

/// Width and height of the parts of lines that the border of an open box runs through.
fn through(rect: Rect, border: Option<(spec::Rgb, f32)>, lines: &[Rect]) -> Vec<(f32, f32)> {
    let Some((_, width)) = border else {
        return vec![];
    };
    // A thin border can still be seen, so it is taken to be just wide enough to count as an overlap.
    let width = width.max(OVERLAP_DEPTH_PX * 1.01);
    let sides = [
        Rect::new(rect.x, rect.y, rect.w, width),
        Rect::new(rect.x, rect.bottom() - width, rect.w, width),
        Rect::new(rect.x, rect.y, width, rect.h),
        Rect::new(rect.right() - width, rect.y, width, rect.h),
    ];
    let meets = |side: &Rect| {
        lines
            .iter()
            .filter_map(|line| shared(*side, *line))
            .collect::<Vec<_>>()
    };
    sides.iter().flat_map(meets).collect()
}
