//! Points below each other: one text with real paragraphs, whatever is drawn behind them.

use spec::Rgb;

use super::page::Page;
use crate::scene::{BODY_LINE, FlowKind, FlowNode, Node, Paragraph, Rect, Role, Text};
use crate::typeset::Face;

/// The sign before a point that has no number.
const BULLET: &str = "•";

/// A mark on the first line of its text, however high that is.
pub(super) fn beside(mut mark: Text, text: &Text) -> Text {
    let line = text.size * text.line;
    mark.line = line / mark.size;
    mark.rect.h = line;
    mark
}

/// How far the middle of a line of type lies above its baseline, in em, in most families.
const MIDDLE_EM: f32 = 0.4;

/// For a number on the first line of a text of another size, whose lines have this height: the distance from the top of that line to the
/// middle of the number.
pub(super) fn middle_of_number((text_px, line): (f32, f32), number_px: f32) -> f32 {
    text_px * line / 2.0 + (text_px - number_px) * MIDDLE_EM
}

/// Points being put on a page.
#[derive(Debug, Default)]
pub(super) struct Points {
    paragraphs: Vec<Paragraph>,
}

impl Points {
    /// A point with a bullet that begins at `x`.
    pub(super) fn bullet(&mut self, page: &Page<'_>, text: Text, x: f32, ink: Rgb) {
        let place = Rect::new(x, text.rect.y, text.rect.x - x, text.size * BODY_LINE);
        let mark = Text::new(place, BULLET, text.size, ink);
        self.put(page, text, Some(mark), 0);
    }

    /// A point with its number in the middle of a badge beside its first line.
    pub(super) fn number(
        &mut self,
        page: &Page<'_>,
        text: Text,
        number: usize,
        (badge, size, ink): (Rect, f32, Rgb),
    ) {
        let words = number.to_string();
        let w = page.width(&words, Face::Strong) * size / page.setter.room_kept(Face::Strong);
        let line = text.size * BODY_LINE;
        let x = badge.x + (badge.w - w) / 2.0;
        // Wide enough that it is never broken; the number stands at its beginning.
        let place = Rect::new(x, text.rect.y, text.rect.x - x, line);
        let mark = Text::new(place, words, size, ink).bold();
        self.put(page, text, Some(mark), 0);
    }

    /// A paragraph without a mark; `level` is 0 beside the points and 1 below one.
    pub(super) fn plain(&mut self, page: &Page<'_>, text: Text, level: u32) {
        self.put(page, text, None, level);
    }

    fn put(&mut self, page: &Page<'_>, text: Text, mark: Option<Text>, level: u32) {
        let text = page.set(text);
        let mark = mark.map(|mark| {
            let mut mark = page.set(beside(mark, &text).role(Role::Chrome));
            // Both stand on one line, as they do in every program that has lists.
            let baseline = |text: &Text| text.lines.first().map_or(0.0, |line| line.baseline);
            mark.rect.y += baseline(&text) - baseline(&mark);
            mark
        });
        self.paragraphs.push(Paragraph { mark, text, level });
    }

    /// Puts the points on the page.
    pub(super) fn end(self, page: &mut Page<'_>) {
        let texts = || {
            let each = self.paragraphs.iter();
            each.flat_map(|paragraph| paragraph.mark.iter().chain([&paragraph.text]))
        };
        let least = |of: fn(&Text) -> f32| texts().map(of).fold(f32::INFINITY, f32::min);
        let most = |of: fn(&Text) -> f32| texts().map(of).fold(0.0, f32::max);
        if self.paragraphs.is_empty() {
            return;
        }
        let furniture = page.context.furniture.as_ref();
        if furniture.is_some_and(|furniture| furniture.origin.is_some()) {
            // Each point of a written deck is a shape of its own: when the edited file comes back, the point is recognised by the
            // shape's name.
            for paragraph in self.paragraphs {
                let texts = paragraph.mark.into_iter().chain([paragraph.text]);
                texts.for_each(|text| page.put(Node::Text(text)));
            }
            return;
        }
        let (x, y) = (least(|text| text.rect.x), least(|text| text.rect.y));
        let right = most(|text| text.rect.right());
        let bottom = most(|text| text.rect.bottom());
        page.put(Node::Flow(FlowNode {
            rect: Rect::new(x, y, right - x, bottom - y),
            kind: FlowKind::Passage,
            paragraphs: self.paragraphs,
        }));
    }
}
