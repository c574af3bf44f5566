//! Which facts of a chapter would no longer be stated if its text changed, and which later chapters speak of them.

use std::collections::BTreeSet;

use palimpsest::prelude::pipeline::EntryId;
use palimpsest::prelude::resource::project::{Fact, Judged, Quote, Says};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{facts, facts_of};
use crate::readings::book::{Book, Placed};
use crate::readings::names::Names;
use crate::readings::told::persons::Feature;
use crate::readings::told::{Told, contains};

/// What happens to a fact.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum FactChange {
    /// The new text does not say it.
    Gone,
    /// The new text says something different about the same thing.
    Becomes { fact: Fact },
}

/// A sentence of a later chapter that speaks of a fact.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct LaterMention {
    pub chapter: EntryId,
    /// Counted from 1 through all volumes.
    pub number: usize,
    pub title: String,
    pub quote: Quote,
}

/// A fact that a new text of its chapter takes away or changes, with the later chapters that depend on it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Leaning {
    pub fact: Fact,
    pub change: FactChange,
    /// The first sentence of each later chapter that speaks of it, in the order of the chapters.
    pub spoken_of: Vec<LaterMention>,
}

/// Which facts of a chapter would disappear or change if this were its text. The facts are the known facts of the chapter that nobody has
/// refused; where none is known, those that rules find in its prose. A text that cannot be read cannot become that of a chapter, so that
/// nothing is said about it.
pub(crate) fn leans(book: &Book, chapter: &EntryId, text: &str) -> Vec<Leaning> {
    let chapters = book.chapters();
    let Some(number) = chapters
        .iter()
        .find(|it| it.id == chapter)
        .map(|it| it.number)
    else {
        return vec![];
    };
    let learned = book.project().facts.values();
    let learned = learned.filter(|it| it.chapter == *chapter && it.judged != Judged::Refused);
    let mut before: Vec<(Fact, bool)> = learned
        .map(|it| (it.fact.clone(), it.by == BY_RULES))
        .collect();
    if before.is_empty() {
        let read = facts(book, chapter).into_iter().flatten();
        before = read.map(|fact| (fact, true)).collect();
    }
    before.sort_by_key(|(fact, _)| fact.quote.start);
    let names = Names::of(book);
    let Ok(told) = Told::of(text, &names) else {
        return vec![];
    };
    let after = facts_of(book, chapter, &names, &told);
    let said: BTreeSet<&Says> = after.iter().map(|fact| &fact.says).collect();
    let mut found = vec![];
    for (fact, is_by_rules) in before {
        // Rules may not find a fact that a model read, so such a fact stays as long as its sentence does.
        let stands = !is_by_rules && !fact.quote.text.is_empty() && text.contains(&fact.quote.text);
        if stands || said.contains(&fact.says) {
            continue;
        }
        let other = after.iter().find(|it| is_of_the_same(&it.says, &fact.says));
        let change = other.map_or(FactChange::Gone, |other| FactChange::Becomes {
            fact: other.clone(),
        });
        found.push(Leaning {
            fact,
            change,
            spoken_of: vec![],
        });
    }
    if found.is_empty() {
        return found;
    }
    for later in chapters
        .iter()
        .filter(|it| it.number > number && !it.text.is_empty())
    {
        let Ok(told) = Told::of(later.text, &names) else {
            continue;
        };
        for leaning in &mut found {
            leaning
                .spoken_of
                .extend(spoken_of(book, &names, later, &told, &leaning.fact.says));
        }
    }
    found
}

/// Whether two facts answer the same question, even if the answers differ.
fn is_of_the_same(one: &Says, other: &Says) -> bool {
    match (one, other) {
        (
            Says::Appearance {
                character, feature, ..
            },
            Says::Appearance {
                character: other,
                feature: other_feature,
                ..
            },
        ) => character == other && Feature::of(feature) == Feature::of(other_feature),
        (
            Says::Age { character, .. },
            Says::Age {
                character: other, ..
            },
        )
        | (
            Says::Presence { character, .. },
            Says::Presence {
                character: other, ..
            },
        ) => character == other,
        (Says::Possession { item, .. }, Says::Possession { item: other, .. })
        | (Says::Lies { item, .. }, Says::Lies { item: other, .. })
        | (Says::Possession { item, .. }, Says::Lies { item: other, .. })
        | (Says::Lies { item, .. }, Says::Possession { item: other, .. }) => item == other,
        (
            Says::Relation { source, target, .. },
            Says::Relation {
                source: from,
                target: to,
                ..
            },
        ) => source == from && target == to,
        _ => false,
    }
}

fn spoken_of(
    book: &Book,
    names: &Names,
    chapter: &Placed<'_>,
    told: &Told<'_>,
    says: &Says,
) -> Option<LaterMention> {
    let speaks = |sentence: &&crate::readings::told::Sentence| {
        let words = told.words(sentence);
        let named: BTreeSet<&EntryId> = told
            .mentions(sentence)
            .iter()
            .filter_map(|it| it.named.map(|named| &names.get(named).id))
            .collect();
        let has_all = says.concerns().iter().all(|id| named.contains(id));
        match says {
            Says::NewCharacter { name } | Says::NewPlace { name } => {
                contains(words, name) || words.contains(name.as_str())
            }
            Says::Appearance { feature, .. } => has_all && speaks_of_part(words, feature),
            Says::Age { .. } => has_all && contains(words, "岁|years old|year-old|age|aged"),
            Says::Death { .. } => has_all && contains(words, DEAD),
            Says::Touches { plot_loop } => speaks_of_loop(book, words, plot_loop),
            Says::Happens { who, .. } => has_all && who.len() > 1,
            Says::Presence { .. }
            | Says::Possession { .. }
            | Says::Lies { .. }
            | Says::Relation { .. } => has_all,
        }
    };
    let sentence = told.sentences.iter().find(speaks)?;
    Some(LaterMention {
        chapter: chapter.id.clone(),
        number: chapter.number,
        title: chapter.chapter.title.clone(),
        quote: told.quote(sentence),
    })
}

/// The name of the reader of facts that were read by rules.
const BY_RULES: &str = "rules";

const DEAD: &str =
    "死|去世|葬|坟|墓|遗|生前|灵|died|death|dead|funeral|grave|buried|mourned|late|killed";

fn speaks_of_part(words: &str, feature: &str) -> bool {
    let parts = match Feature::of(feature) {
        Some(Feature::Eyes) => "眼|眸|瞳|eye|eyes|eyed",
        Some(Feature::Hair) => "发|hair|haired",
        Some(Feature::Beard) => "胡|须|beard",
        Some(Feature::Skin) => "肤|skin",
        None => return contains(words, feature),
    };
    contains(words, parts)
}

fn speaks_of_loop(book: &Book, words: &str, id: &EntryId) -> bool {
    let found = book.plot_loops().find(|(entry, _)| entry.id == *id);
    found.is_some_and(|(_, it)| {
        let mut all = std::iter::once(&it.title).chain(&it.keywords);
        all.any(|word| !word.is_empty() && contains(words, word))
    })
}
