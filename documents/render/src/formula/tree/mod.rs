//! The tree of a formula: what it says, without how TeX said it.
//!
//! `RaTeX` reads LaTeX into nodes that follow the commands of TeX. `MathML` and Office Math are both written from this
//! smaller tree, so that a decision such as where a limit stands is taken once.

mod array;
pub(crate) mod fonts;
mod line;
mod look;
mod name;
mod node;
mod number;
mod role;
mod scripts;
mod shape;
mod signs;
mod text;

use std::fmt;

use ratex_parser::ParseNode;

/// One part of a formula.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Part {
    /// Parts side by side. An empty row is a place with nothing in it.
    Row(Vec<Part>),
    /// A letter that is a quantity, or several that are one name.
    Letters { text: String, variant: Variant },
    /// A whole number with its decimal point.
    Number { text: String, variant: Variant },
    /// A sign between, before or around quantities.
    Operator { sign: String, role: Role },
    /// A bracket or a bar that LaTeX gave a size of 1 to 4.
    Delimiter { sign: String, role: Role, size: u8 },
    /// A bar that divides what a pair of fences holds, and is as high as they are.
    Middle(String),
    /// A sum, a product, an integral: an operator that can have bounds.
    Large(String),
    /// The name of a function, such as `sin` or `lim`.
    Function(Box<Part>),
    /// Words.
    Text { text: String, variant: Variant },
    /// Space of so many em; negative space pulls its neighbours together.
    Space(f64),
    /// One thing above another, with a line between them or without.
    Fraction {
        above: Box<Part>,
        below: Box<Part>,
        ruled: bool,
    },
    /// A root, with its degree unless it is the square root.
    Root {
        of: Box<Part>,
        degree: Option<Box<Part>>,
    },
    /// What is written small above and below: beside the base, or as limits straight over and under it.
    Scripts {
        base: Box<Part>,
        above: Option<Box<Part>>,
        below: Option<Box<Part>>,
        as_limits: bool,
    },
    /// What is written small before the base, as the numbers of an isotope are.
    Prescripts {
        base: Box<Part>,
        above: Option<Box<Part>>,
        below: Option<Box<Part>>,
    },
    /// A pair of fences as high as what they hold; a fence that is not seen is empty.
    Fenced {
        open: String,
        close: String,
        inner: Box<Part>,
    },
    /// Rows and columns.
    Table(Table),
    /// A mark over or under the base.
    Accent {
        mark: char,
        stretchy: bool,
        over: bool,
        base: Box<Part>,
    },
    /// A line over or under the base.
    Line { over: bool, base: Box<Part> },
    /// A brace or a bracket over or under the base.
    Brace {
        sign: char,
        over: bool,
        base: Box<Part>,
    },
    /// An arrow as long as what is written over and under it.
    Arrow {
        sign: char,
        above: Option<Box<Part>>,
        below: Option<Box<Part>>,
    },
    /// A box around the inner part, or a line through it.
    Framed { frame: Frame, inner: Box<Part> },
    /// A part that takes other room than its own, or that takes room without being seen.
    Phantom {
        seen: bool,
        room: Room,
        inner: Box<Part>,
    },
    /// A part in another style than its surroundings: with room as in a display or without, and so many sizes smaller.
    Styled {
        display: bool,
        level: u8,
        inner: Box<Part>,
    },
}

/// How a letter is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Variant {
    Upright,
    Italic,
    Bold,
    BoldItalic,
    DoubleStruck,
    Script,
    Fraktur,
    SansSerif,
    Monospace,
}

/// What an operator does, which says how much space it has around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// A sign that stands for a thing, such as ∞.
    Ordinary,
    /// A sign without space around it, such as a minus before a number.
    Tight,
    Binary,
    Relation,
    Open,
    Close,
    Punctuation,
    /// Dots that stand for what is left out.
    Inner,
}

/// What a sign does to the brackets of its line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bracket {
    Opens,
    Closes,
}

/// A table in a formula.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Table {
    /// Rows of the same length.
    pub(crate) rows: Vec<Vec<Part>>,
    /// One alignment for each column.
    pub(crate) columns: Vec<Column>,
    pub(crate) kind: Kind,
    /// Whether the cells have room as in a display.
    pub(crate) display: bool,
}

/// What a table is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A matrix, cases, an array: columns apart from each other.
    Grid,
    /// Equations under each other, aligned at a sign: columns that touch.
    Aligned,
    /// Lines under each other.
    Lines,
}

/// Where the cells of a column stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Column {
    Left,
    Center,
    Right,
}

/// What is drawn around a part or through it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Frame {
    Box,
    /// Lines over and to the right, the actuarial angle.
    Angle,
    /// A line through it from the lower left to the upper right.
    Rising,
    /// A line through it from the upper left to the lower right.
    Falling,
    Cross,
    /// A line through the middle.
    Struck,
}

/// Which of its room a part takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Room {
    pub(crate) width: bool,
    pub(crate) height: bool,
    pub(crate) depth: bool,
}

/// A construct of a formula that this tree cannot express, by its name in LaTeX.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Unsupported(pub(crate) String);

impl fmt::Display for Unsupported {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "`{}` cannot be written in MathML and Office Math",
            self.0
        )
    }
}

impl std::error::Error for Unsupported {}

/// The tree of what the parser read, in a display or in a line of text.
pub(crate) fn tree(nodes: &[ParseNode], display: bool) -> Result<Part, Unsupported> {
    line::row(nodes, Context::new(display))
}

/// Where in a formula a node stands.
#[derive(Debug, Clone, Copy)]
struct Context {
    /// Whether there is room as in a display.
    display: bool,
    /// How many sizes smaller than the formula: 0, 1 or 2.
    level: u8,
    /// The variant that a command around it asks for.
    variant: Option<Variant>,
    /// Whether letters that follow each other are one name.
    joined: bool,
}

/// TeX has no style smaller than that of a script in a script.
const LEVEL_MAX: u8 = 2;

impl Context {
    fn new(display: bool) -> Self {
        Self {
            display,
            level: 0,
            variant: None,
            joined: false,
        }
    }

    /// The context of a script.
    fn script(self) -> Self {
        Self {
            display: false,
            level: LEVEL_MAX.min(self.level + 1),
            ..self
        }
    }

    /// The context above and below the line of a fraction.
    fn fraction(self) -> Self {
        if self.display {
            Self {
                display: false,
                ..self
            }
        } else {
            self.script()
        }
    }
}

/// No part at all.
fn nothing() -> Part {
    Part::Row(Vec::new())
}

impl Part {
    /// Whether there is nothing in it.
    pub(crate) fn is_empty(&self) -> bool {
        matches!(self, Self::Row(parts) if parts.iter().all(Self::is_empty))
    }

    /// The role of an operator, also of one with scripts.
    pub(crate) fn role(&self) -> Option<Role> {
        match self {
            Self::Operator { role, .. } | Self::Delimiter { role, .. } => Some(*role),
            Self::Scripts { base, .. } => base.role(),
            Self::Arrow { .. } => Some(Role::Relation),
            Self::Row(_)
            | Self::Letters { .. }
            | Self::Number { .. }
            | Self::Middle(_)
            | Self::Large(_)
            | Self::Function(_)
            | Self::Text { .. }
            | Self::Space(_)
            | Self::Fraction { .. }
            | Self::Root { .. }
            | Self::Prescripts { .. }
            | Self::Fenced { .. }
            | Self::Table(_)
            | Self::Accent { .. }
            | Self::Line { .. }
            | Self::Brace { .. }
            | Self::Framed { .. }
            | Self::Phantom { .. }
            | Self::Styled { .. } => None,
        }
    }

    /// The sign of an operator, also of one with scripts.
    pub(crate) fn sign(&self) -> Option<&str> {
        if let Self::Scripts { base, .. } = self {
            return base.sign();
        }
        if let Self::Operator { sign, .. } | Self::Delimiter { sign, .. } = self {
            Some(sign)
        } else {
            None
        }
    }

    /// Whether it opens or closes a bracket. TeX takes the sign of a factorial for one that closes, but it closes nothing.
    pub(crate) fn bracket(&self) -> Option<Bracket> {
        match self.role()? {
            Role::Open => Some(Bracket::Opens),
            Role::Close if !matches!(self.sign(), Some("!" | "?")) => Some(Bracket::Closes),
            Role::Close
            | Role::Ordinary
            | Role::Tight
            | Role::Binary
            | Role::Relation
            | Role::Punctuation
            | Role::Inner => None,
        }
    }

    /// Whether it is the name of a function, also with scripts.
    pub(crate) fn is_function(&self) -> bool {
        if let Self::Scripts { base, .. } = self {
            base.is_function()
        } else {
            matches!(self, Self::Function(_))
        }
    }

    /// The sign of a large operator, also of one with bounds.
    pub(crate) fn large(&self) -> Option<&str> {
        if let Self::Scripts { base, .. } = self {
            return base.large();
        }
        if let Self::Large(sign) = self {
            Some(sign)
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests;
