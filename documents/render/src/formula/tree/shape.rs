//! Fractions, accents, arrows, boxes.

use ratex_parser::ParseNode;

use super::node::boxed;
use super::{
    Context, Frame, LEVEL_MAX, Part, Role, Room, Unsupported, line, node, nothing, scripts, signs,
    text,
};

/// What has something around it: a root, an accent, fences, a line, a brace, a frame, or the labels of an arrow. Another
/// node is refused.
pub(super) fn around(node: &ParseNode, context: Context) -> Result<Part, Unsupported> {
    if let ParseNode::Sqrt { body, index, .. } = node {
        let smallest = Context {
            display: false,
            level: LEVEL_MAX,
            ..context
        };
        let degree = index
            .as_deref()
            .map(|index| boxed(index, smallest))
            .transpose()?;
        return Ok(Part::Root {
            of: boxed(body, context)?,
            degree,
        });
    }
    if let ParseNode::Accent { .. } | ParseNode::AccentUnder { .. } = node {
        return accent(node, context);
    }
    if let ParseNode::LeftRight {
        body, left, right, ..
    } = node
    {
        let inner = Box::new(line::row(body, context)?);
        return Ok(Part::Fenced {
            open: signs::fence(left)?,
            close: signs::fence(right)?,
            inner,
        });
    }
    if let ParseNode::Overline { body, .. } = node {
        return Ok(Part::Line {
            over: true,
            base: boxed(body, context)?,
        });
    }
    if let ParseNode::Underline { body, .. } = node {
        return Ok(Part::Line {
            over: false,
            base: boxed(body, context)?,
        });
    }
    if let ParseNode::HorizBrace {
        label,
        is_over,
        base,
        ..
    } = node
    {
        return Ok(Part::Brace {
            sign: signs::brace(label)?,
            over: *is_over,
            base: boxed(base, context)?,
        });
    }
    if let ParseNode::Enclose { label, body, .. } = node {
        return enclosed(label, body, context);
    }
    arrow(node, context)
}

/// A fraction, or one thing above another, with the fences that binomials have.
pub(super) fn fraction(node: &ParseNode, context: Context) -> Result<Part, Unsupported> {
    let ParseNode::GenFrac {
        continued,
        numer,
        denom,
        has_bar_line,
        left_delim,
        right_delim,
        ..
    } = node
    else {
        return Err(Unsupported(node.type_name().into()));
    };
    // The parts of a continued fraction do not get smaller.
    let inner = if *continued {
        context
    } else {
        context.fraction()
    };
    let sized = |node: &ParseNode| {
        let part = node::part(node, inner)?;
        Ok(if *continued { in_display(part) } else { part })
    };
    let (above, below) = (Box::new(sized(numer)?), Box::new(sized(denom)?));
    let part = Part::Fraction {
        above,
        below,
        ruled: *has_bar_line,
    };
    let fence = |delimiter: &Option<String>| {
        delimiter
            .as_deref()
            .map_or_else(|| Ok(String::new()), signs::fence)
    };
    let (open, close) = (fence(left_delim)?, fence(right_delim)?);
    Ok(if open.is_empty() && close.is_empty() {
        part
    } else {
        Part::Fenced {
            open,
            close,
            inner: Box::new(part),
        }
    })
}

/// The part with room as in a display.
fn in_display(inner: Part) -> Part {
    Part::Styled {
        display: true,
        level: 0,
        inner: Box::new(inner),
    }
}

/// A mark over or under its base; a plain line is a line, and a letter of text with its accent is text.
fn accent(node: &ParseNode, context: Context) -> Result<Part, Unsupported> {
    if let Some(word) = text::word(node)? {
        return Ok(text::plain(word, context));
    }
    let (label, stretchy, over, base) = if let ParseNode::Accent {
        label,
        is_stretchy,
        base,
        ..
    } = node
    {
        (label, is_stretchy, true, base)
    } else if let ParseNode::AccentUnder {
        label,
        is_stretchy,
        base,
        ..
    } = node
    {
        (label, is_stretchy, false, base)
    } else {
        return Err(Unsupported(node.type_name().into()));
    };
    let base = boxed(base, context)?;
    if matches!(label.as_str(), "\\overlinesegment" | "\\underlinesegment") {
        return Ok(Part::Line { over, base });
    }
    Ok(Part::Accent {
        mark: signs::accent(label)?,
        stretchy: stretchy.unwrap_or(false),
        over,
        base,
    })
}

/// A part that takes other room than its own.
pub(super) fn phantom(node: &ParseNode, context: Context) -> Result<Part, Unsupported> {
    if let ParseNode::Phantom { body, .. } = node {
        let room = Room {
            width: true,
            height: true,
            depth: true,
        };
        return Ok(Part::Phantom {
            seen: false,
            room,
            inner: Box::new(line::row(body, context)?),
        });
    }
    if let ParseNode::VPhantom { body, .. } = node {
        let room = Room {
            width: false,
            height: true,
            depth: true,
        };
        return Ok(Part::Phantom {
            seen: false,
            room,
            inner: boxed(body, context)?,
        });
    }
    let ParseNode::Smash {
        body,
        smash_height,
        smash_depth,
        ..
    } = node
    else {
        return Err(Unsupported(node.type_name().into()));
    };
    let (height, depth) = (!smash_height, !smash_depth);
    let inner = node::part(body, context)?;
    // `\hphantom` is a smashed phantom.
    Ok(if let Part::Phantom { seen, room, inner } = inner {
        let room = Room {
            width: room.width,
            height: room.height && height,
            depth: room.depth && depth,
        };
        Part::Phantom { seen, room, inner }
    } else {
        Part::Phantom {
            seen: true,
            room: Room {
                width: true,
                height,
                depth,
            },
            inner: Box::new(inner),
        }
    })
}

/// What is written over or under an arrow, unless it is nothing.
fn label_of(node: Option<&ParseNode>, context: Context) -> Result<Option<Box<Part>>, Unsupported> {
    Ok(scripts::script(node, context)?.filter(|part| !part.is_empty()))
}

/// An arrow with labels. Another node is refused.
fn arrow(node: &ParseNode, context: Context) -> Result<Part, Unsupported> {
    if let ParseNode::XArrow {
        label, body, below, ..
    } = node
    {
        let above = label_of(Some(body), context)?;
        return Ok(Part::Arrow {
            sign: signs::arrow(label)?,
            above,
            below: label_of(below.as_deref(), context)?,
        });
    }
    let ParseNode::CdArrow {
        direction,
        label_above,
        label_below,
        ..
    } = node
    else {
        return Err(Unsupported(node.type_name().into()));
    };
    let above = label_of(label_above.as_deref(), context)?;
    let below = label_of(label_below.as_deref(), context)?;
    let sign = match direction.as_str() {
        "right" => {
            return Ok(Part::Arrow {
                sign: '→',
                above,
                below,
            });
        }
        "left" => {
            return Ok(Part::Arrow {
                sign: '←',
                above,
                below,
            });
        }
        "down" => "↓",
        "up" => "↑",
        "horiz_eq" => "=",
        "vert_eq" => "‖",
        "none" => return Ok(nothing()),
        other => return Err(Unsupported(other.into())),
    };
    let sign = Part::Operator {
        sign: sign.into(),
        role: Role::Ordinary,
    };
    let labels = [above.map(|part| *part), Some(sign), below.map(|part| *part)];
    Ok(line::one(labels.into_iter().flatten().collect()))
}

/// What is in a box or struck through.
fn enclosed(label: &str, body: &ParseNode, context: Context) -> Result<Part, Unsupported> {
    let frame = match label {
        "\\fbox" | "\\fcolorbox" => Frame::Box,
        "\\angl" => Frame::Angle,
        "\\cancel" => Frame::Rising,
        "\\bcancel" => Frame::Falling,
        "\\xcancel" => Frame::Cross,
        "\\sout" => Frame::Struck,
        "\\slashed" | "\\centernot" => return Ok(line::struck(node::part(body, context)?)),
        other => return Err(Unsupported(other.into())),
    };
    Ok(Part::Framed {
        frame,
        inner: boxed(body, context)?,
    })
}
