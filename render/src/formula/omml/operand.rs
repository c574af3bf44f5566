//! What a large operator or a function applies to. Office Math wants to know, and LaTeX does not say.

use super::super::tree::{Part, Role};

/// A space from which on what follows is something else.
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

/// Up to the next relation, comma or closing bracket; for what is not an integral up to the next plus or minus too.
fn of_large(after: &[&Part], is_integral: bool) -> usize {
    let mut depth = 0_usize;
    let mut end = 0;
    for (at, part) in after.iter().enumerate() {
        match part.role() {
            Some(Role::Open) => depth += 1,
            Some(Role::Close) if depth == 0 && !is_mark(part) => break,
            Some(Role::Close) => depth = depth.saturating_sub(1),
            Some(Role::Relation | Role::Punctuation) if depth == 0 => break,
            Some(Role::Binary) if depth == 0 && !is_integral && is_sum(part) => break,
            Some(
                Role::Relation
                | Role::Punctuation
                | Role::Binary
                | Role::Ordinary
                | Role::Tight
                | Role::Inner,
            )
            | None => {}
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

/// Whether the sign closes nothing, as those of factorials do.
fn is_mark(part: &Part) -> bool {
    sign(part).is_some_and(|sign| matches!(sign, "!" | "?"))
}

/// Whether the sign adds or takes away.
fn is_sum(part: &Part) -> bool {
    sign(part).is_some_and(|sign| matches!(sign, "+" | "−" | "±" | "∓"))
}

/// The sign of an operator.
fn sign(part: &Part) -> Option<&str> {
    if let Part::Scripts { base, .. } = part {
        return sign(base);
    }
    if let Part::Operator { sign, .. } | Part::Delimiter { sign, .. } = part {
        Some(sign)
    } else {
        None
    }
}

/// Whether something else begins with the part.
fn is_apart(part: &Part) -> bool {
    matches!(
        part,
        Part::Space(APART_EM..) | Part::Text { .. } | Part::Middle(_)
    )
}

/// The bracket that follows, or the letters and numbers up to the next sign; a function of a function takes that.
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
        match part.role() {
            Some(Role::Open) => depth += 1,
            Some(Role::Close) if !is_mark(part) => depth = depth.saturating_sub(1),
            Some(
                Role::Close
                | Role::Ordinary
                | Role::Tight
                | Role::Binary
                | Role::Relation
                | Role::Punctuation
                | Role::Inner,
            )
            | None => {}
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
        let Some(sign) = sign(part).filter(|_| !is_mark(part)) else {
            continue;
        };
        match part.role() {
            Some(Role::Open) => closing.push(partner(sign)),
            Some(Role::Close) if closing.pop() != Some(sign) => return false,
            Some(
                Role::Close
                | Role::Ordinary
                | Role::Tight
                | Role::Binary
                | Role::Relation
                | Role::Punctuation
                | Role::Inner,
            )
            | None => {}
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
