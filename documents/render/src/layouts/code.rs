//! Code as a source has it, on a panel.

use spec::text::literal;

use super::page::Page;
use crate::code::{self, MarkedPart};
use crate::scene::{FlowKind, FlowNode, Node, Paragraph, Rect, Text, Tint};
use crate::typeset::Face;

/// Largest and smallest type.
const CODE_PX: (f32, f32) = (36.0, 11.0);
const CODE_LINE: f32 = 1.3;
const PAD: (f32, f32) = (32.0, 18.0);
/// The strip with the language's name.
const HEAD_H: f32 = 32.0;
const LANGUAGE_PX: f32 = 14.0;
/// A tab moves on to the next of these columns.
const TAB: usize = 4;

pub(super) fn code(
    page: &mut Page<'_>,
    title: &str,
    language: Option<&str>,
    code: &str,
    caption: Option<&str>,
) {
    let area = page.long_heading(title);
    let area = page.above_caption(caption, area);
    let listing = Listing::new(language, code);
    let unbroken = |size: f32| listing.is_unbroken(page, area.w, size);
    let fits = |size: f32| listing.high(page, area.w, size) <= area.h;
    let texts = || listing.lines.iter().map(String::as_str);
    // Lines stay whole where that is possible at all; otherwise they are broken in type as large as that allows.
    let size = if unbroken(CODE_PX.1) && fits(CODE_PX.1) {
        page.largest_to(texts(), CODE_PX, |size| unbroken(size) && fits(size))
    } else {
        page.largest_to(texts(), CODE_PX, fits)
    };
    let panel = listing.draw(page, area, size);
    page.caption(caption, panel);
}

/// Code as it is placed.
pub(super) struct Listing<'a> {
    language: Option<&'a str>,
    /// As they are measured and set.
    lines: Vec<String>,
    /// The program.
    program: Vec<String>,
}

impl<'a> Listing<'a> {
    pub(super) fn new(language: Option<&'a str>, code: &str) -> Self {
        let program = lines(code);
        Self {
            language,
            lines: program.iter().map(|line| literal(line)).collect(),
            program,
        }
    }

    pub(super) fn texts(&self) -> impl Iterator<Item = &str> {
        self.lines.iter().map(String::as_str)
    }

    fn head_h(&self) -> f32 {
        if self.language.is_some() { HEAD_H } else { 0.0 }
    }

    /// Whether all lines are whole in this width.
    pub(super) fn is_unbroken(&self, page: &Page<'_>, w: f32, size: f32) -> bool {
        let w = w - 2.0 * PAD.0;
        let mut each = self.lines.iter();
        each.all(|line| page.setter.lines(line, w / size, Face::Code) <= 1)
    }

    /// How high it is with its panel in this width.
    pub(super) fn high(&self, page: &Page<'_>, w: f32, size: f32) -> f32 {
        let w = w - 2.0 * PAD.0;
        let each = self.lines.iter();
        let lines: f32 = each
            .map(|line| page.height(line, w, size, CODE_LINE, Face::Code))
            .sum();
        self.head_h() + lines + 2.0 * PAD.1
    }

    /// Places it at the top of an area. Returns the box of what is there, which may be higher than the area.
    pub(super) fn draw(&self, page: &mut Page<'_>, area: Rect, size: f32) -> Rect {
        let Self {
            language,
            lines,
            program,
        } = self;
        let head_h = self.head_h();
        let p = page.palette.clone();
        let inside = Rect::new(
            area.x + PAD.0,
            area.y + head_h + PAD.1,
            area.w - 2.0 * PAD.0,
            area.h - head_h - 2.0 * PAD.1,
        );
        let used = self.high(page, area.w, size) - head_h - 2.0 * PAD.1;
        let panel = Rect {
            h: (head_h + used + 2.0 * PAD.1).min(area.h),
            ..area
        };
        page.card(panel);
        if let Some(language) = *language {
            let rect = Rect::new(inside.x, panel.y + 1.0, inside.w, HEAD_H);
            let text = Text::new(rect, language, LANGUAGE_PX, p.primary_ink).whole();
            page.text(text.bold().middle());
            let rule = Rect::new(panel.x + 1.5, panel.y + HEAD_H, panel.w - 3.0, 1.0);
            page.fill(rule, p.line, 0.0);
        }
        let mut y = inside.y;
        let mut paragraphs = Vec::with_capacity(lines.len());
        let program: Vec<&str> = program.iter().map(String::as_str).collect();
        let parts = code::parts(language.unwrap_or_default(), &program);
        for (line, parts) in lines.iter().zip(parts) {
            let h = page.height(line, inside.w, size, CODE_LINE, Face::Code);
            let rect = Rect::new(inside.x, y, inside.w, h);
            let mut text = Text::new(rect, line, size, p.text).code();
            text.line = CODE_LINE;
            let tint = |MarkedPart { at, part }| Tint {
                at,
                color: p.code(part),
            };
            text.tints = parts.into_iter().map(tint).collect();
            paragraphs.push(Paragraph {
                mark: None,
                text: page.set(text),
                level: 0,
            });
            y += h;
        }
        page.put(Node::Flow(FlowNode {
            rect: Rect { h: used, ..inside },
            kind: FlowKind::Code,
            paragraphs,
        }));
        // Code that has no room ends below its panel.
        let bottom = panel.bottom().max(y);
        Rect {
            h: bottom - panel.y,
            ..panel
        }
    }
}

/// The lines with blanks in the place of tabs, without empty ones at both ends.
fn lines(code: &str) -> Vec<String> {
    let mut lines: Vec<String> = code.lines().map(|line| untabbed(line.trim_end())).collect();
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    let first = lines.iter().position(|line| !line.is_empty());
    lines.drain(..first.unwrap_or(0));
    lines
}

fn untabbed(line: &str) -> String {
    let mut plain = String::with_capacity(line.len());
    let mut column = 0;
    for character in line.chars() {
        if character == '\t' {
            let blanks = TAB - column % TAB;
            plain.extend(std::iter::repeat_n(' ', blanks));
            column += blanks;
        } else {
            plain.push(character);
            column += spec::text::columns(character);
        }
    }
    plain
}
