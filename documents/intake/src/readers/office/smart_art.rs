//! The words of a `SmartArt` graphic: its points and how they hang together.

use std::collections::{HashMap, HashSet};

use roxmltree::Node;
use spec::source::{ListItem, ListMarker, RichText};

use super::flatten::add_line;
use crate::xml::Element as _;

/// Its points in reading order, each at its depth.
pub(super) fn items(root: Node<'_, '_>) -> Vec<ListItem> {
    let points: Vec<Node<'_, '_>> = list(root, "ptLst", "pt").collect();
    let words: HashMap<&str, RichText> = points
        .iter()
        .filter_map(|point| Some((point.attr("modelId")?, text(*point))))
        .collect();
    let mut below: HashMap<&str, Vec<(u32, &str)>> = HashMap::new();
    for link in list(root, "cxnLst", "cxn") {
        if link.attr("type").unwrap_or("parOf") != "parOf" {
            continue;
        }
        let order = link.attr("srcOrd").and_then(|order| order.parse().ok());
        if let (Some(parent), Some(child)) = (link.attr("srcId"), link.attr("destId")) {
            below
                .entry(parent)
                .or_default()
                .push((order.unwrap_or(0), child));
        }
    }
    for children in below.values_mut() {
        children.sort_unstable();
    }
    let mut items = Vec::new();
    let mut seen = HashSet::new();
    for point in &points {
        let top = point.attr("type") == Some("doc");
        if let (true, Some(id)) = (top, point.attr("modelId")) {
            walk(id, &below, &words, &mut seen, &mut items);
        }
    }
    // Points that are not connected to others still have words.
    for point in points {
        if let Some(id) = point.attr("modelId").filter(|id| !seen.contains(id)) {
            add_item(words.get(id), 0, &mut items);
        }
    }
    items
}

fn walk<'n>(
    top: &'n str,
    below: &HashMap<&'n str, Vec<(u32, &'n str)>>,
    words: &HashMap<&'n str, RichText>,
    seen: &mut HashSet<&'n str>,
    items: &mut Vec<ListItem>,
) {
    let mut open = vec![(top, 0_u8)];
    while let Some((id, depth)) = open.pop() {
        // Links of a damaged file may lead in a circle.
        if !seen.insert(id) {
            continue;
        }
        add_item(words.get(id), depth.saturating_sub(1), items);
        for (_, child) in below.get(id).into_iter().flatten().rev() {
            open.push((child, depth.saturating_add(1)));
        }
    }
}

fn add_item(words: Option<&RichText>, level: u8, items: &mut Vec<ListItem>) {
    if let Some(text) = words.filter(|text| !text.is_blank()) {
        items.push(ListItem {
            level,
            marker: ListMarker::Bullet,
            text: text.clone(),
        });
    }
}

fn list<'a, 't>(root: Node<'a, 't>, list: &str, item: &str) -> impl Iterator<Item = Node<'a, 't>> {
    root.child(list)
        .into_iter()
        .flat_map(|list| list.children())
        .filter(move |node| node.name() == item)
}

fn text(point: Node<'_, '_>) -> RichText {
    let mut text = RichText::default();
    for paragraph in point.descendants().filter(|node| node.name() == "p") {
        let line: String = paragraph
            .descendants()
            .filter(|node| node.name() == "t")
            .filter_map(|node| node.text())
            .collect();
        add_line(&mut text, RichText::plain(line));
    }
    text
}
