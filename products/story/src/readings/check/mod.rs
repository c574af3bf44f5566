//! Finds contradictions in a project by rules: within the bible, between the prose and the bible, and between the prose and what it said
//! earlier. A rule that is not sure reports nothing: memories, dreams, letters, hearsay and quoted speech never count as contradictions.

mod ages;
mod bible;
mod days;
mod finding;
mod items;
mod kin;
mod looks;
mod loops;
mod measures;
mod people;
mod preflight;
mod references;
mod rules;
#[cfg(test)]
pub(in crate::readings) mod tests;
mod time;
mod ways;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use palimpsest::prelude::pipeline::EntryId;

use super::book::{Book, Placed, ProseText};
use super::names::{Names, can_be_found};
use super::told::{Sentence, Told, Unreadable};
use days::Days;
pub(crate) use finding::{Contradicted, Counts, NotChecked, Passage, Report, Severity, Waived};
pub use finding::{Finding, Rule};
pub(crate) use measures::Measures;
pub(crate) use preflight::{PlannedScene, preflight};

/// Which findings are wanted. The whole book is read for each of them, since later chapters are compared with earlier ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The findings of the bible and of all chapters.
    All,
    /// The findings that are proved by a sentence of these chapters.
    Chapters(BTreeSet<EntryId>),
    /// The findings that this text would have if it were the text of the chapter.
    Draft { chapter: EntryId, text: Arc<str> },
}

impl Scope {
    fn takes(&self, finding: &Finding) -> bool {
        let is_said_in = |wanted: &dyn Fn(&EntryId) -> bool| {
            let said = finding.said.as_ref();
            said.is_some_and(|said| wanted(&said.chapter))
        };
        match self {
            Self::All => true,
            Self::Chapters(ids) => is_said_in(&|id| ids.contains(id)),
            Self::Draft { chapter, .. } => is_said_in(&|id| id == chapter),
        }
    }
}

/// What is wrong in a book by rules.
pub fn check(book: &Book, scope: &Scope) -> Report {
    if let Scope::Draft { chapter, text } = scope {
        let prose = ProseText {
            version: u32::MAX,
            text: text.clone(),
        };
        return examine(&book.clone().with(chapter.clone(), prose), scope);
    }
    examine(book, scope)
}

fn examine(book: &Book, scope: &Scope) -> Report {
    let names = Names::of(book);
    let mut desk = Desk::new(book, &names);
    bible::check(&mut desk);
    references::check(&mut desk);
    loops::check(&mut desk);
    let mut rules = Rules::new(&desk);
    let mut measures = measures::Measuring::default();
    for chapter in desk.chapters.clone() {
        match Told::of(chapter.text, &names) {
            Ok(told) => {
                rules.read(&mut desk, &chapter, &told);
                measures.read(&chapter, &told);
            }
            Err(why) => unread(&mut desk, &chapter, why),
        }
    }
    rules.people.close(&mut desk);
    unseen(&mut desk);
    let measures = measures.close(&desk);
    desk.report(scope, measures)
}

/// Reports a chapter that cannot be read. The others are checked without it.
fn unread(desk: &mut Desk<'_>, chapter: &Placed<'_>, why: Unreadable) {
    let (number, title) = (chapter.number, &chapter.chapter.title);
    let [zh, en] = [true, false].map(|chinese| why.in_words(chinese));
    let wrong = [
        format!("第 {number} 章《{title}》无法检查：{zh}。"),
        format!("Chapter {number}, “{title}”, could not be checked: {en}."),
    ];
    let todo = ["把这一章分成两章。", "Divide the chapter into two."];
    let finding = desk.finding(Rule::UnreadChapter, Severity::Warning, wrong, todo);
    let finding = finding.about(chapter.id, "chapter", title);
    desk.put(finding.said(Passage::whole(chapter)));
}

/// Says what could not be looked at, and what is missing for it.
fn unseen(desk: &mut Desk<'_>) {
    let is_dated = |it: &Placed<'_>| {
        it.chapter
            .date
            .as_deref()
            .is_some_and(|date| !date.trim().is_empty())
    };
    if !desk.chapters.iter().any(is_dated) {
        desk.cannot("dates", "没有一章写了日期。", "No chapter has a date.");
    }
    if desk.book.places().all(|(_, place)| place.travel.is_empty()) {
        desk.cannot(
            "travel-time",
            "没有一处地点写了路程。",
            "No place says how long the way to another one takes.",
        );
    }
    if desk.chapters.iter().all(|it| it.text.is_empty()) {
        desk.cannot("prose", "还没有正文。", "Nothing is written yet.");
    }
    let people: Vec<_> = desk.book.characters().map(|(_, it)| it).collect();
    for character in people {
        let name = &character.name;
        let is_dead = ["dead", "deceased", "死亡", "已死", "去世"]
            .contains(&character.status.to_lowercase().trim());
        if is_dead && character.death.is_none() {
            desk.cannot(
                &format!("death: {name}"),
                "没有写明死于哪一章。",
                "It is not said in which chapter it happens.",
            );
        }
        if !name.trim().is_empty() && !can_be_found(name.trim()) {
            desk.cannot(
                &format!("name: {name}"),
                "单字的名字在正文里认不出来。",
                "A name of one character cannot be told from other words.",
            );
        }
    }
}

/// The rules that read prose, each with what it knows from the chapters before.
struct Rules<'a> {
    people: people::People<'a>,
    looks: looks::Seen<'a>,
    kin: kin::Family,
    ages: ages::Ages,
    time: time::Time,
    ways: ways::Ways<'a>,
    items: items::Holders<'a>,
    rules: rules::Laws<'a>,
}

impl<'a> Rules<'a> {
    fn new(desk: &Desk<'a>) -> Self {
        Self {
            people: people::People::new(desk),
            looks: looks::Seen::new(desk),
            kin: kin::Family::new(desk),
            ages: ages::Ages::new(desk),
            time: time::Time::default(),
            ways: ways::Ways::new(desk),
            items: items::Holders::new(desk),
            rules: rules::Laws::new(desk),
        }
    }

    fn read(&mut self, desk: &mut Desk<'a>, chapter: &Placed<'a>, told: &Told<'a>) {
        self.time.read(desk, chapter, told);
        if chapter.text.is_empty() {
            return;
        }
        references::read(desk, chapter, told);
        self.people.read(desk, chapter, told);
        self.looks.read(desk, chapter, told);
        self.kin.read(desk, chapter, told);
        self.ages.read(desk, chapter, told);
        self.ways.read(desk, chapter, told);
        self.items.read(desk, chapter, told);
        self.rules.read(desk, chapter, told);
    }
}

/// What every rule works with, and where it puts its findings.
struct Desk<'a> {
    book: &'a Book,
    names: &'a Names,
    chapters: Vec<Placed<'a>>,
    /// The number of each chapter, from 1.
    numbers: BTreeMap<&'a EntryId, usize>,
    days: Days,
    chinese: bool,
    found: Vec<Finding>,
    not_checked: Vec<NotChecked>,
}

impl<'a> Desk<'a> {
    fn new(book: &'a Book, names: &'a Names) -> Self {
        let chapters = book.chapters();
        let numbers = chapters.iter().map(|it| (it.id, it.number)).collect();
        let description = &book.project().description;
        Self {
            book,
            names,
            numbers,
            chapters,
            days: Days::of(description.calendar.as_ref()),
            chinese: is_chinese(book),
            found: vec![],
            not_checked: vec![],
        }
    }

    /// The text in the book's language.
    fn say(&self, chinese: impl FnOnce() -> String, english: impl FnOnce() -> String) -> String {
        if self.chinese { chinese() } else { english() }
    }

    /// A finding of a rule, with what is wrong and what can be done, both in Chinese and in English.
    fn finding(
        &self,
        rule: Rule,
        severity: Severity,
        wrong: [String; 2],
        todo: [&str; 2],
    ) -> Finding {
        let [chinese, english] = wrong;
        Finding {
            key: String::new(),
            rule,
            warning_type: rule.warning_type(),
            severity,
            description: self.say(|| chinese, || english),
            suggestion: todo[usize::from(!self.chinese)].to_owned(),
            said: None,
            contradicts: None,
            entity_id: None,
            entity_type: None,
            entity_name: None,
            related_entity_ids: vec![],
            field_path: None,
            expected_value: None,
            actual_value: None,
        }
    }

    fn number(&self, chapter: &EntryId) -> Option<usize> {
        self.numbers.get(chapter).copied()
    }

    /// The finding, with the entry to which the name with this number belongs.
    fn named(&self, finding: Finding, named: usize) -> Finding {
        let it = self.names.get(named);
        let kind = match it.kind {
            super::names::Kind::Character => "character",
            super::names::Kind::Place => "place",
            super::names::Kind::Item => "item",
        };
        finding.about(&it.id, kind, &it.name)
    }

    fn put(&mut self, finding: Finding) {
        self.found.push(finding);
    }

    fn cannot(&mut self, what: &str, chinese: &str, english: &str) {
        let why = if self.chinese { chinese } else { english };
        self.not_checked.push(NotChecked {
            what: what.to_owned(),
            why: why.to_owned(),
        });
    }

    fn report(mut self, scope: &Scope, measures: Measures) -> Report {
        for finding in &mut self.found {
            finding.key = finding.key_of();
        }
        self.found.retain(|finding| scope.takes(finding));
        let place = |it: &Finding| it.said.as_ref().map(|said| (said.number, said.start));
        self.found.sort_by(|a, b| {
            let worst = b.severity.cmp(&a.severity);
            worst.then_with(|| (place(a), a.rule, &a.key).cmp(&(place(b), b.rule, &b.key)))
        });
        let mut known = BTreeSet::new();
        self.found
            .retain(|finding| known.insert(finding.key.clone()));
        let mut report = Report {
            not_checked: self.not_checked,
            measures,
            ..Report::default()
        };
        for finding in self.found {
            let settled = self.book.project().settled.get(&finding.key);
            match settled.filter(|settled| settled.waived) {
                Some(settled) => report.waived.push(Waived {
                    finding,
                    reason: settled.reason.clone(),
                }),
                None => report.findings.push(finding),
            }
        }
        report.counts = counts(&report.findings);
        report
    }
}

impl Report {
    /// Leaves out the findings that are not asked for.
    pub fn retain(&mut self, keeps: impl FnMut(&Finding) -> bool) {
        self.findings.retain(keeps);
        self.counts = counts(&self.findings);
    }
}

fn counts(findings: &[Finding]) -> Counts {
    let of = |severity| findings.iter().filter(|it| it.severity == severity).count();
    Counts {
        total: findings.len(),
        error: of(Severity::Error),
        warning: of(Severity::Warning),
        info: of(Severity::Info),
    }
}

/// Whether findings about a book are written in Chinese; a book without a language counts as Chinese.
fn is_chinese(book: &Book) -> bool {
    book.is_chinese() || book.project().description.language.is_empty()
}

/// A sentence with its place in the book.
fn passage(chapter: &Placed<'_>, told: &Told<'_>, sentence: &Sentence) -> Passage {
    Passage {
        chapter: chapter.id.clone(),
        number: chapter.number,
        title: chapter.chapter.title.clone(),
        sentence: told.words(sentence).to_owned(),
        start: sentence.start,
    }
}
