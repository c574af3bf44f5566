//! The last check of a repair: what was read is compared with the text that came. The check does not depend on how strings were found.

use serde_json::Value;

use super::escapes::decoded;
use super::tokens::{bare_key, gap, quote_pair, scalar};

/// Whether every string of the value, in order, stands in the text, with nothing but structure, numbers, literals and comments
/// between them.
pub(super) fn is_complete(text: &str, value: &Value) -> bool {
    let mut strings = vec![];
    collect(value, &mut strings);
    let mut rest = text;
    for string in strings {
        match behind(rest, string) {
            Some(next) => rest = next,
            None => return false,
        }
    }
    without_structure(rest).is_empty()
}

/// The keys and strings of a value in the order in which they are written.
fn collect<'a>(value: &'a Value, strings: &mut Vec<&'a str>) {
    match value {
        Value::String(text) => strings.push(text),
        Value::Array(elements) => {
            for element in elements {
                collect(element, strings);
            }
        }
        Value::Object(members) => {
            for (key, member) in members {
                strings.push(key);
                collect(member, strings);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// What follows a string that stands next in the text.
fn behind<'a>(text: &'a str, string: &str) -> Option<&'a str> {
    let text = without_structure(text);
    let Some((opening, closing)) = quote_pair(text) else {
        // A key without quotes.
        let rest = text.strip_prefix(string)?;
        return (!string.is_empty() && bare_key(text) == string).then_some(rest);
    };
    let mut rest = &text[opening.len_utf8()..];
    for letter in string.chars() {
        rest = past(rest, letter)?;
    }
    rest.strip_prefix(closing)
}

/// What follows a character, written as it is or escaped.
fn past(text: &str, letter: char) -> Option<&str> {
    if let Some((found, length)) = decoded(text) {
        return (found == letter).then(|| &text[length..]);
    }
    if matches!(letter, '\'' | '“' | '”')
        && let Some(rest) = text.strip_prefix('\\')
    {
        return rest.strip_prefix(letter);
    }
    text.strip_prefix(letter)
}

/// The text from its next string on.
fn without_structure(text: &str) -> &str {
    let mut rest = text;
    loop {
        let found = gap(rest);
        rest = found.rest;
        let next = rest.trim_start_matches(['{', '}', '[', ']', ',', ':', '，', '：']);
        let token = scalar(next);
        let is_scalar = matches!(token, "true" | "false" | "null" | "True" | "False" | "None")
            || token.starts_with(|letter: char| letter.is_ascii_digit() || letter == '-');
        let next = if is_scalar {
            &next[token.len()..]
        } else {
            next
        };
        if next.len() == rest.len() {
            return rest;
        }
        rest = next;
    }
}
