//! Office Math: formulas that Word and `PowerPoint` can edit.
//!
//! The code that puts a formula into a document declares the prefix `m`. The order of elements is that of the schema,
//! which Word insists on.

mod operand;
mod run;
mod shape;

use super::tree::{Part, Role};
use run::Look;

/// The formula as one `m:oMath` element. The run properties, such as `<a:rPr lang="en-GB"/>` or `<w:rPr>…</w:rPr>`,
/// are put into each run as they are.
pub(crate) fn omml(part: &Part, run_properties: &str) -> String {
    let mut writer = Writer {
        out: String::from("<m:oMath>"),
        run_properties,
        run: None,
    };
    writer.content(part);
    writer.flush();
    writer.out.push_str("</m:oMath>");
    writer.out
}

/// Writes a formula from left to right.
#[derive(Debug)]
struct Writer<'a> {
    out: String,
    run_properties: &'a str,
    /// The run that more characters may still be put into.
    run: Option<(Look, String)>,
}

/// Where in its row a part stands: signs may lack what they stand between.
#[derive(Debug, Clone, Copy)]
struct Place {
    is_first: bool,
    is_last: bool,
    /// Whether each bracket of the row is closed by one of its kind.
    is_balanced: bool,
}

impl Place {
    /// The place of a part without others.
    const ALONE: Self = Self {
        is_first: true,
        is_last: true,
        is_balanced: false,
    };
}

/// What keeps a place that has nothing in it: Word draws a dotted box where there is no run.
const EMPTY: &str = "\u{200B}";

impl Writer<'_> {
    /// A part, or all parts of a row.
    fn content(&mut self, part: &Part) {
        let mut parts = Vec::new();
        flatten(part, &mut parts);
        self.row(&parts);
    }

    /// Parts side by side. A large operator and a function take what they apply to.
    fn row(&mut self, parts: &[&Part]) {
        let mut rest = parts;
        let mut is_first = true;
        let is_balanced = operand::is_balanced(parts);
        while let Some((part, after)) = rest.split_first() {
            let taken = operand::length(part, after);
            let (operand, after) = after.split_at(taken.min(after.len()));
            if operand.is_empty() {
                self.part(
                    part,
                    Place {
                        is_first,
                        is_last: after.is_empty(),
                        is_balanced,
                    },
                );
            } else if part.large().is_some() {
                self.nary(part, operand);
            } else {
                self.func(part, operand);
            }
            rest = after;
            is_first = false;
        }
    }

    /// An element with a part in it.
    fn argument(&mut self, name: &str, part: &Part) {
        let mut parts = Vec::new();
        flatten(part, &mut parts);
        self.arguments(name, &parts);
    }

    /// An element with parts in it, which is never empty.
    fn arguments(&mut self, name: &str, parts: &[&Part]) {
        self.open(name);
        let start = self.out.len();
        self.row(parts);
        self.flush();
        if self.out.len() == start {
            self.write(Look::Math, EMPTY);
        }
        self.close(name);
    }

    /// The start of an element.
    fn open(&mut self, name: &str) {
        self.flush();
        self.out.push_str("<m:");
        self.out.push_str(name);
        self.out.push('>');
    }

    /// The end of an element.
    fn close(&mut self, name: &str) {
        self.flush();
        self.out.push_str("</m:");
        self.out.push_str(name);
        self.out.push('>');
    }

    /// The properties of an element, each with its value, in the order of the schema.
    fn properties(&mut self, name: &str, values: &[(&str, &str)]) {
        self.open(name);
        for (name, value) in values {
            self.value(name, value);
        }
        self.close(name);
    }

    /// One property.
    fn value(&mut self, name: &str, value: &str) {
        let value = crate::html::escape(value);
        self.out
            .extend(["<m:", name, " m:val=\"", value.as_str(), "\"/>"]);
    }

    /// One part at its place.
    fn part(&mut self, part: &Part, place: Place) {
        match part {
            Part::Row(_) => self.write(Look::Math, EMPTY),
            Part::Letters { text, variant } => self.letters(text, *variant),
            Part::Number { text, variant } => self.number(text, *variant),
            Part::Operator { sign, role } | Part::Delimiter { sign, role, .. } => {
                self.operator(sign, *role, place);
            }
            Part::Middle(sign) | Part::Large(sign) => self.operator(sign, Role::Ordinary, place),
            Part::Function(name) => self.name(name),
            Part::Text { text, variant } => self.text(text, *variant),
            Part::Space(em) => self.space(*em),
            Part::Fraction {
                above,
                below,
                ruled,
            } => self.fraction(above, below, *ruled),
            Part::Root { of, degree } => self.root(of, degree.as_deref()),
            Part::Scripts {
                base,
                above,
                below,
                as_limits,
            } => {
                self.scripts(base, above.as_deref(), below.as_deref(), *as_limits);
            }
            Part::Prescripts { base, above, below } => {
                self.prescripts(base, above.as_deref(), below.as_deref());
            }
            Part::Fenced { open, close, inner } => self.fenced(open, close, inner),
            Part::Table(table) => self.table(table),
            Part::Accent {
                mark, over, base, ..
            } => self.accent(*mark, *over, base),
            Part::Line { over, base } => self.line(*over, base),
            Part::Brace { sign, over, base } => self.group(*sign, *over, base),
            Part::Arrow { sign, above, below } => {
                self.arrow(*sign, above.as_deref(), below.as_deref());
            }
            Part::Framed { frame, inner } => self.framed(*frame, inner),
            Part::Phantom { seen, room, inner } => self.phantom(*seen, *room, inner),
            // Office Math has no styles; it takes the size of each part from where it stands.
            Part::Styled { inner, .. } => self.content(inner),
        }
    }
}

/// The parts of a row and of the rows in it, in one list. An empty row stays, as it keeps a place.
fn flatten<'a>(part: &'a Part, parts: &mut Vec<&'a Part>) {
    if let Part::Styled { inner, .. } = part {
        flatten(inner, parts);
    } else if let Part::Row(inner) = part
        && !inner.is_empty()
    {
        for part in inner {
            flatten(part, parts);
        }
    } else {
        parts.push(part);
    }
}

#[cfg(test)]
mod tests;
