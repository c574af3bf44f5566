//! Empty space: between elements, between a text and the edge of its card, at the margins, and over the page as a whole.

use spec::{Finding, FindingCategory, Layout, Severity, both};

use super::page::{Checked, Kind, Piece, extent, shared};
use crate::scene::{Rect, Role, Text, as_px};

/// Least gap between two cards in CSS pixels: a little less than a list keeps when the fit policy has halved its gap of 11.
const CARD_GAP_PX: f32 = 5.0;
/// Boxes nearer than this are meant to touch, as the cells of a table do.
const TOUCHING_PX: f32 = 0.5;
/// Least air between the letters of two texts, as a share of the smaller type: less than the leading of running text (0.4), or
/// the two read as one paragraph.
const TEXT_GAP_EM: f32 = 0.2;
/// Least air between letters and the edge of their card, in CSS pixels.
const PADDING_PX: f32 = 3.0;
/// Margins left and right of a page's content may differ by this, in CSS pixels: a third of the gutter.
const MARGIN_SKEW_PX: f32 = 8.0;
/// A page of content of which less than this is covered by cards, texts, charts and tables looks unfinished.
const EMPTY_SHARE: f32 = 0.2;
/// A page of which more than this is covered by lines of text has too much text for a slide.
const OVERFULL_SHARE: f32 = 0.45;
/// Cells that a page is divided into for measuring its covering: squares of 16 px on a page of 1280 x 720.
const CELL_PX: f32 = 16.0;

pub(super) fn spacing(page: &Checked<'_>, found: &mut Vec<Finding>) {
    card_gaps(page, found);
    text_gaps(page, found);
    paddings(page, found);
    if is_full_page(page) {
        margins(page, found);
        covering(page, found);
    }
}

/// Whether the page is meant to be filled from margin to margin; pages of one sentence are composed otherwise.
fn is_full_page(page: &Checked<'_>) -> bool {
    match page.page.slide.layout() {
        Layout::Title | Layout::Section | Layout::Quote | Layout::Closing => false,
        // These pages are as full or as empty as what they show.
        Layout::Passage | Layout::Code | Layout::Table | Layout::Picture | Layout::Composed => {
            false
        }
        Layout::Bullets
        | Layout::IconRows
        | Layout::TwoColumns
        | Layout::ImageText
        | Layout::Figures
        | Layout::Comparison
        | Layout::Timeline
        | Layout::Chart => true,
    }
}

/// The gap between two boxes that stand beside or above one another.
fn gap(a: Rect, b: Rect) -> Option<f32> {
    let across = (b.x - a.right()).max(a.x - b.right());
    let down = (b.y - a.bottom()).max(a.y - b.bottom());
    match (across > 0.0, down > 0.0) {
        (true, false) => Some(across),
        (false, true) => Some(down),
        // Corner to corner, or overlapping.
        (true, true) | (false, false) => None,
    }
}

fn card_gaps(page: &Checked<'_>, found: &mut Vec<Finding>) {
    let cards: Vec<&Piece<'_>> = page.cards().collect();
    for (at, a) in cards.iter().enumerate() {
        for b in &cards[..at] {
            let Some(gap) = gap(a.rect, b.rect) else {
                continue;
            };
            if gap > TOUCHING_PX && gap < CARD_GAP_PX {
                let evidence = both!(
                    "两个色块相距 {gap:.1} 像素，至少应为 {CARD_GAP_PX} 像素。" =>
                    "Two boxes are {gap:.1} px apart, {CARD_GAP_PX} px is the least."
                );
                let fix = both!("拉开距离，或让它们相接" => "move them apart, or let them touch");
                put(page, &a.element, evidence, fix, found);
            }
        }
    }
}

fn text_gaps(page: &Checked<'_>, found: &mut Vec<Finding>) {
    let texts: Vec<(&Piece<'_>, &Text)> = page.texts().collect();
    for (at, (a, text)) in texts.iter().enumerate() {
        for (b, other) in &texts[..at] {
            // Cells of a table are kept apart by their padding.
            if a.holder != b.holder || a.node == b.node {
                continue;
            }
            let least = text.size.min(other.size) * TEXT_GAP_EM;
            let meets = a
                .ink
                .iter()
                .any(|x| b.ink.iter().any(|y| shared(*x, *y).is_some()));
            if meets {
                continue;
            }
            let lines = a
                .ink
                .iter()
                .flat_map(|x| b.ink.iter().filter_map(|y| gap(*x, *y)));
            let nearest = lines.fold(f32::INFINITY, f32::min);
            if nearest < least {
                let (one, two) = (b.says(page), a.says(page));
                let evidence = both!(
                    "{one}和{two}相距 {nearest:.1} 像素，至少应为 {least:.1} 像素。" =>
                    "{one} and {two} are {nearest:.1} px apart, {least:.1} px is the least."
                );
                let fix = both!("加大间距" => "put more space between them");
                put(page, &a.element, evidence, fix, found);
            }
        }
    }
}

fn paddings(page: &Checked<'_>, found: &mut Vec<Finding>) {
    for (piece, _) in page.texts() {
        let Some(holder) = piece.holder.map(|at| &page.pieces[at]) else {
            continue;
        };
        if page.bleeds(holder.rect) {
            continue;
        }
        let (inside, outside) = (piece.extent(), holder.rect);
        let least = [
            inside.x - outside.x,
            inside.y - outside.y,
            outside.right() - inside.right(),
            outside.bottom() - inside.bottom(),
        ]
        .into_iter()
        .fold(f32::INFINITY, f32::min);
        if least < PADDING_PX {
            let name = piece.says(page);
            let evidence = both!(
                "{name}距色块边缘 {least:.1} 像素，至少应为 {PADDING_PX} 像素。" =>
                "{name} stands {least:.1} px from the edge of its box, {PADDING_PX} px is the least."
            );
            let fix = both!("加大色块，或缩短文字" => "make the box larger, or shorten the text");
            put(page, &piece.element, evidence, fix, found);
        }
    }
}

/// Content that is read, and the cards it stands in.
fn body<'p, 'a>(page: &'p Checked<'a>) -> impl Iterator<Item = &'p Piece<'a>> {
    page.pieces.iter().filter(|piece| match &piece.kind {
        Kind::Text(text) => text.role != Role::Chrome,
        Kind::Ground(..) => piece.holds && !page.bleeds(piece.rect),
        Kind::Icon(_) | Kind::Chart(_) | Kind::Block(_) => true,
        Kind::Art(_) => false,
    })
}

fn margins(page: &Checked<'_>, found: &mut Vec<Finding>) {
    // The box of a heading is as wide as the page, whatever stands below it.
    let is_heading =
        |piece: &Piece<'_>| matches!(piece.kind, Kind::Text(text) if text.role == Role::Title);
    let boxes: Vec<Rect> = body(page)
        .filter(|piece| !is_mark(page, piece) && !is_heading(piece))
        .map(|piece| piece.rect)
        .collect();
    let Some(all) = extent(&boxes) else { return };
    let (left, right) = (all.x - page.bounds.x, page.bounds.right() - all.right());
    if (left - right).abs() > MARGIN_SKEW_PX {
        let evidence = both!(
            "左边距为 {left:.1} 像素，右边距为 {right:.1} 像素。" =>
            "The margin is {left:.1} px on the left and {right:.1} px on the right."
        );
        let fix = both!("让内容占满宽度，左右边距相等" => "let the content fill the width between equal margins");
        put(page, "page", evidence, fix, found);
    }
}

/// A small box that holds only what the page itself draws: the pill of a mark.
fn is_mark(page: &Checked<'_>, piece: &Piece<'_>) -> bool {
    let is_ground = matches!(piece.kind, Kind::Ground(..));
    is_ground
        && page
            .content()
            .filter(|inside| piece.rect.holds(inside.extent()))
            .all(|inside| matches!(inside.kind, Kind::Text(text) if text.role == Role::Chrome && !page.in_chart(inside)))
}

fn covering(page: &Checked<'_>, found: &mut Vec<Finding>) {
    let boxes: Vec<Rect> = body(page)
        .filter(|piece| !is_mark(page, piece))
        .flat_map(|piece| match piece.kind {
            Kind::Text(_) => piece.ink.clone(),
            Kind::Ground(..) | Kind::Art(_) | Kind::Icon(_) | Kind::Chart(_) | Kind::Block(_) => {
                vec![piece.rect]
            }
        })
        .collect();
    let covered = share(page.bounds, &boxes);
    if covered < EMPTY_SHARE {
        let (covers, least) = (covered * 100.0, EMPTY_SHARE * 100.0);
        let evidence = both!(
            "内容只占页面的 {covers:.0}%，至少应占 {least:.0}%。" =>
            "Content covers {covers:.0} % of the page, {least:.0} % is the least."
        );
        let fix =
            both!("增加内容，或与其他页合并" => "put more on the page, or join it with another");
        put(page, "page", evidence, fix, found);
    }
    let lines: Vec<Rect> = page
        .texts()
        .filter(|(_, text)| text.role != Role::Chrome)
        .flat_map(|(piece, _)| piece.ink.clone())
        .collect();
    let written = share(page.bounds, &lines);
    if written > OVERFULL_SHARE {
        let (covers, most) = (written * 100.0, OVERFULL_SHARE * 100.0);
        let evidence = both!(
            "文字占页面的 {covers:.0}%，最多应占 {most:.0}%。" =>
            "Lines of text cover {covers:.0} % of the page, {most:.0} % is the most."
        );
        let fix = both!("减少文字，或分成两页" => "say less, or use two pages");
        put(page, "page", evidence, fix, found);
    }
}

/// The share of a page that boxes cover, counted in cells whose middle is covered.
fn share(page: Rect, boxes: &[Rect]) -> f32 {
    let (across, down) = (cells(page.w), cells(page.h));
    let covered = (0..down)
        .flat_map(|row| (0..across).map(move |column| (column, row)))
        .filter(|(column, row)| {
            let x = page.x + (as_px(*column) + 0.5) * CELL_PX;
            let y = page.y + (as_px(*row) + 0.5) * CELL_PX;
            boxes
                .iter()
                .any(|rect| rect.x <= x && x < rect.right() && rect.y <= y && y < rect.bottom())
        })
        .count();
    as_px(covered) / as_px((across * down).max(1))
}

/// Cells along one side of a page.
fn cells(length: f32) -> usize {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a page is some thousand pixels wide, and a negative length saturates to none"
    )]
    let cells = (length / CELL_PX).round() as usize;
    // As many as a page of 8000 x 8000 px; a scene of absurd size is not measured more finely.
    cells.min(500)
}

fn put(
    page: &Checked<'_>,
    element: &str,
    evidence: [String; 2],
    fix: [String; 2],
    found: &mut Vec<Finding>,
) {
    found.push(page.finding(
        element,
        FindingCategory::Spacing,
        Severity::Warning,
        evidence,
        fix,
    ));
}
