//! Formulas of Office (OMML) in LaTeX.
//!
//! Elements without a counterpart in LaTeX keep their text, in the order of the file.

use roxmltree::Node;

use super::math_signs::{append, command, function, is_function, signs, text_words};
use crate::xml::Element as _;

/// An `oMath` or any part of one. The tree is no deeper than a part may be, so recursion ends.
pub(in crate::readers) fn latex(node: Node<'_, '_>) -> String {
    let mut latex = String::new();
    for child in node.elements() {
        append(&mut latex, &element(child));
    }
    latex
}

fn element(node: Node<'_, '_>) -> String {
    match node.name() {
        "r" => run(node),
        "f" => fraction(node),
        "sSup" => format!("{}^{{{}}}", base(node), part(node, "sup")),
        "sSub" => format!("{}_{{{}}}", base(node), part(node, "sub")),
        "sSubSup" => format!(
            "{}_{{{}}}^{{{}}}",
            base(node),
            part(node, "sub"),
            part(node, "sup")
        ),
        "sPre" => format!(
            "{{}}_{{{}}}^{{{}}}{}",
            part(node, "sub"),
            part(node, "sup"),
            base(node)
        ),
        "rad" => root(node),
        "nary" => sum(node),
        "d" => delimiters(node),
        "m" => matrix(node),
        "eqArr" => lines(node),
        "func" => applied(node),
        "limLow" => format!("{}_{{{}}}", limit_base(node), part(node, "lim")),
        "limUpp" => format!("{}^{{{}}}", limit_base(node), part(node, "lim")),
        "acc" => accent(node),
        "bar" => bar(node),
        "groupChr" => group(node),
        "borderBox" => format!("\\boxed{{{}}}", part(node, "e")),
        // Properties have no words, and neither has deleted text.
        name if name.ends_with("Pr") || name == "del" => String::new(),
        "t" => signs(node.text().unwrap_or_default()),
        _ => latex(node),
    }
}

fn part(node: Node<'_, '_>, name: &str) -> String {
    node.child(name).map(latex).unwrap_or_default()
}

/// The base of a script: in braces unless it is one sign or one command.
fn base(node: Node<'_, '_>) -> String {
    let base = part(node, "e");
    let single = base.chars().count() == 1
        || base.strip_prefix('\\').is_some_and(|name| {
            !name.is_empty() && name.chars().all(|sign| sign.is_ascii_alphabetic())
        });
    if single { base } else { format!("{{{base}}}") }
}

fn limit_base(node: Node<'_, '_>) -> String {
    let words = node.child("e").map(|e| e.words()).unwrap_or_default();
    let words = words.trim();
    if is_function(words) {
        return function(words);
    }
    base(node)
}

fn run(node: Node<'_, '_>) -> String {
    let text: String = node
        .elements()
        .filter(|child| child.name() == "t")
        .filter_map(|child| child.text())
        .collect();
    let properties = node.child("rPr");
    if properties.is_some_and(|properties| properties.toggle("nor") == Some(true)) {
        return text_words(&text);
    }
    let latex = signs(&text);
    let style = properties.and_then(|properties| properties.val("sty"));
    let script = properties.and_then(|properties| properties.val("scr"));
    let is_word = text.chars().all(|sign| sign.is_ascii_alphabetic());
    match (script, style) {
        (Some("double-struck"), _) => format!("\\mathbb{{{latex}}}"),
        (Some("script"), _) => format!("\\mathcal{{{latex}}}"),
        (Some("fraktur"), _) => format!("\\mathfrak{{{latex}}}"),
        (_, Some("b" | "bi")) if is_word => format!("\\mathbf{{{latex}}}"),
        (_, Some("p")) if is_word && is_function(&text) => function(&text),
        (_, Some("p")) if is_word && !text.is_empty() => format!("\\mathrm{{{latex}}}"),
        _ => latex,
    }
}

fn fraction(node: Node<'_, '_>) -> String {
    let (above, below) = (part(node, "num"), part(node, "den"));
    match node
        .child("fPr")
        .and_then(|properties| properties.val("type"))
    {
        Some("lin" | "skw") => format!("{{{above}}}/{{{below}}}"),
        Some("noBar") => format!("\\genfrac{{}}{{}}{{0pt}}{{}}{{{above}}}{{{below}}}"),
        _ => format!("\\frac{{{above}}}{{{below}}}"),
    }
}

fn root(node: Node<'_, '_>) -> String {
    let degree = part(node, "deg");
    if degree.is_empty() {
        return format!("\\sqrt{{{}}}", part(node, "e"));
    }
    format!("\\sqrt[{degree}]{{{}}}", part(node, "e"))
}

fn sum(node: Node<'_, '_>) -> String {
    let sign = node
        .child("naryPr")
        .and_then(|properties| properties.val("chr"));
    let mut latex = signs(sign.unwrap_or("∫"));
    let (below, above) = (part(node, "sub"), part(node, "sup"));
    if !below.is_empty() {
        latex.push_str(&format!("_{{{below}}}"));
    }
    if !above.is_empty() {
        latex.push_str(&format!("^{{{above}}}"));
    }
    latex.push(' ');
    latex + &part(node, "e")
}

fn delimiters(node: Node<'_, '_>) -> String {
    let properties = node.child("dPr");
    let sign = |name, usual| {
        let sign = properties.and_then(|properties| properties.val(name));
        sign.unwrap_or(usual).trim()
    };
    let (open, between, close) = (
        sign("begChr", "("),
        sign("sepChr", "|"),
        sign("endChr", ")"),
    );
    let parts: Vec<String> = node
        .elements()
        .filter(|child| child.name() == "e")
        .map(latex)
        .collect();
    let mut latex = format!("\\left{}", fence(open));
    append(&mut latex, &parts.join(&signs(between)));
    append(&mut latex, &format!("\\right{}", fence(close)));
    latex
}

/// A bracket that grows with its content; a point if there is none.
fn fence(sign: &str) -> String {
    match sign {
        "" => ".".to_owned(),
        "{" | "}" => format!("\\{sign}"),
        other => signs(other),
    }
}

fn matrix(node: Node<'_, '_>) -> String {
    let rows: Vec<String> = node
        .elements()
        .filter(|row| row.name() == "mr")
        .map(|row| cells(row).join(" & "))
        .collect();
    format!("\\begin{{matrix}}{}\\end{{matrix}}", rows.join(" \\\\ "))
}

fn lines(node: Node<'_, '_>) -> String {
    // An ampersand in a line marks where lines are aligned.
    let lines: Vec<String> = cells(node)
        .into_iter()
        .map(|line| line.replace("\\&", "&"))
        .collect();
    format!("\\begin{{aligned}}{}\\end{{aligned}}", lines.join(" \\\\ "))
}

fn cells(node: Node<'_, '_>) -> Vec<String> {
    node.elements()
        .filter(|cell| cell.name() == "e")
        .map(latex)
        .collect()
}

fn applied(node: Node<'_, '_>) -> String {
    let name = node.child("fName");
    let words = name.map(|name| name.words()).unwrap_or_default();
    let words = words.trim();
    let mut latex = if is_function(words) {
        function(words)
    } else if !words.is_empty() && words.chars().all(|sign| sign.is_ascii_alphabetic()) {
        match part(node, "fName") {
            // Already upright, or a limit below a name.
            name if name.starts_with('\\') => name,
            _ => function(words),
        }
    } else {
        part(node, "fName")
    };
    latex.push(' ');
    latex + &part(node, "e")
}

fn accent(node: Node<'_, '_>) -> String {
    let sign = node
        .child("accPr")
        .and_then(|properties| properties.val("chr"));
    let command = match sign.unwrap_or("\u{302}") {
        "\u{302}" | "^" => "hat",
        "\u{303}" | "~" => "tilde",
        "\u{304}" | "\u{305}" | "¯" => "overline",
        "\u{307}" | "˙" => "dot",
        "\u{308}" | "¨" => "ddot",
        "\u{20D7}" | "→" => "vec",
        "\u{30C}" => "check",
        "\u{306}" => "breve",
        _ => "hat",
    };
    format!("\\{command}{{{}}}", part(node, "e"))
}

fn bar(node: Node<'_, '_>) -> String {
    let place = node
        .child("barPr")
        .and_then(|properties| properties.val("pos"));
    let command = if place == Some("top") {
        "overline"
    } else {
        "underline"
    };
    format!("\\{command}{{{}}}", part(node, "e"))
}

fn group(node: Node<'_, '_>) -> String {
    let properties = node.child("groupChrPr");
    let sign = properties
        .and_then(|properties| properties.val("chr"))
        .unwrap_or("⏟");
    let inner = part(node, "e");
    match sign {
        "⏟" => format!("\\underbrace{{{inner}}}"),
        "⏞" => format!("\\overbrace{{{inner}}}"),
        other => {
            let sign = other
                .chars()
                .next()
                .and_then(command)
                .unwrap_or_else(|| signs(other));
            format!("\\overset{{{sign}}}{{{inner}}}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(xml: &str) -> String {
        let xml = format!("<m:oMath xmlns:m=\"m\">{xml}</m:oMath>");
        let tree = roxmltree::Document::parse(&xml).unwrap();
        latex(tree.root_element())
    }

    fn r(text: &str) -> String {
        format!("<m:r><m:t>{text}</m:t></m:r>")
    }

    #[test]
    fn a_formula_of_each_kind_becomes_latex() {
        let e = |text: &str| format!("<m:e>{}</m:e>", r(text));
        let cases = [
            (
                format!(
                    "<m:f><m:num>{}</m:num><m:den>{}</m:den></m:f>",
                    r("a"),
                    r("2b")
                ),
                "\\frac{a}{2b}",
            ),
            (
                format!("<m:sSup>{}<m:sup>{}</m:sup></m:sSup>", e("x"), r("2")),
                "x^{2}",
            ),
            (
                format!("<m:sSub>{}<m:sub>{}</m:sub></m:sSub>", e("α"), r("ij")),
                "\\alpha_{ij}",
            ),
            (format!("<m:rad><m:deg/>{}</m:rad>", e("x")), "\\sqrt{x}"),
            (
                format!("<m:rad><m:deg>{}</m:deg>{}</m:rad>", r("3"), e("x")),
                "\\sqrt[3]{x}",
            ),
            (
                format!(
                    "<m:nary><m:naryPr><m:chr m:val='∑'/></m:naryPr><m:sub>{}</m:sub><m:sup>{}</m:sup>{}</m:nary>",
                    r("i=1"),
                    r("n"),
                    e("i")
                ),
                "\\sum_{i=1}^{n} i",
            ),
            (format!("<m:d>{}</m:d>", e("a+b")), "\\left(a+b\\right)"),
            (
                format!(
                    "<m:m><m:mr>{}{}</m:mr><m:mr>{}{}</m:mr></m:m>",
                    e("1"),
                    e("0"),
                    e("0"),
                    e("1")
                ),
                "\\begin{matrix}1 & 0 \\\\ 0 & 1\\end{matrix}",
            ),
            (
                format!("<m:func><m:fName>{}</m:fName>{}</m:func>", r("sin"), e("x")),
                "\\sin x",
            ),
            (format!("{}{}", r("Δ"), r("t≤5%")), "\\Delta t\\leq5\\%"),
            (r("速度=𝑣"), "\\text{速度}=v"),
            (format!("<m:unknown>{}</m:unknown>", r("kept")), "kept"),
        ];
        for (xml, latex) in cases {
            assert_eq!(of(&xml), latex);
        }
    }
}
