//! Formulas of a report. While it is written, each is a mark that no sanitiser and no writer of documents changes; the mark then
//! becomes the formula.

use std::sync::Arc;

use crate::formula::Formula;
use crate::html::escape;

/// What a mark stands between: characters of private use, which no text has.
const OPEN: char = '\u{e100}';
const CLOSE: char = '\u{e101}';

/// The formulas of a report in their order.
#[derive(Debug, Default)]
pub(super) struct Formulas(Vec<Arc<Formula>>);

impl Formulas {
    /// The mark of a formula; nothing where it cannot be drawn.
    pub(super) fn mark(&mut self, latex: &str, display: bool) -> Option<String> {
        let formula = Formula::new(latex.trim(), display)?;
        self.0.push(formula);
        Some(format!("{OPEN}{}{CLOSE}", self.0.len() - 1))
    }

    /// The text with each mark as its formula in HTML.
    pub(super) fn in_html(&self, html: &str) -> String {
        self.replaced(html, |before, formula, after| {
            (before.len(), formula.html(), after)
        })
    }

    /// A document's XML with each run that is a mark as its formula.
    pub(super) fn in_docx(&self, xml: &str) -> String {
        let properties =
            "<w:rPr><w:rFonts w:ascii=\"Cambria Math\" w:hAnsi=\"Cambria Math\"/></w:rPr>";
        self.replaced(xml, |before, formula, after| {
            let run = before.rfind("<w:r>").unwrap_or(before.len());
            let end = after.find("</w:r>").map_or(0, |at| at + "</w:r>".len());
            let math = formula.omml(properties).unwrap_or_else(|| {
                let words = escape(&formula.words());
                format!("<w:r><w:t xml:space=\"preserve\">{words}</w:t></w:r>")
            });
            let math = math.replacen(
                "<m:oMath>",
                "<m:oMath xmlns:m=\"http://schemas.openxmlformats.org/officeDocument/2006/math\">",
                1,
            );
            (run, math, &after[end..])
        })
    }

    /// `place` says how much of what is before a mark stays, what stands for the mark, and what of the rest stays.
    fn replaced<'t>(
        &self,
        text: &'t str,
        place: impl Fn(&'t str, &Formula, &'t str) -> (usize, String, &'t str),
    ) -> String {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some((before, mark)) = rest.split_once(OPEN) {
            let known = mark.split_once(CLOSE).and_then(|(number, after)| {
                let formula = self.0.get(number.parse::<usize>().ok()?)?;
                Some((formula, after))
            });
            let Some((formula, after)) = known else {
                out.push_str(before);
                rest = mark;
                continue;
            };
            let (kept, shown, after) = place(before, formula, after);
            out.push_str(&before[..kept]);
            out.push_str(&shown);
            rest = after;
        }
        out.push_str(rest);
        out
    }
}
