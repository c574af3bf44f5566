//! Matrices, cases, and equations under each other.

use ratex_parser::ParseNode;
use ratex_parser::parse_node::{AlignSpec, AlignType, ArrayTag, StyleStr};

use super::line;
use super::{Column, Context, Kind, LEVEL_MAX, Part, Table, Unsupported, nothing};

/// Space between two pairs of aligned equations.
const PAIR_EM: f64 = 2.0;

/// Space before the number of an equation.
const TAG_EM: f64 = 2.0;

/// The table that an array is. Another node is refused.
pub(super) fn table(node: &ParseNode, context: Context) -> Result<Part, Unsupported> {
    let ParseNode::Array {
        body,
        cols,
        col_separation_type,
        tags,
        add_jot,
        ..
    } = node
    else {
        return Err(Unsupported(node.type_name().into()));
    };
    let style = body.first().and_then(|row| row.first()).and_then(style);
    let inner = within(style, context);
    let mut rows = body
        .iter()
        .map(|row| row.iter().map(|cell| self::cell(cell, inner)).collect())
        .collect::<Result<Vec<Vec<Part>>, Unsupported>>()?;
    let separation = col_separation_type.as_deref();
    let kind = kind(separation, add_jot.unwrap_or(false), cols.as_deref());
    let mut columns = level_out(&mut rows, cols.as_deref().unwrap_or_default());
    if separation == Some("align") {
        space_pairs(&mut rows);
    }
    separate(&mut rows, &mut columns, cols.as_deref().unwrap_or_default());
    let is_numbered = number(
        &mut rows,
        &mut columns,
        tags.as_deref().unwrap_or_default(),
        inner,
    )?;
    // A number beside the lines is a column of its own.
    let kind = if is_numbered && kind == Kind::Lines {
        Kind::Grid
    } else {
        kind
    };
    let is_alone = cols.is_none() && rows.len() == 1 && columns.len() == 1;
    let part = match rows.as_mut_slice() {
        [] => nothing(),
        [only] if is_alone => only.pop().unwrap_or_else(nothing),
        _ => Part::Table(Table {
            rows,
            columns,
            kind,
            display: inner.display,
        }),
    };
    let is_other = inner.level > context.level || (is_alone && inner.display && !context.display);
    Ok(if is_other { styled(part, inner) } else { part })
}

/// The part in the style of a context.
fn styled(part: Part, context: Context) -> Part {
    Part::Styled {
        display: context.display,
        level: context.level,
        inner: Box::new(part),
    }
}

/// What the table is for.
fn kind(separation: Option<&str>, has_room: bool, columns: Option<&[AlignSpec]>) -> Kind {
    match separation {
        Some("align" | "alignat") => Kind::Aligned,
        Some("gather") => Kind::Lines,
        _ if has_room && columns.is_some_and(|columns| columns.len() == 1) => Kind::Lines,
        _ => Kind::Grid,
    }
}

/// The style that the parser has put around a cell.
fn style(cell: &ParseNode) -> Option<StyleStr> {
    if let ParseNode::Styling { style, .. } = cell {
        Some(*style)
    } else {
        None
    }
}

/// The context of the cells.
fn within(style: Option<StyleStr>, context: Context) -> Context {
    match style {
        None => context,
        Some(StyleStr::Display) => Context {
            display: true,
            ..context
        },
        Some(StyleStr::Text) => Context {
            display: false,
            ..context
        },
        Some(StyleStr::Script) => Context {
            display: false,
            level: context.level.max(1),
            ..context
        },
        Some(StyleStr::Scriptscript) => Context {
            display: false,
            level: LEVEL_MAX,
            ..context
        },
    }
}

/// What a cell says.
fn cell(node: &ParseNode, context: Context) -> Result<Part, Unsupported> {
    if let ParseNode::Styling { body, .. } = node
        && let [only] = body.as_slice()
    {
        return cell(only, context);
    }
    if let ParseNode::OrdGroup { body, .. } = node {
        return line::row(body, context);
    }
    line::row(std::slice::from_ref(node), context)
}

/// Gives all rows as many cells as the longest one has, and tells the alignment of each column.
fn level_out(rows: &mut [Vec<Part>], specs: &[AlignSpec]) -> Vec<Column> {
    let width = rows.iter().map(Vec::len).max().unwrap_or(0);
    for row in rows {
        row.resize(width, nothing());
    }
    let mut columns: Vec<Column> = specs
        .iter()
        .filter(|spec| !is_separator(spec))
        .map(column)
        .collect();
    columns.resize(width, Column::Center);
    columns
}

/// The alignment of a column.
fn column(spec: &AlignSpec) -> Column {
    match spec.align.as_deref() {
        Some("l") => Column::Left,
        Some("r") => Column::Right,
        _ => Column::Center,
    }
}

/// Whether the column is only a line.
fn is_separator(spec: &AlignSpec) -> bool {
    match spec.align_type {
        AlignType::Separator => true,
        AlignType::Align => false,
    }
}

/// Puts space before each further pair of aligned equations.
fn space_pairs(rows: &mut [Vec<Part>]) {
    for row in rows {
        for cell in row.iter_mut().skip(2).step_by(2) {
            let inner = std::mem::replace(cell, nothing());
            *cell = Part::Row(vec![Part::Space(PAIR_EM), inner]);
        }
    }
}

/// Puts bars as columns of their own where the array has lines between columns: neither `MathML` Core nor Office Math
/// has such lines, and without one `[A|b]` would say something else.
fn separate(rows: &mut [Vec<Part>], columns: &mut Vec<Column>, specs: &[AlignSpec]) {
    for (at, spec) in specs.iter().enumerate() {
        if !is_separator(spec) || at > columns.len() {
            continue;
        }
        columns.insert(at, Column::Center);
        for row in &mut *rows {
            row.insert(at.min(row.len()), Part::Middle("|".into()));
        }
    }
}

/// Puts the numbers of the equations in a last column, and tells whether there are any.
fn number(
    rows: &mut [Vec<Part>],
    columns: &mut Vec<Column>,
    tags: &[ArrayTag],
    context: Context,
) -> Result<bool, Unsupported> {
    if rows.is_empty() || !tags.iter().any(|tag| matches!(tag, ArrayTag::Explicit(_))) {
        return Ok(false);
    }
    columns.push(Column::Right);
    for (at, row) in rows.iter_mut().enumerate() {
        let tag = match tags.get(at) {
            Some(ArrayTag::Explicit(nodes)) => {
                let mut parts = vec![Part::Space(TAG_EM)];
                parts.extend(line::parts(
                    nodes,
                    Context {
                        display: false,
                        ..context
                    },
                )?);
                Part::Row(parts)
            }
            Some(ArrayTag::Auto(_)) | None => nothing(),
        };
        row.push(tag);
    }
    Ok(true)
}
