//! Lists and the numbers of headings, counted as `OpenDocument` says.

use std::collections::HashMap;

use roxmltree::Node;
use spec::source::ListMarker;

use crate::readers::office::numerals::numeral;
use crate::xml::Element as _;

pub(super) const LEVELS: usize = 10;

/// The name under which the numbering of headings is kept among the list styles.
const OUTLINE: &str = "\u{0}outline";

#[derive(Default)]
pub(super) struct Lists {
    designs: HashMap<String, Vec<Level>>,
    /// The counters of lists that have ended, by their id and by their style, for lists that continue them.
    ended: HashMap<String, Counters>,
    ended_by_style: HashMap<String, Counters>,
    headings: Counters,
}

pub(super) type Counters = [Option<u64>; LEVELS];

#[derive(Clone)]
struct Level {
    index: usize,
    is_number: bool,
    /// Such as `1`, `a` or `I`; empty for a level that shows no number.
    form: String,
    before: String,
    after: String,
    start: u64,
    /// How many levels a number shows.
    shows: usize,
}

/// A list that is open, with those within it.
pub(super) struct OpenList {
    pub(super) style: Option<String>,
    pub(super) id: Option<String>,
    pub(super) counters: Counters,
}

/// What stands before an item.
pub(super) struct Number {
    /// `None` for an item that shows no marker.
    pub(super) marker: Option<ListMarker>,
    pub(super) label: String,
    pub(super) has_words: bool,
}

impl Lists {
    pub(super) fn add_designs(&mut self, part: Node<'_, '_>) {
        for node in part.elements() {
            let name = match node.name() {
                "list-style" => node.attr("name").unwrap_or_default(),
                "outline-style" => OUTLINE,
                _ => continue,
            };
            let levels = node.elements().filter_map(level).collect();
            self.designs.insert(name.to_owned(), levels);
        }
    }

    /// Begins an outermost list.
    pub(super) fn begin(&self, node: Node<'_, '_>, style: Option<&str>) -> OpenList {
        let style = node.attr("style-name").or(style);
        let of_other = node.attr("continue-list").and_then(|id| self.ended.get(id));
        let goes_on = node.attr("continue-numbering") == Some("true");
        let of_style = || {
            style
                .filter(|_| goes_on)
                .and_then(|style| self.ended_by_style.get(style))
        };
        OpenList {
            style: style.map(str::to_owned),
            id: node.attr("id").map(str::to_owned),
            counters: of_other.or_else(of_style).copied().unwrap_or_default(),
        }
    }

    pub(super) fn end(&mut self, list: OpenList) {
        if let Some(id) = list.id {
            self.ended.insert(id, list.counters);
        }
        if let Some(style) = list.style {
            self.ended_by_style.insert(style, list.counters);
        }
    }

    /// Counts an item.
    pub(super) fn next(
        &self,
        style: Option<&str>,
        level: usize,
        start: Option<u64>,
        counters: &mut Counters,
    ) -> Number {
        let levels = style.and_then(|style| self.designs.get(style));
        let Some(this) = levels.and_then(|levels| of_index(levels, level)) else {
            // A list without a style has bullets.
            return Number {
                marker: Some(ListMarker::Bullet),
                label: String::new(),
                has_words: false,
            };
        };
        count(levels.map_or(&[], Vec::as_slice), this, start, counters)
    }

    /// Counts a heading; its label is empty where headings have no numbers.
    pub(super) fn heading(&mut self, node: Node<'_, '_>, level: u8) -> String {
        let levels = self.designs.get(OUTLINE).map_or(&[][..], Vec::as_slice);
        let index = usize::from(level.saturating_sub(1)).min(LEVELS - 1);
        let is_unnumbered = node.attr("is-list-header") == Some("true");
        let start = node
            .attr("start-value")
            .and_then(|start| start.parse().ok());
        match of_index(levels, index) {
            Some(this) if !is_unnumbered => count(levels, this, start, &mut self.headings).label,
            Some(_) | None => String::new(),
        }
    }
}

fn of_index(levels: &[Level], index: usize) -> Option<&Level> {
    levels.iter().find(|level| level.index == index)
}

fn count(levels: &[Level], this: &Level, start: Option<u64>, counters: &mut Counters) -> Number {
    let index = this.index;
    let next = counters[index].map_or(this.start, |last| last.saturating_add(1));
    let number = start.unwrap_or(next);
    counters[index] = Some(number);
    for below in &mut counters[index + 1..] {
        *below = None;
    }
    if !this.is_number {
        return Number {
            marker: Some(ListMarker::Bullet),
            label: String::new(),
            has_words: false,
        };
    }
    if this.form.is_empty() {
        let label = format!("{}{}", this.before, this.after);
        return Number {
            marker: None,
            label: label.trim().to_owned(),
            has_words: false,
        };
    }
    let first = (index + 1).saturating_sub(this.shows);
    let numbers: Vec<String> = (first..=index)
        .filter_map(|shown| {
            let level = of_index(levels, shown)?;
            let number = counters[shown].unwrap_or(level.start);
            (!level.form.is_empty()).then(|| numeral(&level.form, number))
        })
        .collect();
    let label = format!("{}{}{}", this.before, numbers.join("."), this.after);
    let around = this.before.chars().chain(this.after.chars());
    Number {
        marker: Some(ListMarker::shown_as(number, &label)),
        label: label.trim().to_owned(),
        has_words: around.clone().any(char::is_alphabetic),
    }
}

fn level(node: Node<'_, '_>) -> Option<Level> {
    let level: usize = node.attr("level")?.parse().ok()?;
    let index = level.checked_sub(1).filter(|index| *index < LEVELS)?;
    let said = |name| node.attr(name).unwrap_or_default().to_owned();
    // Newer files write the whole label, `第%1%条`; older ones write the texts before and after the number.
    let (before, after) = match node.attr("num-list-format") {
        Some(format) => around_number(format),
        None => (said("num-prefix"), said("num-suffix")),
    };
    Some(Level {
        index,
        is_number: !matches!(
            node.name(),
            "list-level-style-bullet" | "list-level-style-image"
        ),
        form: said("num-format"),
        before,
        after,
        start: node
            .attr("start-value")
            .and_then(|start| start.parse().ok())
            .unwrap_or(1),
        shows: node
            .attr("display-levels")
            .and_then(|levels| levels.parse().ok())
            .unwrap_or(1),
    })
}

/// The text before the first and after the last number of `(%1%.%2%)`.
fn around_number(format: &str) -> (String, String) {
    match (format.find('%'), format.rfind('%')) {
        (Some(first), Some(last)) if first < last => {
            (format[..first].to_owned(), format[last + 1..].to_owned())
        }
        (Some(_) | None, _) => (format.to_owned(), String::new()),
    }
}
