//! Templates in HTML become Markdown, with their lists and tables.

use std::collections::HashSet;
use std::rc::Rc;

use htmd::element_handler::{HandlerResult, Handlers};
use htmd::options::{BulletListMarker, HrStyle, Options};
use htmd::{Element, HtmlToMarkdown, Node};
use markup5ever_rcdom::NodeData;

use super::TemplateError;

/// Bytes of HTML: what word processors write for a template of a megabyte is a few times as long.
pub const HTML_BYTES_MAX: usize = 4 * 1024 * 1024;
/// The greatest depth of nested elements. Real pages have a few dozen; each costs a call on the stack.
pub const HTML_DEPTH_MAX: usize = 128;
/// The most columns that a cell may span, and the most cells of a table: the author gives the numbers, and every cell is written out.
const SPAN_MAX: usize = 100;

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
        .to_string();
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
        .build();
    let markdown = converter
        .convert(&clean)
        .map_err(|error| TemplateError::Html {
            reason: error.to_string(),
        })?;
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
    let mut rows = Vec::new();
    let mut captions = Vec::new();
    collect(handlers, element.node, &mut rows, &mut captions);
    let columns = rows.iter().map(Vec::len).max()?.max(1);
    let mut lines = Vec::new();
    for (at, mut row) in rows.into_iter().enumerate() {
        row.resize(columns, String::new());
        lines.push(format!("| {} |", row.join(" | ")));
        if at == 0 {
            lines.push(format!("|{}", " --- |".repeat(columns)));
        }
    }
    let captions = captions.into_iter().map(|caption| caption + "\n\n");
    let markdown = format!(
        "\n\n{}{}\n\n",
        captions.collect::<String>(),
        lines.join("\n")
    );
    Some(markdown.into())
}

/// The rows of a table, without the rows of tables inside its cells.
fn collect(
    handlers: &dyn Handlers,
    node: &Rc<Node>,
    rows: &mut Vec<Vec<String>>,
    captions: &mut Vec<String>,
) {
    for child in node.children.borrow().iter() {
        match tag(child) {
            Some("tr") => {
                let row = row(handlers, child);
                if !row.is_empty() {
                    rows.push(row);
                }
            }
            Some("caption") => captions.push(cell(handlers, child)),
            Some(_) => collect(handlers, child, rows, captions),
            None => {}
        }
    }
}

fn row(handlers: &dyn Handlers, tr: &Rc<Node>) -> Vec<String> {
    let mut row = Vec::new();
    for child in tr.children.borrow().iter() {
        if let Some("td" | "th") = tag(child) {
            row.push(cell(handlers, child));
            // A cell that spans several columns is put into the first of them.
            row.extend(vec![String::new(); span(child).saturating_sub(1)]);
        }
    }
    row
}

fn cell(handlers: &dyn Handlers, node: &Rc<Node>) -> String {
    let content = handlers.walk_children(node).content;
    let mut said = String::new();
    for line in content
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
    {
        if !said.is_empty() {
            said.push_str("<br>");
        }
        said.push_str(line);
    }
    said.replace("\\|", "|").replace('|', "\\|")
}

fn tag(node: &Rc<Node>) -> Option<&str> {
    match &node.data {
        NodeData::Element { name, .. } => Some(&name.local),
        NodeData::Document
        | NodeData::Doctype { .. }
        | NodeData::Text { .. }
        | NodeData::Comment { .. }
        | NodeData::ProcessingInstruction { .. } => None,
    }
}

fn span(node: &Rc<Node>) -> usize {
    let NodeData::Element { attrs, .. } = &node.data else {
        return 1;
    };
    let attrs = attrs.borrow();
    let span = attrs.iter().find(|attr| &*attr.name.local == "colspan");
    let columns = span.and_then(|span| span.value.trim().parse().ok());
    columns.unwrap_or(1).clamp(1, SPAN_MAX)
}
