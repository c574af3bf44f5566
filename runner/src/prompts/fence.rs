//! Fences around material. A template never writes one: whatever a value says comes out of the template engine between two control
//! tokens, which no value can write, and becomes a fence when the whole request is known. The fence has a mark that stands
//! nowhere else in the request.

use domain::asking::FENCE;
use domain::hash::Sha256;
use minijinja::value::ValueKind;
use minijinja::{Error, ErrorKind, Output, State, Value};

/// What a system message ends with: what a fence is and what is inside.
pub(super) const EXPLANATION: &str = include_str!("../../../prompts/material.md");

/// The ending of the name of a system message among the templates.
pub(super) const SYSTEM_PART: &str = "#system";

/// What the results of tools are called in the head of their fences.
const RESULT: &str = "result";

/// Digits of a mark. A text contains a given mark by chance less than once in a gigabyte; if a text contains it on purpose, another mark is
/// used.
const MARK_DIGITS: usize = 8;

/// A token is this character and one of those below. In a value the character is followed by [`LITERAL`], so that no value
/// holds a token.
const TOKEN: char = '\u{1}';
/// Material begins; its name follows, up to [`NAMED`].
const OPEN: char = '<';
const NAMED: char = '|';
const CLOSE: char = '>';
const LITERAL: char = '=';

/// A part of a rendered message.
#[derive(Debug, PartialEq)]
pub(super) enum Piece {
    /// Words of the template, and values that it marks as `safe`.
    Words(String),
    /// What a person, a file, a page or a model wrote.
    Material { name: String, text: String },
}

impl Piece {
    pub(super) fn text(&self) -> &str {
        match self {
            Self::Words(text) | Self::Material { text, .. } => text,
        }
    }
}

/// Writes what a template shows: numbers, truth values and texts that are `safe` as they are, everything else as material.
pub(super) fn write(out: &mut Output, state: &mut State, value: &Value) -> Result<(), Error> {
    let is_ours = value.is_safe()
        || matches!(
            value.kind(),
            ValueKind::Undefined | ValueKind::None | ValueKind::Bool | ValueKind::Number
        );
    let text = value.to_string();
    let shown = if is_ours {
        text
    } else {
        refuse_in_system_message(state)?;
        between_tokens("", &literal(&text))
    };
    out.write_str(&shown).map_err(Error::from)
}

/// The filter `material`: a fence with a name around a value, or around everything in a filter block.
pub(super) fn material(state: &State, value: &Value, name: &str) -> Result<Value, Error> {
    refuse_in_system_message(state)?;
    refuse_undefined(value)?;
    let is_name = |c: char| c.is_ascii_lowercase() || c == '_';
    if name.is_empty() || !name.chars().all(is_name) {
        let says = "the name of material is in lower-case letters; what else is to be said of it belongs inside";
        return Err(Error::new(ErrorKind::InvalidOperation, says));
    }
    let text = value.to_string();
    // The engine marks what it captured of a block as safe: tokens in it are tokens.
    let inside = if value.is_safe() {
        // The line of the block's end is not part of what it encloses.
        text.strip_suffix('\n').unwrap_or(&text).to_owned()
    } else {
        literal(&text)
    };
    Ok(Value::from_safe_string(between_tokens(name, &inside)))
}

/// The filter `safe`: the program wrote this itself.
pub(super) fn safe(value: &Value) -> Result<Value, Error> {
    refuse_undefined(value)?;
    Ok(Value::from_safe_string(literal(&value.to_string())))
}

/// The filter `tojson`. The engine's own filter marks its result as safe, which is true for HTML only.
pub(super) fn to_json(value: &Value) -> Result<String, Error> {
    refuse_undefined(value)?;
    serde_json::to_string(value).map_err(|cause| {
        Error::new(ErrorKind::InvalidOperation, "not a JSON value").with_source(cause)
    })
}

/// The engine looks for missing variables where a value is shown, which is after a filter.
fn refuse_undefined(value: &Value) -> Result<(), Error> {
    if value.is_undefined() {
        return Err(Error::from(ErrorKind::UndefinedError));
    }
    Ok(())
}

fn refuse_in_system_message(state: &State) -> Result<(), Error> {
    if state.name().ends_with(SYSTEM_PART) {
        let says = "a system message holds no material: move it to the user message, or mark words of the program as `safe`";
        return Err(Error::new(ErrorKind::InvalidOperation, says));
    }
    Ok(())
}

fn between_tokens(name: &str, inside: &str) -> String {
    format!("{TOKEN}{OPEN}{name}{TOKEN}{NAMED}{inside}{TOKEN}{CLOSE}")
}

fn literal(text: &str) -> String {
    text.replace(TOKEN, &format!("{TOKEN}{LITERAL}"))
}

/// The pieces of what a template rendered; nothing where its tokens are broken. Material within material is part of the outer one.
pub(super) fn pieces(rendered: &str) -> Option<Vec<Piece>> {
    let mut pieces = vec![];
    let (mut text, mut name, mut depth) = (String::new(), String::new(), 0_u32);
    let mut rest = rendered;
    while let Some((before, after)) = rest.split_once(TOKEN) {
        text.push_str(before);
        let mut after = after.chars();
        match after.next()? {
            LITERAL => text.push(TOKEN),
            OPEN => {
                let (said, inside) = after.as_str().split_once(TOKEN)?;
                after = inside.strip_prefix(NAMED)?.chars();
                if depth == 0 {
                    pieces.push(Piece::Words(std::mem::take(&mut text)));
                    said.clone_into(&mut name);
                }
                depth += 1;
            }
            CLOSE => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    let (name, text) = (std::mem::take(&mut name), std::mem::take(&mut text));
                    pieces.push(Piece::Material { name, text });
                }
            }
            _ => return None,
        }
        rest = after.as_str();
    }
    text.push_str(rest);
    pieces.push(Piece::Words(text));
    (depth == 0).then_some(pieces)
}

/// The mark of the fences of a request of these texts, none of which holds it. It follows from the first material, so that the
/// calls of a stage, which begin with the same material, have the same mark and providers can cache what they have in common. Only
/// where that mark is in a text does it follow from all texts.
pub(super) fn mark(first: &str, texts: &[&str]) -> String {
    let is_free = |mark: &String| !texts.iter().any(|text| text.contains(mark.as_str()));
    let digits = |hash: Sha256| hash.hex()[..MARK_DIGITS].to_owned();
    let usual = Some(digits(Sha256::of(first.as_bytes()))).filter(is_free);
    usual.unwrap_or_else(|| {
        let all = Sha256::of_parts(texts.iter().map(|text| text.as_bytes()));
        let others =
            (0_u64..).map(|place| Sha256::of_parts([&all.as_bytes()[..], &place.to_le_bytes()]));
        let mut others = others.map(digits);
        others
            .find(is_free)
            .expect("texts that fit into memory do not hold all marks")
    })
}

/// A message with its fences, each on lines of its own.
pub(super) fn fenced(pieces: &[Piece], mark: &str) -> String {
    let mut message = String::new();
    for piece in pieces {
        match piece {
            Piece::Words(words) => {
                let begins_a_line =
                    message.is_empty() || words.is_empty() || words.starts_with('\n');
                if !begins_a_line {
                    message.push('\n');
                }
                message.push_str(words);
            }
            Piece::Material { name, text } => {
                if !(message.is_empty() || message.ends_with('\n')) {
                    message.push('\n');
                }
                message.push_str(&fence(name, text, mark));
            }
        }
    }
    message
}

/// What a tool returned, as a model is shown it.
pub(super) fn returned(output: &str, mark: &str) -> String {
    fence(RESULT, output, mark)
}

fn fence(name: &str, text: &str, mark: &str) -> String {
    let space = if name.is_empty() { "" } else { " " };
    let [begin, end] = FENCE;
    format!("{begin}{mark}{space}{name}\n{text}\n{end}{mark}")
}
