//! References to something that does not exist: ids in the bible, and `[[x]]` and `@x` in prose and descriptions.

use crate::readings::slice;
use palimpsest::prelude::pipeline::EntryId;
use palimpsest::prelude::resource::project::{Entry, What};
use words::is_han;

use super::finding::{Rule, Severity};
use super::{Desk, passage};
use crate::readings::book::Placed;
use crate::readings::told::Told;

/// One reference of an entry.
struct Reference<'a> {
    path: &'static str,
    to: &'a EntryId,
    kind: &'static str,
    severity: Severity,
}

pub(super) fn check(desk: &mut Desk<'_>) {
    let entries = desk.book.project().entries.values();
    let facts = entries
        .map(|kept| &kept.entry)
        .filter(|entry| entry.standing.is_fact());
    for entry in facts {
        for reference in references(&entry.what) {
            follow(desk, entry, &reference);
        }
        let text = text_of(&entry.what);
        for name in named_in(text) {
            if !is_known(desk, name) {
                dangling(desk, entry, name);
            }
        }
    }
}

/// The references in a chapter's prose.
pub(super) fn read<'a>(desk: &mut Desk<'a>, chapter: &Placed<'a>, told: &Told<'a>) {
    if has_none(chapter.text) {
        return;
    }
    for sentence in &told.sentences {
        for name in named_in(told.words(sentence)) {
            if is_known(desk, name) {
                continue;
            }
            let wrong = [
                format!("正文引用了“{name}”，设定里没有。"),
                format!("The prose refers to “{name}”, which the bible does not have."),
            ];
            let todo = [
                "建立这个条目，或改正引用。",
                "Make the entry, or correct the reference.",
            ];
            let finding = desk.finding(Rule::BrokenReference, Severity::Warning, wrong, todo);
            let said = passage(chapter, told, sentence);
            let finding = finding.about(chapter.id, "chapter", &chapter.chapter.title);
            desk.put(finding.said(said).values("", name));
        }
    }
}

fn has_none(text: &str) -> bool {
    !text.contains('@') && !text.contains("[[")
}

fn dangling(desk: &mut Desk<'_>, entry: &Entry, name: &str) {
    let own = entry.what.name();
    let wrong = [
        format!("条目“{own}”引用了“{name}”，设定里没有。"),
        format!("The entry “{own}” refers to “{name}”, which the bible does not have."),
    ];
    let todo = [
        "建立这个条目，或改正引用。",
        "Make the entry, or correct the reference.",
    ];
    let finding = desk.finding(Rule::BrokenReference, Severity::Warning, wrong, todo);
    desk.put(
        finding
            .about(&entry.id, entry.what.kind(), own)
            .values("", name),
    );
}

fn follow(desk: &mut Desk<'_>, entry: &Entry, reference: &Reference<'_>) {
    let there = desk.book.project().entry(reference.to);
    if there.is_some_and(|there| there.what.kind() == reference.kind) {
        return;
    }
    let (to, path) = (reference.to, reference.path);
    let own = entry.what.name();
    let wrong = [
        format!(
            "条目“{own}”（{}）的 {path} 指向“{to}”，设定里没有这样的条目。",
            entry.id
        ),
        format!(
            "The field {path} of “{own}” ({}) refers to “{to}”, and there is no such {}.",
            entry.id,
            reference.kind.replace('_', " ")
        ),
    ];
    let todo = ["改正或清空这一项。", "Correct the field or empty it."];
    let finding = desk.finding(Rule::MissingEntry, reference.severity, wrong, todo);
    let finding = finding.about(&entry.id, entry.what.kind(), own).with(to);
    desk.put(finding.field(path).values(reference.kind, to.as_str()));
}

fn references(what: &What) -> Vec<Reference<'_>> {
    let warn = |path, to, kind| Reference {
        path,
        to,
        kind,
        severity: Severity::Warning,
    };
    let mut found = vec![];
    match what {
        What::Relationship(it) => {
            let ends = [("source", &it.source), ("target", &it.target)];
            found.extend(ends.map(|(path, to)| Reference {
                severity: Severity::Error,
                ..warn(path, to, "character")
            }));
            found.extend(it.since.iter().map(|to| warn("since", to, "chapter")));
            found.extend(it.until.iter().map(|to| warn("until", to, "chapter")));
        }
        What::Chapter(it) => {
            found.extend(it.volume.iter().map(|to| warn("volume", to, "volume")));
            found.extend(it.place.iter().map(|to| warn("place", to, "place")));
            let people = it.point_of_view.iter();
            found.extend(people.map(|to| warn("point_of_view", to, "character")));
            found.extend(it.cast.iter().map(|to| warn("cast", to, "character")));
        }
        What::Character(it) => {
            let death = it.death.iter().map(|death| &death.chapter);
            found.extend(death.map(|to| warn("death.chapter", to, "chapter")));
            for absence in &it.absences {
                found.push(warn("absences.from", &absence.from, "chapter"));
                let until = absence.until.iter();
                found.extend(until.map(|to| warn("absences.until", to, "chapter")));
            }
            let age = it.age.iter().filter_map(|age| age.chapter.as_ref());
            found.extend(age.map(|to| warn("age.chapter", to, "chapter")));
            found.extend(it.twins.iter().map(|to| warn("twins", to, "character")));
        }
        What::Item(it) => {
            found.extend(it.owner.iter().map(|to| warn("owner", to, "character")));
            found.extend(it.place.iter().map(|to| warn("place", to, "place")));
        }
        What::Place(it) => {
            found.extend(it.within.iter().map(|to| warn("within", to, "place")));
            let ways = it.travel.iter().map(|travel| &travel.to);
            found.extend(ways.map(|to| warn("travel.to", to, "place")));
        }
        What::PlotLoop(it) => {
            found.extend(it.intro.iter().map(|to| warn("intro", to, "chapter")));
            found.extend(it.due.iter().map(|to| warn("due", to, "chapter")));
            let end = it.resolution.iter();
            found.extend(end.map(|to| warn("resolution", to, "chapter")));
        }
        What::StyleSample(it) => {
            found.extend(it.chapter.iter().map(|to| warn("chapter", to, "chapter")));
        }
        What::Volume(_) | What::World(_) | What::Archetype(_) => {}
    }
    found
}

fn text_of(what: &What) -> &str {
    match what {
        What::World(it) => &it.content,
        What::Character(it) => &it.description,
        What::Item(it) => &it.description,
        What::Place(it) => &it.description,
        What::PlotLoop(it) => &it.description,
        What::Chapter(it) => &it.summary,
        What::Volume(it) => &it.summary,
        What::Relationship(it) => &it.description,
        What::Archetype(_) | What::StyleSample(_) => "",
    }
}

/// The references in a text. In Chinese, where no space ends a name after `@`, it goes up to the next punctuation mark.
fn named_in(text: &str) -> Vec<&str> {
    let mut found = vec![];
    let mut rest = text;
    while let Some((_, behind)) = rest.split_once("[[") {
        let Some((name, after)) = behind.split_once("]]") else {
            break;
        };
        let name = name.split('|').next().unwrap_or_default().trim();
        if !name.is_empty() && !name.contains('\n') {
            found.push(name);
        }
        rest = after;
    }
    for (at, _) in text.match_indices('@') {
        let ahead = slice(text, ..at).chars().next_back();
        // This is the middle of an e-mail address.
        if ahead.is_some_and(|c| c.is_ascii_alphanumeric() || ".-_@".contains(c)) {
            continue;
        }
        let behind = slice(text, at + 1..);
        let end = behind.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '-');
        let name = slice(behind, ..end.unwrap_or(behind.len()));
        if name.chars().next().is_some_and(char::is_alphabetic) {
            found.push(name);
        }
    }
    found
}

fn is_known(desk: &Desk<'_>, name: &str) -> bool {
    let is_id = desk.book.project().entry(&EntryId::from(name)).is_some();
    if is_id || desk.names.knows(name) {
        return true;
    }
    // @林晚走进来: a known name, followed by the rest of the sentence.
    name.starts_with(is_han) && desk.names.known().any(|known| name.starts_with(known))
}
