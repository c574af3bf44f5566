//! Elements that leave the page or its safe area.

use spec::{Finding, FindingCategory, Severity, both};

use super::page::{Checked, Kind};
use crate::scene::Rect;

/// Share of width and height on each side that may be cut by a projector or a screen: the action safe area of EBU R 95.
const SAFE_SHARE: f32 = 0.035;
/// A box may reach over the edge by this: rounding.
const ROUNDING_PX: f32 = 0.5;

pub(super) fn out_of_bounds(page: &Checked<'_>, found: &mut Vec<Finding>) {
    let all = page.bounds;
    let safe = all.inset(all.w * SAFE_SHARE, all.h * SAFE_SHARE);
    for piece in &page.pieces {
        // The box of a text counts as well as its lines: an editable file has the box.
        let extent = piece.extent();
        let outside = excess(all, extent).max(excess(all, piece.rect));
        let mut put = |severity, evidence, fix: [String; 2]| {
            let category = FindingCategory::OutOfBounds;
            found.push(page.finding(&piece.element, category, severity, evidence, fix));
        };
        if outside > ROUNDING_PX {
            // Nobody misses the part of a decoration that is cut at the edge.
            let severity = match piece.kind {
                Kind::Art(_) => Severity::Warning,
                Kind::Ground(..)
                | Kind::Icon(_)
                | Kind::Text(_)
                | Kind::Chart(_)
                | Kind::Block(_) => Severity::Critical,
            };
            let name = piece.says(page);
            put(
                severity,
                both!("{name}超出页面 {outside:.1} 像素。" => "{name} leaves the page by {outside:.1} px."),
                both!("移回页面内，或缩小" => "move it onto the page, or make it smaller"),
            );
            continue;
        }
        let unsafe_px = excess(safe, extent);
        let bleeds = matches!(piece.kind, Kind::Block("picture")) && bleeds(all, safe, extent);
        if piece.is_content() && !bleeds && unsafe_px > ROUNDING_PX {
            let (name, share) = (piece.says(page), SAFE_SHARE * 100.0);
            put(
                Severity::Warning,
                both!(
                    "{name}有 {unsafe_px:.1} 像素落在页面外缘 {share}% 的范围内，屏幕可能会裁掉。" =>
                    "{name} stands {unsafe_px:.1} px in the outer {share} % of the page, which a screen may cut."
                ),
                both!("向页面内移" => "move it inwards"),
            );
        }
    }
}

/// Whether a picture reaches the edge of the page on every side where it leaves the safe area: nobody misses what is cut off there.
fn bleeds(page: Rect, safe: Rect, rect: Rect) -> bool {
    let sides = [
        (rect.x - page.x, safe.x - rect.x),
        (rect.y - page.y, safe.y - rect.y),
        (page.right() - rect.right(), rect.right() - safe.right()),
        (page.bottom() - rect.bottom(), rect.bottom() - safe.bottom()),
    ];
    let mut sides = sides.into_iter();
    sides.all(|(to_edge, out)| out <= ROUNDING_PX || to_edge <= ROUNDING_PX)
}

/// How far a box reaches out of another, at its worst side.
fn excess(page: Rect, rect: Rect) -> f32 {
    [
        page.x - rect.x,
        page.y - rect.y,
        rect.right() - page.right(),
        rect.bottom() - page.bottom(),
    ]
    .into_iter()
    .fold(0.0, f32::max)
}
