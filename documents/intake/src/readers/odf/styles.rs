//! Styles: the kind of a paragraph, or the formatting of words, follows from the name of the style and from its parents.

use std::collections::HashMap;

use roxmltree::Node;
use spec::source::TextMarks;

use crate::readers::office::is_monospaced;
use crate::readers::office::names::{is_code_name, kind_by_name};
use crate::readers::office::story::Kind;
use crate::xml::Element as _;

/// How many styles are followed from parent to parent; styles may be based on each other in a circle.
const MOST_PARENTS: usize = 20;

#[derive(Default)]
pub(super) struct Styles {
    /// By family and name.
    by_name: HashMap<(String, String), Style>,
    fonts: HashMap<String, String>,
}

#[derive(Default)]
struct Style {
    /// As a person sees it, in lower case.
    title: String,
    parent: Option<String>,
    outline: Option<u8>,
    list: Option<String>,
    marks: Marks,
    is_off: bool,
}

/// `None` where the style leaves it to its parent.
#[derive(Clone, Default)]
struct Marks {
    bold: Option<bool>,
    italic: Option<bool>,
    strike: Option<bool>,
    code: Option<bool>,
    /// Above 0 is raised, below is lowered.
    place: Option<i32>,
    hidden: Option<bool>,
}

/// The formatting of words with a style.
#[derive(Clone, Copy, Default)]
pub(super) struct Look {
    pub(super) marks: TextMarks,
    pub(super) is_hidden: bool,
}

impl Styles {
    pub(super) fn add(&mut self, part: Node<'_, '_>) {
        for node in part.elements() {
            match node.name() {
                "font-face" => {
                    let name = node.attr("name").unwrap_or_default();
                    let family = node.attr("font-family").unwrap_or(name);
                    self.fonts.insert(name.to_owned(), family.to_owned());
                }
                "style" => {
                    let family = node.attr("family").unwrap_or_default().to_owned();
                    let name = node.attr("name").unwrap_or_default().to_owned();
                    let style = self.style(node);
                    self.by_name.insert((family, name), style);
                }
                _ => {}
            }
        }
    }

    fn style(&self, node: Node<'_, '_>) -> Style {
        let name = node.attr("display-name").or_else(|| node.attr("name"));
        let outline = node.attr("default-outline-level");
        let is_off = node.elements().any(|properties| {
            properties.attr("visibility") == Some("hidden")
                || properties.attr("display") == Some("false")
        });
        Style {
            title: title(name.unwrap_or_default()),
            parent: node.attr("parent-style-name").map(str::to_owned),
            outline: outline.and_then(|level| level.parse().ok()),
            list: node.attr("list-style-name").map(str::to_owned),
            marks: node
                .child("text-properties")
                .map(|properties| self.marks(properties))
                .unwrap_or_default(),
            is_off,
        }
    }

    fn marks(&self, properties: Node<'_, '_>) -> Marks {
        let font = properties.attr("font-name").map(|name| {
            let family = self.fonts.get(name).map_or(name, String::as_str);
            is_monospaced(family.trim_matches('\'')) || is_monospaced(name)
        });
        let weight = properties.attr("font-weight");
        let strike = properties.attr("text-line-through-style");
        Marks {
            bold: weight.map(|weight| {
                weight == "bold" || weight.parse().is_ok_and(|weight: u32| weight >= 600)
            }),
            italic: properties
                .attr("font-style")
                .map(|style| matches!(style, "italic" | "oblique")),
            strike: strike.map(|style| style != "none"),
            code: font,
            place: properties.attr("text-position").map(place),
            hidden: properties.attr("display").map(|display| display == "none"),
        }
    }

    /// The kind of a paragraph with this style.
    pub(super) fn kind(&self, name: Option<&str>) -> Kind {
        for style in self.chain("paragraph", name) {
            let kind = match style.title.as_str() {
                "table" | "illustration" | "figure" | "drawing" => Kind::Caption,
                title => kind_by_name(title),
            };
            if kind != Kind::Body {
                return kind;
            }
        }
        let outline = self
            .chain("paragraph", name)
            .find_map(|style| style.outline);
        outline
            .filter(|level| *level > 0)
            .map_or(Kind::Body, Kind::Heading)
    }

    /// The list style that numbers paragraphs of the style.
    pub(super) fn list(&self, name: Option<&str>) -> Option<String> {
        let list = self
            .chain("paragraph", name)
            .find_map(|style| style.list.clone());
        list.filter(|list| !list.is_empty())
    }

    /// The formatting of words with a style. For paragraphs only automatic styles count, because these stand for direct formatting.
    pub(super) fn look(&self, family: &str, name: Option<&str>) -> Look {
        let mut marks = Marks::default();
        let of_text = family == "text";
        for style in self.chain(family, name) {
            let is_automatic = !of_text && !is_automatic(name);
            if is_automatic {
                break;
            }
            marks.fill(&style.marks);
            let is_code = of_text && (is_code_name(&style.title) || is_source_text(&style.title));
            marks.code = marks.code.or(is_code.then_some(true));
            if !of_text {
                break;
            }
        }
        marks.finish()
    }

    /// Whether slides or sheets of the style are hidden.
    pub(super) fn is_off(&self, family: &str, name: Option<&str>) -> bool {
        self.chain(family, name).any(|style| style.is_off)
    }

    fn chain<'s>(
        &'s self,
        family: &'s str,
        name: Option<&'s str>,
    ) -> impl Iterator<Item = &'s Style> {
        let mut next = name;
        std::iter::from_fn(move || {
            let key = (family.to_owned(), next?.to_owned());
            let style = self.by_name.get(&key)?;
            next = style.parent.as_deref();
            Some(style)
        })
        .take(MOST_PARENTS)
    }
}

impl Marks {
    fn fill(&mut self, parent: &Self) {
        self.bold = self.bold.or(parent.bold);
        self.italic = self.italic.or(parent.italic);
        self.strike = self.strike.or(parent.strike);
        self.code = self.code.or(parent.code);
        self.place = self.place.or(parent.place);
        self.hidden = self.hidden.or(parent.hidden);
    }

    fn finish(&self) -> Look {
        let on = |mark: Option<bool>| mark.unwrap_or(false);
        let place = self.place.unwrap_or(0);
        Look {
            marks: TextMarks {
                bold: on(self.bold),
                italic: on(self.italic),
                strike: on(self.strike),
                code: on(self.code),
                superscript: place > 0,
                subscript: place < 0,
                formula: false,
            },
            is_hidden: on(self.hidden),
        }
    }
}

/// Programs name the styles that stand for direct formatting by a letter and a number.
fn is_automatic(name: Option<&str>) -> bool {
    name.is_some_and(|name| {
        let rest = name.trim_start_matches(|sign: char| sign.is_ascii_alphabetic());
        rest.len() < name.len()
            && !rest.is_empty()
            && rest.chars().all(|sign| sign.is_ascii_digit())
    })
}

fn is_source_text(title: &str) -> bool {
    matches!(title, "source text" | "teletype" | "user entry")
}

/// Characters that are not allowed in a name are written by their code: `Heading_20_1`.
fn title(name: &str) -> String {
    name.replace("_20_", " ").to_lowercase()
}

/// `super 58%`, `sub 58%` or a percentage of its own.
fn place(position: &str) -> i32 {
    match position.split_whitespace().next() {
        Some("super") => 1,
        Some("sub") => -1,
        Some(percent) => percent.trim_end_matches('%').parse().unwrap_or(0),
        None => 0,
    }
}
