//! Formulas of `OpenDocument` (`MathML`) in LaTeX.
//!
//! Elements without a counterpart in LaTeX keep their text, in the order of the file.

use roxmltree::Node;

use super::math_signs::{append, function, is_function, signs, text_words};
use crate::xml::Element as _;

/// A `math` or any part of one.
pub(in crate::readers) fn latex(node: Node<'_, '_>) -> String {
    let mut latex = String::new();
    for child in node.elements() {
        append(&mut latex, &element(child));
    }
    latex
}

fn element(node: Node<'_, '_>) -> String {
    let words = || node.words().trim().to_owned();
    match node.name() {
        "mi" if is_function(&words()) => format!("{} ", function(&words())),
        "mi" if words().len() > 1 && words().chars().all(|sign| sign.is_ascii_alphabetic()) => {
            format!("\\mathrm{{{}}}", words())
        }
        "mi" | "mn" | "mo" => signs(&words()),
        "mtext" | "ms" => text_words(&words()),
        "mspace" => " ".to_owned(),
        "mfrac" => format!("\\frac{{{}}}{{{}}}", part(node, 0), part(node, 1)),
        "msup" => format!("{}^{{{}}}", base(node), part(node, 1)),
        "msub" => format!("{}_{{{}}}", base(node), part(node, 1)),
        "msubsup" | "munderover" => {
            format!("{}_{{{}}}^{{{}}}", base(node), part(node, 1), part(node, 2))
        }
        "munder" => format!("{}_{{{}}}", base(node), part(node, 1)),
        "mover" => over(node),
        "msqrt" => format!("\\sqrt{{{}}}", latex(node)),
        "mroot" => format!("\\sqrt[{}]{{{}}}", part(node, 1), part(node, 0)),
        "mtable" => {
            let rows: Vec<String> = node.elements().map(row).collect();
            format!("\\begin{{matrix}}{}\\end{{matrix}}", rows.join(" \\\\ "))
        }
        "mfenced" => {
            let parts: Vec<String> = node.elements().map(element).collect();
            let open = node.attr("open").unwrap_or("(");
            let close = node.attr("close").unwrap_or(")");
            format!("{}{}{}", signs(open), parts.join(","), signs(close))
        }
        // The same formula in another language.
        "annotation" | "annotation-xml" => String::new(),
        _ => latex(node),
    }
}

fn row(row: Node<'_, '_>) -> String {
    let cells: Vec<String> = row.elements().map(latex).collect();
    cells.join(" & ")
}

fn part(node: Node<'_, '_>, index: usize) -> String {
    let part = node.elements().nth(index);
    part.map(element).unwrap_or_default().trim().to_owned()
}

fn base(node: Node<'_, '_>) -> String {
    let base = part(node, 0);
    let single = base.chars().count() == 1
        || base.strip_prefix('\\').is_some_and(|name| {
            !name.is_empty() && name.chars().all(|sign| sign.is_ascii_alphabetic())
        });
    if single { base } else { format!("{{{base}}}") }
}

fn over(node: Node<'_, '_>) -> String {
    let above = node.elements().nth(1).map(|above| above.words());
    let command = match above.as_deref().map(str::trim) {
        Some("→" | "\u{20D7}") => "vec",
        Some("^" | "\u{302}" | "ˆ") => "hat",
        Some("¯" | "‾" | "\u{304}") => "overline",
        Some("~" | "˜" | "\u{303}") => "tilde",
        Some("˙" | "\u{307}") => "dot",
        Some(_) | None => return format!("{}^{{{}}}", base(node), part(node, 1)),
    };
    format!("\\{command}{{{}}}", part(node, 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mathml_becomes_latex() {
        let xml = "<math><semantics><mrow><mi>E</mi><mo>=</mo><mfrac><msup><mi>x</mi><mn>2</mn></msup>\
                   <msqrt><mi>α</mi></msqrt></mfrac></mrow><annotation>E = ..</annotation></semantics></math>";
        let tree = roxmltree::Document::parse(xml).unwrap();
        assert_eq!(
            latex(tree.root_element()),
            "E=\\frac{x^{2}}{\\sqrt{\\alpha}}"
        );
    }
}
