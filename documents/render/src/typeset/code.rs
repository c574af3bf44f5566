//! Lines of code: broken only where they must be, and then with an indent.

use spec::text::columns;

use super::shaped::{Char, Shaped, Span};

/// Width of a character in the widest of the usual families (Courier New, Menlo and those of Linux), in em.
const COLUMN_EM: f32 = 0.602;
/// The continuation of a line is indented further by so many columns.
const HANG_COLUMNS: f32 = 2.0;
/// The indent takes at most this share of the line.
const HANG_SHARE_MAX: f32 = 0.5;
/// A line ends behind a blank or a sign only where this share of it is filled.
const FILLED_SHARE: f32 = 0.6;
/// Signs that a line may end behind.
const ENDS: &str = ",;)]}|&/、，；";

/// Measures narrower characters as wide as a viewer may draw them: its family need not be the one here.
pub(super) fn widen(chars: &mut [Char]) {
    for c in chars {
        let least = match columns(c.character) {
            0 => 0.0,
            1 => COLUMN_EM,
            _ => 1.0,
        };
        c.measured = c.measured.max(least);
    }
}

impl Shaped {
    /// How far the lines after the first are indented, in em: further than the first.
    pub(super) fn hang(&self, room: f32) -> f32 {
        let blanks = self.chars.iter().take_while(|c| c.character == ' ');
        let blanks: f32 = blanks.map(|c| c.advance).sum();
        (blanks + HANG_COLUMNS * COLUMN_EM).min(room * HANG_SHARE_MAX)
    }

    /// The lines when each holds `room` em.
    pub(super) fn code_lines(&self, room: f32) -> Vec<Span> {
        let hang = self.hang(room);
        let (mut lines, mut from, mut filled) = (Vec::new(), 0, 0.0);
        let mut end = None;
        let mut at = 0;
        while let Some(c) = self.chars.get(at) {
            let room = if lines.is_empty() { room } else { room - hang };
            let blank = c.character.is_whitespace();
            // A blank at the end of a line takes no room, and no line begins with what joins the character before.
            if filled + c.measured > room && !blank && columns(c.character) > 0 && at > from {
                let cut = end.take().filter(|end| *end > from).unwrap_or(at);
                lines.push(from..cut);
                (from, at, filled) = (cut, cut, 0.0);
                continue;
            }
            filled += c.measured;
            at += 1;
            if (blank || ENDS.contains(c.character)) && filled >= room * FILLED_SHARE {
                end = Some(at);
            }
        }
        if from < self.chars.len() {
            lines.push(from..self.chars.len());
        }
        lines
    }
}
