//! What a page hides until its reader asks for it: the panels of tabs, and sections that a button opens.
//!
//! A script shows them, and no script is run, so they are recognised by how pages mark them: they are the panel of a tab, a control names
//! them by their id, or they follow their button.

use std::collections::HashSet;

use html5ever::local_name;
use scraper::Html;

use super::dom::{Handle, attr, below, is_hidden, name, set};

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
pub(super) fn open(page: &mut Html) {
    let controlled = controlled(page);
    let hidden = page.tree.nodes().filter(|node| is_hidden(*node));
    let shown = hidden.filter(|node| can_be_shown(*node, &controlled));
    // The first declaration of a property is the one that counts.
    let style = |node| {
        let own = attr(node, "style").unwrap_or_default();
        format!("display:block;visibility:visible;{own}")
    };
    let shown = shown.map(|node| (node.id(), style(node)));
    for (id, style) in shown.collect::<Vec<_>>() {
        set(page, id, local_name!("style"), style);
        set(page, id, local_name!("hidden"), "until-found".to_owned());
    }
}

fn can_be_shown(node: Handle<'_>, controlled: &HashSet<&str>) -> bool {
    let is_panel = attr(node, "role").is_some_and(|role| role.trim() == "tabpanel");
    let is_named = attr(node, "id").is_some_and(|id| controlled.contains(id));
    let before = || node.prev_siblings().find(|node| node.value().is_element());
    is_panel || is_named || before().is_some_and(opens)
}

/// Whether an element is a button that opens what follows it, or a heading with one.
fn opens(node: Handle<'_>) -> bool {
    let is_button = name(node) == "button"
        || attr(node, "role").is_some_and(|role| role.trim() == "button")
        || attr(node, "aria-expanded").is_some();
    let is_heading = matches!(name(node), "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "dt");
    is_button || is_heading && below(node, &["button"]).is_some()
}

/// The ids that controls name.
fn controlled(page: &Html) -> HashSet<&str> {
    let mut ids = HashSet::new();
    for node in page.tree.nodes() {
        for named in NAMES.iter().filter_map(|name| attr(node, name)) {
            let words = named.split_ascii_whitespace();
            ids.extend(words.map(|id| id.trim_start_matches('#')));
        }
        // Such as `openTab(event, 'London')`.
        if let Some(script) = attr(node, "onclick") {
            let words = script.split(['\'', '"']).skip(1).step_by(2);
            ids.extend(words.map(|id| id.trim_start_matches('#')));
        }
    }
    ids
}
