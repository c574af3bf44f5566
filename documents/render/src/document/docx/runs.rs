//! Words and how they are drawn.

use docx_rs::{Run, RunFonts, Shading};

use super::styles::{LINK, NAME, SHADE, SOFT, VALUE};
use crate::code::CodePart;

/// How words are drawn: how many of each mark are open.
#[derive(Default)]
pub(super) struct Marks {
    pub(super) bold: usize,
    pub(super) italic: usize,
    pub(super) strike: usize,
    pub(super) code: usize,
    /// Which part of a program the words are.
    pub(super) part: Option<CodePart>,
}

impl Marks {
    /// An empty run with these marks.
    pub(super) fn run(&self) -> Run {
        let mut run = Run::new();
        if self.bold > 0 {
            run = run.bold();
        }
        if self.italic > 0 {
            run = run.italic();
        }
        if self.strike > 0 {
            run = run.strike();
        }
        if self.code > 0 {
            let mono = RunFonts::new()
                .ascii("Courier New")
                .hi_ansi("Courier New")
                .cs("Courier New");
            run = run.fonts(mono).shading(Shading::new().fill(SHADE));
        }
        if let Some(part) = self.part {
            run = run.color(match part {
                CodePart::Keyword => LINK,
                CodePart::Name => NAME,
                CodePart::Value => VALUE,
                CodePart::Comment => SOFT,
            });
        }
        run
    }
}
