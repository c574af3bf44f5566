//! XML as a tree, if it is well-formed.

use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

use crate::pptx::xml::forbidden;

/// Deeper than any part is nested; a deeper one would be read by recursion elsewhere.
const DEPTH_MAX: usize = 200;

/// An element with everything in it.
#[derive(Debug, Clone, Default)]
pub(in crate::pptx) struct Element {
    /// With its prefix, as it is written.
    pub(in crate::pptx) name: String,
    pub(in crate::pptx) attributes: Vec<(String, String)>,
    pub(in crate::pptx) children: Vec<Element>,
    /// The characters directly inside.
    pub(in crate::pptx) text: String,
}

/// Why there is no tree.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::pptx) enum Fault {
    Malformed(String),
    /// A character that XML has no place for.
    Control(u32),
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Malformed(says) => write!(f, "{says}"),
            Self::Control(character) => write!(f, "has the character U+{character:04X}"),
        }
    }
}

impl Element {
    pub(in crate::pptx) fn attribute(&self, name: &str) -> Option<&str> {
        let attribute = self.attributes.iter().find(|(known, _)| known == name);
        attribute.map(|(_, value)| value.as_str())
    }

    pub(in crate::pptx) fn child(&self, name: &str) -> Option<&Element> {
        self.children.iter().find(|child| child.name == name)
    }

    pub(in crate::pptx) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Element> {
        self.walk().filter(move |element| element.name == name)
    }

    /// The element and everything inside of it; of content that is written in two alternative ways, only the first.
    pub(in crate::pptx) fn walk(&self) -> impl Iterator<Item = &Element> {
        let mut waiting = vec![self];
        std::iter::from_fn(move || {
            let element = waiting.pop()?;
            let children = element.children.iter().rev();
            waiting.extend(children.filter(|child| child.name != "mc:Fallback"));
            Some(element)
        })
    }
}

/// The tree of a part.
pub(in crate::pptx) fn parse(bytes: &[u8]) -> Result<Element, Fault> {
    let malformed = |says: &str| Fault::Malformed(says.to_owned());
    let text = std::str::from_utf8(bytes).map_err(|_| malformed("is not UTF-8"))?;
    let mut reader = Reader::from_str(text);
    let mut open: Vec<Element> = Vec::new();
    let mut root = None;
    loop {
        let event = reader.read_event();
        match event.map_err(|error| Fault::Malformed(error.to_string()))? {
            Event::Start(start) => {
                if open.len() >= DEPTH_MAX || (open.is_empty() && root.is_some()) {
                    return Err(malformed("has more than one root, or is nested too deeply"));
                }
                open.push(element(&start)?);
            }
            Event::Empty(start) => {
                let element = element(&start)?;
                close(element, &mut open, &mut root)?;
            }
            Event::End(_) => {
                let element = open
                    .pop()
                    .ok_or_else(|| malformed("ends what did not begin"))?;
                close(element, &mut open, &mut root)?;
            }
            Event::Text(text) => characters(&text.xml10_content(), &mut open)?,
            Event::CData(text) => characters(&text.xml10_content(), &mut open)?,
            Event::GeneralRef(reference) => {
                let content = reference.xml10_content();
                let character = match reference.resolve_char_ref() {
                    Ok(Some(character)) => Some(character.to_string()),
                    Ok(None) => {
                        quick_xml::escape::resolve_predefined_entity(&content).map(str::to_owned)
                    }
                    Err(_) => None,
                };
                let character =
                    character.ok_or_else(|| Fault::Malformed(format!("refers to &{content};")))?;
                characters(&character, &mut open)?;
            }
            Event::DocType(_) => return Err(malformed("has a document type")),
            Event::Comment(_) | Event::PI(_) | Event::Decl(_) => {}
            Event::Eof => break,
        }
    }
    match root {
        Some(root) if open.is_empty() => named(&root, &mut Vec::new()).map(|()| root),
        Some(_) | None => Err(malformed("does not end")),
    }
}

fn element(start: &BytesStart<'_>) -> Result<Element, Fault> {
    let mut attributes = Vec::new();
    for attribute in start.attributes() {
        let attribute = attribute.map_err(|error| Fault::Malformed(error.to_string()))?;
        let value = attribute.normalized_value(XmlVersion::Implicit1_0);
        let value = value.map_err(|error| Fault::Malformed(error.to_string()))?;
        legal(&value)?;
        attributes.push((attribute.key.as_ref().to_owned(), value.into_owned()));
    }
    Ok(Element {
        name: start.name().as_ref().to_owned(),
        attributes,
        ..Element::default()
    })
}

fn close(element: Element, open: &mut [Element], root: &mut Option<Element>) -> Result<(), Fault> {
    match open.last_mut() {
        Some(parent) => parent.children.push(element),
        None if root.is_none() => *root = Some(element),
        None => return Err(Fault::Malformed("has more than one root".to_owned())),
    }
    Ok(())
}

fn characters(text: &str, open: &mut [Element]) -> Result<(), Fault> {
    legal(text)?;
    match open.last_mut() {
        Some(element) => element.text.push_str(text),
        None if text.trim().is_empty() => {}
        None => return Err(Fault::Malformed("has text outside of its root".to_owned())),
    }
    Ok(())
}

fn legal(text: &str) -> Result<(), Fault> {
    let illegal = |c: &char| forbidden(*c) && !matches!(c, '\t' | '\n' | '\r');
    match text.chars().find(illegal) {
        Some(character) => Err(Fault::Control(u32::from(character))),
        None => Ok(()),
    }
}

/// Every prefix stands for a namespace.
fn named<'a>(element: &'a Element, known: &mut Vec<&'a str>) -> Result<(), Fault> {
    let before = known.len();
    let declared = element
        .attributes
        .iter()
        .filter_map(|(name, _)| name.strip_prefix("xmlns:"));
    known.extend(declared);
    let names = element
        .attributes
        .iter()
        .map(|(name, _)| name)
        .chain([&element.name]);
    for name in names {
        if let Some((prefix, _)) = name.split_once(':')
            && !matches!(prefix, "xml" | "xmlns")
            && !known.contains(&prefix)
        {
            return Err(Fault::Malformed(format!("has no namespace for {prefix}")));
        }
    }
    for child in &element.children {
        named(child, known)?;
    }
    known.truncate(before);
    Ok(())
}
