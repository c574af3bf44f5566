//! Templates whose masters say nothing of how texts look, as LibreOffice writes them: the look is on the words of their
//! placeholders, and slides do not inherit it from there. The look is turned into the style of the placeholder, in the written file as
//! well, so that slides have it in every program.

use crate::pptx::gate::parts::Parts;
use crate::pptx::gate::tree::Element;

/// Attributes and elements of words that a style has as well.
const WORDS: [&str; 4] = ["sz", "b", "i", "cap"];
const LOOKS: [&str; 4] = ["a:solidFill", "a:latin", "a:ea", "a:cs"];

/// Whether a master leaves the look of texts to its placeholders.
pub(super) fn is_direct(master: &Element) -> bool {
    let styles = master.child("p:txStyles");
    let said = styles
        .into_iter()
        .flat_map(Element::walk)
        .any(|style| style.name == "a:lvl1pPr");
    !said
}

/// The kind that a placeholder has its look from.
fn kind(shape: &Element) -> Option<&str> {
    let holder = shape.all("p:ph").next()?;
    Some(match holder.attribute("type") {
        Some("title" | "ctrTitle") => "title",
        None | Some("body" | "obj") => "body",
        Some(kind) => kind,
    })
}

/// The kinds of the placeholders of a page for its own text.
fn texts(tree: &Element) -> Vec<&str> {
    let holders = holders(tree).into_iter().filter_map(kind);
    let mut kinds: Vec<&str> = holders
        .filter(|kind| matches!(*kind, "title" | "subTitle" | "body"))
        .collect();
    kinds.sort_unstable();
    kinds
}

/// The placeholders of a page in their order.
fn holders(tree: &Element) -> Vec<&Element> {
    let shapes = tree.all("p:sp");
    shapes.filter(|shape| kind(shape).is_some()).collect()
}

/// The master with the looks of its placeholders as their styles.
pub(super) fn master(tree: &Element) -> Element {
    let mut tree = tree.clone();
    each_holder(&mut tree, &mut |shape, _| {
        let style = style_of(shape);
        set_style(shape, style);
    });
    tree
}

/// The layout with styles and places: those of a slide of the template that stands on it, else, but for opening pages, those of the
/// master, since LibreOffice writes the places of another page into many layouts.
pub(super) fn layout(parts: &Parts, part: &str, tree: &Element, master: &Element) -> Element {
    let mut slides: Vec<&str> = parts
        .sources()
        .filter(|(source, relation)| {
            relation.target == part && parts.content_type(source).ends_with(".slide+xml")
        })
        .map(|(source, _)| source)
        .collect();
    slides.sort_unstable();
    // A slide with other placeholders than its layout was laid out by hand and does not show how the layout looks.
    let mut slides = slides.iter().filter_map(|slide| parts.trees.get(*slide));
    let example = slides.find(|slide| texts(slide) == texts(tree));
    let opens = holders(tree)
        .into_iter()
        .any(|shape| kind(shape) == Some("subTitle"));
    let bodies = holders(tree)
        .into_iter()
        .filter(|shape| kind(shape) == Some("body"))
        .count();
    let mut tree = tree.clone();
    each_holder(&mut tree, &mut |shape, nth| {
        let own = kind(shape).unwrap_or_default().to_owned();
        let like = |tree: &Element, nth: usize| {
            let each = holders(tree).into_iter();
            let mut alike = each.filter(|shape| kind(shape) == Some(own.as_str()));
            alike.nth(nth).cloned()
        };
        if let Some(donor) = example.and_then(|example| like(example, nth)) {
            let style = style_of(&donor);
            set_style(shape, style);
            copy(shape, &donor, "p:spPr");
            copy_body(shape, &donor);
            return;
        }
        let of_master = matches!(own.as_str(), "title" | "body")
            .then(|| like(master, 0))
            .flatten();
        match of_master {
            Some(donor) if !opens => {
                let style = style_of(&donor);
                set_style(shape, style);
                copy_body(shape, &donor);
                match (own.as_str(), bodies) {
                    ("title", _) | ("body", 1) => copy(shape, &donor, "p:spPr"),
                    ("body", 2) => {
                        copy(shape, &donor, "p:spPr");
                        halve(shape, nth);
                    }
                    _ => {}
                }
            }
            Some(_) | None => {
                let style = style_of(shape);
                set_style(shape, style);
            }
        }
    });
    tree
}

/// Visits the placeholders with how many of the same kind came before.
fn each_holder(tree: &mut Element, visit: &mut impl FnMut(&mut Element, usize)) {
    fn walk(
        element: &mut Element,
        seen: &mut Vec<String>,
        visit: &mut impl FnMut(&mut Element, usize),
    ) {
        if element.name == "p:sp"
            && let Some(kind) = kind(element).map(str::to_owned)
        {
            let nth = seen.iter().filter(|known| **known == kind).count();
            seen.push(kind);
            visit(element, nth);
            return;
        }
        for child in &mut element.children {
            walk(child, seen, visit);
        }
    }
    walk(tree, &mut Vec::new(), visit);
}

/// The look of the words of a placeholder, by level, as a list style.
fn style_of(shape: &Element) -> Element {
    let mut style = Element {
        name: "a:lstStyle".to_owned(),
        ..Element::default()
    };
    let mut known = [false; 9];
    for paragraph in shape.all("a:p") {
        let said = paragraph.child("a:pPr");
        let level = said
            .and_then(|said| said.attribute("lvl"))
            .and_then(|level| level.parse::<usize>().ok())
            .unwrap_or(0)
            .min(8);
        if std::mem::replace(&mut known[level], true) {
            continue;
        }
        let words = paragraph
            .all("a:rPr")
            .chain(paragraph.all("a:endParaRPr"))
            .next();
        let mut defaults = Element {
            name: "a:defRPr".to_owned(),
            ..Element::default()
        };
        if let Some(words) = words {
            let attributes = words.attributes.iter();
            let attributes = attributes.filter(|(name, _)| WORDS.contains(&name.as_str()));
            defaults.attributes = attributes.cloned().collect();
            let children = words.children.iter();
            let children = children.filter(|child| LOOKS.contains(&child.name.as_str()));
            defaults.children = children.cloned().collect();
        }
        let mut of_level = said.cloned().unwrap_or_default();
        of_level.name = format!("a:lvl{}pPr", level + 1);
        of_level.text = String::new();
        of_level.attributes.retain(|(name, _)| name != "lvl");
        of_level.children.push(defaults);
        style.children.push(of_level);
    }
    style.children.sort_by(|a, b| a.name.cmp(&b.name));
    style
}

/// Gives a placeholder a style, unless it has one.
fn set_style(shape: &mut Element, style: Element) {
    let Some(body) = child_mut(shape, "p:txBody") else {
        return;
    };
    if body
        .child("a:lstStyle")
        .is_some_and(|style| !style.children.is_empty())
    {
        return;
    }
    body.children.retain(|child| child.name != "a:lstStyle");
    let at = body
        .children
        .iter()
        .position(|child| child.name == "a:bodyPr")
        .map_or(0, |at| at + 1);
    body.children.insert(at, style);
}

/// Copies the element with this name from another shape, if that shape has it.
fn copy(shape: &mut Element, from: &Element, name: &str) {
    let placed = from
        .child(name)
        .filter(|found| found.child("a:xfrm").is_some());
    if let (Some(found), Some(own)) = (placed, child_mut(shape, name)) {
        *own = found.clone();
    }
}

fn copy_body(shape: &mut Element, from: &Element) {
    let found = from
        .child("p:txBody")
        .and_then(|body| body.child("a:bodyPr"));
    let own = child_mut(shape, "p:txBody").and_then(|body| child_mut(body, "a:bodyPr"));
    if let (Some(found), Some(own)) = (found, own)
        && !found.attributes.is_empty()
    {
        *own = found.clone();
    }
}

/// The left or the right half of a shape's place, with a gap between the two.
fn halve(shape: &mut Element, nth: usize) {
    /// Share of the width that the gap has.
    const GAP: f64 = 0.03;
    let transform = child_mut(shape, "p:spPr").and_then(|own| child_mut(own, "a:xfrm"));
    let Some(transform) = transform else { return };
    let number = |element: Option<&Element>, name: &str| {
        let value = element.and_then(|element| element.attribute(name));
        value.and_then(|value| value.parse::<f64>().ok())
    };
    let (Some(x), Some(w)) = (
        number(transform.child("a:off"), "x"),
        number(transform.child("a:ext"), "cx"),
    ) else {
        return;
    };
    let half = (w * (1.0 - GAP) / 2.0).round();
    let x = if nth == 0 { x } else { x + w - half };
    for (child, name, value) in [("a:off", "x", x), ("a:ext", "cx", half)] {
        if let Some(child) = child_mut(transform, child) {
            for (known, written) in &mut child.attributes {
                if known == name {
                    *written = format!("{value:.0}");
                }
            }
        }
    }
}

fn child_mut<'a>(element: &'a mut Element, name: &str) -> Option<&'a mut Element> {
    element.children.iter_mut().find(|child| child.name == name)
}
