//! The links of a table of contents.

use html5ever::tendril::TendrilSink as _;
use html5ever::{ParseOpts, parse_document};
use markup5ever_rcdom::RcDom;

use super::dom::{attr, children, name, words};
use super::guard;
use crate::{IntakeLimits, Unreadable};

/// The targets of the entries in a table of contents, and their words, in their order: from the links of a page, or from the older format
/// of books.
pub(crate) fn links(
    text: &str,
    limits: &IntakeLimits,
) -> Result<Vec<(String, String)>, Unreadable> {
    guard::check(text, limits)?;
    let dom = parse_document(RcDom::default(), ParseOpts::default()).one(text);
    let mut links = Vec::new();
    let mut label = String::new();
    let mut rest = vec![dom.document.clone()];
    while let Some(node) = rest.pop() {
        match name(&node) {
            "a" => links.extend(attr(&node, "href").map(|href| (href, words(&node)))),
            "text" => label = words(&node),
            "content" => links.extend(attr(&node, "src").map(|source| (source, label.clone()))),
            _ => {}
        }
        rest.extend(children(&node).into_iter().rev());
    }
    for (_, words) in &mut links {
        *words = words.split_whitespace().collect::<Vec<_>>().join(" ");
    }
    links.retain(|(_, words)| !words.is_empty());
    Ok(links)
}
