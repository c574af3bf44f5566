//! The signs of formulas, all of which common font families have.

/// Names of functions, which are words.
pub(super) const FUNCTIONS: [&str; 18] = [
    "sin", "cos", "tan", "cot", "sec", "csc", "arcsin", "arccos", "arctan", "sinh", "cosh", "tanh",
    "log", "ln", "lg", "exp", "lim", "max",
];

/// Commands by their names; see the head of the file.
const COMMANDS: &str = include_str!("commands.tsv");

/// The signs of a command.
pub(super) fn command(name: &str) -> Option<&'static str> {
    let mut rows = COMMANDS.lines().filter_map(|row| row.split_once('\t'));
    rows.find(|(known, _)| *known == name)
        .map(|(_, signs)| signs)
}

/// Signs, and the small form of each.
pub(super) type SmallSigns = (&'static str, &'static str);

/// Signs that have a raised form.
pub(super) const SUPERSCRIPTS: SmallSigns = ("0123456789+-=()ni", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱ");

/// Signs that have a lowered form.
pub(super) const SUBSCRIPTS: SmallSigns = (
    "0123456789+-=()aeijkmnoprstux",
    "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑᵢⱼₖₘₙₒₚᵣₛₜᵤₓ",
);
