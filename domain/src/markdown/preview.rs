//! What the tool `split_markdown_tree` shows of a template.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::tree::{Leaf, Node, Tree};

/// The mark where the rest of a text was left out.
pub const CUT_MARK: &str = "\n…[cut]";
/// Characters of a leaf's text in the text for reading; the JSON has it whole.
const LINE_CHARS_MAX: usize = 80;
/// Characters of a text in the JSON, where no other number is asked for.
const CONTENT_CHARS_DEFAULT: usize = 4_000;

/// The arguments of the tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PreviewOptions {
    /// Whether the texts are in the JSON.
    pub include_content: bool,
    /// Characters of each text; `null` for all of it.
    pub max_content_chars: Option<usize>,
    /// Whether a single heading of level 1 is the root.
    pub collapse_single_h1_root: bool,
}

impl Default for PreviewOptions {
    fn default() -> Self {
        Self {
            include_content: true,
            max_content_chars: Some(CONTENT_CHARS_DEFAULT),
            collapse_single_h1_root: true,
        }
    }
}

/// A tree to be read and to be worked with.
#[derive(Debug, Clone, PartialEq)]
pub struct Preview {
    /// The headings with the numbers of their leaves, and how each leaf begins.
    pub text: String,
    /// `{tree, leaves, node_count, doc_title, source_path}`.
    pub json: Value,
}

impl Tree {
    /// What is shown of this template.
    #[must_use]
    pub fn preview(&self, options: &PreviewOptions) -> Preview {
        let mut shown = self.clone();
        if !options.collapse_single_h1_root {
            shown.tree = self.root(false);
        }
        if let Some(max) = options.max_content_chars {
            cut_node(&mut shown.tree, max);
            for leaf in &mut shown.leaves {
                cut(&mut leaf.content, max);
            }
        }
        let mut json = serde_json::to_value(&shown).expect("a tree of texts and numbers is JSON");
        if !options.include_content {
            without_content(&mut json);
        }
        Preview {
            text: self.text(&shown.tree),
            json,
        }
    }

    fn text(&self, root: &Node) -> String {
        let mut text = String::new();
        let mut put =
            |part: std::fmt::Arguments<'_>| text.write_fmt(part).expect("a string takes any text");
        put(format_args!("{}", self.doc_title));
        if let Some(path) = &self.source_path {
            put(format_args!(" ({path})"));
        }
        let (headings, leaves) = (self.node_count, self.leaves.len());
        put(format_args!("\n{headings} headings, {leaves} leaves\n\n"));
        if root.level > 0 {
            outline(root, 0, &mut put);
        } else {
            for node in &root.children {
                outline(node, 0, &mut put);
            }
        }
        put(format_args!("\nLeaves:\n"));
        for leaf in &self.leaves {
            put(format_args!("{}\n", line(leaf)));
        }
        text
    }
}

fn outline(node: &Node, depth: usize, put: &mut impl FnMut(std::fmt::Arguments<'_>)) {
    let indent = "  ".repeat(depth);
    let marks = "#".repeat(usize::from(node.level));
    let (line, end) = (node.heading_line.unwrap_or(1), node.end_line);
    put(format_args!(
        "{indent}- {marks} {} (lines {line}-{end})\n",
        node.title
    ));
    for child in &node.children {
        outline(child, depth + 1, put);
    }
}

/// One leaf: its number, where it stands and how it begins.
fn line(leaf: &Leaf) -> String {
    let path = if leaf.path.is_empty() {
        leaf.title.clone()
    } else {
        leaf.path.join(" / ")
    };
    let intro = if leaf.intro { ", intro" } else { "" };
    let mut said = leaf
        .content
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    if let Some((at, _)) = said.char_indices().nth(LINE_CHARS_MAX) {
        said.truncate(at);
        said.push('…');
    }
    format!("{}. {path} (level {}{intro}): {said}", leaf.id, leaf.level)
}

fn cut_node(node: &mut Node, max: usize) {
    cut(&mut node.content, max);
    for child in &mut node.children {
        cut_node(child, max);
    }
}

fn cut(text: &mut String, max: usize) {
    if let Some((at, _)) = text.char_indices().nth(max) {
        text.truncate(at);
        text.push_str(CUT_MARK);
    }
}

fn without_content(json: &mut Value) {
    if let Value::Object(map) = json {
        map.shift_remove("content");
        map.values_mut().for_each(without_content);
    } else if let Value::Array(items) = json {
        items.iter_mut().for_each(without_content);
    }
}
