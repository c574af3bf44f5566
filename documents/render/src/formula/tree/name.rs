//! Operators with names, and with signs of their own.

use ratex_parser::ParseNode;

use super::{Context, Part, Role, Unsupported, Variant, line, signs};

/// A large operator, a function, or what is made an operator. Another node is refused.
pub(super) fn operator(node: &ParseNode, context: Context) -> Result<Part, Unsupported> {
    if let ParseNode::Op {
        mode,
        symbol: true,
        name: Some(name),
        ..
    } = node
    {
        return Ok(Part::Large(signs::sign(name, *mode)?));
    }
    if let ParseNode::Op {
        name: Some(name), ..
    } = node
    {
        return Ok(function(name.trim_start_matches('\\').to_owned()));
    }
    if let ParseNode::Op {
        body: Some(body), ..
    } = node
    {
        return Ok(made(line::row(body, context)?));
    }
    if let ParseNode::OperatorName { body, .. } = node {
        let upright = Context {
            variant: Some(Variant::Upright),
            joined: true,
            ..context
        };
        return Ok(Part::Function(Box::new(name(line::parts(body, upright)?))));
    }
    Err(Unsupported(node.type_name().into()))
}

/// The function of the name.
fn function(text: String) -> Part {
    Part::Function(Box::new(Part::Letters {
        text,
        variant: Variant::Upright,
    }))
}

/// A part inside of `\mathop` as an operator. The base of `\overset` and the signs of definitions are parsed as `\mathop` too.
fn made(part: Part) -> Part {
    if let Part::Row(parts) = part {
        return signs_alone(parts);
    }
    if let Part::Operator {
        sign,
        role: Role::Ordinary | Role::Tight,
    } = part
    {
        return Part::Operator {
            sign,
            role: Role::Relation,
        };
    }
    let is_name = matches!(&part, Part::Letters { text, variant: Variant::Upright } if text.chars().count() > 1);
    if is_name {
        Part::Function(Box::new(part))
    } else {
        part
    }
}

/// One relation if the parts are signs and nothing else, such as ∷=.
fn signs_alone(parts: Vec<Part>) -> Part {
    let mut joined = String::new();
    for part in &parts {
        let Part::Operator { sign, .. } = part else {
            return Part::Row(parts);
        };
        joined.push_str(sign);
    }
    Part::Operator {
        sign: joined,
        role: Role::Relation,
    }
}

/// The name that the parts spell, or the parts if it is more than letters.
fn name(parts: Vec<Part>) -> Part {
    let mut text = String::new();
    for part in &parts {
        if let Part::Letters { text: more, .. }
        | Part::Number { text: more, .. }
        | Part::Text { text: more, .. } = part
        {
            text.push_str(more);
        } else if let Part::Operator { sign, .. } = part {
            // In a name the minus is a hyphen.
            text.push_str(if sign == "−" { "-" } else { sign });
        } else if let Part::Space(em) = part {
            text.push_str(if *em > 0.0 { "\u{2009}" } else { "" });
        } else {
            return line::one(parts);
        }
    }
    Part::Letters {
        text,
        variant: Variant::Upright,
    }
}
