//! Numbers, which the parser reads digit by digit.

use ratex_parser::ParseNode;
use ratex_parser::parse_node::Mode;

use super::{Context, Part, Variant};

/// A number in the variant of the context, of which there are bold digits but no italic ones.
pub(super) fn number(text: String, context: Context) -> Part {
    let variant = match context.variant {
        Some(Variant::Bold | Variant::BoldItalic) => Variant::Bold,
        Some(same @ (Variant::DoubleStruck | Variant::SansSerif | Variant::Monospace)) => same,
        Some(Variant::Upright | Variant::Italic | Variant::Script | Variant::Fraktur) | None => {
            Variant::Upright
        }
    };
    Part::Number { text, variant }
}

/// The number with one more digit.
pub(super) fn extended(number: Part, last: &ParseNode) -> Part {
    let Part::Number { mut text, variant } = number else {
        return number;
    };
    text.extend(digit(last));
    Part::Number { text, variant }
}

/// The number that the nodes begin with, as it is written, and how many nodes it takes.
pub(super) fn digits(nodes: &[ParseNode]) -> (String, usize) {
    let mut text = String::new();
    let mut used = 0;
    for (at, node) in nodes.iter().enumerate() {
        let next = nodes.get(at + 1).and_then(leading);
        if let Some(digit) = digit(node) {
            text.push(digit);
        } else if let (Some(mark), Some(_)) = (mark(node), next)
            && (mark == '.' || !text.is_empty())
        {
            text.push(mark);
        } else {
            break;
        }
        used = at + 1;
    }
    (text, used)
}

/// The digit that a node is.
pub(super) fn digit(node: &ParseNode) -> Option<char> {
    let ParseNode::TextOrd {
        mode: Mode::Math,
        text,
        ..
    } = node
    else {
        return None;
    };
    let mut chars = text.chars();
    chars
        .next()
        .filter(|char| char.is_ascii_digit() && chars.next().is_none())
}

/// The digit that a node is, or that is the base of its scripts.
fn leading(node: &ParseNode) -> Option<char> {
    if let ParseNode::SupSub {
        base: Some(base), ..
    } = node
    {
        digit(base)
    } else {
        digit(node)
    }
}

/// The mark that a node puts between digits: a point, or a comma in braces, which is how LaTeX writes thousands.
fn mark(node: &ParseNode) -> Option<char> {
    if let ParseNode::TextOrd { text, .. } = node {
        return (text == ".").then_some('.');
    }
    let ParseNode::OrdGroup { body, .. } = node else {
        return None;
    };
    let [ParseNode::Atom { text, .. }] = body.as_slice() else {
        return None;
    };
    (text == ",").then_some(',')
}
