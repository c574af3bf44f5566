//! A formula on one line of text, for programs that know no formulas and for reading aloud: (a + b)/2, x^(n+1), [a, b; c, d].

use super::tree::fonts::alphabet;
use super::tree::{Part, Role, Variant};

/// The formula in words and signs.
pub(super) fn words(part: &Part) -> String {
    let mut out = String::new();
    put(part, &mut out);
    out.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn put(part: &Part, out: &mut String) {
    match part {
        Part::Row(parts) => parts.iter().for_each(|part| put(part, out)),
        Part::Letters { text, variant } | Part::Number { text, variant } => {
            out.push_str(&lettered(text, *variant));
        }
        Part::Text { text, .. } => out.push_str(text),
        Part::Operator { sign, role } | Part::Delimiter { sign, role, .. } => {
            operator(sign, *role, out);
        }
        Part::Middle(sign) | Part::Large(sign) => out.push_str(sign),
        Part::Function(name) => {
            put(name, out);
            out.push(' ');
        }
        Part::Space(em) if *em > 0.0 => out.push(' '),
        Part::Space(_) => {}
        Part::Fraction { above, below, .. } => {
            grouped(above, out);
            out.push('/');
            grouped(below, out);
        }
        Part::Root { of, degree } => {
            if let Some(degree) = degree {
                scripted("^", degree, out);
            }
            out.push('√');
            grouped(of, out);
        }
        Part::Scripts {
            base, above, below, ..
        } => {
            put(base, out);
            scripts(above.as_deref(), below.as_deref(), out);
        }
        Part::Prescripts { base, above, below } => {
            scripts(above.as_deref(), below.as_deref(), out);
            put(base, out);
        }
        Part::Fenced { open, close, inner } => {
            out.push_str(open);
            put(inner, out);
            out.push_str(close);
        }
        Part::Table(table) => {
            let cells = |row: &Vec<Part>| row.iter().map(words).collect::<Vec<_>>().join(", ");
            let rows: Vec<String> = table.rows.iter().map(cells).collect();
            out.push_str(&rows.join("; "));
        }
        Part::Accent { mark, base, .. } => {
            put(base, out);
            out.push(*mark);
        }
        Part::Arrow { sign, above, below } => {
            out.push_str(&format!(" {sign}"));
            scripts(above.as_deref(), below.as_deref(), out);
            out.push(' ');
        }
        Part::Line { base: inner, .. }
        | Part::Brace { base: inner, .. }
        | Part::Framed { inner, .. }
        | Part::Phantom {
            seen: true, inner, ..
        }
        | Part::Styled { inner, .. } => put(inner, out),
        Part::Phantom { seen: false, .. } => {}
    }
}

/// Letters in a line of text: they keep their look only where it has a meaning of its own.
fn lettered(text: &str, variant: Variant) -> String {
    match variant {
        Variant::DoubleStruck | Variant::Script | Variant::Fraktur => alphabet(text, variant),
        Variant::Upright
        | Variant::Italic
        | Variant::Bold
        | Variant::BoldItalic
        | Variant::SansSerif
        | Variant::Monospace => text.to_owned(),
    }
}

fn operator(sign: &str, role: Role, out: &mut String) {
    match role {
        Role::Binary | Role::Relation => out.push_str(&format!(" {sign} ")),
        Role::Punctuation => out.push_str(&format!("{sign} ")),
        Role::Ordinary | Role::Tight | Role::Open | Role::Close | Role::Inner => out.push_str(sign),
    }
}

fn scripts(above: Option<&Part>, below: Option<&Part>, out: &mut String) {
    for (sign, script) in [("_", below), ("^", above)] {
        if let Some(script) = script.filter(|script| !script.is_empty()) {
            scripted(sign, script, out);
        }
    }
}

fn scripted(sign: &str, script: &Part, out: &mut String) {
    let said = words(script);
    // Primes and degrees are raised already.
    if sign == "^" && said.chars().all(|c| matches!(c, '′' | '″' | '‴' | '°')) {
        out.push_str(&said);
        return;
    }
    out.push_str(sign);
    grouped(script, out);
}

/// Writes a part in brackets, unless it is a single thing.
fn grouped(part: &Part, out: &mut String) {
    let said = words(part);
    if said.chars().all(char::is_alphanumeric) {
        out.push_str(&said);
    } else {
        out.push_str(&format!("({said})"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_formula_is_read_on_one_line() {
        for (latex, said) in [
            ("\\frac{a+b}{2}", "(a + b)/2"),
            (
                "\\begin{pmatrix} a & b \\\\ c & d \\end{pmatrix}",
                "(a, b; c, d)",
            ),
            ("x_{n+1}^{2} \\in \\mathbb{R}", "x_(n + 1)^2 ∈ ℝ"),
            ("\\sqrt[3]{x}, f'(x)", "^3√x, f′(x)"),
            ("v = \\frac{\\text{路程}}{t}", "v = 路程/t"),
            ("\\sin \\theta", "sin θ"),
        ] {
            let nodes = ratex_parser::parse(latex).expect(latex);
            let tree = super::super::tree::tree(&nodes, false).expect(latex);
            assert_eq!(words(&tree), said, "{latex}");
        }
    }
}
