//! Structured answers: from a model's text to a JSON value, by the safest way that works.
//!
//! In this order: a cut answer is refused; reasoning and prose are dropped; the last JSON document in the text is read as it is; if that
//! fails it is repaired, and the result says so. The caller checks the schema in either case: repairing cannot know what was meant. What is
//! dropped as prose must not look like a piece of the document.

use serde_json::Value;

use super::thinking::strip_think;
use super::tolerant::{self, Fault};

/// Brackets of prose that are passed over before a text counts as one without a document. The text behind each of them is
/// read once more; a long answer has a few dozen, and nearly all of them are closed citations, which do not count.
const REMARKS_MAX: usize = 256;

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
    if let Some(value) = document(text).or_else(|| encoded_document(text)) {
        return Ok(Parsed {
            value,
            repaired: false,
        });
    }
    let found = scan(text)?;
    let chosen = chosen(&found)?;
    let parsed = chosen.read.clone()?;
    if !stands_alone(text, &found) {
        return Err(StructuredError::Unreadable(
            "the text goes on behind the end of the document as if it still belonged to it: escape the double quotes inside \
             strings, and answer with one json document and nothing else"
                .to_owned(),
        ));
    }
    Ok(parsed)
}

/// An object or array that is valid JSON. A bare text or number does not count, because it does not answer the question.
fn document(text: &str) -> Option<Value> {
    let value: Value = serde_json::from_str(text).ok()?;
    (value.is_object() || value.is_array()).then_some(value)
}

/// A document that was encoded twice, so that it came as a JSON string.
fn encoded_document(text: &str) -> Option<Value> {
    document(&serde_json::from_str::<String>(text).ok()?)
}

/// A piece of text that begins with a bracket and ends with the one that closes it.
#[derive(Debug, Clone, PartialEq)]
struct Candidate<'a> {
    text: &'a str,
    /// Where it stands in the answer, in bytes.
    start: usize,
    /// Whether it stands in a fenced block, which shows that it was meant as the document.
    fenced: bool,
    read: Result<Parsed, StructuredError>,
}

impl Candidate<'_> {
    fn is_object(&self) -> bool {
        self.text.starts_with('{')
    }

    fn is_valid(&self) -> bool {
        self.read.as_ref().is_ok_and(|parsed| !parsed.repaired)
    }

    /// A citation such as `[1]` or `[1, 2]`.
    fn is_citation(&self) -> bool {
        let inside = self.text.trim_matches(['[', ']']);
        inside
            .chars()
            .all(|letter| letter.is_ascii_digit() || matches!(letter, ',' | ' '))
    }

    fn end(&self) -> usize {
        self.start + self.text.len()
    }
}

/// The document that was meant. One that has to be repaired must be the only one: what looks like another may be a part of it
/// that a fault cut off.
fn chosen<'a, 'b>(found: &'b [Candidate<'a>]) -> Result<&'b Candidate<'a>, StructuredError> {
    let mut meant: Vec<&Candidate<'a>> = found.iter().filter(|it| !it.is_citation()).collect();
    if meant.is_empty() {
        meant = found.iter().collect();
    }
    let best = by_preference(&meant).next();
    let best = best.ok_or(StructuredError::Missing)?;
    if best.is_valid() || meant.len() == 1 {
        return Ok(best);
    }
    Err(StructuredError::Unreadable(
        "there are several json documents, and the last one is not valid: answer with one and nothing else".to_owned(),
    ))
}

/// Fenced ones first, then objects, then arrays (`[1]` is often a citation); among equals the last, since drafts come first.
fn by_preference<'a, 'b>(
    documents: &[&'b Candidate<'a>],
) -> impl Iterator<Item = &'b Candidate<'a>> {
    let mut sorted: Vec<&'b Candidate<'a>> = documents.iter().rev().copied().collect();
    sorted.sort_by_key(|candidate| (!candidate.fenced, !candidate.is_object()));
    sorted.into_iter()
}

/// The documents of a text at the top level.
fn scan(text: &str) -> Result<Vec<Candidate<'_>>, StructuredError> {
    let mut documents: Vec<Candidate<'_>> = Vec::new();
    let mut remarks = 0;
    let mut at = 0;
    while let Some(opening) = text[at..].find(['{', '[']) {
        let start = at + opening;
        let rest = &text[start..];
        let is_first = documents.iter().all(Candidate::is_citation);
        let (read, length) = match read_one(rest) {
            Ok((parsed, length)) => (Ok(parsed), length),
            Err(fault) if !is_meant(rest, &fault, is_first) => {
                // A bracket of the prose. What follows it may still be a document.
                remarks += 1;
                if remarks > REMARKS_MAX {
                    break;
                }
                at = start + 1;
                continue;
            }
            // All the rest of the text was read as this document, so no other document can follow.
            Err(fault @ Fault::Cut) if balanced_end(rest).is_some() => {
                return Err(unreadable(rest, &fault));
            }
            Err(Fault::Cut) => return Err(StructuredError::Truncated),
            Err(fault) => match balanced_end(rest) {
                Some(length) => (Err(unreadable(rest, &fault)), length),
                None => return Err(unreadable(rest, &fault)),
            },
        };
        documents.push(Candidate {
            text: &rest[..length],
            start,
            fenced: is_fenced(&text[..start]),
            read,
        });
        at = start + length;
    }
    Ok(documents)
}

/// Reads the document at the beginning of a text, as it is or repaired, with its length in bytes.
fn read_one(text: &str) -> Result<(Parsed, usize), Fault> {
    let mut valid = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    let (value, length, repaired) = match valid.next() {
        Some(Ok(value)) => (value, valid.byte_offset(), false),
        Some(Err(_)) | None => {
            let (value, length) = tolerant::read(text)?;
            (value, length, true)
        }
    };
    Ok((Parsed { value, repaired }, length))
}

/// A fault in words for the model, with its place in the document.
fn unreadable(text: &str, fault: &Fault) -> StructuredError {
    let (at, what) = match fault {
        Fault::Cut => {
            let what = "a string or a bracket in it is never closed: escape the double quotes inside strings";
            return StructuredError::Unreadable(what.to_owned());
        }
        Fault::Unreadable { at, what } => (*at, what),
    };
    let before = &text[..at];
    let line = before.matches('\n').count() + 1;
    let column = before
        .chars()
        .rev()
        .take_while(|letter| *letter != '\n')
        .count()
        + 1;
    StructuredError::Unreadable(format!("line {line}, column {column}: {what}"))
}

/// Whether nothing beside a document looks like a piece of it. A quote that was not escaped may have ended it too early: then
/// its true end, a bracket that closes nothing, stands behind it.
fn stands_alone(text: &str, found: &[Candidate<'_>]) -> bool {
    let Some(first) = found.first() else {
        return true;
    };
    let ends = found.iter().map(|candidate| candidate.end());
    let next_starts = found.iter().skip(1).map(|candidate| candidate.start);
    let mut between = ends
        .zip(next_starts.chain([text.len()]))
        .map(|(from, to)| &text[from..to]);
    // The end of an unreadable document is a guess; if the guess is wrong, the rest of a string follows.
    if found.iter().any(|candidate| candidate.read.is_err()) {
        let of_documents = ['"', '\'', '“', '”', '{', '}', '[', ']'];
        let separators = [',', ':', '，', '：'];
        return !between
            .any(|text| text.contains(of_documents) || text.trim_start().starts_with(separators));
    }
    // An extra bracket at the very end does no harm.
    let is_alone = found.len() == 1 && !text[..first.start].contains(['{', '[']);
    !between.any(|text| has_end_of_document(text, is_alone))
}

/// Whether a bracket in this text closes what was opened before it, as the end of a document does: behind a quote, a number, a
/// literal or another bracket.
fn has_end_of_document(text: &str, spare_brackets_allowed: bool) -> bool {
    let mut open = 0usize;
    let mut before = '}';
    let mut only_brackets = spare_brackets_allowed;
    for letter in text.chars().filter(|letter| !letter.is_whitespace()) {
        match letter {
            '{' | '[' => open += 1,
            '}' | ']' if open > 0 => open -= 1,
            '}' | ']' => {
                let ends_value = before.is_ascii_digit()
                    || matches!(before, '"' | '\'' | '”' | '}' | ']' | 'e' | 'l' | ',');
                if ends_value && !only_brackets {
                    return true;
                }
            }
            _ => {}
        }
        only_brackets &= matches!(letter, '}' | ']');
        before = letter;
    }
    false
}

/// The length of the balanced brackets at the beginning of the text, where double quotes bound the strings; `None` if a bracket is never
/// closed, or is closed by another kind. This is used only to find the end of a document that cannot be read.
fn balanced_end(text: &str) -> Option<usize> {
    let mut open = vec![];
    let mut in_string = false;
    let mut escaped = false;
    for (at, letter) in text.char_indices() {
        if escaped {
            escaped = false;
            continue;
        }
        match letter {
            '\\' => escaped = in_string,
            '"' => in_string = !in_string,
            '{' if !in_string => open.push('}'),
            '[' if !in_string => open.push(']'),
            '}' | ']' if !in_string => {
                if open.pop() != Some(letter) {
                    return None;
                }
                if open.is_empty() {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}

/// Whether a bracket with something unreadable behind it began a document, and not a remark. What can be read up to the end of
/// the text was meant as one, if nothing better came before.
fn is_meant(text: &str, fault: &Fault, is_first: bool) -> bool {
    (is_first && *fault == Fault::Cut) || tolerant::looks_like_document(text, is_first)
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
