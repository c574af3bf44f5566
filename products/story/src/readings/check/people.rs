//! Checks who acts in a chapter: nobody who is dead or absent may act, and nobody whom the bible does not know.

use std::collections::{BTreeMap, BTreeSet};

use crate::readings::slice;
use palimpsest::prelude::pipeline::EntryId;
use palimpsest::prelude::resource::project::{Absence, Character, Death};
use words::is_han;

use super::finding::{Finding, Passage, Rule, Severity};
use super::time::is_past;
use super::{Desk, passage};
use crate::readings::book::Placed;
use crate::readings::names::Kind;
use crate::readings::told::acts::acts;
use crate::readings::told::cues::Cues;
use crate::readings::told::persons::{
    Stranger, capitalised, deaths, is_near, nicknames, strangers,
};
use crate::readings::told::{Told, contains};

/// Traits with which somebody can still act when dead.
const UNDEAD: &str = "鬼|亡灵|魂|不死|僵尸|ghost|undead|spirit|vampire|revenant|immortal|zombie";

/// How often a name may occur and still count as a misspelling.
const MISSPELT_MAX: usize = 2;

#[derive(Debug)]
pub(super) struct People<'a> {
    dead: BTreeMap<usize, &'a Death>,
    away: BTreeMap<usize, &'a [Absence]>,
    twins: BTreeMap<usize, BTreeSet<usize>>,
    /// The people who die according to the text but not according to the bible.
    died: BTreeMap<usize, Passage>,
    strangers: BTreeMap<&'a str, (usize, Passage)>,
    /// Words with a capital letter that the bible does not have.
    words: BTreeMap<&'a str, (usize, Passage)>,
    nicknames: BTreeSet<&'a str>,
}

impl<'a> People<'a> {
    pub(super) fn new(desk: &Desk<'a>) -> Self {
        let people: BTreeMap<&EntryId, &Character> = desk
            .book
            .characters()
            .map(|(entry, it)| (&entry.id, it))
            .collect();
        let by_id: BTreeMap<&EntryId, usize> = desk
            .names
            .iter()
            .enumerate()
            .map(|(index, it)| (&it.id, index))
            .collect();
        let mut made = Self {
            dead: BTreeMap::new(),
            away: BTreeMap::new(),
            twins: BTreeMap::new(),
            died: BTreeMap::new(),
            strangers: BTreeMap::new(),
            words: BTreeMap::new(),
            nicknames: BTreeSet::new(),
        };
        for (index, named) in desk
            .names
            .iter()
            .enumerate()
            .filter(|(_, it)| it.kind == Kind::Character && it.is_fact)
        {
            let Some(character) = people.get(&named.id) else {
                continue;
            };
            let is_undead = character.traits.iter().any(|it| contains(it, UNDEAD));
            if let Some(death) = character.death.as_ref().filter(|_| !is_undead) {
                made.dead.insert(index, death);
            }
            made.away.insert(index, &character.absences);
            let twins = character
                .twins
                .iter()
                .filter_map(|id| by_id.get(id).copied());
            made.twins.insert(index, twins.collect());
        }
        made
    }

    pub(super) fn read(&mut self, desk: &mut Desk<'a>, chapter: &Placed<'a>, told: &Told<'a>) {
        self.nicknames.extend(nicknames(told));
        self.meet_strangers(desk, chapter, told);
        if is_past(chapter, told) {
            return;
        }
        let mut reported = BTreeSet::new();
        for sentence in &told.sentences {
            if sentence.cues.any(Cues::ALIVE) {
                for (who, _) in told.named(sentence, Kind::Character) {
                    self.died.remove(&who);
                }
            }
            for (who, mention) in told.named(sentence, Kind::Character) {
                if reported.contains(&who) || !acts(told, sentence, mention) {
                    continue;
                }
                let is_twin_near = told
                    .named(sentence, Kind::Character)
                    .any(|(other, _)| self.twins.get(&who).is_some_and(|all| all.contains(&other)));
                if is_twin_near {
                    continue;
                }
                let here = passage(chapter, told, sentence);
                if let Some(finding) = self.against(desk, chapter, told, who, here) {
                    desk.put(finding);
                    reported.insert(who);
                }
            }
            for who in deaths(told, sentence) {
                if !self.dead.contains_key(&who) {
                    self.died
                        .entry(who)
                        .or_insert_with(|| passage(chapter, told, sentence));
                }
            }
        }
    }

    /// The reason why somebody cannot act here, if there is one.
    fn against(
        &self,
        desk: &Desk<'a>,
        chapter: &Placed<'a>,
        told: &Told<'a>,
        who: usize,
        here: Passage,
    ) -> Option<Finding> {
        let named = desk.names.get(who);
        let name = &named.name;
        if let Some(death) = self.dead.get(&who) {
            let at = desk.number(&death.chapter)?;
            if !is_after_death(desk, chapter, told, death, at, here.start) {
                return None;
            }
            let finding = dead(desk, name, at, Severity::Error);
            let finding = desk.named(finding, who).said(here).with(&death.chapter);
            let there = desk.chapters.get(at - 1)?;
            let start = there
                .text
                .find(&death.sentence)
                .filter(|_| !death.sentence.is_empty());
            let passage = Passage {
                chapter: death.chapter.clone(),
                number: at,
                title: there.chapter.title.clone(),
                sentence: death.sentence.clone(),
                start: start.map_or(0, |start| slice(there.text, ..start).chars().count()),
            };
            return Some(finding.against(passage).against_field(
                &named.id,
                "death",
                death.chapter.as_str(),
            ));
        }
        if let Some(passage) = self.died.get(&who) {
            let finding = dead(desk, name, passage.number, Severity::Warning);
            let finding = desk.named(finding, who).said(here);
            return Some(finding.against(passage.clone()).field("death"));
        }
        let away = self
            .away
            .get(&who)?
            .iter()
            .find(|absence| is_during(desk, absence, chapter.number))?;
        let reason = if away.reason.is_empty() {
            String::new()
        } else {
            format!(" ({})", away.reason)
        };
        let wrong = [
            format!("{name}此时不在场{reason}，却有言行。"),
            format!("{name} is away at this time{reason} and acts all the same."),
        ];
        let todo = [
            "改由别人来做，或改缺席的章节。",
            "Let somebody else do it, or correct the absence.",
        ];
        let finding = desk.finding(Rule::AbsentActs, Severity::Warning, wrong, todo);
        let finding = desk.named(finding, who).said(here).with(&away.from);
        Some(finding.against_field(&named.id, "absences", &away.reason))
    }

    fn meet_strangers(&mut self, desk: &Desk<'a>, chapter: &Placed<'a>, told: &Told<'a>) {
        for Stranger { name, sentence } in strangers(told, desk.names, &[]) {
            let here = || passage(chapter, told, &told.sentences[sentence]);
            self.strangers.entry(name).or_insert_with(|| (0, here())).0 += 1;
        }
        for Stranger { name, sentence } in capitalised(told) {
            if !desk.names.knows(name) {
                let here = || passage(chapter, told, &told.sentences[sentence]);
                self.words.entry(name).or_insert_with(|| (0, here())).0 += 1;
            }
        }
    }

    /// Reports the unknown names, once the whole book has been read: a nickname may be explained later.
    pub(super) fn close(&mut self, desk: &mut Desk<'a>) {
        let people = desk
            .names
            .iter()
            .enumerate()
            .filter(|(_, it)| it.kind == Kind::Character);
        let mut known: Vec<(usize, &str)> = vec![];
        for (index, it) in people {
            known.push((index, &it.name));
            known.extend(
                it.name
                    .split_whitespace()
                    .filter(|word| *word != it.name)
                    .map(|word| (index, word)),
            );
        }
        let near = |name: &str| {
            known
                .iter()
                .find(|(_, known)| is_near(name, known))
                .copied()
        };
        let strangers = std::mem::take(&mut self.strangers);
        for (name, (times, here)) in &strangers {
            if self
                .nicknames
                .iter()
                .any(|nick| nick.starts_with(name) || name.starts_with(nick))
            {
                continue;
            }
            let misspelt = near(name).filter(|(_, known)| {
                let is_long = !name.starts_with(is_han) || known.chars().count() > 2;
                is_long && *times <= MISSPELT_MAX
            });
            match misspelt {
                Some((who, known)) => one_off(desk, name, who, known, here),
                None => unknown(desk, name, here),
            }
        }
        for (name, (times, here)) in &self.words {
            let is_told = strangers.contains_key(name) || self.nicknames.contains(name);
            if let Some((who, known)) = near(name).filter(|_| *times <= MISSPELT_MAX && !is_told) {
                one_off(desk, name, who, known, here);
            }
        }
    }
}

fn dead(desk: &Desk<'_>, name: &str, at: usize, severity: Severity) -> Finding {
    let wrong = [
        format!("{name}已在第 {at} 章死去，这里却有言行。"),
        format!("{name} died in chapter {at} and acts here all the same."),
    ];
    let todo = [
        "改由别人来做，写明是回忆或梦，或改死亡的章节。",
        "Let somebody else do it, tell it as a memory or dream, or move the death.",
    ];
    desk.finding(Rule::DeadActs, severity, wrong, todo)
}

fn is_after_death(
    desk: &Desk<'_>,
    chapter: &Placed<'_>,
    told: &Told<'_>,
    death: &Death,
    at: usize,
    start: usize,
) -> bool {
    if chapter.number != at {
        let date = |chapter: &Placed<'_>| {
            desk.days
                .parse(chapter.chapter.date.as_deref()?)
                .map(|when| desk.days.range(when))
        };
        let there = desk.chapters.get(at - 1).and_then(date);
        let is_earlier = date(chapter)
            .zip(there)
            .is_some_and(|(here, there)| here.1 < there.0);
        return chapter.number > at && !is_earlier;
    }
    let sentence = death.sentence.trim();
    let found = told.text.find(sentence).filter(|_| !sentence.is_empty());
    found.is_some_and(|found| start > slice(told.text, ..found).chars().count())
}

fn is_during(desk: &Desk<'_>, absence: &Absence, number: usize) -> bool {
    let from = desk.number(&absence.from);
    let until = absence
        .until
        .as_ref()
        .map_or(Some(usize::MAX), |id| desk.number(id));
    from.zip(until)
        .is_some_and(|(from, until)| (from..=until).contains(&number))
}

fn one_off(desk: &mut Desk<'_>, name: &str, who: usize, known: &str, here: &Passage) {
    let wrong = [
        format!("“{name}”与设定里的“{known}”只差一个字。"),
        format!("“{name}” is one letter away from “{known}” of the bible."),
    ];
    let todo = [
        "改成设定里的名字；若是另一个人，请建立角色。",
        "Write the name of the bible; if it is somebody else, make the character.",
    ];
    let finding = desk.finding(Rule::NameOffByOne, Severity::Warning, wrong, todo);
    let finding = desk.named(finding, who).said(here.clone());
    let id = desk.names.get(who).id.clone();
    desk.put(
        finding
            .against_field(&id, "name", known)
            .values(known, name),
    );
}

fn unknown(desk: &mut Desk<'_>, name: &str, here: &Passage) {
    let wrong = [
        format!("设定里没有“{name}”。"),
        format!("The bible does not know “{name}”."),
    ];
    let todo = [
        "建立角色，或给已有角色加上这个别名。",
        "Make the character, or give the name to one as an alias.",
    ];
    let finding = desk.finding(Rule::UnknownName, Severity::Info, wrong, todo);
    desk.put(finding.said(here.clone()).values("", name));
}
