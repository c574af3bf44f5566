//! Templates in HTML become Markdown, with their lists and tables.

use std::collections::HashSet;

use htmd::element_handler::{HandlerResult, Handlers};
use htmd::options::{BulletListMarker, HrStyle, Options};
use htmd::{Element, HtmlToMarkdown};

use super::TemplateError;
use super::tree::TABLE_CELLS_MAX;

/// Bytes of HTML: what word processors write for a template of a megabyte is a few times as long.
pub const HTML_BYTES_MAX: usize = 4 * 1024 * 1024;
/// The greatest depth of nested elements. Real pages have a few dozen; each costs a call on the stack.
pub const HTML_DEPTH_MAX: usize = 128;
/// The most columns that a cell may span, and the most cells of a table: the author gives the numbers, and every cell is written out.
const SPAN_MAX: usize = 100;

/// What ends the parts of a table until all of them are known: separators of ASCII, which are taken out of the text.
const CAPTION_END: char = '\u{1d}';
const ROW_END: char = '\u{1e}';
const CELL_END: char = '\u{1f}';
/// Stands in place of a table that is too large.
const TOO_MANY: char = '\u{1c}';

/// Elements whose text is not text.
const SILENT: [&str; 9] = [
    "script", "style", "iframe", "noscript", "template", "title", "object", "svg", "math",
];
/// Elements that have no end.
const VOID: [&str; 7] = ["br", "hr", "img", "col", "wbr", "area", "input"];

/// Whether a file is HTML, by the ending of its name, or otherwise by how its text begins.
#[must_use]
pub fn is_html(name: &str, text: &str) -> bool {
    let name = name.to_lowercase();
    let ends = |endings: &[&str]| endings.iter().any(|ending| name.ends_with(ending));
    if ends(&[".html", ".htm", ".xhtml"]) {
        return true;
    }
    if ends(&[".md", ".markdown", ".txt"]) {
        return false;
    }
    let begin: String = text
        .trim_start_matches('\u{feff}')
        .trim_start()
        .chars()
        .take(512)
        .collect();
    let mut begin = begin.to_lowercase();
    while let Some(comment) = begin.strip_prefix("<!--") {
        let Some((_, rest)) = comment.split_once("-->") else {
            break;
        };
        begin = rest.trim_start().to_owned();
    }
    [
        "<!doctype html",
        "<?xml",
        "<html",
        "<head",
        "<body",
        "<h1",
        "<div",
        "<section",
        "<article",
        "<table",
        "<p>",
        "<p ",
    ]
    .iter()
    .any(|tag| begin.starts_with(tag))
}

/// HTML as Markdown: headings, paragraphs, nested lists, tables, quotes, code and links. Scripts, styles and frames leave nothing, not even
/// their text.
///
/// How much parsing costs grows with the nesting, so the caller bounds that before.
///
/// # Errors
///
/// The HTML breaks a limit.
pub fn from_html(html: &str) -> Result<String, TemplateError> {
    if html.len() > HTML_BYTES_MAX {
        return Err(TemplateError::HtmlTooLarge {
            bytes: html.len(),
            max: HTML_BYTES_MAX,
        });
    }
    let clean = ammonia::Builder::default()
        .rm_tags(SILENT)
        .clean_content_tags(SILENT.into_iter().collect::<HashSet<_>>())
        .link_rel(None)
        .clean(html)
        .to_string()
        .replace([TOO_MANY, CAPTION_END, ROW_END, CELL_END], "");
    if depth(&clean) > HTML_DEPTH_MAX {
        return Err(TemplateError::HtmlTooDeep {
            max: HTML_DEPTH_MAX,
        });
    }
    let options = Options {
        hr_style: HrStyle::Dashes,
        bullet_list_marker: BulletListMarker::Dash,
        ul_bullet_spacing: 1,
        ol_number_spacing: 1,
        ..Options::default()
    };
    let converter = HtmlToMarkdown::builder()
        .options(options)
        .skip_tags(SILENT.to_vec())
        .add_handler(vec!["table"], table)
        .add_handler(vec!["thead", "tbody", "tfoot"], pass)
        .add_handler(vec!["tr"], row)
        .add_handler(vec!["td", "th"], cell)
        .add_handler(vec!["caption"], caption)
        .build();
    let markdown = converter
        .convert(&clean)
        .map_err(|error| TemplateError::Html {
            reason: error.to_string(),
        })?;
    if markdown.contains(TOO_MANY) {
        return Err(TemplateError::TooManyCells {
            max: TABLE_CELLS_MAX,
        });
    }
    Ok(markdown.trim_end().to_owned() + "\n")
}

/// How deeply the elements of sanitised HTML are nested.
fn depth(html: &str) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    for tag in html.split('<').skip(1) {
        if tag.starts_with('/') {
            depth = depth.saturating_sub(1);
            continue;
        }
        let name = tag.split(|c: char| !c.is_ascii_alphanumeric()).next();
        if !name.is_some_and(|name| VOID.contains(&name)) {
            depth += 1;
            deepest = deepest.max(depth);
        }
    }
    deepest
}

/// A table with pipes. Its first row is the head, since Markdown has no tables without one; the content of a cell is put on one line.
fn table(handlers: &dyn Handlers, element: Element<'_>) -> Option<HandlerResult> {
    let content = handlers.walk_children(element.node).content;
    let (captions, rows): (Vec<_>, Vec<_>) = content
        .split_terminator(ROW_END)
        .partition(|part| part.ends_with(CAPTION_END));
    let rows = rows.into_iter().map(|row| {
        let cells = row.split_terminator(CELL_END).map(str::trim);
        cells.collect::<Vec<_>>()
    });
    let rows: Vec<_> = rows.filter(|row| !row.is_empty()).collect();
    let columns = rows.iter().map(Vec::len).max()?;
    if rows.len().saturating_mul(columns) > TABLE_CELLS_MAX {
        return Some(TOO_MANY.to_string().into());
    }
    let mut markdown = format!("\n\n{}", captions.concat().replace(CAPTION_END, "\n\n"));
    for (at, mut row) in rows.into_iter().enumerate() {
        row.resize(columns, "");
        markdown += &format!("| {} |\n", row.join(" | "));
        if at == 0 {
            markdown += &format!("|{}\n", " --- |".repeat(columns));
        }
    }
    Some((markdown + "\n").into())
}

/// The content of an element as it is.
fn pass(handlers: &dyn Handlers, element: Element<'_>) -> Option<HandlerResult> {
    Some(handlers.walk_children(element.node))
}

fn row(handlers: &dyn Handlers, element: Element<'_>) -> Option<HandlerResult> {
    Some(format!("{}{ROW_END}", handlers.walk_children(element.node).content).into())
}

/// A cell that spans several columns is put into the first of them.
fn cell(handlers: &dyn Handlers, element: Element<'_>) -> Option<HandlerResult> {
    let attr = element
        .attrs
        .iter()
        .find(|attr| &*attr.name.local == "colspan");
    let span = attr.and_then(|attr| attr.value.trim().parse().ok());
    let ends = CELL_END
        .to_string()
        .repeat(span.unwrap_or(1).clamp(1, SPAN_MAX));
    Some((line(handlers, element) + &ends).into())
}

fn caption(handlers: &dyn Handlers, element: Element<'_>) -> Option<HandlerResult> {
    Some(format!("{}{CAPTION_END}{ROW_END}", line(handlers, element)).into())
}

/// What is in an element, on one line.
fn line(handlers: &dyn Handlers, element: Element<'_>) -> String {
    let content = handlers.walk_children(element.node).content;
    let lines = content
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty());
    let line = lines.collect::<Vec<_>>().join("<br>");
    line.replace("\\|", "|").replace('|', "\\|")
}
