//! Texts on slides and in notes: what keeps them as they were measured, in every viewer.

use super::parts::Parts;
use super::tree::Element;
use super::{DefectList, Rule};

pub(super) fn check(parts: &Parts, found: &mut DefectList) {
    for (name, tree) in parts.of_type(".slide+xml") {
        for body in tree.all("a:bodyPr") {
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
            for run in tree.walk().filter(|e| e.name == "a:r" || e.name == "a:fld") {
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
