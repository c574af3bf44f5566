//! The story in its order: when and where each chapter is set, who is in it, and which of its facts hold.

use palimpsest::prelude::pipeline::EntryId;
use palimpsest::prelude::resource::project::{Project, Says};
use schemars::JsonSchema;
use serde::Serialize;

use super::book::{Book, Placed};
use super::taken::{TakenFact, taken};

/// An entry by its id and what people call it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct EntryName {
    pub id: EntryId,
    /// The name; the id where the project does not have the entry.
    pub name: String,
}

impl EntryName {
    pub(super) fn of(project: &Project, id: &EntryId) -> Self {
        let entry = project.entry(id);
        Self {
            id: id.clone(),
            name: entry.map_or(id.as_str(), |it| it.what.name()).to_owned(),
        }
    }
}

/// A chapter on the line of time.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TimelineChapter {
    pub chapter_id: EntryId,
    /// Counted from 1.
    pub chapter_order: usize,
    pub title: String,
    /// Whether its prose is accepted.
    pub is_accepted: bool,
    /// The date in the project's calendar.
    pub date: Option<String>,
    pub place: Option<EntryName>,
    /// The characters who are planned to be in it, and those whom its facts mention.
    pub cast: Vec<EntryName>,
    /// What is planned to happen.
    pub key_events: Vec<String>,
    pub facts: Vec<TimelineFact>,
}

/// A fact that holds, with its sentence.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TimelineFact {
    pub id: String,
    pub says: Says,
    pub concerns: Vec<EntryName>,
    pub source_text: String,
    /// Characters of the chapter before the sentence.
    pub start: usize,
}

/// All chapters in reading order.
pub fn timeline(book: &Book) -> Vec<TimelineChapter> {
    let facts = taken(book.project());
    let chapters = book.chapters().into_iter();
    chapters
        .map(|placed| {
            let from = facts.partition_point(|fact| fact.number < placed.number);
            let until = facts.partition_point(|fact| fact.number <= placed.number);
            row(book.project(), &placed, &facts[from..until])
        })
        .collect()
}

fn row(project: &Project, placed: &Placed<'_>, facts: &[TakenFact<'_>]) -> TimelineChapter {
    let chapter = placed.chapter;
    let named = |id: &EntryId| EntryName::of(project, id);
    let mut cast: Vec<EntryName> = chapter.cast.iter().map(named).collect();
    let told = facts.iter().flat_map(|fact| present(&fact.fact.says));
    for name in chapter.point_of_view.iter().chain(told).map(named) {
        if !cast.contains(&name) {
            cast.push(name);
        }
    }
    let facts = facts.iter().map(|taken| TimelineFact {
        id: taken.fact.id.clone(),
        says: taken.fact.says.clone(),
        concerns: taken.fact.says.concerns().into_iter().map(named).collect(),
        source_text: taken.fact.quote.text.clone(),
        start: taken.fact.quote.start,
    });
    TimelineChapter {
        chapter_id: placed.id.clone(),
        chapter_order: placed.number,
        title: chapter.title.clone(),
        is_accepted: placed.is_accepted,
        date: chapter.date.clone(),
        place: chapter.place.as_ref().map(named),
        cast,
        key_events: chapter.key_events.clone(),
        facts: facts.collect(),
    }
}

/// The entries that are present when this fact happens. A fact about looks or age may be about somebody who is only remembered.
fn present(says: &Says) -> Vec<&EntryId> {
    match says {
        Says::Presence { character, .. } | Says::Death { character } => vec![character],
        Says::Happens { who, .. } => who.iter().collect(),
        Says::NewCharacter { .. }
        | Says::NewPlace { .. }
        | Says::Appearance { .. }
        | Says::Age { .. }
        | Says::Possession { .. }
        | Says::Lies { .. }
        | Says::Relation { .. }
        | Says::Touches { .. } => vec![],
    }
}

#[cfg(test)]
mod tests {
    use super::super::book_tests::sample;
    use super::*;

    #[test]
    fn a_chapter_has_its_day_its_place_its_cast_and_its_facts() {
        let rows = timeline(&sample());
        let second = &rows[1];
        assert_eq!(second.chapter_order, 2);
        assert_eq!(second.date.as_deref(), Some("1923-03-14"));
        assert_eq!(
            second.place.as_ref().map(|it| it.name.as_str()),
            Some("旧书店")
        );
        let cast: Vec<&str> = second.cast.iter().map(|it| it.name.as_str()).collect();
        assert_eq!(cast, ["林晚", "Aldous Finch"]);
        let said: Vec<&str> = second
            .facts
            .iter()
            .map(|it| it.source_text.as_str())
            .collect();
        assert_eq!(
            said,
            [
                "林晚走进旧书店。",
                "芬奇把铜钥匙交给了她。",
                "芬奇倒在柜台后面，再也没有醒来。"
            ]
        );
        assert_eq!(second.facts[1].concerns[0].name, "铜钥匙");
    }

    #[test]
    fn what_nobody_took_and_what_an_older_version_said_is_in_no_row() {
        let rows = timeline(&sample());
        let ids =
            |at: usize| -> Vec<&str> { rows[at].facts.iter().map(|it| it.id.as_str()).collect() };
        assert_eq!(ids(0), ["f1", "f2"], "f3 was refused");
        assert!(ids(2).is_empty(), "the third chapter is a draft");
        assert!(!rows[2].is_accepted);
    }
}
