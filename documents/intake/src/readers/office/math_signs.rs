//! Signs of formulas and their commands in LaTeX.

use std::iter;

use unicode_normalization::UnicodeNormalization as _;
use words::{is_han, is_hangul, is_kana};

/// Signs for which LaTeX has a command; see the head of the file.
const COMMANDS: &str = include_str!("math_signs.tsv");

/// Names that LaTeX sets upright with a command for each.
const FUNCTIONS: &[&str] = &[
    "arccos", "arcsin", "arctan", "arg", "cos", "cosh", "cot", "coth", "csc", "deg", "det", "dim",
    "exp", "gcd", "hom", "inf", "ker", "lg", "lim", "liminf", "limsup", "ln", "log", "max", "min",
    "Pr", "sec", "sin", "sinh", "sup", "tan", "tanh",
];

/// The command of a sign, with its backslash.
pub(super) fn command(sign: char) -> Option<String> {
    let mut rows = COMMANDS.lines().filter_map(|row| row.split_once('\t'));
    let known = rows.find(|(other, _)| other.chars().eq([sign]));
    known.map(|(_, command)| format!("\\{command}"))
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
