//! Compares formulas of a deck with those that a program wrote into its file: the same formula may come back with different commands.

use spec::source::RichText;
use spec::text::{SpanKind, spans};

/// Stands for a formula where the words around it are compared.
const PLACE: char = '\u{fffc}';

/// Commands that mean the same, and commands that only change how something looks.
const SAME: [(&str, &str); 22] = [
    ("\\left(\\begin{matrix}", "\\begin{pmatrix}"),
    ("\\end{matrix}\\right)", "\\end{pmatrix}"),
    ("\\left[\\begin{matrix}", "\\begin{bmatrix}"),
    ("\\end{matrix}\\right]", "\\end{bmatrix}"),
    ("\\left|\\begin{matrix}", "\\begin{vmatrix}"),
    ("\\end{matrix}\\right|", "\\end{vmatrix}"),
    ("\\dfrac", "\\frac"),
    ("\\tfrac", "\\frac"),
    ("\\leq", "\\le"),
    ("\\geq", "\\ge"),
    ("\\neq", "\\ne"),
    ("\\rightarrow", "\\to"),
    ("\\limits", ""),
    ("\\displaystyle", ""),
    ("\\left", ""),
    ("\\right", ""),
    ("\\mathrm", ""),
    ("\\text", ""),
    ("\\,", ""),
    ("\\;", ""),
    ("\\quad", ""),
    ("\\!", ""),
];

/// Whether two formulas mean the same.
pub(super) fn same(a: &str, b: &str) -> bool {
    let plain = |latex: &str| {
        let latex: String = latex.split_whitespace().collect();
        let latex = SAME
            .iter()
            .fold(latex, |latex, (from, to)| latex.replace(from, to));
        latex.replace(['{', '}'], "")
    };
    plain(a) == plain(b)
}

/// A slot's text without its marks and with a place for each formula, and the formulas.
pub(super) fn of_slot(text: &str) -> (String, Vec<String>) {
    let (mut words, mut formulas) = (String::new(), Vec::new());
    for span in spans(text) {
        match span.kind {
            SpanKind::Formula(latex) => {
                words.push(PLACE);
                formulas.push(latex);
            }
            SpanKind::Words | SpanKind::Link(_) => words.push_str(&span.text),
        }
    }
    (words, formulas)
}

/// The same for a text in a file.
pub(super) fn of_file(text: &RichText) -> (String, Vec<String>) {
    let (mut words, mut formulas) = (String::new(), Vec::new());
    for piece in &text.pieces {
        if piece.marks.formula {
            words.push(PLACE);
            formulas.push(piece.text.trim().to_owned());
        } else {
            words.push_str(&piece.text);
        }
    }
    (words, formulas)
}

/// The text of a file in which each formula that the deck also has is written as in the deck.
pub(super) fn as_written(text: &RichText, written: &[String]) -> RichText {
    let mut text = text.clone();
    let mut left: Vec<&String> = written.iter().collect();
    for piece in text.pieces.iter_mut().filter(|piece| piece.marks.formula) {
        if let Some(at) = left.iter().position(|known| same(known, &piece.text)) {
            piece.text.clone_from(left.remove(at));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_formula_that_comes_back_in_other_commands_is_the_same() {
        for (deck, file) in [
            ("E = mc^2", "E=mc^{2}"),
            ("\\frac12", "\\frac{1}{2}"),
            (
                "\\begin{pmatrix} a & b \\\\ c & d \\end{pmatrix}",
                "\\left(\\begin{matrix}a & b \\\\ c & d\\end{matrix}\\right)",
            ),
        ] {
            assert!(same(deck, file), "{deck} and {file}");
        }
        assert!(!same("E = mc^2", "E=mc^{3}"));
    }
}
