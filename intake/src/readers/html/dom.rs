//! Questions about a node.

use markup5ever_rcdom::{Handle, Node, NodeData};

/// The name of an element in small letters, empty for anything else.
pub(super) fn name(node: &Node) -> &str {
    match &node.data {
        NodeData::Element { name, .. } => &name.local,
        NodeData::Document
        | NodeData::Doctype { .. }
        | NodeData::Text { .. }
        | NodeData::Comment { .. }
        | NodeData::ProcessingInstruction { .. } => "",
    }
}

pub(super) fn attr(node: &Node, name: &str) -> Option<String> {
    let NodeData::Element { attrs, .. } = &node.data else {
        return None;
    };
    let attrs = attrs.borrow();
    let found = attrs.iter().find(|attr| &*attr.name.local == name);
    found.map(|attr| attr.value.to_string())
}

pub(super) fn number<N: std::str::FromStr>(node: &Node, name: &str) -> Option<N> {
    attr(node, name)?.trim().parse().ok()
}

/// A property of its `style` attribute, in small letters.
pub(super) fn style(node: &Node, property: &str) -> Option<String> {
    let style = attr(node, "style")?.to_ascii_lowercase();
    style.split(';').find_map(|rule| {
        let (name, value) = rule.split_once(':')?;
        (name.trim() == property).then(|| value.replace("!important", "").trim().to_owned())
    })
}

/// Whether a page has it and does not show it.
pub(super) fn is_hidden(node: &Node) -> bool {
    attr(node, "hidden").is_some_and(|value| value != "until-found")
        || style(node, "display").as_deref() == Some("none")
        || style(node, "visibility").as_deref() == Some("hidden")
}

pub(super) fn children(node: &Node) -> Vec<Handle> {
    node.children.borrow().clone()
}

/// All text in it, as the file writes it.
pub(super) fn words(node: &Handle) -> String {
    let mut words = String::new();
    let mut rest = vec![node.clone()];
    while let Some(node) = rest.pop() {
        if let NodeData::Text { contents } = &node.data {
            words.push_str(&contents.borrow());
        }
        if !matches!(name(&node), "script" | "style") {
            rest.extend(node.children.borrow().iter().rev().cloned());
        }
    }
    words
}

/// The first element of a name in it, at any depth.
pub(super) fn below(node: &Handle, wanted: &[&str]) -> Option<Handle> {
    let mut rest = children(node);
    rest.reverse();
    while let Some(node) = rest.pop() {
        if wanted.contains(&name(&node)) {
            return Some(node);
        }
        rest.extend(node.children.borrow().iter().rev().cloned());
    }
    None
}
