//! Pages as slides: each form has a layout that takes its words without any change.

use palimpsest::prelude::author::Blanks;
use palimpsest::prelude::author::design::{
    Chart, Design, Form, Line, Station, Term, Text, card_rows,
};
use palimpsest::prelude::author::source::Grid;
use palimpsest::prelude::pipeline::Work;
use serde_json::{Value, json};
use spec::source::ColumnAlign;
use spec::text::{em_width, literal};
use spec::{limits as l, text};

use super::own::PARTLY;

/// A page of content, its lines one by one, what is said to it, and the units of which it is made.
#[derive(Clone, Debug)]
pub(crate) struct Page {
    pub(crate) title: String,
    pub(crate) slide: Value,
    pub(crate) lines: Vec<String>,
    pub(crate) notes: Vec<String>,
    pub(crate) units: Vec<usize>,
}

/// The pages of a design. A page for which the source has no heading has the title of the deck.
pub(crate) fn pages(design: &Design<'_>, deck: &str) -> Vec<Page> {
    let page = |page: &palimpsest::prelude::author::design::Page<'_>| {
        let (heading, title) = match &page.title {
            Some(title) => (title.slot.clone(), title.plain.clone()),
            // Sentences need none; the title of the deck stands above them anyway.
            None if matches!(page.form, Form::Lines(_)) => (String::new(), deck.to_owned()),
            None => (literal(deck), deck.to_owned()),
        };
        let slot = |text: &Option<Text>| text.as_ref().map(|text| text.slot.clone());
        let (lead, tail) = (slot(&page.lead), slot(&page.tail));
        let slide = slide(
            &page.form,
            &heading,
            &title,
            lead.as_deref(),
            tail.as_deref(),
        );
        let mut lines = page.lines();
        if lines.is_empty() {
            lines.push(title.clone());
        }
        Page {
            title,
            slide,
            lines,
            notes: page.notes.clone(),
            units: page.units.clone(),
        }
    };
    design.pages.iter().map(page).collect()
}

fn is_plain(heading: &str) -> bool {
    text::fault(heading).is_none() && em_width(heading) <= l::SECTION_TITLE_EM as f32
}

fn slide(
    form: &Form<'_>,
    heading: &str,
    title: &str,
    lead: Option<&str>,
    tail: Option<&str>,
) -> Value {
    let composed = |parts: Value| json!({ "layout": "composed", "title": heading, "lead": lead, "parts": parts });
    let column = |term: &Term| json!({ "heading": term.head.slot, "blocks": [{ "text": term.text.slot, "level": 0 }] });
    match form {
        Form::Section if is_plain(heading) => json!({ "layout": "section", "title": heading }),
        // Signs that would be taken for markup on a section page are plain text on a page of text.
        Form::Section => {
            json!({ "layout": "passage", "title": heading, "blocks": [{ "text": heading, "level": 0 }] })
        }
        Form::Lines(lines) => {
            let lead = lead.map(|lead| json!({ "text": lead, "level": 0 }));
            let all: Vec<Value> = lead.into_iter().chain(blocks(lines)).collect();
            json!({ "layout": "passage", "title": heading, "blocks": all })
        }
        Form::Cards(terms) => {
            let row = |terms: &[Term]| json!({ "part": "columns", "columns": terms.iter().map(column).collect::<Vec<_>>() });
            composed(card_rows(terms).map(row).collect())
        }
        Form::Pairs(terms) => {
            let row = |term: &Term| [format!("**{}**", term.head.slot), term.text.slot.clone()];
            composed(
                json!([{ "part": "table", "rows": terms.iter().map(row).collect::<Vec<_>>() }]),
            )
        }
        Form::Stations(stations) => {
            let step = |it: &Station| {
                let head = it.head.as_ref().map_or("", |head| head.slot.as_str());
                json!({ "label": it.label.slot, "heading": head, "text": it.text.slot })
            };
            composed(
                json!([{ "part": "steps", "steps": stations.iter().map(step).collect::<Vec<_>>() }]),
            )
        }
        Form::Figures(figures) => {
            let figure = |it: &Term| json!({ "value": it.head.slot, "label": it.text.slot });
            composed(
                json!([{ "part": "figures", "figures": figures.iter().map(figure).collect::<Vec<_>>() }]),
            )
        }
        Form::Sides(sides) => {
            let side = |it: &palimpsest::prelude::author::design::Side| json!({ "heading": it.head.slot, "blocks": blocks(&it.lines) });
            composed(
                json!([{ "part": "columns", "columns": sides.iter().map(side).collect::<Vec<_>>() }]),
            )
        }
        Form::Chart(grid, chart) => {
            let mut parts = vec![json!({ "part": "chart", "title": "", "chart": drawn(chart) })];
            if chart.has_table {
                let rows = grid.row_slots(&(0..grid.rows.len()));
                parts.push(json!({ "part": "table", "columns": grid.head_slots(), "rows": rows }));
            }
            composed(Value::Array(parts))
        }
        Form::Table(grid, rows) if lead.is_some() => composed(json!([
            { "part": "table", "columns": grid.head_slots(), "rows": grid.row_slots(rows) }
        ])),
        Form::Table(grid, rows) => json!({
            "layout": "table", "title": heading, "columns": grid.head_slots(), "align": aligned(grid),
            "rows": grid.row_slots(rows), "caption": grid.caption.as_deref().map(literal),
        }),
        Form::Code(language, lines) => {
            let code = lines.join("\n");
            let said =
                |text: &str| json!({ "part": "text", "blocks": [{ "text": text, "level": 0 }] });
            let part = json!({ "part": "code", "language": language, "code": code });
            let around = [lead.map(said), Some(part), tail.map(said)];
            match (lead, tail) {
                (None, None) => {
                    json!({ "layout": "code", "title": heading, "language": language, "code": code })
                }
                _ => {
                    let parts: Vec<Value> = around.into_iter().flatten().collect();
                    json!({ "layout": "composed", "title": heading, "parts": parts })
                }
            }
        }
        Form::Picture(alt, hash) => {
            let has_room = *alt != title && em_width(alt) <= l::STANDING_CAPTION_EM as f32;
            let caption = has_room.then(|| literal(alt));
            let picture = json!({ "sha256": hash, "alt": alt });
            json!({ "layout": "picture", "title": heading, "picture": picture, "caption": caption })
        }
        Form::Quotation { text, by } => {
            let by = by.as_ref().map(|by| by.slot.as_str());
            let fits = |text: &str, most: u32| {
                text::fault(text).is_none() && em_width(text) <= most as f32
            };
            let is_large = fits(&text.slot, l::QUOTE_EM)
                && by.is_none_or(|by| fits(by, l::QUOTE_BY_EM))
                && fits(heading, l::QUOTE_CONTEXT_EM);
            match is_large {
                true => {
                    json!({ "layout": "quote", "quote": text.slot, "attribution": by, "context": heading })
                }
                false => {
                    let lines = [Some(text.slot.as_str()), by].into_iter().flatten();
                    let blocks: Vec<Value> = lines
                        .map(|text| json!({ "text": text, "level": 0 }))
                        .collect();
                    json!({ "layout": "passage", "title": heading, "blocks": blocks })
                }
            }
        }
    }
}

fn blocks(lines: &[Line]) -> Vec<Value> {
    let block = |line: &Line| json!({ "text": line.text.slot, "level": u32::from(line.level).min(l::PASSAGE_LEVEL_MAX), "marker": line.marker });
    lines.iter().map(block).collect()
}

fn drawn(chart: &Chart) -> Value {
    let set = |(label, values): &(String, Vec<f64>)| json!({ "label": label, "values": values });
    let sets: Vec<Value> = chart.series.iter().map(set).collect();
    json!({ "kind": chart.kind, "labels": chart.labels, "datasets": sets })
}

/// Lines on a page of text.
pub(crate) fn passage(title: &str, lines: &[&str]) -> Value {
    let block = |line: &&str| json!({ "text": literal(line), "level": 0 });
    let blocks: Vec<Value> = lines.iter().map(block).collect();
    json!({ "layout": "passage", "title": literal(title), "blocks": blocks })
}

/// A page with blanks, for which there is no content; where content has been left out, it says so.
pub(crate) fn blanks(work: &Work, blanks: Blanks, has_left: bool) -> Page {
    let Blanks { title, mut lines } = blanks;
    if has_left {
        lines.insert(0, PARTLY.of(work).to_owned());
    }
    let shown: Vec<&str> = lines.iter().map(String::as_str).collect();
    Page {
        slide: passage(&title, &shown),
        title,
        lines,
        notes: vec![],
        units: vec![],
    }
}

/// The alignment of columns, where the source says it of one: the others to the left. Where it says none, numbers stand on the right.
fn aligned(grid: &Grid) -> Option<Vec<&'static str>> {
    let side = |column: usize| match grid.align.get(column).copied().unwrap_or_default() {
        ColumnAlign::Unsaid | ColumnAlign::Left => "left",
        ColumnAlign::Center => "center",
        ColumnAlign::Right => "right",
    };
    let columns = grid.rows.first().unwrap_or(&grid.head).len();
    let is_said = grid.align.iter().any(|align| *align != ColumnAlign::Unsaid);
    is_said.then(|| (0..columns).map(side).collect())
}
