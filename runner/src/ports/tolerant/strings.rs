//! Where a string ends when the quotes inside it may not be escaped.
//!
//! A quote ends its string only where the document goes on behind it as it must at that place. Quotes that stay inside have to
//! come in pairs that look like a quotation: an odd number means that the string was split in between, and a pair around
//! structure means that two strings were taken for one.

use super::tokens::{bare_key, gap, is_scalar, quote_pair, scalar};

/// What a string is in its document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Key,
    /// The value of an object's member.
    Member,
    /// An element of an array.
    Element,
}

impl Role {
    /// Whether a quote of this kind, with this behind it, ends its string.
    pub(super) fn ends_before(self, rest: &str) -> bool {
        let found = gap(rest);
        if found.rest.is_empty() {
            return true;
        }
        match self {
            Role::Key => found.rest.starts_with([':', '：']),
            Role::Member => {
                found.rest.starts_with('}')
                    || goes_on(found.rest, '}', starts_member)
                    || (found.has_newline && starts_member(found.rest))
                    || (found.length > 0 && starts_quoted_member(found.rest))
            }
            Role::Element => {
                found.rest.starts_with(']')
                    || goes_on(found.rest, ']', starts_element)
                    || (found.has_newline && starts_element(found.rest))
                    || (found.length > 0 && quote_pair(found.rest).is_some())
            }
        }
    }
}

/// Whether a comma comes, and after it the end or the next piece. A Chinese comma belongs to the document only where the next piece begins
/// with a quote or a bracket, or is a number or literal; elsewhere it belongs to a sentence.
fn goes_on(rest: &str, closing: char, starts_piece: fn(&str) -> bool) -> bool {
    let (rest, is_chinese) = match rest.strip_prefix(',') {
        Some(rest) => (rest, false),
        None => match rest.strip_prefix('，') {
            Some(rest) => (rest, true),
            None => return false,
        },
    };
    let next = gap(rest).rest;
    if next.is_empty() || next.starts_with(closing) {
        return true;
    }
    let says_so = starts_element(next);
    (says_so || !is_chinese) && starts_piece(next)
}

/// Whether a key with its colon stands here.
pub(super) fn starts_member(text: &str) -> bool {
    let key = bare_key(text);
    let is_bare = !key.is_empty() && gap(&text[key.len()..]).rest.starts_with(':');
    is_bare || starts_quoted_member(text)
}

fn starts_quoted_member(text: &str) -> bool {
    let Some((opening, closing)) = quote_pair(text) else {
        return false;
    };
    let mut escaped = false;
    let inside = &text[opening.len_utf8()..];
    for (at, letter) in inside.char_indices() {
        if escaped {
            escaped = false;
        } else if letter == '\\' {
            escaped = true;
        } else if letter == closing {
            let behind = gap(&inside[at + letter.len_utf8()..]).rest;
            return behind.starts_with([':', '：']);
        }
    }
    false
}

/// Whether a value stands here.
pub(super) fn starts_element(text: &str) -> bool {
    if quote_pair(text).is_some() || text.starts_with(['{', '[']) {
        return true;
    }
    is_scalar(scalar(text))
}

/// Whether the quotes that stayed inside a string, given by their places, are those of quotations.
pub(super) fn are_quotations(
    string: &str,
    quotes: &[usize],
    (opening, closing): (char, char),
) -> bool {
    quotes.len().is_multiple_of(2)
        && quotes.chunks(2).all(|pair| {
            let [first, second] = pair else { return false };
            let inside = *first + opening.len_utf8();
            string[*first..].starts_with(opening)
                && string[*second..].starts_with(closing)
                && is_quotation(
                    &string[inside..*second],
                    &string[*second + closing.len_utf8()..],
                )
        })
}

/// Whether the words between two quotes are a quotation, and not the structure between two strings.
fn is_quotation(words: &str, behind: &str) -> bool {
    let is_edge = |letter: char| letter.is_whitespace() || matches!(letter, ':' | '：');
    let begins_as_structure =
        |letter: char| is_edge(letter) || matches!(letter, ',' | '，' | '{' | '}' | '[' | ']');
    let ends_as_structure = |letter: char| is_edge(letter) || matches!(letter, '{' | '[');
    if words.is_empty()
        || words.starts_with(begins_as_structure)
        || words.ends_with(ends_as_structure)
    {
        return false;
    }
    let key = bare_key(words);
    if !key.is_empty() && gap(&words[key.len()..]).rest.starts_with(':') {
        return false;
    }
    // `"Yes," she said` is a quotation, `"x"1,"y"` is a piece of a list.
    match words.strip_suffix([',', '，']) {
        Some(words) => behind.starts_with(char::is_whitespace) && !is_scalar(words),
        None => true,
    }
}
