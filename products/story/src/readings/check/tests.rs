//! Each rule with what it finds and what it leaves alone, in both languages; what only looks like an error; and what holds for any book.

mod bible;
mod kinds;
mod large;
mod laws;
mod planning;
mod prose;
mod traps;

use std::collections::BTreeMap;
use std::sync::Arc;

use chrono::DateTime;
use palimpsest::prelude::resource::project::{
    Chapter, Character, Death, Description, Entry, Kept, Place, Project, Standing, What,
};

use super::{Finding, Report, Rule, Scope, check};
use crate::readings::book::{Book, ProseText};

/// A book in the making.
#[derive(Clone, Debug, Default)]
pub(in crate::readings) struct Draft {
    pub(in crate::readings) project: Project,
    prose: BTreeMap<palimpsest::prelude::pipeline::EntryId, ProseText>,
}

impl Draft {
    pub(in crate::readings) fn in_language(language: &str) -> Self {
        let project = Project {
            version: 1,
            description: Description {
                language: language.into(),
                ..Description::default()
            },
            ..Project::default()
        };
        Self {
            project,
            prose: BTreeMap::new(),
        }
    }

    pub(in crate::readings) fn with(mut self, id: &str, what: What) -> Self {
        let entry = Entry {
            id: id.into(),
            standing: Standing::Fact,
            pinned: false,
            what,
        };
        let kept = Kept {
            entry,
            version: 1,
            created: DateTime::UNIX_EPOCH,
            changed: DateTime::UNIX_EPOCH,
        };
        self.project.entries.insert(id.into(), kept);
        self
    }

    pub(in crate::readings) fn person(self, id: &str, character: Character) -> Self {
        let role = if character.role.is_empty() {
            "minor".to_owned()
        } else {
            character.role.clone()
        };
        self.with(id, What::Character(Character { role, ..character }))
    }

    pub(in crate::readings) fn named(self, id: &str, name: &str) -> Self {
        let name = name.to_owned();
        self.person(
            id,
            Character {
                name,
                ..Character::default()
            },
        )
    }

    pub(in crate::readings) fn place(self, id: &str, place: Place) -> Self {
        self.with(id, What::Place(place))
    }

    /// A chapter with its prose; its number is its order.
    pub(in crate::readings) fn chapter(self, number: u32, text: &str) -> Self {
        self.dated(number, None, text)
    }

    pub(in crate::readings) fn dated(
        mut self,
        number: u32,
        date: Option<&str>,
        text: &str,
    ) -> Self {
        let id = format!("c{number}");
        let prose = ProseText {
            version: 1,
            text: text.into(),
        };
        self.prose.insert(id.as_str().into(), prose);
        let chapter = Chapter {
            title: format!("No {number}"),
            order: number,
            date: date.map(str::to_owned),
            ..Chapter::default()
        };
        self.with(&id, What::Chapter(chapter))
    }

    pub(in crate::readings) fn book(&self) -> Book {
        Book::new(Arc::new(self.project.clone()), self.prose.clone())
    }

    fn report(&self) -> Report {
        check(&self.book(), &Scope::All)
    }

    #[track_caller]
    fn finds(&self, rule: Rule) -> Finding {
        let report = self.report();
        let found: Vec<_> = report
            .findings
            .iter()
            .filter(|it| it.rule == rule)
            .collect();
        let texts: Vec<_> = self.prose.values().map(|it| &it.text).collect();
        assert_eq!(
            found.len(),
            1,
            "{rule:?} in {texts:?}: {:#?}",
            report.findings
        );
        found[0].clone()
    }

    #[track_caller]
    fn finds_nothing(&self) {
        let found = self.report().findings;
        assert!(found.is_empty(), "{found:#?}");
    }
}

/// What a finding shows: the sentence, and what it contradicts.
fn shown(finding: &Finding) -> (String, String) {
    let said = finding.said.as_ref().map(|it| it.sentence.clone());
    let other = finding.contradicts.as_ref();
    let other = other.and_then(|it| {
        it.passage
            .as_ref()
            .map(|it| it.sentence.clone())
            .or_else(|| it.value.clone())
    });
    (said.unwrap_or_default(), other.unwrap_or_default())
}

/// 王五, who dies in the first chapter, and 林晚; Marcus, who dies in the first chapter, and Mara.
pub(in crate::readings) fn after_a_death(language: &str) -> Draft {
    let (dead, other, sentence) = if language == "zh" {
        ("王五", "林晚", "王五在雪地里断了气。")
    } else {
        ("Marcus", "Mara", "Marcus died in the snow.")
    };
    let death = Death {
        chapter: "c1".into(),
        sentence: sentence.into(),
    };
    let character = Character {
        name: dead.into(),
        death: Some(death),
        ..Character::default()
    };
    Draft::in_language(language)
        .person("dead", character)
        .named("other", other)
        .chapter(1, sentence)
}
