//! Structured answers: from a model's text to a JSON value, by the safest way that works.
//!
//! The ladder: a cut answer is refused; reasoning and prose are dropped; the last JSON document in the text is read as it
//! is; if that fails it is repaired, and the result says so. The caller checks the schema in either case: repairing cannot
//! know what was meant.

use serde_json::Value;

use super::thinking::strip_think;

/// A value that was found in a text.
#[derive(Debug, Clone, PartialEq)]
pub struct Parsed {
    pub value: Value,
    /// Whether the text was not valid JSON and had to be repaired.
    pub repaired: bool,
}

/// Why a text has no value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StructuredError {
    /// Never closed by guessing: what is missing is content.
    #[error(
        "the answer was cut off before its json was complete: ask for less at a time, or allow more output tokens"
    )]
    Truncated,
    #[error("the answer contains no json document: answer with json and nothing else")]
    Missing,
    #[error("the answer's json cannot be read: {0}")]
    Unreadable(String),
}

/// Finds the JSON document in a model's text. The finish reason is the provider's: `length` means cut off.
pub fn parse_structured(
    text: &str,
    finish_reason: Option<&str>,
) -> Result<Parsed, StructuredError> {
    if finish_reason == Some("length") {
        return Err(StructuredError::Truncated);
    }
    let text = strip_think(text).trim();
    if let Some(value) = document(text) {
        return Ok(Parsed {
            value,
            repaired: false,
        });
    }
    let found = scan(text);
    if found.cut_off {
        return Err(StructuredError::Truncated);
    }
    for candidate in by_preference(&found.documents) {
        if let Some(value) = document(candidate.text) {
            return Ok(Parsed {
                value,
                repaired: false,
            });
        }
    }
    let Some(best) = by_preference(&found.documents).next() else {
        return Err(StructuredError::Missing);
    };
    repair(best.text)
}

/// An object or array that is valid JSON. A bare text or number is an answer to another question.
fn document(text: &str) -> Option<Value> {
    let value: Value = serde_json::from_str(text).ok()?;
    (value.is_object() || value.is_array()).then_some(value)
}

fn repair(text: &str) -> Result<Parsed, StructuredError> {
    let plain = with_plain_punctuation(text);
    let repaired = jsonrepair::repair_to_string(&plain, &jsonrepair::Options::default())
        .map_err(|error| StructuredError::Unreadable(error.to_string()))?;
    let value = document(&repaired).ok_or_else(|| {
        StructuredError::Unreadable("repairing it gave no object or array".to_owned())
    })?;
    Ok(Parsed {
        value,
        repaired: true,
    })
}

/// A balanced piece of text that begins with a bracket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Candidate<'a> {
    text: &'a str,
    /// It stands in a fenced block, so that somebody meant it as the document.
    fenced: bool,
}

impl Candidate<'_> {
    fn is_object(self) -> bool {
        self.text.starts_with('{')
    }
}

/// Fenced ones first, then objects, then arrays (`[1]` is often a citation); among equals the last, since drafts come first.
fn by_preference<'a>(documents: &'a [Candidate<'a>]) -> impl Iterator<Item = Candidate<'a>> {
    let rank = |candidate: &Candidate<'_>| (!candidate.fenced, !candidate.is_object());
    let mut sorted: Vec<Candidate<'a>> = documents.iter().rev().copied().collect();
    sorted.sort_by_key(rank);
    sorted.into_iter()
}

/// What stands in a text at the top level.
struct TopLevel<'a> {
    documents: Vec<Candidate<'a>>,
    /// The text ends inside a document.
    cut_off: bool,
}

fn scan(text: &str) -> TopLevel<'_> {
    let mut documents = Vec::new();
    let mut cut_off = false;
    let mut at = 0;
    while let Some(opening) = text[at..].find(['{', '[']) {
        let start = at + opening;
        match balanced_end(&text[start..]) {
            Some(length) => {
                documents.push(Candidate {
                    text: &text[start..start + length],
                    fenced: is_fenced(&text[..start]),
                });
                at = start + length;
            }
            None => {
                if looks_like_json(&text[start..], documents.is_empty()) {
                    cut_off = true;
                    break;
                }
                // A bracket of the prose. What follows it may still be a document.
                at = start + 1;
            }
        }
    }
    TopLevel { documents, cut_off }
}

/// The length of the document at the beginning of the text, or `None` if it is never closed.
fn balanced_end(text: &str) -> Option<usize> {
    let mut depth = 0usize;
    let mut strings = Strings::default();
    for (at, letter) in text.char_indices() {
        if strings.step(letter) != LetterPlace::Outside {
            continue;
        }
        match letter {
            '{' | '[' => depth += 1,
            '}' | ']' => {
                depth -= 1;
                if depth == 0 {
                    return Some(at + letter.len_utf8());
                }
            }
            _ => {}
        }
    }
    None
}

/// The same document with JSON's own quotes, commas and colons where Chinese ones took their place, and with the quotes
/// escaped that stand inside a string. Left to itself the repairer takes such a quote for the end of the string and makes
/// keys of what follows.
fn with_plain_punctuation(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut strings = Strings::default();
    for (at, letter) in text.char_indices() {
        let rest = &text[at + letter.len_utf8()..];
        if letter == '"' && strings.would_end() && !ends_a_string(rest) {
            plain.push_str("\\\"");
            continue;
        }
        let quote = strings.closing_quote;
        match (strings.step(letter), letter) {
            (LetterPlace::Opening, '“') | (LetterPlace::Closing, '”') => plain.push('"'),
            (LetterPlace::Inside, '"') if quote == Some('”') => plain.push_str("\\\""),
            (LetterPlace::Outside, '，') => plain.push(','),
            (LetterPlace::Outside, '：') => plain.push(':'),
            (
                LetterPlace::Opening
                | LetterPlace::Closing
                | LetterPlace::Inside
                | LetterPlace::Outside,
                letter,
            ) => plain.push(letter),
        }
    }
    plain
}

/// Whether a quote with this behind it ends its string: what follows goes on with the document, or begins a comment, or is
/// the quote of a next string whose comma is missing.
fn ends_a_string(rest: &str) -> bool {
    let rest = rest.trim_start();
    match rest.strip_prefix('"') {
        Some(behind) => !goes_on(behind),
        None => goes_on(rest),
    }
}

/// Whether a text goes on as a document does behind a string. Chinese punctuation is that of the document only before
/// another string; elsewhere it is that of a sentence.
fn goes_on(rest: &str) -> bool {
    let rest = rest.trim_start();
    match rest.strip_prefix(['，', '：']) {
        Some(behind) => behind.trim_start().starts_with(['"', '“']),
        None => rest.is_empty() || rest.starts_with([',', ':', '}', ']', '/', '#']),
    }
}

/// Follows the strings of a document, letter by letter.
struct Strings {
    closing_quote: Option<char>,
    escaped: bool,
    /// The last letter outside of strings that is not white space.
    before: char,
}

/// Where a letter stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LetterPlace {
    Outside,
    Opening,
    Inside,
    Closing,
}

impl Default for Strings {
    fn default() -> Strings {
        Strings {
            closing_quote: None,
            escaped: false,
            before: ' ',
        }
    }
}

impl Strings {
    /// Whether JSON's quote would end the string that the text is in.
    fn would_end(&self) -> bool {
        self.closing_quote == Some('"') && !self.escaped
    }

    fn step(&mut self, letter: char) -> LetterPlace {
        if let Some(quote) = self.closing_quote {
            if self.escaped {
                self.escaped = false;
            } else if letter == '\\' {
                self.escaped = true;
            } else if letter == quote {
                self.closing_quote = None;
                self.before = letter;
                return LetterPlace::Closing;
            }
            return LetterPlace::Inside;
        }
        self.closing_quote = quote_opened_by(letter, self.before);
        if !letter.is_whitespace() {
            self.before = letter;
        }
        if self.closing_quote.is_some() {
            LetterPlace::Opening
        } else {
            LetterPlace::Outside
        }
    }
}

/// The quote that ends the string which this letter begins. Quotes other than JSON's count only where a string may begin:
/// elsewhere they are apostrophes.
fn quote_opened_by(letter: char, before: char) -> Option<char> {
    let string_may_begin = matches!(before, '{' | '[' | ',' | ':' | '，' | '：');
    match letter {
        '"' => Some('"'),
        '\'' if string_may_begin => Some('\''),
        '“' if string_may_begin => Some('”'),
        _ => None,
    }
}

/// Whether an opening bracket that is never closed began a document, and not a remark.
fn looks_like_json(text: &str, is_first: bool) -> bool {
    let mut letters = text.chars();
    let opening = letters.next();
    let Some(next) = letters.find(|letter| !letter.is_whitespace()) else {
        return true;
    };
    if matches!(next, '"' | '“' | '\'' | '{' | '[' | '}' | ']') {
        return true;
    }
    // A bare key is JSON only if nothing better came before.
    let behind = text[1..].trim_start();
    let key_end = behind.find(|letter: char| !letter.is_alphanumeric() && letter != '_');
    let is_key = key_end.is_some_and(|end| end > 0 && behind[end..].trim_start().starts_with(':'));
    is_first && opening == Some('{') && is_key
}

/// Whether a fence, with or without a language behind it, stands right before.
fn is_fenced(before: &str) -> bool {
    let before = before.trim_end();
    let line = before.rsplit('\n').next().unwrap_or(before).trim_start();
    line.strip_prefix("```").is_some_and(|language| {
        language
            .chars()
            .all(|letter| letter.is_ascii_alphanumeric())
    })
}

#[cfg(test)]
#[path = "structured_tests.rs"]
mod tests;
