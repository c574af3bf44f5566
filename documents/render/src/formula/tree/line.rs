//! Parts that stand side by side: numbers and names in one piece, and the roles that neighbours give a sign.

use ratex_parser::ParseNode;
use ratex_parser::parse_node::Mode;
use unicode_normalization::UnicodeNormalization;

use super::{
    Bracket, Context, Part, Role, Table, Unsupported, node, nothing, number, role, scripts, signs,
};

/// The parts of a line that is being read.
#[derive(Debug, Default)]
pub(super) struct Line {
    parts: Vec<Part>,
    /// Whether the next sign is struck out by `\not`.
    negated: bool,
    /// What stands small before the next part.
    before: Option<Small>,
    /// The number of the equation, which stands at the end of the line.
    tag: Vec<Part>,
}

/// What is written small above and below.
#[derive(Debug)]
struct Small {
    above: Option<Box<Part>>,
    below: Option<Box<Part>>,
}

impl Small {
    /// At a base that is not there.
    fn alone(self) -> Part {
        Part::Scripts {
            base: Box::new(nothing()),
            above: self.above,
            below: self.below,
            as_limits: false,
        }
    }
}

/// What the nodes say as one part.
pub(super) fn row(nodes: &[ParseNode], context: Context) -> Result<Part, Unsupported> {
    if nodes
        .iter()
        .any(|node| matches!(node, ParseNode::Cr { .. }))
    {
        let lines = nodes.split(|node| matches!(node, ParseNode::Cr { .. }));
        let rows = lines
            .map(|line| Ok(vec![row(line, context)?]))
            .collect::<Result<Vec<_>, _>>()?;
        return Ok(Part::Table(Table::lines(rows, context.display)));
    }
    Ok(one(parts(nodes, context)?))
}

/// The parts of the nodes.
pub(super) fn parts(nodes: &[ParseNode], context: Context) -> Result<Vec<Part>, Unsupported> {
    let mut line = Line::default();
    fill(&mut line, nodes, context)?;
    Ok(line.end())
}

/// The part alone, or the parts in a row.
pub(super) fn one(mut parts: Vec<Part>) -> Part {
    match parts.pop() {
        Some(part) if parts.is_empty() => part,
        Some(part) => {
            parts.push(part);
            Part::Row(parts)
        }
        None => nothing(),
    }
}

/// Appends what the nodes say to the line.
pub(super) fn fill(
    line: &mut Line,
    nodes: &[ParseNode],
    context: Context,
) -> Result<(), Unsupported> {
    let mut rest = nodes;
    while let Some((first, after)) = rest.split_first() {
        let (text, used) = number::digits(rest);
        if text.is_empty() {
            node::append(line, first, context)?;
            rest = after;
            continue;
        }
        let number = number::number(text, context);
        rest = rest.get(used..).unwrap_or_default();
        match rest.split_first() {
            // The last digit of a number is the base of its scripts, and the number is meant.
            Some((
                ParseNode::SupSub {
                    base: Some(base),
                    sup,
                    sub,
                    ..
                },
                after,
            )) if number::digit(base).is_some() => {
                let number = number::extended(number, base);
                let above = scripts::script(sup.as_deref(), context)?;
                let below = scripts::script(sub.as_deref(), context)?;
                line.push(
                    Part::Scripts {
                        base: Box::new(number),
                        above,
                        below,
                        as_limits: false,
                    },
                    context,
                );
                rest = after;
            }
            _ => line.push(number, context),
        }
    }
    Ok(())
}

impl Line {
    /// Appends a part, and joins it to the last one where both are one name, one number of primes or one text.
    pub(super) fn push(&mut self, part: Part, context: Context) {
        let part = if std::mem::take(&mut self.negated) {
            struck(part)
        } else {
            part
        };
        if let Some(small) = self.before.take() {
            if part.role().is_none() && !matches!(part, Part::Space(_)) {
                let Small { above, below } = small;
                self.parts.push(Part::Prescripts {
                    base: Box::new(part),
                    above,
                    below,
                });
                return;
            }
            self.parts.push(small.alone());
        }
        self.join(part, context);
    }

    /// Joins a part to the last one, or appends it.
    fn join(&mut self, part: Part, context: Context) {
        if let (
            Some(Part::Prescripts { base, .. }),
            Part::Letters {
                text: more,
                variant: same,
            },
        ) = (self.parts.last_mut(), &part)
            && let Part::Letters { text, variant } = base.as_mut()
            && context.joined
            && variant == same
        {
            text.push_str(more);
            return;
        }
        match (self.parts.last_mut(), part) {
            (
                Some(Part::Letters { text, variant }),
                Part::Letters {
                    text: more,
                    variant: same,
                },
            ) if context.joined && *variant == same => {
                text.push_str(&more);
            }
            (
                Some(Part::Text { text, variant }),
                Part::Text {
                    text: more,
                    variant: same,
                },
            ) if *variant == same => {
                text.push_str(&more);
            }
            (Some(Part::Operator { sign, .. }), Part::Operator { sign: more, .. })
                if more == "′" && primes(sign) =>
            {
                *sign = match sign.as_str() {
                    "′" => "″".into(),
                    "″" => "‴".into(),
                    "‴" => "⁗".into(),
                    _ => format!("{sign}′"),
                };
            }
            (_, part) => self.parts.push(part),
        }
    }

    /// Strikes out the next sign.
    pub(super) fn negate(&mut self) {
        self.negated = true;
    }

    /// Sets small what stands before the next part.
    pub(super) fn prescripts(
        &mut self,
        above: Option<Box<Part>>,
        below: Option<Box<Part>>,
        context: Context,
    ) {
        if self.before.is_some() {
            self.push(nothing(), context);
        }
        self.before = Some(Small { above, below });
    }

    /// Numbers the equation.
    pub(super) fn tag(&mut self, parts: Vec<Part>) {
        self.tag.extend(parts);
    }

    /// Whether scripts can stand at the last part.
    pub(super) fn has_base(&self) -> bool {
        let can_stand = |part: &Part| match part.role() {
            Some(role) => role == Role::Close,
            None => !matches!(part, Part::Space(_) | Part::Middle(_)) && !part.is_empty(),
        };
        self.before.is_none() && self.parts.last().is_some_and(can_stand)
    }

    /// Takes the last part as the base of scripts, if they can stand at it: all of a bracket if that ends here.
    pub(super) fn take_base(&mut self) -> Option<Part> {
        let part = if self.has_base() {
            self.parts.pop()?
        } else {
            return None;
        };
        let is_bracket = matches!(
            &part,
            Part::Operator {
                role: Role::Close,
                ..
            }
        );
        Some(if is_bracket { self.bracket(part) } else { part })
    }

    /// The bracket that ends with the part, or the part alone if no bracket begins before it. For TeX the base is only the
    /// closing sign; for a person who reads or edits the formula it is the whole bracket.
    pub(super) fn bracket(&mut self, close: Part) -> Part {
        let Some(start) = self.opening(&close) else {
            return close;
        };
        let mut parts = self.parts.split_off(start);
        parts.push(close);
        role::settle(&mut parts);
        Part::Row(parts)
    }

    /// Where the bracket begins that ends with the sign.
    fn opening(&self, close: &Part) -> Option<usize> {
        close.bracket()?;
        let mut depth = 1_usize;
        for (at, part) in self.parts.iter().enumerate().rev() {
            match part.bracket() {
                Some(Bracket::Closes) => depth += 1,
                Some(Bracket::Opens) => depth -= 1,
                None => {}
            }
            if depth == 0 {
                return Some(at);
            }
        }
        None
    }

    /// The parts of the whole line.
    fn end(mut self) -> Vec<Part> {
        if let Some(small) = self.before.take() {
            self.parts.push(small.alone());
        }
        if self.negated {
            self.parts.push(Part::Operator {
                sign: "\u{338}".into(),
                role: Role::Ordinary,
            });
        }
        if !self.tag.is_empty() {
            self.parts.push(Part::Space(TAG_EM));
            self.parts.append(&mut self.tag);
        }
        role::settle(&mut self.parts);
        self.parts
    }
}

/// The room before the number of an equation.
const TAG_EM: f64 = 2.0;

/// Whether the sign is one of primes.
fn primes(sign: &str) -> bool {
    !sign.is_empty()
        && sign
            .chars()
            .all(|char| matches!(char, '′' | '″' | '‴' | '⁗'))
}

/// The part with its sign struck out: ≠ for =.
pub(super) fn struck(mut part: Part) -> Part {
    if let Part::Operator { sign: text, .. } | Part::Letters { text, .. } = &mut part {
        *text = crossed(text);
        return part;
    }
    if let Part::Scripts {
        base,
        above,
        below,
        as_limits,
    } = part
    {
        return Part::Scripts {
            base: Box::new(struck(*base)),
            above,
            below,
            as_limits,
        };
    }
    Part::Framed {
        frame: super::Frame::Rising,
        inner: Box::new(part),
    }
}

/// The sign with a stroke through its first character, as one character where Unicode has it.
fn crossed(sign: &str) -> String {
    let mut chars = sign.chars();
    let first: String = chars.next().into_iter().chain(['\u{338}']).nfc().collect();
    first + chars.as_str()
}

/// A space of so many em; one too small to be seen is left out.
pub(super) fn space(line: &mut Line, em: f64, context: Context) {
    if em.abs() > 0.001 {
        line.push(Part::Space(em), context);
    }
}

impl Table {
    /// Lines under each other.
    pub(super) fn lines(rows: Vec<Vec<Part>>, display: bool) -> Self {
        Self {
            rows,
            columns: vec![super::Column::Center],
            kind: super::Kind::Lines,
            display,
        }
    }
}

/// The sign of a symbol in its role.
pub(super) fn operator(symbol: &str, mode: Mode, role: Role) -> Result<Part, Unsupported> {
    Ok(Part::Operator {
        sign: signs::sign(symbol, mode)?,
        role,
    })
}
