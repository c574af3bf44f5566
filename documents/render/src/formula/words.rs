//! A formula on one line of text, for programs that know no formulas and for reading aloud: (a + b)/2, x^(n+1), [a, b; c, d].

use super::tree::fonts::alphabet;
use super::tree::{Bracket, Part, Role, Variant};

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
        Part::Fraction {
            above,
            below,
            ruled,
        } => {
            grouped(above, out);
            out.push_str(if *ruled { "/" } else { "; " });
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
            let said = words(base);
            if is_wide(base) && said.chars().count() > 1 {
                out.push_str(&format!("({said})"));
            } else {
                put(base, out);
            }
            scripts(above.as_deref(), below.as_deref(), out);
        }
        Part::Prescripts { base, above, below } => {
            scripts(above.as_deref(), below.as_deref(), out);
            put(base, out);
        }
        Part::Fenced { open, close, inner } => {
            if let Some((of, chosen)) = binomial(open, close, inner) {
                out.push_str(&format!("C({}, {})", words(of), words(chosen)));
                return;
            }
            out.push_str(open);
            put(inner, out);
            // The brace of cases has no other; on a line it says where the cases end.
            let ends = open == "{" && close.is_empty();
            out.push_str(if ends { "}" } else { close });
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

/// A part without the rows that hold nothing else.
fn alone(part: &Part) -> &Part {
    if let Part::Row(parts) = part
        && let [only] = &parts[..]
    {
        alone(only)
    } else {
        part
    }
}

/// Out of how many how many are chosen: two things in round brackets, one above the other without a line.
fn binomial<'a>(open: &str, close: &str, inner: &'a Part) -> Option<(&'a Part, &'a Part)> {
    if let Part::Fraction {
        above,
        below,
        ruled: false,
    } = alone(inner)
        && (open, close) == ("(", ")")
    {
        Some((above, below))
    } else {
        None
    }
}

/// Whether a script would be read as one of the last sign alone.
fn is_wide(base: &Part) -> bool {
    let base = alone(base);
    if let Part::Row(parts) = base {
        return !is_bracketed(parts);
    }
    matches!(
        base,
        Part::Fraction { .. }
            | Part::Root { .. }
            | Part::Brace { .. }
            | Part::Line { .. }
            | Part::Framed { .. }
            | Part::Styled { .. }
    )
}

/// Whether the first part is a bracket that the last one closes, or there is nothing.
fn is_bracketed(parts: &[Part]) -> bool {
    let mut depth = 0_usize;
    for (at, part) in parts.iter().enumerate() {
        match part.bracket() {
            Some(Bracket::Opens) => depth += 1,
            Some(Bracket::Closes) => depth = depth.saturating_sub(1),
            None => {}
        }
        if depth == 0 {
            return at + 1 == parts.len() && at > 0;
        }
    }
    parts.is_empty()
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
            ("{(a+b)(c+d)}^2", "((a + b)(c + d))^2"),
            ("{(a+b)}^2", "(a + b)^2"),
            ("\\binom{n}{k}", "C(n, k)"),
            ("{n \\atop k}", "n; k"),
            (
                "f(x) = \\begin{cases} 0 & x < 0 \\\\ 1 & \\text{otherwise} \\end{cases}",
                "f(x) = {0, x < 0; 1, otherwise}",
            ),
            ("\\underbrace{a+b}_{n}", "(a + b)_n"),
            ("\\overbrace{a+b}^{\\text{sum}} + c", "(a + b)^sum + c"),
            ("{a+b}^2", "(a + b)^2"),
            ("(a+b)^2", "(a + b)^2"),
            ("\\overline{AB}^2", "(AB)^2"),
            ("\\left(\\frac{1}{2}\\right)^2", "(1/2)^2"),
        ] {
            let nodes = ratex_parser::parse(latex).expect(latex);
            let tree = super::super::tree::tree(&nodes, false).expect(latex);
            assert_eq!(words(&tree), said, "{latex}");
        }
    }
}
