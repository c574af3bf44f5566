//! Compares how people look with the bible and with what was told earlier.

use std::collections::{BTreeMap, BTreeSet};

use palimpsest::prelude::pipeline::EntryId;
use palimpsest::prelude::resource::project::Character;

use super::finding::{Passage, Rule, Severity};
use super::time::is_past;
use super::{Desk, passage};
use crate::readings::book::Placed;
use crate::readings::names::Kind;
use crate::readings::told::Told;
use crate::readings::told::cues::Cues;
use crate::readings::told::persons::{Colour, Feature, Looks, looks};

/// How many sentences before a colour a disguise may be mentioned and still explain it.
const DISGUISED_SENTENCES: usize = 3;

#[derive(Debug)]
pub(super) struct Seen<'a> {
    people: BTreeMap<&'a EntryId, &'a Character>,
    /// What the text said first, for people of whom the bible does not say it.
    first: BTreeMap<(usize, Feature), (Colour, String, Passage)>,
    /// The people whose looks were changed in the story.
    changed: BTreeSet<usize>,
}

impl<'a> Seen<'a> {
    pub(super) fn new(desk: &Desk<'a>) -> Self {
        Self {
            people: desk
                .book
                .characters()
                .map(|(entry, it)| (&entry.id, it))
                .collect(),
            first: BTreeMap::new(),
            changed: BTreeSet::new(),
        }
    }

    pub(super) fn read(&mut self, desk: &mut Desk<'a>, chapter: &Placed<'a>, told: &Told<'a>) {
        let mut disguised: Option<usize> = None;
        for (index, sentence) in told.sentences.iter().enumerate() {
            if sentence.cues.any(Cues::DISGUISE) {
                disguised = Some(index);
                let people = told.named(sentence, Kind::Character).map(|(who, _)| who);
                let before = told.before(index).and_then(|it| told.only_person(it));
                self.changed.extend(people.chain(before));
            }
            if !sentence.cues.any(Cues::FEATURE)
                || disguised.is_some_and(|at| index - at <= DISGUISED_SENTENCES)
            {
                continue;
            }
            for it in looks(told, index) {
                if !self.changed.contains(&it.who) {
                    let here = passage(chapter, told, sentence);
                    self.compare(desk, &it, here, is_past(chapter, told));
                }
            }
        }
    }

    fn compare(&mut self, desk: &mut Desk<'a>, it: &Looks<'_>, here: Passage, is_past: bool) {
        let id = &desk.names.get(it.who).id;
        let name = desk.names.get(it.who).name.clone();
        let Some(character) = self.people.get(id) else {
            return;
        };
        let is_twin = character
            .twins
            .iter()
            .any(|twin| self.has(twin, it.feature, it.colour));
        if is_twin {
            return;
        }
        let part = it.feature.name(desk.chinese);
        if let Some((path, value, colour)) = in_bible(character, it.feature) {
            if colour == Some(it.colour) {
                return;
            }
            let wrong = [
                format!(
                    "{name}的{part}在设定里是“{value}”，正文写成“{}”。",
                    it.value
                ),
                format!(
                    "The {part} of {name} is “{value}” in the bible, and “{}” in the text.",
                    it.value
                ),
            ];
            let finding = desk.finding(Rule::Appearance, Severity::Warning, wrong, TODO);
            let finding = desk.named(finding, it.who).said(here);
            let path = format!("appearance.{path}");
            desk.put(
                finding
                    .against_field(id, &path, value)
                    .values(value, it.value),
            );
            return;
        }
        // A memory may describe somebody before their looks changed.
        if is_past {
            return;
        }
        let known = self
            .first
            .entry((it.who, it.feature))
            .or_insert_with(|| (it.colour, it.value.to_owned(), here.clone()));
        if known.0 == it.colour {
            return;
        }
        let wrong = [
            format!("{name}的{part}先写成“{}”，后写成“{}”。", known.1, it.value),
            format!(
                "The {part} of {name} was “{}” first, and is “{}” here.",
                known.1, it.value
            ),
        ];
        let finding = desk.finding(Rule::Appearance, Severity::Warning, wrong, TODO);
        let finding = desk
            .named(finding, it.who)
            .said(here)
            .against(known.2.clone());
        let finding = finding.field(&format!("appearance.{}", it.feature.name(false)));
        let (expected, actual) = (known.1.clone(), it.value);
        desk.put(finding.values(expected, actual));
    }

    fn has(&self, id: &EntryId, feature: Feature, colour: Colour) -> bool {
        let character = self.people.get(id);
        let value = character.and_then(|it| in_bible(it, feature));
        value.is_none_or(|(_, _, known)| known == Some(colour))
    }
}

const TODO: [&str; 2] = ["改正文，或改设定。", "Correct the text or the bible."];

/// What the bible says about a feature of somebody: the field, its value, and the colour, where the value is a colour.
fn in_bible(character: &Character, feature: Feature) -> Option<(&str, &str, Option<Colour>)> {
    let mut fields = character.appearance.iter();
    let (path, value) = fields
        .find(|(path, value)| Feature::of(path) == Some(feature) && Colour::of(value).is_some())?;
    Some((path, value, Colour::of(value)))
}
