//! A table as a table: rows, columns and cells that can be edited.

use spec::Rgb;

use super::Deck;
use super::shapes::{Alt, Holder, non_visual, transform};
use super::text::paragraph;
use super::units::emu;
use crate::scene::{TableCell, TableNode, Valign};

/// Width of the hairline under a row, in CSS pixels.
const RULE_PX: f32 = 1.0;

/// The style without any lines and grounds of its own: ours are said cell by cell.
const NO_STYLE: &str = "{2D5ABB26-0587-4C30-8999-92F81FD0307C}";

pub(super) fn frame(
    deck: &Deck<'_>,
    id: u32,
    holder: Option<Holder>,
    table: &TableNode,
    words: &str,
    name: &str,
) -> String {
    let columns: String = table
        .columns
        .iter()
        .map(|width| format!("<a:gridCol w=\"{}\"/>", emu(*width)))
        .collect();
    let rows: String = (0..table.rows.len())
        .map(|at| row(deck, table, at))
        .collect();
    format!(
        "<p:graphicFrame><p:nvGraphicFramePr>{}<p:cNvGraphicFramePr><a:graphicFrameLocks noGrp=\"1\"/></p:cNvGraphicFramePr>\
         <p:nvPr>{}</p:nvPr></p:nvGraphicFramePr>{}<a:graphic>\
         <a:graphicData uri=\"http://schemas.openxmlformats.org/drawingml/2006/table\"><a:tbl>\
         <a:tblPr{} firstRow=\"{}\"><a:tableStyleId>{NO_STYLE}</a:tableStyleId></a:tblPr><a:tblGrid>{columns}</a:tblGrid>\
         {rows}</a:tbl></a:graphicData></a:graphic></p:graphicFrame>",
        non_visual(id, name, Alt::Words(words)),
        holder.map_or(String::new(), Holder::xml),
        transform("p", table.rect),
        if table.mirrored { " rtl=\"1\"" } else { "" },
        u8::from(table.heads),
    )
}

fn row(deck: &Deck<'_>, table: &TableNode, at: usize) -> String {
    let last = at + 1 == table.rows.len();
    let rule = |wanted: bool| wanted.then_some(table.rule);
    let cells: String = table.rows[at]
        .cells
        .iter()
        .enumerate()
        .map(|(column, cell)| {
            let margins = Margins::new(table, at, column, cell);
            // Both rows state the line between them, because a row that does not state it may win.
            cell_xml(deck, cell, &margins, (rule(at > 0), rule(!last)))
        })
        .collect();
    format!("<a:tr h=\"{}\">{cells}</a:tr>", emu(table.rows[at].h))
}

/// Space between a cell's edges and its text, in English metric units.
struct Margins {
    left: i64,
    right: i64,
    top: i64,
    bottom: i64,
}

impl Margins {
    fn new(table: &TableNode, row: usize, column: usize, cell: &TableCell) -> Self {
        let (outer, inner) = (table.cell_rect(row, column), cell.text.rect);
        let (mut top, mut bottom) = (inner.y - outer.y, outer.bottom() - inner.bottom());
        // Of space that is the same above and below, a part is left for a viewer whose lines are a little higher: it
        // would make the row higher than the page has room for.
        if cell.text.valign == Valign::Middle {
            let spare = top.min(bottom).max(0.0) / 2.0;
            top -= spare;
            bottom -= spare;
        }
        let margin = |px: f32| emu(px).max(0);
        Self {
            left: margin(inner.x - outer.x),
            right: margin(outer.right() - inner.right()),
            top: margin(top),
            bottom: margin(bottom),
        }
    }
}

fn cell_xml(
    deck: &Deck<'_>,
    cell: &TableCell,
    margins: &Margins,
    (above, below): (Option<Rgb>, Option<Rgb>),
) -> String {
    let anchor = match cell.text.valign {
        Valign::Top => "t",
        Valign::Middle => "ctr",
        Valign::Bottom => "b",
    };
    let line = |side: &str, color: Option<Rgb>| match color {
        Some(color) => format!(
            "<a:{side} w=\"{}\">{}</a:{side}>",
            emu(RULE_PX),
            deck.scheme.fill(color)
        ),
        None => format!("<a:{side} w=\"0\"><a:noFill/></a:{side}>"),
    };
    format!(
        "<a:tc><a:txBody><a:bodyPr wrap=\"square\"><a:noAutofit/></a:bodyPr><a:lstStyle/>{}</a:txBody>\
         <a:tcPr marL=\"{}\" marR=\"{}\" marT=\"{}\" marB=\"{}\" anchor=\"{anchor}\">{}{}{}{}{}</a:tcPr></a:tc>",
        paragraph(deck, &cell.text),
        margins.left,
        margins.right,
        margins.top,
        margins.bottom,
        line("lnL", None),
        line("lnR", None),
        line("lnT", above),
        line("lnB", below),
        deck.scheme.fill(cell.ground)
    )
}
