//! A page put together from parts below one another.
//!
//! Parts of text share one size of type, the largest at which all of them have room. What can be larger or smaller (charts,
//! pictures, cards) takes what is left.

use spec::{GivenPicture, IconLine, Part, PartColumn, PassageBlock};

use super::code::Listing;
use super::grid::{self, Grid, Wants};
use super::page::Page;
use super::passage::{self, Indents};
use super::{cards, data, picture, timeline};
use crate::scene::{BODY_LINE, GUTTER, Rect, Role, TITLE_LINE, Text, as_px};
use crate::typeset::Face;

/// Largest and smallest type of a page's text.
const TEXT_PX: (f32, f32) = (32.0, 15.0);
/// A table is set smaller than text.
const TABLE_SHARE: f32 = 0.9;
/// Line under the heading.
const LEAD_PX: f32 = 24.0;
/// Space between parts.
const GAP: f32 = 18.0;
/// At most so much space is added between parts where there is room.
const SPREAD_PX: f32 = 30.0;
/// Share of the page's width that a picture beside text has.
const BESIDE_SHARE: f32 = 0.42;
/// Least and designed heights of what takes the room that is left.
const FIGURES_H: (f32, f32) = (120.0, 320.0);
const STEPS_H: (f32, f32) = (230.0, 500.0);
const CHART_H: (f32, f32) = (260.0, 500.0);
const PICTURE_H: (f32, f32) = (140.0, 500.0);
/// A part may be at most so many times as high as its least height, by its kind.
const TEXT_SPREAD: f32 = 1.45;
const ROWS_SPREAD: f32 = 1.8;
const COLUMNS_SPREAD: f32 = 1.25;
/// At most so much space is added between two paragraphs, in em.
const TEXT_SPREAD_EM: f32 = 0.9;
/// Inside of a column's card.
const COLUMN_PAD: (f32, f32) = (22.0, 16.0);
/// Height of a column's heading, in em of the text, and its type.
const COLUMN_HEAD_EM: f32 = 2.2;
const COLUMN_HEAD_SHARE: f32 = 1.05;
/// Tile of an icon and the space after it, in em of the text.
const TILE_EM: f32 = 1.9;
const TILE_GAP_EM: f32 = 0.8;
const ICON_GAP_EM: f32 = 0.5;

pub(super) fn composed(
    page: &mut Page<'_>,
    title: &str,
    lead: Option<&str>,
    beside: Option<&GivenPicture>,
    parts: &[Part],
) {
    let area = page.long_heading(title);
    let area = below_lead(page, lead, area);
    placed(page, area, beside, parts);
}

/// Places a picture and parts in a box.
pub(super) fn placed(
    page: &mut Page<'_>,
    area: Rect,
    beside: Option<&GivenPicture>,
    parts: &[Part],
) {
    let area = match beside {
        Some(given) if parts.is_empty() => {
            picture::placed(page, area, given);
            return;
        }
        Some(given) => {
            let w = area.w * BESIDE_SHARE;
            picture::placed(page, Rect { w, ..area }, given);
            let x = area.x + w + 2.0 * GUTTER;
            Rect {
                x,
                w: area.right() - x,
                ..area
            }
        }
        None => area,
    };
    let parts: Vec<Measured<'_>> = parts.iter().map(|part| Measured::new(page, part)).collect();
    let gaps = page.gap(GAP) * as_px(parts.len().saturating_sub(1));
    let room = area.h - gaps;
    let texts = parts.iter().flat_map(Measured::texts);
    let size = page.largest_to(texts, (page.px(TEXT_PX.0), TEXT_PX.1), |size| {
        let each = parts.iter().map(|part| part.least(page, area.w, size));
        each.sum::<f32>() <= room
    });
    let heights = heights(page, &parts, area.w, size, room);
    let left = (room - heights.iter().sum::<f32>()).max(0.0);
    let spread = (left / as_px(parts.len())).min(SPREAD_PX);
    let mut y = area.y;
    for (part, h) in parts.iter().zip(heights) {
        part.draw(page, Rect { y, h, ..area }, size);
        y += h + page.gap(GAP) + spread;
    }
}

/// Places the line under the heading; returns what is left.
pub(super) fn below_lead(page: &mut Page<'_>, lead: Option<&str>, area: Rect) -> Rect {
    let Some(lead) = lead else { return area };
    let max = page.px(LEAD_PX);
    let size = page.largest_to([lead], (max, TEXT_PX.1), |size| {
        page.setter.lines(lead, area.w / size, Face::Text) <= 2
    });
    let h = page.height(lead, area.w, size, TITLE_LINE, Face::Text);
    let ink = page.palette.muted;
    let mut text = Text::new(Rect { h, ..area }, lead, size, ink).role(Role::Subtitle);
    text.line = TITLE_LINE;
    page.text(text.whole());
    let taken = h + page.gap(GAP);
    Rect {
        y: area.y + taken,
        h: area.h - taken,
        ..area
    }
}

/// The heights of the parts: what they need, and of the rest a share for those that can use it.
fn heights(page: &Page<'_>, parts: &[Measured<'_>], w: f32, size: f32, room: f32) -> Vec<f32> {
    let mut heights: Vec<f32> = parts.iter().map(|part| part.least(page, w, size)).collect();
    let most: Vec<f32> = parts
        .iter()
        .zip(&heights)
        .map(|(part, h)| part.most(*h))
        .collect();
    loop {
        let left = room - heights.iter().sum::<f32>();
        let wanting = |(h, most): (&f32, &f32)| h + 0.5 < *most;
        let count = heights
            .iter()
            .zip(&most)
            .filter(|pair| wanting(*pair))
            .count();
        if left < 1.0 || count == 0 {
            return heights;
        }
        let share = left / as_px(count);
        for (h, most) in heights.iter_mut().zip(&most) {
            *h = (*h + share).min(*most).max(*h);
        }
    }
}

/// A part with what is measured once.
enum Measured<'a> {
    Text(&'a [PassageBlock], Indents),
    IconLines(&'a [IconLine]),
    Columns(&'a [PartColumn], Vec<Indents>),
    Figures(&'a [spec::Figure]),
    Steps(&'a [spec::TimelineStep]),
    Table(Grid<'a>, Wants),
    Code(Listing<'a>),
    Chart(&'a str, &'a spec::ChartSpec),
    Picture(&'a GivenPicture),
}

impl<'a> Measured<'a> {
    fn new(page: &Page<'_>, part: &'a Part) -> Self {
        match part {
            Part::Text { blocks } => Self::Text(blocks, Indents::of(page, blocks)),
            Part::IconLines { lines } => Self::IconLines(lines),
            Part::Columns { columns } => {
                let indents = columns
                    .iter()
                    .map(|column| Indents::of(page, &column.blocks));
                Self::Columns(columns, indents.collect())
            }
            Part::Figures { figures } => Self::Figures(figures),
            Part::Steps { steps } => Self::Steps(steps),
            Part::Table { columns, rows } => {
                let grid = Grid::new(columns, rows, None);
                let wants = Wants::of(page, &grid);
                Self::Table(grid, wants)
            }
            Part::Code { language, code } => Self::Code(Listing::new(language.as_deref(), code)),
            Part::Chart { title, chart } => Self::Chart(title, chart),
            Part::Picture { picture } => Self::Picture(picture),
        }
    }

    /// The texts for which the page searches a size of type.
    fn texts(&self) -> Vec<&str> {
        match self {
            Self::Text(blocks, _) => blocks.iter().map(|block| block.text.as_str()).collect(),
            Self::IconLines(lines) => lines.iter().map(|line| line.text.as_str()).collect(),
            Self::Columns(columns, _) => {
                let blocks = columns.iter().flat_map(|column| &column.blocks);
                blocks.map(|block| block.text.as_str()).collect()
            }
            Self::Table(grid, _) => grid.texts().collect(),
            Self::Code(listing) => listing.texts().collect(),
            Self::Figures(_) | Self::Steps(_) | Self::Chart(..) | Self::Picture(_) => vec![],
        }
    }

    /// The least height in this width, with text of this size.
    fn least(&self, page: &Page<'_>, w: f32, size: f32) -> f32 {
        match self {
            Self::Text(blocks, indents) => passage::height(page, blocks, indents, w, size),
            Self::IconLines(lines) => icon_lines_height(page, lines, w, size),
            Self::Columns(columns, indents) => columns_height(page, columns, indents, w, size),
            Self::Table(grid, wants) => {
                let size = table_px(size);
                // Words are broken only where type cannot be smaller.
                let high = wants.high(page, grid, w, size);
                high.unwrap_or(if size > table_px(TEXT_PX.1) {
                    f32::INFINITY
                } else {
                    wants.broken(page, grid, w, size)
                })
            }
            // The same holds for lines of code.
            Self::Code(listing) => match size <= TEXT_PX.1 || listing.is_unbroken(page, w, size) {
                true => listing.high(page, w, size),
                false => f32::INFINITY,
            },
            Self::Figures(figures) => cards::figures_least(page, figures, w).max(FIGURES_H.0),
            Self::Steps(_) => STEPS_H.0,
            Self::Chart(..) => CHART_H.0,
            Self::Picture(_) => PICTURE_H.0,
        }
    }

    /// The height beyond which the part does not become better, from its least height: texts stand a little apart where there is room.
    fn most(&self, least: f32) -> f32 {
        match self {
            Self::Figures(_) => FIGURES_H.1,
            Self::Steps(_) => STEPS_H.1,
            Self::Chart(..) => CHART_H.1,
            Self::Picture(_) => PICTURE_H.1,
            Self::Text([_], _) => least,
            Self::Text(..) => least * TEXT_SPREAD,
            Self::IconLines(_) | Self::Table(..) => least * ROWS_SPREAD,
            Self::Columns(..) => least * COLUMNS_SPREAD,
            Self::Code(_) => least,
        }
    }

    fn draw(&self, page: &mut Page<'_>, rect: Rect, size: f32) {
        match self {
            Self::Text(blocks, indents) => {
                let used = passage::height(page, blocks, indents, rect.w, size);
                let gaps = as_px(blocks.len().saturating_sub(1)).max(1.0);
                let spread = ((rect.h - used) / gaps).clamp(0.0, TEXT_SPREAD_EM * size);
                passage::draw(page, blocks, indents, rect, size, spread);
            }
            Self::IconLines(lines) => draw_icon_lines(page, lines, rect, size),
            Self::Columns(columns, indents) => draw_columns(page, columns, indents, rect, size),
            Self::Table(grid, wants) => {
                grid::draw(page, grid, wants, rect, table_px(size));
            }
            Self::Code(listing) => {
                listing.draw(page, rect, size);
            }
            Self::Figures(figures) => cards::figure_cards(page, rect, figures),
            Self::Steps(steps) => timeline::stations(page, rect, steps),
            Self::Chart(title, chart) => {
                page.card(rect);
                let title_h = match title.is_empty() {
                    true => 0.0,
                    false => chart_title(page, rect, title),
                };
                let below = Rect {
                    y: rect.y + title_h,
                    h: rect.h - title_h,
                    ..rect
                };
                data::on_card(page, below, title, chart);
            }
            Self::Picture(given) => picture::placed(page, rect, given),
        }
    }
}

/// Type of a table beside text of this size.
fn table_px(size: f32) -> f32 {
    size * TABLE_SHARE
}

/// The chart's name at the top of its card; returns how high it is.
fn chart_title(page: &mut Page<'_>, card: Rect, title: &str) -> f32 {
    let place = Rect::new(card.x + 24.0, card.y + 12.0, card.w - 48.0, 28.0);
    let size = page.fit(
        [title],
        (place.w, place.h),
        page.px(20.0),
        TITLE_LINE,
        Face::Strong,
    );
    let ink = page.palette.text;
    let mut text = Text::new(place, title, size, ink).bold().middle();
    text.line = TITLE_LINE;
    page.text(text.whole());
    30.0
}

fn icon_lines_height(page: &Page<'_>, lines: &[IconLine], w: f32, size: f32) -> f32 {
    let each = lines
        .iter()
        .map(|line| icon_line_height(page, line, w, size));
    each.sum::<f32>() + page.gap(ICON_GAP_EM) * size * as_px(lines.len().saturating_sub(1))
}

fn icon_line_height(page: &Page<'_>, line: &IconLine, w: f32, size: f32) -> f32 {
    let text_w = w - (TILE_EM + TILE_GAP_EM) * size;
    page.height(&line.text, text_w, size, BODY_LINE, Face::Text)
        .max(TILE_EM * size)
}

fn draw_icon_lines(page: &mut Page<'_>, lines: &[IconLine], rect: Rect, size: f32) {
    let p = page.palette.clone();
    let tile = TILE_EM * size;
    let x = rect.x + tile + TILE_GAP_EM * size;
    let used = icon_lines_height(page, lines, rect.w, size);
    let spread = (rect.h - used).max(0.0) / as_px(lines.len()).max(1.0);
    let mut y = rect.y;
    for line in lines {
        let h = icon_line_height(page, line, rect.w, size);
        let place = Rect::new(rect.x, y + (h - tile) / 2.0, tile, tile);
        match line.icon {
            Some(icon) => page.tile(place, icon, p.field, p.on_field),
            None => {
                page.fill(place, p.tint, tile * 0.28);
                let dot = place.inset(tile * 0.36, tile * 0.36);
                page.fill(dot, p.primary_ink, dot.w / 2.0);
            }
        }
        let text = Rect::new(x, y, rect.right() - x, h);
        page.text(Text::new(text, &line.text, size, p.text).whole().middle());
        y += h + page.gap(ICON_GAP_EM) * size + spread;
    }
}

fn column_w(w: f32, count: usize) -> f32 {
    Rect::new(0.0, 0.0, w, 0.0).column(0, count, GUTTER).w - 2.0 * COLUMN_PAD.0
}

/// Height of the headings, if one column has one.
fn column_head_h(page: &Page<'_>, columns: &[PartColumn], w: f32, size: f32) -> f32 {
    let px = size * COLUMN_HEAD_SHARE;
    let headings = columns
        .iter()
        .filter_map(|column| column.heading.as_deref());
    headings
        .map(|heading| {
            let text = page.height(heading, w, px, TITLE_LINE, Face::Display);
            (text + 0.8 * size).max(COLUMN_HEAD_EM * size)
        })
        .fold(0.0, f32::max)
}

fn columns_height(
    page: &Page<'_>,
    columns: &[PartColumn],
    indents: &[Indents],
    w: f32,
    size: f32,
) -> f32 {
    let inside = column_w(w, columns.len());
    let texts = columns
        .iter()
        .zip(indents)
        .map(|(column, indents)| passage::height(page, &column.blocks, indents, inside, size));
    column_head_h(page, columns, inside, size) + texts.fold(0.0, f32::max) + 2.0 * COLUMN_PAD.1
}

fn draw_columns(
    page: &mut Page<'_>,
    columns: &[PartColumn],
    indents: &[Indents],
    rect: Rect,
    size: f32,
) {
    let p = page.palette.clone();
    let head_h = column_head_h(page, columns, column_w(rect.w, columns.len()), size);
    for (at, (column, indents)) in columns.iter().zip(indents).enumerate() {
        let card = rect.column(at, columns.len(), GUTTER);
        page.card(card);
        if let Some(heading) = &column.heading {
            let band = Rect { h: head_h, ..card };
            let (ground, ink) = match at % 2 {
                0 => (p.field, p.on_field),
                _ => (p.field2, p.on_field2),
            };
            page.fill(band, ground, 18.0);
            let place = band.inset(COLUMN_PAD.0, 4.0);
            let px = size * COLUMN_HEAD_SHARE;
            let text = Text::new(place, heading, px, ink).heading(Role::Subtitle);
            page.text(text.middle());
        }
        let inside = Rect::new(
            card.x + COLUMN_PAD.0,
            card.y + head_h + COLUMN_PAD.1,
            card.w - 2.0 * COLUMN_PAD.0,
            card.h - head_h - 2.0 * COLUMN_PAD.1,
        );
        if !column.blocks.is_empty() {
            passage::draw(page, &column.blocks, indents, inside, size, 0.0);
        }
    }
}
