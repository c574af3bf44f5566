//! The facts that hold in the story: those that somebody took, from versions that are accepted.

use std::collections::BTreeMap;

use palimpsest::prelude::pipeline::EntryId;
use palimpsest::prelude::resource::project::{Fact, Judged, Project};

/// A fact with the place of its chapter in the book.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct TakenFact<'a> {
    pub(super) fact: &'a Fact,
    pub(super) chapter: &'a EntryId,
    /// The number of the chapter, counted from 1.
    pub(super) number: usize,
}

/// The facts that hold, in reading order. A fact that was found in a version that is no longer the accepted one does not hold, nor does a
/// fact that nobody took.
pub(super) fn taken(project: &Project) -> Vec<TakenFact<'_>> {
    let numbers = numbers(project);
    let held = project.facts.values().filter(|learned| {
        let prose = project.prose.get(&learned.chapter);
        let accepted = prose.and_then(|prose| prose.accepted);
        accepted == Some(learned.version) && learned.judged == Judged::Taken
    });
    let placed = held.filter_map(|learned| {
        let number = *numbers.get(&learned.chapter)?;
        Some(TakenFact {
            fact: &learned.fact,
            chapter: &learned.chapter,
            number,
        })
    });
    let mut found: Vec<_> = placed.collect();
    found.sort_by_key(|it| (it.number, it.fact.quote.start, &it.fact.id));
    found
}

/// The numbers of all chapters by their ids: looking up each chapter in the list would be slow in a long series.
pub(super) fn numbers(project: &Project) -> BTreeMap<&EntryId, usize> {
    let chapters = project.chapters().into_iter().zip(1..);
    chapters.map(|((id, _), number)| (id, number)).collect()
}
