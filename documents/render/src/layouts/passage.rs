//! Paragraphs and lists as a source has them.

use spec::PassageBlock;
use spec::text::em_width;

use super::page::Page;
use super::points::beside;
use crate::fonts::SUBSTITUTE_SLACK;
use crate::scene::{BODY_LINE, FlowKind, FlowNode, Node, Paragraph, Rect, Text, as_px};
use crate::typeset::Face;

/// Largest and smallest type.
const TEXT_PX: (f32, f32) = (34.0, 15.0);
/// Space inside of the card.
const PAD: (f32, f32) = (40.0, 30.0);
/// At most so much space is added between paragraphs where there is room, in em.
const SPREAD_EM: f32 = 0.8;
/// Least space for a mark, and between it and its text, in em.
const MARK_EM: f32 = 1.5;
const MARK_GAP_EM: f32 = 0.5;
/// Most space that is kept for a mark and the gap after it, in em.
const MARK_EM_MAX: f32 = 9.0;
/// Space above a paragraph and above a line of a list, in em.
const PARAGRAPH_GAP_EM: f32 = 0.6;
const LINE_GAP_EM: f32 = 0.28;

/// Sentences that are so few that they are a statement: at most so many, and so many em in all.
const STATED: (usize, f32) = (4, 190.0);
/// Largest and smallest type of a statement, the bar beside it and the space after the bar, and the share of the page that it may take.
const STATED_PX: (f32, f32) = (44.0, 24.0);
const BAR: (f32, f32) = (8.0, 36.0);
const STATED_SHARE: f32 = 0.86;

pub(super) fn passage(page: &mut Page<'_>, title: &str, blocks: &[PassageBlock]) {
    let area = page.long_heading(title);
    let all: f32 = blocks.iter().map(|block| em_width(&block.text)).sum();
    let is_stated = blocks.len() <= STATED.0 && all <= STATED.1;
    if is_stated
        && blocks
            .iter()
            .all(|block| block.marker.is_none() && block.level == 0)
    {
        return statement(page, area, blocks);
    }
    let inside = area.inset(PAD.0, page.gap(PAD.1));
    let indents = Indents::of(page, blocks);
    let texts = blocks.iter().map(|block| block.text.as_str());
    // A page full of text has no room for the additional lines that another family would need.
    let narrow = inside.w / (SUBSTITUTE_SLACK / page.setter.room_kept(Face::Text)).max(1.0);
    let size = page.largest_to(texts, (page.px(TEXT_PX.0), TEXT_PX.1), |size| {
        height(page, blocks, &indents, narrow, size) <= inside.h
    });
    let used = height(page, blocks, &indents, inside.w, size);
    // Where there is room, paragraphs stand further apart.
    let gaps = as_px(blocks.len().saturating_sub(1));
    let spread = ((inside.h - used) / gaps.max(1.0)).clamp(0.0, SPREAD_EM * size);
    // The card has room for the additional lines that another family would need.
    let most = height(page, blocks, &indents, narrow, size).max(used);
    let ground = (most + spread * gaps).min(inside.h);
    page.card(Rect {
        h: (ground + area.h - inside.h).min(area.h),
        ..area
    });
    draw(page, blocks, &indents, inside, size, spread);
}

/// Few sentences, large, beside a bar.
fn statement(page: &mut Page<'_>, area: Rect, blocks: &[PassageBlock]) {
    let indents = Indents::of(page, blocks);
    let inside = Rect {
        x: area.x + BAR.0 + BAR.1,
        w: area.w - BAR.0 - BAR.1,
        ..area
    };
    let narrow = inside.w / (SUBSTITUTE_SLACK / page.setter.room_kept(Face::Text)).max(1.0);
    let texts = blocks.iter().map(|block| block.text.as_str());
    let size = page.largest_to(texts, (page.px(STATED_PX.0), STATED_PX.1), |size| {
        height(page, blocks, &indents, narrow, size) <= area.h * STATED_SHARE
    });
    let spread = SPREAD_EM * size * 0.5;
    let gaps = as_px(blocks.len().saturating_sub(1));
    let h = height(page, blocks, &indents, narrow, size) + spread * gaps;
    // A little above the middle, where a text looks to be in the middle.
    let y = area.y + ((area.h - h) * 0.38).max(0.0);
    let p = page.palette.clone();
    let bar = Rect::new(area.x, y, BAR.0, h);
    page.fill(bar, p.accent, BAR.0 / 2.0);
    draw(
        page,
        blocks,
        &indents,
        Rect { y, h, ..inside },
        size,
        spread,
    );
}

/// Places the blocks from the top of a box, in type of this size, with so much more than the designed space between them.
/// Returns how high they are.
pub(super) fn draw(
    page: &mut Page<'_>,
    blocks: &[PassageBlock],
    indents: &Indents,
    inside: Rect,
    size: f32,
    spread: f32,
) -> f32 {
    let p = page.palette.clone();
    let mut y = inside.y;
    let mut paragraphs = Vec::with_capacity(blocks.len());
    for (at, block) in blocks.iter().enumerate() {
        if at > 0 {
            y += gap(page, blocks, at) * size + spread;
        }
        let (mark, text) = indents.at(block);
        let (x, w) = (inside.x + text * size, inside.w - text * size);
        let h = page.height(&block.text, w, size, BODY_LINE, Face::Text);
        let rect = Rect::new(x, y, w, h);
        let words = page.set(Text::new(rect, &block.text, size, p.text).whole());
        paragraphs.push(Paragraph {
            mark: block.marker.as_ref().map(|marker| {
                let w = (text - mark) * size;
                let rect = Rect::new(inside.x + mark * size, y, w, size * BODY_LINE);
                let mark = Text::new(rect, marker, size, p.primary_ink).whole();
                page.set(beside(mark, &words))
            }),
            text: words,
            level: block.level,
        });
        y += h;
    }
    let h = y - inside.y;
    page.put(Node::Flow(FlowNode {
        rect: Rect { h, ..inside },
        kind: FlowKind::Passage,
        paragraphs,
    }));
    h
}

/// How far the blocks of each level stand in, in em.
pub(super) struct Indents {
    /// Width of what stands before the text, by level.
    marks: [f32; 5],
}

impl Indents {
    pub(super) fn of(page: &Page<'_>, blocks: &[PassageBlock]) -> Self {
        let mut marks = [MARK_EM; 5];
        for block in blocks {
            if let Some(marker) = &block.marker {
                let w = page.width(marker, Face::Text) + MARK_GAP_EM;
                let mark = &mut marks[level(block)];
                *mark = mark.max(w.min(MARK_EM_MAX));
            }
        }
        Self { marks }
    }

    /// Where a block's mark begins, and where its text does.
    fn at(&self, block: &PassageBlock) -> (f32, f32) {
        let level = level(block);
        let mark: f32 = self.marks[..level].iter().sum();
        let w = if block.marker.is_some() {
            self.marks[level]
        } else {
            0.0
        };
        (mark, mark + w)
    }
}

fn level(block: &PassageBlock) -> usize {
    usize::try_from(block.level).unwrap_or(usize::MAX).min(4)
}

/// Space above a block, in em.
fn gap(page: &Page<'_>, blocks: &[PassageBlock], at: usize) -> f32 {
    let Some(before) = at.checked_sub(1).map(|before| &blocks[before]) else {
        return 0.0;
    };
    let lines = before.marker.is_some() && blocks[at].marker.is_some();
    page.gap(if lines { LINE_GAP_EM } else { PARAGRAPH_GAP_EM })
}

pub(super) fn height(
    page: &Page<'_>,
    blocks: &[PassageBlock],
    indents: &Indents,
    w: f32,
    size: f32,
) -> f32 {
    let each = blocks.iter().enumerate().map(|(at, block)| {
        let (_, text) = indents.at(block);
        gap(page, blocks, at) * size
            + page.height(&block.text, w - text * size, size, BODY_LINE, Face::Text)
    });
    each.sum()
}
