//! The tree of a page, and questions about its nodes.

use ego_tree::{NodeId, NodeMut, NodeRef};
use html5ever::{LocalName, QualName, ns};
use scraper::node::Element;
use scraper::{Html, Node};

use super::guard;
use crate::{IntakeLimits, Unreadable};

pub(super) type Handle<'a> = NodeRef<'a, Node>;

/// The page without what is in its templates, which only scripts show.
pub(super) fn parse(text: &str, limits: &IntakeLimits) -> Result<Html, Unreadable> {
    guard::check(text, limits)?;
    let mut page = Html::parse_document(text);
    let templates = page.tree.nodes().filter(|node| node.value().is_fragment());
    for id in templates.map(|node| node.id()).collect::<Vec<_>>() {
        if let Some(mut template) = page.tree.get_mut(id) {
            template.detach();
        }
    }
    Ok(page)
}

/// The name of an element in small letters, empty for anything else.
pub(super) fn name(node: Handle<'_>) -> &str {
    node.value().as_element().map_or("", Element::name)
}

pub(super) fn attr<'a>(node: Handle<'a>, name: &str) -> Option<&'a str> {
    let mut attrs = node.value().as_element()?.attrs();
    attrs.find(|attr| attr.0 == name).map(|attr| attr.1)
}

/// Sets an attribute of an element.
pub(super) fn set(page: &mut Html, id: NodeId, name: LocalName, value: String) {
    if let Some(Node::Element(element)) = page.tree.get_mut(id).as_mut().map(NodeMut::value) {
        element.attrs.retain(|(old, _)| old.local != name);
        let name = QualName::new(None, ns!(), name);
        element.attrs.push((name, value.into()));
    }
}

pub(super) fn number<N: std::str::FromStr>(node: Handle<'_>, name: &str) -> Option<N> {
    attr(node, name)?.trim().parse().ok()
}

/// A property of its `style` attribute, in small letters.
pub(super) fn style(node: Handle<'_>, property: &str) -> Option<String> {
    let style = attr(node, "style")?.to_ascii_lowercase();
    style.split(';').find_map(|rule| {
        let (name, value) = rule.split_once(':')?;
        (name.trim() == property).then(|| value.replace("!important", "").trim().to_owned())
    })
}

/// Whether a page has it and does not show it.
pub(super) fn is_hidden(node: Handle<'_>) -> bool {
    attr(node, "hidden").is_some_and(|value| value != "until-found")
        || style(node, "display").as_deref() == Some("none")
        || style(node, "visibility").as_deref() == Some("hidden")
}

/// All text in it, as the file writes it.
pub(super) fn words(node: Handle<'_>) -> String {
    let is_silent = |node: Handle<'_>| matches!(name(node), "script" | "style");
    let nodes = node.descendants();
    let shown = nodes.filter(|node| !node.parent().is_some_and(is_silent));
    let texts = shown.filter_map(|node| node.value().as_text());
    texts.map(|text| &**text).collect()
}

/// The first element of a name in it, at any depth.
pub(super) fn below<'a>(node: Handle<'a>, wanted: &[&str]) -> Option<Handle<'a>> {
    let mut nodes = node.descendants().skip(1);
    nodes.find(|node| wanted.contains(&name(*node)))
}
