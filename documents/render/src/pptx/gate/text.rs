//! Texts on slides and in notes: what keeps them as they were measured, in every viewer.

use super::parts::Parts;
use super::tree::Element;
use super::{DefectList, Rule};

pub(super) fn check(parts: &Parts, found: &mut DefectList) {
    check_where(parts, false, found);
}

/// The same, but for texts that have their look from a placeholder.
pub(super) fn check_beside_placeholders(parts: &Parts, found: &mut DefectList) {
    check_where(parts, true, found);
}

/// What of a slide is looked at: all of it, or what is not in placeholders.
fn looked_at(tree: &Element, beside_placeholders: bool) -> impl Iterator<Item = &Element> {
    let mut waiting = vec![tree];
    std::iter::from_fn(move || {
        loop {
            let element = waiting.pop()?;
            let held = element.name == "p:sp" && element.all("p:ph").next().is_some();
            if beside_placeholders && held {
                continue;
            }
            waiting.extend(element.children.iter().rev());
            return Some(element);
        }
    })
}

fn check_where(parts: &Parts, beside_placeholders: bool, found: &mut DefectList) {
    for (name, tree) in parts.of_type(".slide+xml") {
        let all = looked_at(tree, beside_placeholders);
        for body in all.filter(|element| element.name == "a:bodyPr") {
            if body.attribute("wrap") != Some("square") {
                found.add(Rule::Text, name, "has a text that does not wrap in its box");
            }
            let fitted =
                |child: &Element| ["a:normAutofit", "a:spAutoFit"].contains(&child.name.as_str());
            if body.children.iter().any(fitted) {
                found.add(Rule::Text, name, "has a text that is fitted to its box");
            }
        }
    }
    for ending in [".slide+xml", ".notesSlide+xml"] {
        for (name, tree) in parts.of_type(ending) {
            let all = looked_at(tree, beside_placeholders);
            for run in all.filter(|e| e.name == "a:r" || e.name == "a:fld") {
                if !complete(run) {
                    let says = "has a run without language, Latin font or East Asian font";
                    found.add(Rule::Text, name, says);
                }
            }
        }
    }
    for (name, tree) in &parts.trees {
        let texts = tree.walk().filter(|e| e.name == "a:t" || e.name == "c:v");
        for text in texts {
            // Where a paragraph's mark is words, a tab stands behind it.
            if text.text.chars().any(|c| c.is_control() && c != '\t') {
                found.add(
                    Rule::ControlCharacter,
                    name,
                    "has a control character in a text",
                );
            }
        }
    }
}

fn complete(run: &Element) -> bool {
    let Some(properties) = run.child("a:rPr") else {
        return false;
    };
    properties
        .attribute("lang")
        .is_some_and(|lang| !lang.is_empty())
        && properties.child("a:latin").is_some()
        && properties.child("a:ea").is_some()
        && run.child("a:t").is_some()
}
