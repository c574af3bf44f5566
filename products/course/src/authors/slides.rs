//! Pages as slides: each gets a layout that takes its words without any change.

use super::own::{CONTINUED, NOTHING_HERE, PARTLY, TO_FILL};
use palimpsest::prelude::author::source::{Grid, with_formulas};
use palimpsest::prelude::pipeline::Work;
use serde_json::{Value, json};
use spec::source::ColumnAlign;
use spec::text::{em_width, literal};
use spec::{limits as l, text};

use super::pages::{Leaf, Piece};

/// A page of content, its lines one by one, and the units on it.
#[derive(Clone, Debug)]
pub(crate) struct Page {
    pub(crate) title: String,
    pub(crate) slide: Value,
    pub(crate) lines: Vec<String>,
    pub(crate) units: Vec<usize>,
}

/// The pages with their titles. The title of a page is the heading with which it begins, otherwise the last heading before it.
pub(crate) fn pages(work: &Work, leaves: &[Leaf<'_>], deck: &str) -> Vec<Page> {
    let room = |heading: &str, most: u32| em_width(heading) <= most as f32;
    let going_on = l::HEADING_EM - em_width(CONTINUED.of(work)).ceil() as u32;
    let mut next = deck.to_owned();
    let mut pages = vec![];
    let formulas: Vec<String> = leaves
        .iter()
        .flatten()
        .flat_map(|(_, piece)| match piece {
            Piece::Heading(_, words) => words.formulas.clone(),
            Piece::Text(..) | Piece::Rows(..) | Piece::Code(..) | Piece::Picture(..) => vec![],
        })
        .collect();
    for leaf in leaves {
        let most = [l::HEADING_EM, l::SECTION_TITLE_EM][usize::from(leaf.len() == 1)];
        let headings = leaf.iter().filter(|(_, piece)| piece.is_heading());
        let headings: Vec<String> = headings.flat_map(|(_, piece)| lines(piece)).collect();
        // A heading that is too wide for a title becomes a line below the title of the page before it.
        let has_own = leaf[0].1.is_heading() && room(&headings[0], most);
        let title = headings.first().filter(|_| has_own).unwrap_or(&next);
        pages.push(page(
            leaf,
            title.clone(),
            &leaf[usize::from(has_own)..],
            &formulas,
        ));
        let mut titles = headings.into_iter().rev();
        let last = titles.find(|heading| room(heading, going_on));
        // The heading may already end with the words for a continuation, if the source is a deck that was made here before.
        let last = last.as_ref().unwrap_or(&next);
        next = last.replace(CONTINUED.of(work), "") + CONTINUED.of(work);
    }
    pages
}

fn is_plain(heading: &str) -> bool {
    text::fault(heading).is_none() && f64::from(em_width(heading)) <= f64::from(l::SECTION_TITLE_EM)
}

/// `formulas` are those of the headings.
fn page(leaf: &Leaf<'_>, title: String, body: &[(usize, Piece<'_>)], formulas: &[String]) -> Page {
    let heading = with_formulas(literal(&title), formulas);
    let slide = match body {
        [] if is_plain(&heading) => json!({ "layout": "section", "title": heading }),
        // Signs that would be taken for markup on a section page are plain text on a page of text.
        [] => {
            json!({ "layout": "passage", "title": heading, "blocks": [{ "text": heading, "level": 0 }] })
        }
        [(_, Piece::Rows(grid, rows))] => json!({
            "layout": "table", "title": heading, "columns": grid.head_slots(), "align": aligned(grid),
            "rows": grid.row_slots(rows),
            "caption": grid.caption.as_deref().map(literal),
        }),
        [(_, Piece::Code(language, lines))] => json!({
            "layout": "code", "title": heading, "language": language, "code": lines.join("\n"),
        }),
        [(_, Piece::Picture(alt, hash))] => {
            let has_room = *alt != title && em_width(alt) <= l::STANDING_CAPTION_EM as f32;
            let caption = has_room.then(|| literal(alt));
            let picture = json!({ "sha256": hash, "alt": alt });
            json!({ "layout": "picture", "title": heading, "picture": picture, "caption": caption })
        }
        _ => {
            let blocks: Vec<Value> = body.iter().map(|(_, piece)| block(piece)).collect();
            json!({ "layout": "passage", "title": heading, "blocks": blocks })
        }
    };
    let units = leaf.iter().map(|(unit, _)| *unit).collect();
    let lines = leaf.iter().flat_map(|(_, piece)| lines(piece)).collect();
    Page {
        title,
        slide,
        lines,
        units,
    }
}

/// Lines on a page of text.
pub(crate) fn passage(title: &str, lines: &[&str]) -> Value {
    let block = |line: &&str| json!({ "text": literal(line), "level": 0 });
    let blocks: Vec<Value> = lines.iter().map(block).collect();
    json!({ "layout": "passage", "title": literal(title), "blocks": blocks })
}

/// A page for which no content was given, or none that fits.
pub(crate) fn skeleton(work: &Work, has_left: bool) -> Page {
    let says = if has_left { PARTLY } else { NOTHING_HERE };
    let (title, says) = (TO_FILL.of(work).to_owned(), says.of(work));
    let (slide, lines) = (passage(&title, &[says]), vec![says.to_owned()]);
    Page {
        title,
        slide,
        lines,
        units: vec![],
    }
}

/// The alignment of columns about which the source says nothing: to the left.
fn aligned(grid: &Grid) -> Vec<&'static str> {
    let side = |column: usize| match grid.align.get(column).copied().unwrap_or_default() {
        ColumnAlign::Unsaid | ColumnAlign::Left => "left",
        ColumnAlign::Center => "center",
        ColumnAlign::Right => "right",
    };
    let columns = grid.rows.first().unwrap_or(&grid.head).len();
    (0..columns).map(side).collect()
}

fn block(piece: &Piece<'_>) -> Value {
    match piece {
        Piece::Text(words, at, Some(item), _) => {
            let begins = words.text[..at.start].trim().is_empty();
            let marker = begins.then(|| item.1.as_deref().unwrap_or("•"));
            json!({ "text": words.marked(at), "level": u32::from(item.0).min(l::PASSAGE_LEVEL_MAX), "marker": marker })
        }
        Piece::Text(words, at, None, _) => json!({ "text": words.marked(at), "level": 0 }),
        Piece::Heading(..) | Piece::Rows(..) | Piece::Code(..) | Piece::Picture(..) => {
            let line = match piece {
                Piece::Rows(grid, rows) => {
                    let all = [grid.head_slots()].into_iter();
                    let all = all.chain(grid.row_slots(rows).iter().map(Vec::as_slice));
                    let joined = all.map(|row| row.join(" | "));
                    let said: Vec<String> = joined.filter(|row| !row.trim().is_empty()).collect();
                    said.join(" ")
                }
                Piece::Heading(_, words) => with_formulas(literal(&words.line()), &words.formulas),
                Piece::Text(..) | Piece::Code(..) | Piece::Picture(..) => {
                    literal(&lines(piece).join(" "))
                }
            };
            // Marks beside an asterisk would be taken for text.
            let marks = if line.contains('*') { "" } else { "**" };
            json!({ "text": format!("{marks}{line}{marks}"), "level": 0 })
        }
    }
}

fn lines(piece: &Piece<'_>) -> Vec<String> {
    match piece {
        Piece::Heading(_, words) => vec![words.line()],
        Piece::Text(words, at, ..) => vec![words.text[at.clone()].to_owned()],
        Piece::Picture(alt, _) => vec![(*alt).to_owned()],
        Piece::Rows(grid, rows) => {
            let shown = [&grid.head].into_iter().chain(&grid.rows[rows.clone()]);
            let joined = shown.map(|row| row.join(" | "));
            joined.filter(|row| !row.trim().is_empty()).collect()
        }
        Piece::Code(_, code) => {
            let said = code.iter().filter(|line| !line.trim().is_empty());
            said.cloned().collect()
        }
    }
}
