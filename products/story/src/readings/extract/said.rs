//! Compares what a model says about a chapter with the chapter and the bible. A statement is not a fact if its sentence is not in the text,
//! or if it concerns nothing that the bible knows. What rules also found becomes one fact.

use std::collections::{BTreeMap, BTreeSet};

use palimpsest::prelude::pipeline::EntryId;
use palimpsest::prelude::resource::project::{
    BY_RULES, FACTS_MAX, Fact, NAME_CHARS_MAX, Quote, Says,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::facts_of;
use super::quoted::Quotable;
use crate::readings::book::Book;
use crate::readings::names::{Kind, Names};
use crate::readings::told::persons::Feature;
use crate::readings::told::{Told, Unreadable};

/// What a model says of a range. People, places, things and plot loops are named as the bible has them; `sentence` is the sentence
/// that says it, copied from the passage word for word.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct SaidFacts {
    pub new_characters: Vec<SaidName>,
    pub new_places: Vec<SaidName>,
    pub appearances: Vec<SaidAppearance>,
    pub ages: Vec<SaidAge>,
    pub deaths: Vec<SaidDeath>,
    pub presences: Vec<SaidPresence>,
    pub possessions: Vec<SaidPossession>,
    pub things_at_places: Vec<SaidThingAtPlace>,
    pub relations: Vec<SaidRelation>,
    pub plot_loops: Vec<SaidPlotLoop>,
    pub events: Vec<SaidEvent>,
}

/// Somebody or some place that the bible does not have.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct SaidName {
    pub name: String,
    pub sentence: String,
}

/// How somebody looks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct SaidAppearance {
    pub character: String,
    /// Such as eyes, hair, beard, skin, scar.
    pub feature: String,
    /// In the words of the text.
    pub value: String,
    pub sentence: String,
}

/// How old somebody is in the chapter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct SaidAge {
    pub character: String,
    pub years: u32,
    pub sentence: String,
}

/// Somebody dies, or is dead.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct SaidDeath {
    pub character: String,
    pub sentence: String,
}

/// Somebody is at a place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct SaidPresence {
    pub character: String,
    pub place: String,
    pub sentence: String,
}

/// Somebody has a thing from now on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct SaidPossession {
    pub item: String,
    pub owner: String,
    pub sentence: String,
}

/// A thing is at a place from now on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct SaidThingAtPlace {
    pub item: String,
    pub place: String,
    pub sentence: String,
}

/// What the first is to the second: `sister` where Mara is the sister of Tobias.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct SaidRelation {
    pub character: String,
    pub to: String,
    pub relation: String,
    pub sentence: String,
}

/// The chapter opens, goes on with or closes a plot loop of the bible.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct SaidPlotLoop {
    pub plot_loop: String,
    pub sentence: String,
}

/// A turn of the story that later chapters may lean on, such as an injury, a betrayal, a promise.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct SaidEvent {
    /// In a few words.
    pub what: String,
    /// Who has part in it.
    pub characters: Vec<String>,
    pub sentence: String,
}

/// What a chapter says, with the counts of statements of a model that were not taken over.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ReadFacts {
    /// In the order of the text.
    pub facts: Vec<Fact>,
    /// Statements that quote no sentence of the text, or that name somebody new by a name that is not in the text.
    pub not_in_text: usize,
    /// Statements about somebody or something that the bible does not have.
    pub not_in_bible: usize,
    /// Statements beyond the most facts that a chapter may have.
    pub beyond_limit: usize,
    /// Why the chapter cannot be read; it has no facts then.
    pub unreadable: Option<Unreadable>,
}

/// What a chapter says by rules, and what a model said of its ranges. Facts that rules found say so where a model read as well.
pub(crate) fn facts_said(book: &Book, chapter: &EntryId, said: &[SaidFacts]) -> ReadFacts {
    let chapters = book.chapters();
    let text = chapters.iter().find(|it| it.id == chapter);
    let text = text.map_or("", |it| it.text);
    let names = Names::of(book);
    let told = match Told::of(text, &names) {
        Ok(told) => told,
        Err(why) => {
            return ReadFacts {
                unreadable: Some(why),
                ..ReadFacts::default()
            };
        }
    };
    let mut read = ReadFacts {
        facts: facts_of(book, chapter, &names, &told),
        ..ReadFacts::default()
    };
    if said.is_empty() {
        return read;
    }
    for fact in &mut read.facts {
        fact.by = Some(BY_RULES.to_owned());
    }
    let holding = Holding {
        bible: Bible::of(book, &names),
        text: Quotable::of(&told),
    };
    let mut known: BTreeSet<String> = read.facts.iter().map(|fact| plain(&fact.says)).collect();
    // Ranges overlap, so the same statement may occur twice.
    let mut seen = BTreeSet::new();
    for row in said.iter().flat_map(rows) {
        if seen.insert(format!("{row:?}"))
            && let Some(fact) = holding.fact(chapter, &row, &mut read)
            && known.insert(plain(&fact.says))
            && !read.facts.iter().any(|known| is_same(known, &fact))
        {
            read.facts.push(fact);
        }
    }
    read.facts.sort_by_key(|fact| fact.quote.start);
    read.beyond_limit = read.facts.len().saturating_sub(FACTS_MAX);
    read.facts.truncate(FACTS_MAX);
    read
}

/// One thing that a model said, with its sentence.
#[derive(Debug)]
struct Row<'a> {
    says: RowSays<'a>,
    sentence: &'a str,
}

#[derive(Debug)]
enum RowSays<'a> {
    NewCharacter(&'a str),
    NewPlace(&'a str),
    Appearance(&'a SaidAppearance),
    Age(&'a str, u32),
    Death(&'a str),
    Presence(&'a str, &'a str),
    Possession(&'a str, &'a str),
    Lies(&'a str, &'a str),
    Relation(&'a SaidRelation),
    Touches(&'a str),
    Happens(&'a str, &'a [String]),
}

fn rows(said: &SaidFacts) -> Vec<Row<'_>> {
    let mut rows = vec![];
    let mut add = |says, sentence| rows.push(Row { says, sentence });
    for it in &said.new_characters {
        add(RowSays::NewCharacter(&it.name), it.sentence.as_str());
    }
    for it in &said.new_places {
        add(RowSays::NewPlace(&it.name), &it.sentence);
    }
    for it in &said.appearances {
        add(RowSays::Appearance(it), &it.sentence);
    }
    for it in &said.ages {
        add(RowSays::Age(&it.character, it.years), &it.sentence);
    }
    for it in &said.deaths {
        add(RowSays::Death(&it.character), &it.sentence);
    }
    for it in &said.presences {
        add(RowSays::Presence(&it.character, &it.place), &it.sentence);
    }
    for it in &said.possessions {
        add(RowSays::Possession(&it.item, &it.owner), &it.sentence);
    }
    for it in &said.things_at_places {
        add(RowSays::Lies(&it.item, &it.place), &it.sentence);
    }
    for it in &said.relations {
        add(RowSays::Relation(it), &it.sentence);
    }
    for it in &said.plot_loops {
        add(RowSays::Touches(&it.plot_loop), &it.sentence);
    }
    for it in &said.events {
        add(RowSays::Happens(&it.what, &it.characters), &it.sentence);
    }
    rows
}

/// What rows are compared with.
struct Holding<'a> {
    bible: Bible<'a>,
    text: Quotable<'a>,
}

impl Holding<'_> {
    /// The fact that a row states; `None` where it is not taken over, which is counted, or where the bible already knows it.
    fn fact(&self, chapter: &EntryId, row: &Row<'_>, read: &mut ReadFacts) -> Option<Fact> {
        let Some(quote) = self.text.find(row.sentence) else {
            read.not_in_text += 1;
            return None;
        };
        if let RowSays::NewCharacter(name) | RowSays::NewPlace(name) = row.says {
            if !self.text.names(name) {
                read.not_in_text += 1;
                return None;
            }
            if self.bible.has(name) {
                return None;
            }
        }
        let says = self.bible.says(&row.says);
        read.not_in_bible += usize::from(says.is_none());
        Some(Fact::new(chapter, says?, quote))
    }
}

/// The entries of the bible, by the names that models may use.
struct Bible<'a> {
    names: &'a Names,
    /// The entries by name, in lower case; `None` where several have the same name.
    entries: BTreeMap<(Kind, String), Option<EntryId>>,
    plot_loops: BTreeMap<String, Option<EntryId>>,
}

impl<'a> Bible<'a> {
    fn of(book: &Book, names: &'a Names) -> Self {
        let mut entries = BTreeMap::new();
        let mut add = |kind, id: &EntryId, name: &str, aliases: &[String]| {
            for name in std::iter::once(name).chain(aliases.iter().map(String::as_str)) {
                put(&mut entries, (kind, lower(name)), id);
            }
        };
        for (entry, it) in book.characters() {
            add(Kind::Character, &entry.id, &it.name, &it.aliases);
        }
        for (entry, it) in book.places() {
            add(Kind::Place, &entry.id, &it.name, &it.aliases);
        }
        for (entry, it) in book.items() {
            add(Kind::Item, &entry.id, &it.name, &it.aliases);
        }
        let mut plot_loops = BTreeMap::new();
        for (entry, it) in book.plot_loops() {
            if entry.standing.is_fact() {
                put(&mut plot_loops, lower(&it.title), &entry.id);
            }
        }
        Self {
            names,
            entries,
            plot_loops,
        }
    }

    /// Whether something has this name, or a longer name of which this is a word.
    fn has(&self, name: &str) -> bool {
        let name = name.trim();
        let is_called = |kind| self.entries.contains_key(&(kind, lower(name)));
        self.names.knows(name)
            || [Kind::Character, Kind::Place, Kind::Item]
                .into_iter()
                .any(is_called)
    }

    fn find(&self, kind: Kind, name: &str) -> Option<EntryId> {
        let name = name.trim();
        if let Some(known) = self.entries.get(&(kind, lower(name))) {
            return known.clone();
        }
        // A part of a name, such as the first of two.
        let found = self.names.find(name);
        let whole = found
            .iter()
            .find(|it| it.at == (0..name.len()) && it.kind == kind)?;
        Some(self.names.get(whole.named?).id.clone())
    }

    fn says(&self, said: &RowSays<'_>) -> Option<Says> {
        let person = |name: &str| self.find(Kind::Character, name);
        let place = |name: &str| self.find(Kind::Place, name);
        let item = |name: &str| self.find(Kind::Item, name);
        let says = match *said {
            RowSays::NewCharacter(name) => Says::NewCharacter { name: short(name)? },
            RowSays::NewPlace(name) => Says::NewPlace { name: short(name)? },
            RowSays::Appearance(it) => Says::Appearance {
                character: person(&it.character)?,
                feature: feature(&it.feature)?,
                value: short(&it.value)?,
            },
            RowSays::Age(who, years) => Says::Age {
                character: person(who)?,
                years,
            },
            RowSays::Death(who) => Says::Death {
                character: person(who)?,
            },
            RowSays::Presence(who, at) => Says::Presence {
                character: person(who)?,
                place: place(at)?,
            },
            RowSays::Possession(what, owner) => Says::Possession {
                item: item(what)?,
                owner: person(owner)?,
            },
            RowSays::Lies(what, at) => Says::Lies {
                item: item(what)?,
                place: place(at)?,
            },
            RowSays::Relation(it) => Says::Relation {
                source: person(&it.character)?,
                target: person(&it.to)?,
                relation: short(&it.relation)?,
            },
            RowSays::Touches(title) => Says::Touches {
                plot_loop: self.plot_loops.get(&lower(title)).cloned().flatten()?,
            },
            RowSays::Happens(what, names) => {
                let who: Vec<EntryId> = names.iter().filter_map(|name| person(name)).collect();
                // A new person in the list becomes a fact of their own.
                if who.is_empty() && !names.is_empty() {
                    return None;
                }
                let what = short(what)?;
                Says::Happens { what, who }
            }
        };
        Some(says)
    }
}

fn put<K: Ord>(all: &mut BTreeMap<K, Option<EntryId>>, name: K, id: &EntryId) {
    let known = all.entry(name).or_insert_with(|| Some(id.clone()));
    if known.as_ref() != Some(id) {
        *known = None;
    }
}

fn lower(name: &str) -> String {
    name.trim().to_lowercase()
}

/// A text cut to the length of a line in a list; `None` for an empty text.
fn short(text: &str) -> Option<String> {
    let text = text.trim();
    let short: String = text.chars().take(NAME_CHARS_MAX).collect();
    (!short.is_empty()).then_some(short)
}

/// The feature, by the name that rules use where they know it.
fn feature(word: &str) -> Option<String> {
    let word = short(word)?;
    let is_chinese = !word.is_ascii();
    Some(Feature::of(&word).map_or(word, |known| known.name(is_chinese).to_owned()))
}

/// Whether two facts are the same in different words: the same kind of statement about the same entries in the same sentence.
fn is_same(one: &Fact, other: &Fact) -> bool {
    if !overlap(&one.quote, &other.quote) {
        return false;
    }
    match (&one.says, &other.says) {
        (Says::Appearance { feature, .. }, Says::Appearance { feature: known, .. }) => {
            feature == known && one.says.concerns() == other.says.concerns()
        }
        (Says::Relation { .. }, Says::Relation { .. }) => {
            one.says.concerns() == other.says.concerns()
        }
        // Rules describe an event by its sentence.
        (Says::Happens { .. }, Says::Happens { .. }) => one.by != other.by,
        (_, _) => false,
    }
}

/// The statement without details that make no difference.
fn plain(says: &Says) -> String {
    serde_json::to_string(says)
        .unwrap_or_default()
        .to_lowercase()
}

fn overlap(one: &Quote, other: &Quote) -> bool {
    let end = |quote: &Quote| quote.start + quote.text.chars().count();
    one.start < end(other) && other.start < end(one)
}
