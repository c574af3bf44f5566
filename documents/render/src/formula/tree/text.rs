//! Words in a formula.

use ratex_parser::ParseNode;
use ratex_parser::parse_node::Mode;
use unicode_normalization::UnicodeNormalization;

use super::line::Line;
use super::{Context, Part, Unsupported, Variant, fonts, node, signs};

/// Appends the words, and the formulas between them.
pub(super) fn append(
    line: &mut Line,
    body: &[ParseNode],
    font: Option<&str>,
    context: Context,
) -> Result<(), Unsupported> {
    let asked = font
        .map(fonts::asked)
        .transpose()?
        .map(|(variant, _)| variant);
    let variant = match (asked, context.variant) {
        (Some(Variant::Bold), Some(Variant::Italic))
        | (Some(Variant::Italic), Some(Variant::Bold)) => Some(Variant::BoldItalic),
        // `\text` and `\textup` say nothing about the weight around them.
        (Some(Variant::Upright) | None, around) => around,
        (asked, _) => asked,
    };
    words(line, body, Context { variant, ..context })
}

/// Appends each of the nodes as a word or as what it is.
fn words(line: &mut Line, body: &[ParseNode], context: Context) -> Result<(), Unsupported> {
    for node in body {
        if let Some(text) = word(node)? {
            line.push(plain(text, context), context);
            continue;
        }
        if let ParseNode::OrdGroup {
            mode: Mode::Text,
            body,
            ..
        }
        | ParseNode::Color {
            mode: Mode::Text,
            body,
            ..
        }
        | ParseNode::Sizing {
            mode: Mode::Text,
            body,
            ..
        }
        | ParseNode::HBox { body, .. } = node
        {
            words(line, body, context)?;
        } else if let ParseNode::Text { body, font, .. } = node {
            append(line, body, font.as_deref(), context)?;
        } else {
            node::append(
                line,
                node,
                Context {
                    variant: None,
                    joined: false,
                    ..context
                },
            )?;
        }
    }
    Ok(())
}

/// The characters that a node of text is.
pub(super) fn word(node: &ParseNode) -> Result<Option<String>, Unsupported> {
    if let ParseNode::Accent {
        mode: Mode::Text,
        label,
        base,
        ..
    } = node
    {
        // In a formula the accent is of text, and the letter under it is not.
        let single = |text: &&str| text.chars().count() == 1;
        let letter = base.symbol_text().filter(single).map(str::to_owned);
        let Some(base) = word(base)?.or(letter) else {
            return Ok(None);
        };
        let accent = signs::accent(label)?;
        return Ok(Some(accented(&base, accent)));
    }
    if let ParseNode::OrdGroup {
        mode: Mode::Text,
        body,
        ..
    }
    | ParseNode::Sizing {
        mode: Mode::Text,
        body,
        ..
    } = node
        && let [only] = body.as_slice()
    {
        return word(only);
    }
    if matches!(node, ParseNode::SpacingNode { .. }) {
        return Ok(node
            .symbol_text()
            .filter(|text| signs::space(text) > 0.0)
            .map(|_| " ".into()));
    }
    match (node.mode(), node.symbol_text()) {
        (Mode::Text, Some(text)) => signs::sign(text, Mode::Text).map(Some),
        (Mode::Text | Mode::Math, _) => Ok(None),
    }
}

/// The first character with the accent, as one character where Unicode has it.
fn accented(base: &str, accent: char) -> String {
    let mut chars = base.chars();
    let first: String = match (chars.next(), accent) {
        (Some('c'), '\u{20DD}') => "©".into(),
        (Some('R'), '\u{20DD}') => "®".into(),
        (first, _) => first.into_iter().chain([accent]).nfc().collect(),
    };
    first + chars.as_str()
}

/// Words in the variant of the context, as far as words have it.
pub(super) fn plain(text: String, context: Context) -> Part {
    let variant = match context.variant {
        Some(Variant::DoubleStruck | Variant::Script | Variant::Fraktur) | None => Variant::Upright,
        Some(other) => other,
    };
    Part::Text { text, variant }
}
