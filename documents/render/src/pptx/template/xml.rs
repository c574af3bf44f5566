//! A tree as XML again.

use crate::pptx::gate::tree::Element;
use crate::pptx::xml::{HEAD, escape};

/// The tree as a part.
pub(super) fn part(tree: &Element) -> Vec<u8> {
    let mut xml = HEAD.to_owned();
    put(&mut xml, tree);
    xml.into_bytes()
}

/// The element with everything in it. Blanks between elements are left out.
pub(super) fn put(xml: &mut String, element: &Element) {
    xml.push('<');
    xml.push_str(&element.name);
    for (name, value) in &element.attributes {
        xml.push_str(&format!(" {name}=\"{}\"", escape(value)));
    }
    if element.children.is_empty() && element.text.is_empty() {
        xml.push_str("/>");
        return;
    }
    xml.push('>');
    if element.children.is_empty() || !element.text.trim().is_empty() {
        xml.push_str(&escape(&element.text));
    }
    for child in &element.children {
        put(xml, child);
    }
    xml.push_str(&format!("</{}>", element.name));
}
