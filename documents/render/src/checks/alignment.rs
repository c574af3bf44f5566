//! Edges, sizes and gaps that should be equal and are nearly so: what the eye takes for a mistake.
//!
//! Cards are compared with cards, texts with texts in the same card, and texts with their like in the next card of the row.
//! Edges that are further apart than a few pixels are meant to be apart.

use spec::{Finding, FindingCategory, Severity, both};

use super::page::{Checked, Kind, Piece};
use crate::scene::{Align, Rect, Role, Text};

/// Edges nearer than this are equal: half a pixel is never seen.
const EQUAL_PX: f32 = 0.5;
/// Edges further apart than this are meant to be apart; a hairline is 1, the smallest gap of a layout 6.
const NEAR_PX: f32 = 4.0;

/// An edge or a size of a box, in Chinese and in English.
type Measure = ([&'static str; 2], fn(Rect) -> f32);

const LEFT: [Measure; 1] = [(["左边缘", "left edges"], |rect| rect.x)];
const TOP: [Measure; 1] = [(["上边缘", "upper edges"], |rect| rect.y)];
const SIDES: [Measure; 2] = [LEFT[0], (["右边缘", "right edges"], Rect::right)];
const ENDS: [Measure; 2] = [TOP[0], (["下边缘", "lower edges"], Rect::bottom)];
const WIDTH: [Measure; 1] = [(["宽度", "widths"], |rect| rect.w)];

pub(super) fn alignment(page: &Checked<'_>, found: &mut Vec<Finding>) {
    let cards: Vec<&Piece<'_>> = page.cards().collect();
    for (at, a) in cards.iter().enumerate() {
        for b in cards[..at].iter().filter(|b| siblings(a, b)) {
            nearly(page, a, b, &SIDES, found);
            if alike(a.rect, b.rect) {
                nearly(page, a, b, &ENDS, found);
            }
            if in_a_row(a.rect, b.rect) {
                nearly(page, a, b, &WIDTH, found);
            }
        }
    }
    let texts: Vec<(&Piece<'_>, &Text)> = page
        .texts()
        .filter(|(_, text)| text.role != Role::Chrome)
        .collect();
    for (at, (a, text)) in texts.iter().enumerate() {
        for (b, other) in &texts[..at] {
            let left = text.align == Align::Left && other.align == Align::Left;
            if a.holder == b.holder {
                if left {
                    nearly(page, a, b, &LEFT, found);
                }
            } else if let (Some(mine), Some(others)) = (a.holder, b.holder)
                && in_a_row(page.pieces[mine].rect, page.pieces[others].rect)
                && of_one_kind(text, other)
            {
                nearly(page, a, b, &TOP, found);
            }
        }
    }
    gaps(page, &cards, found);
}

/// Whether two cards stand on the same ground, neither in the other.
fn siblings(a: &Piece<'_>, b: &Piece<'_>) -> bool {
    a.holder == b.holder && !a.rect.holds(b.rect) && !b.rect.holds(a.rect)
}

/// Whether two boxes have about the same width or height, as the members of a grid have. The edges of other boxes need not be aligned.
fn alike(a: Rect, b: Rect) -> bool {
    (a.w - b.w).abs() < NEAR_PX || (a.h - b.h).abs() < NEAR_PX
}

/// Whether two boxes stand beside one another with the same top and bottom.
fn in_a_row(a: Rect, b: Rect) -> bool {
    (a.y - b.y).abs() <= EQUAL_PX && (a.bottom() - b.bottom()).abs() <= EQUAL_PX
}

/// Whether two texts are of one kind, so that they should begin at one height.
fn of_one_kind(a: &Text, b: &Text) -> bool {
    a.role == b.role
        && a.valign == b.valign
        && a.display == b.display
        && a.weight == b.weight
        && (a.size - b.size).abs() < 0.01
}

fn near(difference: f32) -> bool {
    difference > EQUAL_PX && difference < NEAR_PX
}

/// Reports the measures in which the two are nearly equal.
fn nearly(
    page: &Checked<'_>,
    a: &Piece<'_>,
    b: &Piece<'_>,
    measures: &[Measure],
    found: &mut Vec<Finding>,
) {
    for ([chinese, english], of) in measures {
        let difference = (of(a.rect) - of(b.rect)).abs();
        if near(difference) {
            let (one, other) = (named(page, a), named(page, b));
            put(
                page,
                a,
                both!(
                    "{one}和{other}的{chinese}相差 {difference:.1} 像素。" =>
                    "The {english} of {one} and {other} differ by {difference:.1} px."
                ),
                both!("让两者对齐同一条参考线" => "give both the same guide"),
                found,
            );
        }
    }
}

/// Gaps between three or more cards in a row, or one below the other, that are nearly but not quite the same.
fn gaps(page: &Checked<'_>, cards: &[&Piece<'_>], found: &mut Vec<Finding>) {
    let along_rows = (
        (|a, b| in_a_row(a, b)) as fn(Rect, Rect) -> bool,
        (|rect| rect.x) as fn(Rect) -> f32,
        Rect::right as fn(Rect) -> f32,
    );
    let along_columns = (
        (|a: Rect, b: Rect| {
            (a.x - b.x).abs() <= EQUAL_PX && (a.right() - b.right()).abs() <= EQUAL_PX
        }) as fn(Rect, Rect) -> bool,
        (|rect| rect.y) as fn(Rect) -> f32,
        Rect::bottom as fn(Rect) -> f32,
    );
    for (together, begin, end) in [along_rows, along_columns] {
        for (at, first) in cards.iter().enumerate() {
            let together =
                |a: &Piece<'_>, b: &Piece<'_>| a.holder == b.holder && together(a.rect, b.rect);
            if cards[..at].iter().any(|card| together(card, first)) {
                continue;
            }
            let mut line: Vec<&&Piece<'_>> =
                cards.iter().filter(|card| together(card, first)).collect();
            line.sort_by(|a, b| begin(a.rect).total_cmp(&begin(b.rect)));
            let spaces = line
                .windows(2)
                .map(|pair| (begin(pair[1].rect) - end(pair[0].rect), pair[1]));
            let spaces: Vec<_> = spaces.filter(|(gap, _)| *gap > 0.0).collect();
            let Some((usual, _)) = spaces.first().copied() else {
                continue;
            };
            if let Some((gap, card)) = spaces.iter().find(|(gap, _)| near((gap - usual).abs())) {
                let name = named(page, card);
                put(
                    page,
                    card,
                    both!(
                        "{name}前的间距为 {gap:.1} 像素，同组的第一个间距为 {usual:.1} 像素。" =>
                        "The gap before {name} is {gap:.1} px, the first of its line {usual:.1} px."
                    ),
                    both!("把间距调成一致" => "make the gaps equal"),
                    found,
                );
            }
        }
    }
}

fn put(
    page: &Checked<'_>,
    piece: &Piece<'_>,
    evidence: [String; 2],
    fix: [String; 2],
    found: &mut Vec<Finding>,
) {
    found.push(page.finding(
        &element(page, piece),
        FindingCategory::Alignment,
        Severity::Warning,
        evidence,
        fix,
    ));
}

/// A card is named after the first text in it.
fn element(page: &Checked<'_>, piece: &Piece<'_>) -> String {
    first_inside(page, piece).map_or_else(|| piece.element.clone(), |text| text.element.clone())
}

fn named(page: &Checked<'_>, piece: &Piece<'_>) -> String {
    match first_inside(page, piece) {
        Some(text) => {
            let said = text.says(page);
            page.told(both!("{said}所在的色块" => "the box of {said}"))
        }
        None => piece.says(page),
    }
}

fn first_inside<'p, 'a>(page: &'p Checked<'a>, piece: &Piece<'_>) -> Option<&'p Piece<'a>> {
    if !piece.is_ground() {
        return None;
    }
    page.pieces
        .iter()
        .find(|inside| matches!(inside.kind, Kind::Text(_)) && piece.rect.holds(inside.extent()))
}
