//! A table as a source has it: columns as wide as their content wants.

use spec::CellAlign;
use spec::text::plain;

use super::page::Page;
use crate::scene::{Node, Rect, TableCell, TableLine, TableNode, Text, as_px};
use crate::typeset::Face;

/// Largest and smallest type.
const CELL_PX: (f32, f32) = (30.0, 12.0);
/// Height of the lines in a cell.
const CELL_LINE: f32 = 1.3;
/// Space left and right of a cell's text, above and below it, in em of its type, and the least in pixels.
const PAD_EM: (f32, f32) = (0.65, 0.3);
const PAD_PX_MIN: (f32, f32) = (8.0, 4.0);
/// A row is made at most so much higher to fill the page, as a share of its type.
const STRETCH_EM: f32 = 1.1;
/// Most and least width that a column asks for, in em.
const COLUMN_EM_MAX: f32 = 48.0;
const COLUMN_EM_MIN: f32 = 1.6;
/// Kept beside the widest word, since widths are rounded.
const ROUNDING_EM: f32 = 0.05;

/// The cells of a table, the head among them.
pub(super) struct Grid<'a> {
    head: bool,
    rows: Vec<Vec<&'a str>>,
    align: Vec<CellAlign>,
}

impl<'a> Grid<'a> {
    pub(super) fn new(
        columns: &'a [String],
        rows: &'a [Vec<String>],
        align: Option<&[CellAlign]>,
    ) -> Self {
        let head = !columns.is_empty();
        let lines = head.then_some(columns).into_iter();
        let lines = lines.chain(rows.iter().map(Vec::as_slice));
        let width = lines.clone().map(<[String]>::len).max().unwrap_or(0);
        let rows: Vec<Vec<&str>> = lines
            .map(|cells| {
                let cells = cells.iter().map(|cell| cell.trim());
                cells.chain(std::iter::repeat("")).take(width).collect()
            })
            .collect();
        let said = |at: usize| align.and_then(|align| align.get(at)).copied();
        let align = (0..width).map(|at| {
            let body = rows.iter().skip(usize::from(head)).map(|row| row[at]);
            said(at).unwrap_or(if are_numbers(body) {
                CellAlign::Right
            } else {
                CellAlign::Left
            })
        });
        Self {
            head,
            align: align.collect(),
            rows,
        }
    }

    fn face(&self, row: usize) -> Face {
        if self.head && row == 0 {
            Face::Strong
        } else {
            Face::Text
        }
    }

    pub(super) fn texts(&self) -> impl Iterator<Item = &'a str> {
        self.rows.iter().flatten().copied()
    }
}

/// Whether all cells hold numbers but those that are empty or have only dashes; there must be such a cell.
fn are_numbers<'a>(cells: impl Iterator<Item = &'a str>) -> bool {
    let is_said = |cell: &String| !cell.chars().all(|c| "-–—−.… ".contains(c));
    let mut filled = cells.map(plain).filter(is_said).peekable();
    filled.peek().is_some() && filled.all(|cell| is_number(&cell))
}

/// Most letters of a unit or a currency.
const UNIT_LETTERS: usize = 3;

/// Whether a cell is a number in the digits of any language, with its signs and a short unit: `(300)`, `−3`, `12,5 %`, `US$ 4`, `۴۵٫۶`.
fn is_number(cell: &str) -> bool {
    let Some(digit) = cell.find(is_digit) else {
        return false;
    };
    let before = &cell[..digit];
    // Letters before the digits are a currency; other words are names, such as Q1.
    let begins = before.trim_start_matches(|c: char| !c.is_alphabetic());
    let is_currency = begins.chars().all(|c| !c.is_lowercase())
        && before.ends_with(|c: char| !c.is_alphabetic() && c != '-');
    let letters = begins.chars().filter(|c| c.is_alphabetic());
    let before_is_short = letters.count() <= UNIT_LETTERS;
    // Behind the last digit stands a unit: one short word, and nothing else.
    let behind = cell.rsplit(is_digit).next().unwrap_or_default();
    let unit = behind.trim_matches(|c: char| !c.is_alphanumeric());
    let is_unit = unit.chars().all(char::is_alphabetic) && unit.chars().count() <= UNIT_LETTERS;
    let digits = cell[digit..].trim_end_matches(behind);
    let is_whole = digits.chars().all(|c| !c.is_alphabetic());
    is_whole && is_unit && before_is_short && (begins.is_empty() || is_currency)
}

/// A digit of any language, or a fraction such as ½; a digit in a circle is a sign.
fn is_digit(c: char) -> bool {
    c.is_numeric()
        && !matches!(c, '\u{2460}'..='\u{24ff}' | '\u{2776}'..='\u{2793}' | '\u{3200}'..='\u{32ff}')
}

pub(super) fn table(page: &mut Page<'_>, title: &str, grid: &Grid<'_>, caption: Option<&str>) {
    let area = page.long_heading(title);
    let area = page.above_caption(caption, area);
    let wants = Wants::of(page, grid);
    let size = page.largest_to(grid.texts(), CELL_PX, |size| {
        wants
            .high(page, grid, area.w, size)
            .is_some_and(|h| h <= area.h)
    });
    let rect = draw(page, grid, &wants, area, size);
    page.caption(caption, rect);
}

/// Places the table at the top of an area, stretched a little where there is room. Returns its box.
pub(super) fn draw(
    page: &mut Page<'_>,
    grid: &Grid<'_>,
    wants: &Wants,
    area: Rect,
    size: f32,
) -> Rect {
    let p = page.palette.clone();
    let columns = wants.columns(area.w, size);
    let heights = heights(page, grid, &columns, size);
    let used: f32 = heights.iter().sum();
    let extra = (area.h - used) / as_px(heights.len().max(1));
    let extra = extra.clamp(0.0, STRETCH_EM * size);
    let (pad_x, pad_y) = pads(size);
    let mut table = TableNode {
        rect: Rect {
            h: used + extra * as_px(heights.len()),
            ..area
        },
        columns,
        rows: Vec::new(),
        heads: grid.head,
        labels: false,
        rule: p.line,
        mirrored: false,
    };
    let mut top = area.y;
    for (at, (cells, h)) in grid.rows.iter().zip(heights).enumerate() {
        let h = h + extra;
        let is_head = grid.head && at == 0;
        let (ground, ink) = match (is_head, at % 2 == usize::from(grid.head)) {
            (true, _) => (p.field, p.on_field),
            (false, true) => (p.card, p.text),
            (false, false) => (p.tint, p.text),
        };
        let mut x = area.x;
        let mut line = Vec::new();
        for ((cell, w), align) in cells.iter().zip(&table.columns).zip(&grid.align) {
            let rect = Rect::new(x, top, *w, h).inset(pad_x, pad_y);
            x += w;
            let mut text = Text::new(rect, *cell, size, ink).whole().middle();
            text.line = CELL_LINE;
            let text = if is_head { text.bold() } else { text };
            let text = match align {
                CellAlign::Left => text,
                CellAlign::Center => text.center(),
                CellAlign::Right => text.end(),
            };
            line.push(TableCell {
                ground,
                text: page.set(text),
            });
        }
        top += h;
        table.rows.push(TableLine { h, cells: line });
    }
    let rect = table.rect;
    page.put(Node::Table(table));
    rect
}

fn pads(size: f32) -> (f32, f32) {
    (
        (size * PAD_EM.0).max(PAD_PX_MIN.0),
        (size * PAD_EM.1).max(PAD_PX_MIN.1),
    )
}

fn heights(page: &Page<'_>, grid: &Grid<'_>, columns: &[f32], size: f32) -> Vec<f32> {
    let (pad_x, pad_y) = pads(size);
    let row = |(at, cells): (usize, &Vec<&str>)| {
        let each = cells
            .iter()
            .zip(columns)
            .map(|(cell, w)| page.height(cell, w - 2.0 * pad_x, size, CELL_LINE, grid.face(at)));
        each.fold(size * CELL_LINE, f32::max) + 2.0 * pad_y
    };
    grid.rows.iter().enumerate().map(row).collect()
}

/// What the columns want, in em: the widest part that cannot be broken, and the widest cell on one line.
pub(super) struct Wants {
    least: Vec<f32>,
    most: Vec<f32>,
}

impl Wants {
    pub(super) fn of(page: &Page<'_>, grid: &Grid<'_>) -> Self {
        let width = grid.align.len();
        let (mut least, mut most) = (vec![COLUMN_EM_MIN; width], vec![COLUMN_EM_MIN; width]);
        for (at, row) in grid.rows.iter().enumerate() {
            for (column, cell) in row.iter().enumerate() {
                let (word, line) = page.setter.extents(cell, grid.face(at));
                least[column] = least[column].max(word + ROUNDING_EM);
                most[column] = most[column].max(line + ROUNDING_EM);
            }
        }
        let most = most.into_iter().map(|w| w.min(COLUMN_EM_MAX));
        Self {
            most: most
                .zip(&least)
                .map(|(most, least)| most.max(*least))
                .collect(),
            least,
        }
    }

    /// How high the table is in this width; `None` where words would be broken.
    pub(super) fn high(&self, page: &Page<'_>, grid: &Grid<'_>, w: f32, size: f32) -> Option<f32> {
        let columns = self.columns(w, size);
        self.have_room(&columns, size)
            .then(|| heights(page, grid, &columns, size).iter().sum())
    }

    /// How high the table is with words broken where they must be.
    pub(super) fn broken(&self, page: &Page<'_>, grid: &Grid<'_>, w: f32, size: f32) -> f32 {
        heights(page, grid, &self.columns(w, size), size)
            .iter()
            .sum()
    }

    /// Whether no word is broken.
    fn have_room(&self, columns: &[f32], size: f32) -> bool {
        let pads = 2.0 * pads(size).0;
        let each = columns.iter().zip(&self.least);
        each.map(|(w, least)| w - pads - least * size)
            .all(|spare| spare >= -0.5)
    }

    /// Widths that are together as wide as the page. Each column gets the width that it wants and a share of the rest. Where that is too
    /// much, it gets the width that it needs and a share of what is left, in proportion to how much more it wants.
    fn columns(&self, w: f32, size: f32) -> Vec<f32> {
        let pads = 2.0 * pads(size).0;
        let px = |ems: &[f32]| -> Vec<f32> { ems.iter().map(|em| em * size + pads).collect() };
        let (least, most) = (px(&self.least), px(&self.most));
        let (all_least, all_most): (f32, f32) = (least.iter().sum(), most.iter().sum());
        if all_most <= w {
            return most.iter().map(|most| most * w / all_most).collect();
        }
        if all_least >= w {
            return least.iter().map(|least| least * w / all_least).collect();
        }
        // A column that wants no more than an equal share gets what it wants; the others divide what is left.
        let settled = settled(&least, &most, w);
        let sum = |of: &[f32], wanted: bool| -> f32 {
            let each = of
                .iter()
                .zip(&settled)
                .filter(|(_, settled)| **settled == wanted);
            each.map(|(w, _)| w).sum()
        };
        let (open_least, open_most) = (sum(&least, false), sum(&most, false));
        let share = (w - sum(&most, true) - open_least) / (open_most - open_least).max(1.0);
        let each = least.iter().zip(&most).zip(&settled);
        each.map(|((least, most), settled)| match settled {
            true => *most,
            false => least + (most - least) * share,
        })
        .collect()
    }
}

/// Which columns have all that they want, so that the others still have what they need.
fn settled(least: &[f32], most: &[f32], w: f32) -> Vec<bool> {
    let mut settled = vec![false; most.len()];
    loop {
        let of = |widths: &[f32], wanted: bool| -> f32 {
            let each = widths.iter().zip(&settled).filter(|(_, s)| **s == wanted);
            each.map(|(w, _)| w).sum()
        };
        let (taken, needed) = (of(most, true), of(least, false));
        let open = settled.iter().filter(|settled| !**settled).count();
        let equal = (w - taken) / as_px(open.max(1));
        let modest = |at: &usize| {
            let others = needed - least[*at];
            !settled[*at] && most[*at] <= equal && taken + most[*at] + others <= w
        };
        match (0..most.len()).find(modest) {
            Some(at) => settled[at] = true,
            None => return settled,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_of_numbers_is_known_in_every_way_to_write_them() {
        let numbers = [
            "(300)",
            "(3)",
            "1 500",
            "1\u{a0}500",
            "1\u{202f}500",
            "۴۵٫۶",
            "٤٥٪",
            "−3",
            "+5 %",
            "12,5 %",
            "1.200 €",
            "€ 1.200",
            "US$ 4",
            "EUR 12",
            "R$5",
            "~7",
            "< 0.1",
            "3 kWh",
            "5 万",
            "½",
            "**42**",
            "$-3$",
            "12’000",
            "1.5×10⁻⁹",
            "2024-05-01",
        ];
        for number in numbers {
            assert!(are_numbers([number].into_iter()), "{number}");
        }
        for words in [
            "Q1",
            "B2B",
            "H₂O",
            "COVID-19",
            "about 5 metres",
            "none",
            "–",
            "",
            "F-16",
            "iPhone 5",
            "4K TV",
            "3 men ran",
            "①",
            "1 in 5",
        ] {
            assert!(!are_numbers([words].into_iter()), "{words}");
        }
        assert!(are_numbers(["1", "–", "", "(2)"].into_iter()));
        assert!(!are_numbers(["1", "n/a per year"].into_iter()));
    }
}
