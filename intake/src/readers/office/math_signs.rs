//! Signs of formulas and their commands in LaTeX.

use std::iter;

use unicode_normalization::UnicodeNormalization as _;
use words::{is_han, is_hangul, is_kana};

/// Signs for which LaTeX has a command.
const COMMANDS: &[(char, &str)] = &[
    ('α', "alpha"),
    ('β', "beta"),
    ('γ', "gamma"),
    ('δ', "delta"),
    ('ε', "varepsilon"),
    ('ϵ', "epsilon"),
    ('ζ', "zeta"),
    ('η', "eta"),
    ('θ', "theta"),
    ('ϑ', "vartheta"),
    ('ι', "iota"),
    ('κ', "kappa"),
    ('λ', "lambda"),
    ('μ', "mu"),
    ('µ', "mu"),
    ('ν', "nu"),
    ('ξ', "xi"),
    ('π', "pi"),
    ('ρ', "rho"),
    ('σ', "sigma"),
    ('ς', "varsigma"),
    ('τ', "tau"),
    ('υ', "upsilon"),
    ('φ', "varphi"),
    ('ϕ', "phi"),
    ('χ', "chi"),
    ('ψ', "psi"),
    ('ω', "omega"),
    ('Γ', "Gamma"),
    ('Δ', "Delta"),
    ('Θ', "Theta"),
    ('Λ', "Lambda"),
    ('Ξ', "Xi"),
    ('Π', "Pi"),
    ('Σ', "Sigma"),
    ('Υ', "Upsilon"),
    ('Φ', "Phi"),
    ('Ψ', "Psi"),
    ('Ω', "Omega"),
    ('∞', "infty"),
    ('∂', "partial"),
    ('∇', "nabla"),
    ('±', "pm"),
    ('∓', "mp"),
    ('×', "times"),
    ('÷', "div"),
    ('⋅', "cdot"),
    ('·', "cdot"),
    ('∙', "cdot"),
    ('∗', "ast"),
    ('∘', "circ"),
    ('≤', "leq"),
    ('⩽', "leq"),
    ('≥', "geq"),
    ('⩾', "geq"),
    ('≠', "neq"),
    ('≈', "approx"),
    ('≡', "equiv"),
    ('∼', "sim"),
    ('≅', "cong"),
    ('∝', "propto"),
    ('≪', "ll"),
    ('≫', "gg"),
    ('∈', "in"),
    ('∉', "notin"),
    ('∋', "ni"),
    ('⊂', "subset"),
    ('⊆', "subseteq"),
    ('⊃', "supset"),
    ('⊇', "supseteq"),
    ('∪', "cup"),
    ('∩', "cap"),
    ('∅', "emptyset"),
    ('∀', "forall"),
    ('∃', "exists"),
    ('¬', "neg"),
    ('∧', "wedge"),
    ('∨', "vee"),
    ('⊕', "oplus"),
    ('⊗', "otimes"),
    ('⊥', "perp"),
    ('∥', "parallel"),
    ('∠', "angle"),
    ('→', "to"),
    ('←', "leftarrow"),
    ('↔', "leftrightarrow"),
    ('⇒', "Rightarrow"),
    ('⇐', "Leftarrow"),
    ('⇔', "Leftrightarrow"),
    ('↦', "mapsto"),
    ('⋯', "cdots"),
    ('…', "ldots"),
    ('⋮', "vdots"),
    ('⋱', "ddots"),
    ('ℏ', "hbar"),
    ('ℓ', "ell"),
    ('∑', "sum"),
    ('∏', "prod"),
    ('∐', "coprod"),
    ('∫', "int"),
    ('∬', "iint"),
    ('∭', "iiint"),
    ('∮', "oint"),
    ('⋃', "bigcup"),
    ('⋂', "bigcap"),
    ('⋁', "bigvee"),
    ('⋀', "bigwedge"),
    ('√', "surd"),
    ('⟨', "langle"),
    ('⟩', "rangle"),
    ('〈', "langle"),
    ('〉', "rangle"),
    ('⌊', "lfloor"),
    ('⌋', "rfloor"),
    ('⌈', "lceil"),
    ('⌉', "rceil"),
    ('‖', "Vert"),
    ('′', "prime"),
    ('\\', "backslash"),
];

/// Names that LaTeX sets upright with a command for each.
const FUNCTIONS: &[&str] = &[
    "arccos", "arcsin", "arctan", "arg", "cos", "cosh", "cot", "coth", "csc", "deg", "det", "dim",
    "exp", "gcd", "hom", "inf", "ker", "lg", "lim", "liminf", "limsup", "ln", "log", "max", "min",
    "Pr", "sec", "sin", "sinh", "sup", "tan", "tanh",
];

/// The command of a sign, with its backslash.
pub(super) fn command(sign: char) -> Option<String> {
    COMMANDS
        .iter()
        .find(|(other, _)| *other == sign)
        .map(|(_, command)| format!("\\{command}"))
}

/// A name of a function.
pub(super) fn function(name: &str) -> String {
    if FUNCTIONS.contains(&name) {
        return format!("\\{name}");
    }
    format!("\\operatorname{{{name}}}")
}

pub(super) fn is_function(name: &str) -> bool {
    FUNCTIONS.contains(&name)
}

/// Adds LaTeX, with a space where a command would otherwise take the next letter as part of its name.
pub(super) fn append(latex: &mut String, more: &str) {
    let after_command = latex.rfind('\\').is_some_and(|start| {
        latex[start + 1..]
            .chars()
            .all(|sign| sign.is_ascii_alphabetic())
    }) && !latex.ends_with('\\');
    if after_command && more.starts_with(|sign: char| sign.is_ascii_alphabetic()) {
        latex.push(' ');
    }
    latex.push_str(more);
}

/// Text of a formula, sign by sign.
pub(super) fn signs(text: &str) -> String {
    let mut latex = String::new();
    let mut words = String::new();
    for sign in text.chars().flat_map(plain_letter) {
        if is_word_sign(sign) {
            words.push(sign);
            continue;
        }
        flush(&mut latex, &mut words);
        match sign {
            '%' | '#' | '&' | '_' | '{' | '}' | '$' => append(&mut latex, &format!("\\{sign}")),
            '−' => append(&mut latex, "-"),
            // Word keeps signs that follow from the context, such as applied functions and invisible products; they are dropped.
            '\u{2061}'..='\u{2064}' | '\u{200B}' => {}
            other => match command(other) {
                Some(command) => append(&mut latex, &command),
                None => append(&mut latex, &other.to_string()),
            },
        }
    }
    flush(&mut latex, &mut words);
    latex
}

fn flush(latex: &mut String, words: &mut String) {
    if !words.is_empty() {
        append(latex, &text_words(words));
        words.clear();
    }
}

/// Words within a formula.
pub(super) fn text_words(words: &str) -> String {
    let mut escaped = String::new();
    for sign in words.chars() {
        if matches!(sign, '%' | '#' | '&' | '_' | '{' | '}' | '$') {
            escaped.push('\\');
        }
        escaped.push(sign);
    }
    format!("\\text{{{escaped}}}")
}

/// Chinese, Japanese and Korean characters, which are not letters of mathematics.
fn is_word_sign(sign: char) -> bool {
    is_han(sign) || is_kana(sign) || is_hangul(sign)
}

/// The plain letter for an italic or bold letter that has a code of its own.
fn plain_letter(sign: char) -> Box<dyn Iterator<Item = char>> {
    if matches!(sign, '\u{1D400}'..='\u{1D7FF}') {
        return Box::new(iter::once(sign).nfkc());
    }
    Box::new(iter::once(sign))
}
