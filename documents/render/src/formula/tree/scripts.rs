//! What is written small: at its base, over and under it, or before the next part.

use ratex_parser::ParseNode;

use super::line::{self, Line};
use super::{Context, Part, Role, Unsupported, node, nothing};

/// Appends a base with what is above and below it.
pub(super) fn append(
    line: &mut Line,
    base: Option<&ParseNode>,
    above: Option<&ParseNode>,
    below: Option<&ParseNode>,
    context: Context,
) -> Result<(), Unsupported> {
    let Some(node) = base.filter(|node| !is_hollow(node)) else {
        return hollow(line, base, above, below, context);
    };
    let base = node::part(node, context)?;
    let is_closing = matches!(
        &base,
        Part::Operator {
            role: Role::Close,
            ..
        }
    );
    let base = Box::new(if is_closing { line.bracket(base) } else { base });
    let as_limits = limits(node, context);
    let part = Part::Scripts {
        base,
        above: script(above, context)?,
        below: script(below, context)?,
        as_limits,
    };
    line.push(part, context);
    Ok(())
}

/// One script.
pub(super) fn script(
    node: Option<&ParseNode>,
    context: Context,
) -> Result<Option<Box<Part>>, Unsupported> {
    let part = node
        .map(|node| node::part(node, context.script()))
        .transpose()?;
    Ok(part.map(Box::new))
}

/// Whether TeX puts the scripts of the base over and under it.
fn limits(base: &ParseNode, context: Context) -> bool {
    if let ParseNode::Op {
        limits,
        always_handle_sup_sub,
        ..
    } = base
    {
        return *limits && (context.display || always_handle_sup_sub.unwrap_or(false));
    }
    if let ParseNode::OperatorName {
        always_handle_sup_sub,
        limits,
        ..
    } = base
    {
        return *always_handle_sup_sub && (context.display || *limits);
    }
    matches!(base, ParseNode::HorizBrace { .. })
}

/// Scripts at a base that is not seen. They belong to the part before the base or to the part that follows. Chemical
/// formulas and the numbers of isotopes are written with such bases.
fn hollow(
    line: &mut Line,
    base: Option<&ParseNode>,
    above: Option<&ParseNode>,
    below: Option<&ParseNode>,
    context: Context,
) -> Result<(), Unsupported> {
    let scripts = [above, below];
    let is_before = scripts.into_iter().flatten().any(has_lap);
    let above = script(above, context)?
        .map(|part| bare(*part))
        .filter(|part| !part.is_empty());
    let below = script(below, context)?
        .map(|part| bare(*part))
        .filter(|part| !part.is_empty());
    if above.is_none() && below.is_none() {
        // It only keeps room for the scripts that follow.
        return Ok(());
    }
    let (above, below) = (above.map(Box::new), below.map(Box::new));
    if is_before || !line.has_base() {
        line.prescripts(above, below, context);
        return Ok(());
    }
    let is_written_apart =
        base.is_none_or(|node| matches!(node, ParseNode::OrdGroup { body, .. } if body.is_empty()));
    let base = if is_written_apart {
        nothing()
    } else {
        line.take_base().unwrap_or_else(nothing)
    };
    line.push(joined(base, above, below), context);
    Ok(())
}

/// The base with scripts; those that it has already stay beside the new ones where the places are free.
fn joined(base: Part, mut above: Option<Box<Part>>, mut below: Option<Box<Part>>) -> Part {
    if let Part::Scripts {
        above: None,
        below: old @ Some(_),
        as_limits: false,
        ..
    } = &base
        && below.is_none()
    {
        below.clone_from(old);
    } else if let Part::Scripts {
        above: old @ Some(_),
        below: None,
        as_limits: false,
        ..
    } = &base
        && above.is_none()
    {
        above.clone_from(old);
    } else {
        return Part::Scripts {
            base: Box::new(base),
            above,
            below,
            as_limits: false,
        };
    }
    let base = if let Part::Scripts { base, .. } = base {
        base
    } else {
        Box::new(base)
    };
    Part::Scripts {
        base,
        above,
        below,
        as_limits: false,
    }
}

/// Whether nothing of the node is seen.
fn is_hollow(node: &ParseNode) -> bool {
    if let ParseNode::OrdGroup { body, .. } = node {
        return body.iter().all(is_hollow);
    }
    matches!(node, ParseNode::VPhantom { .. })
}

/// Whether something in the node hangs over to the left.
fn has_lap(node: &ParseNode) -> bool {
    if let ParseNode::OrdGroup { body, .. } = node {
        return body.iter().any(has_lap);
    }
    matches!(node, ParseNode::Lap { .. })
}

/// The part without what is not seen, and with the room that it has by itself.
fn bare(part: Part) -> Part {
    if let Part::Phantom { seen, inner, .. } = part {
        return if seen { bare(*inner) } else { nothing() };
    }
    if let Part::Row(parts) = part {
        return line::one(
            parts
                .into_iter()
                .map(bare)
                .filter(|part| !part.is_empty())
                .collect(),
        );
    }
    part
}
