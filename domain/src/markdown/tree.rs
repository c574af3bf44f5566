//! A template as a tree of headings, and its leaves: the smallest sections, each to be written by itself.

use std::collections::HashSet;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::TemplateError;
use super::front::{Front, front};
use super::scan::{Heading, scan};

/// Bytes of a template: a book of three hundred pages, and read in a few milliseconds.
pub const TEMPLATE_BYTES_MAX: usize = 1024 * 1024;
/// Headings of a template. Each leaf below them costs several calls of a model.
pub const HEADINGS_MAX: usize = 1_000;
/// Leaves of a template, for the same reason; with text before sub-headings there may be more of them than headings.
pub const LEAVES_MAX: usize = 1_000;
/// Characters of a heading. Each leaf names all headings above it, so a heading of a megabyte would be a gigabyte of paths.
pub const HEADING_CHARS_MAX: usize = 1_000;
/// Levels of nesting of a template: deeper than any text that a person wrote, and what is made of it is made by functions that call
/// themselves for each level.
pub const NESTING_MAX: usize = 64;
/// Cells of the tables of a template. A line of bars makes every row below it as wide, so that some kilobytes have a hundred million cells.
pub const TABLE_CELLS_MAX: usize = 50_000;
/// Characters of a slug, so that it can stand in addresses and file names.
const SLUG_CHARS_MAX: usize = 80;
/// The title of a document that has none.
const UNTITLED: &str = "Document";

/// A heading with what is below it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Node {
    /// Plain text; empty for a heading without text.
    pub title: String,
    /// 1 to 6; 0 for a root that is not a heading.
    pub level: u8,
    /// Unique in the document.
    pub slug: String,
    /// Line of the heading, from 1; absent for a root that is not a heading.
    pub heading_line: Option<u32>,
    /// The first line after the heading; the heading's own line where there is no text.
    pub start_line: u32,
    /// Last line with text before the next heading of this level or above.
    pub end_line: u32,
    /// These lines, with the headings in them.
    pub content: String,
    pub children: Vec<Node>,
}

/// A smallest section: text that stands under one heading and has no heading in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Leaf {
    /// From 1, by place in the document.
    pub id: u32,
    pub title: String,
    /// The level of the heading; 0 for text without a heading above it.
    pub level: u8,
    pub slug: String,
    /// Titles from the top of the document to this one.
    pub path: Vec<String>,
    /// As in [`Node`].
    pub start_line: u32,
    pub end_line: u32,
    /// What the template says here, without blank lines around.
    pub content: String,
    /// Whether this is text before the first sub-heading, or before the first heading of all.
    pub intro: bool,
}

/// A heading's lines and the text up to the next heading. The text before the first heading is a part without a heading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) heading: Range<usize>,
    pub(super) text: Range<usize>,
    /// The id of the leaf that this text is.
    pub(super) leaf: Option<u32>,
}

/// A template that has been read. Serialised, it is the result of the tool `split_markdown_tree`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Tree {
    /// The single first-level heading, else a root of level 0 that is not printed.
    pub tree: Node,
    pub leaves: Vec<Leaf>,
    /// Headings in the document.
    pub node_count: usize,
    /// The front matter's `title`, else the first heading of level 1 wherever it stands, else the first heading, else the source
    /// path, else `Document`.
    pub doc_title: String,
    pub source_path: Option<String>,
    #[serde(skip)]
    pub(super) source: String,
    /// Where the text begins, after a byte order mark and front matter.
    #[serde(skip)]
    pub(super) body: usize,
    #[serde(skip)]
    pub(super) own_title: Option<String>,
    #[serde(skip)]
    pub(super) parts: Vec<Part>,
    #[serde(skip)]
    pub(super) headings: Vec<Heading>,
    /// Definitions elsewhere in the text that give headings their words.
    #[serde(skip)]
    pub(super) definitions: Vec<Range<usize>>,
}

impl Tree {
    /// Reads a template. `source_path` is where it came from, for its title if it has no other.
    ///
    /// # Errors
    ///
    /// The template is empty, breaks a limit, or has front matter that cannot be read.
    pub fn parse(source: &str, source_path: Option<&str>) -> Result<Self, TemplateError> {
        if source.len() > TEMPLATE_BYTES_MAX {
            return Err(TemplateError::TooLarge {
                bytes: source.len(),
                max: TEMPLATE_BYTES_MAX,
            });
        }
        let (body, front_title) = beginning(source)?;
        if source[body..].trim().is_empty() {
            return Err(TemplateError::Empty);
        }
        let (headings, definitions) = found(source, body)?;
        let lines = Lines::of(source);
        limited(&headings, &lines)?;
        let first = headings.first().map(|heading| heading.title.clone());
        let named = |title: &String| !title.is_empty();
        let mut h1s = headings.iter().filter(|heading| heading.level == 1);
        let first_h1 = h1s.next().map(|heading| heading.title.clone());
        let own_title = front_title.or_else(|| first_h1.filter(named));
        let doc_title = own_title
            .clone()
            .or_else(|| first.filter(named))
            .or_else(|| source_path.map(str::to_owned).filter(named))
            .unwrap_or_else(|| UNTITLED.to_owned());
        let slugs = slugs(&headings);
        let mut tree = Self {
            tree: Node {
                title: doc_title.clone(),
                level: 0,
                slug: slug(&doc_title),
                heading_line: None,
                start_line: 1,
                end_line: 1,
                content: String::new(),
                children: Vec::new(),
            },
            leaves: Vec::new(),
            node_count: headings.len(),
            doc_title,
            source_path: source_path.map(str::to_owned),
            parts: parts(body, source.len(), &headings),
            source: source.to_owned(),
            body,
            own_title,
            headings,
            definitions,
        };
        tree.grow_leaves(&slugs, &lines);
        if tree.leaves.len() > LEAVES_MAX {
            return Err(TemplateError::TooManyLeaves {
                count: tree.leaves.len(),
                max: LEAVES_MAX,
            });
        }
        tree.tree = tree.root(true);
        Ok(tree)
    }

    /// The title that the template gives the document itself: its front matter's, else its first heading of level 1.
    #[must_use]
    pub fn own_title(&self) -> Option<&str> {
        self.own_title.as_deref()
    }

    /// The tree of headings. With `collapse_single_h1`, the only heading of level 1 is the root if the document begins with it; otherwise
    /// there is a root of level 0 above all headings.
    pub(super) fn root(&self, collapse_single_h1: bool) -> Node {
        let lines = Lines::of(&self.source);
        let slugs = slugs(&self.headings);
        let mut nodes = Vec::new();
        let mut at = 0;
        while at < self.headings.len() {
            let (node, next) = self.node(at, &slugs, &lines);
            nodes.push(node);
            at = next;
        }
        if collapse_single_h1 && nodes.len() == 1 && nodes[0].level == 1 {
            return nodes.remove(0);
        }
        let text = self.body..self.source.len();
        let (start_line, end_line, content) = self.said(&text, None, &lines);
        Node {
            title: self.doc_title.clone(),
            level: 0,
            slug: slug(&self.doc_title),
            heading_line: None,
            start_line,
            end_line,
            content,
            children: nodes,
        }
    }

    /// The node of a heading, and the first heading that is not below it.
    fn node(&self, at: usize, slugs: &[String], lines: &Lines) -> (Node, usize) {
        let heading = &self.headings[at];
        let mut children = Vec::new();
        let mut next = at + 1;
        while next < self.headings.len() && self.headings[next].level > heading.level {
            let (child, after) = self.node(next, slugs, lines);
            children.push(child);
            next = after;
        }
        let end = self
            .headings
            .get(next)
            .map_or(self.source.len(), |other| other.range.start);
        let text = heading.range.end..end;
        let (start_line, end_line, content) = self.said(&text, Some(heading), lines);
        let node = Node {
            title: heading.title.clone(),
            level: heading.level,
            slug: slugs[at].clone(),
            heading_line: Some(lines.at(heading.range.start)),
            start_line,
            end_line,
            content,
            children,
        };
        (node, next)
    }

    /// First and last line of a text, and what it says without blank lines around.
    fn said(
        &self,
        text: &Range<usize>,
        heading: Option<&Heading>,
        lines: &Lines,
    ) -> (u32, u32, String) {
        let content = core(&self.source[text.clone()]);
        let heading_line = heading.map(|heading| lines.at(heading.range.end.max(1) - 1));
        if content.is_empty() {
            let line = heading_line.unwrap_or_else(|| lines.at(text.start));
            return (line, line, String::new());
        }
        let whole = self.source[text.clone()].trim_end();
        let last = lines.at(text.start + whole.len() - 1);
        (lines.at(text.start), last, content.to_owned())
    }

    fn grow_leaves(&mut self, slugs: &[String], lines: &Lines) {
        let mut path: Vec<(u8, String)> = Vec::new();
        let mut id = 0;
        for at in 0..self.parts.len() {
            let text = self.parts[at].text.clone();
            let heading = at.checked_sub(1).map(|at| &self.headings[at]);
            let level = heading.map_or(0, |heading| heading.level);
            if let Some(heading) = heading {
                path.retain(|(above, _)| *above < level);
                path.push((level, heading.title.clone()));
            }
            let below = self.headings.get(at).is_some_and(|next| next.level > level);
            let blank = self.source[text.clone()].trim().is_empty();
            if blank && (below || heading.is_none()) {
                continue;
            }
            let (start_line, end_line, content) = self.said(&text, heading, lines);
            let (title, slug) = match heading {
                Some(heading) => (heading.title.clone(), slugs[at - 1].clone()),
                None => (
                    self.doc_title.clone(),
                    unused(&slug(&self.doc_title), slugs),
                ),
            };
            id += 1;
            self.leaves.push(Leaf {
                id,
                title,
                level,
                slug,
                path: path.iter().map(|(_, title)| title.clone()).collect(),
                start_line,
                end_line,
                content,
                intro: below,
            });
            self.parts[at].leaf = Some(id);
        }
    }
}

/// Where the text begins, and the title in the front matter.
fn beginning(source: &str) -> Result<(usize, Option<String>), TemplateError> {
    let mut body = source.len() - source.trim_start_matches('\u{feff}').len();
    let mut title = None;
    // A second front matter below the first one would be at the beginning of a document, and would be read as the document's own.
    while let Some(Front { end, title: own }) = front(&source[body..])? {
        body += end;
        title = title.or(own);
    }
    Ok((body, title))
}

/// Headings and definitions, with places in the whole source.
fn found(source: &str, body: usize) -> Result<(Vec<Heading>, Vec<Range<usize>>), TemplateError> {
    let moved = |range: Range<usize>| range.start + body..range.end + body;
    let scan = scan(&source[body..]);
    if scan.deepest > NESTING_MAX {
        return Err(TemplateError::TooDeep {
            levels: scan.deepest,
            max: NESTING_MAX,
        });
    }
    if scan.cells > TABLE_CELLS_MAX {
        return Err(TemplateError::TooManyCells {
            max: TABLE_CELLS_MAX,
        });
    }
    let headings = scan.headings.into_iter().map(|heading| Heading {
        range: moved(heading.range),
        inner: moved(heading.inner),
        ..heading
    });
    let definitions = scan.definitions.into_iter().map(moved);
    Ok((headings.collect(), definitions.collect()))
}

fn limited(headings: &[Heading], lines: &Lines) -> Result<(), TemplateError> {
    if headings.len() > HEADINGS_MAX {
        return Err(TemplateError::TooManyHeadings {
            count: headings.len(),
            max: HEADINGS_MAX,
        });
    }
    for heading in headings {
        let chars = heading.title.chars().count();
        if chars > HEADING_CHARS_MAX {
            return Err(TemplateError::HeadingTooLong {
                line: lines.at(heading.range.start),
                chars,
                max: HEADING_CHARS_MAX,
            });
        }
    }
    Ok(())
}

/// The text before the first heading, then each heading with its own text.
fn parts(body: usize, end: usize, headings: &[Heading]) -> Vec<Part> {
    let starts = headings.iter().map(|heading| heading.range.start);
    let ends: Vec<usize> = starts.chain([end]).collect();
    let mut parts = vec![Part {
        heading: body..body,
        text: body..ends[0],
        leaf: None,
    }];
    for (heading, &end) in headings.iter().zip(&ends[1..]) {
        parts.push(Part {
            heading: heading.range.clone(),
            text: heading.range.end..end,
            leaf: None,
        });
    }
    parts
}

/// A text without blank lines before it and without white space after it; the first line keeps its indent, which may have a meaning.
pub(super) fn core(text: &str) -> &str {
    let text = text.trim_end();
    let mut begin = 0;
    for line in text.split_inclusive(['\n', '\r']) {
        if !line.trim().is_empty() {
            break;
        }
        begin += line.len();
    }
    &text[begin..]
}

/// Letters and digits of every script in lower case, with dashes for spaces.
fn slug(title: &str) -> String {
    let mut slug = String::new();
    for c in title.chars().flat_map(char::to_lowercase) {
        if c.is_alphanumeric() || c == '_' {
            slug.push(c);
        } else if (c.is_whitespace() || c == '-') && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    let slug: String = slug
        .trim_matches('-')
        .chars()
        .take(SLUG_CHARS_MAX)
        .collect();
    if slug.is_empty() {
        "section".to_owned()
    } else {
        slug
    }
}

/// A slug for each heading, none twice.
fn slugs(headings: &[Heading]) -> Vec<String> {
    let mut used = HashSet::new();
    let mut slugs = Vec::with_capacity(headings.len());
    for heading in headings {
        let slug = numbered(&slug(&heading.title), |slug| used.contains(slug));
        used.insert(slug.clone());
        slugs.push(slug);
    }
    slugs
}

fn unused(slug: &str, used: &[String]) -> String {
    numbered(slug, |slug| used.iter().any(|other| other == slug))
}

fn numbered(slug: &str, used: impl Fn(&str) -> bool) -> String {
    let mut free = slug.to_owned();
    let mut number = 2;
    while used(&free) {
        free = format!("{slug}-{number}");
        number += 1;
    }
    free
}

/// Where lines begin.
struct Lines(Vec<usize>);

impl Lines {
    fn of(source: &str) -> Self {
        let bytes = source.as_bytes();
        let ends = (0..bytes.len()).filter(|&at| match bytes[at] {
            b'\n' => true,
            b'\r' => bytes.get(at + 1) != Some(&b'\n'),
            _ => false,
        });
        Self(std::iter::once(0).chain(ends.map(|at| at + 1)).collect())
    }

    /// The line that a byte is in, from 1.
    fn at(&self, byte: usize) -> u32 {
        let line = self.0.partition_point(|&start| start <= byte);
        u32::try_from(line).unwrap_or(u32::MAX)
    }
}
