//! The links of a table of contents.

use super::dom::{attr, name, parse, words};
use crate::{IntakeLimits, Unreadable};

/// The targets of the entries in a table of contents, and their words, in their order: from the links of a page, or from the older format
/// of books.
pub(crate) fn links(
    text: &str,
    limits: &IntakeLimits,
) -> Result<Vec<(String, String)>, Unreadable> {
    let page = parse(text, limits)?;
    let mut links = Vec::new();
    let mut label = String::new();
    for node in page.tree.root().descendants() {
        match name(node) {
            "a" => links.extend(attr(node, "href").map(|href| (href.to_owned(), words(node)))),
            "text" => label = words(node),
            "content" => {
                links.extend(attr(node, "src").map(|source| (source.to_owned(), label.clone())));
            }
            _ => {}
        }
    }
    for (_, words) in &mut links {
        *words = words.split_whitespace().collect::<Vec<_>>().join(" ");
    }
    links.retain(|(_, words)| !words.is_empty());
    Ok(links)
}
