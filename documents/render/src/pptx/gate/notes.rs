//! Notes: where PowerPoint's repairs of other writers' files mostly came from.

use super::parts::Parts;
use super::{DefectList, Rule};

pub(super) fn check(parts: &Parts, found: &mut DefectList) {
    for (name, _) in parts.of_type(".notesSlide+xml") {
        let slides: Vec<&str> = parts.targets(name, "slide").collect();
        if parts.targets(name, "notesMaster").count() != 1 {
            found.add(Rule::Notes, name, "is not related to one notes master");
        }
        let back = |slide: &&str| {
            parts
                .targets(slide, "notesSlide")
                .any(|notes| notes == name)
        };
        if slides.len() != 1 || !slides.iter().all(back) {
            found.add(
                Rule::Notes,
                name,
                "is not related to one slide that is related to it",
            );
        }
    }
    for (name, _) in parts.of_type(".slide+xml") {
        if parts.targets(name, "notesSlide").count() > 1 {
            found.add(Rule::Notes, name, "has more than one page of notes");
        }
    }
    let masters = parts.of_type(".notesMaster+xml").count();
    let notes = parts.of_type(".notesSlide+xml").count();
    for (name, _) in parts.of_type(".notesMaster+xml") {
        if parts.targets(name, "theme").count() != 1 {
            found.add(Rule::Notes, name, "has no theme of its own");
        }
    }
    for (name, tree) in parts.of_type("presentation.main+xml") {
        let listed = tree.all("p:notesMasterId").count();
        if listed != masters || masters > 1 || (notes > 0 && masters == 0) {
            found.add(
                Rule::Notes,
                name,
                "does not list the one notes master of the file",
            );
        }
    }
}
