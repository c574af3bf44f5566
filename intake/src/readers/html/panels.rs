//! What a page hides until its reader asks for it: the panels of tabs, and sections that a button opens.
//!
//! A script shows them, and no script is run, so they are recognised by how pages mark them: they are the panel of a tab, a control names
//! them by their id, or they follow their button.

use std::collections::HashSet;

use html5ever::{Attribute, QualName, local_name, ns};
use markup5ever_rcdom::{Handle, NodeData};

use super::dom::{attr, below, children, is_hidden, name};

/// The attributes with which a control names what it shows.
const NAMES: [&str; 6] = [
    "aria-controls",
    "data-bs-target",
    "data-target",
    "data-tab",
    "href",
    "for",
];

/// Makes what can be shown count as shown.
pub(super) fn open(document: &Handle) {
    let controlled = controlled(document);
    let mut rest = vec![document.clone()];
    while let Some(node) = rest.pop() {
        let children = children(&node);
        let mut before = None;
        for child in children.iter().filter(|child| !name(child).is_empty()) {
            if is_hidden(child) && can_be_shown(child, before, &controlled) {
                show(child);
            }
            before = Some(child);
        }
        rest.extend(children);
    }
}

fn can_be_shown(node: &Handle, before: Option<&Handle>, controlled: &HashSet<String>) -> bool {
    let is_panel = attr(node, "role").is_some_and(|role| role.trim() == "tabpanel");
    let is_named = attr(node, "id").is_some_and(|id| controlled.contains(&id));
    is_panel || is_named || before.is_some_and(opens)
}

/// Whether an element is a button that opens what follows it, or a heading with one.
fn opens(node: &Handle) -> bool {
    let is_button = |node: &Handle| {
        name(node) == "button"
            || attr(node, "role").is_some_and(|role| role.trim() == "button")
            || attr(node, "aria-expanded").is_some()
    };
    let is_heading = matches!(name(node), "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "dt");
    is_button(node) || is_heading && below(node, &["button"]).is_some()
}

/// The ids that controls name.
fn controlled(document: &Handle) -> HashSet<String> {
    let mut ids = HashSet::new();
    let mut rest = vec![document.clone()];
    while let Some(node) = rest.pop() {
        for named in NAMES.iter().filter_map(|name| attr(&node, name)) {
            let words = named.split_ascii_whitespace();
            ids.extend(words.map(|id| id.trim_start_matches('#').to_owned()));
        }
        // Such as `openTab(event, 'London')`.
        if let Some(script) = attr(&node, "onclick") {
            let words = script.split(['\'', '"']).skip(1).step_by(2);
            ids.extend(words.map(|id| id.trim_start_matches('#').to_owned()));
        }
        rest.extend(children(&node));
    }
    ids
}

fn show(node: &Handle) {
    let NodeData::Element { attrs, .. } = &node.data else {
        return;
    };
    let mut attrs = attrs.borrow_mut();
    attrs.retain(|attr| &*attr.name.local != "hidden");
    // The first declaration of a property is the one that counts.
    let shown = "display:block;visibility:visible;";
    match attrs.iter_mut().find(|attr| &*attr.name.local == "style") {
        Some(style) => style.value = format!("{shown}{}", style.value).into(),
        None => attrs.push(Attribute {
            name: QualName::new(None, ns!(), local_name!("style")),
            value: shown.into(),
        }),
    }
}
