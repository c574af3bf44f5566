//! One file for each operation on templates, and the laws that apply to all of them.

mod assembling;
mod cleaning;
mod html;
mod laws;
mod splitting;

use super::{Leaf, Node, Tree};

fn tree(source: &str) -> Tree {
    Tree::parse(source, None).unwrap_or_else(|error| panic!("{source:?}: {error}"))
}

/// A leaf as `id title [level] lines: content`, with a star for intros.
fn leaf_line(leaf: &Leaf) -> String {
    let star = if leaf.intro { "*" } else { "" };
    format!(
        "{}{star} {} [{}] {}-{}: {}",
        leaf.id, leaf.title, leaf.level, leaf.start_line, leaf.end_line, leaf.content
    )
}

fn leaves(source: &str) -> Vec<String> {
    tree(source).leaves.iter().map(leaf_line).collect()
}

/// A tree as titles with levels and, in brackets, what is below.
fn shape(node: &Node) -> String {
    let children: Vec<String> = node.children.iter().map(shape).collect();
    let below = if children.is_empty() {
        String::new()
    } else {
        format!("({})", children.join(" "))
    };
    format!("{}:{}{below}", node.title, node.level)
}
