//! Numbers of lists and headings, counted as Word counts them.

use std::collections::{HashMap, HashSet};

use roxmltree::Node;
use spec::source::ListMarker;

use crate::readers::office::numerals::numeral;
use crate::xml::Element as _;

/// Word has nine levels.
const LEVELS: usize = 9;

#[derive(Default)]
pub(super) struct Numbering {
    /// The appearance of lists, by their id.
    designs: HashMap<String, Vec<Level>>,
    lists: HashMap<String, List>,
    /// The last number of each level. Lists with the same design continue each other's numbers, unless they say otherwise.
    counters: HashMap<String, [Option<u64>; LEVELS]>,
    /// Lists whose own start of a level was used.
    started: HashSet<(String, usize)>,
}

struct List {
    design: String,
    starts: HashMap<usize, u64>,
    levels: HashMap<usize, Level>,
}

#[derive(Clone)]
struct Level {
    index: usize,
    form: String,
    start: u64,
    /// Such as `%1.%2.`.
    text: String,
    /// The number of the level that makes this one begin again; 0 if no level does.
    restart: Option<usize>,
    /// The paragraph style that is linked to this level.
    style: Option<String>,
    legal: bool,
}

/// What stands before a paragraph.
pub(super) struct Number {
    pub(super) level: u8,
    pub(super) marker: ListMarker,
    /// As it is shown, such as `第三条` or `2.1`; empty for a bullet.
    pub(super) label: String,
    /// Whether the label has words beside its number, which a marker cannot express.
    pub(super) has_words: bool,
}

impl Numbering {
    pub(super) fn of(root: Node<'_, '_>) -> Self {
        let mut numbering = Self::default();
        let mut linked = Vec::new();
        let mut by_style = HashMap::new();
        for node in root.elements() {
            match node.name() {
                "abstractNum" => {
                    let id = node.attr("abstractNumId").unwrap_or_default();
                    if let Some(style) = node.val("numStyleLink") {
                        linked.push((id.to_owned(), style.to_owned()));
                    }
                    if let Some(style) = node.val("styleLink") {
                        by_style.insert(style.to_owned(), id.to_owned());
                    }
                    let levels = node.elements().filter(|node| node.name() == "lvl");
                    let levels = levels.filter_map(level).collect();
                    numbering.designs.insert(id.to_owned(), levels);
                }
                "num" => {
                    let id = node.attr("numId").unwrap_or_default();
                    numbering.lists.insert(id.to_owned(), list(node));
                }
                _ => {}
            }
        }
        // A design may refer to that of a list style.
        for (id, style) in linked {
            let levels = by_style
                .get(&style)
                .and_then(|other| numbering.designs.get(other));
            if let Some(levels) = levels.cloned() {
                numbering.designs.insert(id, levels);
            }
        }
        numbering
    }

    /// Counts a paragraph of a list. `None` if the list is unknown or shows no number.
    pub(super) fn next(
        &mut self,
        list_id: &str,
        level: Option<u8>,
        style: Option<&str>,
    ) -> Option<Number> {
        let list = self.lists.get(list_id)?;
        let design = self.designs.get(&list.design)?;
        let of_style = || {
            let by_style =
                |level: &&Level| level.style.is_some() && level.style.as_deref() == style;
            design.iter().find(by_style).map(|level| level.index)
        };
        let index = level
            .map(usize::from)
            .or_else(of_style)
            .unwrap_or(0)
            .min(LEVELS - 1);
        let levels: Vec<Option<Level>> = (0..LEVELS)
            .map(|index| {
                let own = list.levels.get(&index);
                own.or_else(|| design.iter().find(|level| level.index == index))
                    .cloned()
            })
            .collect();
        let first = list.starts.get(&index).copied();
        let is_first = first.is_some() && self.started.insert((list_id.to_owned(), index));
        let counters = self.counters.entry(list.design.clone()).or_default();
        let this = levels[index].clone()?;
        let number = match counters[index] {
            _ if is_first => first.unwrap_or(this.start),
            Some(last) => last.saturating_add(1),
            None => first.unwrap_or(this.start),
        };
        counters[index] = Some(number);
        for below in index + 1..LEVELS {
            let restart = levels[below].as_ref().and_then(|level| level.restart);
            if restart.is_none_or(|restart| restart > index) {
                counters[below] = None;
            }
        }
        for above in 0..index {
            let start = levels[above].as_ref().map_or(1, |level| level.start);
            counters[above].get_or_insert(start);
        }
        shown(&this, index, number, counters, &levels)
    }
}

fn shown(
    level: &Level,
    index: usize,
    number: u64,
    counters: &[Option<u64>; LEVELS],
    levels: &[Option<Level>],
) -> Option<Number> {
    let depth = u8::try_from(index).ok()?;
    if level.form == "bullet" {
        return Some(Number {
            level: depth,
            marker: ListMarker::Bullet,
            label: String::new(),
            has_words: false,
        });
    }
    let mut label = level.text.clone();
    for other in 0..LEVELS {
        let sign = format!("%{}", other + 1);
        if label.contains(&sign) {
            let form = levels[other]
                .as_ref()
                .map_or("decimal", |level| level.form.as_str());
            let form = if level.legal { "decimal" } else { form };
            label = label.replace(&sign, &numeral(form, counters[other].unwrap_or(1)));
        }
    }
    let label = label.trim().to_owned();
    if level.form == "none" && label.is_empty() {
        return None;
    }
    Some(Number {
        level: depth,
        marker: ListMarker::shown_as(number, &label),
        has_words: level.text.chars().any(char::is_alphabetic),
        label,
    })
}

fn list(node: Node<'_, '_>) -> List {
    let mut list = List {
        design: node.val("abstractNumId").unwrap_or_default().to_owned(),
        starts: HashMap::new(),
        levels: HashMap::new(),
    };
    for own in node.elements().filter(|node| node.name() == "lvlOverride") {
        let Some(index) = own.attr("ilvl").and_then(|index| index.parse().ok()) else {
            continue;
        };
        if let Some(start) = own
            .val("startOverride")
            .and_then(|start| start.parse().ok())
        {
            list.starts.insert(index, start);
        }
        if let Some(level) = own.child("lvl").and_then(level) {
            list.levels.insert(index, level);
        }
    }
    list
}

fn level(node: Node<'_, '_>) -> Option<Level> {
    let index: usize = node.attr("ilvl")?.parse().ok()?;
    if index >= LEVELS {
        return None;
    }
    // A form that newer programs know is written beside one that all know.
    let form = node
        .val("numFmt")
        .or_else(|| node.below("numFmt")?.attr("val"));
    Some(Level {
        index,
        form: form.unwrap_or("decimal").to_owned(),
        start: node
            .val("start")
            .and_then(|start| start.parse().ok())
            .unwrap_or(1),
        text: node.val("lvlText").unwrap_or_default().to_owned(),
        restart: node.val("lvlRestart").and_then(|level| level.parse().ok()),
        style: node.val("pStyle").map(str::to_owned),
        legal: node.toggle("isLgl") == Some(true),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markers_are_as_the_document_shows_them() {
        let level = |index: usize, form: &str, text: &str| {
            format!(
                r#"<w:lvl w:ilvl="{index}"><w:start w:val="3"/><w:numFmt w:val="{form}"/><w:lvlText w:val="{text}"/></w:lvl>"#
            )
        };
        let levels = [
            level(0, "decimal", "%1)"),
            level(1, "lowerLetter", "%2)"),
            level(2, "upperRoman", "%1.%3"),
        ];
        let xml = format!(
            r#"<w:numbering xmlns:w="w"><w:abstractNum w:abstractNumId="0">{}</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>"#,
            levels.concat()
        );
        let tree = roxmltree::Document::parse(&xml).unwrap();
        let mut numbering = Numbering::of(tree.root_element());
        let markers =
            [0, 1, 1, 2].map(|level| numbering.next("1", Some(level), None).unwrap().marker);
        let label = |label: &str| ListMarker::Label(label.to_owned());
        assert_eq!(
            markers,
            [
                ListMarker::Number(3),
                label("c)"),
                label("d)"),
                label("3.III")
            ]
        );
    }
}
