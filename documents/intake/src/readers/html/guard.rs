//! How much a page would cost to parse.
//!
//! A parser follows the standard, which sets no limits: each open element is looked at for each tag, bold text that is never closed is
//! opened again in each paragraph, and each attribute is compared with those before it.

use std::cell::RefCell;
use std::collections::HashMap;

use html5ever::LocalName;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{
    BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};

use crate::{IntakeLimits, Unreadable};

/// Elements of a page: the longest specifications have a quarter of a million.
const MOST_NODES: u64 = 3_000_000;

/// Attributes of an element, estimated by the white space in its tag.
const MOST_ATTRIBUTES: usize = 2_000;

/// How many elements may be open for each level of the limit: pages have containers where other texts have none.
const PER_LEVEL: usize = 2;

/// These elements end where another of them begins, and can be nested only with other elements in between.
const ENDED_BY_OTHERS: [&str; 15] = [
    "p", "li", "dt", "dd", "tr", "td", "th", "thead", "tbody", "tfoot", "option", "optgroup", "rp",
    "rt", "colgroup",
];

pub(super) const EMPTY: [&str; 16] = [
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source",
    "track", "wbr", "frame", "keygen",
];

/// These elements are opened again if a paragraph ended before they did.
const FORMATTING: [&str; 14] = [
    "a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u",
];

/// Checks how much a page or a template costs to parse, in a time that grows with its length alone.
///
/// # Errors
///
/// [`Unreadable::TooLarge`], if it is nested deeper than twice the depth of the limits, or has too many elements or attributes.
pub fn check(text: &str, limits: &IntakeLimits) -> Result<(), Unreadable> {
    check_attributes(text)?;
    let input = BufferQueue::default();
    input.push_back(StrTendril::from_slice(text));
    let tokenizer = Tokenizer::new(Count::default(), TokenizerOpts::default());
    // The sink never asks for a script to be run, so one call processes all of the input.
    let _ = tokenizer.feed(&input);
    let count = tokenizer.sink.0.borrow();
    let most = limits.depth.saturating_mul(PER_LEVEL);
    if count.deepest > most {
        return Err(too_large(
            "levels of nesting",
            count.deepest as u64,
            most as u64,
        ));
    }
    if count.nodes > MOST_NODES {
        return Err(too_large("elements", count.nodes, MOST_NODES));
    }
    Ok(())
}

fn too_large(what: &'static str, value: u64, most: u64) -> Unreadable {
    Unreadable::TooLarge { what, value, most }
}

/// Done before the tokenizer, which compares the attributes of an element with each other.
fn check_attributes(text: &str) -> Result<(), Unreadable> {
    let mut rest = text;
    while let Some(start) = rest.find('<') {
        rest = &rest[start + 1..];
        if !rest.starts_with(|first: char| first.is_ascii_alphabetic()) {
            continue;
        }
        let bytes = rest.as_bytes();
        let (mut quote, mut spaces, mut end) = (None, 0, bytes.len());
        for (place, byte) in bytes.iter().enumerate() {
            match (quote, byte) {
                (None, b'>') => {
                    end = place;
                    break;
                }
                (None, b'"' | b'\'') => {
                    quote = Some(*byte);
                    spaces += 1;
                }
                (None, b' ' | b'\n' | b'\t' | b'\r' | b'\x0C' | b'/' | b'=') => spaces += 1,
                (Some(open), _) if open == *byte => quote = None,
                (None | Some(_), _) => {}
            }
            if spaces > 4 * MOST_ATTRIBUTES {
                let most = MOST_ATTRIBUTES as u64;
                return Err(too_large("attributes of an element", most + 1, most));
            }
        }
        let is_script = ["script", "style"].iter().find(|name| {
            let head = bytes.get(..name.len());
            head.is_some_and(|head| head.eq_ignore_ascii_case(name.as_bytes()))
        });
        rest = rest.get(end..).unwrap_or_default();
        if let Some(name) = is_script {
            let close = format!("</{name}");
            rest = rest
                .find(close.as_str())
                .map_or(rest, |place| &rest[place + 2..]);
        }
    }
    Ok(())
}

#[derive(Default)]
struct Count(RefCell<State>);

#[derive(Default)]
struct State {
    open: HashMap<LocalName, usize>,
    depth: usize,
    deepest: usize,
    formatting: u64,
    nodes: u64,
}

impl State {
    fn tag(&mut self, tag: &Tag) {
        self.nodes += 1 + self.formatting;
        let name: &str = &tag.name;
        if EMPTY.contains(&name) || ENDED_BY_OTHERS.contains(&name) {
            return;
        }
        let is_formatting = FORMATTING.contains(&name);
        let open = self.open.entry(tag.name.clone()).or_default();
        match tag.kind {
            TagKind::StartTag if tag.self_closing && !is_formatting && is_foreign(name) => {}
            TagKind::StartTag => {
                *open += 1;
                self.depth += 1;
                self.formatting += u64::from(is_formatting);
                self.deepest = self.deepest.max(self.depth);
            }
            TagKind::EndTag if *open > 0 => {
                *open -= 1;
                self.depth -= 1;
                self.formatting -= u64::from(is_formatting);
            }
            TagKind::EndTag => {}
        }
    }
}

/// Shapes of a drawing and signs of a formula can close themselves; elements of a page cannot.
fn is_foreign(name: &str) -> bool {
    let shapes = [
        "path",
        "rect",
        "circle",
        "ellipse",
        "line",
        "polyline",
        "polygon",
        "use",
        "stop",
        "image",
        "mspace",
        "mprescripts",
        "none",
        "g",
        "mrow",
        "mi",
        "mo",
        "mn",
        "mtd",
        "mtr",
        "animate",
    ];
    shapes.contains(&name)
}

impl TokenSink for Count {
    type Handle = ();

    fn process_token(&self, token: Token, _: u64) -> TokenSinkResult<()> {
        let mut state = self.0.borrow_mut();
        match token {
            Token::TagToken(tag) => {
                state.tag(&tag);
                match (tag.kind, &*tag.name) {
                    (TagKind::StartTag, "script") => TokenSinkResult::RawData(RawKind::ScriptData),
                    (
                        TagKind::StartTag,
                        "style" | "noscript" | "iframe" | "noembed" | "noframes" | "xmp",
                    ) => TokenSinkResult::RawData(RawKind::Rawtext),
                    (TagKind::StartTag, "title" | "textarea") => {
                        TokenSinkResult::RawData(RawKind::Rcdata)
                    }
                    (TagKind::StartTag | TagKind::EndTag, _) => TokenSinkResult::Continue,
                }
            }
            Token::CommentToken(_) => {
                state.nodes += 1;
                TokenSinkResult::Continue
            }
            Token::DoctypeToken(_)
            | Token::CharacterTokens(_)
            | Token::NullCharacterToken
            | Token::EOFToken
            | Token::ParseError(_) => TokenSinkResult::Continue,
        }
    }
}
