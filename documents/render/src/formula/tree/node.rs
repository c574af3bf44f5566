//! What each node of the parser says.

use ratex_parser::ParseNode;
use ratex_parser::parse_node::Mode;

use super::line::{self, Line};
use super::{
    Context, Part, Role, Unsupported, Variant, array, fonts, look, name, scripts, shape, signs,
    text,
};

/// What the node says as one part.
pub(super) fn part(node: &ParseNode, context: Context) -> Result<Part, Unsupported> {
    line::row(std::slice::from_ref(node), context)
}

/// What the node says, in a box.
pub(super) fn boxed(node: &ParseNode, context: Context) -> Result<Box<Part>, Unsupported> {
    part(node, context).map(Box::new)
}

/// Appends what a node says to the line.
pub(super) fn append(
    line: &mut Line,
    node: &ParseNode,
    context: Context,
) -> Result<(), Unsupported> {
    let part = match node {
        ParseNode::SupSub { base, sup, sub, .. } => {
            return scripts::append(
                line,
                base.as_deref(),
                sup.as_deref(),
                sub.as_deref(),
                context,
            );
        }
        ParseNode::Text { body, font, .. } => {
            return text::append(line, body, font.as_deref(), context);
        }
        ParseNode::HBox { body, .. } => return text::append(line, body, None, context),
        ParseNode::Font { .. }
        | ParseNode::Color { .. }
        | ParseNode::Styling { .. }
        | ParseNode::Sizing { .. }
        | ParseNode::Href { .. }
        | ParseNode::Lap { .. }
        | ParseNode::MathChoice { .. }
        | ParseNode::RaiseBox { .. }
        | ParseNode::VCenter { .. }
        | ParseNode::Pmb { .. }
        | ParseNode::Html { .. }
        | ParseNode::HtmlMathMl { .. } => return look::append(line, node, context),
        ParseNode::Enclose { label, .. } if label == "\\colorbox" => {
            return look::append(line, node, context);
        }
        ParseNode::SpacingNode { .. }
        | ParseNode::Kern { .. }
        | ParseNode::Rule { .. }
        | ParseNode::Tag { .. } => {
            return look::unseen(line, node, context);
        }
        ParseNode::Cr { .. } | ParseNode::Internal { .. } | ParseNode::NoNumber { .. } => {
            return Ok(());
        }
        ParseNode::Atom { .. }
        | ParseNode::MathOrd { .. }
        | ParseNode::TextOrd { .. }
        | ParseNode::OpToken { .. }
        | ParseNode::AccentToken { .. }
        | ParseNode::OrdGroup { .. }
        | ParseNode::MClass { .. }
        | ParseNode::DelimSizing { .. }
        | ParseNode::Middle { .. }
        | ParseNode::Verb { .. } => simple(node, context)?,
        ParseNode::Op { .. } | ParseNode::OperatorName { .. } => name::operator(node, context)?,
        ParseNode::GenFrac { .. } => shape::fraction(node, context)?,
        ParseNode::Array { .. } => array::table(node, context)?,
        ParseNode::Phantom { .. } | ParseNode::VPhantom { .. } | ParseNode::Smash { .. } => {
            shape::phantom(node, context)?
        }
        ParseNode::Sqrt { .. }
        | ParseNode::Accent { .. }
        | ParseNode::AccentUnder { .. }
        | ParseNode::LeftRight { .. }
        | ParseNode::Overline { .. }
        | ParseNode::Underline { .. }
        | ParseNode::HorizBrace { .. }
        | ParseNode::Enclose { .. }
        | ParseNode::XArrow { .. }
        | ParseNode::CdArrow { .. } => shape::around(node, context)?,
        // Arguments that the parser keeps for itself, pictures, and proofs, which are no formulas.
        ParseNode::ColorToken { .. }
        | ParseNode::Size { .. }
        | ParseNode::LeftRightRight { .. }
        | ParseNode::Environment { .. }
        | ParseNode::Infix { .. }
        | ParseNode::Url { .. }
        | ParseNode::Raw { .. }
        | ParseNode::IncludeGraphics { .. }
        | ParseNode::CdLabel { .. }
        | ParseNode::CdLabelParent { .. }
        | ParseNode::ProofTree { .. } => return Err(Unsupported(node.type_name().into())),
    };
    line.push(part, context);
    Ok(())
}

/// A sign, a letter, or a group of them. Another node is refused.
fn simple(node: &ParseNode, context: Context) -> Result<Part, Unsupported> {
    if let ParseNode::Atom {
        mode, family, text, ..
    } = node
    {
        return line::operator(text, *mode, signs::role(*family));
    }
    if let ParseNode::MathOrd { mode, text, .. } | ParseNode::TextOrd { mode, text, .. } = node {
        return symbol(text, *mode, context);
    }
    if let ParseNode::OpToken { mode, text, .. } = node {
        return Ok(Part::Large(signs::sign(text, *mode)?));
    }
    if let ParseNode::AccentToken { mode, text, .. } = node {
        return line::operator(text, *mode, Role::Ordinary);
    }
    if let ParseNode::OrdGroup { body, .. } = node {
        return Ok(tight(line::row(body, context)?));
    }
    if let ParseNode::MClass { mclass, body, .. } = node {
        return Ok(classed(mclass, line::row(body, context)?));
    }
    if let ParseNode::DelimSizing {
        size,
        mclass,
        delim,
        ..
    } = node
    {
        return Ok(Part::Delimiter {
            sign: signs::fence(delim)?,
            role: signs::class(mclass),
            size: *size,
        });
    }
    if let ParseNode::Middle { delim, .. } = node {
        return Ok(Part::Middle(signs::fence(delim)?));
    }
    if let ParseNode::Verb { body, .. } = node {
        return Ok(Part::Text {
            text: body.clone(),
            variant: Variant::Monospace,
        });
    }
    Err(Unsupported(node.type_name().into()))
}

/// A letter, a word that is written without `\text`, or a sign that stands for a thing.
fn symbol(symbol: &str, mode: Mode, context: Context) -> Result<Part, Unsupported> {
    let sign = signs::sign(symbol, mode)?;
    if mode == Mode::Text {
        return Ok(text::plain(sign, context));
    }
    let mut chars = sign.chars();
    Ok(match (chars.next(), chars.next()) {
        (Some(letter), None) if letter.is_alphabetic() => Part::Letters {
            text: sign,
            variant: fonts::drawn(letter, context.variant),
        },
        (Some('('), None) => Part::Operator {
            sign,
            role: Role::Open,
        },
        (Some(')'), None) => Part::Operator {
            sign,
            role: Role::Close,
        },
        // The parser numbers equations with numbers in one piece.
        _ if !sign.is_empty() && sign.chars().all(|char| char.is_ascii_digit()) => Part::Number {
            text: sign,
            variant: Variant::Upright,
        },
        _ => Part::Operator {
            sign,
            role: Role::Ordinary,
        },
    })
}

/// A sign that is alone in braces has no space around it, which is what the braces are for.
fn tight(mut part: Part) -> Part {
    if let Part::Operator { role, .. } = &mut part
        && *role != Role::Ordinary
    {
        *role = Role::Tight;
    }
    part
}

/// The part in the class of TeX that it is put into, if it is one sign or one word.
fn classed(class: &str, mut part: Part) -> Part {
    let asked = signs::class(class);
    if let Part::Operator { role, .. } = &mut part {
        *role = asked;
    } else if let Part::Letters {
        text,
        variant: Variant::Upright,
    } = &mut part
        && asked != Role::Tight
    {
        return Part::Operator {
            sign: std::mem::take(text),
            role: asked,
        };
    }
    part
}
