//! XML of a package, as a tree, within limits.
//!
//! The tree is that of `roxmltree`. Before it is built, the text is checked once: a tree costs many times as much as its text, readers
//! recurse over it, and a document type can define entities that expand or point outside.

use std::borrow::Cow;
use std::ops::Deref;

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use roxmltree::{Document, Node};
use spec::source::SourceFormat;

use crate::budget::Loan;
use crate::package::damaged;
use crate::{Reading, Unreadable};

/// Elements and attributes of a part: a book of a thousand pages has a million and a half.
const MOST_NODES: u64 = 6_000_000;

/// Attributes of an element: a style has thirty. The time to look for duplicates grows with the square of their number.
const MOST_ATTRIBUTES: usize = 1_000;

/// Bytes that an element or an attribute takes in a tree, with the text after it.
const OF_NODE: usize = 96;

/// The tree of a part, counted in the budget of the file as long as it is there.
pub(crate) struct XmlTree<'t> {
    document: Document<'t>,
    _loan: Loan,
}

impl<'t> Deref for XmlTree<'t> {
    type Target = Document<'t>;

    fn deref(&self) -> &Document<'t> {
        &self.document
    }
}

/// The text of a part: UTF-8, or UTF-16 with its mark, as XML has it.
pub(crate) fn text(bytes: &[u8]) -> Cow<'_, str> {
    let utf16 = |rest: &[u8], read: fn([u8; 2]) -> u16| {
        let units = rest.chunks_exact(2).map(|pair| read([pair[0], pair[1]]));
        char::decode_utf16(units)
            .map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER))
            .collect::<String>()
    };
    match bytes {
        [0xFF, 0xFE, rest @ ..] => Cow::Owned(utf16(rest, u16::from_le_bytes)),
        [0xFE, 0xFF, rest @ ..] => Cow::Owned(utf16(rest, u16::from_be_bytes)),
        [0xEF, 0xBB, 0xBF, rest @ ..] => String::from_utf8_lossy(rest),
        _ => String::from_utf8_lossy(bytes),
    }
}

/// The tree of a part.
pub(crate) fn parse<'t>(
    text: &'t str,
    part: &str,
    format: SourceFormat,
    reading: &Reading<'_>,
) -> Result<XmlTree<'t>, Unreadable> {
    let nodes = check(text, part, format, reading.limits.depth)?;
    let bytes = usize::try_from(nodes)
        .unwrap_or(usize::MAX)
        .saturating_mul(OF_NODE);
    let loan = reading.budget.lend(bytes, reading.limits.memory_bytes)?;
    let document =
        Document::parse(text).map_err(|error| damaged(format, &format!("{part}: {error}")))?;
    Ok(XmlTree {
        document,
        _loan: loan,
    })
}

/// Checks a part without building anything, and counts its elements and attributes.
pub(crate) fn check(
    text: &str,
    part: &str,
    format: SourceFormat,
    most: usize,
) -> Result<u64, Unreadable> {
    let mut reader = Reader::from_str(text);
    let mut depth = 0_usize;
    let mut nodes = 0_u64;
    loop {
        let event = reader
            .read_event()
            .map_err(|error| damaged(format, &format!("{part}: {error}")))?;
        match event {
            Event::Start(element) => {
                depth += 1;
                nodes += weight(&element)?;
            }
            Event::Empty(element) => nodes += weight(&element)?,
            Event::End(_) => depth = depth.saturating_sub(1),
            Event::DocType(_) => {
                let cause = format!("{part} has a document type, as no {} has", format.title());
                return Err(damaged(format, &cause));
            }
            Event::Eof => return Ok(nodes),
            Event::Text(_)
            | Event::CData(_)
            | Event::Comment(_)
            | Event::Decl(_)
            | Event::PI(_)
            | Event::GeneralRef(_) => {}
        }
        if depth > most {
            return Err(too_large("levels of nesting", depth as u64, most as u64));
        }
        if nodes > MOST_NODES {
            return Err(too_large("XML elements in a part", nodes, MOST_NODES));
        }
    }
}

fn weight(element: &BytesStart<'_>) -> Result<u64, Unreadable> {
    let mut attributes = element.attributes();
    attributes.with_checks(false);
    let count = attributes.take(MOST_ATTRIBUTES + 1).count();
    if count > MOST_ATTRIBUTES {
        let most = MOST_ATTRIBUTES as u64;
        return Err(too_large("attributes of an XML element", most + 1, most));
    }
    Ok(count as u64 + 1)
}

fn too_large(what: &'static str, value: u64, most: u64) -> Unreadable {
    Unreadable::TooLarge { what, value, most }
}

/// What readers need from an element. Names have no namespace: prefixes are chosen freely by programs, and the strict and the usual office
/// formats differ only in their namespaces.
pub(crate) trait Element<'a, 't: 'a> {
    /// Its name, empty for a text.
    fn name(&self) -> &'t str;
    /// The value of an attribute.
    fn attr(&self, name: &str) -> Option<&'a str>;
    /// The first child with this name.
    fn child(&self, name: &str) -> Option<Node<'a, 't>>;
    /// All elements in it.
    fn elements(&self) -> impl Iterator<Item = Node<'a, 't>>;
    /// The first element with this name at any depth below.
    fn below(&self, name: &str) -> Option<Node<'a, 't>>;
    /// The attribute `val` of a child.
    fn val(&self, child: &str) -> Option<&'a str>;
    /// A property that is on if its element exists: `None` if it does not exist.
    fn toggle(&self, child: &str) -> Option<bool>;
    /// All text in it.
    fn words(&self) -> String;
}

impl<'a, 't: 'a> Element<'a, 't> for Node<'a, 't> {
    fn name(&self) -> &'t str {
        self.tag_name().name()
    }

    fn attr(&self, name: &str) -> Option<&'a str> {
        self.attributes()
            .find(|attribute| attribute.name() == name)
            .map(|attribute| attribute.value())
    }

    fn child(&self, name: &str) -> Option<Node<'a, 't>> {
        self.elements().find(|node| node.name() == name)
    }

    fn elements(&self) -> impl Iterator<Item = Node<'a, 't>> {
        self.children().filter(Node::is_element)
    }

    fn below(&self, name: &str) -> Option<Node<'a, 't>> {
        self.descendants()
            .skip(1)
            .find(|node| node.is_element() && node.name() == name)
    }

    fn val(&self, child: &str) -> Option<&'a str> {
        self.child(child)?.attr("val")
    }

    fn toggle(&self, child: &str) -> Option<bool> {
        let value = self.child(child)?.attr("val").unwrap_or("true");
        Some(!matches!(value, "false" | "0" | "off" | "none"))
    }

    fn words(&self) -> String {
        self.descendants()
            .filter(Node::is_text)
            .filter_map(|node| node.text())
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::IntakeLimits;
    use crate::budget::ReadingBudget;

    fn outcome(text: &str) -> Result<(), Unreadable> {
        let reading = Reading {
            name: "a.docx",
            bytes: &[],
            limits: &IntakeLimits::default(),
            stop: &|| false,
            budget: ReadingBudget::default(),
        };
        parse(text, "a.xml", SourceFormat::Docx, &reading).map(|_| ())
    }

    #[test]
    fn an_entity_bomb_is_refused_before_it_is_read() {
        let bomb = "<!DOCTYPE a [<!ENTITY b \"bbbbbbbb\"><!ENTITY c \"&b;&b;&b;\">]><a>&c;</a>";
        assert!(matches!(outcome(bomb), Err(Unreadable::Damaged { .. })));
        let outside = "<!DOCTYPE a [<!ENTITY b SYSTEM \"file:///etc/passwd\">]><a>&b;</a>";
        assert!(matches!(outcome(outside), Err(Unreadable::Damaged { .. })));
    }

    #[test]
    fn deep_nesting_is_refused() {
        let deep = format!("{}{}", "<a>".repeat(100_000), "</a>".repeat(100_000));
        let refusal = too_large("levels of nesting", 65, 64);
        assert_eq!(outcome(&deep), Err(refusal));
    }

    #[test]
    fn an_element_of_many_attributes_is_refused() {
        let attributes: String = (0..2_000).map(|n| format!(" a{n}=''")).collect();
        let refusal = too_large("attributes of an XML element", 1_001, 1_000);
        assert_eq!(outcome(&format!("<a{attributes}/>")), Err(refusal));
    }

    #[test]
    fn utf_16_is_decoded_by_its_mark() {
        let bytes: Vec<u8> = "\u{feff}<a>字</a>"
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect();
        assert_eq!(text(&bytes), "<a>字</a>");
    }
}
