//! Marks that are open.

use spec::source::TextMarks;

use super::tag::Effect;

/// How often a mark is open.
#[derive(Default)]
pub(super) struct Depths {
    bold: usize,
    italic: usize,
    strike: usize,
    code: usize,
    superscript: usize,
    subscript: usize,
}

impl Depths {
    /// The count of a mark; `None` if the effect is not a mark.
    pub(super) fn of(&mut self, effect: Effect) -> Option<&mut usize> {
        Some(match effect {
            Effect::Bold => &mut self.bold,
            Effect::Italic => &mut self.italic,
            Effect::Strike => &mut self.strike,
            Effect::Code => &mut self.code,
            Effect::Superscript => &mut self.superscript,
            Effect::Subscript => &mut self.subscript,
            Effect::Break
            | Effect::Image
            | Effect::Link
            | Effect::Nothing
            | Effect::Block
            | Effect::Heading(_)
            | Effect::Cell
            | Effect::Hidden => return None,
        })
    }

    pub(super) fn marks(&self) -> TextMarks {
        TextMarks {
            bold: self.bold > 0,
            italic: self.italic > 0,
            strike: self.strike > 0,
            code: self.code > 0,
            superscript: self.superscript > 0,
            subscript: self.subscript > 0,
            formula: false,
        }
    }
}
