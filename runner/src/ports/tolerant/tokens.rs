//! The tokens of a document, and what may stand between them.

use serde_json::Number;

/// White space and comments, and what follows them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Gap<'a> {
    pub(super) rest: &'a str,
    /// The gap's length in bytes; 0 where a token follows directly.
    pub(super) length: usize,
    pub(super) has_newline: bool,
}

/// The gap at the beginning of a text. A code fence ends the text: what stands behind it does not belong to the document.
pub(super) fn gap(text: &str) -> Gap<'_> {
    let mut rest = text;
    loop {
        rest = rest.trim_start();
        let comment = if rest.starts_with("//") || rest.starts_with('#') {
            rest.find('\n').unwrap_or(rest.len())
        } else if let Some(inside) = rest.strip_prefix("/*") {
            // A comment that is never closed reaches to the end of the text, so the document counts as cut.
            inside.find("*/").map_or(rest.len(), |end| end + 4)
        } else {
            break;
        };
        rest = &rest[comment..];
    }
    let length = text.len() - rest.len();
    Gap {
        rest: if rest.starts_with("```") { "" } else { rest },
        length,
        has_newline: text[..length].contains('\n'),
    }
}

/// The quote at the beginning of a text, and the one that closes it.
pub(super) fn quote_pair(text: &str) -> Option<(char, char)> {
    match text.chars().next()? {
        quote @ ('"' | '\'') => Some((quote, quote)),
        '“' => Some(('“', '”')),
        _ => None,
    }
}

/// The word at the beginning of a text that may be a key without quotes. It may be empty.
pub(super) fn bare_key(text: &str) -> &str {
    let starts = |letter: char| letter.is_alphabetic() || matches!(letter, '_' | '$');
    if !text.starts_with(starts) {
        return "";
    }
    let end =
        text.find(|letter: char| !(letter.is_alphanumeric() || matches!(letter, '_' | '$' | '-')));
    &text[..end.unwrap_or(text.len())]
}

/// The number or literal at the beginning of a text: everything up to what cannot belong to one. It may be empty.
pub(super) fn scalar(text: &str) -> &str {
    let end = text.find(|letter: char| {
        !(letter.is_alphanumeric() || matches!(letter, '_' | '$' | '-' | '+' | '.'))
    });
    &text[..end.unwrap_or(text.len())]
}

/// Whether a word is a number or a literal, of JSON or of Python.
pub(super) fn is_scalar(word: &str) -> bool {
    matches!(word, "true" | "false" | "null" | "True" | "False" | "None")
        || serde_json::from_str::<Number>(word).is_ok()
}
