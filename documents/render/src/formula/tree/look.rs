//! What changes only how its content looks, and what is only space.

use ratex_parser::ParseNode;
use ratex_parser::parse_node::{Measurement, Mode, StyleStr};

use super::line::{self, Line};
use super::{Context, LEVEL_MAX, Part, Unsupported, Variant, fonts, node, signs, text};

/// Appends the content of a font, a colour, a size, a style or a place. Another node is refused.
pub(super) fn append(
    line: &mut Line,
    node: &ParseNode,
    context: Context,
) -> Result<(), Unsupported> {
    if let ParseNode::Color { body, .. }
    | ParseNode::Sizing { body, .. }
    | ParseNode::Href { body, .. }
    | ParseNode::Html { body, .. } = node
    {
        return line::fill(line, body, context);
    }
    if let ParseNode::Lap { body, .. }
    | ParseNode::RaiseBox { body, .. }
    | ParseNode::VCenter { body, .. } = node
    {
        return inside(line, body, context);
    }
    if let ParseNode::Enclose { body, .. } = node {
        return inside(line, body, context);
    }
    if let Some((inner, body)) = font(node, context)? {
        return body.iter().try_for_each(|node| inside(line, node, inner));
    }
    if let ParseNode::Styling { style, body, .. } = node {
        return styled(line, *style, body, context);
    }
    if let ParseNode::HtmlMathMl { mathml, .. } = node {
        return instead(line, mathml, context);
    }
    if let ParseNode::MathChoice {
        display,
        text,
        script,
        scriptscript,
        ..
    } = node
    {
        let chosen = match (context.display, context.level) {
            (true, _) => display,
            (false, 0) => text,
            (false, 1) => script,
            (false, _) => scriptscript,
        };
        return line::fill(line, chosen, context);
    }
    Err(Unsupported(node.type_name().into()))
}

/// The context that a font asks for, and what is written in it.
fn font(
    node: &ParseNode,
    context: Context,
) -> Result<Option<(Context, &[ParseNode])>, Unsupported> {
    if let ParseNode::Pmb { body, .. } = node {
        let bold = Context {
            variant: Some(Variant::BoldItalic),
            joined: false,
            ..context
        };
        return Ok(Some((bold, body)));
    }
    let ParseNode::Font { font, body, .. } = node else {
        return Ok(None);
    };
    let (variant, joined) = fonts::asked(font)?;
    let inner = Context {
        variant: Some(variant),
        joined,
        ..context
    };
    Ok(Some((inner, std::slice::from_ref(body))))
}

/// Appends space, or what is not seen at its place. Another node is refused.
pub(super) fn unseen(
    line: &mut Line,
    node: &ParseNode,
    context: Context,
) -> Result<(), Unsupported> {
    if let ParseNode::SpacingNode { text, .. } = node {
        line::space(line, signs::space(text), context);
    } else if let ParseNode::Kern { dimension, .. } = node {
        line::space(line, signs::em(dimension), context);
    } else if let ParseNode::Rule { width, height, .. } = node {
        rule(line, width, height, context)?;
    } else if let ParseNode::Tag { tag, .. } = node {
        line.tag(line::parts(tag, context)?);
    } else {
        return Err(Unsupported(node.type_name().into()));
    }
    Ok(())
}

/// Appends the content of a group, or the node, as if it were written without the command around it.
fn inside(line: &mut Line, node: &ParseNode, context: Context) -> Result<(), Unsupported> {
    let ParseNode::OrdGroup { mode, body, .. } = node else {
        return node::append(line, node, context);
    };
    match mode {
        Mode::Math => line::fill(line, body, context),
        Mode::Text => text::append(line, body, None, context),
    }
}

/// Appends what stands for the drawing of a sign; a stroke alone is that of `\not`, for the sign after it.
fn instead(line: &mut Line, mathml: &[ParseNode], context: Context) -> Result<(), Unsupported> {
    if let [ParseNode::TextOrd { text, .. }] = mathml
        && text == "\u{338}"
    {
        line.negate();
        return Ok(());
    }
    line::fill(line, mathml, context)
}

/// Appends content in the style that it asks for.
fn styled(
    line: &mut Line,
    style: StyleStr,
    body: &[ParseNode],
    context: Context,
) -> Result<(), Unsupported> {
    let (display, level) = match style {
        StyleStr::Display => (true, 0),
        StyleStr::Text => (false, 0),
        StyleStr::Script => (false, 1),
        StyleStr::Scriptscript => (false, LEVEL_MAX),
    };
    if (display, level) == (context.display, context.level) {
        return line::fill(line, body, context);
    }
    let inner = line::row(
        body,
        Context {
            display,
            level,
            ..context
        },
    )?;
    // Of two styles around each other the inner one holds.
    let part = if matches!(inner, Part::Styled { .. }) {
        inner
    } else {
        Part::Styled {
            display,
            level,
            inner: Box::new(inner),
        }
    };
    line.push(part, context);
    Ok(())
}

/// Appends a rule. One without width or height only keeps room; one that is seen is refused.
fn rule(
    line: &mut Line,
    width: &Measurement,
    height: &Measurement,
    context: Context,
) -> Result<(), Unsupported> {
    if width.number * height.number > 0.0 {
        return Err(Unsupported("\\rule".into()));
    }
    line::space(line, signs::em(width), context);
    Ok(())
}
