//! Runs: the letters, signs and words of a formula.

use super::super::tree::fonts::alphabet;
use super::super::tree::{Part, Role, Variant};
use super::{Place, Writer};
use crate::html::escape;

/// How the characters of a run are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Look {
    /// As formulas are: letters italic, digits upright.
    Math,
    Upright,
    Bold,
    BoldItalic,
    /// Upright, and read as it is, not as what its characters would mean if somebody typed them into a formula.
    Name,
    /// A sign that is read as it is.
    Literal,
    /// Words.
    Words,
}

impl Look {
    /// The properties of the run.
    fn properties(self) -> &'static str {
        match self {
            Self::Math => "",
            Self::Upright => "<m:rPr><m:sty m:val=\"p\"/></m:rPr>",
            Self::Bold => "<m:rPr><m:sty m:val=\"b\"/></m:rPr>",
            Self::BoldItalic => "<m:rPr><m:sty m:val=\"bi\"/></m:rPr>",
            Self::Name => "<m:rPr><m:lit/><m:sty m:val=\"p\"/></m:rPr>",
            Self::Literal => "<m:rPr><m:lit/></m:rPr>",
            Self::Words => "<m:rPr><m:nor/></m:rPr>",
        }
    }
}

impl Writer<'_> {
    /// Characters, in the run before them if it looks the same. Two letters are never put into one run, because
    /// readers of formulas take words such as `in` and `over` for commands.
    pub(super) fn write(&mut self, look: Look, text: &str) {
        if let Some((last, run)) = &mut self.run {
            let is_word = look != Look::Words
                && run.ends_with(char::is_alphabetic)
                && text.starts_with(char::is_alphabetic);
            if *last == look && !is_word {
                run.push_str(text);
                return;
            }
        }
        self.flush();
        self.run = Some((look, text.to_owned()));
    }

    /// Ends the run.
    pub(super) fn flush(&mut self) {
        let Some((look, text)) = self.run.take() else {
            return;
        };
        self.out.push_str("<m:r>");
        self.out.push_str(look.properties());
        self.out.push_str(self.run_properties);
        self.out.push_str("<m:t xml:space=\"preserve\">");
        self.out.push_str(&escape(&text));
        self.out.push_str("</m:t></m:r>");
    }

    /// Letters. Those of alphabets other than the common three are characters of their own: Office Math could name the
    /// alphabet instead, but not all that read it know it, and ℝ would become R.
    pub(super) fn letters(&mut self, text: &str, variant: Variant) {
        match variant {
            Variant::Italic if text.chars().count() == 1 => self.write(Look::Math, text),
            Variant::Italic => self.write(Look::Math, &alphabet(text, variant)),
            Variant::Upright => self.write(Look::Name, text),
            Variant::Bold => self.write(Look::Bold, text),
            Variant::BoldItalic => self.write(Look::BoldItalic, text),
            Variant::DoubleStruck
            | Variant::Script
            | Variant::Fraktur
            | Variant::SansSerif
            | Variant::Monospace => {
                self.write(Look::Upright, &alphabet(text, variant));
            }
        }
    }

    /// A number.
    pub(super) fn number(&mut self, text: &str, variant: Variant) {
        match variant {
            Variant::Bold | Variant::BoldItalic => self.write(Look::Bold, text),
            Variant::Upright | Variant::Italic | Variant::Script | Variant::Fraktur => {
                self.write(Look::Math, text);
            }
            Variant::DoubleStruck | Variant::SansSerif | Variant::Monospace => {
                self.write(Look::Upright, &alphabet(text, variant));
            }
        }
    }

    /// The name of a function.
    pub(super) fn name(&mut self, name: &Part) {
        let Part::Letters { text, .. } = name else {
            return self.content(name);
        };
        self.flush();
        self.write(
            if KNOWN.contains(&text.as_str()) {
                Look::Upright
            } else {
                Look::Name
            },
            text,
        );
        self.flush();
    }

    /// A sign.
    pub(super) fn operator(&mut self, sign: &str, role: Role, place: Place) {
        if sign.is_empty() {
            return;
        }
        if sign.contains(char::is_alphabetic) {
            // A word between quantities, such as mod, has space around it in TeX and none in Office Math.
            let has_space = matches!(role, Role::Binary | Role::Relation);
            let around = if has_space { "\u{205F}" } else { "" };
            self.flush();
            self.write(Look::Name, &format!("{around}{sign}{around}"));
            self.flush();
            return;
        }
        let is_sign_before = matches!(sign, "+" | "−" | "±" | "∓" | "¬");
        let lacks_a_side = match role {
            Role::Binary | Role::Tight | Role::Relation => {
                place.is_last || (place.is_first && !is_sign_before)
            }
            Role::Open | Role::Close => !place.is_balanced,
            Role::Ordinary | Role::Punctuation | Role::Inner => false,
        };
        let look = if lacks_a_side || sign.contains(COMMANDS) {
            Look::Literal
        } else {
            Look::Math
        };
        self.write(look, sign);
    }

    /// Words with their spaces.
    pub(super) fn text(&mut self, text: &str, variant: Variant) {
        match variant {
            Variant::Bold
            | Variant::BoldItalic
            | Variant::Italic
            | Variant::SansSerif
            | Variant::Monospace => {
                self.write(Look::Words, &alphabet(text, variant));
            }
            Variant::Upright | Variant::DoubleStruck | Variant::Script | Variant::Fraktur => {
                self.write(Look::Words, text);
            }
        }
    }

    /// Space, in space characters of about that width. Office Math cannot pull parts together.
    pub(super) fn space(&mut self, em: f64) {
        let mut left = em;
        while left > 0.9 {
            self.write(Look::Math, "\u{2003}");
            left -= 1.0;
        }
        let (_, char) = SPACES
            .into_iter()
            .min_by(|(one, _), (other, _)| (one - left).abs().total_cmp(&(other - left).abs()))
            .unwrap_or((0.0, ""));
        if !char.is_empty() {
            self.write(Look::Math, char);
        }
    }
}

/// Functions that each reader of formulas knows by their names. The names of others are literal, because a name such
/// as `sup` may be a command to it.
const KNOWN: [&str; 15] = [
    "sin", "cos", "tan", "cot", "sinh", "cosh", "tanh", "coth", "arcsin", "arccos", "arctan", "ln",
    "exp", "log", "lim",
];

/// Characters that are commands when somebody types a formula.
const COMMANDS: &[char] = &[
    '|', '‖', '&', '\\', '#', '^', '_', '~', '"', '`', '%', '@', '$',
];

/// Widths in em, and the spaces of Unicode that have them.
const SPACES: [(f64, &str); 6] = [
    (0.0, ""),
    (0.1667, "\u{2009}"),
    (0.2222, "\u{205F}"),
    (0.2778, "\u{2005}"),
    (0.5, "\u{2002}"),
    (0.75, "\u{2002}\u{2005}"),
];
