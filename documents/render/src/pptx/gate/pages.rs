//! Shapes on slides, layouts, masters and notes.

use std::collections::BTreeSet;

use super::parts::Parts;
use super::tree::Element;
use super::{DefectList, Rule};

/// Ends of the content types of parts with shapes.
const PAGES: [&str; 5] = [
    ".slide+xml",
    ".slideLayout+xml",
    ".slideMaster+xml",
    ".notesSlide+xml",
    ".notesMaster+xml",
];

const COLORS: [&str; 17] = [
    "bg1", "tx1", "bg2", "tx2", "accent1", "accent2", "accent3", "accent4", "accent5", "accent6",
    "hlink", "folHlink", "phClr", "dk1", "lt1", "dk2", "lt2",
];

const PLACEHOLDERS: [&str; 16] = [
    "title", "body", "ctrTitle", "subTitle", "dt", "sldNum", "ftr", "hdr", "obj", "chart", "tbl",
    "clipArt", "dgm", "media", "sldImg", "pic",
];

/// Names of preset shapes (ISO/IEC 29500-1, 20.1.10.56); an invented one makes PowerPoint repair the file.
const PRESETS: &str = include_str!("presets.txt");

/// Kinds that only notes have, and kinds that notes have.
const NOTES_ONLY: [&str; 2] = ["sldImg", "hdr"];
const NOTES: [&str; 6] = ["sldImg", "body", "hdr", "dt", "ftr", "sldNum"];

pub(super) fn check(parts: &Parts, found: &mut DefectList) {
    for ending in PAGES {
        for (name, tree) in parts.of_type(ending) {
            shapes(name, tree, found);
            placeholders(parts, name, tree, ending.contains("notes"), found);
            tables(name, tree, found);
        }
    }
    // Colours are in charts and themes too.
    for (name, tree) in &parts.trees {
        colors(name, tree, found);
    }
}

fn shapes(name: &str, tree: &Element, found: &mut DefectList) {
    let mut ids = BTreeSet::new();
    for shape in tree.all("p:cNvPr") {
        let id = shape.attribute("id").and_then(|id| id.parse::<u32>().ok());
        if !id.is_some_and(|id| id > 0 && ids.insert(id)) {
            let id = shape.attribute("id").unwrap_or_default();
            found.add(
                Rule::ShapeId,
                name,
                format!("has a shape without an id of its own: `{id}`"),
            );
        }
    }
    for geometry in tree.all("a:prstGeom") {
        let preset = geometry.attribute("prst").unwrap_or_default();
        if !PRESETS.split_whitespace().any(|known| known == preset) {
            found.add(
                Rule::Preset,
                name,
                format!("has a shape `{preset}`, which there is not"),
            );
        }
    }
    for element in tree.walk() {
        let (keys, least): ([&str; 2], i64) = match element.name.as_str() {
            "a:ext" if element.attribute("uri").is_none() => (["cx", "cy"], 0),
            "a:chExt" => (["cx", "cy"], 0),
            "a:off" | "a:chOff" | "a:pt" => (["x", "y"], i64::MIN),
            _ => continue,
        };
        for key in keys {
            let value = element
                .attribute(key)
                .and_then(|value| value.parse::<i64>().ok());
            if value.is_none_or(|value| value < least) {
                found.add(
                    Rule::Geometry,
                    name,
                    format!("has {} without a good {key}", element.name),
                );
            }
        }
    }
}

/// Kind and index, as a layout and its slides must agree on them; the kinds of title are one.
fn identity(holder: &Element) -> (&str, &str) {
    let kind = match holder.attribute("type").unwrap_or("obj") {
        "ctrTitle" => "title",
        kind => kind,
    };
    (kind, holder.attribute("idx").unwrap_or("0"))
}

fn placeholders(parts: &Parts, name: &str, tree: &Element, notes: bool, found: &mut DefectList) {
    let layout: Vec<(&str, &str)> = parts
        .targets(name, "slideLayout")
        .filter_map(|layout| parts.trees.get(layout))
        .flat_map(|layout| layout.all("p:ph"))
        .map(identity)
        .collect();
    let slide = parts.content_type(name).ends_with(".slide+xml");
    let mut seen = BTreeSet::new();
    for holder in tree.all("p:ph") {
        let (kind, index) = identity(holder);
        let allowed = if notes {
            NOTES.contains(&kind)
        } else {
            PLACEHOLDERS.contains(&kind) && !NOTES_ONLY.contains(&kind)
        };
        if !allowed {
            found.add(
                Rule::Placeholder,
                name,
                format!("has a placeholder of the kind `{kind}`"),
            );
        } else if slide && !layout.contains(&(kind, index)) {
            let says = format!("has a placeholder {kind} {index}, which its layout has not");
            found.add(Rule::Placeholder, name, says);
        }
        if !seen.insert((kind, index)) {
            let says = format!("has the placeholder {kind} {index} twice");
            found.add(Rule::Placeholder, name, says);
        }
    }
}

fn tables(name: &str, tree: &Element, found: &mut DefectList) {
    for table in tree.all("a:tbl") {
        let columns = table.all("a:gridCol").count();
        let rows: Vec<&Element> = table.all("a:tr").collect();
        let even = |row: &&Element| row.all("a:tc").count() == columns;
        if columns == 0 || rows.is_empty() || !rows.iter().all(even) {
            let says = "has a table whose rows have not as many cells as it has columns";
            found.add(Rule::Table, name, says);
        }
    }
}

fn colors(name: &str, tree: &Element, found: &mut DefectList) {
    for element in tree.walk() {
        let value = element.attribute("val").unwrap_or_default();
        let good = match element.name.as_str() {
            "a:schemeClr" => COLORS.contains(&value),
            "a:srgbClr" => value.len() == 6 && value.chars().all(|c| c.is_ascii_hexdigit()),
            _ => true,
        };
        if !good {
            found.add(Rule::Color, name, format!("has the colour `{value}`"));
        }
    }
}
