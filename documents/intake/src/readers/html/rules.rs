//! The rules of style sheets that change what words say: raised, lowered, struck through, hidden.
//!
//! Only rules for a single class are read, as programs write them that export pages (`.sup`, `span.sup`). They are put behind the `style`
//! attributes of the elements that have the class, so that all else asks only for that attribute.

use std::collections::HashMap;

use html5ever::local_name;
use scraper::Html;

use super::dom::{Handle, attr, name, set};

/// The properties that change what words say.
const PROPERTIES: [&str; 10] = [
    "display",
    "visibility",
    "vertical-align",
    "text-decoration",
    "text-decoration-line",
    "position",
    "top",
    "font-size",
    "list-style",
    "list-style-type",
];

/// Characters of a value: longer ones belong to other properties.
const VALUE: usize = 40;

/// Rules that are read.
const RULES: usize = 20_000;

/// What a rule sets.
struct Rule {
    /// The element it is for; empty if it is for all.
    element: String,
    /// Such as `;display:none`.
    declarations: String,
}

/// The rules by their classes, with the place of each.
#[derive(Default)]
pub(super) struct Rules {
    classes: HashMap<String, Vec<(usize, Rule)>>,
    count: usize,
}

impl Rules {
    /// Adds the rules of a sheet, which count more than those that were added before.
    pub(super) fn add(&mut self, sheet: &str) {
        let sheet = without_comments(sheet);
        let mut rest = sheet.as_str();
        while let Some((before, after)) = rest.split_once('{') {
            let selectors = before.rsplit([';', '}']).next().unwrap_or(before).trim();
            if selectors.starts_with('@') {
                rest = after_block(after);
                continue;
            }
            let (body, next) = after.split_once('}').unwrap_or((after, ""));
            rest = next;
            let declarations = declarations(body);
            if declarations.is_empty() {
                continue;
            }
            for selector in selectors.split(',') {
                let Some((element, class)) = single_class(selector.trim()) else {
                    continue;
                };
                if self.count >= RULES {
                    return;
                }
                self.count += 1;
                let rule = Rule {
                    element: element.to_ascii_lowercase(),
                    declarations: declarations.clone(),
                };
                let rules = self.classes.entry(class.to_owned()).or_default();
                rules.push((self.count, rule));
            }
        }
    }

    /// Puts the rules at the elements that have their classes.
    pub(super) fn apply(&self, page: &mut Html) {
        if self.classes.is_empty() {
            return;
        }
        let nodes = page.tree.nodes();
        let styles = nodes.filter_map(|node| Some((node.id(), self.style(node)?)));
        for (id, style) in styles.collect::<Vec<_>>() {
            set(page, id, local_name!("style"), style);
        }
    }

    /// The `style` attribute of an element with the rules of its classes behind it.
    fn style(&self, node: Handle<'_>) -> Option<String> {
        let mut rules: Vec<&(usize, Rule)> = attr(node, "class")?
            .split_ascii_whitespace()
            .filter_map(|class| self.classes.get(class))
            .flatten()
            .filter(|(_, rule)| rule.element.is_empty() || rule.element == name(node))
            .collect();
        // The first declaration of a property is the one that counts, and in a sheet it is the last.
        rules.sort_unstable_by_key(|(place, _)| std::cmp::Reverse(*place));
        let own = attr(node, "style").unwrap_or_default();
        let said = rules.iter().map(|(_, rule)| rule.declarations.as_str());
        (!rules.is_empty()).then(|| std::iter::once(own).chain(said).collect())
    }
}

fn without_comments(sheet: &str) -> String {
    let mut bare = String::new();
    let mut rest = sheet;
    while let Some((before, after)) = rest.split_once("/*") {
        bare.push_str(before);
        rest = after.split_once("*/").map_or("", |(_, rest)| rest);
    }
    bare + rest
}

/// What comes after a block whose opening brace was read; blocks may be nested.
fn after_block(text: &str) -> &str {
    let mut depth = 1_usize;
    for (at, sign) in text.match_indices(['{', '}']) {
        depth = if sign == "{" { depth + 1 } else { depth - 1 };
        if depth == 0 {
            return &text[at + 1..];
        }
    }
    ""
}

/// `span.note` and `.note`.
fn single_class(selector: &str) -> Option<(&str, &str)> {
    let (element, class) = selector.split_once('.')?;
    let is_name = |name: &str| {
        let is_sign = |sign: char| sign.is_alphanumeric() || matches!(sign, '-' | '_');
        name.chars().all(is_sign)
    };
    (is_name(element) && is_name(class) && !class.is_empty()).then_some((element, class))
}

/// The declarations that change what words say, the last first.
fn declarations(body: &str) -> String {
    let mut said = String::new();
    for declaration in body.rsplit(';') {
        let Some((property, value)) = declaration.split_once(':') else {
            continue;
        };
        let property = property.trim().to_ascii_lowercase();
        if PROPERTIES.contains(&property.as_str()) && value.len() <= VALUE {
            said.push_str(&format!(";{property}:{}", value.trim()));
        }
    }
    said
}
