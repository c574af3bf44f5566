//! What a large operator or a function applies to. Office Math wants to know, and LaTeX does not say.

use super::super::tree::{Bracket, Part, Role};

/// What follows a space of at least this width does not belong to the operand.
const APART_EM: f64 = 0.9;

/// How many of the parts after it the part applies to: none unless it is a large operator or a function.
pub(super) fn length(part: &Part, after: &[&Part]) -> usize {
    match part.large() {
        Some(sign) => of_large(after, is_integral(sign)),
        None if part.is_function() => of_function(after),
        None => 0,
    }
}

/// Whether the sign is that of an integral, which reaches over sums up to its differential.
fn is_integral(sign: &str) -> bool {
    sign.chars()
        .all(|char| ('\u{222B}'..='\u{2233}').contains(&char))
}

/// Counts the parts up to the next relation, comma or closing bracket; if the operator is not an integral, a plus or minus ends them too.
fn of_large(after: &[&Part], is_integral: bool) -> usize {
    let mut depth = 0_usize;
    let mut end = 0;
    for (at, part) in after.iter().enumerate() {
        match part.bracket() {
            Some(Bracket::Opens) => depth += 1,
            Some(Bracket::Closes) if depth == 0 => break,
            Some(Bracket::Closes) => depth -= 1,
            None if depth > 0 => {}
            None if matches!(part.role(), Some(Role::Relation | Role::Punctuation)) => break,
            None if part.role() == Some(Role::Binary) && !is_integral && is_sum(part) => break,
            None => {}
        }
        if depth == 0 && is_apart(part) {
            break;
        }
        if !matches!(part, Part::Space(_)) {
            end = at + 1;
        }
    }
    end
}

/// Whether the sign adds or takes away.
fn is_sum(part: &Part) -> bool {
    matches!(part.sign(), Some("+" | "−" | "±" | "∓"))
}

/// Whether something else begins with the part.
fn is_apart(part: &Part) -> bool {
    matches!(
        part,
        Part::Space(APART_EM..) | Part::Text { .. } | Part::Middle(_)
    )
}

/// Counts the parts of the bracket that follows, or the letters and numbers up to the next sign; if another function follows, that one.
fn of_function(after: &[&Part]) -> usize {
    let spaces = after
        .iter()
        .take_while(|part| matches!(part, Part::Space(em) if *em < APART_EM))
        .count();
    let rest = after.get(spaces..).unwrap_or_default();
    let Some((first, others)) = rest.split_first() else {
        return 0;
    };
    let length = if first.is_function() || first.large().is_some() {
        1 + length(first, others)
    } else if first.role() == Some(Role::Open) {
        bracket(rest)
    } else {
        rest.iter().take_while(|part| is_quantity(part)).count()
    };
    if length == 0 { 0 } else { spaces + length }
}

/// The parts up to the bracket that closes the first one, or none if it is not closed.
fn bracket(parts: &[&Part]) -> usize {
    let mut depth = 0_usize;
    for (at, part) in parts.iter().enumerate() {
        match part.bracket() {
            Some(Bracket::Opens) => depth += 1,
            Some(Bracket::Closes) => depth = depth.saturating_sub(1),
            None => {}
        }
        if depth == 0 {
            return at + 1;
        }
    }
    0
}

/// Whether the part is a quantity that a function can apply to.
fn is_quantity(part: &Part) -> bool {
    match part {
        Part::Letters { .. }
        | Part::Number { .. }
        | Part::Fraction { .. }
        | Part::Root { .. }
        | Part::Fenced { .. }
        | Part::Prescripts { .. }
        | Part::Accent { .. }
        | Part::Line { .. }
        | Part::Brace { .. }
        | Part::Framed { .. } => true,
        Part::Scripts { base, .. } => is_quantity(base),
        Part::Operator { role, .. } => *role == Role::Ordinary,
        Part::Row(_)
        | Part::Delimiter { .. }
        | Part::Middle(_)
        | Part::Large(_)
        | Part::Function(_)
        | Part::Text { .. }
        | Part::Space(_)
        | Part::Table(_)
        | Part::Arrow { .. }
        | Part::Phantom { .. }
        | Part::Styled { .. } => false,
    }
}

/// Whether each bracket is closed by one of its kind. `[0, 1)` is not, and must be read as it is.
pub(super) fn is_balanced(parts: &[&Part]) -> bool {
    let mut closing = Vec::new();
    for part in parts {
        let Some(sign) = part.sign() else {
            continue;
        };
        match part.bracket() {
            Some(Bracket::Opens) => closing.push(partner(sign)),
            Some(Bracket::Closes) if closing.pop() != Some(sign) => return false,
            Some(Bracket::Closes) | None => {}
        }
    }
    closing.is_empty()
}

/// The bracket that closes another one.
fn partner(open: &str) -> &str {
    match open {
        "(" => ")",
        "[" => "]",
        "{" => "}",
        "⟨" => "⟩",
        "⌈" => "⌉",
        "⌊" => "⌋",
        same => same,
    }
}
